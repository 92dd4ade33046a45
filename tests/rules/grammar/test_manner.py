"""A rule about how to answer holds in every turn; one about a thing is told where it matters."""

import pytest

from seasoned.core.scope import Scope
from seasoned.corrections import find_correction
from seasoned.rules.case import Case, RuleDraft
from seasoned.rules.grammar.drafting import draft_rule
from seasoned.rules.grammar.manner import holds_always, presents_figures
from seasoned.rules.grammar.reading import wish_of

REQUEST = "Book a table for two on 30 May 2027."
REPLY = "Done, the table is booked. It costs $20."


def learned(message: str) -> RuleDraft | None:
    """Draft what a message to an agent teaches for good, as a correction or as a wish."""
    found = find_correction(message, previous_reply=REPLY)
    if found is None:
        wish = wish_of(message)
        case = Case("c1", 0, Scope(), message, "wish", 0.85, "en", request=REQUEST, reply=REPLY)
        draft = draft_rule(case) if wish else None
    else:
        draft = draft_rule(
            Case(
                *("c1", 0, Scope(), message, found.kind.value, found.score, found.language),
                wanted=found.wanted,
                unwanted=found.unwanted,
                request=REQUEST,
                reply=REPLY,
            )
        )
    return draft if isinstance(draft, RuleDraft) and draft.duration == "lasting" else None


@pytest.mark.parametrize(
    "message",
    ["No, always answer in one short sentence.", "No, keep it brief.", "No emojis.",
     "No, always use bullet points.", "Please avoid jargon.", "No, use simple words.",
     "No, always start with the answer.", "Never use exclamation marks.",
     "Never ask me more than one question at a time.", "From now on answer in two lines.",
     "Nein, antworte immer in einem kurzen Satz.", "Keine Emojis.", "Duze mich bitte immer.",
     "Sprich mich mit du an.", "Nein, verwende nie Ausrufezeichen.",
     "No, responde siempre en una frase corta.", "Sé breve.", "No uses emojis.",
     "Não, responda sempre em uma frase curta.", "Seja mais direto.", "Sem emojis.",
     "Non, réponds toujours en une phrase courte.", "Tutoie-moi toujours.", "Pas d'emojis.",
     "No, rispondi sempre in una frase breve.", "Sii breve.", "Dammi sempre del tu.",
     "不对，总是用一句话回答。", "不要用表情符号。", "以后回答不要超过三句。",
     "違います。いつも一文で答えてください。", "絵文字は使わないでください。",
     "簡潔にしてください。"],
)  # fmt: skip
def test_how_to_answer_holds_in_every_turn_in_each_language(message: str):
    found = learned(message)
    assert found is not None
    assert found.trigger == "", found


@pytest.mark.parametrize(
    "message",
    ["No, always give prices in euros, not in dollars.", "No, always show dates as DD.MM.YYYY.",
     "Nein, gib Preise immer in Euro an.", "No, da siempre los precios en euros.",
     "Non, donne toujours les prix en euros.", "No, indica sempre i prezzi in euro.",
     "不对，价格总是用欧元。", "違います。価格はいつもユーロで書いてください。"],
)  # fmt: skip
def test_how_to_give_figures_holds_in_every_turn_if_it_is_meant_to_last(message: str):
    found = learned(message)
    assert found is not None
    assert found.trigger == "", found


def test_figures_said_once_may_be_those_at_hand():
    assert presents_figures("Give the prices in euros.")
    assert learned("No, give the prices in euros.") is None


@pytest.mark.parametrize(
    "message",
    ["No, use podman, not docker.", "Never push to main.", "No, always keep functions short.",
     "Never book the window table.", "Always ship to the Berlin address.",
     "No, always answer customers in one sentence.", "No, always answer the phone in German.",
     "No, always write the commit messages in one sentence.", "Always use two spaces.",
     "No, always send the invoice in euros.", "No, always start the server on port 8080.",
     "Nein, nimm immer podman, nicht docker.", "Nein, antworte Kunden immer in einem Satz.",
     "No, usa siempre podman, no docker.", "Non, utilise toujours podman, pas docker.",
     "不对，总是先运行测试。", "いつも先にテストを実行してください。"],
)  # fmt: skip
def test_a_rule_about_a_thing_is_tied_to_its_situation(message: str):
    found = learned(message)
    assert found is None or found.trigger != "", found


@pytest.mark.parametrize(
    "message",
    ["Write a poem about rain. Keep it short.", "Summarize the article in two sentences.",
     "Ask me questions to get the info you need.", "Keep it short for now.",
     "Answer the ticket in two sentences.", "Write the report in bullet points."],
)  # fmt: skip
def test_the_form_of_one_piece_of_work_is_no_standing_wish(message: str):
    assert wish_of(message) is None


@pytest.mark.parametrize(
    "message",
    ["No, da siempre el mismo error.", "No, dà sempre errore.", "Nein, das ist immer noch falsch.",
     "Non, donne toujours la même erreur.", "不对，你总是用错。"],
)  # fmt: skip
def test_a_complaint_that_says_always_is_no_rule(message: str):
    assert learned(message) is None


def test_what_is_not_wanted_may_say_what_the_rule_is_about():
    assert holds_always("Write full sentences, not bullet points.")
    assert not holds_always("Write the comments in German, not in English.")
