"""Insertions change nothing else: whatever a request holds, and however it is written."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seasoned.wire import anthropic, gemini, openai_chat, openai_responses
from seasoned.wire.companion import WireFormat
from seasoned.wire.spans import Insertion, inserted

MARK = 'MARK "quoted"\n\\ \u2028 ✓'

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
extras = st.dictionaries(st.sampled_from(["x_one", "x two", 'x"3', "ü"]), values, max_size=3)


def member(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """An object with these members, and unknown ones before them."""
    return st.builds(joined, extras, st.fixed_dictionaries(fields))


def joined(more: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    return {**more, **own}


def parts(kind: str, picture: dict[str, Any]) -> st.SearchStrategy[Any]:
    text = member(type=st.just(kind), text=texts)
    marked = member(type=st.just(kind), text=texts, cache_control=st.just({"type": "ephemeral"}))
    return st.lists(text | marked | st.just(picture), max_size=3)


IMAGE = {"type": "image", "source": {"data": "iVBORw0KGgo="}}
chat_content = texts | parts("text", {"type": "image_url", "image_url": {"url": "data:x"}})
chat = member(
    messages=st.lists(
        member(role=st.sampled_from(["user", "system", "developer"]), content=chat_content)
        | member(role=st.just("tool"), tool_call_id=st.just("c1"), content=chat_content)
        | member(role=st.just("assistant"), content=texts | st.none()),
        min_size=1,
        max_size=4,
    ),
    tools=st.lists(
        member(
            type=st.just("function"),
            function=member(name=st.just("f"), description=texts) | member(name=st.just("g")),
        ),
        max_size=2,
    ),
)
block_content = texts | parts("text", IMAGE)
result = member(
    type=st.just("tool_result"), tool_use_id=st.just("t1"), content=block_content
) | member(type=st.just("tool_result"), tool_use_id=st.just("t2"))
thinking = member(type=st.just("thinking"), thinking=texts, signature=texts)
messages = member(
    system=block_content,
    messages=st.lists(
        member(role=st.just("user"), content=block_content | st.lists(result, max_size=2))
        | member(role=st.just("assistant"), content=st.lists(thinking, max_size=2)),
        min_size=1,
        max_size=4,
    ),
    tools=st.lists(
        member(name=st.just("f"), description=texts, input_schema=values)
        | member(name=st.just("g"), input_schema=values)
        | member(type=st.just("web_search_20260209"), name=st.just("web_search")),
        max_size=3,
    ),
)
responses = member(
    instructions=texts | st.none(),
    input=texts
    | st.lists(
        member(role=st.just("user"), content=texts | parts("input_text", {"type": "input_image"}))
        | member(type=st.just("function_call_output"), call_id=st.just("c"), output=texts)
        | member(type=st.just("reasoning"), encrypted_content=texts),
        min_size=1,
        max_size=4,
    ),
    tools=st.lists(
        member(type=st.just("function"), name=st.just("f"), description=texts | st.none())
        | member(type=st.just("web_search")),
        max_size=2,
    ),
)
part = member(text=texts) | st.just({"inlineData": {"mimeType": "image/png", "data": "iVBO"}})
response = st.fixed_dictionaries({"error": texts}) | st.dictionaries(texts, values, max_size=2)
function = member(functionResponse=member(name=st.just("f"), response=response))
contents = member(
    contents=st.lists(
        member(role=st.just("user"), parts=st.lists(part | function, max_size=3))
        | member(role=st.just("model"), parts=st.lists(member(thoughtSignature=texts))),
        min_size=1,
        max_size=4,
    ),
    tools=st.lists(
        member(functionDeclarations=st.lists(member(name=st.just("f"), description=texts)))
        | member(googleSearch=st.just({})),
        max_size=2,
    ),
) | member(contents=st.lists(member(parts=st.lists(part)), min_size=1))


def insertions(wire: WireFormat, body: str) -> list[Insertion]:
    """Insert a text at every place that a request has."""
    request = wire.read_request(body)
    places = [request.standing, *(tool.place for tool in request.tools)]
    for message in request.messages:
        places += [message.place, *(one.place for one in message.results)]
    return [place.insertion(MARK) for place in places if place is not None]


def without(value: Any) -> Any:
    """Take every inserted text out again."""
    if isinstance(value, str):
        return value.removesuffix(MARK).removesuffix("\n\n") if value.endswith(MARK) else value
    if isinstance(value, list):
        return [without(one) for one in value if not is_ours(one)]  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, dict):
        return {name: without(one) for name, one in value.items() if not is_ours(one)}  # pyright: ignore[reportUnknownVariableType]
    return value


def is_ours(value: Any) -> bool:
    """Whether a value was added with the inserted text in it, and is nothing else."""
    alone = (
        MARK,
        {"type": "text", "text": MARK},
        {"type": "input_text", "text": MARK},
        {"text": MARK},
        {"role": "system", "content": MARK},
        {"parts": [{"text": MARK}]},
    )
    return value in alone


def emptied(value: Any) -> Any:
    """Leave out nulls: an insertion may stand for one."""
    if isinstance(value, list):
        return [emptied(one) for one in value if one is not None]  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, dict):
        return {name: emptied(one) for name, one in value.items() if one is not None}  # pyright: ignore[reportUnknownVariableType]
    return value


@pytest.mark.parametrize(
    ("wire", "requests"),
    [
        (openai_chat, chat),
        (anthropic, messages),
        (openai_responses, responses),
        (gemini, contents),
    ],
    ids=["chat", "anthropic", "responses", "gemini"],
)
@given(data=st.data(), indent=st.none() | st.integers(0, 3), ascii_only=st.booleans())
def test_what_is_inserted_is_all_that_changes(
    wire: WireFormat,
    requests: st.SearchStrategy[Any],
    data: st.DataObject,
    indent: int | None,
    ascii_only: bool,
) -> None:
    asked = data.draw(requests)
    body = json.dumps(asked, indent=indent, ensure_ascii=ascii_only)
    pieces = insertions(wire, body)
    edited = inserted(body, pieces)
    assert json.dumps(json.loads(edited)).count(json.dumps(MARK)[1:-1]) == len(pieces)
    assert emptied(without(json.loads(edited))) == emptied(asked)
    if not pieces:
        assert edited == body


def test_every_place_is_there() -> None:
    call = {"id": "c1", "function": {"name": "f", "arguments": "{}"}}
    body = {
        "messages": [
            {"role": "user", "content": "Do it."},
            {"role": "assistant", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": "Error: no"},
            {"role": "user", "content": [{"type": "text", "text": "Again."}]},
        ],
        "tools": [{"type": "function", "function": {"name": "f"}}],
    }
    assert len(insertions(openai_chat, json.dumps(body))) == 5
