"""Decide by words whether a request involves a lesson: its tool, its situation, its example.

Search finds what is alike. A lesson that shares a word or two with the request by chance still does
harm, and a long one shares words with everything. So a fix is told for requests that involve its
tool or its error, an example for requests like its own, a rule where its situation is spoken of.
"""

import re
from collections.abc import Collection

from seasoned.core.words import STOP_WORDS, dice, stem, words
from seasoned.lessons.lesson import Kind, Lesson
from seasoned.recall.ranking import WEAK

NAME = re.compile(r"`([^`\s]{1,40})`")
PROGRAM = re.compile(r"^([a-z][\w.+-]{2,}):", re.ASCII)  # "podman: command not found"
HOLE = re.compile(r"<[^<>]*>")  # what a template leaves open
INNER_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
LONGEST_FIX = 200  # characters of a derived fix: a longer one helps beside its error only
RULES: tuple[Kind, ...] = ("rule", "preference", "correction")
SHARED = 2  # words that a request and a lesson share if it is about it
SITUATION = 0.5  # share of a situation's words that the request says
RULE = 0.15  # share of a rule's words
EXAMPLE = 0.4  # likeness of two requests
# Words of any error, which say nothing about what it is about.
OF_ERRORS = frozenset(
    stem(word)
    for word in """argument cannot contain could denied does exist exit expected field found given
    input invalid line missing must name named none null one only option output parameter path
    permission read refused required result returned say says string such takes text type unknown
    unexpected valid write wrong yes""".split()
)

# Ordinary words that tools are called by; in a rule they mean the deed, not the tool.
DEEDS = frozenset(
    """agent ask browse close copy create delete edit fetch find help list move open plan read
    remove search send task think update view web write""".split()
)


def involves(request: str, lesson: Lesson) -> bool:
    """Tell whether a request is about what a lesson concerns; facts are left to the search."""
    asked = stems_of(request)
    if lesson.fix is not None:
        if not lesson.explicit and len(lesson.content) > LONGEST_FIX:
            return False
        return involves_tool(request, lesson.fix.tool) or _speaks_of_error(asked, lesson)
    if lesson.example is not None:
        return _are_alike(asked, stems_of(lesson.example.request))
    if lesson.kind in RULES:
        return _speaks_of_rule(asked, lesson)
    return True


def involves_tool(request: str, tool: str) -> bool:
    """Tell whether a request names a tool, or speaks of what its name says.

    >>> involves_tool("Where is the order 71904?", "get_order")
    True
    >>> involves_tool("read the file", "Read"), involves_tool("use the Read tool", "Read")
    (False, True)
    """
    parts = [part for part in words(INNER_CAPITAL.sub(" ", tool)) if part not in STOP_WORDS]
    if len(parts) <= 1:  # an ordinary word may mean anything
        name = re.escape(tool)
        return bool(tool and re.search(rf"`{name}`|\b{name} tool\b|\btool {name}\b", request, re.I))
    telling = {stem(part) for part in parts} - WEAK
    return bool(telling) and telling <= stems_of(request)


def names_tool(rule: Lesson, tool: str) -> bool:
    """Tell whether a rule names a tool at hand, in one word.

    >>> from seasoned.core.scope import Scope
    >>> from seasoned.lessons.lesson import Belief
    >>> told = "Use podman, not docker; read the log."
    >>> rule = Lesson("r", "rule", "active", Scope(), "", told, Belief(9, 1), "user", "user", 0, 0)
    >>> [tool for tool in ("docker", "Read", "log", "compose") if names_tool(rule, tool)]
    ['docker', 'log']
    """
    name = tool.strip().casefold()
    if rule.kind not in RULES or not name or name in DEEDS | STOP_WORDS or stem(name) in WEAK:
        return False
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", rule.content.casefold()) is not None


def stems_of(text: str) -> set[str]:
    return {stem(word) for word in words(text) if word not in STOP_WORDS and not word.isdecimal()}


def _speaks_of_error(asked: Collection[str], lesson: Lesson) -> bool:
    """Tell whether the request shares the names of an error or of its repair, or a program."""
    program = PROGRAM.match(lesson.trigger)
    if program and stem(program[1].casefold()) in asked:
        return True
    names = " ".join(NAME.findall(lesson.content))
    about = stems_of(HOLE.sub(" ", f"{lesson.trigger} {names}")) - WEAK - OF_ERRORS
    return len(about & {*asked}) >= SHARED


def _speaks_of_rule(asked: set[str], lesson: Lesson) -> bool:
    situation = stems_of(lesson.trigger)
    if situation and len(situation & asked) >= SITUATION * len(situation):
        return True
    whole = situation | stems_of(lesson.content)
    return len(whole & asked - WEAK) >= RULE * len(whole)


def _are_alike(asked: set[str], other: set[str]) -> bool:
    """Tell whether two requests ask for the same kind of thing; one shared word is not enough."""
    return asked == other or (len(asked & other) >= SHARED and dice(asked, other) >= EXAMPLE)
