"""Fill a store with weeks of made-up activity, through the public API and with a clock that we set.

What is learned from it is learned as from anybody's calls; only a few lessons are taught, so that
every page of the desk has something to show.
"""

from pathlib import Path
from random import Random
from typing import Any

from seasoned.api import Seasoned
from seasoned.cli.desk.tasks import (
    ASIDES,
    OFTEN,
    OTHER_FAILURES,
    PLANNING,
    REMARKS,
    ROUTINE,
    SELDOM,
    THANKS,
    Task,
)
from seasoned.cli.desk.turns import has_agent, play_turns
from seasoned.core.clock import DAY, HOUR, MINUTE, FixedClock
from seasoned.db.unit import Change

DAYS = 30
PER_DAY = 6  # sessions
OPENING, HOURS = 8 * HOUR, 11 * HOUR  # of a working day


class Weeks:
    """The weeks before `now`, day by day; the agents make fewer mistakes as time goes by."""

    def __init__(self, s: Seasoned, clock: FixedClock, now: int, seed: int = 3) -> None:
        self.s, self.clock, self.now = s, clock, now
        self.random = Random(seed)
        self.asides = list(ASIDES)
        self.remarks = self.random.sample(REMARKS, len(REMARKS))  # the last one comes first

    def play(self) -> None:
        today = self.now - self.now % DAY
        for day in range(DAYS):
            begin = today - (DAYS - 1 - day) * DAY
            self.clock.at = max(self.clock.at, min(begin + OPENING, self.now - HOUR))
            for act in BESIDES.get(day, ()):
                act(self.s)
            self._day(day, begin)
            self.s.corrections.learn()
        self.clock.at = self.now - 4 * MINUTE

    def _day(self, day: int, begin: int) -> None:
        first = min(begin + OPENING, self.now - 30 * MINUTE)
        last = min(begin + OPENING + HOURS, self.now - 5 * MINUTE)
        weekend = (begin // DAY + 3) % 7 >= 5
        sessions = 3 if weekend else PER_DAY
        for number in range(sessions):
            self.clock.at = max(self.clock.at, first + (last - first) * number // sessions)
            self._session(day, f"day {day + 1:02}, no. {number + 1}")

    def _session(self, day: int, name: str) -> None:
        talk = self.s.conversation(name)
        for _ in range(self.random.randrange(1, 4)):
            kinds = SELDOM if day > SELDOM[0][0] and self.random.random() < 0.1 else OFTEN
            since, make = self.random.choice([one for one in kinds if one[0] <= day])
            makes_mistake = max(0.05, 0.75 - (day - since) * 0.04)
            self._task(talk, make(self.random), makes_mistake)
            if self.random.random() < 0.14:
                tool, params, error = self.random.choice(OTHER_FAILURES)
                talk.tool(tool, params, error=error)
            elif self.random.random() < 0.16:
                tool, params, result = self.random.choice(ROUTINE)
                talk.tool(tool, params, result)
        self._remark(talk, day)
        talk.end()

    def _task(self, talk: Any, task: Task, makes_mistake: float) -> None:
        talk.user(task.request, tools=[task.tool])
        self._pass(2, 20)
        if self.random.random() < makes_mistake:
            talk.tool(task.tool, task.wrong, error=task.error)
            self._pass(2, 20)
        self.s.observe(
            task.tool,
            task.right,
            task.result,
            session=talk.session,
            duration_ms=task.milliseconds * self.random.uniform(0.7, 1.6),
        )
        talk.assistant(task.reply)
        self._pass(20, 120)

    def _remark(self, talk: Any, day: int) -> None:
        """End a session with a remark: a correction, less often as time goes by, or thanks."""
        if self.remarks and self.random.random() < max(0.04, 0.22 - day * 0.01):
            talk.user(self.remarks.pop())
            talk.assistant("Understood, I will heed that.")
        elif self.asides and day % 6 == 2:
            talk.user(self.asides.pop())
            talk.assistant("Good to know, thank you.")
        elif self.random.random() < 0.07:
            talk.user(self.random.choice(THANKS))
            talk.assistant("You are welcome.")
            self._rate(talk.session, "positive")
        elif self.random.random() < 0.06:
            self._rate(talk.session, "negative")
        self._pass(5, 30)

    def _rate(self, session: str, polarity: str) -> None:
        self.s.feedback.add(polarity, session=session)

    def _pass(self, least: int, most: int) -> None:
        self.clock.advance(seconds=self.random.uniform(least, most))


def fill(
    database: Path, samples: Path, clock: FixedClock, now: int, environment: dict[str, str]
) -> None:
    """Make the store of the demonstration, as it would be now."""
    from seasoned.cli.learn_report import learned_from
    from seasoned.transcripts.files import transcript_files

    clock.at = now - DAYS * DAY
    with Seasoned(database, clock=clock, environment=environment) as s:
        learned_from(s, list(transcript_files([samples])), project="", user="")
        Weeks(s, clock, now).play()
        if has_agent():
            play_turns(s, clock)
            _jobs(s)
        _plan(s, clock)
        s.memory.observe()
        s.memory.reflect(PLAN)
        _ask(s)


def _jobs(s: Seasoned) -> None:
    """Plan what the agent does by itself; what is due is done when the desk opens."""
    digest = "Summarise the tickets of the night, the urgent ones first."
    s.jobs.schedule("morning digest", digest, every="24h", deliver="none")
    s.jobs.schedule("stock watch", "Tell what is sold out.", every="2h", deliver="none")
    s.jobs.pause("stock watch")
    s.jobs.start("Compare the three offers for packing paper.", deliver="none")


PLAN = "planning May"


def _plan(s: Seasoned, clock: FixedClock) -> None:
    talk = s.conversation(PLAN)
    for message, reply in PLANNING:
        talk.user(message)
        talk.assistant(reply)
        clock.advance(seconds=15)
    talk.end()


def _teach(s: Seasoned) -> None:
    s.teach("deploying", rule="Deploy to staging before production.")
    s.teach(fact="The warehouse in Porto is closed on public holidays.")
    s.teach(fact="Order numbers before 2024 are in the archive, not in the shop.")
    s.teach(preference="Ana prefers tables by the window.")
    s.teach("a customer is angry", rule="Apologise once, then say what happens next.")
    s.examples.add(
        "My parcel never came.",
        "I am sorry. I have asked the carrier, and you get an answer from me by tomorrow noon.",
        note="says who does what, and by when",
    )
    s.examples.add(
        "Is the lamp available in green?",
        "That might be possible in principle, depending on various factors.",
        polarity="negative",
        note="look it up instead",
    )
    s.rules.add("Offer a refund without asking.", when="a parcel is lost")


def _contradict(s: Seasoned) -> None:
    s.rules.add("Do not offer a refund without asking.", when="a parcel is lost")


def _states(s: Seasoned) -> None:
    """Retire, suspend and replace some lessons, so that each state can be seen."""
    s.forget(s.teach(fact="The shop moves to a new address in May.").id)
    s.rules.deactivate(s.rules.add("Sign e-mails with the name of the team.").id)
    long = s.rules.add("Keep reports short.", when="writing a report")
    s.rules.edit(long.id, description="Keep reports under one page, with the figure first.")


def _choices(s: Seasoned) -> None:
    random = Random(11)
    for name, arms in (
        ("search", {"bm25": 0.55, "vectors": 0.62, "both": 0.78}),
        ("greeting", {"formal": 0.7, "casual": 0.6}),
    ):
        for arm, worth in arms.items():
            for _ in range(12):
                s.reward(name, arm, min(1.0, max(0.0, random.gauss(worth, 0.12))))
        s.adapt(name, "thompson", seed=3)


SKILLS = (
    """\
---
name: release-notes
description: Use when somebody asks what changed between two versions.
---
1. List the commits between the two tags.
2. Keep those that a user notices; say each in one plain sentence.
3. Put what breaks first.
""",
    """\
---
name: refund-a-parcel
description: Use when a parcel is lost or arrives broken.
---
1. Get the order, and read its state.
2. Ask for a picture if it is broken.
3. Refund the amount in euros, and tell the customer when it arrives.
""",
)


def _library(s: Seasoned) -> None:
    for text in SKILLS:
        s.skills.add(text)
    for success in (True, True, True, False, True):
        s.skills.used("refund-a-parcel", success, duration_ms=4200)
    s.knowledge.add_text(
        "handbook",
        "# Returns\n\nA parcel may be sent back within 30 days.\n\n"
        "# Opening hours\n\nThe shop is open from Tuesday to Saturday.",
        title="The shop's handbook",
    )


def _keys(s: Seasoned) -> None:
    s.keys.create("booking agent", role="learn")
    s.keys.create("night shift", role="operate", days=90)
    s.keys.revoke(s.keys.create("old laptop", role="read").key.id)


# What people do besides, by day.
BESIDES = {
    2: (_keys,),
    4: (_teach,),
    11: (_library,),
    16: (_states,),
    23: (_choices,),
    28: (_contradict,),
}

QUESTIONS = (
    ("Which language should invoices be written in?", "customers from five countries wrote"),
    ("Who approves refunds above 500 euros?", "two refunds of this size came up"),
)


def _ask(s: Seasoned) -> None:
    """Put questions as the librarian would, which needs a model to think of them."""
    app = s.inner.app
    sessions = s.sessions.list(limit=len(QUESTIONS))

    async def ask(change: Change) -> None:
        for session, (question, reason) in zip(sessions, QUESTIONS, strict=True):
            await app.librarian.inquiries.add(change.tx, session, question, reason, change.at)

    app.unit.drive(app.unit.change(ask))
