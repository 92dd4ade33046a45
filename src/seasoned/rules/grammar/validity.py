"""For how long a rule holds: in this session, or for good."""

import re

from seasoned.rules.case import Duration
from seasoned.rules.grammar.text import HEAD, TAIL, fold

_FOR_NOW = re.compile(
    r"\bthis time\b|\bthis once\b|\bjust (?:this )?once\b|\bfor now\b(?! on)|\bfor the moment\b|\bjust here\b|\bonly here\b"
    r"|\bin this (?:file|case|chat|conversation|session|thread|one)\b|\bfor this (?:one|task|file|chat|session|conversation|answer)\b"
    r"|\bthis session\b|\bfor today\b|\btemporarily\b"
    r"|\besta vez\b|\bpor ahora\b|\bpor el momento\b|\bde momento\b|\bsolo aqui\b|\ben est[ea] (?:archivo|fichero|caso|chat|conversacion|sesion)\b"
    r"|\bdesta vez\b|\bpor enquanto\b|\bpor agora\b|\bso aqui\b|\bapenas aqui\b|\bneste (?:arquivo|caso|chat)\b|\bnesta (?:conversa|sessao)\b"
    r"|\bcette fois\b|\bpour l'instant\b|\bpour le moment\b|\bjuste ici\b|\bseulement ici\b|\bdans c(?:e|et|ette) (?:fichier|cas|chat|conversation|session)\b"
    r"|\bdiesmal\b|\bdieses mal\b|\bfurs erste\b|\bvorerst\b|\bim moment\b|\bnur hier\b|\bin dieser (?:datei|sitzung|unterhaltung)\b|\bin diesem (?:fall|chat)\b|\bausnahmsweise\b"
    r"|\bquesta volta\b|\bstavolta\b|\bper ora\b|\bper adesso\b|\bper il momento\b|\bsolo qui\b|\bin questo (?:file|caso)\b|\bin questa (?:chat|sessione|conversazione)\b"
    r"|这次|这一次|暂时|目前先|只在这里|就这里|在这个(?:文件|会话|对话|情况)|这个(?:文件|会话|对话)(?:里|中)|本次"
    r"|今回(?:だけ|は|のみ)|とりあえず|ここだけ|このファイル(?:では|だけ|は)|この(?:会話|セッション)|今だけ|当面"
)

_FOR_NOW_FIRST = re.compile(rf"(?:{_FOR_NOW.pattern})[\s,，、:]*")


def after_for_now(plain: str) -> int:
    """Return where a folded text goes on after an opening like "for now"; 0 if it has none."""
    found = _FOR_NOW_FIRST.match(plain)
    return found.end() if found and found.end() < len(plain) else 0


def duration_of(message: str) -> Duration:
    """Return for how long a correction holds, by the user's own words.

    >>> duration_of("use tabs just here"), duration_of("use tabs from now on")
    ('session', 'lasting')
    """
    plain = fold(message[:HEAD] + " " + message[-TAIL:])
    return "session" if _FOR_NOW.search(plain) else "lasting"
