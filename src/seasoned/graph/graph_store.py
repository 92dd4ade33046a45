"""Store the graph: triples, found from either end or by predicate, and labels of nodes."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from seasoned.core.scope import Scope
from seasoned.db.database import Connection, Database, Row
from seasoned.db.keyset import Place, following
from seasoned.graph.triple import Triple, check_node, check_predicate, plain_label, valid_triple

COLUMNS = "subject, predicate, object, weight, source, at"
IN_SCOPE = "tenant = ? AND project = ?"
KEY = "tenant, project, subject, predicate, object"
MOST_AT_ONCE = 8  # look-ups joined into one statement
MOST_MARKS = 500
MANY = 5000


@dataclass(frozen=True, slots=True)
class Order:
    """An index, and the order in which it holds the triples."""

    index: str
    columns: str


Parts = tuple[str, str, str]  # subject, predicate and object
SAME_NEARER = (
    "EXISTS (SELECT 1 FROM triples n WHERE n.tenant = ? AND n.project = ? "
    "AND n.subject = triples.subject AND n.predicate = triples.predicate "
    "AND n.object = triples.object)"
)
SPO = Order("", "subject, predicate, object")  # the table itself is kept in this order
POS = Order("triples_pos", "predicate, object, subject")
OSP = Order("triples_osp", "object, subject, predicate")

# The index to use, by which of subject, predicate and object are given.
ORDERS: dict[tuple[bool, bool, bool], Order] = {
    (False, False, False): SPO,
    (True, False, False): SPO,
    (True, True, False): SPO,
    (True, True, True): SPO,
    (False, True, False): POS,
    (False, True, True): POS,
    (False, False, True): OSP,
    (True, False, True): OSP,
}


@dataclass(frozen=True, slots=True)
class GraphStats:
    triples: int
    nodes: int
    predicates: Mapping[str, int]
    busiest: Sequence[tuple[str, int]]  # nodes, and how many triples name each
    at: int = 0  # when this was counted


def visible_scopes(scope: Scope) -> list[tuple[str, str]]:
    """Return the scopes whose triples a caller sees: its own first, then wider ones.

    >>> visible_scopes(Scope(project="web")), visible_scopes(Scope())
    ([('', 'web'), ('', '')], [('', '')])
    """
    tenant, project = scope.tenant, scope.project
    return list(dict.fromkeys(((tenant, project), (tenant, ""), ("", project), ("", ""))))


class GraphStore:
    """Owns `triples` and `nodes`. Every row belongs to a tenant and a project."""

    def __init__(self, db: Database) -> None:
        self.db = db

    async def add(self, tx: Connection, scope: Scope, triples: Iterable[Triple], now: int) -> int:
        """Store triples; for one that exists, the newer weight, source and time win."""
        valid = (valid_triple(one, now) for one in triples)
        rows = [
            (
                *(scope.tenant, scope.project, one.subject, one.predicate, one.object),
                *(one.weight, one.source, one.at),
            )
            for one in valid
        ]
        await tx.execute_many(
            f"INSERT INTO triples ({KEY}, weight, source, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?) "
            f"ON CONFLICT ({KEY}) DO UPDATE SET weight = excluded.weight, "
            "source = excluded.source, at = excluded.at WHERE excluded.at >= triples.at",
            sorted(rows),
        )
        if len(rows) >= MANY and self.db.dialect == "postgres":
            await tx.execute("ANALYZE triples")  # or Postgres plans badly for a while
        return len(rows)

    async def name(self, tx: Connection, scope: Scope, labels: Mapping[str, str]) -> None:
        """Set the labels of nodes."""
        await tx.execute_many(
            "INSERT INTO nodes (tenant, project, id, label) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (tenant, project, id) DO UPDATE SET label = excluded.label "
            "WHERE nodes.label <> excluded.label",
            [
                (scope.tenant, scope.project, check_node(node), plain_label(label))
                for node, label in sorted(labels.items())
            ],
        )

    async def query(
        self,
        tx: Connection,
        scope: Scope,
        *,
        subject: str | None = None,
        predicate: str | None = None,
        object: str | None = None,  # noqa: A002 - the third of the three words
        limit: int = 50,
        after: Parts | None = None,
    ) -> list[Triple]:
        """Return the triples with these parts, in the order of the index used.

        The scope's own come first, then those of wider ones. `after` is the subject, predicate and
        object of the last one of the page before.
        """
        where, given, order = _pattern(subject, predicate, object)
        scopes = visible_scopes(scope)
        begun = await self._scope_of(tx, scopes, after) if after else 0
        found: dict[tuple[str, str, str], Triple] = {}
        for level, own in enumerate(scopes[begun:], begun):
            place = following(order.columns, _ordered(order, after) if level == begun else None)
            nearer = "".join(f" AND NOT {SAME_NEARER}" for _ in scopes[:level])
            rows = await tx.fetch(
                f"SELECT {COLUMNS} FROM triples{self._using(order)} WHERE {where} "
                f"AND {place[0]}{nearer} ORDER BY tenant, project, {order.columns} LIMIT ?",
                (
                    *(*own, *given, *place[1]),
                    *(part for one in scopes[:level] for part in one),
                    limit - len(found),
                ),
            )
            found |= {row[:3]: Triple(*row) for row in rows}
            if len(found) >= limit:
                break
        return list(found.values())

    async def _scope_of(
        self, tx: Connection, scopes: Sequence[tuple[str, str]], parts: Parts
    ) -> int:
        """Return which of the scopes holds a triple; the first if it is gone."""
        for level, own in enumerate(scopes):
            held = f"SELECT 1 FROM triples WHERE {IN_SCOPE} AND ({SPO.columns}) = (?, ?, ?)"
            if await tx.fetch_one(held, (*own, *parts)):
                return level
        return 0

    async def page(
        self, tx: Connection, own: tuple[str, str], after: Sequence[str], limit: int
    ) -> list[Triple]:
        """Return the next triples of one tenant and project, after this one."""
        rows = await tx.fetch(
            f"SELECT {COLUMNS} FROM triples WHERE {IN_SCOPE} "
            f"AND ({SPO.columns}) > (?, ?, ?) ORDER BY {SPO.columns} LIMIT ?",
            (*own, *after, limit),
        )
        return [Triple(*row) for row in rows]

    async def edges(
        self,
        tx: Connection,
        scope: Scope,
        nodes: Sequence[str],
        *,
        predicates: Sequence[str] = (),
        ways: Collection[str] = ("out", "in"),
        most: int = 32,
    ) -> list[Row]:
        """Return subject, predicate, object and weight of the triples at these nodes.

        Reads at most `most` per node, direction and scope, so that a hub costs no more than others.
        """
        marks = ", ".join("?" for _ in predicates)
        wanted = f" AND predicate IN ({marks})" if predicates else ""
        inward = self._using(POS if predicates else OSP)
        terms = {
            "out": f"FROM triples WHERE {IN_SCOPE} AND subject = ?{wanted}",
            "in": f"FROM triples{inward} WHERE {IN_SCOPE} AND object = ?{wanted}",
        }
        chosen = " UNION ALL ".join(
            "SELECT * FROM (SELECT subject, predicate, object, weight "
            f"{term} LIMIT {most}) AS {way}_edges"
            for way, term in terms.items()
            if way in ways
        )
        asked = [(*own, node, *predicates) for node in nodes for own in visible_scopes(scope)]
        rows: list[Row] = []
        for start in range(0, len(asked), MOST_AT_ONCE):
            part = asked[start : start + MOST_AT_ONCE]
            # Always the same number of look-ups, so that the statement is planned once.
            part += [("", "", "", *predicates)] * (MOST_AT_ONCE - len(part) if start else 0)
            params = [value for one in part for _ in ways for value in one]
            rows += await tx.fetch(" UNION ALL ".join([chosen] * len(part)), params)
        return rows

    async def has(self, tx: Connection, scope: Scope, node: str) -> bool:
        """Whether a triple names this node."""
        return bool(await self.edges(tx, scope, [node], most=1))

    async def labels(self, tx: Connection, scope: Scope, nodes: Sequence[str]) -> dict[str, str]:
        """Return the labels of these nodes, for those that have one."""
        found: dict[str, str] = {}
        for start in range(0, len(nodes), MOST_MARKS):
            part = nodes[start : start + MOST_MARKS]
            marks = ", ".join("?" for _ in part)
            for own in reversed(visible_scopes(scope)):  # the scope's own label wins
                found |= dict(
                    await tx.fetch(
                        f"SELECT id, label FROM nodes WHERE {IN_SCOPE} AND id IN ({marks})",
                        (*own, *part),
                    )
                )
        return found

    async def remove(
        self,
        tx: Connection,
        scope: Scope,
        *,
        subject: str | None = None,
        predicate: str | None = None,
        object: str | None = None,  # noqa: A002 - the third of the three words
        source: str | None = None,
    ) -> int:
        """Delete this scope's own triples with these parts; return how many."""
        where, given, order = _pattern(subject, predicate, object)
        whose = "" if source is None else " AND source = ?"
        return await tx.execute(
            f"DELETE FROM triples{self._using(order)} WHERE {where}{whose}",
            (scope.tenant, scope.project, *given, *(() if source is None else (source,))),
        )

    async def drop(self, tx: Connection, scope: Scope, node: str) -> None:
        """Delete a node, its label and its triples in this scope."""
        await self.remove(tx, scope, subject=node)
        await self.remove(tx, scope, object=node)
        await tx.execute(
            f"DELETE FROM nodes WHERE {IN_SCOPE} AND id = ?", (scope.tenant, scope.project, node)
        )

    async def unname(self, tx: Connection, scope: Scope, node: str) -> None:
        """Delete a node's label if no triple of this scope names it any more."""
        own = (scope.tenant, scope.project, node)
        await tx.execute(
            f"DELETE FROM nodes WHERE {IN_SCOPE} AND id = ? "
            f"AND NOT EXISTS (SELECT 1 FROM triples WHERE {IN_SCOPE} AND subject = ?) "
            f"AND NOT EXISTS (SELECT 1 FROM triples{self._using(OSP)} "
            f"WHERE {IN_SCOPE} AND object = ?)",
            own * 3,
        )

    async def merge(self, tx: Connection, scope: Scope, node: str, into: str) -> None:
        """Move the triples of a node to another, because the two are the same thing."""
        own = (scope.tenant, scope.project)
        for copied, where, order in (
            ("?, predicate, object", "subject = ? AND object <> ?", SPO),
            ("subject, predicate, ?", "object = ? AND subject <> ?", OSP),
        ):
            await tx.execute(
                f"INSERT INTO triples ({KEY}, weight, source, at) "
                f"SELECT tenant, project, {copied}, weight, source, at "
                f"FROM triples{self._using(order)} WHERE {IN_SCOPE} AND {where} "
                f"ON CONFLICT ({KEY}) DO NOTHING",
                (into, *own, node, into),
            )
        await self.drop(tx, scope, node)

    async def clear(self, tx: Connection, scope: Scope) -> int:
        """Delete all triples and labels of this scope; return how many triples."""
        own = (scope.tenant, scope.project)
        await tx.execute(f"DELETE FROM nodes WHERE {IN_SCOPE}", own)
        return await tx.execute(f"DELETE FROM triples WHERE {IN_SCOPE}", own)

    async def count(self, tx: Connection, scope: Scope) -> int:
        counts = [
            await tx.fetch_one(f"SELECT count(*) FROM triples WHERE {IN_SCOPE}", own)
            for own in visible_scopes(scope)
        ]
        return sum(int(row[0]) for row in counts if row)

    async def stats(self, tx: Connection, scope: Scope, busiest: int = 10) -> GraphStats:
        """Count triples by predicate, count nodes, and find the busiest ones."""
        seen = "tenant IN ('', ?) AND project IN ('', ?)"
        own = (scope.tenant, scope.project)
        kinds = await tx.fetch(
            f"SELECT predicate, count(*) FROM triples WHERE {seen} GROUP BY predicate", own
        )
        ends = (
            f"SELECT subject AS node, count(*) AS many FROM triples WHERE {seen} GROUP BY subject "
            f"UNION ALL SELECT object, count(*) FROM triples WHERE {seen} GROUP BY object"
        )
        most = await tx.fetch(  # the number of nodes beside each: one walk through all of them
            "SELECT node, sum(many) AS named, count(*) OVER () AS nodes "
            f"FROM ({ends}) AS ends GROUP BY node ORDER BY named DESC, node LIMIT ?",
            (*own, *own, max(1, busiest)),
        )
        predicates = {str(predicate): int(many) for predicate, many in kinds}
        return GraphStats(
            triples=sum(predicates.values()),
            nodes=int(most[0][2]) if most else 0,
            predicates=predicates,
            busiest=[(str(node), int(named)) for node, named, _ in most[:busiest]],
        )

    def _using(self, order: Order) -> str:
        """Force the index: without statistics, SQLite would scan a whole scope."""
        return self.db.using(order.index) if order.index else ""


def _ordered(order: Order, parts: Parts | None) -> Place | None:
    """Return the parts of a triple in the order of an index."""
    if parts is None:
        return None
    named = dict(zip(SPO.columns.split(", "), parts, strict=True))
    return tuple(named[column] for column in order.columns.split(", "))


def _pattern(
    subject: str | None, predicate: str | None, object_: str | None
) -> tuple[str, list[str], Order]:
    """Return the condition for the given parts, their values, and the index to use."""
    if predicate is not None:
        check_predicate(predicate)
    parts = (("subject", subject), ("predicate", predicate), ("object", object_))
    given = [(column, value) for column, value in parts if value is not None]
    where = " AND ".join([IN_SCOPE, *(f"{column} = ?" for column, _ in given)])
    order = ORDERS[(subject is not None, predicate is not None, object_ is not None)]
    return where, [value for _, value in given], order
