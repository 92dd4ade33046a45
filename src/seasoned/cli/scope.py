"""Whose lessons a command works on: the options decide, else the current folder and its user."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from seasoned.core.errors import NotFound

if TYPE_CHECKING:
    from seasoned.api import Seasoned
    from seasoned.core.scope import Scope


def settle_scope(
    s: "Seasoned",
    project: str | None,
    user: str | None,
    *,
    everyone: bool = False,
    about: str = "",
) -> None:
    """Complete the scope of a store; `project` and `user` are the options, None if not given.

    A name may be the end of a project's path. Without `--project`, the folder decides if the store
    knows a project of its path or name; without `--user`, the system's user if the store knows
    that one, unless `everyone` shall get what the command writes. A lesson that the command is
    `about` brings its own project and user along.
    """
    from seasoned.config import system_user
    from seasoned.transcripts.projects import chosen_project, project_at

    known = s.known_scopes()
    scope = s.inner.scope
    if project:
        scope = replace(scope, project=chosen_project(project, known.projects))
    elif project is None:
        scope = replace(scope, project=project_at(current_folder(), known.projects))
    if user is None and not everyone and (own := system_user()) in known.users:
        scope = replace(scope, user=own)
    elif user is not None:
        scope = replace(scope, user=user)
    if about and project is None and user is None:
        found = _scope_of(s, about) or scope
        scope = replace(found, tenant=scope.tenant or found.tenant)  # never out of the tenant
    s.inner.scope = scope


def current_folder() -> str:
    try:
        return str(Path.cwd())
    except OSError:  # it was deleted
        return ""


def _scope_of(s: "Seasoned", lesson: str) -> "Scope | None":
    try:
        return s.review.get(lesson).lesson.scope.within("")
    except NotFound:
        return None  # the command says so in its own words
