"""Whether a sentence is fit to be kept: it names its object, and is not about this moment.

"Undo that" means nothing tomorrow; "7pm, not 7am" was about one alarm. The tables, read on folded
text, stand at the end of the file.
"""

import re

from seasoned.rules.grammar.clauses import EMPTY_WORDS
from seasoned.rules.grammar.polarity import without_negations
from seasoned.rules.grammar.stop_words import LIGHT_WORDS, STOP_WORDS, UNSPACED_STOPS
from seasoned.rules.grammar.text import fold

LONGEST = 30  # words: a longer sentence tells a story
UNSPACED_LEAST = 2  # signs of Chinese or Japanese that name an object
_WORD = re.compile(r"[^\W_][\w+#./'-]*")
_SIGNS = re.compile("[\u30a0-\u30ff\u3400-\u9fff]")
_UNSPACED_STOPS = re.compile("|".join(map(re.escape, UNSPACED_STOPS)))


def stands_alone(sentence: str, language: str) -> bool:
    """Whether a command can be followed by somebody who was not there: it names its object.

    >>> texts = ("Never push to main.", "undo that", "Don't do it again", "Use emojis?")
    >>> [stands_alone(text, "en") for text in texts]
    [True, False, False, False]
    >>> stands_alone("Lass das.", "de"), stands_alone("Verwende keine Emojis.", "de")
    (False, True)
    """
    plain = fold(sentence)
    if "?" in plain or "？" in plain or len(plain.split()) > LONGEST or REPORTED.match(plain):
        return False
    return not points(plain, language) and _names_something(plain)


def points(plain: str, language: str) -> bool:
    """Whether a folded text points at something that only this conversation shows.

    >>> points("never do that again", "en"), points("never push in this repo", "en")
    (True, False)
    """
    plain = IDIOMS.sub(" ", LASTING_PLACES.sub(" ", plain))
    deixis = POINTING.get(language)
    return bool(deixis and deixis.search(plain)) or ELSEWHERE.search(plain) is not None


def _names_something(plain: str) -> bool:
    about = without_negations(plain)
    if _SIGNS.search(about):
        return len(_SIGNS.findall(_UNSPACED_STOPS.sub("", about))) >= UNSPACED_LEAST or bool(
            re.search("[a-z]{2}", about)
        )
    words = [word.strip(".'") for word in _WORD.findall(about)]
    telling = [
        word
        for word in words
        if word not in STOP_WORDS and word not in LIGHT_WORDS and word not in EMPTY_WORDS
    ]
    # The verb alone says nothing, unless it is a light one, which is not counted here.
    heavy_verb = bool(words and telling and words[0] == telling[0])
    return len(telling) > int(heavy_verb)


def is_of_the_moment(piece: str) -> bool:
    """Whether a piece is only a time, a date or a number: it belongs to one occasion.

    >>> pieces = ("7pm", "Saturday", "the 5th of May", "19%", "Python 3.12", "podman", "lunedì")
    >>> [is_of_the_moment(piece) for piece in pieces]
    [True, True, True, True, False, False, True]
    """
    left = MOMENTS.sub(" ", fold(piece))
    return not [word for word in _WORD.findall(left) if word not in STOP_WORDS]


_DAYS = (
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|tue|wed|thu|fri|sat)\b|"
    r"lunes|martes|miercoles|jueves|viernes|sabados?|domingos?|"
    r"segunda(?:-feira)?|terca(?:-feira)?|quarta(?:-feira)?|quinta(?:-feira)?|sexta(?:-feira)?|"
    r"lundis?|mardis?|mercredis?|jeudis?|vendredis?|samedis?|dimanches?|"
    r"montags?|dienstags?|mittwochs?|donnerstags?|freitags?|samstags?|sonnabends?|sonntags?|"
    r"lunedi|martedi|mercoledi|giovedi|venerdi|sabato|domenica"
)
_MONTHS = (
    r"january|february|march|april|may|june|july|august|september|october|november|december|"
    r"enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|"
    r"janeiro|fevereiro|marco|maio|junho|julho|setembro|outubro|novembro|dezembro|"
    r"janvier|fevrier|mars|avril|mai|juin|juillet|aout|septembre|octobre|novembre|decembre|"
    r"januar|februar|marz|juni|juli|oktober|dezember|"
    r"gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|dicembre"
)
_RELATIVE = (
    r"today|tomorrow|yesterday|tonight|noon|midnight|morning|afternoon|evening|week|weekend|"
    r"hoy|manana|ayer|noche|tarde|hoje|amanha|ontem|noite|aujourd'hui|demain|hier|soir|matin|"
    r"heute|morgen|gestern|abend|nachmittag|mittag|woche|oggi|domani|ieri|sera|mattina|"
    r"am|pm|uhr|o'clock|percent|prozent|eur|euros?|usd|dollars?|oclock"
)
MOMENTS = re.compile(
    rf"(?<![\w])(?:{_DAYS}|{_MONTHS}|{_RELATIVE})(?!\w)"
    r"|(?<![\w.])[$€£]?\d[\d.,:/h-]*(?:st|nd|rd|th|am|pm|h|%|€|\$|k|m)?(?![\w])"
    r"|星期.|周[一二三四五六日天]|[一二三四五六七八九十\d]+[点點时時月日号號]|今天|明天|昨天"
    r"|[月火水木金土日]曜日?|今日|明日|昨日|午前|午後|上午|下午"
)
# "Never called anywhere" tells; it commands nothing.
REPORTED = re.compile(
    r"(?:never|always|not) (?!need\b|feed\b|seed\b|embed\b|exceed\b)\w+(?:ed|ing)\b"
    r"|(?:never|always) (?:a|an|the|my|so|too)\b|immer (?:das|der|die|dasselbe|so|wieder)\b"
    r"|.*\bsaid (?:nobody|no ?one)\b"
)
# Places that last, though a pointing word stands before them.
LASTING_PLACES = re.compile(
    r"\b(?:in|for|on|at|inside|across) (?:this|these|our) "
    r"(?:repo\w*|projects?|code ?bases?|teams?|compan\w+|workspaces?|org\w*|machines?|house)\b"
    r"|\ben este (?:repo\w*|proyecto|equipo)\b|\bneste (?:repo\w*|projeto|time)\b"
    r"|\bdans (?:ce|cette) (?:depot|projet|repo\w*|equipe)\b"
    r"|\bin diesem (?:repo\w*|projekt|team)\b|\bin questo (?:repo\w*|progetto)\b"
    r"|(?:在)?这个(?:项目|仓库|代码库)(?:里|中)?|このプロジェクト|このリポジトリ"
)
# A pointing word that points at nothing.
IDIOMS = re.compile(r"\bkeep it (?:brief|short|simple|concise|casual|formal|to the point)\b")
POINTING = {
    language: re.compile(pattern)
    for language, pattern in {
        "en": r"(?<![\w'-])(?:this|these|those|it|them|here|above|below|him|her|they|now)(?![\w-])"
        r"|(?<!\w)that(?= *(?:[.,!;:]|\Z|again\b|any ?more\b|way\b|one\b|ever\b|here\b|now\b|then\b))"
        r"|\b(?:do|undo|like|about|use|change|touch|revert|delete|remove|fix|run|add|of|with|to) that\b",
        "es": r"\b(?:esto|eso|aquello|est[ae]s?|es[ae]s?|estos|esos|aqui|asi|hazlo|dejalo)\b|\blo\b(?! que)",
        "pt": r"\b(?:isto|isso|aquilo|est[ae]s?|ess[ae]s?|nisso|disso|aqui|assim)\b",
        "fr": r"\b(?:ca|cela|ceci|cet|cette|ces|ici)\b|\bce\b(?! (?:que|qui))",
        "de": r"\bdas\b(?= *(?:[.,!;]|\Z|bitte|sein|nicht|nie|so|mal))|\bdies\w*|\bhier\b|\bes\b|\bdamit\b|\bdas(?:selbe)?\Z",
        "it": r"\b(?:questo|questa|questi|queste|quello|quella|cio|qui|cosi|fallo)\b",
        "zh": r"这(?!里用)|那|它",
        "ja": r"これ(?!から)|それ(?!ぞれ)|あれ|この|その(?!場)|あの|ここ|そこ|そう",
    }.items()
}
# In any language: lines and steps of what is on the screen.
ELSEWHERE = re.compile(
    r"\b(?:option|step|line|point|item|number|#) ?#?\d|\b(?:the )?(?:first|second|third|last|previous|next|latter|former) (?:one|option|approach|part)\b"
)
