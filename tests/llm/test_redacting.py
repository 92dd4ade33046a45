"""Redaction: no secret and no personal data in the bytes that a provider receives."""

import dataclasses
import json
import random
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel
from pydantic_ai import Agent, BinaryContent, ModelRetry
from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart
from tests.json_service import SPOKEN, JsonService, Reply
from tests.llm.wire_formats import WIRES, Called, Wire

from seasoned.core.errors import Unsupported
from seasoned.llm.chat.background import BackgroundModel
from seasoned.llm.chat.credentials import Credentials, ModelEndpoint
from seasoned.llm.chat.providers import chat_model
from seasoned.llm.chat.redacting import Redacting
from seasoned.llm.chat.scripted import Call, Say, Scripted, ScriptedRequest
from seasoned.llm.chat.supervisor import Supervised
from seasoned.llm.model import AnswerSchema, Model, ModelQuestion
from seasoned.security.placeholders import Placeholders

JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N"
PRIVATE = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0B\n-----END PRIVATE KEY-----"
# The value as written in a text, and the part of it that must not be sent.
CORPUS = {
    "email": ("ana.silva+news@mail.example.co.uk", "ana.silva"),
    "email in a link": ("mailto:bo@example.com?subject=hi", "bo@example"),
    "email in an address": ("https://x.example/?to=cy%40example.com", "cy%40example"),
    "phone": ("+33 1 42 68 53 00", "42 68 53"),
    "phone, compact": ("+4915112345678", "15112345678"),
    "phone, american": ("(555) 123-4567", "123-4567"),
    "phone, with dots": ("555.987.6543", "987.6543"),
    "phone, with a slash": ("030/901820", "901820"),
    "card": ("4111 1111 1111 1111", "1111 1111"),
    "card, with dashes": ("5500-0055-5555-5559", "0055-5555"),
    "card, compact": ("378282246310005", "82822463"),
    "iban": ("DE89 3704 0044 0532 0130 00", "3704 0044"),
    "iban, compact": ("GB82WEST12345698765432", "12345698"),
    "postal address": ("742 Evergreen Terrace, Springfield, IL 62704", "Evergreen"),
    "postal address, german": ("Musterstraße 12, 10115 Berlin", "Musterstr"),
    "api key": ("sk-proj-abcdefghijklmnop0123456789", "abcdefghijklmnop"),
    "aws key": ("AKIAIOSFODNN7EXAMPLE", "IOSFODNN7"),
    "github token": ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "abcdefghijklmnop"),
    "slack token": ("xoxb-123456789012-abcdefGHIJKL", "abcdefGHIJKL"),
    "json web token": (JWT, "dozjgNryP4J3"),
    "bearer": ("Authorization: Bearer abcdef.0123456789-xyz", "abcdef.0123456789"),
    "password": ("password=correct-horse-battery", "correct-horse"),
    "password in json": ('{"password": "s3cr3t-w0rd"}', "s3cr3t-w0rd"),
    "credentials in an address": ("postgres://ana:pw-9x8@db.example/x", "pw-9x8"),
    "phone, with blanks": ("415 555 2671", "555 2671"),
    "email in json": ("di\\u0040example.com", "u0040example.com"),
    "cookie": ("Cookie: session=abcdef0123; theme=dark", "abcdef0123"),
    "password, said": ("my password is hunter22.", "hunter22"),
    "private key": (PRIVATE, "MIIEvQIBADANBg"),
}
Serve = Callable[..., JsonService]


@pytest.fixture
def serve() -> Generator[Serve]:
    there: list[JsonService] = []

    def start(*replies: Any) -> JsonService:
        there.append(JsonService(*replies))
        return there[-1]

    yield start
    for one in there:
        one.stop()


def leaks(raw: bytes) -> list[str]:
    """Return the names of the corpus values found in the request, escaped or not."""
    text = raw.decode()
    texts = text, json.dumps(json.loads(text), ensure_ascii=False)
    return [name for name, (_, seen) in CORPUS.items() if any(seen in one for one in texts)]


def everything(label: str) -> str:
    return "\n".join(f"{label} {name}: {value}" for name, (value, _) in CORPUS.items())


@dataclass
class Person:
    id: str
    phone: str


class Account(BaseModel):
    iban: str
    token: str


def talk(model: Any, prompt: str, *, streaming: bool = False) -> tuple[str, list[ModelMessage]]:
    agent = Agent(model, instructions=everything("Instructions with"))

    @agent.tool_plain(retries=2)
    def lookup(who: str) -> Any:  # pyright: ignore[reportUnusedFunction]
        if who == "again":
            raise ModelRetry(everything("Try again with"))
        return {
            "text": everything("Result with"),
            "list": [value for value, _ in CORPUS.values()],
            "person": Person(CORPUS["email"][0], CORPUS["phone"][0]),
            "account": Account(iban=CORPUS["iban"][0], token="correct-horse"),
            "apiKey": "correct-horse-9",
            "card": 378282246310005,
            CORPUS["email"][0]: 1,
        }

    tool = agent._function_toolset.tools["lookup"]  # pyright: ignore[reportPrivateUsage]
    tool.description = everything("For those with")

    async def run() -> tuple[str, list[ModelMessage]]:
        attached = BinaryContent(everything("File with").encode(), media_type="text/plain")
        given = [prompt, attached] if model.wrapped.models[0].system == "scripted" else prompt
        async with agent:
            if not streaming:
                result = await agent.run(given)
                return result.output, result.all_messages()
            async with agent.run_stream(given) as stream:
                pieces = [one async for one in stream.stream_text(delta=True, debounce_by=None)]
            return "".join(pieces), stream.all_messages()

    return anyio.run(run)


@pytest.mark.parametrize("streaming", [False, True], ids=["plain", "streamed"])
@pytest.mark.parametrize("provider", list(WIRES))
def test_no_value_is_in_the_bytes_that_a_provider_gets(
    serve: Serve, provider: str, streaming: bool
) -> None:
    wire: Wire = WIRES[provider]
    said: list[Any] = [
        [Called("call_1", "lookup", {"who": "again"})],
        [Called("call_2", "lookup", {"who": "<EMAIL_1>"})],
        "I wrote to <EMAIL_1> and called <PHONE_1>.",
    ]
    server = serve(*(wire.stream(one) if streaming else wire.plain(one) for one in said))
    places = Credentials({provider: ModelEndpoint(server.url, "sk-key")})
    model = Redacting(Supervised([chat_model(f"{provider}:m-1", places)]))
    output, messages = talk(model, everything("Prompt with"), streaming=streaming)
    assert [leaks(asked.raw) for asked in server.asked] == [[], [], []]
    assert b"EMAIL_1" in server.asked[0].raw
    email, phone = CORPUS["email"][0], CORPUS["phone, with blanks"][0]
    assert output == f"I wrote to {email} and called {phone}."
    calls = [
        part.args_as_dict()
        for message in messages
        if isinstance(message, ModelResponse)
        for part in message.parts
        if isinstance(part, ToolCallPart)
    ]
    assert calls[1] == {"who": email}


def test_without_redaction_every_value_is_sent(serve: Serve) -> None:
    server = serve(WIRES["openai"].plain("Fine."))
    model = chat_model(
        "openai:m-1", Credentials({"openai": ModelEndpoint(server.url, "sk-key")})
    ).model

    async def run() -> None:
        async with Agent(model) as agent:
            await agent.run(everything("Prompt with"))

    anyio.run(run)
    assert leaks(server.asked[0].raw) == list(CORPUS)


def test_a_text_file_that_is_attached_is_looked_at_too() -> None:
    inner = Scripted(lambda asked: f"{len(asked.messages)}")
    talk(Redacting(Supervised([inner])), "Read it.")
    (asked,) = inner.asked
    sent = json.dumps(
        dataclasses.asdict(asked.messages[0]), default=str
    )  # bytes as Python has them
    assert [name for name, (_, seen) in CORPUS.items() if seen in sent] == []


def test_what_a_background_question_tells_is_hidden_and_its_answer_is_whole(
    serve: Serve, background: Callable[..., Model]
) -> None:
    schema = AnswerSchema(
        "found",
        {
            "type": "object",
            "properties": {"found": {"type": "array", "items": {"type": "string"}}},
            "required": ["found"],
        },
    )
    server = serve(Reply(SPOKEN["openai"]({"found": ["ask <EMAIL_1>", "<SECRET_1>"]})))
    asked = ModelQuestion(everything("System"), everything("Prompt"), schema)
    answer = background(model="openai:m", url=server.url, redact=True).answer(asked)
    assert leaks(server.asked[0].raw) == []
    assert answer.data["found"][0] == f"ask {CORPUS['email'][0]}"


def test_the_same_value_has_the_same_placeholder_for_a_session() -> None:
    inner = Scripted("Hello <EMAIL_1>.", "Still <EMAIL_1>.", "Not <EMAIL_1>, <EMAIL_2>.")
    session = Placeholders()
    agent = Agent(Redacting(inner, session))

    async def run() -> list[str]:
        said = ["I am ana@example.com", "And ana@example.com again", "Now bo@example.com"]
        return [(await agent.run(one)).output for one in said]

    first, second, third = anyio.run(run)
    assert (first, second) == ("Hello ana@example.com.", "Still ana@example.com.")
    assert third == "Not ana@example.com, bo@example.com."
    assert "<EMAIL_2>" in inner.asked[2].text


def test_one_session_never_sees_what_another_one_hid() -> None:
    shared = Scripted("Hello <EMAIL_1>.", "Hello <EMAIL_1>.")

    async def run(prompt: str) -> str:
        return (await Agent(Redacting(shared, Placeholders())).run(prompt)).output

    assert anyio.run(run, "I am ana@example.com") == "Hello ana@example.com."
    assert anyio.run(run, "I am nobody") == "Hello <EMAIL_1>."


def test_a_secret_with_quotes_and_lines_comes_back_whole_in_the_arguments_of_a_tool() -> None:
    got: list[str] = []
    calls = [Say(calls=(Call("write", {"text": "key: <SECRET_1>"}),)), "Done."]

    async def run(streaming: bool) -> None:
        agent = Agent(Redacting(Scripted(*calls, chunk=3)))

        @agent.tool_plain
        def write(text: str) -> None:  # pyright: ignore[reportUnusedFunction]
            got.append(text)

        if streaming:
            async with agent.run_stream(f"Write {PRIVATE}") as stream:
                await stream.get_output()
        else:
            await agent.run(f"Write {PRIVATE}")

    anyio.run(run, False)
    anyio.run(run, True)
    assert got == [f"key: {PRIVATE}"] * 2


@given(st.data())
def test_a_stream_may_be_cut_anywhere(data: st.DataObject) -> None:
    held = Placeholders()
    held.hide("ana@example.com +33 1 42 68 53 00 password=hunter2")
    marks = (
        "< > &lt; &gt; \\u003c \\u003e <EMAIL_1> \\u003cPHONE_1\\u003e &lt;SECRET_1&gt; EMAIL_ 1"
    )
    text = "".join(data.draw(st.lists(st.sampled_from([*marks.split(), " ", "x"]), max_size=12)))
    rng, stream, said, at = random.Random(len(text)), held.revealing(), "", 0
    while at < len(text):
        step = rng.randint(1, 5)
        said += stream.feed(text[at : at + step])
        at += step
    assert said + stream.rest() == held.reveal(text)


@given(st.text(max_size=200))
def test_what_was_hidden_can_always_be_revealed(text: str) -> None:
    held = Placeholders()
    text = f"{text} ana@example.com"
    assert held.reveal(held.hide(text)) == text


def test_a_secret_inside_of_another_comes_back_too() -> None:
    held, text = Placeholders(), "Cookie: token=abc123; mail=ana@example.com\nmore"
    assert held.hide(text) == "Cookie: <SECRET_2>\nmore"
    assert held.reveal("<SECRET_2>") == "token=abc123; mail=ana@example.com"


def test_thinking_and_parallel_calls_come_back_whole_in_a_stream() -> None:
    say = Say(
        thinking="<EMAIL_1> wants it",
        calls=(
            Call("note", {"to": "<EMAIL_1>"}),
            Call("note", {"to": "<PHONE_1>"}),
        ),
    )
    got: list[str] = []
    thought: list[str] = []

    async def run() -> None:
        agent = Agent(Redacting(Scripted(say, "Noted for <EMAIL_1>.", chunk=2)))

        @agent.tool_plain
        def note(to: str) -> None:  # pyright: ignore[reportUnusedFunction]
            got.append(to)

        async with agent.run_stream_events("ana@example.com, +33 1 42 68 53 00") as events:
            async for event in events:
                part: Any = getattr(event, "part", None)
                if type(event).__name__ == "PartEndEvent" and part.part_kind == "thinking":
                    thought.append(part.content)
                result: Any = getattr(event, "result", None)
                if type(event).__name__ == "AgentRunResultEvent":
                    got.append(result.output)

    anyio.run(run)
    *noted, said = got
    assert sorted(noted) == ["+33 1 42 68 53 00", "ana@example.com"]
    assert (said, thought) == ("Noted for ana@example.com.", ["ana@example.com wants it"])


def test_methods_without_redaction_are_refused() -> None:
    model = Redacting(Scripted("x"))

    async def run() -> None:
        await model.batch_encode(None)

    with pytest.raises(Unsupported, match="not redacted"):
        anyio.run(run)


def test_an_asked_text_is_recorded_as_it_was_sent() -> None:
    seen: list[str] = []

    def look(asked: ScriptedRequest) -> str:
        seen.append(asked.prompt)
        return asked.prompt

    async def run() -> str:
        return (await Agent(Redacting(Scripted(look))).run("I am ana@example.com")).output

    assert anyio.run(run) == "I am ana@example.com"
    assert seen == ["I am <EMAIL_1>"]


@pytest.mark.parametrize("mode", ["native", "tool"])
def test_a_secret_with_quotes_and_lines_comes_back_whole_in_data(mode: Any) -> None:
    text: dict[str, Any] = {"type": "object", "properties": {"key": {"type": "string"}}}
    profile: Any = {"default_structured_output_mode": mode, "supports_json_schema_output": True}
    script = Scripted(data={"found": [{"key": "it is <SECRET_1>"}]}, profile=profile)
    model = BackgroundModel("script", lambda: Supervised([script]), redact=True)
    answer = model.answer(ModelQuestion("", f"Find {PRIVATE}", AnswerSchema("found", text)))
    assert answer.data == {"key": f"it is {PRIVATE}"}
    assert PRIVATE not in script.asked[0].text
