"""Asks a language model behind HTTP: what is refused is conceded, what is unusable asked once more.

A `ModelWire` says how one kind of service is spoken to; the rest is common.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, cast
from urllib.parse import quote

from seasoned.core.errors import ModelError, ModelUnavailable
from seasoned.core.text import one_line
from seasoned.llm.http_address import Terms, below, header_safe, parsed
from seasoned.llm.http_json import Service
from seasoned.llm.json_schema import complaint
from seasoned.llm.model import Answer, Question, estimated_tokens

TERMS = Terms(
    url="llm.url",
    key="llm.key",
    checked="llm.key, llm.model and llm.url",
    refused=ModelError,
    unavailable=ModelUnavailable,
    too_long=ModelError,
)
ATTEMPTS = 2
REFUSED = (400, 422)  # what a service says to a field that it does not take

Without = frozenset[str]  # what a service turned out not to take


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said: text, or data where the service reads it itself."""

    said: Any
    input_tokens: int | None
    output_tokens: int | None
    trouble: str = ""  # why it ended too early


@dataclass(frozen=True, slots=True)
class ModelWire:
    """How one kind of service is spoken to; `model_wires.py` has those there are.

    `concessions` are what can be left out when the service refuses it: a name that `question`
    understands, and a word that the refusal holds (empty: any refusal).
    """

    name: str
    url: str  # where the service is when the settings name no address
    version: str  # what an address needs that has no path of its own
    path: str  # of the call, below the address; {model} stands for the model
    headers: Callable[[str], dict[str, str]]  # from the key, which may be empty
    question: Callable[[str, Question, Without], dict[str, Any]]
    reply: Callable[[Any], Reply]
    concessions: tuple[tuple[str, str], ...] = ()
    key_variable: str = ""  # the variable that usually holds the key, where one is needed


class RemoteModel:
    """A model behind HTTP; threads may share it."""

    def __init__(
        self,
        wire: ModelWire,
        model: str,
        *,
        url: str = "",
        key: str = "",
        timeout_seconds: float = 60,
    ) -> None:
        self.name = f"{wire.name}:{model}"
        self._wire = wire
        self._model = model
        self._without: Without = frozenset()
        path = wire.path.format(model=quote(model.removeprefix("models/"), safe=""))
        address = below(parsed(url or wire.url, TERMS), wire.version, path)
        key = header_safe(key, TERMS)
        self._service = Service(
            self.name, address, wire.headers(key), timeout_seconds, key, terms=TERMS
        )

    def answer(self, question: Question) -> Answer:
        deadline = self._service.deadline()
        asked, wrong = question, ""
        spent = [0, 0]
        for _ in range(ATTEMPTS):
            try:
                reply = self._ask(asked, deadline)
            except ModelError as error:
                late = isinstance(error.__cause__, TimeoutError)
                raise _with_spent(error, spent, asked if late else None) from error.__cause__
            _add(spent, reply, asked)
            data, wrong = _understood(reply, question)
            if not wrong:
                return Answer(data, *spent)
            asked = _again(question, wrong, cut_off=bool(reply.trouble))
        raise ModelError(
            f"{self.name} gave no usable answer, asked {ATTEMPTS} times: {one_line(wrong, 300)}; "
            "if it stays so, another llm.model may do better",
            *spent,
        )

    def _ask(self, question: Question, deadline: float) -> Reply:
        without = self._without
        while True:
            body = self._wire.question(self._model, question, without)
            answer = self._service.post(json.dumps(body).encode(), deadline=deadline)
            given_up = self._conceded(answer.message, without) if answer.status in REFUSED else ""
            if not given_up:
                break
            without |= {given_up}
        content = self._service.read(answer)
        self._without = without  # it helped: not to be refused each time
        try:
            return self._wire.reply(content)
        except (KeyError, TypeError, IndexError, AttributeError):
            raise ModelError(
                f"{self.name} answered, but not as {self._wire.name} does: "
                f"{one_line(json.dumps(content))!r}; check llm.url and llm.model"
            ) from None

    def _conceded(self, refusal: str, without: Without) -> str:
        """The next thing to do without; empty when there is none left."""
        said = refusal.lower()
        for name, word in self._wire.concessions:
            if name not in without and word in said:
                return name
        return ""


def _understood(reply: Reply, question: Question) -> tuple[dict[str, Any], str]:
    """The data; or what is wrong with it."""
    try:
        data: Any = json_in(reply.said) if isinstance(reply.said, str) else reply.said
    except (ValueError, RecursionError):
        return {}, reply.trouble or f"this is no JSON: {one_line(str(reply.said), 120)!r}"
    wrong = complaint(data, question.schema.body)
    if wrong:
        return {}, reply.trouble or wrong
    return cast("dict[str, Any]", data), ""


def json_in(text: str) -> Any:
    """The JSON in a text; some models put a fence or a sentence around it.

    >>> json_in('Here it is: ```json {"a": 1}```')
    {'a': 1}
    """
    inner = text[text.find("{") : text.rfind("}") + 1]
    return json.loads(inner or text, parse_constant=_no_number)


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _again(question: Question, wrong: str, *, cut_off: bool) -> Question:
    return replace(
        question,
        prompt=f"{question.prompt}\n\nAn earlier answer could not be used: {wrong}.\n"
        "Answer again, with one JSON object that satisfies the schema, and nothing else.",
        most_tokens=question.most_tokens * (2 if cut_off else 1),
    )


def _add(spent: list[int], reply: Reply, question: Question) -> None:
    """Counts what a reply took; a service that does not say so is not free for that."""
    said = reply.said if isinstance(reply.said, str) else json.dumps(reply.said)
    asked = question.system + question.prompt
    for place, (count, text) in enumerate(
        ((reply.input_tokens, asked), (reply.output_tokens, said))
    ):
        spent[place] += estimated_tokens(text) if count is None else count


def _with_spent(error: ModelError, spent: list[int], late: Question | None) -> ModelError:
    """The error with what was spent before it; what was not waited for may have cost all of it."""
    error.input_tokens, error.output_tokens = spent
    if late is not None:
        error.input_tokens += estimated_tokens(late.system + late.prompt)
        error.output_tokens += late.most_tokens
    return error
