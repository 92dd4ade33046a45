"""`seasoned skills …`: list, add, distill and adopt skills."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from seasoned.cli.command import Limit, Options, command
from seasoned.cli.show.render import emit, note, say

if TYPE_CHECKING:
    from seasoned.skills.skill_store import StoredSkill

app = typer.Typer(no_args_is_help=True, help="List, add and adopt skills.")

Name = Annotated[str, typer.Argument(help="Name or id of the skill.", metavar="NAME")]


@command(app, "list")
def list_skills(
    options: Options,
    status: Annotated[
        str | None, typer.Option(help="Only active, proposed or retired.", metavar="NAME")
    ] = None,
) -> None:
    """List skills with their success rates."""
    from seasoned.cli.show.skills import skill_shape, skill_table

    with options.open() as s:
        skills = s.skills.list(status=status)
    if options.json:
        emit([skill_shape(*one) for one in skills])
    elif skills:
        say(skill_table(skills))
    else:
        note("no such skills; `seasoned skills add PATH` adds a SKILL.md")


@command(app, "show")
def show(options: Options, name: Name) -> None:
    """Show a skill as SKILL.md."""
    from seasoned.cli.show.skills import skill_shape
    from seasoned.skills.skill_file import skill_text

    with options.open() as s:
        stored = s.skills.get(name)
    if options.json:
        emit(skill_shape(stored))
        return
    say(skill_text(stored.skill).rstrip())
    note(
        f"{stored.status}, version {stored.version}, from {stored.source} {stored.origin}".rstrip()
    )


@command(app, "add")
def add(
    options: Options,
    path: Annotated[Path, typer.Argument(help="A SKILL.md, or a folder of them.", metavar="PATH")],
) -> None:
    """Add skills; an existing name gets a new version."""
    from seasoned.cli.show.skills import skill_shape

    with options.open(create=True, everyone=True) as s:
        added = s.skills.load(path)
    if options.json:
        emit([skill_shape(one) for one in added])
        return
    for one in added:
        say(f"Added skill {one.name}, version {one.version}.")


@command(app, "export")
def export(
    options: Options,
    name: Name,
    folder: Annotated[
        Path | None,
        typer.Option("--to", help="Write to FOLDER/NAME/SKILL.md.", metavar="FOLDER"),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Write a skill as SKILL.md to a folder, or to stdout."""
    from seasoned.skills.skill_file import skill_text, write_skill

    with options.open() as s:
        stored = s.skills.get(name)
    if folder is None:
        text = skill_text(stored.skill)
        emit({"name": stored.name, "text": text}) if options.json else typer.echo(text, nl=False)
        return
    file = write_skill(stored.skill, folder, replace=force)
    emit({"name": stored.name, "file": str(file)}) if options.json else say(f"Wrote {file}.")


@command(app, "adopt")
def adopt(options: Options, name: Name) -> None:
    """Activate a proposed or retired skill."""
    with options.open() as s:
        stored = s.skills.adopt(name)
    _changed(options, stored, f"Skill {stored.name} is active.")


@command(app, "retire")
def retire(options: Options, name: Name) -> None:
    """Retire a skill; it is kept, and not proposed again."""
    with options.open() as s:
        stored = s.skills.retire(name)
    _changed(options, stored, f"Skill {stored.name} is retired.")


@command(app, "distill")
def distill(options: Options) -> None:
    """Propose skills from procedures that succeeded several times."""
    from seasoned.cli.show.skills import skill_shape

    with options.open() as s:
        proposed = s.skills.distill()
    if options.json:
        emit([skill_shape(one) for one in proposed])
        return
    for one in proposed:
        say(f"Proposed {one.name}: {one.skill.description}")
    if proposed:
        say("`seasoned skills show NAME` shows one, `seasoned skills adopt NAME` activates it.")
    else:
        note("no skill to propose: no new procedure has succeeded often enough")


@command(app, "search")
def search(
    options: Options,
    query: Annotated[list[str], typer.Argument(help="A request.", metavar="QUERY")],
    limit: Limit = 10,
) -> None:
    """Search active skills by request, best first."""
    from seasoned.cli.show.skills import hit_shape, hit_table

    with options.open() as s:
        hits = s.skills.search(" ".join(query), limit=limit)
    if options.json:
        emit([hit_shape(hit) for hit in hits])
    elif hits:
        say(hit_table(hits))
    else:
        note("no active skill matches")


def _changed(options: Options, stored: "StoredSkill", message: str) -> None:
    from seasoned.cli.show.skills import skill_shape

    if options.json:
        emit(skill_shape(stored))
    else:
        say(message)
