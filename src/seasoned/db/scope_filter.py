"""SQL conditions on the columns tenant, project and user_id: what a caller sees, where it acts."""

from seasoned.core.authority import Caller
from seasoned.core.scope import Scope

Condition = tuple[str, tuple[str, ...]]


def visible(caller: Caller, table: str = "") -> Condition:
    """Return the condition for what reaches a caller or lies in its realm, and its values.

    The name or alias of the table ends with a dot.
    """
    reaching = " AND ".join(
        f"{table}{column} IN ('', ?)" for column in ("tenant", "project", "user_id")
    )
    inside, values = contained(caller.realm, table)
    return f"(({reaching}) OR ({inside}))", (*caller.scope.fields()[:3], *values)


def visible_projects(caller: Caller) -> Condition:
    """Return the same for a table of projects, whose rows belong to no user.

    >>> visible_projects(Caller(Scope(project="web", user="ana")))
    ("((tenant IN ('', ?) AND project IN ('', ?)) OR (1 = 0))", ('', 'web'))
    """
    realm = caller.realm
    inside, values = ("1 = 0", ()) if realm.user else contained(realm)
    reaching = "tenant IN ('', ?) AND project IN ('', ?)"
    return f"(({reaching}) OR ({inside}))", (*caller.scope.fields()[:2], *values)


def contained(realm: Scope, table: str = "") -> Condition:
    """Return the condition for what lies inside a realm (`core.authority.contains`).

    >>> contained(Scope(project="web"))
    ('tenant = ? AND project = ?', ('', 'web'))
    """
    if realm.within("") == Scope():
        return "1 = 1", ()
    terms, values = [f"{table}tenant = ?"], [realm.tenant]
    if realm.project:
        terms.append(f"{table}project IN ('', ?)" if realm.user else f"{table}project = ?")
        values.append(realm.project)
    if realm.user:
        terms.append(f"{table}user_id = ?")
        values.append(realm.user)
    return " AND ".join(terms), tuple(values)
