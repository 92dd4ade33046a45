"""Build the MCP server: tools, resources and prompts for whoever a request comes from."""

import logging
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    CompleteRequestParams,
    CompleteResult,
    Completion,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    ResourceTemplateReference,
    TextContent,
)

from seasoned import __version__
from seasoned.core.errors import SeasonedError
from seasoned.core.text import without_hidden
from seasoned.server.mcp import prompts, resources
from seasoned.server.mcp.instructions import DESCRIPTION, INSTRUCTIONS, NAME, TITLE
from seasoned.server.mcp.tools import TOOLS, tool_named
from seasoned.server.mcp.visitor import FindVisitor, RequestContext, Visitor

T = TypeVar("T")
log = logging.getLogger("seasoned.mcp")

LONGEST_ERROR = 2000  # characters: an error may quote its input


def mcp_server(find_visitor: FindVisitor) -> Server[Any]:
    """Build the server; `find_visitor` tells the caller of each request."""
    handlers = Handlers(find_visitor)
    return Server(
        NAME,
        version=__version__,
        title=TITLE,
        description=DESCRIPTION,
        instructions=INSTRUCTIONS,
        get_tool_input_schema=_input_schema,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
        on_list_prompts=handlers.list_prompts,
        on_get_prompt=handlers.get_prompt,
        on_completion=handlers.complete,
    )


class Handlers:
    """Answers requests. A tool's failure is a result that the model reads; others are errors."""

    def __init__(self, find_visitor: FindVisitor) -> None:
        self._find_visitor = find_visitor

    async def list_tools(
        self, ctx: RequestContext, params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        return ListToolsResult(tools=[one.definition for one in TOOLS.values()])

    async def call_tool(self, ctx: RequestContext, params: CallToolRequestParams) -> CallToolResult:
        try:
            tool = tool_named(params.name)
            return await tool.call(await self._find_visitor(ctx), params.arguments or {})
        except SeasonedError as error:
            return _failed(str(error))
        except Exception as error:
            log.exception("the tool %.100r failed", params.name)
            return _failed(_bug(error))

    async def list_resources(
        self, ctx: RequestContext, params: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        return ListResourcesResult(resources=await self._answer(ctx, resources.listed))

    async def list_templates(
        self, ctx: RequestContext, params: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        return ListResourceTemplatesResult(resource_templates=list(resources.TEMPLATES))

    async def read_resource(
        self, ctx: RequestContext, params: ReadResourceRequestParams
    ) -> ReadResourceResult:
        found = await self._answer(ctx, lambda visitor: resources.read(visitor, params.uri))
        return ReadResourceResult(contents=[found])

    async def list_prompts(
        self, ctx: RequestContext, params: PaginatedRequestParams | None
    ) -> ListPromptsResult:
        return ListPromptsResult(prompts=list(prompts.PROMPTS))

    async def get_prompt(
        self, ctx: RequestContext, params: GetPromptRequestParams
    ) -> GetPromptResult:
        return await self._answer(
            ctx, lambda visitor: prompts.prompt(visitor, params.name, params.arguments or {})
        )

    async def complete(self, ctx: RequestContext, params: CompleteRequestParams) -> CompleteResult:
        values: list[str] = []
        if isinstance(params.ref, ResourceTemplateReference):
            template, asked = params.ref.uri, params.argument
            values = await self._answer(
                ctx,
                lambda visitor: resources.completions(visitor, template, asked.name, asked.value),
            )
        return CompleteResult(completion=Completion(values=values))

    async def _answer(self, ctx: RequestContext, work: Callable[[Visitor], Awaitable[T]]) -> T:
        """Do work for the caller; what goes wrong becomes an error of the protocol."""
        try:
            return await work(await self._find_visitor(ctx))
        except SeasonedError as error:
            raise MCPError(INVALID_PARAMS, _told(str(error))) from error
        except Exception as error:
            log.exception("%.100s failed", ctx.method)
            raise MCPError(INTERNAL_ERROR, _bug(error)) from error


def _input_schema(tool: str) -> dict[str, Any] | None:
    found = TOOLS.get(tool)
    return found.definition.input_schema if found else None


def _failed(text: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=_told(text))], is_error=True)


def _told(text: str) -> str:
    return without_hidden(text[:LONGEST_ERROR])


def _bug(error: Exception) -> str:
    return f"Seasoned failed on it ({type(error).__name__}); its log says where"
