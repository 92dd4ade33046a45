"""What is meant to hold becomes a rule that can be followed; what is about this moment does not."""

import pytest

from seasoned.core.scope import Scope
from seasoned.corrections import find_correction
from seasoned.rules.case import Case, NoRule, RuleDraft
from seasoned.rules.grammar.drafting import draft_rule
from seasoned.rules.grammar.reading import wish_of

REPLY = "I ran docker with npm, used print, and set it for 7am on Friday (Freitag)."


def drafted(message: str, request: str = "set it up", reply: str = REPLY) -> RuleDraft | NoRule:
    """Draft a rule from a message that answers a reply."""
    found = find_correction(message, previous_reply=reply)
    assert found is not None, message
    return draft_rule(
        Case(
            *("c1", 0, Scope(), message, found.kind.value, found.score, found.language),
            wanted=found.wanted,
            unwanted=found.unwanted,
            request=request,
            reply=reply,
        )
    )


def lasting(message: str, **more: str) -> RuleDraft | None:
    found = drafted(message, **more)
    return found if isinstance(found, RuleDraft) and found.duration == "lasting" else None


@pytest.mark.parametrize(
    "message",
    ["I meant 7pm, not 7am", "No, Saturday, not Friday", "No, it should be 19%, not 7%",
     "I said the 5th, not the 4th", "Nein, Samstag, nicht Freitag", "No, el sábado, no el viernes",
     "Non, samedi, pas vendredi"],
)  # fmt: skip
def test_a_one_off_correction_holds_in_its_session_only(message: str):
    assert lasting(message) is None


@pytest.mark.parametrize(
    "message",
    ["undo that", "Lass das.", "I asked for 3 bullets.", "don't do that again", "stop it",
     "never do this again", "No, revert it", "déjà dit, arrête ça", "no hagas eso", "不要这样",
     "それはやめて", "you forgot the attachment", "You should have used httpx.",
     "that's not what I asked for", "don't touch the config", "No, the problem is in the parser"],
)  # fmt: skip
def test_what_names_no_object_or_only_this_work_is_no_rule(message: str):
    found = find_correction(message, previous_reply=REPLY)
    assert found is None or lasting(message) is None


@pytest.mark.parametrize(
    ("message", "rule"),
    [
        ("No, use podman, not docker.", "Use podman, not docker."),
        ("No, we use yarn, not npm.", "Use yarn, not npm."),
        ("Can you stop using emojis?", "Do not use emojis."),
        ("Could you please not use emojis?", "Do not use emojis."),
        ("stop adding comments everywhere", "Do not add comments everywhere."),
        ("in future always pin the exact version", "Always pin the exact version."),
        ("Fix that, and from now on run the linter first", "Always run the linter first."),
        ("No, aquí usamos yarn, no npm.", "Usa yarn, no npm."),
        ("Non, ici on utilise yarn, pas npm", "Utilise yarn, pas npm."),
        ("不对，我们用yarn，不用npm。", "使用yarn，不用npm。"),
    ],
)
def test_a_standing_correction_is_a_command(message: str, rule: str):
    found = lasting(message)
    assert found is not None
    assert found.description == rule


def test_the_unwanted_thing_is_the_poison_whatever_form_the_wish_has():
    wish = wish_of("I'd rather you used the logging module instead of print")
    assert wish is not None
    assert wish.description == "Use the logging module instead of print."
    found = draft_rule(Case("c1", 0, Scope(), wish.quote, "wish", 0.85, "en"))
    assert isinstance(found, RuleDraft)
    assert found.poison == "print"


@pytest.mark.parametrize(
    ("message", "rule"),
    [
        ("We use yarn, not npm.", "Use yarn, not npm."),
        ("Please keep your answers short.", "Keep your answers short."),
        ("In this repo we never force-push.", "In this repo, never force-push."),
        ("We always squash before merging.", "Always squash before merging."),
        ("I prefer tabs over spaces", "Prefer tabs over spaces."),
        ("Our convention is kebab-case for routes.", "Stick to kebab-case for routes."),
        ("I would prefer if you didn't add comments", "Do not add comments."),
        ("Write the parser. Please answer in German :)", "Answer in German."),
        ("Never push to main.", "Never push to main."),
        ("Wir verwenden hier yarn, nicht npm.", "Verwende yarn, nicht npm."),
        ("Usiamo yarn, non npm.", "Usa yarn, non npm."),
        ("Aqui usamos yarn, não npm.", "Use yarn, não npm."),
        ("Halte deine Antworten bitte kurz.", "Halte deine Antworten bitte kurz."),
        ("うちではyarnを使っています", "yarnを使ってください。"),
    ],
)
def test_a_wish_needs_no_correction(message: str, rule: str):
    wish = wish_of(message)
    assert wish is not None
    assert wish.description == rule


@pytest.mark.parametrize(
    "message",
    ["run the tests", "Add a bullet list to the page", "I prefer the second option", "I prefer B",
     "we use it now in three places", "do we use yarn?", "make sure to update the docs",
     "keep it short for now", "we always had this bug", "This function is never called anywhere.",
     "what do we use for logging?", "always the same error", "use the second one, not the first"],
)  # fmt: skip
def test_tasks_choices_and_descriptions_are_no_wishes(message: str):
    assert wish_of(message) is None


def test_a_long_task_is_no_list_of_wishes():
    task = "Build the importer. " + "It reads files of many kinds. " * 10 + "Never use threads."
    assert wish_of(task) is None
    assert wish_of("Never use threads.") is not None


def test_a_question_is_never_a_rule():
    for message in ("Do not use emojis?", "never push to main?", "we use yarn, not npm?"):
        wish = wish_of(message)
        assert wish is None or not wish.description.endswith("?")
