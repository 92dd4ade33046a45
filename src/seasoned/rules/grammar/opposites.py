"""Words that exclude each other: opposed pairs, and values of which a rule can choose only one."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from seasoned.rules.grammar.text import fold

# Opposed manners of answering: "be brief" and "be detailed" name no other thing.
MANNERS: dict[str, tuple[str, str]] = {
    "length": (
        """brief briefly concise concisely short shorter terse succinct breve breves brevemente
        corto corta cortas cortos conciso concisa concisas curto curta curtas curtos bref breve
        court courte courtes courts concis kurz kurze kurzer kurzen knapp knappe knapper kurzere
        corte 简短 简洁 简明 短く 簡潔 手短""",
        """detailed verbose long longer lengthy thorough thoroughly elaborate detail details
        detallado detallada detalladas detallados detalle detalles largo larga largas largos
        extenso extensa detalhado detalhada detalhadas detalhes longo longa longas longos detaille
        detaillee detaillees longue longues longs details ausfuhrlich ausfuhrliche ausfuhrlicher
        ausfuhrlichen lang lange langen langer detailliert detaillierte detaillierter dettagliato
        dettagliata dettagliate dettaglio dettagli lungo lunga lunghe lunghi 详细 详尽 長く 詳しく
        詳細""",
    ),
    "tone": (
        """formal formally formel formelle formell formelle formelles formlich formale formalmente
        usted siezen sieze vouvoie vouvoyer vouvoyez 正式 敬語 丁寧""",
        """informal informally casual casually informel informelle informell informale tutea
        tuteame tutear tutoie tutoyer duzen duze locker colloquial 随意 口语 タメ口 カジュアル""",
    ),
}
# Opposed only if both rules name the same thing besides. A word with "$" counts only at the end of
# a clause.
THINGS: dict[str, tuple[str, str]] = {
    "amount": (
        "more mas mais plus mehr piu 更多 もっと 増やし",
        "less fewer menos moins weniger meno 更少 减少 減らし",
    ),
    "switch": (
        "enable enabled activa activar ative ativar active activez aktiviere"
        " aktivieren attiva 启用 开启 有効",
        "disable disabled desactiva desactivar desative desativar desactive desactivez deaktiviere"
        " deaktivieren disattiva 禁用 关闭 無効",
    ),
    "presence": (
        """add include agrega anade incluye adicione inclua ajoute ajoutez hinzufugen fuge
        aggiungi includi 添加 加上 追加""",
        """remove delete exclude drop elimina quita borra excluye remova apague exclua supprime
        supprimez enleve retire entferne entfernen losche loschen rimuovi togli escludi 删除 去掉
        移除 削除 消し""",
    ),
    "case": (
        "uppercase mayusculas maiusculas majuscules grossbuchstaben maiuscole 大写 大文字",
        "lowercase minusculas minuscules kleinbuchstaben minuscole minuscolo 小写 小文字",
    ),
    "quotes": (
        "single simples simple simples einfache einfachen singoli 单引号 シングル",
        "double doubles dobles duplas doppelte doppelten doppi doppie 双引号 ダブル",
    ),
    "order": (
        "before antes avant vor bevor prima 之前 前に",
        "after despues depois apres nach nachdem dopo 之后 後に 後で",
    ),
    "sight": (
        "show muestra mostre affiche montre zeige mostra 显示 表示",
        "hide oculta esconda cache verstecke nascondi 隐藏 隠し",
    ),
    "sequence": ("ascending ascendente croissant aufsteigend crescente 升序 昇順",
                 "descending descendente decroissant absteigend decrescente 降序 降順"),
    "theme": ("light claro clair hell helle chiaro 浅色 ライト",
              "dark oscuro escuro sombre dunkel dunkle scuro 深色 ダーク"),
    "direction": (
        "up upwards aufwarts auf$ arriba acima 向上 切り上げ",
        "down downwards abwarts ab$ abajo abaixo 向下"
        " 切り捨て",
    ),
    "edge": (
        "top beginning start oben anfang inicio principio topo comeco haut debut cima inizio"
        " 顶部 开头 先頭",
        "bottom end unten ende fin final fundo fim bas fondo fine 底部 末尾",
    ),
    "rank": (
        "first erste ersten erster primero primer primera primeiro primeira premier premiere primo"
        " prima 第一 最初",
        "last letzte letzten letzter ultimo ultima dernier derniere 最后 最後",
    ),
    "state": (
        "open offen geoffnet abierto abierta abiertas abiertos aberto aberta ouvert ouverte"
        " ouvertes aperto aperta 打开",
        "closed shut geschlossen zu$ cerrado cerrada cerradas cerrados fechado fechada ferme fermee"
        " fermees chiuso chiusa 关上",
    ),
    "openness": ("public publico publica publique offentlich pubblico 公开 公開",
                 "private privado privada prive privee privat privato 私有 非公開"),
}  # fmt: skip

# Of each class a rule can want only one value; each line lists the words of a value.
VALUES: dict[str, tuple[str, ...]] = {
    "language": (
        "english ingles anglais englisch inglese 英语 英文 英語",
        "spanish espanol castellano espagnol spanisch spagnolo espanhol 西班牙语 スペイン語",
        "portuguese portugues portugais portugiesisch portoghese 葡萄牙语 ポルトガル語",
        "french frances francais franzosisch francese 法语 フランス語",
        "german aleman allemand deutsch tedesco alemao 德语 ドイツ語",
        "italian italiano italien italienisch 意大利语 イタリア語",
        "chinese chino chinois chinesisch cinese chines mandarin 中文 汉语 中国語",
        "japanese japones japonais japanisch giapponese 日语 日文 日本語",
        "russian ruso russe russisch russo 俄语 ロシア語",
        "korean coreano coreen koreanisch 韩语 韓国語",
    ),
    "indentation": (
        "tab tabs tabuladores tabulacoes tabulations tabulatoren tabulazioni 制表符 タブ",
        "space spaces espacios espacos espaces leerzeichen spazi 空格 スペース",
    ),
    "units": (
        "metric metrico metricas metricos metriques metrisch metriche 公制 メートル法"
        " km kilometers kilometros",
        "imperial imperiales imperiais imperiaux imperiale 英制 ヤードポンド miles millas meilen",
    ),
    "temperature": ("celsius 摄氏 摂氏", "fahrenheit 华氏 華氏"),
    "containers": ("docker", "podman"),
    "JavaScript packages": ("npm", "yarn", "pnpm", "bun"),
    "Python packages": ("pip", "uv", "poetry", "conda", "pipenv"),
    "tests": ("pytest", "unittest", "nose"),
    "naming": ("snake_case", "camelcase", "pascalcase", "kebab-case"),
    "history": ("rebase", "merge"),
    "clock": ("12-hour 12h 12小时制 12時間", "24-hour 24h 24小时制 24時間"),
}
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_TOKEN = re.compile(r"[^\W_]+(?:[-_][^\W_]+)*")
_LAST = re.compile(r"([^\W_]+)[.!]*(?:\Z|[,;\n])")  # separable prefixes: "Runde … auf"
Sides = Mapping[str, int]


def _sides(
    groups: Iterable[tuple[str, Iterable[str]]],
) -> tuple[dict[str, list[tuple[str, int]]], ...]:
    """Return for each word, and each piece of unspaced script, the sides that it takes."""
    words: dict[str, list[tuple[str, int]]] = {}
    pieces: dict[str, list[tuple[str, int]]] = {}
    for name, sides in groups:
        for number, side in enumerate(sides):
            for word in dict.fromkeys(side.split()):
                table = pieces if _UNSPACED.search(word) else words
                table.setdefault(fold(word), []).append((name, number))
    return words, pieces


_PAIRS = _sides((*MANNERS.items(), *THINGS.items()))
_CHOICES = _sides(VALUES.items())


@lru_cache(maxsize=2_048)
def taken_sides(text: str) -> tuple[Sides, frozenset[str]]:
    """Return the side that a text takes in each opposed pair, and the words that say so.

    >>> dict(taken_sides("Keep your answers brief.")[0])
    {'length': 0}
    """
    return _taken(text, *_PAIRS)


@lru_cache(maxsize=2_048)
def chosen_values(text: str) -> tuple[Sides, frozenset[str]]:
    """Return the value that a text chooses in each class, if only one, and the words for it.

    >>> english, german = "Answer in German.", "Antworte auf Deutsch."
    >>> chosen_values(english) == chosen_values(german)
    False
    >>> chosen_values(english)[0] == chosen_values(german)[0]
    True
    """
    return _taken(text, *_CHOICES)


def _taken(
    text: str, words: dict[str, list[tuple[str, int]]], pieces: dict[str, list[tuple[str, int]]]
) -> tuple[Sides, frozenset[str]]:
    plain = fold(text)
    said = {word for token in _TOKEN.findall(plain) for word in (token, *token.split("-"))}
    said |= {f"{word}$" for word in _LAST.findall(plain)}
    found = {word: words[word] for word in said & words.keys()}
    if _UNSPACED.search(plain):
        found |= {piece: there for piece, there in pieces.items() if piece in plain}
    chosen: dict[str, set[int]] = {}
    for there in found.values():
        for name, number in there:
            chosen.setdefault(name, set()).add(number)
    single = {name: numbers.pop() for name, numbers in chosen.items() if len(numbers) == 1}
    return single, frozenset(found)
