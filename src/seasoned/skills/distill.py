"""Propose skills from tool sequences that have worked several times for similar requests.

Procedures are collected once from the messages of each finished turn. A proposal is never made
twice, whatever became of it; only an operator can activate it. A model may describe the steps, but
they stay as they were observed.
"""

import logging
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from pathlib import Path
from string import Template
from typing import Any

from seasoned.core.errors import ModelError, ModelUnavailable
from seasoned.core.ids import digest, new_id
from seasoned.core.scope import Scope
from seasoned.core.text import one_line, storable
from seasoned.db.database import Connection
from seasoned.db.unit import Change, Unit, transact
from seasoned.llm.model import AnswerSchema, Model, ModelQuestion
from seasoned.security.redact import cut
from seasoned.sessions.session import Session, SessionMessage
from seasoned.sessions.session_store import SessionStore
from seasoned.skills.generalise import (
    GeneralProcedure,
    GeneralStep,
    find_cluster,
    generalise,
    plain_skill,
    skill_body,
)
from seasoned.skills.procedure import procedure_of, skills_read
from seasoned.skills.skill import LONGEST_NAME, Skill, check_skill, name_from
from seasoned.skills.skill_store import (
    ProcedureStore,
    SkillDraft,
    SkillStore,
    StoredSkill,
    ToolSequence,
)

log = logging.getLogger("seasoned.skills")

SESSIONS_AT_ONCE = 32
MOST_NAMES = 100
MOST_TOKENS = 3000
LONGEST_TITLE, LONGEST_DESCRIPTION, LONGEST_STEP = 100, 400, 300
PROMPT = Path(__file__).parent.parent / "llm" / "prompts" / "skill_from_procedure.md"

PROPERTIES: dict[str, Any] = {
    "name": {"type": "string", "maxLength": 3 * LONGEST_NAME},
    "title": {"type": "string", "maxLength": 3 * LONGEST_TITLE},
    "description": {"type": "string", "maxLength": 3 * LONGEST_DESCRIPTION},
    "steps": {
        "type": "array",
        "maxItems": 40,
        "items": {"type": "string", "maxLength": 3 * LONGEST_STEP},
    },
}
SCHEMA = AnswerSchema(
    "skill_from_procedure",
    {
        "type": "object",
        "properties": PROPERTIES,
        "required": list(PROPERTIES),
        "additionalProperties": False,
    },
)


# Records, within the transaction, which skills a turn has read and whether it went well.
RecordUse = Callable[[Connection, Sequence[tuple[str, bool]], Scope], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Proposal:
    """A skill to propose."""

    scope: Scope
    origin: str  # the tool sequence and the word that its requests share
    skill: Skill


class Distiller:
    """Collects procedures and proposes skills, in the words of `model` if there is one.

    Runs in a worker's thread.
    """

    def __init__(
        self,
        unit: Unit,
        model: Model | None,
        after: int = 3,
        record_use: RecordUse | None = None,
    ) -> None:
        self.unit = unit
        self.model = model
        self.after = after
        self.record_use = record_use
        self.sessions = SessionStore()
        self.procedures = ProcedureStore()
        self.skills = SkillStore()
        self._owes_proposals = False  # because the model was unavailable

    def work(self, most: int) -> int:
        """Process up to `most` sessions; return how many had something new."""
        taken = self.collect(most)
        self._owes_proposals = self._owes_proposals or taken > 0
        if self._owes_proposals:
            self.propose()
            self._owes_proposals = False
        return taken

    def distill(self) -> Sequence[StoredSkill]:
        """Process everything that waits; return the new proposals."""
        while self.collect(SESSIONS_AT_ONCE):
            pass
        return self.propose()

    def collect(self, most: int) -> int:
        """Store the procedures of turns not yet processed; return the number of sessions."""
        sessions = self.unit.db.run(self._waiting(most))
        return sum(
            self.unit.db.run(transact(self.unit.db, lambda tx, one=one: self._collect(tx, one)))
            for one in sessions
        )

    async def _waiting(self, most: int) -> Sequence[Session]:
        async with self.unit.read() as tx:
            return await self.sessions.behind(tx, "distilled_to", 0, 1, most)

    async def _collect(self, tx: Connection, session: Session) -> bool:
        messages = await self.sessions.messages(tx, session.key, after=session.distilled_to)
        turns = {turn.turn: turn for turn in await self.sessions.turns(tx, session.key)}
        finished: list[tuple[bool, list[SessionMessage]]] = []
        for number, group in groupby(messages, key=lambda one: one.turn):
            turn = turns.get(number)
            if turn is None or (turn.status == "open" and number == session.turns):
                break
            finished.append((turn.status == "done", list(group)))
        to = finished[-1][1][-1].seq if finished else session.distilled_to
        if not finished or not await self.sessions.advance(tx, session, "distilled_to", to):
            return False  # another worker was faster
        for done, said in finished:
            procedure = procedure_of(said, done=done)
            if procedure is not None:
                await self.procedures.add(tx, session, said[0].turn, procedure, said[0].at)
            if self.record_use and (read := skills_read(said, done=done)):
                await self.record_use(tx, read, session.scope)
        return True

    def propose(self) -> Sequence[StoredSkill]:
        """Propose a skill for each procedure that has succeeded often enough.

        Raises `ModelUnavailable` and `BudgetSpent`; the rest is then proposed another time.
        """
        proposed: list[StoredSkill] = []
        for scope, origin, procedure in self.unit.db.run(self._due()):
            proposal = Proposal(scope, origin, self._skill(procedure))
            adding = self.unit.change(lambda change, one=proposal: self._add(change, one))
            added = self.unit.db.run(adding)
            proposed += [added] if added else []
        return proposed

    async def _due(self) -> list[tuple[Scope, str, GeneralProcedure]]:
        due: list[tuple[Scope, str, GeneralProcedure]] = []
        async with self.unit.read() as tx:
            for sequence in await self.procedures.repeated(tx, self.after):
                known = await self._known_words(tx, sequence)
                procedures = await self.procedures.of(tx, sequence)
                if cluster := find_cluster(procedures, self.after, known):
                    origin = f"{sequence.shape}:{cluster[0]}"
                    due.append((sequence.scope, origin, generalise(*cluster)))
        return due

    async def _known_words(self, tx: Connection, sequence: ToolSequence) -> list[str]:
        """Return the words for which this tool sequence was proposed before."""
        origins = await self.skills.origins(tx, sequence.scope)
        return [
            origin.partition(":")[2]
            for origin in origins
            if origin.partition(":")[0] == sequence.shape
        ]

    def _skill(self, procedure: GeneralProcedure) -> Skill:
        if self.model is None:
            return plain_skill(procedure)
        try:
            return word_skill(self.model, procedure)
        except ModelUnavailable:
            raise
        except ModelError as error:
            log.warning("a proposed skill is written without a model: %s", error)
            return plain_skill(procedure)

    async def _add(self, change: Change, proposal: Proposal) -> StoredSkill | None:
        """Store a proposal under a free name, unless another worker has stored it."""
        if proposal.origin in await self.skills.origins(change, proposal.scope):
            return None
        taken = {one.name for one in await self.skills.list(change, proposal.scope)}
        skill = check_skill(replace(proposal.skill, name=free_name(proposal.skill.name, taken)))
        draft = SkillDraft(skill, "proposed", "distilled", proposal.origin)
        stored, _ = await self.skills.add(change, draft, proposal.scope, change.at)
        detail = {"name": stored.name, "origin": stored.origin}
        change.record("skill.proposed", stored.id, detail)
        return stored


def free_name(name: str, taken: Collection[str]) -> str:
    """Return the name, with a number if it is taken.

    >>> free_name("publish", {"publish", "publish-2"})
    'publish-3'
    >>> free_name("a" * 59 + "-bcde", {"a" * 59 + "-bcde"}) == "a" * 59 + "-2"
    True
    """
    short = name[: LONGEST_NAME - 4].rstrip("-")  # two hyphens in a row are not allowed
    names = (name, *(f"{short}-{n}" for n in range(2, MOST_NAMES)))
    return next((one for one in names if one not in taken), f"{name[:48].rstrip('-')}-{new_id()}")


def word_skill(model: Model, procedure: GeneralProcedure) -> Skill:
    """Write the skill in a model's words. Blocks; raises `ModelError` if the answer is unusable."""
    said = model.answer(wording_question(procedure)).data
    steps = [_line(step, LONGEST_STEP) for step in said["steps"]]
    description, title = (
        _line(said["description"], LONGEST_DESCRIPTION),
        _line(said["title"], LONGEST_TITLE),
    )
    if len(steps) != len(procedure.steps) or not description or not title:
        raise ModelError(
            f"{model.name} described {len(steps)} steps of a procedure with {len(procedure.steps)}"
        )
    meta = {"metadata": {"made-by": model.name}}
    return Skill(
        name_from(said["name"] or title), description, skill_body(procedure, title, steps), meta
    )


def wording_question(procedure: GeneralProcedure) -> ModelQuestion:
    system, template = _prompt()
    data = {
        "requests": "\n".join(f"- {cut(one, 400)}" for one in procedure.requests),
        "steps": "\n".join(_steps(procedure.steps)),
    }
    mark = digest(*data.values())[:12]  # derived from the data, so the data cannot contain it
    return ModelQuestion(system, template.substitute(data, mark=mark), SCHEMA, MOST_TOKENS)


def _steps(steps: Sequence[GeneralStep]) -> list[str]:
    lines: list[str] = []
    for place, step in enumerate(steps, 1):
        given = ", ".join(f"{one.name}={cut(one.shown, 200)}" for one in step.parameters)
        lines.append(f"{place}. {step.tool}({given})")
    return lines


def _line(text: str, longest: int) -> str:
    return one_line(cut(storable(text), 4 * longest), longest)


@cache
def _prompt() -> tuple[str, Template]:
    system, _, template = PROMPT.read_text("utf-8").partition("\n---\n")
    return system.strip(), Template(template.strip())
