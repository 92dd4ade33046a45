"""Detection of corrections: the previous turn, the wording, the second opinion."""

import pytest

from seasoned.corrections import SAFE, UNCERTAIN, Correction, CorrectionKind, find_correction


def test_a_no_answers_a_question_but_contradicts_a_statement() -> None:
    assert find_correction("no", previous_reply="Shall I deploy it?") is None
    contradicted = find_correction("no", previous_reply="I deployed it to production.")
    assert contradicted is not None
    assert contradicted.kind is CorrectionKind.WRONG


def test_a_bare_no_without_a_reply_is_nothing() -> None:
    assert find_correction("no") is None
    assert find_correction("Nein.") is None
    assert find_correction("不") is None


def test_the_same_request_again_means_that_it_was_not_served() -> None:
    request = "list all open invoices of last month"
    found = find_correction("List all the open invoices of last month!", previous_request=request)
    assert found is not None
    assert found.kind is CorrectionKind.ASKED_AGAIN
    assert find_correction("list all open orders of 2024", previous_request=request) is None


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("that's wrong", CorrectionKind.WRONG),
        ("use tabs, not spaces", CorrectionKind.REPLACEMENT),
        ("always answer in French", CorrectionKind.INSTRUCTION),
        ("I already told you that", CorrectionKind.REPEATED),
        ("that's not what I asked for", CorrectionKind.MISUNDERSTOOD),
        ("this makes no sense", CorrectionKind.DISSATISFIED),
        ("das ist falsch", CorrectionKind.WRONG),
        ("这不是我要的", CorrectionKind.MISUNDERSTOOD),
        ("絵文字を使うのをやめてください", CorrectionKind.INSTRUCTION),
    ],
)
def test_the_kind_says_how_it_corrects(message: str, kind: CorrectionKind) -> None:
    found = find_correction(message)
    assert found is not None
    assert found.kind is kind


@pytest.mark.parametrize(
    "message", ["That's wrong.", "That’s wrong.", "THATS WRONG", "thats worng"]
)
def test_apostrophes_capitals_and_slips_do_not_matter(message: str) -> None:
    assert find_correction(message) is not None


@pytest.mark.parametrize(
    ("with_accents", "without"),
    [
        ("eso está mal", "eso esta mal"),
        ("isso não está certo", "isso nao esta certo"),
        ("tu t'es trompé", "tu t'es trompe"),
        ("Lösche nie wieder meine Dateien", "loesche nie wieder meine dateien"),
        ("te l'ho già detto", "te l'ho gia detto"),
    ],
)
def test_accents_may_be_missing(with_accents: str, without: str) -> None:
    assert find_correction(with_accents) is not None
    assert find_correction(without) is not None


def test_accents_may_be_characters_of_their_own() -> None:
    message = "eso esta\u0301 mal, te equivocas"
    found = find_correction(message)
    assert found is not None
    assert message[slice(*found.span)] in message


@pytest.mark.parametrize(
    "message",
    [
        "> that's wrong, use tabs\nWhat did she mean by this?",
        "`no, use tabs, not spaces` is the commit message, is it any good?",
        "What does “you're wrong” mean?",
        "```\nassert x, 'wrong, use y not z'\n```\nexplain this please",
        "app.py:14:3: error: wrong type, use int not str\nwhat now?",
        "Exception in thread main: java.lang.Error: wrong, use x not y",
    ],
)
def test_what_is_quoted_or_printed_by_a_program_is_not_said_by_the_user(message: str) -> None:
    assert find_correction(message) is None


def test_a_correction_beside_pasted_output_is_found_where_it_stands() -> None:
    message = "ValueError: wrong format\n\nyou used the wrong format again, I said ISO, not US"
    found = find_correction(message)
    assert found is not None
    assert found.span[0] > message.index("\n")


def test_an_uncertain_correction_is_put_to_a_second_opinion() -> None:
    asked: list[str] = []

    def opinion(message: str, correction: Correction) -> float:
        asked.append(message)
        return 0.05

    uncertain = "why did you delete my notes?"
    assert find_correction(uncertain) is not None
    assert find_correction(uncertain, second_opinion=opinion) is None
    assert find_correction("that's wrong", second_opinion=opinion) is not None
    assert asked == [uncertain]


def test_a_second_opinion_may_have_none() -> None:
    def none(message: str, correction: Correction) -> None:
        return None

    found = find_correction("why did you delete my notes?", second_opinion=none)
    assert found is not None
    assert UNCERTAIN <= found.score < SAFE


def test_a_lower_floor_shows_signs_that_are_no_corrections_yet() -> None:
    declined = find_correction("no", previous_reply="Shall I add tests?", floor=0.1)
    assert declined is not None
    assert declined.kind is CorrectionKind.DECLINED
    assert not declined.safe
    assert not declined.uncertain


@pytest.mark.parametrize(
    ("message", "reply"),
    [
        ("No, I don't like that", "How about the red one?"),
        ("never heard of it", "Have you heard of Zig?"),
        ("No, it must be Friday", "Sorry, there is nothing on Friday. Another day?"),
        ("Can you check again?", "Unfortunately I found no matches."),
    ],
)
def test_an_unhappy_user_is_noticed_but_nothing_is_learned_from_that_alone(
    message: str, reply: str
) -> None:
    found = find_correction(message, previous_reply=reply)
    assert found is not None
    assert found.kind is CorrectionKind.DISSATISFIED
    assert found.uncertain
    assert found.score < 0.6
    assert find_correction(message) is None


def test_a_no_to_what_is_not_so_agrees() -> None:
    assert find_correction("no, I didn't", previous_reply="So you did not like it.") is None


def test_a_correction_repeated_a_hundred_times_counts_once() -> None:
    once, often = "No, use tabs, not spaces. ", "No, use tabs, not spaces. " * 80
    assert find_correction(once) == find_correction(often)


def test_a_piece_that_is_cut_in_the_middle_is_no_replacement() -> None:
    found = find_correction("Don't use emojis in commit messages.")
    assert found is None or found.wanted is None
