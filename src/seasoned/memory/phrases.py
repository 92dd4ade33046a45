"""Phrases that mark a promise, a decision, an open question or a preference, by language."""

import re

from seasoned.memory.observation import Kind


def _any(*phrases: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{phrase})" for phrase in phrases), re.IGNORECASE)


# Explicit promises: such a sentence is always kept.
PROMISED = _any(
    r"\b(?:I|we)(?: do| hereby| can)? (?:promise|commit to|swear|guarantee|vow)\b",
    r"\byou have my word\b|\bthat(?:'s| is) a promise\b",
    r"\bich verspreche|\bversprochen\b|\bje (?:te |vous )?(?:le )?promets\b|\bc'est promis\b",
    r"\b(?:te |se )?lo prometo\b|\bte prometo\b|\b(?:ti |te lo )?prometto\b|\beu prometo\b",
    r"我保证|我答应|我承诺|約束します|約束する",
)
# Requests to keep something in mind.
TO_KEEP = _any(
    r"\b(?:please |always )?remember (?:to|that|this|my|our|not|:)",
    r"\b(?:keep|bear) in mind\b|\b(?:don['’]?t|do not) forget\b|^never forget\b|\bfrom now on\b",
    r"\bvergiss nicht\b|\bdenk(?:e)? daran\b|\bmerk(?:e)? dir\b|\berinnere mich\b|\bab jetzt\b",
    r"\bn'oubli(?:e|ez) pas\b|\brappelle(?:z)?-moi\b|\bà partir de maintenant\b",
    r"\bno (?:te )?olvides\b|\brecuérdame\b|\brecuerda que\b|\ba partir de ahora\b",
    r"\bnon dimenticare\b|\bricordami\b|\bricorda(?:ti)? che\b|\bd'ora in poi\b",
    r"\bnão (?:te |se )?esque[çc]as?\b|\blembr[ae]-me\b|\ba partir de agora\b",
    r"别忘|记住|提醒我|忘れないで|覚えておいて",
)
# Reminders, which may be phrased as a question.
REMIND = _any(
    r"\bremind me (?:again )?(?:to|that|on|at|when|before|after|every|tomorrow|tonight|next"
    r"|in \d+)\b"
)
# Somebody will do something…
WILL = _any(
    r"\b(?:I|we)(?:['’]ll| will| shall| am going to| are going to|['’]m going to"
    r"|['’]re going to)\b",
    r"\b(?:I|we) (?:won['’]t|will (?:not|never|always))\b",
    r"\bich werde\b|\bwir werden\b|\bje (?:vais|ferai)\b|\bnous allons\b|\bvoy a\b|\bvamos a\b",
    r"\bvado a\b|\bfarò\b|\bvou\b",
)
# … at a later time, which makes it a promise.
LATER = _any(
    r"\b(?:to(?:morrow|night)|later|next|weekly|daily|monthly|mon|tues|wednes|thurs|fri|satur|sun)"
    r"(?:day)?\b",
    r"\bby (?:the end|eod|noon|\d|then|january|february|march|april|may|june|july|august|september"
    r"|october|november|december)",
    r"\b(?:before|until|till|once|whenever|every|each|always|never|again|afterwards?|as soon as"
    r"|going forward|from now on|in (?:the )?future|at the end|when(?:ever)? (?:you|we|it|the)"
    r"|after (?:you|we|the|that|it)|make sure|remind|in \d+ (?:min|hour|day|week|month))",
    r"\b(?:morgen|später|nächste[nrs]?|jede[nrsm]?|immer|nie|bevor|sobald|bis)\b",
    r"\b(?:demain|plus tard|prochaine?|chaque|toujours|jamais|avant|dès que|jusqu)",
    r"\b(?:mañana|más tarde|próxim[oa]|cada|siempre|nunca|antes|hasta)\b",
    r"\b(?:domani|più tardi|prossim[oa]|ogni|sempre|mai|prima|fino)\b|\b(?:amanhã"
    r"|mais tarde|até)\b",
)
DECIDED = _any(
    r"\b(?:we|I)(?:['’]ve| have| both)? (?:decided|agreed|settled on|chose|opted|concluded)\b",
    r"\blet['’]?s (?:go with|use|stick (?:with|to)|take|keep(?! \w+ing\b)|switch to|drop"
    r"|call it|name it)\b",
    r"\bwe(?:['’]ll| will| are going to) (?:go with|use|stick|take|keep|switch|drop)\b",
    r"\b(?:decision|agreed|decided)\s*[:\-–]|\bit['’]?s settled\b|\bthe plan is\b|\bgoing with\b",
    r"\bwir haben .{0,60}?\b(?:entschieden|beschlossen)\b|\bwir nehmen\b|\bnehmen wir\b",
    r"\b(?:on a|nous avons|j'ai) décidé\b|\bprenons\b|\bhemos decidido\b|\bvamos con\b",
    r"\babbiamo deciso\b|\bandiamo con\b|\bdecidimos\b|\bvamos com\b|我们决定|决定用|決めました",
)
OPEN = _any(
    r"\bstill (?:open|unclear|undecided|unresolved|to be)\b|\bto be (?:decided|determined"
    r"|confirmed)",
    r"\b(?:tbd|tbc)\b|\bopen question\b|\bundecided\b|\bnot (?:yet )?(?:decided|settled"
    r"|clear yet)\b",
    r"\b(?:haven['’]?t|have not|not) decided\b|\bdecide (?:that |this |it )?later\b",
    r"\b(?:need|have) to (?:find out|clarify|decide|figure out|check with)\b",
    r"(?:['’]ll|will) (?:get|come) back to (?:you|that|this)\b|\bwaiting (?:for"
    r"|on) (?:an answer|confirmation)\b",
    r"\bnoch (?:offen|unklar|nicht entschieden)\b|\breste à (?:décider|savoir)\b",
    r"\bqueda por decidir\b|\bpor decidir\b|\b(?:ancora )?da decidere\b|还没决定|未定",
)
PREFERRED = _any(
    r"\bI(?:['’]d| would)? (?:really |much )?(?:prefer|rather|like it when|love|hate"
    r"|dislike|enjoy)\b",
    r"\bI (?:always|never|usually) (?:use|want|work|write|eat|drink|take|do)\b|\bI want you to\b",
    r"\bplease (?:always|never|do not|don['’]?t|avoid|keep|stick)\b|\bcall me\b",
    r"\bmy (?:favou?rite|preferred)\b",
    r"\bich (?:bevorzuge|mag|hasse|möchte lieber|hätte lieber)\b|\bnenn mich\b"
    r"|\bbitte (?:immer|nie)\b",
    r"\bje préfère\b|\bj'aime\b|\bappelle-moi\b|\bprefiero\b|\bllámame\b|\bme gusta\b",
    r"\bpreferisco\b|\bchiamami\b|\bmi piace\b|\bprefiro\b|\bme chame\b|我喜欢|我更喜欢|の方がいい",
)
# Statements of users about themselves.
OWN = _any(
    r"\b(?:my|our) [\w'’ -]{1,50}? (?:is|are|was|were|has|have|lives?|works?|runs?|starts?"
    r"|ends?)\b",
    r"\bI(?:['’]m| am) (?:an?|the|from|in|at|based|called|named|allergic|responsible|working|on)\b",
    r"\b(?:I|we) (?:work|live|use|run|own|have|need|moved|started|deploy|host)\b",
    r"\b(?:mein|meine|unser|unsere)\b.{1,50}?\b(?:ist|sind|heißt)\b|\bwir (?:benutzen"
    r"|nutzen|haben)\b",
    r"\b(?:mon|ma|mes|notre|nos)\b.{1,50}?\b(?:est|sont|s'appelle)\b|\bnous utilisons\b",
    r"\b(?:mi|mis|nuestr[oa]s?)\b.{1,50}?\b(?:es|son|se llama)\b|\busamos\b|\busiamo\b",
)
# Statements, as opposed to requests.
STATES = _any(
    r"\b(?:is|are|was|were|has|have|had|will be|costs?|takes?|lasts?|starts?|ends?|runs?|lives?"
    r"|works?|uses?|belongs?|means?|equals?|needs?)\b|[=:]",
    r"\b(?:ist|sind|war|hat|haben|kostet|heißt|est|sont|était|ont|coûte)\b",
    r"\b(?:es|son|era|tiene|cuesta|sono|ha|costa|é|são|tem|custa)\b|是|です",
)
REQUESTS = re.compile(
    r"^(?:please|can|could|would|will|do|show|tell|give|explain|write|make|find|list|add|fix|run"
    r"|check|look|help|try|now|bitte|kannst|zeig|peux|montre|puedes|muestra|puoi|mostra)\b",
    re.IGNORECASE,
)
NUMBER = re.compile(r"\d")
# A capital inside a sentence marks a name in most of these languages.
NAME = re.compile(r"(?<=[a-z,;:)] )[A-Z][\w.-]*[a-z0-9]|\b[A-Z]{2,}\b|[a-z]+[-_./][a-z0-9]+\w")

# Kind, phrases, whether only the user can say it, whether it is explicit. The first match wins.
TABLE: tuple[tuple[Kind, re.Pattern[str], bool, bool], ...] = (
    ("promise", PROMISED, False, True),
    ("promise", REMIND, True, True),
    ("promise", TO_KEEP, True, True),
    ("question", OPEN, False, False),
    ("decision", DECIDED, False, False),
    ("preference", PREFERRED, True, False),
    ("fact", OWN, True, False),
)
