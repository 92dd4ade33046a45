"""`seasoned skills …`: procedures worth repeating; write them, adopt what was distilled."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from seasoned.cli.commands import command
from seasoned.cli.options import Options
from seasoned.cli.render import emit, many, note, say

if TYPE_CHECKING:
    from seasoned.skills.store import StoredSkill

app = typer.Typer(no_args_is_help=True, help="See and change what the agent knows how to do.")

Name = Annotated[str, typer.Argument(help="The skill's name, or its id.", metavar="NAME")]


@command(app, "list")
def list_skills(
    options: Options,
    status: Annotated[
        str | None, typer.Option(help="active, proposed or retired.", metavar="NAME")
    ] = None,
) -> None:
    """Show the skills there are, and how often each worked."""
    from seasoned.cli.skill_shapes import skill_shape, skill_table

    with options.open() as s:
        skills = s.skills.list(status=status)
    if options.json:
        emit([skill_shape(*one) for one in skills])
    elif skills:
        say(skill_table(skills))
    else:
        note("no such skills; `seasoned skills add PATH` takes a SKILL.md into use")


@command(app, "show")
def show(options: Options, name: Name) -> None:
    """Show a skill as its SKILL.md."""
    from seasoned.cli.skill_shapes import skill_shape
    from seasoned.skills.skill import skill_text

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
    path: Annotated[
        Path, typer.Argument(help="A SKILL.md, or a folder that holds some.", metavar="PATH")
    ],
) -> None:
    """Take skills into use; one of the same name becomes a new version."""
    from seasoned.cli.skill_shapes import skill_shape

    with options.open() as s:
        added = s.skills.load(path)
    if options.json:
        emit([skill_shape(one) for one in added])
        return
    for one in added:
        say(f"Skill {one.name} is in use, as version {one.version}.")


@command(app, "export")
def export(
    options: Options,
    name: Name,
    folder: Annotated[
        Path | None,
        typer.Option("--to", help="Write FOLDER/NAME/SKILL.md there.", metavar="FOLDER"),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
) -> None:
    """Write a skill as a SKILL.md: to a folder, or to the screen."""
    from seasoned.skills.files import write_skill
    from seasoned.skills.skill import skill_text

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
    """Take a proposed or retired skill into use."""
    with options.open() as s:
        stored = s.skills.adopt(name)
    _changed(options, stored, f"Skill {stored.name} is in use.")


@command(app, "retire")
def retire(options: Options, name: Name) -> None:
    """Take a skill out of use; it is kept, and not proposed again."""
    with options.open() as s:
        stored = s.skills.retire(name)
    _changed(options, stored, f"Skill {stored.name} is out of use, and kept.")


@command(app, "distill")
def distill(options: Options) -> None:
    """Look for procedures that succeeded several times, and propose skills."""
    from seasoned.cli.skill_shapes import skill_shape

    with options.open() as s:
        proposed = s.skills.distill()
    if options.json:
        emit([skill_shape(one) for one in proposed])
        return
    for one in proposed:
        say(f"Proposed {one.name}: {one.skill.description}")
    if proposed:
        say(
            "`seasoned skills show NAME` shows one, `seasoned skills adopt NAME` takes it into use."
        )
    else:
        note(f"{many(0, 'skill')} to propose: no procedure has succeeded often enough that is new")


@command(app, "search")
def search(
    options: Options,
    query: Annotated[list[str], typer.Argument(help="A request.", metavar="QUERY")],
    limit: Annotated[int, typer.Option(help="At most so many.", min=1, metavar="N")] = 10,
) -> None:
    """Show the skills in use that fit a request, best first."""
    from seasoned.cli.skill_shapes import hit_shape, hit_table

    with options.open() as s:
        hits = s.skills.search(" ".join(query), limit=limit)
    if options.json:
        emit([hit_shape(hit) for hit in hits])
    elif hits:
        say(hit_table(hits))
    else:
        note("no skill in use fits this request")


def _changed(options: Options, stored: "StoredSkill", told: str) -> None:
    from seasoned.cli.skill_shapes import skill_shape

    if options.json:
        emit(skill_shape(stored))
    else:
        say(told)
