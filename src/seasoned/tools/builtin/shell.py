"""Tools that run programs and shell scripts in one folder; both need approval."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

from seasoned.core.errors import BadInput
from seasoned.tools.builtin.processes import Limits, ProgramResult, run_program, safe_environment
from seasoned.tools.builtin.root import Root
from seasoned.tools.tool import tool


@dataclass(frozen=True, slots=True)
class ShellConfig:
    seconds: float = 60  # unless the call sets its own
    most_seconds: float = 240
    longest: int = 20_000  # characters of each output
    shell: str = "/bin/sh"


def shell_tools(
    folder: str | PathLike[str],
    environment: Mapping[str, str],
    config: ShellConfig | None = None,
) -> Sequence[Callable[..., Any]]:
    """Build the tools; of `environment`, programs see only variables without secrets."""
    shell = Shell(Root(folder), config or ShellConfig(), safe_environment(environment))
    return (shell.run_program, shell.run_script)


class Shell:
    def __init__(self, root: Root, config: ShellConfig, environment: Mapping[str, str]) -> None:
        self.root = root
        self.works_in = root.folder
        self.config = config
        self.environment = environment

    @tool(dangerous=True, examples=[{"argv": ["grep", "-rn", "it's here", "."]}])
    async def run_program(
        self, argv: list[str], folder: str = ".", timeout_seconds: float = 0
    ) -> dict[str, Any]:
        """Runs a program with arguments; no shell reads them, so nothing in them is special.

        Args:
            argv: The program and its arguments, each as an item of its own.
            folder: Where to run it, relative to the working folder.
            timeout_seconds: After how long to stop it; 0 for the usual time.
        """
        return await self._run(argv, folder, timeout_seconds)

    @tool(dangerous=True, examples=[{"script": 'sort "$1" | uniq -c', "args": ["a file.txt"]}])
    async def run_script(
        self,
        script: str,
        args: list[str] | None = None,
        folder: str = ".",
        timeout_seconds: float = 0,
    ) -> dict[str, Any]:
        """Runs a shell script. Values go in args and are "$1", "$2" and so on in the script.

        Args:
            script: The script; write "$1" for the first of the args, never the value itself.
            args: Values for the script: file names, texts, anything that is not code.
            folder: Where to run it, relative to the working folder.
            timeout_seconds: After how long to stop it; 0 for the usual time.
        """
        if not script.strip():
            raise BadInput("the script is empty; say what to run")
        argv = [self.config.shell, "-c", script, "script", *(args or [])]
        return await self._run(argv, folder, timeout_seconds)

    async def _run(self, argv: list[str], folder: str, seconds: float) -> dict[str, Any]:
        if not 0 <= seconds <= self.config.most_seconds:
            raise BadInput(f"timeout_seconds must be between 0 and {self.config.most_seconds:g}")
        limits = Limits(seconds or self.config.seconds, self.config.longest)
        with self.root.working_folder(folder) as where:
            return _as_result(await run_program(argv, where, limits, self.environment), limits)


def _as_result(finished: ProgramResult, limits: Limits) -> dict[str, Any]:
    said: dict[str, Any] = {"exit_code": finished.exit_code, "stdout": finished.stdout}
    if finished.stderr:
        said["stderr"] = finished.stderr
    if finished.timed_out:
        said["timed_out"] = True
        said["error"] = f"timed out after {limits.seconds:g} s; it and all it started was stopped"
    return said
