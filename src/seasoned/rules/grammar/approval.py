"""Whether a short message praises the last reply, or rejects it.

The tables of phrases, read on folded text, stand at the end of the file.
"""

import re
from typing import Literal

from seasoned.rules.grammar.phrases import IMPERATIVES
from seasoned.rules.grammar.text import fold, tidy

LONGEST_VERDICT = 120  # characters: a longer message is about something, not a verdict
MOST_WORDS = 14
FEW_WORDS = 6  # in so few words, praise may stand anywhere
LONGEST_UNSPACED_VERDICT = 40
Verdict = Literal["positive", "negative"]

_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_QUOTED = re.compile(
    r"(?<!\w)(?:'[^']{1,60}'|\"[^\"]{1,60}\"|“[^”]{1,60}”|«[^»]{1,60}»|「[^」]{1,60}」)(?!\w)"
)
# These also begin verdicts: "me encanta", "sigue fallando".
_NO_REQUESTS = frozenset({"me", "se", "sigue", "don't"})
_REQUESTS = frozenset({"fix", "correct"}).union(*IMPERATIVES.values()) - _NO_REQUESTS


def approval(message: str) -> Verdict | None:
    """Return whether a message praises or rejects the last reply; None unless it says so outright.

    Thanks alone are manners, not praise.

    >>> approval("works now, thanks"), approval("it still fails"), approval("no funciona")
    ('positive', 'negative', 'negative')
    >>> approval("not bad at all"), approval("kein Problem"), approval("thanks, now add a test")
    ('positive', None, None)
    >>> approval("thx"), approval("Thanks for nothing")
    (None, None)
    """
    text = message[: 2 * LONGEST_VERDICT].strip()
    limit = LONGEST_UNSPACED_VERDICT if _UNSPACED.search(text) else LONGEST_VERDICT
    if not text or len(message.strip()) > limit or len(text.split()) > MOST_WORDS:
        return None
    plain = _QUOTED.sub(" ", fold(tidy(text, LONGEST_VERDICT)))
    return None if _asks_for_something(plain) else _verdict(NEITHER.sub(" ", plain))


_ASSENT = re.compile(
    r"(?:(?:yes|yeah|yep|yup|y|ok|okay|sure|go|ahead|for|it|please|do|continue|proceed|thanks|thank you|thx|ty|fine|cool|right"
    r"|commit|push|merge|next|sounds good|let's|si|vale|claro|gracias|sim|obrigad[oa]|oui|merci|d'accord|ja|danke|weiter|gut"
    r"|va bene|grazie|[a-d]|[0-9]{1,2}|好的?|是的?|继续|谢谢|はい|お願いします|ありがとう|うん)[\s,.!)、。，！]*)+"
)


def is_assent(message: str) -> bool:
    """Whether a message only agrees, thanks, or picks an option: nobody needs to judge it.

    >>> is_assent("yes please!"), is_assent("2)"), is_assent("yes, but without the tests")
    (True, True, False)
    """
    return len(message) <= LONGEST_VERDICT and bool(_ASSENT.fullmatch(fold(message).strip()))


def _asks_for_something(plain: str) -> bool:
    """Whether it is a question, or a request like "find the wrong entries"."""
    first, _, rest = plain.partition(" ")
    return "?" in plain or bool(rest and first in _REQUESTS) or bool(REQUEST.search(plain))


def _verdict(plain: str) -> Verdict | None:
    if SARCASM.search(plain):
        return None
    fine = any(pattern.search(plain) for pattern in NO_BLAME)
    for pattern in NO_BLAME:
        plain = pattern.sub(" ", plain)
    if NEGATIVE.search(plain) or NOT_GOOD.search(plain):
        return "negative"
    praise = POSITIVE.search(plain)
    if not (fine or praise) or GOES_ON.search(plain):
        return None
    # "The perfect tense is …" has the word, but is about something.
    if praise and praise.start() > 0 and len(plain.split()) > FEW_WORDS:
        return None
    return "positive"


# Phrases that only sound like a verdict; blanked out first.
NEITHER = re.compile(
    r"no problem\w*|no worries|not a problem|never mind|nevermind|no rush|sin problema|no hay problema|no pasa nada|de nada|"
    r"sem problema\w*|nao tem problema|de rien|pas de (?:probleme|souci)s?|aucun probleme|kein(?:e)? problem\w*|keine sorge|macht nichts|"
    r"nessun problema|di niente|non importa|fa niente|没问题|没关系|不客气|不用谢|問題ない|問題ありません|大丈夫です"
)
NEGATIVE = re.compile(
    # it does not work, it still fails
    r"\b(?:doesn't|does not|didn't|did not|don't|isn't|is not|not|never|won't|doesnt|didnt) (?:\w+ )?(?:work\w*|help\w*|right|correct|good|great|ok|okay|"
    r"true|accurate|useful|helpful|what i \w+|it|compile|run|fix\w*|quite)\b|\bnot (?:good|right|correct|helpful|useful|working)\b|"
    r"\b(?:still|again) (?:\w+ )?(?:fail\w*|broken|wrong|crash\w*|error\w*|the same|not|doesn't|bad)\b|\bfails\b|\bbroken\b|\bcrash(?:es|ed)\b|"
    r"\b(?:wrong|incorrect|useless|terrible|awful|horrible|bad answer|garbage|nonsense|rubbish|worse|disappointing)\b|\bno good\b|\bsame error\b|\bthat's bad\b|"
    # Spanish
    r"\bno (?:\w+ )?(?:funciona\w*|sirv\w+|funciono|esta bien|es correcto|es eso|me gusta|ayuda\w*|compila|es lo que)\b|\b(?:sigue|todavia|aun) (?:sin|falla\w*|no|dando|mal)\b|"
    r"\b(?:esta mal|incorrecto|inutil|horrible|pesimo|terrible|falla|mal hecho|fatal)\b|"
    # Portuguese
    r"\bnao (?:\w+ )?(?:funciona\w*|funcionou|serve|esta certo|ta certo|é isso|gostei|ajud\w+|deu certo|compila|é o que)\b|\b(?:continua|ainda) (?:nao|falha\w*|com erro|errado|dando|sem)\b|"
    r"\b(?:errado|incorreto|pessimo|horrivel|terrivel|ruim|falhou)\b|"
    # French
    r"\b(?:ne |n')?(?:marche|fonctionne|va|aide|convient|compile|est) (?:toujours |vraiment )?(?:pas|plus)\b(?! mal)|\b(?:pas|jamais) (?:bon|correct|ca|terrible|utile|juste|bien)\b|\btoujours (?:pas|faux|la meme erreur|une erreur)\b|"
    r"\b(?:c'est faux|faux|nul|mauvais|mauvaise reponse|inutile|ca plante|echoue|n'importe quoi)\b|\bn?'?(?:j'|je n')aime pas\b|\Amal\Z|"
    # German
    r"\b(?:funktioniert|geht|klappt|stimmt|hilft|passt|laeuft|lauft|gefallt)(?: \w+){0,2} (?:nicht|nie)\b|\bnicht (?:richtig|gut|korrekt|hilfreich|das|was|brauchbar)\b|\b(?:immer noch|noch immer|weiterhin)(?: \w+)? (?:falsch|kaputt|nicht|fehler|ein fehler)\b|"
    r"\b(?:falsch|schlecht|furchtbar|schrecklich|unbrauchbar|nutzlos|quatsch|unsinn|kaputt|mist)\b|"
    # Italian
    r"\bnon (?:\w+ )?(?:funziona\w*|va|serve|é corretto|é giusto|mi piace|aiuta|compila|é quello|va bene)\b|\b(?:ancora|sempre) (?:non|sbagliato|rotto|errore|lo stesso errore)\b|"
    r"\b(?:sbagliato|errato|inutile|pessimo|terribile|orribile|fallisce|schifo)\b|"
    # Chinese, Japanese
    r"不对|错了|不行|没用|不好用|不起作用|不工作|还是不|仍然不|还是错|没有用|不正确|太差|糟糕|失败了|报错|有错|不好|不满意|不是我想要|"
    r"動かない|動きません|動かなかった|違います|違う|間違|ダメ|だめ|駄目|うまくいかない|うまくいきません|失敗|まだエラー|エラーが出|役に立たない|良くない|よくない|ひどい|できていない|使えない"
)
POSITIVE = re.compile(
    r"\bcouldn't be better\b|\bdid the trick\b|\Agood,? (?:thanks|thank you)\b|\Atop\b|\Aisso,? obrigad|"
    r"\b(?:perfect|perfectly|great|excellent|awesome|amazing|brilliant|fantastic|wonderful|superb|nice|very good|love it|well done|good job|great job|nailed it|spot on|"
    r"exactly(?: right| what i \w+)?|works(?: now| great| well| perfectly| fine)?|it worked|that worked|that works|much better|that's (?:right|correct|it|better)|helpful|looks good|lgtm|fixed)\b|"
    r"\b(?:perfecto|perfecta|excelente|genial|estupendo|fantastico|maravilloso|muy bien|bien hecho|buen trabajo|funciona(?: ya)?|ya funciona|eso es|exacto|correcto|me gusta|me encanta|mucho mejor|increible)\b|"
    r"\b(?:perfeito|perfeita|excelente|otimo|otima|maravilhoso|muito bem|bom trabalho|funcionou|agora funciona|é isso|exato|isso mesmo|correto|gostei|adorei|muito melhor|deu certo|show)\b|"
    r"\b(?:parfait|parfaite|excellent|excellente|super|genial|formidable|bravo|tres bien|bien joue|bon travail|ca marche|ca fonctionne|c'est (?:ca|bon|parfait|correct)|exactement|impeccable|nickel|j'adore|beaucoup mieux)\b|"
    r"\b(?:perfekt|super|toll|prima|klasse|ausgezeichnet|hervorragend|wunderbar|grossartig|großartig|sehr gut|gut gemacht|funktioniert|klappt|geht jetzt|passt|genau(?: so| das)?|stimmt|richtig|viel besser|spitze)\b|"
    r"\b(?:perfetto|perfetta|ottimo|ottima|eccellente|fantastico|bravissimo|bravo|benissimo|molto bene|ben fatto|buon lavoro|ora funziona|funziona|esatto|giusto|corretto|mi piace|molto meglio|grande)\b|"
    r"完美|太好了|太棒了|很好|非常好|好极了|可以了|成功了|正确|没错|就是这样|厉害|很棒|好用|搞定了|对了|"
    r"完璧|素晴らしい|すばらしい|最高|助かりました|助かった|いいですね|良いですね|いいね|正解|その通り|動きました|動いた|うまくいきました|うまくいった|バッチリ|ばっちり|さすが|完了しました"
)
# Said of what went wrong: "thanks for nothing", "great, now it is worse".
SARCASM = re.compile(
    r"\b(?:thanks|thank you|thx|great|good|nice|fine|perfect|wonderful|brilliant|fantastic|awesome|amazing|well done|bravo)\b,?(?: a lot| so much| very much)? (?:for (?:nothing|breaking|deleting|wasting|ruining|losing|messing|destroying|ignoring)|job (?:breaking|deleting|ruining|destroying|losing)|work (?:breaking|deleting|ruining|destroying))"
    r"|\b(?:oh|yeah|just|sure|how) (?:\w+,? )?(?:great|wonderful|perfect|brilliant|fantastic|nice|lovely|helpful)\b(?! (?:work|job|answer|thanks|idea|catch))"
    r"|\b(?:great|nice|perfect|wonderful|brilliant|fantastic|awesome|amazing)[,.! …]+(?:now|another|just what|yet another|so|and now) "
    r"|\b(?:very|so|really) (?:funny|clever|smart)\b|/s\Z|🙄|🤦|👏"
    r"|gracias por nada|obrigad[oa] por nada|valeu por nada|merci pour rien|danke fur nichts|danke fur gar nichts|grazie per niente|grazie di niente|谢谢你?(?:啊)?[，,]?什么|真(?:行|厉害)啊"
    r"|\b(?:na|ja)[, ]+(?:toll|super|klasse|prima|wunderbar)\b|\btoll gemacht,? (?:wirklich|jetzt)"
)
# A message that asks, or turns to the next matter, is no verdict because of its thanks.
GOES_ON = re.compile(
    r"[?？]|\A(?:how|what|why|when|where|if)\b|\b(?:can you|could you|please|now (?:add|make|do|write|please|let's)|next|also|would|kannst du|bitte|"
    r"puedes|por favor|podrias|ahora (?:haz|anade|pon)|pode|poderia|agora (?:faca|adicione)|peux-tu|pouvez|maintenant (?:ajoute|fais)|puoi|potresti|adesso|"
    r"jetzt (?:mach|fug|bitte)|mach jetzt|i need|i want|quiero|necesito|ich brauche|voglio|je veux|quero)\b|请|帮我|接下来|ください|次は|お願い"
)
NO_ERROR = re.compile(
    r"\b(?:no|without|any|nothing|sin|sem|sans|ohne|kein\w*|senza|nessun\w*|nao) (?:more |mehr |mas |mais |piu )?(?:errors?|errores|erros?|erreurs?|fehler|errori|errore|wrong|broken|mist)\b|"
    r"没有(?:错误|报错)|不再报错|エラー(?:が)?(?:なし|ない|出なく|消え)"
)
NO_LONGER = re.compile(
    r"\b(?:fails|broken|wrong|bad|crash\w*) (?:anymore|no more)\b|\bno longer (?:fails|broken|wrong|crash\w*)\b|\bya no falla\b|\bnao falha mais\b"
)
NOT_GOOD = re.compile(
    r"\b(?:isn't|not|no|nao|non|nicht) (?:so |very |really |tan |muito |tres |sehr |molto )?(?:perfect|great|nice|excellent|perfecto|genial|perfeito|otimo|parfait|super|perfekt|toll|perfetto|ottimo|funktioniert|thanks)\b"
)

NOT_BAD = re.compile(
    r"\bnot bad\b|\bnot too bad\b|\bnada mal\b|\bno esta (?:nada )?mal\b|\bnada mau\b|\bpas mal\b|\bnicht (?:schlecht|ubel)\b|\bniente male\b|\bnon (?:é )?male\b|不错|悪くない"
)

# Requests, whatever words of praise or blame they contain.
REQUEST = re.compile(
    r"\Aperfect (?:the|this|my|your)\b|を[^、。]{1,10}て(?:ください)?[。.!！]*\Z|\A(?:找出|修复|翻译|写|列出|改正|检查)"
)
NO_BLAME = (NOT_BAD, NO_ERROR, NO_LONGER)
