"""Phrases with which people state something about themselves or their team, in English."""

import re
from dataclasses import dataclass

from seasoned.conversations.items import ItemKind

OPENING = re.compile(
    r"(?:(?:hi|hello|hey|ok|okay|oh|ah|well|also|and|so|btw|fyi|thanks|by the way|for the record|"
    r"for your information|just so you know|as you know|in general|generally|note that|"
    r"(?:please )?(?:remember|note|keep in mind)(?: that)?)\b[\s,:;.!-]*)+",
    re.IGNORECASE,
)
# A message that asks for a text, or plays a role, states nothing about its user.
AS_IF = re.compile(
    r"\b(?:translate|translation|proofread|rewrite|rephrase|paraphrase|summari[sz]e|role-?play|"
    r"pretend|act as|you are (?:a|an)|imagine|write (?:me )?(?:a|an|the) (?:story|poem|song|"
    r"letter|e-?mail|essay|dialog(?:ue)?|speech|bio|cv|resume|message|post|cover letter))\b"
)
SUPPOSED = re.compile(
    r"\?|\b(?:if|suppose|supposing|assume|assuming|hypothetical\w*|maybe|perhaps|probably|might|"
    r"i think|i guess|not sure|e\.g\.|for example|for instance|let's say|would|could|used to|"
    r"he said|she said|they said|said that|told me)\b"
)
PASSING = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|right now|just now|at the moment|currently|"
    r"temporarily|until|this (?:time|week|month|morning|afternoon|evening|one)|next week|"
    r"for now|these days)\b"
)
QUOTED = re.compile(r"^\s*(?:>|```|~~~|[-*+] |\d+[.)] |\{|<|\|)", re.MULTILINE)

# Lasting things of a user or a team; not their builds, errors and questions.
SHARED = (
    r"time ?zone|office|company|team|website|blog|domain|database|db|stack|tech stack|framework|"
    r"repo(?:sitory)?|(?:main|default|release|production) branch|branching model|server|host|"
    r"(?:staging|production|test|build|ci) (?:server|host|machine|environment|cluster|url|"
    r"database)|package manager|test runner|linter|formatter|ci|build tool|issue tracker|"
    r"cloud provider|coding style|style guide|license|licence|"
    r"(?:preferred|usual|default) (?!part|thing|one\b)[\w-]+(?: [\w-]+)?"
)
OWN = (
    rf"(?:{SHARED}|name|nickname|surname|e-?mail(?: address)?|address|phone(?: number)?|birthday|"
    r"pronouns|locale|language|mother tongue|editor|ide|shell|terminal|browser|"
    r"keyboard(?: layout)?|laptop|machine|computer|os|operating system|distro|username|user name|"
    r"handle|(?:github|gitlab|slack|twitter)(?: (?:name|handle|account|user))?|employer|job|role|"
    r"profession|title|city|town|country|home ?town|school|university|car|bike|diet|"
    r"(?:native|first|second) language|(?:first|last|middle|full) name|"
    r"(?:work|personal) (?:e-?mail|phone|laptop|address|account|number)|"
    r"favou?rite (?!part|thing|one\b)[\w-]+(?: [\w-]+)?)"
)
PERSON = (
    r"(?:boss|manager|colleague|client|customer|wife|husband|partner|son|daughter|brother|sister|"
    r"mother|father|dog|cat)"
)
PROFESSION = (
    r"(?:developer|engineer|programmer|designer|student|teacher|nurse|doctor|lawyer|researcher|"
    r"scientist|manager|analyst|administrator|admin|consultant|writer|freelancer|founder|"
    r"beginner|professor|architect|accountant|journalist|translator|native speaker)"
)
NAME = r"(?-i:[A-Z][\w'’-]*(?: [A-Z][\w'’-]*){0,2})"
# A state is no lasting fact, and a pronoun says nothing later.
STATE = (
    r"(?!(?:not|broken|down|slow|wrong|missing|gone|full|empty|off|out|stuck|hung|late|dead|sick|"
    r"ill|old|new|fine|ready|busy|good|bad|great|nice|awesome|amazing|like|the best|divided|when|"
    r"unreachable|offline|here|there|this|that|it|so|too|very|still|now|always|never|just|only|"
    r"to|a bit|a little|no|unknown|[\w-]+ing)\b)"
)
POINTING = (
    r"(?!(?:it|this|that|these|those|the|your|his|her|their|how|what|where|when|you|to|him|them|"
    r"following|above|below|not|no|into|out|up|some|any|in|about|of|for|at|from|with|as|i|a|an|"
    r"one|something|someone|anything|everything|more|most|all|both)\b)"
)
# Verbs of instructions: "always happy to help" is none.
DOING = (
    r"(?:use|write|answer|reply|respond|add|include|put|run|ask|check|commit|push|format|indent|"
    r"keep|make|name|prefer|return|show|sort|start|test|translate|convert|give|delete|remove|"
    r"merge|deploy|install|round|quote|cite|explain|comment|document|wrap|log|mention|edit|"
    r"change|create|rename|rebase|squash|release|sign|restart)"
)
OFTEN = r"(?:(?:really|generally|usually|strongly|always|much|mostly|only|do|all) )?"


LIKES, DISLIKES = "The user likes {rest}.", "The user dislikes {rest}."
# A taste about how to answer is a wish.
WISHES = {LIKES: "Prefer {rest}.", DISLIKES: "Avoid {rest}."}


@dataclass(frozen=True, slots=True)
class Form:
    """A way to state something: its expression, its kind, and its wording as a lesson."""

    kind: ItemKind
    expression: re.Pattern[str]
    told: str
    always: bool = False  # holds in every turn


def _form(kind: ItemKind, expression: str, told: str, *, always: bool = False) -> Form:
    return Form(kind, re.compile(expression, re.IGNORECASE), told, always)


FORMS = (
    _form("preference", rf"i {OFTEN}prefer {POINTING}(?P<rest>.+)", "Prefer {rest}."),
    _form("preference", rf"my preference is {POINTING}(?P<rest>.+)", "Prefer {rest}."),
    _form("fact", rf"i {OFTEN}like (?!.*\b(?:idea|but)\b){POINTING}(?P<rest>.+)", LIKES),
    _form(
        "fact",
        rf"i (?:really )?(?:don't like|do not like|dislike|hate) {POINTING}(?P<rest>.+)",
        DISLIKES,
    ),
    _form("preference", rf"(?:please )?(?P<rest>(?:always|never) {DOING}\b.+)", "{rest}."),
    _form(
        "preference",
        rf"(?:please |just |you can )*call me (?P<rest>{NAME})",
        "Call the user {rest}.",
        always=True,
    ),
    _form(
        "fact",
        rf"my (?P<what>{OWN}) (?P<is>is|are) {STATE}(?P<rest>.+)",
        "The user's {what} {is} {rest}.",
    ),
    _form(
        "fact",
        rf"our (?P<what>{SHARED}) (?P<is>is|are) {STATE}(?P<rest>.+)",
        "The team's {what} {is} {rest}.",
    ),
    _form(
        "fact",
        rf"my (?P<what>{PERSON}) is (?P<rest>(?:(?:called|named) )?{NAME}\Z|(?:called|named) .+)",
        "The user's {what} is {rest}.",
    ),
    _form("fact", rf"we {OFTEN}use {POINTING}(?P<rest>.+)", "The team uses {rest}."),
    _form("fact", rf"we(?:'re| are) using {POINTING}(?P<rest>.+)", "The team uses {rest}."),
    _form(
        "fact",
        r"we (?P<often>always |never )?(?P<does>deploy|release|ship|host|test|review|merge|rebase) "
        rf"{POINTING}(?P<rest>.+)",
        "The team {often}{does}s {rest}.",
    ),
    _form("fact", rf"i {OFTEN}use {POINTING}(?P<rest>.+)", "The user uses {rest}."),
    _form("fact", rf"i speak (?P<rest>{NAME}(?:,? (?:and )?{NAME})*)", "The user speaks {rest}."),
    _form("fact", r"i live (?P<rest>(?:in|near|on) .+)", "The user lives {rest}."),
    _form(
        "fact",
        r"i(?:'m| am) (?:based|located) (?P<rest>(?:in|near) .+)",
        "The user is based {rest}.",
    ),
    _form("fact", r"i work (?P<rest>(?:at|for|as) .+)", "The user works {rest}."),
    _form(
        "fact",
        r"i(?:'m| am) (?P<rest>allergic to .+|(?:a )?(?:vegan|vegetarian|left-handed|"
        r"colou?r-?blind|deaf|blind)\b.*)",
        "The user is {rest}.",
    ),
    _form(
        "fact",
        rf"i(?:'m| am) (?P<rest>an? (?:[\w+#.-]+ ){{0,4}}{PROFESSION}\b.*)",
        "The user is {rest}.",
    ),
)
OTHERS = {
    "my": "the user's",
    "me": "the user",
    "mine": "the user's",
    "our": "the team's",
}
STILL_FIRST = re.compile(
    r"\b(?:i|i'm|i've|i'll|we|we're|we've|us|myself|ourselves)\b", re.IGNORECASE
)
# Where a statement ends and something else begins.
TURN = re.compile(
    r"(?:,? (?:but|so (?:i|we|you|no|please|it|that)|and (?:i|we|then|now|please|it|they|have)|"
    r"because|since|which|can you|please|though)\b|, (?:he|she|it|they|you|thanks|sorry)\b"
    r"|[;(]| - | – |—).*",
    re.IGNORECASE,
)
# Endings that add nothing, and endings of a sentence that was cut off.
TAIL = re.compile(
    r"(?:,?\s+(?:a lot|too|so much|very much|as well|at all|by the way|btw))+\W*$", re.IGNORECASE
)
CUT_OFF = re.compile(
    r"\b(?:from|of|in|at|to|for|with|the|a|an|and|or|is|it's|as|by)$", re.IGNORECASE
)
COMMON = frozenset(("prefer", "avoid", "always", "never", "use", "user", "user's", "said"))
