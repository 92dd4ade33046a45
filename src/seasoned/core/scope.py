"""Scope: whose lesson it is. A tenant's, a project's, a user's, a session's, or everybody's."""

from dataclasses import dataclass, replace

from seasoned.core.text import storable


@dataclass(frozen=True, slots=True)
class Scope:
    """An empty field means "any": a lesson reaches a caller if its other fields are the caller's.

    >>> Scope(project="web").reaches(Scope(project="web", user="ana"))
    True
    >>> Scope(user="bob").reaches(Scope(project="web", user="ana"))
    False
    """

    tenant: str = ""
    project: str = ""
    user: str = ""
    session: str = ""

    def reaches(self, caller: "Scope") -> bool:
        pairs = zip(self.fields(), caller.fields(), strict=True)
        return all(own in ("", theirs) for own, theirs in pairs)

    def fields(self) -> tuple[str, str, str, str]:
        return (self.tenant, self.project, self.user, self.session)

    def shared(self) -> "Scope":
        """Return the scope of inferred lessons: how a tool behaves is not private to a user."""
        return replace(self, user="", session="")

    def within(self, session: str) -> "Scope":
        return replace(self, session=storable(session))
