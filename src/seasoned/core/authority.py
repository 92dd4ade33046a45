"""Who may do what: the one table that everything done by hand is checked against.

What a caller sees is not always the caller's to change. A rule of the project reaches every user of
the project, but only whoever acts for the project may edit it. `Caller` holds both: the scope whose
lessons it works on, and the scope it acts in.
"""

from dataclasses import dataclass
from typing import Literal, get_args

from seasoned.core.errors import NotAllowed
from seasoned.core.scope import Scope

Relation = Literal["own", "inside", "wider", "other"]
"""Of a thing to a caller: of its own scope, inside of it, reaching it from above, or neither."""
Act = Literal["see", "read", "change", "teach"]
"""See a lesson, skill, document or the graph; read what is private (a session, memory, question,
correction, experience, piece of feedback); change or delete a thing; teach something new there."""

MAY: dict[Act, frozenset[Relation]] = {
    "see": frozenset({"own", "inside", "wider"}),
    "read": frozenset({"own", "inside"}),
    "change": frozenset({"own", "inside"}),
    "teach": frozenset({"own", "inside"}),
}

DEEDS: dict[Act, str] = {
    "see": "see it",
    "read": "read it",
    "change": "change it",
    "teach": "teach there",
}

Trust = Literal["operator", "user", "environment", "self"]
TRUSTS: tuple[Trust, ...] = get_args(Trust)  # the most trusted first
Weight = Literal["full", "bounded", "none"]
"""How feedback moves a lesson: fully; never across the line from which it is given; not at all."""

# By whether the lesson was stated by a person, and whose it is: the weight of feedback whose giver
# is trusted at least as much as the lesson, and of feedback whose giver is trusted less.
WEIGHTS: dict[tuple[bool, Relation], tuple[Weight, Weight]] = {
    (True, "own"): ("full", "bounded"),
    (True, "inside"): ("full", "bounded"),
    (True, "wider"): ("none", "none"),
    (True, "other"): ("none", "none"),
    (False, "own"): ("full", "bounded"),
    (False, "inside"): ("full", "bounded"),
    (False, "wider"): ("full", "bounded"),
    (False, "other"): ("none", "none"),
}


@dataclass(frozen=True, slots=True)
class Caller:
    """Whose lessons a caller works on (`scope`), and where it may change things (`acts_in`).

    By default it acts in its own scope.

    >>> ana = Caller(Scope(project="web", user="ana"))
    >>> ana.relation(Scope(project="web")), ana.may("change", Scope(project="web"))
    ('wider', False)
    >>> Caller(Scope(project="web")).relation(Scope(project="web", user="ana"))
    'inside'
    """

    scope: Scope
    acts_in: Scope | None = None

    @property
    def realm(self) -> Scope:
        """The scope it acts in; a session lies inside of its user's scope."""
        return (self.scope if self.acts_in is None else self.acts_in).within("")

    def relation(self, thing: Scope) -> Relation:
        if contains(self.realm, thing):
            return "own" if thing == self.scope.within("") else "inside"
        return "wider" if thing.within("").reaches(self.scope.within("")) else "other"

    def may(self, act: Act, thing: Scope) -> bool:
        return self.relation(thing) in MAY[act]

    def require(self, act: Act, thing: Scope, what: str) -> None:
        """Raise `NotAllowed` unless it may; `what` names the thing, such as "rule 3kx…"."""
        if self.may(act, thing):
            return
        there = thing.within("")
        raise NotAllowed(
            f"{what} belongs to {owner(there)}, but this caller acts for {owner(self.realm)}; "
            f"open Seasoned with {opening(there)} to {DEEDS[act]}"
        )

    def weight(self, thing: Scope, trust: Trust, giver: Trust, *, stated: bool) -> Weight:
        """Return how feedback of this caller moves a lesson."""
        trusted = TRUSTS.index(giver) <= TRUSTS.index(trust)
        return WEIGHTS[stated, self.relation(thing)][0 if trusted else 1]

    def looking(self, scope: Scope | None) -> "Caller":
        """Return the same caller at work on another scope, which it must see."""
        if scope is None:
            return self
        self.require("see", scope, "the scope")
        return Caller(scope, self.realm)


def contains(realm: Scope, thing: Scope) -> bool:
    """Whether a thing lies inside a realm: each field that the realm names is the thing's.

    Tenants are walls: only a realm that names nothing at all contains those of other tenants. What
    a user has in all projects lies inside the user's realm in each project.

    >>> acme = Scope("acme", "web")
    >>> contains(Scope(), acme), contains(Scope(project="web"), acme)
    (True, False)
    >>> contains(Scope(project="web", user="ana"), Scope(user="ana"))
    True
    """
    if realm == Scope():
        return True
    if realm.tenant != thing.tenant or realm.user not in ("", thing.user):
        return False
    everywhere = bool(realm.user) and not thing.project
    return everywhere or realm.project in ("", thing.project)


def owner(scope: Scope) -> str:
    """Name the owner of a scope.

    >>> owner(Scope("acme", "web", "ana")), owner(Scope())
    ("user 'ana' in project 'web' of tenant 'acme'", 'everybody')
    """
    tenant = f"tenant {scope.tenant!r}" if scope.tenant else ""
    project = f"project {scope.project!r}" if scope.project else ""
    user = f"user {scope.user!r}" if scope.user else ""
    place = " of ".join(part for part in (project, tenant) if part)
    return " in ".join(part for part in (user, place) if part) or "everybody"


def opening(scope: Scope) -> str:
    """Return the arguments that open Seasoned in a scope.

    >>> opening(Scope(project="web"))
    "project='web' and no user"
    """
    names = ("tenant", "project", "user")
    fields = dict(zip(names, scope.fields(), strict=False))
    named = ", ".join(f"{name}={value!r}" for name, value in fields.items() if value)
    if not named:
        return "no tenant, project or user"
    return named if scope.user else f"{named} and no user"
