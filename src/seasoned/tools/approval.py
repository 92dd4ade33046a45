"""Ask for approval before a tool runs; without a clear yes it does not run.

Whether a call needs approval is decided in this order: exempt, sensitive, policy.
"""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any, Literal

from pydantic_ai import RunContext
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import ToolsetTool, WrapperToolset

from seasoned.core.errors import ConfigError
from seasoned.core.ids import new_id
from seasoned.tools.approval_store import Approvals
from seasoned.tools.calls import call_key, render_call
from seasoned.tools.plain_values import to_plain
from seasoned.tools.run import ApprovalDecision, ApprovalRequest, ToolDenial, ToolEvent, ToolRun

log = logging.getLogger("seasoned.tools")

Policy = Literal["dangerous", "all", "configured", "none"]
POLICIES: dict[str, str] = {  # the reason given for asking, by policy
    "dangerous": "it can change or reveal things",
    "all": "every tool is asked for",
    "configured": "",
    "none": "",
}
DANGEROUS, FOLDER = "dangerous", "folder"  # keys in a tool's metadata


@dataclass(frozen=True, slots=True)
class ApprovalRules:
    """`exempt` and `sensitive` are tool names, in which * matches anything."""

    policy: str = "dangerous"
    timeout_seconds: float = 30
    sensitive: Sequence[str] = ()
    exempt: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.policy not in POLICIES:
            raise ConfigError(
                f"approval.policy is {self.policy!r}; it must be one of {', '.join(POLICIES)}"
            )


@dataclass(frozen=True, slots=True)
class ApprovalNeed:
    """Why a call needs approval; an earlier "always" is enough unless `each_time`."""

    reason: str
    each_time: bool = False


def approval_need(rules: ApprovalRules, tool: str, *, dangerous: bool) -> ApprovalNeed | None:
    """Return None if the tool may run without asking.

    >>> rules = ApprovalRules(sensitive=["mail_*"], exempt=["mail_list"])
    >>> approval_need(rules, "mail_send", dangerous=False).each_time
    True
    >>> approval_need(rules, "mail_list", dangerous=True)
    >>> approval_need(rules, "run_program", dangerous=True).reason
    'it can change or reveal things'
    """
    if _matches(tool, rules.exempt):
        return None
    if _matches(tool, rules.sensitive):
        return ApprovalNeed("it is set as sensitive", each_time=True)
    if rules.policy == "all" or (rules.policy == "dangerous" and dangerous):
        return ApprovalNeed(POLICIES[rules.policy])
    return None


class ToolDenied(ToolFailed):
    """Raised when a call is not allowed; the model reads the message."""


@dataclass
class Approved(WrapperToolset[ToolRun]):
    """`approvals` stores what is always allowed; without it "always" means "this once"."""

    rules: ApprovalRules = field(default_factory=ApprovalRules)
    approvals: Approvals | None = None

    async def get_tools(self, ctx: RunContext[ToolRun]) -> dict[str, ToolsetTool[ToolRun]]:
        """Return the tools; a tool that would defer its own approval is asked for here instead."""
        tools = await super().get_tools(ctx)
        return {
            name: replace(tool, tool_def=_without_deferral(tool.tool_def))
            for name, tool in tools.items()
        }

    async def call_tool(
        self,
        name: str,
        tool_args: dict[str, Any],
        ctx: RunContext[ToolRun],
        tool: ToolsetTool[ToolRun],
    ) -> Any:
        need = approval_need(self.rules, name, dangerous=is_dangerous(tool.tool_def))
        if need is not None:
            await self.require(self._request(tool.tool_def, tool_args, ctx, need), ctx.deps)
        return await super().call_tool(name, tool_args, ctx, tool)

    def _request(
        self,
        tool: ToolDefinition,
        params: dict[str, Any],
        ctx: RunContext[ToolRun],
        need: ApprovalNeed,
    ) -> ApprovalRequest:
        values = to_plain(params)
        return ApprovalRequest(
            ctx.tool_call_id or new_id(),
            tool.name,
            values,
            render_call(tool.name, values),
            need.reason,
            self.rules.timeout_seconds,
            can_always=not need.each_time,
            folder=str((tool.metadata or {}).get(FOLDER) or ""),
        )

    async def require(self, request: ApprovalRequest, run: ToolRun) -> None:
        """Return if the call is allowed; raise `ToolDenied` if not."""
        async with run.asking(request.id):  # the answer to one question may settle the next
            if await self._is_always_allowed(request, run):
                return
            earlier = _earlier_denial(request, run)
            if earlier is not None:
                raise ToolDenied(_denial_text(request, earlier))
            run.show(_event("approval", request, request.reason, request))
            decision, by_user = await self._decide(request, run)
            if decision.answer == "deny":
                denial = ToolDenial(request.tool, request.params, decision.reason, by_user)
                run.denied.append(denial)
                run.show(_event("denied", request, decision.reason))
                raise ToolDenied(_denial_text(request, denial))
            if decision.answer == "always" and request.can_always and self.approvals is not None:
                await self.approvals.keep(run.scope, request, decision)
            run.show(_event("allowed", request, decision.reason))

    async def _is_always_allowed(self, request: ApprovalRequest, run: ToolRun) -> bool:
        if self.approvals is None or not request.can_always:
            return False
        return await self.approvals.hold(run.scope, request)

    async def _decide(
        self, request: ApprovalRequest, run: ToolRun
    ) -> tuple[ApprovalDecision, bool]:
        """Ask; return the decision and whether the user made it. No answer in time is a no."""
        if run.ask is None:
            return ApprovalDecision("deny", "there is nobody who could be asked"), False
        try:
            async with asyncio.timeout(request.timeout_seconds):
                decision = await run.ask(request)
        except TimeoutError:
            reason = f"nobody answered within {request.timeout_seconds:g} s"
            return ApprovalDecision("deny", reason), False
        except Exception:
            log.exception("asking for approval of %s failed; the call is denied", request.tool)
            return ApprovalDecision("deny", "asking for it failed"), False
        if decision.answer not in ("allow", "always"):
            return replace(decision, answer="deny"), decision.by_user
        return decision, True


def is_dangerous(tool: ToolDefinition) -> bool:
    """Tell whether the tool is marked as dangerous."""
    return bool((tool.metadata or {}).get(DANGEROUS))


def _matches(tool: str, names: Sequence[str]) -> bool:
    return any(fnmatchcase(tool, name) for name in names)


def _without_deferral(tool: ToolDefinition) -> ToolDefinition:
    if tool.kind != "unapproved":
        return tool
    return replace(tool, kind="function", metadata={**(tool.metadata or {}), DANGEROUS: True})


def _earlier_denial(request: ApprovalRequest, run: ToolRun) -> ToolDenial | None:
    """Find a no to this exact call; it holds for the turn, so a model cannot keep asking."""
    key = call_key(request.tool, request.params)
    return next((one for one in run.denied if call_key(one.tool, one.params) == key), None)


def _denial_text(request: ApprovalRequest, denial: ToolDenial) -> str:
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
