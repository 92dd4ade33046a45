"""Which language a text is in, by its small words; enough to choose the wording of a rule."""

import re
from collections import Counter

from seasoned.rules.stop_words import LIGHT, STOP
from seasoned.rules.text import folded

LANGUAGES = ("en", "es", "pt", "fr", "de", "it", "zh", "ja")
READ = 600  # characters
_WORDS = re.compile(r"[^\W\d_]+")
_KANA, _HAN = re.compile("[\u3040-\u30ff]"), re.compile("[\u3400-\u9fff]")
# Words that show a language, though they are no stop words.
TELLING = {
    "en": "not no don't never stop wrong the use",
    "es": "no nunca deja esta mal incorrecto jamas sin prefiero llamame idioma",
    "pt": "nao nunca pare errado voce sem prefiro portugues jamais",
    "fr": "pas jamais arrete faux mauvais ne sans prefere francais n c d qu",
    "de": "nicht kein keine keinen nie falsch nein niemals ohne deutsch lieber ab",
    "it": "non mai smetti sbagliato senza preferisco niente evita italiano",
}
_WEIGHTS: dict[str, dict[str, float]] = {}
for _code in STOP:
    for _word in set(f"{STOP[_code]} {LIGHT[_code]} {TELLING[_code]}".split()):
        _WEIGHTS.setdefault(_word, {})[_code] = 1.0
for _codes in _WEIGHTS.values():
    _codes.update(dict.fromkeys(_codes, 1 / len(_codes)))


def spoken(text: str) -> str | None:
    """The code of the language; None when nothing tells.

    >>> spoken("no uses docker en este proyecto"), spoken("用podman"), spoken("podman!")
    ('es', 'zh', None)
    """
    text = text[:READ]
    kana, han = len(_KANA.findall(text)), len(_HAN.findall(text))
    if kana + han and 2 * (kana + han) >= len(_WORDS.findall(text)):
        return "ja" if kana else "zh"
    score = Counter[str]()
    for word in _WORDS.findall(folded(text)):
        score.update(_WEIGHTS.get(word, {}))
    if not score:
        return None
    (best, most), *others = score.most_common(2)
    return best if not others or most > others[0][1] else None
