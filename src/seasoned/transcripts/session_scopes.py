"""The scope that each session of a run teaches: its project and its user."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from seasoned.core.authority import contains
from seasoned.core.scope import Scope
from seasoned.security.stored import stored_name
from seasoned.transcripts.item import Item, LeftOut, SessionOrigin, TranscriptProblem
from seasoned.transcripts.projects import normal_folder, projects_of
from seasoned.transcripts.reader import origins_in


class SessionScopes:
    """Says which scope a session teaches; fed with the origins that readers yield.

    `scope` is the caller's; its user stands in where the records name none. `project` overrides
    what they say, `person` is the user of a coding assistant's sessions, which name none. Sessions
    of others, outside of `realm`, are left out and listed in `foreign`.
    """

    def __init__(
        self,
        scope: Scope,
        *,
        project: str | None = None,
        person: str = "",
        realm: Scope | None = None,
    ) -> None:
        self.foreign: dict[str, Scope] = {}
        self._realm = Scope() if realm is None else realm
        self.default = scope if project is None else replace(scope, project=project)
        self._project = project
        self._person = person
        self._folders: dict[str, bool] = {}  # with whether they are known to be in a repository
        self._projects: dict[str, str] = {}  # by folder
        self._sessions: dict[str, Scope] = {}
        self._personal: set[str] = set()  # sessions in which the agent's own operator speaks

    def look_ahead(self, files: Iterable[Path]) -> None:
        """Read where the sessions of these files began, since one may explain another's folder."""
        if self._project is not None:
            return
        folders: dict[str, bool] = {}
        for origin in (one for path in files for one in origins_in(path)):
            folder = normal_folder(origin.folder)
            if folder and not origin.project:
                folders[folder] = folders.get(folder, False) or origin.in_repository
        self._projects = projects_of(folders)
        self._folders = folders

    def begin_file(self) -> None:
        """Forget the sessions of the previous file; ids without origin may repeat."""
        self._sessions.clear()
        self.foreign.clear()
        self._personal.clear()

    def located(self, items: Iterable[Item]) -> list[tuple[Item, Scope]]:
        """Return items in their order, each with the scope of its session at that point."""
        found: list[tuple[Item, Scope]] = []
        for item in items:
            if isinstance(item, SessionOrigin):
                self._take(item)
            elif not isinstance(item, TranscriptProblem | LeftOut):
                scope = self._sessions.get(item.session, self.default)
                if contains(self._realm, scope):
                    found.append((item, scope))
                else:
                    self.foreign.setdefault(item.session, scope)
        return found

    def knows_speaker(self, scope: Scope) -> bool:
        """Tell whether it is known who speaks in a session: a user by name, or the operator."""
        return bool(scope.user) or scope.session in self._personal

    def _take(self, origin: SessionOrigin) -> None:
        if origin.personal:
            self._personal.add(origin.session)
        user = origin.user or self.default.user or (self._person if origin.personal else "")
        project = self._project
        if project is None:
            project = origin.project or self._project_of(origin) or self.default.project
        self._sessions[origin.session] = replace(
            self.default, project=stored_name(project), user=stored_name(user)
        )

    def _project_of(self, origin: SessionOrigin) -> str:
        folder = normal_folder(origin.folder)
        if folder and folder not in self._projects:
            self._folders[folder] = origin.in_repository
            self._projects[folder] = projects_of(self._folders)[folder]
        return self._projects.get(folder, "")
