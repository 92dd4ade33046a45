"""Asks before a tool is called that must be allowed first; without a clear yes it is not called."""

import asyncio
import logging
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import ToolsetTool, WrapperToolset

from seasoned.core.ids import new_id
from seasoned.tools.approval import ApprovalRules, Wanted, approval_wanted
from seasoned.tools.approval_store import Approvals
from seasoned.tools.plain import plain
from seasoned.tools.run import ApprovalRequest, Decision, Denial, Run, ToolEvent, call_key
from seasoned.tools.shown import shown_call

log = logging.getLogger("seasoned.tools")

DANGEROUS = "dangerous"  # in a tool's metadata


class Denied(ToolFailed):
    """The call was not allowed; the message is what the model is told."""


@dataclass
class Approved(WrapperToolset[Run]):
    """`approvals` remembers what is always allowed; without it "always" means "this once"."""

    rules: ApprovalRules = field(default_factory=ApprovalRules)
    approvals: Approvals | None = None

    async def get_tools(self, ctx: RunContext[Run]) -> dict[str, ToolsetTool[Run]]:
        """A tool that would defer its own approval is asked for here, like all others."""
        tools = await super().get_tools(ctx)
        return {
            name: replace(tool, tool_def=_taken_over(tool.tool_def)) for name, tool in tools.items()
        }

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Run], tool: ToolsetTool[Run]
    ) -> Any:
        wanted = approval_wanted(self.rules, name, dangerous=is_dangerous(tool.tool_def))
        if wanted is not None:
            await self._allowed(self._request(name, tool_args, ctx, wanted), ctx.deps)
        return await super().call_tool(name, tool_args, ctx, tool)

    def _request(
        self, tool: str, params: dict[str, Any], ctx: RunContext[Run], wanted: Wanted
    ) -> ApprovalRequest:
        return ApprovalRequest(
            ctx.tool_call_id or new_id(),
            tool,
            plain(params),
            shown_call(tool, plain(params)),
            wanted.reason,
            self.rules.timeout_seconds,
            can_always=not wanted.each_time,
        )

    async def _allowed(self, request: ApprovalRequest, run: Run) -> None:
        """Returns when the call may be made, raises `Denied` when not."""
        async with run.asking:  # the answer to one question may spare the next
            if await self._is_always_allowed(request, run):
                return
            refused = _refused_before(request, run)
            if refused is not None:
                raise Denied(_told(request, refused))
            run.show(_event("approval", request, request.reason, request))
            decision, by_user = await self._decided(request, run)
            if decision.answer == "deny":
                denial = Denial(request.tool, request.params, decision.reason, by_user)
                run.denied.append(denial)
                run.show(_event("denied", request, decision.reason))
                raise Denied(_told(request, denial))
            if decision.answer == "always" and request.can_always and self.approvals is not None:
                await self.approvals.keep(run.scope, request, decision)
            run.show(_event("allowed", request, decision.reason))

    async def _is_always_allowed(self, request: ApprovalRequest, run: Run) -> bool:
        if self.approvals is None or not request.can_always:
            return False
        return await self.approvals.hold(run.scope, request)

    async def _decided(self, request: ApprovalRequest, run: Run) -> tuple[Decision, bool]:
        """What was answered in time, and whether it was; whatever else happens is a no."""
        if run.ask is None:
            return Decision("deny", "there is nobody who could be asked"), False
        try:
            async with asyncio.timeout(request.timeout_seconds):
                decision = await run.ask(request)
        except TimeoutError:
            reason = f"nobody answered within {request.timeout_seconds:g} s"
            return Decision("deny", reason), False
        except Exception:
            log.exception("could not ask whether %s may be called; it is not", request.tool)
            return Decision("deny", "asking for it failed"), False
        if decision.answer not in ("allow", "always"):
            return replace(decision, answer="deny"), True
        return decision, True


def is_dangerous(tool: ToolDefinition) -> bool:
    """Whether its maker says so."""
    return bool((tool.metadata or {}).get(DANGEROUS))


def _taken_over(tool: ToolDefinition) -> ToolDefinition:
    if tool.kind != "unapproved":
        return tool
    return replace(tool, kind="function", metadata={**(tool.metadata or {}), DANGEROUS: True})


def _refused_before(request: ApprovalRequest, run: Run) -> Denial | None:
    """A no to this very call holds for the turn: a model must not wear anybody down."""
    key = call_key(request.tool, request.params)
    return next((one for one in run.denied if call_key(one.tool, one.params) == key), None)


def _told(request: ApprovalRequest, denial: Denial) -> str:
    reason = f": {denial.reason}" if denial.reason else ""
    who = "The user did not allow" if denial.by_user else "Nobody allowed"
    return (
        f"{who} this call of {request.tool}{reason}. It was not made. Do not try it again or get "
        "around it; go on without it, or ask the user what to do instead."
    )


def _event(
    kind: Any, request: ApprovalRequest, text: str, asked: ApprovalRequest | None = None
) -> ToolEvent:
    return ToolEvent(kind, request.id, request.tool, request.params, text, request=asked)
