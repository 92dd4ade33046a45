"""Function words by language: what a rule is not about, and what shows the language of a text."""

import re
from collections import Counter

from seasoned.rules.grammar.text import fold

STOP: dict[str, str] = {
    "en": """a an the this that these those it its is are was were be been being am i i'm me my we
    us our you you're your he she they them their his her and or but so as at by to of in on for
    from with into onto over about than then there here if when while whenever because since until
    before after do does did done doing has have had having can could may might must shall should
    will would need needs want wants let let's please always ever just only really very again also
    too still even both all any some each every own same such what which who how why where now
    next time times make sure remember instead rather up out s t re ve ll d m thing things""",
    "es": """el la los las un una unos unas lo al del de en a y o u que se su sus mi mis tu tus te
    me nos le les es son era fue ser estar esta este esto estos estas ese esa eso por para con
    como cuando si sobre desde hasta pero mas muy tambien siempre debes debe deberias tienes tiene
    hay que puedes puede quiero favor ya ahora aqui solo sino cada todo todos toda todas vez otra
    lugar antes despues""",
    "pt": """o os um uma uns umas ao aos da do das dos em na no nas nos e ou que se seu sua seus
    suas meu minha teu tua voce voces te me lhe foi era ser estar esta este isto esse essa isso
    por para pra pro com como quando sobre desde ate mas mais muito tambem sempre deve deves tem
    pode podes quero favor ja agora aqui so cada todo todos toda todas vez sim é lugar inves antes
    depois de""",
    "fr": """le la les un une des du de d l au aux en et ou que qu se sa son ses mon ma mes ton ta
    tes notre votre vos nos tu te toi moi me vous nous il elle on ils elles ce cet cette ces c est
    sont etait etre sur dans par pour avec comme quand si mais plus tres aussi toujours dois doit
    devez faut peux peut pouvez veux plait stp svp ne n y a ai deja maintenant ici chaque tout
    tous toute toutes fois lieu plutot j s t m""",
    "de": """der die das den dem des ein eine einen einem einer eines und oder aber dass daß wenn
    als wie so zu zum zur im in am an auf aus bei beim mit von vom fur fuer uber nach vor um bis
    durch ich du sie er es wir ihr mich mir dich dir uns euch mein meine dein deine deinen sein
    ihre ihren ist sind war waren wird werden wurde hast hat habe haben soll sollst sollte
    solltest sollen muss musst mussen kann kannst konnen darfst darf bitte immer stets auch nur
    noch mal doch schon jetzt hier jede jeden jedes jeder alle sondern statt anstatt ab sich da
    diese dieser dieses diesen man mach mache mal gern""",
    "it": """il lo la i gli le l un uno una di del dello della dei degli delle a al allo alla ai
    agli alle da dal dalla in nel nella nei nelle su sul sulla con per tra fra e ed o che si se
    suo sua mio mia tuo tua miei tuoi ti mi ci vi te me é sono era essere questo questa questi
    queste quello quella come quando ma piu molto anche sempre devi deve dovresti puoi puo voglio
    favore gia ora adesso qui solo ogni tutto tutti tutta tutte volta invece posto prima dopo
    bensi""",
}
# Light verbs (use, write, give): they count only if a rule has no other words.
LIGHT: dict[str, str] = {
    "en": """use uses used using utilize do make give gives giving add adds adding added put puts
    putting write writes writing written include includes including insert provide create take get
    have go try answer answers answering reply replies replying respond responds response
    responses""",
    "es": """usa uses use usar usen usando utiliza utilices utilizar utilice haz hagas hacer da
    des dar dame pon pongas poner ponga agrega agregues agregar anade anadas anadir incluye
    incluyas incluir escribe escribas escribir escriba responde respondas responder responda
    contesta contestes contestar respuestas respuesta mete metas pide pidas pedir pida""",
    "pt": """use usa usar usando utilize utiliza utilizar faca faz fazer de dar coloque coloca
    colocar ponha adicione adiciona adicionar inclua inclui incluir escreva escreve escrever
    responda responde responder respostas resposta bote peca pede""",
    "fr": """utilise utilises utilisez utiliser emploie employez fais faites faire donne donnez
    donner mets mettez mettre met ajoute ajoutes ajoutez ajouter inclus incluez inclure ecris
    ecrivez ecrire reponds repondez repondre reponse reponses""",
    "de": """benutze benutz benutzen benutzt verwende verwend verwenden nutze nutz nutzen nimm
    nehmen nehme gib gibst geben setz setze setzen fug fuge fuege fugen hinzu einfugen schreib
    schreibe schreiben antworte antworten antwort antwortest tu tue machen""",
    "it": """usa usare usi usate usando utilizza utilizzare utilizzi fai fare da dai dare metti
    mettere aggiungi aggiungere aggiungete includi includere inserisci inserire scrivi scrivere
    rispondi rispondere risposta risposte""",
}
UNSPACED = """使用 用 回答 回复 请 你 您 我 的 了 吧 要 应该 必须 需要 一定 总是 始终 永远 都 也
就 在 把 给 和 与 添加 加 写 以后 今后 从现在起 现在 时候 时 里 中 会 可以 可 能 再 还是 而是 是
改 改用 换成 每次 务必 请用 ください 下さい 使って 使う 使い 使え 使用 常に 必ず いつも 毎回 今後
回答 答えて 答える 返答 返信 書いて 書く 追加 入れて 付けて つけて 付け つけ 使わ 書か 入れ 加え
答え これから 場合 時 代わり"""

STOP_WORDS = frozenset(word for words in STOP.values() for word in words.split())
LIGHT_WORDS = frozenset(word for words in LIGHT.values() for word in words.split())
UNSPACED_STOPS = tuple(sorted(UNSPACED.split(), key=len, reverse=True))

LANGUAGES = ("en", "es", "pt", "fr", "de", "it", "zh", "ja")
READ_FOR_LANGUAGE = 600  # characters
_LETTERS = re.compile(r"[^\W\d_]+")
_KANA, _HAN = re.compile("[\u3040-\u30ff]"), re.compile("[\u3400-\u9fff]")
# Words that show a language, but are no stop words.
TELLING = {
    "en": "not no don't never stop wrong the use",
    "es": "no nunca deja esta mal incorrecto jamas sin prefiero llamame idioma",
    "pt": "nao nunca pare errado voce sem prefiro portugues jamais",
    "fr": "pas jamais arrete faux mauvais ne sans prefere francais n c d qu",
    "de": "nicht kein keine keinen nie falsch nein niemals ohne deutsch lieber ab",
    "it": "non mai smetti sbagliato senza preferisco niente evita italiano",
}
_WEIGHTS: dict[str, dict[str, float]] = {}
for _code, _stop in STOP.items():
    for _word in set(f"{_stop} {LIGHT[_code]} {TELLING[_code]}".split()):
        _WEIGHTS.setdefault(_word, {})[_code] = 1.0
for _codes in _WEIGHTS.values():
    _codes.update(dict.fromkeys(_codes, 1 / len(_codes)))


def language_of(text: str) -> str | None:
    """Return the code of the language of a text; None if it cannot tell.

    >>> texts = ("no uses docker en este proyecto", "用podman", "podman!")
    >>> [language_of(text) for text in texts]
    ['es', 'zh', None]
    """
    text = text[:READ_FOR_LANGUAGE]
    kana, han = len(_KANA.findall(text)), len(_HAN.findall(text))
    if kana + han and 2 * (kana + han) >= len(_LETTERS.findall(text)):
        return "ja" if kana else "zh"
    score = Counter[str]()
    for word in _LETTERS.findall(fold(text)):
        score.update(_WEIGHTS.get(word, {}))
    if not score:
        return None
    (best, most), *others = score.most_common(2)
    return best if not others or most > others[0][1] else None
