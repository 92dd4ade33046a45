"""Whether a rule says how to answer: such a rule holds in every turn, whatever its words.

The language, length, form and tone of answers, how to address the user, units. A rule about a tool,
a thing or a place is told where a request involves it; one about answers has no other place. The
tables, read on folded text, stand at the end of the file, a line or two for each language.
"""

import re

from seasoned.rules.grammar.opposites import chosen_values
from seasoned.rules.grammar.polarity import contrast_of
from seasoned.rules.grammar.text import fold


def holds_always(text: str) -> bool:
    """Whether a rule is about how to answer in general, and so holds in every turn.

    >>> holds_always("Answer in German."), holds_always("Write the commit messages in German.")
    (True, False)
    >>> holds_always("Keep it brief."), holds_always("Keep functions brief and short.")
    (True, False)
    """
    told = contrast_of(text)
    whole, text = fold(text), told.wanted if told else text
    plain = fold(text)
    if MATTERS.search(plain):
        return False
    if TOPICS.search(whole) or MANNERS.search(whole):
        return True
    return "language" in chosen_values(text)[0] and SPEAKING.search(plain) is not None


def presents_figures(text: str) -> bool:
    """Whether a rule says how answers give prices, dates and measures.

    Said once, it may be about the figures at hand, so these words alone do not make it last.

    >>> presents_figures("Always give prices in euros, not in dollars.")
    True
    >>> presents_figures("Always send the invoice in euros.")
    False
    """
    plain = fold(text)
    return FIGURES.search(plain) is not None and not MATTERS.search(plain)


def of_any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns))


# Language, length, tone, emoji, form, apologies, address, units, time zone, the user's name.
TOPICS = re.compile(
    r"\bemoji\w*|\bemoticon\w*|smil(?:ey|ie)s?\b|表情符?号?|絵文字|顔文字"
    r"|apolog\w+|\bsorry\b|disculp\w+|desculp\w+|excus(?:es?|er)\b|entschuldig\w+|scus(?:arti|e|are)\b|道歉|抱歉|对不起|謝[らりるっ]"
    r"|\b(?:brief|briefly|concise|concisely|terse|succinct|verbose|shorter answers?|breves?|concis\w*|prolix\w*|bref|kurz|knapp|"
    r"ausfuhrlich\w*|weitschweifig|sintetic\w*)\b|简短|简洁|啰嗦|短く|簡潔|手短"
    r"|\b(?:short|long|longer|shorter|detailed|cort[ao]s?|larg[ao]s?|detallad[ao]s?|curt[ao]s?|long[ao]s?|detalhad[ao]s?|courtes?|"
    r"longues?|detaillees?|kurze|kurzere|langere|lange|lunghe|corte|brevi|dettagliate) (?:answers?|repl(?:y|ies)|responses?|respuestas?|"
    r"respostas?|reponses?|antworten|antwort|risposte|risposta)\b"
    r"|\b(?:answers?|repl(?:y|ies)|responses?|respuestas?|respostas?|reponses?|antworten|antwort|risposte|risposta)"
    r" (?:\w+ )?(?:short|shorter|long|cort\w+|breves?|larg\w+|curt\w+|long\w+|courtes?|detaill\w+|kurz|lang|brevi|lunghe)\b"
    r"|回答.{0,4}(?:短|长|详细|简)|(?:回答|返答|返事).{0,3}(?:短|長|詳)"
    r"|\b(?:tone|tono|tom|ton|tonfall|polite|politely|friendly|formal|formally|informal|formlich|hoflich|casual|sarcas\w+|duzen|duz\w*|siez\w*|"
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
# Sentences about answers, by their verbs: how long, in which form, beginning and ending with what.
MANNERS = of_any(
    r"\b(?:answer|reply|respond|speak|talk)(?: to me| me)?(?: always| only)? (?:in|with|using|within|as)(?: \S+){0,4}? (?:sentences?|words|lines?|paragraphs?|bullets|points|plain text|prose|lower ?case|upper ?case|capitals|yes or no)\b",
    r"\bwrite in (?:the |a |an )?(?:active|passive|plain|simple|short|full|complete|lower|upper|first|third|friendly|neutral|clear)\b",
    r"\bkeep (?:it|things|(?:your |the |all )?(?:answers?|repl(?:y|ies)|responses?|messages|explanations?))\b(?: \S+){0,4}? (?:short|simple|sentences?|words|lines?|paragraphs?|point)\b",
    r"\b(?:start|begin|open|end|finish|close)(?:ing)? (?:with|by giving) (?:the|an?|your) (?:\w+ )?(?:answer|summary|conclusion|result|question)\b",
    r"\b(?:start|begin|end|finish|close)(?:ing)? (?:your|every|each|all) (?:\w+ )?(?:answers?|repl(?:y|ies)|responses?|messages?)\b",
    r"\brepeat(?:ing)? my (?:question|request|words)|\b(?:explain(?:ing)? (?:so|too) much|over-?explain\w*|lectur(?:e|ing) me)\b",
    r"\bask(?:ing)? me (?:more than|only|at most|(?:so|too) many|one)\b(?: \S+){0,3}? questions?\b|\bto the point\b|\bshort version\b|\b(?:answer|conclusion|summary|result) first\b|\bcite (?:your )?sources\b",
    r"\bbe (?:more |less |very )?(?:direct|blunt|wordy|chatty|honest|clear)\b|\bexclamation (?:marks?|points?)\b|\b(?:jargon|buzzwords?|cliches?|em-?dash(?:es)?|all caps|preambles?|pleasantries|fluff)\b",
    r"\b(?:simple|plain|simpler|easy) (?:words|language|terms|english)\b(?! (?:as|for)\b)",
    # German
    r"\bantwort\w*(?: (?:mir|bitte|immer|stets|nur|kunftig))* (?:in|mit)(?: \S+){0,4}? (?:satz\w*|worten|zeilen?|absatz\w*|stichworten|ja oder nein)\b",
    r"\b(?:sprich|rede) mich\b|\b(?:auf den|zum) punkt\b|\bhalte? dich kurz\b|\bwiederhol\w* (?:nicht )?meine frage\w*",
    r"\bausrufezeichen\b|\b(?:fachbegriff|fachjargon|fremdwort|fullwort)\w*|\beinfach\w* (?:wort\w*|sprache)\b",
    # Spanish, Portuguese
    r"\b(?:responde|contesta|responda|conteste)\w*(?: siempre| sempre| solo| so| apenas)? (?:en|con|em|com)(?: \S+){0,4}? (?:frases?|palabras|lineas?|parrafos?|oracion\w*|palavras|linhas?|paragrafos?|s[ií] o no|sim ou nao)\b",
    r"\b(?:tratame|trate-me|me trat[ea]|trata-me)\b|\bal grano\b|\bdireto ao ponto\b|\b(?:se|sea|seja) (?:mas |mais )?(?:direct[oa]|diret[oa]|clar[oa])\b",
    r"\b(?:palabras|palavras) (?:sencillas|simples)\b|\b(?:lenguaje|linguagem) (?:sencillo|simples?|clar[oa])\b|\b(?:signos?|pontos?) de exclamac\w+|\b(?:jerga|tecnicismos|jargao|jargoes)\b",
    # French
    r"\brepond(?:s|ez)(?:-moi)?(?: toujours| seulement)? (?:en|avec|par)(?: \S+){0,4}? (?:phrases?|mots|lignes?|paragraphes?|oui ou non)\b",
    r"\bdroit au but\b|\b(?:sois|soyez) (?:plus )?(?:breve|direct\w*|clair\w*)\b|\bmots simples\b|\blangage (?:simple|clair)\b|\bpoints? d'exclamation\b",
    # Italian
    r"\brispond\w+(?: sempre| solo)? (?:in|con)(?: \S+){0,4}? (?:fras[ei]|parole|rig(?:a|he)|paragraf\w+|s[ií] o no)\b",
    r"\bd(?:ritto|iritto) al punto\b|\bdammi (?:\w+ )?del (?:tu|lei)\b|\bsii (?:piu )?(?:dirett[oa]|chiar[oa])\b|\bparole semplici\b|\blinguaggio (?:semplice|chiaro)\b|\bpunt[oi] esclamativ[oi]\b|\bgergo\b",
    # Chinese, Japanese
    r"用.{0,4}(?:句话?|个?字|行|段)(?:来|以内)*(?:回答|回复|答)|(?:回答|回复).{0,6}[一二两三四五六七八九十\d](?:句|个?字|行|段)|感叹号|行话|套话|废话",
    r"[一二三四五六七八九十\d](?:文|行|言|段落)(?:以内|程度)?で.{0,4}(?:答え|返答|回答|返信)|感嘆符|専門用語|前置き",
)
# How answers give prices, dates and measures.
FIGURES = of_any(
    r"\b(?:give|show|quote|state|tell|list|display|write|name|put|use)\b(?: \S+){0,3}? (?:prices?|amounts?|costs|sums|temperatures?|distances?|weights?|dates?|times)\b(?: \S+){0,2}? (?:in|as) \S",
    r"\b(?:gib|nenn\w*|zeig\w*|schreib\w*)\b(?: \S+){0,3}? (?:preise?|betrage?|kosten|temperaturen|entfernungen|gewichte|daten|uhrzeiten)\b(?: \S+){0,2}? (?:in|als) \S",
    r"\b(?:da|dame|di|muestra|escribe|indica)\b(?: \S+){0,3}? (?:precios?|importes?|costes|temperaturas?|distancias?|fechas?|horas)\b(?: \S+){0,2}? (?:en|como) \S",
    r"\b(?:de|diga|mostre|escreva|indique)\b(?: \S+){0,3}? (?:precos?|valores|custos|temperaturas?|distancias?|datas?|horas)\b(?: \S+){0,2}? (?:em|como) \S",
    r"\b(?:donne|donnez|indique|montre|ecris)\b(?: \S+){0,3}? (?:prix|montants?|couts|temperatures?|distances?|dates?|heures)\b(?: \S+){0,2}? (?:en|comme|au format) \S",
    r"\b(?:indica|dammi|dai|mostra|scrivi)\b(?: \S+){0,3}? (?:prezzi|importi|costi|temperature|distanze|date|orari)\b(?: \S+){0,2}? (?:in|come) \S",
    r"(?:价格|金额|费用|日期|温度|距离).{0,6}(?:用|以|按|写成)|(?:価格|金額|値段|日付|温度|距離).{0,8}で.{0,4}(?:書|示|表|教|答)",
)
SPEAKING = re.compile(
    r"\b(?:answer\w*|repl(?:y|ies|ying)|respond\w*|speak\w*|talk\w*|write to me|responde\w*|contesta\w*|habla\w*|hable\w*|responda\w*|"
    r"fale\w*|fala\w*|reponds?\w*|repondez|parle\w*|antwort\w*|sprich\w*|rede|rispond\w*|parla\w*|english please|in)\b|回答|回复|说|答え|話し|返信|返事"
)
# A rule that names one of these is about it, not about every answer.
MATTERS = re.compile(
    r"\b(?:code|codes?|commits?|functions?|variables?|tests?|files?|readme|docs?|docstrings?|emails?|e-mails?|mails?|branch\w*|"
    r"quer(?:y|ies)|sql|tickets?|reports?|invoices?|customers?|clients?|phones?|changelogs?|meetings?|pull requests?|prs?|slides?|letters?|comments?|logs?|titles?|names?pace|class(?:es)?|"
    r"codigo|funcion\w*|archivos?|ficheros?|correos?|comentarios?|informes?|funcao|funcoes|arquivos?|relatorios?|comentarios?|"
    r"fichiers?|fonctions?|courriels?|commentaires?|rapports?|datei\w*|funktion\w*|kommentar\w*|bericht\w*|kund(?:e|en|in|innen)|telefon\w*|rechnung\w*|"
    r"file|funzion\w*|commenti|relazion\w*|rapporti|codice)\b|代码|函数|文件|提交|注释|测试|邮件|报告|变量|コード|関数|ファイル|コミット|コメント|メール|テスト|変数"
)
