"""Proposes skills: what tools did for alike requests, several times and with success.

Procedures are gathered from the messages of finished turns, once for each turn. What was proposed
once is never proposed again, whatever became of it; only an operator makes it a skill in use.
"""

import logging
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from seasoned.core.clock import Clock
from seasoned.core.errors import ModelError, ModelUnavailable
from seasoned.core.ids import canonical, new_id
from seasoned.core.scope import Scope
from seasoned.db.database import Connection, Database
from seasoned.db.transact import transact
from seasoned.llm.model import Model
from seasoned.memory.session import Kept, Session
from seasoned.memory.session_store import SessionStore
from seasoned.security.audit import AuditStore, Entry
from seasoned.skills.generalise import General, clustered, general, plain_skill
from seasoned.skills.procedure import procedure_of, skills_read
from seasoned.skills.procedure_store import ProcedureStore, Shape
from seasoned.skills.skill import LONGEST_NAME, Skill, checked
from seasoned.skills.store import SkillDraft, SkillStore, StoredSkill
from seasoned.skills.wording import worded

log = logging.getLogger("seasoned.skills")

SESSIONS = 32
MOST_NAMES = 100


# Told, within the transaction, which skills a turn has read, and whether it went well.
Used = Callable[[Connection, Sequence[tuple[str, bool]], Scope], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Proposal:
    """A skill that may be made of what was done."""

    scope: Scope
    origin: str  # the shape, and the word that its requests share
    skill: Skill


class Distiller:
    """`model` words the proposals where there is one. Runs in a worker's thread."""

    def __init__(
        self,
        db: Database,
        sessions: SessionStore,
        procedures: ProcedureStore,
        skills: SkillStore,
        audit: AuditStore,
        clock: Clock,
        model: Model | None,
        after: int = 3,
        used: Used | None = None,
    ) -> None:
        self.db = db
        self.sessions = sessions
        self.procedures = procedures
        self.skills = skills
        self.audit = audit
        self.clock = clock
        self.model = model
        self.after = after
        self.used = used
        self._owed = False  # proposals, because a model was away

    def work(self, most: int) -> int:
        """Gathers from up to so many sessions, and proposes what follows; how many it took up."""
        taken = self.gather(most)
        self._owed = self._owed or taken > 0
        if self._owed:
            self.propose()
            self._owed = False
        return taken

    def distill(self) -> Sequence[StoredSkill]:
        """All that waits, at once; the skills that are newly proposed."""
        while self.gather(SESSIONS):
            pass
        return self.propose()

    def gather(self, most: int) -> int:
        """Writes down the procedures of turns that nobody has looked at; of how many sessions."""
        sessions = self.db.run(self._behind(most))
        return sum(
            self.db.run(transact(self.db, lambda tx, one=one: self._gathered(tx, one)))
            for one in sessions
        )

    async def _behind(self, most: int) -> Sequence[Session]:
        async with self.db.read() as tx:
            return await self.sessions.behind(tx, "distilled_to", 0, 1, most)

    async def _gathered(self, tx: Connection, session: Session) -> bool:
        messages = await self.sessions.messages(tx, session.key, after=session.distilled_to)
        turns = {turn.turn: turn for turn in await self.sessions.turns(tx, session.key)}
        finished: list[tuple[bool, list[Kept]]] = []
        for number, group in groupby(messages, key=lambda one: one.turn):
            turn = turns.get(number)
            if turn is None or (turn.status == "open" and number == session.turns):
                break
            finished.append((turn.status == "done", list(group)))
        to = finished[-1][1][-1].seq if finished else session.distilled_to
        if not finished or not await self.sessions.advance(tx, session, "distilled_to", to):
            return False  # another worker has looked at them
        for done, said in finished:
            made = procedure_of(said, done=done)
            if made is not None:
                await self.procedures.add(tx, session, said[0].turn, made, said[0].at)
            if self.used and (read := skills_read(said, done=done)):
                await self.used(tx, read, session.scope)
        return True

    def propose(self) -> Sequence[StoredSkill]:
        """Proposes a skill for each procedure that has succeeded often enough.

        Raises `ModelUnavailable` and `BudgetSpent`: then what is left is proposed another time.
        """
        proposed: list[StoredSkill] = []
        for scope, origin, made in self.db.run(self._due()):
            proposal = Proposal(scope, origin, self._worded(made))
            added = self.db.run(transact(self.db, lambda tx, one=proposal: self._added(tx, one)))
            proposed += [added] if added else []
        return proposed

    async def _due(self) -> list[tuple[Scope, str, General]]:
        due: list[tuple[Scope, str, General]] = []
        async with self.db.read() as tx:
            for shape in await self.procedures.repeated(tx, self.after):
                told = await self._told(tx, shape)
                alike = clustered(await self.procedures.of(tx, shape), self.after, told)
                if alike is not None:
                    about, made = alike
                    due.append((shape.scope, f"{shape.shape}:{about}", general(about, made)))
        return due

    async def _told(self, tx: Connection, shape: Shape) -> list[str]:
        """The words whose requests stand in a proposal of this shape already."""
        origins = await self.skills.origins(tx, shape.scope)
        return [
            origin.partition(":")[2]
            for origin in origins
            if origin.partition(":")[0] == shape.shape
        ]

    def _worded(self, made: General) -> Skill:
        if self.model is None:
            return plain_skill(made)
        try:
            return worded(self.model, made)
        except ModelUnavailable:
            raise
        except ModelError as error:
            log.warning("a proposed skill is put into plain words: %s", error)
            return plain_skill(made)

    async def _added(self, tx: Connection, proposal: Proposal) -> StoredSkill | None:
        """Stores a proposal under a name of its own, unless another worker did."""
        if proposal.origin in await self.skills.origins(tx, proposal.scope):
            return None
        taken = {one.name for one in await self.skills.list(tx, proposal.scope)}
        skill = checked(replace(proposal.skill, name=free_name(proposal.skill.name, taken)))
        draft = SkillDraft(skill, "proposed", "distilled", proposal.origin)
        now = self.clock.now()
        stored, _ = await self.skills.add(tx, draft, proposal.scope, now)
        detail = {"name": stored.name, "origin": stored.origin}
        await self.audit.add(tx, now, [Entry("skill.proposed", stored.id, canonical(detail))])
        return stored


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, with a number where another skill has it.

    >>> free_name("publish", {"publish", "publish-2"})
    'publish-3'
    """
    names = (name, *(f"{name[: LONGEST_NAME - 4]}-{n}" for n in range(2, MOST_NAMES)))
    return next((one for one in names if one not in taken), f"{name[:48]}-{new_id()}")
