"""One text that is refused does not hold up the others, and a wrong key is no text's fault."""

from collections.abc import Callable

import numpy as np
import pytest

from seasoned.core.errors import EmbedderError, EmbedderUnavailable
from seasoned.llm.remote import Remote
from seasoned.llm.sifted import Sifted

from .conftest import Loopback, Question, Reply, Script, openai

REFUSED = "the response was filtered"


def filtering(question: Question) -> Reply:
    if any("forbidden" in text for text in question.body["input"]):
        return 400, {"error": {"message": REFUSED}}, {}
    return openai(question)


@pytest.fixture
def sifted(
    loopback: Callable[[Script], Loopback], remote: Callable[..., Remote]
) -> Callable[[Script], tuple[Sifted, Loopback]]:
    def make(script: Script) -> tuple[Sifted, Loopback]:
        server = loopback(script)
        return Sifted(remote("openai", server.url)), server

    return make


Make = Callable[[Script], tuple[Sifted, Loopback]]


def test_what_is_refused_has_no_direction_and_the_others_have_theirs(sifted: Make) -> None:
    embedder, server = sifted(filtering)
    texts = ["one", "forbidden fruit", "two", "three"]
    rows = embedder.embed(texts)
    assert not rows[1].any()
    alone = Sifted(embedder.inner).embed(["one", "two", "three"])
    assert np.allclose(rows[[0, 2, 3]], alone)
    assert len(server.asked) == 1 + len(texts) + 1


def test_what_is_not_refused_is_asked_for_at_once(sifted: Make) -> None:
    embedder, server = sifted(filtering)
    assert embedder.embed(["one", "two", "three"]).shape[0] == 3
    assert len(server.asked) == 1
    assert (embedder.model, embedder.local) == (embedder.inner.model, False)
    assert embedder.dimensions == embedder.inner.dimensions


def test_a_single_text_that_is_refused_is_an_error(sifted: Make) -> None:
    embedder, _ = sifted(filtering)
    with pytest.raises(EmbedderError, match=REFUSED):
        embedder.embed(["forbidden"])


def test_a_refused_key_is_not_taken_for_refused_texts(sifted: Make) -> None:
    embedder, server = sifted(lambda _: (401, {"error": {"message": "bad key"}}, {}))
    with pytest.raises(EmbedderError, match="key was refused"):
        embedder.embed([f"text {number}" for number in range(32)])
    assert len(server.asked) == 1 + 3


def test_a_service_that_goes_away_meanwhile_is_asked_again_later(sifted: Make) -> None:
    answers: list[Script] = [filtering, openai]

    def going(question: Question) -> Reply:
        return answers.pop(0)(question) if answers else (503, {}, {"Retry-After": "60"})

    embedder, _ = sifted(going)
    with pytest.raises(EmbedderUnavailable):
        embedder.embed(["forbidden", "one", "two"])
