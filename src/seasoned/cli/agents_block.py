"""The lines that `learn --out` writes for one project: rules, and fixes by tool."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from seasoned.cli.show.render import visible
from seasoned.core.text import one_line
from seasoned.core.words import dice, telling_words
from seasoned.lessons.lesson import Kind, Lesson
from seasoned.lessons.readable import flaw_of
from seasoned.rules.case import RuleDraft
from seasoned.rules.grammar.comparison import is_duplicate

BEGIN = "<!-- seasoned:begin -->"
END = "<!-- seasoned:end -->"
HEADING = "## What was learned from experience"
NOTICE = "_Kept by `seasoned learn --out`; what is written between these marks is replaced._"
NOTHING = "Nothing yet."

WRITTEN: tuple[Kind, ...] = ("rule", "preference", "fix")
LONGEST_ERROR = 100  # characters of an error that a line quotes
MAY_SAY_SO = 0.4  # shared words from which two sentences are compared in full
SAID_ALREADY = "the file says it already"
_MASK = re.compile(r"(?:['\"]?<(?:\*|[a-z]+)>['\"]?[\s,:/.=-]*)+")
_BULLET = re.compile(r"^\s*(?:[-*+>#]+|\d+[.)])\s+")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


@dataclass(frozen=True, slots=True)
class Selection:
    """The lines of one file by group, and how many lessons were left out for which reason."""

    rules: Sequence[str]
    tools: dict[str, list[str]]
    left_out: Counter[str] = field(default_factory=Counter[str])

    @property
    def lines(self) -> int:
        return len(self.rules) + sum(map(len, self.tools.values()))

    def block(self) -> str:
        """Return the block with its marks; the output is deterministic."""
        parts = [BEGIN, HEADING, "", NOTICE]
        for heading, lines in (("Rules", self.rules), *sorted(self.tools.items())):
            if lines:
                name = heading if lines is self.rules else f"Tool {code(heading)}"
                parts += ["", f"### {name}", "", *(f"- {line}" for line in lines)]
        parts += [] if self.lines else ["", NOTHING]
        return "\n".join([*parts, END])


def selected(lessons: Sequence[Lesson], said: str, most: int) -> Selection:
    """Choose from lessons in their order; `said` is the text of the file outside the block."""
    sentences = [(set(telling_words(one)), one) for one in sentences_of(said)]
    rules: list[str] = []
    tools: dict[str, list[str]] = {}
    left_out: Counter[str] = Counter()
    for lesson in lessons:
        if lesson.kind not in WRITTEN or lesson.status != "active":
            continue
        line = line_of(lesson)
        group = tools.setdefault(lesson.fix.tool or "any", []) if lesson.fix else rules
        own = [(set(telling_words(one)), one) for one in group]
        flaw = flaw_of(line) or flaw_of(visible(one_line(lesson.content, 600)))
        if flaw:
            left_out[flaw] += 1
        elif _is_said(line, sentences) or _is_said(lesson.content, sentences):
            left_out[SAID_ALREADY] += 1
        elif _is_said(line, own):
            left_out["another line says it already"] += 1
        elif len(rules) + sum(map(len, tools.values())) >= most:
            left_out["--most"] += 1
        else:
            group.append(line)
    return Selection(rules, {tool: lines for tool, lines in tools.items() if lines}, left_out)


def line_of(lesson: Lesson) -> str:
    """Return a lesson as one line of Markdown.

    The trigger of a learned rule is a bag of words for the search, so only a taught one is shown.
    """
    content = visible(one_line(lesson.content, 600))
    if lesson.fix is not None:
        error = _MASK.sub("… ", lesson.trigger.replace("`", "'")).strip()
        return f"When it fails with {code(one_line(error, LONGEST_ERROR))}: {content}"
    about = visible(one_line(lesson.trigger, 160)) if lesson.rule is None else ""
    return f"{about[0].upper()}{about[1:]}: {content}" if about else content


def sentences_of(text: str) -> list[str]:
    """Return the lines of a Markdown text without bullets, and their sentences.

    >>> sentences_of("# Ours\\n- Use yarn. Never npm.\\n")
    ['Ours', 'Use yarn. Never npm.', 'Use yarn.', 'Never npm.']
    """
    found: list[str] = []
    for line in text.splitlines():
        bare = _BULLET.sub("", line).strip()
        parts = _SENTENCE.split(bare)
        found += [bare, *(parts if len(parts) > 1 else ())] if bare else []
    return found


def _is_said(line: str, sentences: Sequence[tuple[set[str], str]]) -> bool:
    own = set(telling_words(line))
    wanted = RuleDraft("preference", line)
    return any(
        dice(own, words) >= MAY_SAY_SO and is_duplicate(wanted, RuleDraft("preference", sentence))
        for words, sentence in sentences
    )


def code(text: str) -> str:
    """Quote a text as Markdown code, even if it contains backticks.

    >>> code("pip"), code("a `b`")
    ('`pip`', '`` a `b` ``')
    """
    runs = re.findall("`+", text)
    fence = "`" * (max(map(len, runs), default=0) + 1)
    pad = " " if runs else ""
    return f"{fence}{pad}{visible(text)}{pad}{fence}"
