"""What a reply did, as far as it tells what the next turn means: it asked, suggested, or failed.

`suggests` and `fails` know English only: no labelled dialogues of other languages were there to
try them on.
"""

import re

END = 300  # characters: what a reply ends with is what is answered
_TRIMMED = " \t\r\n\"'”’»)*_.。"
_YOU = "(?:you|u|ya)"
# Questions without a question mark: their last sentence begins like this.
_QUESTION = re.compile(
    r"(?:^|[.!?,\n]\s*)"
    r"(?:(?:ok|okay|and|so|but|great|nice|cool|sure|well|now|or|yes|no|then|alright)\s+)*"
    r"(?:(?:do|does|did|have|has|is|are|was|were|will|would|can|could|should|shall|may)\s+"
    rf"(?:{_YOU}|i|we|it|that|this|there|the|a|any)"
    r"|what|which|who|when|where|why|how|any(?:thing)?"
    r"|(?:(?:i'm|i am|just) )?(?:curious|wondering|wonder)(?: \w+){0,2}? (?:if|whether))"
    r"\b[^.!?\n]*$",
    re.IGNORECASE,
)
_SUGGESTION = re.compile(
    r"\b(?:(?:how|what) about (?!you)"
    r"|(?<!what )(?<!where )(?<!when )(?<!why )(?<!how )(?<!who )"
    rf"(?:(?:have|did) {_YOU} (?:ever |also )?(?:seen?|heard?|watch(?:ed)?|read|been|enjoy|like)"
    rf"|do {_YOU} (?:like|enjoy)"
    r"|(?:would|will|does) (?:(?:[\w:]+ ){1,3}(?:work|suit|fit)|(?:it|that|this|those) do)"
    rf"|would {_YOU} (?:enjoy|watch|go|be (?:ok|okay|fine|interested|happy|open))))\b[^.!?\n]*$",
    re.IGNORECASE,
)
_FAILURE = re.compile(
    r"\b(?:sorry|apologi[sz]e|unfortunately|afraid|sadly|regretfully|unsuccessful|unable|unavailable"
    r"|not available|booked up|(?:could|can)(?: ?not|n'?t) (?:find|book|locate|get|see|accommodate)"
    r"|there (?:are|is|were|was) (?:no|none|nothing|not any)|there (?:are|is|were|was)n't any"
    r"|(?:do|does|did)(?: not|n'?t) (?:have|seem to have|find)"
    r"|(?:have|found|find) (?:no|none|nothing))\b",
    re.IGNORECASE,
)

_DENIAL = re.compile(r"(?:n't|\b(?:not|never|no|none|nothing))\b[^.!?\n]*$", re.IGNORECASE)


def asks(reply: str) -> bool:
    """Whether a reply ends by asking something.

    >>> asks("I can use tabs. Shall I?"), asks("Is it done? Yes, it is."), asks("好いですか。")
    (True, False, True)
    """
    end = _end(reply)
    if end.endswith(("?", "？", "か", "吗", "嗎", "呢")):
        return True
    return _QUESTION.search(end) is not None


def denies(reply: str) -> bool:
    """Whether a reply ends with what is not so; whoever says "no" to that agrees.

    >>> denies("So you did not like it."), denies("I did not ask. It is deployed.")
    (True, False)
    """
    return _DENIAL.search(_end(reply)) is not None


def suggests(reply: str) -> bool:
    """Whether a reply ends by suggesting something to the user.

    >>> suggests("I see. How about the red one?"), suggests("Shall I deploy it?")
    (True, False)
    """
    return _SUGGESTION.search(_end(reply).rstrip("?")) is not None


def fails(reply: str) -> bool:
    """Whether a reply says that it could not do what was wanted.

    >>> fails("Sorry, there are no trains on Sunday. Another day?"), fails("It leaves at nine.")
    (True, False)
    """
    return _FAILURE.search(_end(reply)) is not None


def _end(reply: str) -> str:
    return reply.rstrip(_TRIMMED)[-END:].replace("’", "'")
