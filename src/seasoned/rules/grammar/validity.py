"""When a rule holds: in this session or for good, in every turn or in some situations."""

import re

from seasoned.rules.case import Duration
from seasoned.rules.grammar.opposites import chosen_values
from seasoned.rules.grammar.polarity import contrast_of
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


# Language, length, tone, emoji, form, apologies, address, units, time zone, the user's name.
_TOPICS = re.compile(
    r"\bemoji\w*|\bemoticon\w*|smil(?:ey|ie)s?\b|表情符?号?|絵文字|顔文字"
    r"|apolog\w+|\bsorry\b|disculp\w+|desculp\w+|excus(?:es?|er)\b|entschuldig\w+|scus(?:arti|e|are)\b|道歉|抱歉|对不起|謝[らりるっ]"
    r"|\b(?:brief|briefly|concise|concisely|terse|succinct|verbose|shorter answers?|breves?|concis\w*|prolix\w*|bref|kurz|knapp|"
    r"ausfuhrlich\w*|weitschweifig|sintetic\w*)\b|简短|简洁|啰嗦|短く|簡潔|手短"
    r"|\b(?:short|long|longer|shorter|detailed|cort[ao]s?|larg[ao]s?|detallad[ao]s?|curt[ao]s?|long[ao]s?|detalhad[ao]s?|courtes?|"
    r"longues?|detaillees?|kurze|lange|lunghe|corte|brevi|dettagliate) (?:answers?|repl(?:y|ies)|responses?|respuestas?|"
    r"respostas?|reponses?|antworten|antwort|risposte|risposta)\b"
    r"|\b(?:answers?|repl(?:y|ies)|responses?|respuestas?|respostas?|reponses?|antworten|antwort|risposte|risposta)"
    r" (?:\w+ )?(?:short|shorter|long|cort\w+|breves?|larg\w+|curt\w+|long\w+|courtes?|detaill\w+|kurz|lang|brevi|lunghe)\b"
    r"|回答.{0,4}(?:短|长|详细|简)|(?:回答|返答|返事).{0,3}(?:短|長|詳)"
    r"|\b(?:tone|tono|tom|ton|tonfall|polite|politely|friendly|formal|formally|informal|casual|sarcas\w+|duzen|duz\w*|siez\w*|"
    r"tutea\w*|tutoy\w*|tutoi\w*|vouvoy\w*|vouvoi\w*|usted|dammi del (?:tu|lei)|dare del (?:tu|lei))\b|语气|正式|敬語|丁寧|タメ口"
    r"|\b(?:markdown|bullet points?|bullets|bold|headings?|vinetas|negrita|negrito|marcadores|listes? a puces|puces|gras|"
    r"aufzahlung\w*|stichpunkt\w*|fettschrift|uberschriften|elenchi puntati|grassetto|latex)\b|项目符号|粗体|列表|箇条書き|太字|マークダウン"
    r"|\b(?:call me|my name is|address me|llamame|me llamo|me chame|me chama|meu nome|appelle-moi|appelez-moi|je m'appelle|"
    r"nenn mich|nenne mich|mein name|ich heiße|chiamami|mi chiamo|il mio nome)\b|叫我|我叫|我的名字|と呼んで|私の名前"
    r"|\b(?:metric|imperial|celsius|fahrenheit|metrico|metric[ao]s?|metriques?|metrisch\w*|metriche|unidades|einheiten)\b|公制|英制|摄氏|华氏|摂氏|華氏"
    r"|\b(?:time ?zone|timezone|zona horaria|fuso horario|fuseau horaire|zeitzone|24-hour|12-hour)\b|时区|タイムゾーン"
    r"|\b(?:british|american|uk|us) (?:english|spelling)\b|\bspelling\b"
    r"|\b(?:compliment\w*|flatter\w*|praise|filler|disclaimers?|small talk|halag\w+|elogi\w+)\b|夸|お世辞"
)
_SPEAKING = re.compile(
    r"\b(?:answer\w*|repl(?:y|ies|ying)|respond\w*|speak\w*|talk\w*|write to me|responde\w*|contesta\w*|habla\w*|hable\w*|responda\w*|"
    r"fale\w*|fala\w*|reponds?\w*|repondez|parle\w*|antwort\w*|sprich\w*|rede|rispond\w*|parla\w*|english please|in)\b|回答|回复|说|答え|話し|返信|返事"
)
# A rule that names one of these is about it, not about every answer.
_MATTERS = re.compile(
    r"\b(?:code|codes?|commits?|functions?|variables?|tests?|files?|readme|docs?|docstrings?|emails?|e-mails?|mails?|branch\w*|"
    r"quer(?:y|ies)|sql|tickets?|reports?|pull requests?|prs?|slides?|letters?|comments?|logs?|titles?|names?pace|class(?:es)?|"
    r"codigo|funcion\w*|archivos?|ficheros?|correos?|comentarios?|informes?|funcao|funcoes|arquivos?|relatorios?|comentarios?|"
    r"fichiers?|fonctions?|courriels?|commentaires?|rapports?|datei\w*|funktion\w*|kommentar\w*|bericht\w*|"
    r"file|funzion\w*|commenti|relazion\w*|rapporti|codice)\b|代码|函数|文件|提交|注释|测试|邮件|报告|变量|コード|関数|ファイル|コミット|コメント|メール|テスト|変数"
)


def holds_always(text: str) -> bool:
    """Whether a rule is about how to answer in general, and so holds in every turn.

    >>> holds_always("Answer in German."), holds_always("Write the commit messages in German.")
    (True, False)
    """
    told = contrast_of(text)
    text = told.wanted if told else text
    plain = fold(text)
    if _MATTERS.search(plain):
        return False
    if _TOPICS.search(plain):
        return True
    return "language" in chosen_values(text)[0] and _SPEAKING.search(plain) is not None
