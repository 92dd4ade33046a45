"""`seasoned rules …`: list, edit and check rules, and resolve conflicts."""

import sys
from typing import TYPE_CHECKING, Annotated, cast

import typer

from seasoned.cli.command import CHECK_FAILED, Limit, Options, Yes, command, quiet_logger
from seasoned.cli.observe import shell_session
from seasoned.cli.show.render import emit, indented, note, say, words
from seasoned.cli.terminal import confirmed
from seasoned.core.clock import SystemClock
from seasoned.core.errors import BadInput
from seasoned.core.text import one_line

if TYPE_CHECKING:
    from seasoned.lessons.lesson import GuardKind, Lesson, RuleType

app = typer.Typer(no_args_is_help=True, help="List, edit and check rules of behaviour.")

TYPES = "refusal, hallucination, wrong_skill, missing_context or preference."
Id = Annotated[str, typer.Argument(help="Id of the rule, or a prefix of it.", metavar="ID")]
TypeName = Annotated[str | None, typer.Option("--type", help=TYPES, metavar="TYPE")]
When = Annotated[
    str | None,
    typer.Option(help="Situation it applies to; empty: always.", metavar="TEXT"),
]
Poison = Annotated[
    str | None, typer.Option(help="What not to do; empty: remove it.", metavar="TEXT")
]


@command(app, "list")
def list_rules(
    options: Options,
    rule_type: TypeName = None,
    status: Annotated[
        str | None,
        typer.Option(help="Only active, candidate, suspended, superseded, …", metavar="NAME"),
    ] = None,
    provisional: Annotated[
        bool, typer.Option("--provisional", help="Include rules of single sessions.")
    ] = False,
    limit: Limit = 50,
) -> None:
    """List rules, newest first."""
    from seasoned.cli.show.rules import rule_shape, rule_table

    with options.open() as s:
        rules = s.rules.list(
            rule_type=rule_type, status=status, provisional=provisional, limit=limit
        )
    if options.json:
        emit([rule_shape(rule) for rule in rules])
    elif rules:
        say(rule_table(rules))
    else:
        note("no such rules; corrections become rules, `seasoned rules add TEXT` adds one")


@command(app, "show")
def show(options: Options, name: Id) -> None:
    """Show a rule in full: origin, guard, conflicts, examples."""
    from seasoned.cli.show.rules import show_story, story_shape

    with options.open(about=name) as s:
        story = s.rules.story(name)
    if options.json:
        emit(story_shape(story))
    else:
        show_story(story)


@command(app, "add")
def add(
    options: Options,
    text: Annotated[list[str], typer.Argument(help="The rule.", metavar="TEXT")],
    rule_type: TypeName = "preference",
    when: When = None,
    poison: Poison = None,
    reach: Annotated[
        str | None,
        typer.Option(help="Who it applies to: session, user, project or tenant.", metavar="WHOM"),
    ] = None,
    session: Annotated[
        str | None,
        typer.Option(
            help="With --reach session: which one; default: this shell's.", metavar="NAME"
        ),
    ] = None,
) -> None:
    """Add a rule; it applies at once.

    If a rule already says the same, its confidence rises instead. If it contradicts another rule,
    both are kept, the new one applies, and `seasoned rules conflicts` lists them.
    """
    if session is not None and reach != "session":
        raise BadInput("--session needs --reach session")
    with options.open(create=True, everyone=True) as s, quiet_logger("seasoned.rules"):
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
        say(f"`seasoned rules resolve {one.id} --keep earlier|later|both` resolves it.")


def _added(rule: "Lesson") -> str:
    if rule.status != "active":
        return f"Rule {rule.id} is {rule.status}; `seasoned rules activate {rule.id}` activates it:"
    known = "exists; its confidence rose" if rule.updated_at > rule.created_at else "applies"
    return f"Rule {rule.id} {known} (confidence {rule.confidence:.2f})."


@command(app, "edit")
def edit(
    options: Options,
    name: Id,
    text: Annotated[str | None, typer.Option(help="New text.", metavar="TEXT")] = None,
    when: When = None,
    rule_type: TypeName = None,
    poison: Poison = None,
    guard_text: Annotated[
        str | None, typer.Option(help="Text that no reply may contain.", metavar="TEXT")
    ] = None,
    guard_pattern: Annotated[
        str | None,
        typer.Option(help="Regular expression that no reply may match.", metavar="REGEX"),
    ] = None,
    no_guard: Annotated[bool, typer.Option("--no-guard", help="Remove its guard.")] = False,
) -> None:
    """Change the text, situation or guard of a rule."""
    guard, kind = _guard(guard_text, guard_pattern, no_guard)
    if all(one is None for one in (text, when, rule_type, poison, guard)):
        raise BadInput("nothing to change; `seasoned rules edit --help` lists the options")
    with options.open(about=name) as s:
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
    """Return the new guard: empty removes it, None keeps it."""
    if (text is not None) + (pattern is not None) + none > 1:
        raise BadInput("give only one of --guard-text, --guard-pattern and --no-guard")
    for name, value in (("--guard-text", text), ("--guard-pattern", pattern)):
        if value is not None and not value.strip():
            raise BadInput(f"{name} is empty; --no-guard removes a guard")
    if pattern is not None:
        return pattern, "pattern"
    return "" if none else text, "text"


@command(app, "share")
def share(
    options: Options,
    name: Id,
    reach: Annotated[
        str, typer.Option(help="Who it is to apply to: project or tenant.", metavar="WHOM")
    ] = "project",
) -> None:
    """Let a rule of one user apply to everybody in the project.

    The rule of a user is found with `--user`: `seasoned --user ana rules share ID`.
    """
    with options.open() as s, quiet_logger("seasoned.rules"):
        rule = s.rules.share(name, reach=reach)
    _changed(options, rule, f"Rule {rule.id} applies to the whole {reach}.")


@command(app, "activate")
def activate(options: Options, name: Id) -> None:
    """Activate a rule that was deactivated, superseded or forgotten."""
    with options.open(about=name) as s:
        rule = s.rules.activate(name)
    _changed(options, rule, f"Rule {rule.id} applies.")


@command(app, "deactivate")
def deactivate(options: Options, name: Id) -> None:
    """Deactivate a rule; it is kept but no longer used."""
    with options.open(about=name) as s:
        rule = s.rules.deactivate(name)
    _changed(options, rule, f"Rule {rule.id} is {rule.status}: it is kept but no longer used.")


def _changed(options: Options, rule: "Lesson", message: str) -> None:
    from seasoned.cli.show.rules import rule_shape, rule_text

    if options.json:
        emit(rule_shape(rule))
        return
    from rich.padding import Padding

    say(message, Padding(rule_text(rule), (0, 0, 0, 2)))


@command(app, "delete")
def delete(options: Options, name: Id, yes: Yes = False) -> None:
    """Delete a rule, with the text of its corrections."""
    from seasoned.cli.show.rules import rule_shape

    with options.open(about=name) as s:
        rule = s.rules.get(name)
        question = f"Delete rule {rule.id}: {one_line(rule.content, 60)}?"
        if not yes and sys.stdin.isatty() and not confirmed(question):
            note("nothing changed")
            return
        rule = s.rules.delete(rule.id)
    if options.json:
        emit(rule_shape(rule))
    else:
        say(f"Deleted rule {rule.id} and its text; the audit records it.")


@command(app, "conflicts")
def conflicts(
    options: Options,
    resolved: Annotated[
        bool, typer.Option("--resolved", help="Include resolved conflicts.")
    ] = False,
    limit: Limit = 50,
) -> None:
    """Show contradicting rules side by side, and which one applies."""
    from seasoned.cli.show.rules import dispute_shape, show_dispute

    with options.open() as s:
        found = s.rules.conflicts(resolved=resolved, limit=limit)
    if options.json:
        emit([dispute_shape(*one) for one in found])
        return
    now = SystemClock().now()
    for one in found:
        show_dispute(*one, now)
    if any(one.resolved_at is None for one, _, _ in found):
        say(words("`seasoned rules resolve ID --keep earlier|later|both` resolves it.", "dim"))
    elif not found:
        note("no conflicts")


@command(app, "resolve")
def resolve(
    options: Options,
    name: Annotated[
        str, typer.Argument(help="Id of the conflict, or a prefix of it.", metavar="ID")
    ],
    keep: Annotated[
        str, typer.Option(help="Which to keep: earlier, later or both.", metavar="WHICH")
    ],
) -> None:
    """Resolve a conflict between two rules."""
    from seasoned.cli.show.rules import conflict_shape, rule_shape

    with options.open(about=name) as s:
        conflict = s.rules.resolve(name, keep)
        rules = [s.rules.get(conflict.earlier), s.rules.get(conflict.later)]
    if options.json:
        both = {"earlier": rule_shape(rules[0]), "later": rule_shape(rules[1])}
        emit(conflict_shape(conflict) | both)
        return
    say(f"Resolved {conflict.id}: {'both apply' if keep == 'both' else f'the {keep} one applies'}.")
    for rule in rules:
        say(f"  {rule.status:<10}  {rule.id}  {one_line(rule.content)}")


@command(app, "search")
def search(
    options: Options,
    query: Annotated[list[str], typer.Argument(help="Search words.", metavar="QUERY")],
    limit: Limit = 5,
) -> None:
    """Search rules by request."""
    from seasoned.cli.show.rules import rule_shape, type_name

    with options.open() as s:
        hits = s.rules.search(" ".join(query), limit=limit)
    if options.json:
        emit([{"score": round(hit.score, 4), **rule_shape(hit.lesson)} for hit in hits])
    elif not hits:
        note("no rule matches")
    for hit in () if options.json else hits:
        rule = hit.lesson
        say(words(f"{hit.score:.2f}  {rule.id}  {type_name(rule)}", "bold"))
        say(indented(one_line(rule.content, 300), by=6))


@command(app, "check")
def check(
    options: Options,
    reply: Annotated[
        str | None,
        typer.Argument(help="The reply; default: read stdin.", metavar="REPLY"),
    ] = None,
) -> None:
    """Check a reply against all guards; exit with 1 if one forbids it."""
    from seasoned.cli.show.rules import violations_shape

    given = sys.stdin.buffer.read().decode("utf-8", "replace") if reply in (None, "-") else reply
    if not given or not given.strip():
        raise BadInput("the reply is empty; give it as an argument, or on stdin")
    with options.open() as s:
        found = s.rules.check(given)
    if options.json:
        emit(violations_shape(found))
    for one in () if options.json else found:
        held = (
            f"contains “{one_line(one.found, 80)}”" if one.found else "could not be checked in time"
        )
        say(f"✗ {held}: rule {one.rule.id}, {one_line(one.rule.content)}")
    if found:
        raise typer.Exit(CHECK_FAILED)
    if not options.json:
        say("✓ no guard forbids it")
