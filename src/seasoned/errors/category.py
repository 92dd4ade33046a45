"""Classify errors by a table of words, error types and status codes."""

import re
from enum import StrEnum
from functools import cache, lru_cache

from seasoned.errors.pattern import pattern_of


class Category(StrEnum):
    """The kind of an error, which says who can do something about it."""

    TIMEOUT = "timeout"
    PERMISSION = "permission"
    PROVIDER_ERROR = "provider_error"
    TOOL_ERROR = "tool_error"
    GENERAL = "general"


# Fragments for the table below. A number is a status only if the words beside it say so.
_STATUS = r"(?:(?:status(?: code)?|http(?:/\S+)?|code|error)\W{{0,3}}(?:{0})|(?:{0}) [a-z]\w+)"
_INPUT = (
    r"(?:arg|param|parameter|argument|option|flag|input|field|key|property|value|type|operand)s?"
)
_THING = (
    r"(?:command|subcommand|file|directory|module|tool|function|method|column|table|executable|path"
    r"|package|symbol|syntax|token|keyword)s?"
)
_RIGHT = r"(?:permission|privilege|scope|right)s?"
_REFUSED = r"(?:denied|refused|rejected|declined)"
_BAD = r"(?:invalid|unknown|unrecogni[sz]ed|unexpected|bad|illegal|wrong|missing|duplicate)"
# A parameter may be called timeout: "invalid value for timeout", "timeout must be a number".
_NO_NAME = "".join(
    f"(?<!{word} )"
    for word in "invalid unknown argument option for of field key bad missing".split()
)
_NO_VALUE = (
    r"(?!:? (?:must|should|value|is (?:not an?|required|missing|invalid|too)|has to|needs? to"
    r"|cannot be|can't be|option|parameter|argument|setting|field|expected|not an?|input)\b)"
)
_CANNOT = r"(?:cannot|can't|could not|couldn't|failed to|unable to)"

_MODEL = r"(?<!data )(?<!domain )(?<!view )(?<!class )models?(?! (?:validation|class))"

# The first category with a matching line wins. Lines match whole words, in any case, in the pattern
# of an error, where paths, URLs and quoted words are masked.
_TABLE: dict[Category, str] = {
    Category.TIMEOUT: rf"""
        {_NO_NAME}timed?[- ]?outs?{_NO_VALUE}
        timing out|took too long
        (?:context )?deadline(?: has)?(?: been)? exceeded|\w*deadline_?exceeded\w*
        \w+timeout|\w*timeout(?:error|exception|expired)|e(?:socket)?timedout|\w+_timed_?out
        {_STATUS.format("408|504")}
        """,
    Category.PERMISSION: rf"""
        (?:{_RIGHT}|access|authori[sz]ation) (?:was |is )?(?:{_REFUSED}|required)
        (?:insufficient|missing|lacks?|no|without) (?:the )?(?:required )?{_RIGHT}
        (?:not|n't) (?:have|has) (?:the )?(?:required )?(?:{_RIGHT}|access)
        forbidden|unauthori[sz]ed|not authori[sz]ed|unauthenticated|not permitted|not allowed to
        \w*(?:permission|forbidden|accessdenied|unauthori[sz]ed)(?:denied)?(?:error|exception)
        eacces|eperm|permission_(?:denied|error)|access_?denied
        requires? (?:root|admin\w*|sudo|elevated)|authentication (?:failed|failure|required)
        (?:approval|user|operator|tool use|request) (?:was |has been )?{_REFUSED}
        {_REFUSED} by (?:the )?(?:user|operator|policy)
        {_STATUS.format("401|403")}
        """,
    Category.PROVIDER_ERROR: rf"""
        rate[- _]?limit(?:s|ed|ing|_error|_exceeded)?|\w*ratelimit\w*|too many requests
        insufficient_quota|quota[_ ]exceeded|exceeded (?:your|the) (?:current )?quota
        overloaded(?:_error)?|bad gateway|service unavailable
        api (?:error|key|call|request|response|connection|limit|quota|usage|token)s?
        api (?:is |was |has )?(?:returned|failed|unavailable|down|unreachable|overloaded)
        api\w*error|api_error|\w*_api_key|authentication_error
        (?:model|provider|llm)\w*(?:error|exception)
        (?:upstream|model|llm|inference|embedding|completion) (?:provider|api|service|endpoint)s?
        providers? (?:\S+ )?(?:errors?|failed|failure|returned|unavailable|rejected|is|was|down|not)
        {_MODEL} (?:\S+ )?(?:errors?|not (?:found|available)|does not (?:exist|support)|failed)
        {_MODEL} (?:\S+ )?(?:is currently|refused|returned|overloaded|deprecated|unavailable)
        {_MODEL} (?:\S+ )?is not (?:available|supported|loaded|ready|allowed|enabled)
        max(?:imum)? (?:context|tokens?)|context[ _](?:length|window)\w*
        content[ _](?:filter|policy)\w*
        {_STATUS.format("429|500|502|503|529")}
        """,
    Category.TOOL_ERROR: rf"""
        (?:{_BAD}|unsupported|required|extra|too (?:many|few)) (?:\S+ ){{0,2}}(?:{_INPUT}|{_THING})
        {_INPUT} (?:\S+ ){{0,3}}(?:is|are|must|should|not|required|missing|invalid|expected|cannot)
        (?:invalid|unknown|illegal) (?!error|issue|host|reason|exception|certificate)\w+(?=:| ['"`])
        validation failed|(?:must|should) be (?:an?|one of|between|greater|less|at (?:least|most))
        is not an? (?:number|integer|string|boolean|list|object|array|date|valid \w+)
        not found|no such \w+|(?:has )?no (?:match|matches|matching|module|attribute|rule)
        did not match|undeclared|unable to locate
        (?:does not|doesn't|do not|don't) (?:exist|match|contain|accept|support)
        already (?:exists?|defined|in use|open|running)
        not empty|(?:is|not) a (?:directory|file|git repo\w*)
        not (?:defined|callable|iterable|subscriptable|recogni[sz]ed|supported|implemented)
        exit(?:ed)?(?: with)?(?: code| status| signal)*:? -?[1-9]\d*|non-?zero exit|command failed
        (?:syntax|parse|parsing|compile|compilation|build|assertion|validation|usage|type) errors?
        {_CANNOT} (?:find|open|read|write|load|import|parse|resolve|stat|access|create|remove)
        {_CANNOT} (?:delete|execute|run|compile|decode|apply|edit|match)
        (?:type|value|key|index|name|attribute|import|syntax|indentation|assertion|lookup)error
        (?:reference|range|zerodivision|file\w+|\w+directory|module\w+|notimplemented)error
        (?:\w*decode|unicode\w+|calledprocess|\w*validation|operational|programming|integrity)error
        e(?:noent|exist|isdir|notdir|notempty|inval|addrinuse)|err_[a-z_]+|invalid_\w+|not_found
        error\[e\d+\]|ts\d{{4,5}}|ora-\d+|string to replace|in your sql syntax|syntax near
        {_STATUS.format("400|404|405|409|410|413|415|422")}
        """,
}


@cache
def _words_of(category: Category) -> re.Pattern[str]:
    """Return the lines of a category as one expression, compiled on first use."""
    any_line = "|".join(line.strip() for line in _TABLE[category].strip().splitlines())
    return re.compile(rf"(?<![\w/-])(?:{any_line})(?![\w/-]|\.\w)", re.IGNORECASE)


def category_of(error: str, tool: str = "") -> Category:
    """Return the first category in the table that matches an error or its pattern.

    If none does, an error that begins with the name of its tool is a tool error.

    >>> category_of("open /srv/api/token: permission denied")
    <Category.PERMISSION: 'permission'>
    >>> category_of("rapid descent")
    <Category.GENERAL: 'general'>
    >>> category_of("frobnicate: out of cheese", tool="frobnicate")
    <Category.TOOL_ERROR: 'tool_error'>
    """
    return category_of_pattern(pattern_of(error), tool)


@lru_cache(maxsize=4096)
def category_of_pattern(pattern: str, tool: str = "") -> Category:
    """Return the category of an error whose pattern is known."""
    for category in _TABLE:
        if _words_of(category).search(pattern):
            return category
    if tool and re.match(rf"{re.escape(tool)}\b", pattern, re.IGNORECASE):
        return Category.TOOL_ERROR
    return Category.GENERAL
