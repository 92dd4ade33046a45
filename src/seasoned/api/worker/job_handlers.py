"""What jobs do: ask the agent, run a tool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from seasoned.core.errors import BadInput, NotAllowed, SeasonedError
from seasoned.core.messages import ToolResult
from seasoned.core.scope import Scope
from seasoned.fixes.failure import failure_of
from seasoned.jobs.job import Job
from seasoned.jobs.workflow import Step

if TYPE_CHECKING:
    from seasoned.agent.agent import Agent
    from seasoned.api.async_seasoned import AsyncSeasoned
    from seasoned.app import App


class ToolFailure(SeasonedError):
    """A tool did its work, and says that it failed."""


class AgentWork:
    """Jobs and steps that need the agent; it is built when the first of them runs."""

    def __init__(self, seasoned: AsyncSeasoned, agent: Agent | None = None) -> None:
        self.seasoned = seasoned
        self._agent = agent

    async def ask(self, job: Job) -> str:
        """Answer a job's prompt in a session of its own; nobody is there to approve tools."""
        scope = job.work.scope
        return await self.reply(
            str(job.work.input.get("prompt", "")), scope.within(scope.session or f"job-{job.id}")
        )

    async def reply(self, prompt: str, scope: Scope) -> str:
        if self._agent is None:
            from seasoned.api.agent import AgentOptions, build_agent

            self._agent = build_agent(self.seasoned.app, AgentOptions())
        return await self._agent.turn(prompt, scope, answers=False, by_user=False).reply()

    async def step(self, step: Step, text: str, arguments: Mapping[str, Any], scope: Scope) -> str:
        """Run one step of a workflow, in the session that the scope names."""
        if step.kind == "tool":
            return await self.call(step.text, arguments, scope)
        return await self.reply(text, scope)

    async def call(self, name: str, arguments: Mapping[str, Any], scope: Scope) -> str:
        """Call one of the agent's own tools; one that needs approval must be exempt.

        A result that says it failed, such as a program's exit code, is a failure.
        """
        from pydantic import ValidationError
        from pydantic_ai import RunContext
        from pydantic_ai.models.test import TestModel
        from pydantic_ai.usage import RunUsage

        from seasoned.tools.approval import DANGEROUS, approval_need
        from seasoned.tools.calls import result_text
        from seasoned.tools.plain_values import to_plain
        from seasoned.tools.run import ToolRun

        tools, rules = _own_tools(self.seasoned.app)
        context = RunContext(deps=ToolRun(scope), model=TestModel(), usage=RunUsage())
        known = await tools.get_tools(context)
        if name not in known:
            raise BadInput(f"no tool {name!r}; agent.tools offers {', '.join(sorted(known))}")
        found = known[name]
        metadata: dict[str, Any] = found.tool_def.metadata or {}
        dangerous = bool(metadata.get(DANGEROUS))
        if approval_need(rules, name, dangerous=dangerous) is not None:
            raise NotAllowed(
                f"tool {name} needs approval, and nobody is there to give it; "
                "add it to approval.exempt if jobs may use it"
            )
        try:
            checked = found.args_validator.validate_python(dict(arguments))
        except ValidationError as error:
            faults = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()]
            raise BadInput(f"tool {name} cannot be called so: {'; '.join(faults)}") from error
        result = await tools.call_tool(name, checked, context, found)
        done = ToolResult(name, dict(arguments), to_plain(getattr(result, "return_value", result)))
        if (why := failure_of(done)) is not None:
            raise ToolFailure(f"tool {name} failed: {why}")
        return result_text(result)


def tool_names(app: App) -> list[str]:
    """Return the tools that steps of a workflow may call."""
    return sorted(_own_tools(app)[0].tools)


def _own_tools(app: App) -> tuple[Any, Any]:
    from seasoned.api.agent import built_in_tools, split_names
    from seasoned.tools.approval import ApprovalRules
    from seasoned.tools.toolset import toolset_from

    settings = app.config.settings
    approval = settings.approval
    rules = ApprovalRules(
        *(approval.policy, approval.timeout_seconds),
        *(split_names(approval.sensitive), split_names(approval.exempt)),
    )
    root = settings.agent.root or "."
    names = split_names(settings.agent.tools)
    return toolset_from([one for name in names for one in built_in_tools(app, name, root)]), rules
