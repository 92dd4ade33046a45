"""`seasoned rules …`: how the agent is to behave; see it, change it, decide what contradicts."""

import sys
from typing import TYPE_CHECKING, Annotated, cast

import typer

from seasoned.cli.asking import agreed
from seasoned.cli.commands import command
from seasoned.cli.exits import FOUND_WRONG
from seasoned.cli.logs import told_here
from seasoned.cli.observe import shell_session
from seasoned.cli.options import Options
from seasoned.cli.render import emit, indented, note, say, words
from seasoned.core.clock import SystemClock
from seasoned.core.errors import BadInput
from seasoned.core.text import one_line

if TYPE_CHECKING:
    from seasoned.learning.lesson import GuardKind, Lesson
    from seasoned.rules.rule import RuleType

app = typer.Typer(no_args_is_help=True, help="See and change how the agent is to behave.")

TYPES = "refusal, hallucination, wrong_skill, missing_context or preference."
Id = Annotated[str, typer.Argument(help="The rule's id, or the beginning of it.", metavar="ID")]
TypeName = Annotated[str | None, typer.Option("--type", help=TYPES, metavar="TYPE")]
When = Annotated[
    str | None,
    typer.Option(help="The situation it matters in; empty: always.", metavar="TEXT"),
]
Poison = Annotated[str | None, typer.Option(help="What not to do; empty: nothing.", metavar="TEXT")]
Limit = Annotated[int, typer.Option(help="At most so many.", min=1, metavar="N")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


@command(app, "list")
def list_rules(
    options: Options,
    rule_type: TypeName = None,
    status: Annotated[
        str | None, typer.Option(help="active, candidate, suspended, superseded, …", metavar="NAME")
    ] = None,
    provisional: Annotated[
        bool, typer.Option("--provisional", help="Those of single sessions, too.")
    ] = False,
    limit: Limit = 50,
) -> None:
    """Show the rules there are, the newest first."""
    from seasoned.cli.rule_shapes import rule_shape
    from seasoned.cli.rule_tables import rule_table

    with options.open() as s:
        rules = s.rules.list(
            rule_type=rule_type, status=status, provisional=provisional, limit=limit
        )
    if options.json:
        emit([rule_shape(rule) for rule in rules])
    elif rules:
        say(rule_table(rules))
    else:
        note("no such rules; corrections become rules, and `seasoned rules add TEXT` adds one")


@command(app, "show")
def show(options: Options, name: Id) -> None:
    """Show all there is to a rule: where it comes from, its guard, its conflicts, its examples."""
    from seasoned.cli.rule_shapes import story_shape
    from seasoned.cli.rule_tables import show_story

    with options.open() as s:
        story = s.rules.story(name)
    if options.json:
        emit(story_shape(story))
    else:
        show_story(story)


@command(app, "add")
def add(
    options: Options,
    text: Annotated[list[str], typer.Argument(help="How to behave.", metavar="TEXT")],
    rule_type: TypeName = "preference",
    when: When = None,
    poison: Poison = None,
    reach: Annotated[
        str | None,
        typer.Option(help="Whom it is for: session, user, project or tenant.", metavar="WHOM"),
    ] = None,
    session: Annotated[
        str | None,
        typer.Option(help="With --reach session: which; this shell's by default.", metavar="NAME"),
    ] = None,
) -> None:
    """Say a rule outright: it holds at once.

    One that says the same already is believed more instead. When it contradicts another, both
    are kept, this one is followed, and `seasoned rules conflicts` shows them.
    """
    if session is not None and reach != "session":
        raise BadInput("--session goes with --reach session alone")
    with options.open() as s, told_here("seasoned.rules"):
        rule = s.rules.add(
            " ".join(text),
            rule_type=cast("RuleType", rule_type),
            when=when or "",
            poison=poison or None,
            reach=reach,
            session=session or shell_session(),
        )
        against = [(one, a, b) for one, a, b in s.rules.conflicts() if rule.id in (a.id, b.id)]
    _changed(options, rule, _added(rule))
    for one, earlier, later in () if options.json else against:
        other = earlier if later.id == rule.id else later
        say(f"It contradicts {other.id}: {one_line(other.content)}")
        say(f"`seasoned rules resolve {one.id} --keep earlier|later|both` decides.")


def _added(rule: "Lesson") -> str:
    if rule.status != "active":
        return f"Rule {rule.id} is {rule.status}; `seasoned rules activate {rule.id}` lets it hold:"
    known = (
        "says so already, and is believed more" if rule.updated_at > rule.created_at else "holds"
    )
    return f"Rule {rule.id} {known} (confidence {rule.confidence:.2f})."


@command(app, "edit")
def edit(
    options: Options,
    name: Id,
    text: Annotated[str | None, typer.Option(help="What it says.", metavar="TEXT")] = None,
    when: When = None,
    rule_type: TypeName = None,
    poison: Poison = None,
    guard_text: Annotated[
        str | None, typer.Option(help="Words that no reply may hold.", metavar="TEXT")
    ] = None,
    guard_pattern: Annotated[
        str | None, typer.Option(help="The same as a regular expression.", metavar="REGEX")
    ] = None,
    no_guard: Annotated[bool, typer.Option("--no-guard", help="Take its guard away.")] = False,
) -> None:
    """Change what a rule says, when it matters, or what its guard forbids."""
    guard, kind = _guard(guard_text, guard_pattern, no_guard)
    if all(one is None for one in (text, when, rule_type, poison, guard)):
        raise BadInput("nothing to change was given; `seasoned rules edit --help` shows what can")
    with options.open() as s:
        rule = s.rules.edit(
            name,
            description=text,
            when=when,
            rule_type=rule_type,
            poison=poison,
            guard=guard,
            guard_kind=kind,
        )
    _changed(options, rule, f"Changed rule {rule.id}.")


def _guard(text: str | None, pattern: str | None, none: bool) -> tuple[str | None, "GuardKind"]:
    """The guard that is asked for; empty takes it away, None leaves it."""
    if (text is not None) + (pattern is not None) + none > 1:
        raise BadInput("give one of --guard-text, --guard-pattern and --no-guard")
    for name, value in (("--guard-text", text), ("--guard-pattern", pattern)):
        if value is not None and not value.strip():
            raise BadInput(f"{name} is empty; --no-guard takes a guard away")
    if pattern is not None:
        return pattern, "pattern"
    return "" if none else text, "text"


@command(app, "activate")
def activate(options: Options, name: Id) -> None:
    """Let a rule hold again that was switched off, superseded or forgotten."""
    with options.open() as s:
        rule = s.rules.activate(name)
    _changed(options, rule, f"Rule {rule.id} holds.")


@command(app, "deactivate")
def deactivate(options: Options, name: Id) -> None:
    """Switch a rule off: it is kept, and given no more."""
    with options.open() as s:
        rule = s.rules.deactivate(name)
    _changed(options, rule, f"Rule {rule.id} is {rule.status}: it is kept, and given no more.")


def _changed(options: Options, rule: "Lesson", told: str) -> None:
    from seasoned.cli.rule_shapes import rule_shape
    from seasoned.cli.rule_tables import said

    if options.json:
        emit(rule_shape(rule))
        return
    from rich.padding import Padding

    say(told, Padding(said(rule), (0, 0, 0, 2)))


@command(app, "delete")
def delete(options: Options, name: Id, yes: Yes = False) -> None:
    """Take a rule away for good, with the words of its corrections."""
    from seasoned.cli.rule_shapes import rule_shape

    with options.open() as s:
        rule = s.rules.get(name)
        question = f"Delete rule {rule.id}: {one_line(rule.content, 60)}?"
        if not yes and sys.stdin.isatty() and not agreed(question):
            note("nothing was changed")
            return
        rule = s.rules.delete(rule.id)
    if options.json:
        emit(rule_shape(rule))
    else:
        say(f"Deleted rule {rule.id}: its words are gone, that it was is audited.")


@command(app, "conflicts")
def conflicts(
    options: Options,
    resolved: Annotated[
        bool, typer.Option("--resolved", help="Those that were decided, too.")
    ] = False,
    limit: Limit = 50,
) -> None:
    """Show rules that contradict each other, side by side, and which one is followed meanwhile."""
    from seasoned.cli.rule_shapes import dispute_shape
    from seasoned.cli.rule_tables import show_dispute

    with options.open() as s:
        found = s.rules.conflicts(resolved=resolved, limit=limit)
    if options.json:
        emit([dispute_shape(*one) for one in found])
        return
    now = SystemClock().now()
    for one in found:
        show_dispute(*one, now)
    if any(one.resolved_at is None for one, _, _ in found):
        say(words("`seasoned rules resolve ID --keep earlier|later|both` decides.", "dim"))
    elif not found:
        note("no rules contradict each other")


@command(app, "resolve")
def resolve(
    options: Options,
    name: Annotated[
        str, typer.Argument(help="The conflict's id, or the beginning of it.", metavar="ID")
    ],
    keep: Annotated[
        str, typer.Option(help="Which holds: earlier, later or both.", metavar="WHICH")
    ],
) -> None:
    """Decide between two rules that contradict each other."""
    from seasoned.cli.rule_shapes import conflict_shape, rule_shape

    with options.open() as s:
        conflict = s.rules.resolve(name, keep)
        rules = [s.rules.get(conflict.earlier), s.rules.get(conflict.later)]
    if options.json:
        both = {"earlier": rule_shape(rules[0]), "later": rule_shape(rules[1])}
        emit(conflict_shape(conflict) | both)
        return
    say(f"Decided {conflict.id}: {'both hold' if keep == 'both' else f'the {keep} one holds'}.")
    for rule in rules:
        say(f"  {rule.status:<10}  {rule.id}  {one_line(rule.content)}")


@command(app, "search")
def search(
    options: Options,
    query: Annotated[list[str], typer.Argument(help="What to look for.", metavar="QUERY")],
    limit: Limit = 5,
) -> None:
    """Find the rules that fit a request best."""
    from seasoned.cli.rule_shapes import rule_shape, type_name

    with options.open() as s:
        hits = s.rules.search(" ".join(query), limit=limit)
    if options.json:
        emit([{"score": round(hit.score, 4), **rule_shape(hit.lesson)} for hit in hits])
    elif not hits:
        note("no rule fits")
    for hit in () if options.json else hits:
        rule = hit.lesson
        say(words(f"{hit.score:.2f}  {rule.id}  {type_name(rule)}", "bold"))
        say(indented(one_line(rule.content, 300), by=6))


@command(app, "check")
def check(
    options: Options,
    reply: Annotated[
        str | None,
        typer.Argument(help="The reply; it is read from stdin without it.", metavar="REPLY"),
    ] = None,
) -> None:
    """Say which guards a reply runs into; the exit code is 1 when it does."""
    from seasoned.cli.rule_shapes import violations_shape

    given = sys.stdin.buffer.read().decode("utf-8", "replace") if reply in (None, "-") else reply
    if not given or not given.strip():
        raise BadInput("the reply is empty; give it as an argument, or on stdin")
    with options.open() as s:
        found = s.rules.check(given)
    if options.json:
        emit(violations_shape(found))
    for one in () if options.json else found:
        held = f"holds “{one_line(one.found, 80)}”" if one.found else "could not be checked in time"
        say(f"✗ {held}: rule {one.rule.id}, {one_line(one.rule.content)}")
    if found:
        raise typer.Exit(FOUND_WRONG)
    if not options.json:
        say("✓ no guard forbids it")
