"""Lets a call with wrong arguments through to where its failure is seen and learned from."""

import json
from typing import Any, Literal, cast

from pydantic import ValidationError
from pydantic_ai import RunContext
from pydantic_ai.exceptions import ModelRetry, ToolFailed
from pydantic_ai.toolsets import ToolsetTool
from pydantic_ai.toolsets.abstract import SchemaValidatorProt
from pydantic_core import from_json

from seasoned.tools.run import Run

UNREADABLE = "unreadable arguments"  # the one parameter of a call whose JSON is broken
MOST_COMPLAINTS = 8

Partial = bool | Literal["off", "on", "trailing-strings"]


class AnyArguments:
    """A validator that takes whatever a model sends: the real one has its say later."""

    def validate_json(
        self,
        input: str | bytes | bytearray,  # noqa: A002 - as the protocol has it
        *,
        allow_partial: Partial = False,
        **kwargs: Any,
    ) -> Any:
        try:
            partial = False if allow_partial == "off" else allow_partial
            given = from_json(input, allow_partial=partial)
        except ValueError:
            given = None
        if isinstance(given, dict):
            return cast("dict[str, Any]", given)
        return {
            UNREADABLE: input if isinstance(input, str) else bytes(input).decode(errors="replace")
        }

    def validate_python(
        self,
        input: Any,  # noqa: A002 - as the protocol has it
        *,
        allow_partial: Partial = False,
        **kwargs: Any,
    ) -> Any:
        return input if isinstance(input, dict) else {UNREADABLE: repr(input)}  # pyright: ignore[reportUnknownVariableType]


ANY_ARGUMENTS: SchemaValidatorProt = AnyArguments()


async def checked(
    tool: ToolsetTool[Run], params: dict[str, Any], ctx: RunContext[Run]
) -> dict[str, Any]:
    """The arguments as the tool takes them; `ToolFailed` says what is wrong with them."""
    if UNREADABLE in params:
        raise ToolFailed(
            f"the arguments are not a JSON object: {params[UNREADABLE][:200]!r}; send them as one"
        )
    try:
        args = tool.args_validator.validate_json(json.dumps(params), context=ctx.validation_context)
        if tool.args_validator_func is not None:
            asked = tool.args_validator_func(ctx, **args)
            if hasattr(asked, "__await__"):
                await asked
    except ValidationError as error:
        raise ToolFailed(complaint(error)) from error
    except ModelRetry as error:
        raise ToolFailed(error.message) from error
    return args


def complaint(error: ValidationError) -> str:
    """What is wrong, in one line for each argument."""
    errors = error.errors(include_url=False, include_context=False, include_input=False)
    lines = [
        f"{'.'.join(map(str, one['loc'])) or 'arguments'}: {one['msg']}"
        for one in errors[:MOST_COMPLAINTS]
    ]
    more = len(errors) - len(lines)
    return "wrong arguments: " + "; ".join(lines) + (f"; and {more} more" if more else "")
