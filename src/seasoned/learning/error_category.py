"""Say which kind of error this is, by a table of whole words, error types and status codes."""

import re
from enum import StrEnum

from seasoned.learning.error_pattern import pattern_of


class Category(StrEnum):
    """Who has to act on an error: wait, ask for rights, change provider, or call the tool otherwise."""

    TIMEOUT = "timeout"
    PERMISSION = "permission"
    PROVIDER_ERROR = "provider_error"
    TOOL_ERROR = "tool_error"
    GENERAL = "general"


_STATUS = r"(?:status(?: code)?|http(?:/\S+)?|code|error)\W{0,3}"

# The first category of which any line matches. Lines are joined by "or", are matched as whole words
# in any case, and see the pattern of an error: a word inside a path, URL or quoted value never counts.
_TABLE: dict[Category, tuple[str, ...]] = {
    Category.TIMEOUT: (
        r"(?<!invalid )(?<!unknown )(?<!argument )(?<!option )timed?[- ]?outs?",
        r"timing out",
        r"\w*Timeout(?:Error|Exception|Expired)?",
        r"(?:context )?deadline(?: has)?(?: been)? ?exceeded",
        r"\w*Deadline_?Exceeded\w*",
        r"ETIMEDOUT|ESOCKETTIMEDOUT|ERR_TIMED_OUT|\w+_TIMED_?OUT",
        r"took too long",
        _STATUS + r"(?:408|504)",
        r"(?:408|504) [A-Z]\w+",
    ),
    Category.PERMISSION: (
        r"(?:permissions?|access|authori[sz]ation|privileges?) (?:was |is |were )?(?:denied|refused|required|rejected)",
        r"(?:insufficient|missing|lacks?|no|without) (?:the )?(?:required )?(?:permissions?|privileges?|scopes?|rights)",
        r"(?:not|n't) (?:have|has) (?:the )?(?:required )?(?:permissions?|privileges?|access|rights)",
        r"forbidden|unauthori[sz]ed|not authori[sz]ed|unauthenticated",
        r"operation not permitted|not permitted|not allowed to|requires? (?:root|admin\w*|sudo|elevated)\b.*",
        r"\w*(?:Permission|Forbidden|AccessDenied|Unauthori[sz]ed)(?:Denied)?(?:Error|Exception)?",
        r"EACCES|EPERM|PERMISSION_DENIED|permission_error|access_denied",
        r"authentication (?:failed|failure|required|error)",
        r"(?:approval|user|operator|tool use|request) (?:was |has been )?(?:denied|refused|rejected|declined)",
        r"(?:denied|refused|rejected|declined) by (?:the )?(?:user|operator|policy)",
        _STATUS + r"(?:401|403)",
        r"(?:401|403) [A-Z]\w+",
    ),
    Category.PROVIDER_ERROR: (
        r"rate[- _]?limit(?:s|ed|ing|_error|_exceeded)?|\w*RateLimit\w*|too many requests",
        r"(?:insufficient_)?quota(?:_| )?exceeded|insufficient_quota|exceeded your current quota",
        r"api (?:errors?|keys?|calls?|requests?|responses?|connections?|limits?|quota|usage|tokens?)"
        r"|api (?:is |was )?(?:returned|failed|unavailable|down|unreachable|overloaded)",
        r"API\w*Error|api_error|invalid_api_key|authentication_error|overloaded(?:_error)?",
        r"(?:invalid|incorrect|missing|expired|wrong|no) api[- _]?key",
        r"(?:upstream|model|llm|inference|embedding|completion) (?:provider|api|service|server|endpoint)s?",
        r"providers? (?:\S+ )?(?:errors?|failed|failure|returned|unavailable|overloaded|rejected|is|was|timed|down|not)",
        r"models? (?:\S+ )?(?:errors?|not found|does not exist|do(?:es)? not support|overloaded|unavailable|"
        r"is (?:not|currently|over)|failed|refused|returned|not available|deprecated)",
        r"(?:maximum|max) (?:context|tokens?)(?: length)?|context[ _](?:length|window)(?:_exceeded)?|content[ _](?:filter|policy)\w*",
        r"Model(?:HTTP|API|Provider|Behavior)?(?:Error|Exception)|ProviderError|LLM\w*Error",
        r"(?:bad gateway|service unavailable|gateway)",
        _STATUS + r"(?:429|500|502|503|529)",
        r"(?:429|50[0-3]|529) [A-Z]\w+",
    ),
    Category.TOOL_ERROR: (
        r"(?:invalid|unknown|unrecogni[sz]ed|unexpected|missing|bad|illegal|wrong|duplicate|unsupported|required|"
        r"too (?:many|few)|no such|extra) (?:\S+ ){0,2}"
        r"(?:args?|arguments?|param(?:eter)?s?|options?|flags?|inputs?|fields?|keys?|properties|property|keywords?|"
        r"commands?|subcommands?|values?|types?|syntax|tokens?|columns?|tables?|operands?|file|directory|modules?|tools?)",
        r"(?:args?|arguments?|param(?:eter)?s?|options?|flags?|inputs?|fields?|property|key|value) (?:\S+ ){0,3}"
        r"(?:is|are|was|must|should|not|required|missing|invalid|expected|cannot)",
        r"(?:command|file|directory|module|tool|function|method|column|table|executable|path|key|package|symbol) "
        r"(?:\S+ ){0,2}not found",
        r"no such (?:file|command|tool|option|table|column|module|container|image|host|remote)\b.*",
        r"(?:does not|doesn't|do not|don't) (?:exist|match|contain|accept|support)",
        r"already (?:exists|defined|in use|open|running)",
        r"is (?:a|not a) (?:directory|file|git repository)|not a git repository|directory not empty",
        r"not (?:defined|callable|iterable|subscriptable|recogni[sz]ed|supported|implemented|executable|a valid \w+)",
        r"(?:exit(?:ed)?|return(?:ed)?|terminated)(?: with)?(?: (?:code|status|signal))*:? [1-9-]\d*|non-?zero exit\b.*",
        r"command failed|(?:syntax|parse|parsing|compile|compilation|build|assertion|validation|import|usage|type) errors?",
        r"(?:cannot|can't|could not|couldn't|failed to|unable to) (?:find|open|read|write|load|import|parse|resolve|stat|"
        r"access|create|remove|delete|execute|run|compile|decode|locate|apply|edit|match)",
        r"no (?:match(?:es)?|module|attribute)\b.*|has no attribute|string to replace not found.*",
        r"(?:Type|Value|Key|Index|Name|Attribute|Import|Syntax|Indentation|Assertion|Lookup|ZeroDivision|Reference|Range"
        r"|FileNotFound|FileExists|IsADirectory|NotADirectory|ModuleNotFound|NotImplemented|JSONDecode|UnicodeDecode"
        r"|UnicodeEncode|CalledProcess|Validation|Operational|Programming|Integrity|Usage|Argument|Parse\w*)(?:Error|Exception)",
        r"E(?:NOENT|EXIST|ISDIR|NOTDIR|NOTEMPTY|INVAL|ADDRINUSE|USAGE)|ERR_[A-Z_]+|error\[E\d+\]|TS\d{4,5}|ORA-\d+",
        r"invalid_(?:request_error|argument\w*|params?\w*|input)|INVALID_ARGUMENT|NOT_FOUND|-3260[0-2]|JSON-?RPC",
        r"syntax near|in your SQL syntax",
        _STATUS + r"(?:400|404|405|409|410|413|415|422)",
        r"(?:400|404|405|409|410|413|415|422) [A-Z]\w+",
    ),
}  # fmt: skip

_PATTERNS = [
    (category, re.compile(r"(?<![\w/-])(?:" + "|".join(lines) + r")(?![\w/-]|\.\w)", re.IGNORECASE))
    for category, lines in _TABLE.items()
]


def category_of(error: str, tool: str = "") -> Category:
    """The first category of the table that the error belongs to.

    An error that begins with the name of its tool is that tool's own, whatever words it uses.

    >>> category_of("open /srv/api/token: permission denied")
    <Category.PERMISSION: 'permission'>
    >>> category_of("rapid descent")
    <Category.GENERAL: 'general'>
    >>> category_of("frobnicate: out of cheese", tool="frobnicate")
    <Category.TOOL_ERROR: 'tool_error'>
    """
    pattern = pattern_of(error)
    for category, words in _PATTERNS:
        if words.search(pattern):
            return category
    if tool and re.match(rf"{re.escape(tool)}\b", pattern, re.IGNORECASE):
        return Category.TOOL_ERROR
    return Category.GENERAL
