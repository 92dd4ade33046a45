"""The answer to a tool call that waits for approval, as clients send it."""

from typing import Literal

from pydantic import BaseModel, Field

from seasoned.tools.run import ApprovalDecision


class Decision(BaseModel):
    """`always` covers this exact call, or with `reach` the whole tool."""

    answer: Literal["allow", "always", "deny"]
    reason: str = Field("", max_length=1000)
    reach: Literal["call", "tool"] = "call"

    def decision(self) -> ApprovalDecision:
        return ApprovalDecision(self.answer, self.reason, self.reach)
