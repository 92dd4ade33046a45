"""Words that carry the meaning of a message: no template may ever have a hole in their place.

Names and nouns are left out on purpose: "user oracle" and "user guest" may be one template, while
"not found" and "not readable" may not.
"""

import re

_FUNCTION = """
a about above after again against all already also an and another any are as at be because been
before being below between both but by can cannot could did do does doing done due during each
either else every for from had has have how if in inside instead into is it its itself just least
less like many may might more most much must neither never no none nor not nothing now of off on
once one only onto or other otherwise out outside over per rather same several shall should since
so some such than that the their them then there these they this those though through thus to
together too toward two under until up upon use used via was we were what when where whether which
while who whose why will with within without would yet you your
"""
_PREDICATE = """
abort aborted absent accept access add allow ambiguous await awake bad begin begun big bind block
break broke broken busy bye call cancel catch cause change check clean clear close complete
conflict connect connection contain continue corrupt crash create cyclic dead deep default delete
denied deny deprecated differ different dirty disable disconnect disk down drop duplicate early
element empty enable end enough equal error errors exact exceed exception exist exists exit expect
expire export extra fail failed fails failure false fatal few fewer final find fine finish first
forbidden forget forgot format forward found free fresh full gave generic get give given go gone
got grant great guess halt hang hidden high hit hold idle illegal import inactive incompatible
incomplete incorrect indirect infinite inherit initial inner input insecure internal invalid join
keep kept kill know known lack large last late launch lead leak left legal lie limit link list
listen load local lock locked long loop lose lost low lower main make malformed match maximum mean
memory merge minimum mismatch miss missing multiple mutable need negative new next non null
obsolete occur offline ok okay old online open optional outer overflow owner parse partial pass
password pending permission permit positive possible post prevent prior private proceed prohibit
public put quit quota raise ran range rate raw reach read readonly ready receive recent recover
redundant refuse reject release reload remote remove repeat replace reply request require reserve
reset resolve restart restore resume retry return returns reuse revert right rollback run safe
save scan second secure seem select send sent set shut shutdown sign single skip sleep slow small
speak spend start static status stop stops strict success successful support suspend switch sync
syntax take terminate throw time timeout token true truncate try turn unable unavailable unbound
undefined understand unexpected uninstall unique unknown unless unlock unmatched unreachable
unresolved unsafe unset unsupported update upgrade upper usage valid verify violate violation void
wait want warning weak went write written wrong wrote yield zero
"""

MEANINGFUL = frozenset((_FUNCTION + _PREDICATE).split())

_FORMS = re.compile(
    r".{2,}(?:[^aeiou]ed|ied|[aeiou]ted|ing|able|ible|less|ful|ous|ly|n't|tion|sion|iary|i[sz]es?)"
    r"|(?:un|in|im|ir|non|mis|dis|over|under)[a-z]{4,}(?:ed|ent|ant|al|ect|ble|ing|id)"
    r"|.*(?:Error|Exception|Warning|Failure|Timeout|Fault|Interrupt)"  # types of errors
    r"|[A-Z][A-Z_]+|[A-Z]{1,8}-?\d{3,6}",  # states and codes
)
_PARTS = re.compile(r"[A-Za-z']+")


def meaningful(word: str) -> bool:
    """Whether a different word here would be a different message.

    >>> [meaningful(word) for word in ("found", "unreadable", "rate_limit_exceeded", "ENOENT")]
    [True, True, True, True]
    >>> [meaningful(word) for word in ("oracle", "notes", "main.config")]
    [False, False, False]
    """
    if word.lower() in MEANINGFUL or _FORMS.fullmatch(word):
        return True
    if "." in word:
        return False
    parts = _PARTS.findall(word)
    return len(parts) > 1 and any(part in MEANINGFUL or _FORMS.fullmatch(part) for part in parts)
