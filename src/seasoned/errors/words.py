"""Words that carry the meaning of a message and therefore never become holes of a template.

"user oracle" and "user guest" may share a template; "not found" and "not readable" may not, nor may
"connect to the server" and "connect to the cache". Any other word is taken for a name, which may
vary, unless it has the form of such a word.
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

_THING = """
account action address agent alert alias api app application archive argument array artifact asset
attribute auth backend backup bandwidth batch binary blob body branch bridge broker browser bucket
budget buffer build bundle button cache callback catalog certificate channel character checkout
checksum child class client clock cloud cluster code codec collection column command comment
commit component config configuration console constraint consumer container content context
controller cookie core counter cpu credential cursor daemon data database dataset date deadline
decoder dependency deployment device dialog dictionary digest directory document domain driver
editor email encoder encoding endpoint engine entity entry environment event execution exporter
extension feature field file filesystem filter firewall flag folder font form frame framework
function gateway graph group handle handler handshake hardware hash header heap history hook host
hostname identifier identity image index inode installer instance instruction integer integration
interface interpreter interval item job journal kernel key keyboard keyword label language layer
layout lease length level library licence license line linker listener literal loader locale
location logger login machine mail manager manifest map mapping mask member message metadata
method metric middleware migration mode model module monitor mount mutex name namespace network
node notebook notification number object offset operand operation operator option order origin
output package packet page pair panel parameter parent parser partition patch path pattern payload
payment peer pipe pipeline pixel platform player plugin pod pointer policy pool popup port
position prefix printer priority process processor producer profile program project prompt
property protocol provider proxy query queue quota ram reader record redirect reference region
register registry relation relay renderer repo repository resolver resource response result
revision role route router row rule runner runtime sandbox scanner schedule scheduler schema
scope script secret section segment selector semaphore sensor sequence serializer server service
session setting shader shard shell signal signature size snapshot socket source space stack stage
state statement step storage store stream string structure subnet subscription suffix swap symbol
system tab table tag target task template tenant terminal test text theme thread threshold ticket
timer timestamp timezone tool topic trace transaction transfer transport tree trigger tunnel tuple
type union user username validator value variable vector vendor version video view viewer volume
warehouse watcher webhook widget window wizard word worker workflow workspace wrapper writer zone
"""

THINGS = frozenset(_THING.split())
MEANINGFUL = frozenset((_FUNCTION + _PREDICATE).split()) | THINGS

# What is named after one of these, as in "table: orders".
LABELS = frozenset(
    "user username account login host group package module table column database service container "
    "image branch command option flag argument parameter field attribute property variable "
    "function method class type key name index role topic queue bucket device node".split()
)

_FORMS = re.compile(
    r".{2,}(?:[^aeiou]ed|ied|[aeiou]ted|ing|able|ible|less|ful|ous|ly|n't|tion|sion|iary|i[sz]es?)"
    r"|(?:un|in|im|ir|non|mis|dis|over|under)[a-z]{4,}(?:ed|ent|ant|al|ect|ble|ing|id)"
    r"|.*(?:Error|Exception|Warning|Failure|Timeout|Fault|Interrupt)"  # types of errors
    r"|[A-Z][A-Z_]+|[A-Z]{1,8}-?\d{3,6}",  # states and codes
)
_PARTS = re.compile(r"[A-Za-z']+")


def meaningful(word: str) -> bool:
    """Tell whether another word here would make another message.

    >>> [meaningful(word) for word in ("found", "unreadable", "rate_limit_exceeded", "ENOENT")]
    [True, True, True, True]
    >>> [meaningful(word) for word in ("oracle", "notes", "main.config")]
    [False, False, False]
    """
    if word.lower() in MEANINGFUL or is_thing(word) or _FORMS.fullmatch(word):
        return True
    if "." in word:
        return False
    parts = _PARTS.findall(word)
    return len(parts) > 1 and any(part in MEANINGFUL or _FORMS.fullmatch(part) for part in parts)


def is_thing(word: str) -> bool:
    """Tell whether a word is a common noun, singular or plural."""
    lowered = word.lower()
    return lowered in THINGS or lowered.removesuffix("s") in THINGS
