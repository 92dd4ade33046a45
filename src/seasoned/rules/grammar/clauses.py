"""Split a correction into clauses, without openings that say nothing: "no", "that's wrong", "please"."""

import re
from dataclasses import dataclass

from seasoned.rules.grammar.text import fold, split_sentences, tidy

LONGEST_RULE = 300  # characters
_SEPARATED = r"[\s,.!:;…–—-]+"
# Openings that a comma or the like separates from the matter.
_FIRST = (
    r"no+|nope|nah|u+h+|u+m+|oh|non|nein|nao|ne|wait|stop|hey|ok|okay|well|actually|sorry|hm+|ugh|wrong|incorrect|please|pls|"
    r"again|look|listen|that's (?:wrong|not right|incorrect|not it|not correct|false|not what i (?:asked|wanted)(?: for)?)|"
    r"that is (?:wrong|not right|incorrect|not correct|false)|this is (?:wrong|incorrect)|it's wrong|"
    r"you(?:'re| are) wrong|not quite|wrong tool|yes|yeah|si|sim|oui|ja|doch|"
    r"mal|esta mal|eso esta mal|es incorrecto|incorrecto|eso no es (?:correcto|asi)|espera|oye|por favor|perdon|"
    r"errado|esta errado|isso esta errado|incorreto|isso nao esta certo|espere|"
    r"c'est faux|faux|incorrect|ce n'est pas (?:ca|correct|juste|vrai)|c'est pas ca|attends|s'il te plait|stp|svp|"
    r"s'il vous plait|desole|"
    r"falsch|das ist falsch|das stimmt nicht|stimmt nicht|nicht richtig|bitte|moment|warte|halt|"
    r"sbagliato|e sbagliato|é sbagliato|non é (?:corretto|giusto|cosi)|per favore|aspetta|scusa|errato"
)
# Openings without a separator.
_JOINED = (
    r"(?:no+|nein|non|nao)[,.!]? (?:i (?:said|meant|asked for)|ich (?:sagte|meinte)|dije|quise decir|j'ai dit|je voulais dire|"
    r"eu disse|ho detto|intendevo)\b:?|i (?:said|meant)\b:?|ich (?:sagte|meinte)\b:?|dije\b:?|j'ai dit\b:?|eu disse\b:?|ho detto\b:?|"
    r"please|bitte|por favor|per favore|s'il te plait|but|and|so|pero|mas|mais|aber|ma|und|"
    r"you should(?: just)?(?! not| never| have)|just"
)
_UNSPACED = (
    r"不对|不是这样|错了|不正确|你错了|这不对|那不对|等等|等一下|请|麻烦你?|违う|違います|違う|違うよ|いや|いいえ|いえ|"
    r"間違ってい?ます|間違い(?:です)?|間違ってる|それは違う(?:よ)?|それは間違い(?:です)?|だから|もう|待って|ちょっと"
)
_OPENING = re.compile(
    rf"\A(?:(?:{_FIRST})(?:{_SEPARATED}|\Z)(?<![\w])|(?:{_JOINED})\s+|(?:{_UNSPACED})[\s,.，。、!！：:;；…]*)"
)
# In "no uses docker" the no belongs to the matter; only a comma would make it an opening.
_NEEDS_A_MARK = re.compile(r"\A(?:no+|non|nao|ne|stop|wrong|mal|si|ja|again|doch)\s")
_ENDING = re.compile(
    r"[\s,.!:;…]*(?:,? (?:please|pls|thanks|thank you|ok|okay|right|por favor|gracias|obrigado|obrigada|vale|s'il te plait|"
    r"stp|svp|merci|bitte|danke|per favore|grazie|will you|got it|damn it)|谢谢|好吗|ありがとう)[\s.!?。！？]*\Z"
)
_SMILEY = re.compile("(?:\\s|[:;]-?[()DPp/|]|[\U0001f300-\U0001faff\u2600-\u27bf\ufe0f])+\\Z")
_NO_VERB = re.compile(
    r"\Ano (?=(?:use|try|call|write|make|run|do|put|it's|it is|that's|the|i|just) )"
)


def without_openings(text: str) -> str:
    """Strip the openings of a sentence, and its closing "please" or "thanks".

    >>> without_openings("No, that's wrong, please use podman, please!")
    'use podman'
    >>> without_openings("no uses docker"), without_openings("Nein, nimm podman.")
    ('no uses docker', 'nimm podman.')
    """
    text = text.strip()
    for _ in range(8):
        plain = fold(text)
        found = _NO_VERB.match(plain) or _OPENING.match(plain)
        if not found or (_NEEDS_A_MARK.match(plain) and not _NO_VERB.match(plain)):
            break
        text = text[found.end() :].lstrip(" ,.!:;，。、！：；…–—-")
    text = _SMILEY.sub("", text)
    found = _ENDING.search(fold(text))
    return text[: found.start()].rstrip(" ,") if found else text


# Words of messages that say only that something is wrong, or to try again.
EMPTY_WORDS = frozenset(
    """no nope nah not n't wrong incorrect false bad right correct true that that's this it it's its is isn't are was wasn't be the
    a an you you're your i i'm me my we of to for at all what why how did do does don't didn't doesn't work works working worked
    fail fails failed failing still again try retry redo once more time please stop wait hey ok okay well so just very really
    completely totally and but or answer reply response one asked said meant want wanted need needed mean error mistake
    mistakes wtf ugh hmm sorry thanks thank gave giving give information info task told tell done oh uh uhh dammit damn shit fuck hell correctly
    believe sense making command request question understand understood listen listening get got useless terrible garbage nonsense come on seriously think about fix broken same
    no es esta eso esto mal incorrecto falso otra vez intenta intentalo nuevo de lo que pedi dije quiero respuesta error funciona
    sigue sin la el muy asi correcto te has equivocado equivocaste
    nao errado incorreto falso isso isto ta esta tente novamente outra de novo o que pedi disse quero resposta erro funciona
    ainda certo voce errou
    non faux mauvais incorrect c'est ce n'est pas ca encore reessaie essaie recommence une fois de nouveau la reponse erreur
    marche fonctionne toujours ne demande voulais je j'ai tu t'es trompe vrai juste
    nein falsch das ist nicht richtig stimmt noch mal nochmal einmal versuch versuche es bitte die antwort fehler
    funktioniert geht immer was ich wollte meinte gefragt habe du hast quatsch unsinn
    no sbagliato errato falso non é è cosi giusto corretto riprova ancora di nuovo prova la risposta errore quello che ho chiesto
    volevo funziona hai""".split()
)
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*|\d+")
_EMPTY_UNSPACED = re.compile(
    r"不对|不是|错误?|不正确|不行|再试|试试|一次|一遍|重新|重来|再来|这|那|样|了|的|你|我|吧|啊|吗|呢|答案|回答|还是|完全|都|有问题|没用|"
    r"不|要|想|个|说|是|又|"
    r"違|間違|もう|一度|一回|やり直し|やり直|もういちど|してください|して|ください|それ|これ|は|が|を|う|い|え|ます|です|だ|よ|ね|"
    r"って|て|る|や|いいえ|まだ|ダメ|だめ|駄目|じゃない|ない|答え|正しく|お願い|し|動か|動き|ません|の|ん|で|す|なく|そう|試|直|度|回"
)


def is_empty(text: str) -> bool:
    """Whether a text says no more than that something is wrong.

    >>> is_empty("No, that's wrong! Try again."), is_empty("不对，再试一次"), is_empty("no, podman")
    (True, True, False)
    """
    left = _EMPTY_UNSPACED.sub(" ", fold(text))
    return all(word in EMPTY_WORDS or _is_a_letter(word) for word in _WORD.findall(left))


def _is_a_letter(word: str) -> bool:
    return len(word) == 1 and not "\u3400" <= word <= "\u9fff"


_REQUEST = re.compile(
    r"\A(?:(?:can|could|would|will) you|(?=.*[?？]\Z)(?:puedes|podrias|voce pode|poderia|peux-tu|pourrais-tu"
    r"|kannst du|konntest du|puoi|potresti))(?: please| por favor| bitte)?,? "
)
# A standing wish may follow a request in the same sentence.
_AND_FROM_NOW_ON = re.compile(
    r"(?:,|;)? (?:and|but|y|pero|e|mas|et|mais|und|aber|ma) "
    r"(?=(?:from now on|in (?:the )?future|going forward|a partir de ahora"
    r"|de ahora en adelante|a partir de agora|de agora em diante"
    r"|desormais|a l'avenir|ab jetzt|ab sofort|in zukunft|kunftig|d'ora in poi|in futuro)\b)"
)


def _without_asking(text: str) -> str:
    """Turn a question that asks for something into the request: "can you stop …?"."""
    found = _REQUEST.match(fold(text))
    if not found:
        return text
    rest = text[found.end() :].rstrip(" ?？")
    return f"do not {rest[4:]}" if fold(rest).startswith("not ") else rest


def _parts(sentence: str) -> list[str]:
    found = _AND_FROM_NOW_ON.search(fold(sentence))
    return [sentence[: found.start()], sentence[found.end() :]] if found else [sentence]


@dataclass(frozen=True, slots=True)
class Clause:
    """A sentence of the user: as written, without openings, and that folded."""

    quote: str
    text: str
    plain: str


def clauses_of(message: str) -> list[Clause]:
    """Return the sentences of a message that say something."""
    found: list[Clause] = []
    for quote in (part for sentence in split_sentences(message) for part in _parts(sentence)):
        text = without_openings(_without_asking(without_openings(tidy(quote, LONGEST_RULE))))
        if text and not is_empty(text):
            found.append(Clause(quote, text, fold(text)))
    return found
