"""The tree of commands: its help in groups, and advice on a command that is not there."""

from difflib import get_close_matches
from typing import Any

from typer.core import TyperGroup

# Every command that `seasoned --help` shows, in its order; a test compares it with those there are.
SECTIONS = {
    "Start here": {
        "demo": "See it at work on sample transcripts.",
        "learn": "Learn from transcripts that you already have.",
        "chat": "Talk to an agent that learns.",
    },
    "See and correct what was learned": {
        "desk": "Open the desk of `serve` in a browser.",
        "lessons": "List, explain and forget lessons; learning in numbers.",
        "teach": "Teach a lesson: a fix, a rule, a fact or a preference.",
        "recall": "Show what an agent would be told for a request.",
        "review": "Decide on what waits for a person.",
        "rules": "Rules of behaviour: list, add, edit, share, resolve conflicts.",
        "examples": "Exchanges to follow or to avoid.",
        "corrections": "Correct an agent; see what became of corrections.",
    },
    "Connect an agent": {
        "connect": "Connect a coding assistant: Claude Code, Codex and others.",
        "disconnect": "Undo that; the settings become what they were.",
        "observe": "Record a tool call; print the fix if one is known.",
        "feedback": "Rate answers.",
        "adapt": "Choose between variants by their rewards.",
        "stats": "Show how tools and skills perform.",
        "serve": "Serve agents in any language: chat, REST, WebSocket.",
        "mcp": "Serve one assistant over MCP, on stdin and stdout.",
        "host": "Serve only the learn protocol, over HTTP or pipes.",
    },
    "Leave it running": {
        "worker": "Run schedules, jobs, workflows and reminders, without HTTP.",
        "cron": "Schedules: add, list, pause, run now, history.",
        "jobs": "Background tasks: start, list, show, cancel.",
        "workflow": "Workflows of agent and tool steps: check, run, resume.",
    },
    "Look after its memory": {
        "sessions": "Conversations: show, end, delete.",
        "memory": "What was observed in conversations.",
        "librarian": "Open questions, and their answers.",
        "knowledge": "Documents that agents consult.",
        "skills": "Procedures worth repeating.",
        "graph": "How errors, tools, sessions and fixes connect.",
    },
    "Operate": {
        "doctor": "Check the installation and the database.",
        "backup": "Write everything into one file, while it runs.",
        "restore": "Bring back what a backup holds.",
        "config": "Show the settings; keep them in profiles.",
        "secrets": "Keep keys and tokens in the encrypted vault.",
        "payments": "What the agent paid for pages of the web.",
        "keys": "Who may call `serve`: make, list and revoke API keys.",
        "audit": "Verify the record of all changes.",
        "export": "Write rated answers as training data.",
    },
}
SHOWN = [name for section in SECTIONS.values() for name in section]


class CommandGroup(TyperGroup):
    """A group whose help wraps the line of a command instead of cutting it off."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        every = ((name, self.commands[name]) for name in self.list_commands(ctx))
        rows = [(name, one.get_short_help_str(1000)) for name, one in every if not one.hidden]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


class CommandTree(TyperGroup):
    """The root: its help shows the commands in sections."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [*SHOWN, *(name for name in self.commands if name not in SHOWN)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        self._format_sections(formatter)  # first what can be done, then with which options
        super().format_options(ctx, formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write nothing: the sections stand above the options."""

    def _format_sections(self, formatter: Any) -> None:
        width = max(map(len, SHOWN))
        for title, section in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:<{width}}", text) for name, text in section.items()])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = args[0] if args else ""
        if name and not name.startswith("-") and name not in self.commands:
            ctx.fail(f"no command {name!r}; {self.advice(name)}")
        return super().resolve_command(ctx, args)

    def advice(self, name: str) -> str:
        """Name the commands that may be meant: `why` is `seasoned lessons why`."""
        inner = [f"{group} {name}" for group in SHOWN if name in self.names_in(group)]
        meant = inner or get_close_matches(name, SHOWN, cutoff=0.5)
        if not meant:
            return "`seasoned --help` lists all"
        return f"did you mean {' or '.join(f'`seasoned {one}`' for one in meant)}?"

    def names_in(self, group: str) -> list[str]:
        found = self.commands[group]
        return list(found.commands) if isinstance(found, TyperGroup) else []
