"""Let an agent of LangChain learn: `create_agent(…, middleware=[LearningMiddleware(s)])`."""

from collections.abc import Awaitable, Callable
from typing import Any

from seasoned.adapters.companion import Additions, Name, missing_framework
from seasoned.adapters.langgraph import (
    Answer,
    Learning,
    is_new,
    noted_tool,
    reply_text,
    request_of,
    with_blocks,
    with_system,
)
from seasoned.api.async_seasoned import AsyncSeasoned
from seasoned.api.seasoned import Seasoned

try:
    from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
    from langchain.tools.tool_node import ToolCallRequest
    from langgraph.runtime import Runtime
except ImportError as missing:
    raise missing_framework("LangChain", "langchain") from missing


class LearningMiddleware(AgentMiddleware[AgentState[Any], Any, Any]):
    """Everything that an agent needs to learn, as one middleware; the options are `Learning`'s.

    Put it last: then it hears a tool's own exception, before another middleware words it.
    """

    def __init__(
        self,
        seasoned: Seasoned | AsyncSeasoned,
        *,
        session: Name = None,
        user: Name = None,
        by_user: bool = True,
        tell_errors: bool = False,
    ) -> None:
        super().__init__()
        self.learning = Learning(
            seasoned, session=session, user=user, by_user=by_user, tell_errors=tell_errors
        )

    def wrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], ModelResponse[Any]],
    ) -> ModelResponse[Any]:
        followed = self.learning.followed(request.messages)
        said, tools = request_of(request.messages, request.tools)
        work = followed.prepare(said, tools, new=is_new(request.messages))
        return handler(_with_additions(request, followed.run(work, Additions())))

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        followed = self.learning.followed(request.messages)
        said, tools = request_of(request.messages, request.tools)
        added = await followed.prepare(said, tools, new=is_new(request.messages))
        return await handler(_with_additions(request, added))

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Answer]
    ) -> Answer:
        return self.learning.wrap_tool_call(request, handler)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Answer]]
    ) -> Answer:
        return await self.learning.awrap_tool_call(request, handler)

    def after_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> None:
        if (reply := reply_text(state["messages"])) is not None:
            followed = self.learning.followed(state["messages"])
            followed.run(followed.replied(reply), None)

    async def aafter_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> None:
        if (reply := reply_text(state["messages"])) is not None:
            await self.learning.followed(state["messages"]).replied(reply)


def _with_additions(request: ModelRequest[Any], added: Additions) -> ModelRequest[Any]:
    return request.override(
        system_message=with_system(request.system_message, added.stable),
        messages=with_blocks(request.messages, added.blocks),
        tools=[noted_tool(one, added.notes) for one in request.tools],
    )
