"""A walk over the whole OpenAPI document with a key of another tenant: nothing is seen or changed.

Tenant alpha has one of everything, with words that stand nowhere else. Tenant beta's administrator
calls every operation with alpha's ids and words. An operation that cannot be called so, or that no
id of alpha fits, fails the test: it must be walked, too.
"""

import json
from collections import Counter
from collections.abc import Generator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.api.scope_world import MAKERS, TABLES, mark_of
from tests.server.auth.probing import Probed, probed
from tests.server.openapi_walk import Filler, Operation, filled, operations

from seasoned import Seasoned
from seasoned.core.scope import Scope
from seasoned.server.application import PARTS, routed
from seasoned.server.gateway import Gateway

ALPHA = Scope("alpha", "web", "ana")
NOTHING = "zqnothing"  # an id that nobody has
MISSING = (404, 405)
# Operations whose bodies or ids the document alone does not tell: path and method, then values.
KNOWN: Mapping[str, Mapping[str, Any]] = {
    "POST /v1/schedules": {"every": "1h", "deliver": "none"},
    "POST /v1/jobs": {"deliver": "none"},
    "POST /v1/workflows": {"text": "steps: {a: {agent: plain words}}"},
}
# Operations that have nothing of a tenant in them: by name, with the reason.
BESIDE = {
    **{
        f"{method} /v1/chat/{{session}}{path}": "turns in memory; tests/server/live/test_socket.py"
        for method, path in (("GET", ""), ("POST", "/cancel"), ("POST", "/approvals/{approval}"))
    },
    "POST /v1/chat": "needs a model; tests/server/live/test_chat.py",
}
# The makers' marks are their ids, too. Texts that an id must not show get a word of their own.
TELLING = (
    "UPDATE session_messages SET text = text || 'a ' || text",
    "UPDATE observations SET text = text || 'a ' || text",
    "UPDATE inquiries SET question = 'a ' || replace(question, '?', 'a?')",
    "UPDATE feedback SET comment = comment || 'a ' || comment",
    "UPDATE skills SET body = body || 'a ' || body",
)


@dataclass(frozen=True, slots=True)
class World:
    """A running gateway, what alpha has there, and the keys of both administrators."""

    gateway: Probed
    document: dict[str, Any]
    ids: Mapping[str, str]  # by kind
    marks: frozenset[str]
    alpha: str
    beta: str

    def values(self, operation: Operation) -> list[str]:
        """Return the ids that an operation is called with; none: only what is required."""
        if operation.placeholders:
            return list(self.ids.values())
        asked = self.ids.values() if operation.method == "get" else (self.ids["session"],)
        return ["", *asked]

    def call(
        self, operation: Operation, key: str, value: str, text: str, **headers: str
    ) -> tuple[httpx.Response, str]:
        """Call an operation about a thing; return the answer, and all that was sent.

        Without a value, only what is required is sent: filters would leave too little to see.
        """
        named = (
            dict.fromkeys(NAMING, value or self.ids["rule"])
            | PLACES
            | dict(KNOWN.get(operation.name, {}))
        )
        filler = Filler(self.document, named, text)
        path = filled(operation.path, operation.placeholders, value)
        query, body = filler.query(operation, bare=not value), filler.body(operation)
        shown = {"authorization": f"Bearer {key}", "if-match": "*"} | AS_ANA | headers
        answer = self.gateway.client.request(
            operation.method.upper(), path, params=query, json=body, headers=shown
        )
        return answer, json.dumps([path, query, body])


# Names of parameters and fields that may name a thing of alpha's.
NAMING = (
    *("session", "session_id", "lesson", "lesson_id", "about", "node", "start", "end", "turn"),
    *("id", "ids", "name", "skill", "document", "subject", "rule", "keep", "variant", "lessons"),
)
AS_ANA = {"x-seasoned-project": "web", "x-seasoned-user": "ana"}  # there is one in each tenant
PLACES = {"tenant": "alpha", "project": "web", "user": "ana", "role": "read"}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Generator[World]:
    home = tmp_path_factory.mktemp("tenants")
    ids, marks = _filled(home / "seasoned.db")
    quiet = {  # nothing else works on alpha's things meanwhile
        "SEASONED_BEHAVIORAL__ENABLED": "false",
        "SEASONED_KNOWLEDGE__ENABLED": "true",
        "SEASONED_MEMORY__ENABLED": "false",
        "SEASONED_LIBRARIAN__ENABLED": "false",
        "SEASONED_AUTH__REQUESTS_PER_MINUTE": "0",
        "SEASONED_AUTH__FAILURES_PER_MINUTE": "100000",
    }
    with probed(home, parts=PARTS, variables=quiet) as gateway:
        document = routed(Gateway(gateway.seasoned)).openapi()
        alpha = gateway.key("admin", "alpha's", tenant="alpha")
        beta = gateway.key("admin", "beta's", tenant="beta")
        yield World(gateway, document, ids, marks, alpha, beta)


def _filled(database: Path) -> tuple[dict[str, str], frozenset[str]]:
    """Give alpha one of everything; return the ids and the words of its texts."""
    marks = {kind: mark_of(kind, "tenants", "alpha") for kind in MAKERS}
    with Seasoned(database, tenant="alpha", project="web", user="ana") as s:

        async def fill() -> dict[str, str]:
            made = {
                kind: await make(
                    s, replace(ALPHA, user="") if kind == "triple" else ALPHA, marks[kind]
                )
                for kind, make in MAKERS.items()
            }
            async with s.inner.app.db.write() as tx:
                for statement in TELLING:
                    await tx.execute(statement)
                rows = await tx.fetch("SELECT id FROM errors WHERE tenant = 'alpha'")
                made["error"] = str(rows[0][0])
            return made

        ids = s.inner.app.unit.drive(fill())
        ids["bulk decision"] = s.bulk.suspend([s.rules.add("Answer in verse.").id]).id
        s.observe("sync", {"a": 1}, error=f"{marks['fix']} {marks['fix']}a", session="s1")
    return ids, frozenset(marks.values())


def _state(world: World) -> Mapping[str, Counter[str]]:
    """Return all that a person can change, alpha's keys included."""

    async def read() -> Mapping[str, Counter[str]]:
        async with world.gateway.seasoned.app.db.read() as tx:
            tables = {**TABLES, "api_keys WHERE tenant = 'alpha'": "id, role, revoked_at"}
            return {
                table: Counter(map(repr, await tx.fetch(f"SELECT {columns} FROM {table}")))
                for table, columns in tables.items()
            }

    return world.gateway.seasoned.app.db.run(read())


def _leaks(world: World, answer: httpx.Response, sent: str) -> list[str]:
    """Return alpha's words that an answer has and the request had not."""
    told = answer.text
    return [
        mark for mark in world.marks if f"{mark}a" in told or (mark in told and mark not in sent)
    ]


def _walked(world: World) -> list[Operation]:
    """Return the operations, those that only read first; learning uses corrections up."""
    found = [one for one in operations(world.document) if one.name not in BESIDE]
    return sorted(found, key=lambda one: one.path.endswith("/learn"))


def test_nothing_of_a_tenant_is_seen_changed_or_served_with_anothers_key(world: World) -> None:
    before = _state(world)
    everything = " ".join(sorted(world.marks))
    sent_so_far = ""  # beta sees its own things, and may have named them as alpha's
    # Those on one thing first: others make things of beta's under these names.
    for operation in sorted(_walked(world), key=lambda one: not one.placeholders):
        is_item = bool(operation.placeholders)
        nobody, _ = (
            world.call(operation, world.beta, NOTHING, "plain words") if is_item else (None, "")
        )
        for value in world.values(operation):
            text = "plain words" if is_item else everything
            answer, sent = world.call(operation, world.beta, value, text)
            sent_so_far += sent
            where = f"{operation.name} with {value}: {answer.status_code} {answer.text[:300]}"
            assert not _leaks(world, answer, sent_so_far), where
            assert answer.status_code < 500, where
            if nobody is not None:
                assert answer.status_code == nobody.status_code, (
                    f"{where}; else {nobody.text[:200]}"
                )
            else:
                assert answer.status_code != 422, f"{where}: add its values to KNOWN"
        escaping, sent = world.call(
            operation,
            world.beta,
            world.ids["rule"],
            "plain words",
            **{"x-seasoned-tenant": "alpha"},
        )
        where = f"{operation.name} by header: {escaping.text[:300]}"
        assert not _leaks(world, escaping, sent_so_far + sent), where
        after = _state(world)
        for table, rows in before.items():
            assert not rows - after[table], (
                f"{operation.name} changed {table}: {rows - after[table]}"
            )


def test_every_operation_is_one_that_its_owner_can_use(world: World) -> None:
    """What the walk calls must fit: as alpha, each operation finds one of alpha's ids."""
    shown: set[str] = set()
    for operation in _walked(world):
        answers: list[httpx.Response] = []
        for value in world.values(operation):
            answer, sent = world.call(operation, world.alpha, value, "plain words")
            answers.append(answer)
            shown.update(_leaks(world, answer, sent))
            if answer.status_code not in (*MISSING, 400, 403, 422) and operation.method != "get":
                break
        statuses = {one.status_code for one in answers}
        if "the whole installation" in answers[0].text:
            continue  # no tenant's
        assert statuses - {*MISSING, 403, 422}, (
            f"{operation.name} is not walked: {statuses} {answers[0].text[:300]}"
        )
    if "/v1/lessons" in world.document["paths"]:
        unseen = {kind for kind in MAKERS if mark_of(kind, "tenants", "alpha") not in shown}
        assert not unseen, "alpha itself never saw these: the walk proves nothing about them"
