"""Tables of phrases by language: how users state rules (on folded text), how rules are worded."""

import re
from collections.abc import Mapping

Phrases = Mapping[str, re.Pattern[str]]


def _compiled(table: Mapping[str, str]) -> Phrases:
    return {language: re.compile(pattern) for language, pattern in table.items()}


# "I told you …": said before and ignored.
TOLD = _compiled(
    {
        "en": r"\A(?:like |as )?i(?:'ve| have)? (?:already |just |repeatedly )*(?:told you|asked you|mentioned|explained|said)"
        r"(?<!\Ai said)(?: already| before| earlier| twice| \w+ times)*(?:(?P<deny> not to)| to| that|)?[:,]? (?P<rest>.+)",
        "es": r"\A(?:como )?(?:ya )?te (?:lo )?(?:he dicho|habia dicho|dije|pedi|avise)(?: ya| antes| \w+ veces)*[:,]?(?: que)? (?P<rest>.+)",
        "pt": r"\A(?:eu )?(?:ja )?(?:te |lhe )?(?:disse|falei|pedi|avisei|tinha dito)(?: ja| antes| \w+ vezes)*[:,]?(?: que| para)? (?P<rest>.+)",
        "fr": r"\Aje (?:t'|vous |te l'|vous l')?\s?(?:ai|avais) (?:deja )?(?:dit|demande|explique|precise)(?: deja| \w+ fois)*[:,]?"
        r" (?:que |qu'|de |d')?(?P<rest>.+)",
        "de": r"\Aich (?:hab(?:e|')? (?:dir |ihnen |euch |es dir )?(?:doch |schon |bereits |schon mal |mehrmals )*gesagt|sagte(?: dir| doch| bereits| schon)*)"
        r"[,:]? (?P<rest>.+)",
        "it": r"\A(?:ti |te l')(?:ho|avevo) (?:gia )?(?:detto|chiesto)(?: gia| prima| \w+ volte)*[:,]?(?: che| di)? (?P<rest>.+)",
        "zh": r"\A我?(?:已经|早就|刚才|刚刚|之前|不是)*(?:跟你|和你|对你)?(?:说过|说了|告诉过你|告诉你|讲过)了?(?:吗)?[，,：:。 ]*(?P<rest>.+)",
        "ja": r"\A(?P<rest>.+?)(?:って|と)(?:もう|さっき|何度も|前に|先ほど|、)*(?:言った|言いました|伝えた|伝えました|言ってる|言っている).*\Z",
    }
)
# "You can do that": refused without need.
ALLOWED = _compiled(
    {
        "en": r"\A(?:you (?:can|could|may|are able to|are allowed to|do have|have access|are permitted)|you're (?:allowed|able) to)\b.+",
        "es": r"\A(?:si )?(?:puedes|podes|puede|tienes (?:permiso|acceso)|esta permitido)\b.+",
        "pt": r"\A(?:voce |tu )?(?:pode|podes|consegue|tem (?:permissao|acesso))\b.+",
        "fr": r"\A(?:tu peux|vous pouvez|tu as (?:le droit|acces)|tu es autorise)\b.+",
        "de": r"\A(?:du (?:kannst|darfst|hast zugriff)|sie (?:konnen|durfen))\b.+",
        "it": r"\A(?:tu )?(?:puoi|sei autorizzato|hai (?:il permesso|accesso))\b.+",
        "zh": r"\A(?:你|您)(?:是)?(?:可以|能|有权限?).+",
        "ja": r"\A.+(?:できます|できる|していい|してもいい|しても大丈夫|使えます|使える)(?:です|よ|はず|でしょ)*\Z",
    }
)
REFUSING = re.compile(
    r"\b(?:do not|don't|stop) refus\w+|\bno te niegues|\bdeja de negarte|\bnao (?:se )?recuse|\bne refuse\w* pas|\barrete de refuser"
    r"|\b(?:lehne?|verweiger\w*) \w* ?nicht ab|\bweiger\w* dich nicht|\bnon rifiutar\w*|\bsmetti di rifiutar\w*|(?:不要|别)拒绝|断らないで|拒否しないで"
)
# How an assistant refuses.
REFUSED = re.compile(
    r"\bi (?:can't|cannot|can not|am unable|am not able|won't|don't have access)|\bi'm (?:unable|not able|sorry)|\bno puedo|\blo siento"
    r"|\bnao (?:posso|consigo)|\bdesculpe|\bje (?:ne )?(?:peux|suis) pas|\bdesole|\bich kann (?:das |dir |leider )*(?:nicht|kein)"
    r"|\btut mir leid|\bnon posso|\bmi dispiace|无法|不能|抱歉|できません|申し訳"
)
# "It is X": the right answer.
FACT = _compiled(
    {
        "en": r"\A(?:it|that|this|he|she|they)(?:'s| is| are|'re| was| were| should be| has to be| must be) "
        r"(?!wrong|not|incorrect|bad|still|false|broken|terrible|what|how|why|nonsense|rubbish|too|so|just|the same|a little|a bit|kind of|like|really|very|pretty|okay|ok|fine|good|silly|scary|all|great)\S"
        r"|\A(?:the|my|our) [^,]{1,50} (?:is|are|was|were|has|have) (?!wrong|not|still|incorrect|missing|broken)\S",
        "es": r"\A(?:es|son|era|fue|se llama|seria|deberia ser) (?!incorrecto|falso|mentira|que)\S|\A(?:el|la|los|las|mi|mis|nuestro|nuestra) [^,]{1,50} (?:es|son|era|fue|esta) (?!mal|no)\S",
        "pt": r"\A(?:é|sao|era|foi|se chama|chama-se) (?!errado|falso|mentira|que)\S|\A(?:o|a|os|as|meu|minha) [^,]{1,50} (?:é|sao|era|foi|fica|esta) (?!errad|nao)\S",
        "fr": r"\A(?:c'est|c'etait|ce sont|il s'agit|il s'appelle|elle s'appelle) (?!faux|pas|nul|mauvais)\S|\A(?:(?:le|la|les|mon|ma|mes|notre) |l')[^,]{1,50} (?:est|sont|etait) (?!faux|pas)\S",
        "de": r"\A(?:es|das|er|sie) (?:ist|sind|war|waren|heißt|heisst|muss) (?!falsch|nicht|quatsch|unsinn|noch|schlecht)\S|\A(?:der|die|das|mein|meine|unser|unsere) [^,]{1,50} (?:ist|sind|war|heißt|lautet) (?!falsch|nicht)\S",
        "it": r"\A(?:é|sono|era|si chiama|si tratta) (?!sbagliat|falso|errat)\S|\A(?:(?:il|la|lo|i|gli|le|il mio|la mia) |l')[^,]{1,50} (?:é|sono|era) (?!sbagliat|errat)\S",
        "zh": r"\A(?:其实|正确(?:的)?(?:答案)?|答案)?(?:应该|应当)?是(?!错|不|这样|什么)|\A[^，,不]{1,16}(?:应该)?(?:是|叫)(?!错|不|什么)\S",
        "ja": r"\A(?!.*(?:違|間違|ない)).{2,60}(?:です|だ|だよ|ですよ|である|でした)[よね]?[。.!！]*\Z",
    }
)
FIRST_PERSON = re.compile(
    r"(?:i|i'm|i'd|i've|my|we|our|yo|mi|mis|prefiero|quiero|necesito|eu|meu|minha|prefiro|quero|preciso|je|j'\w+|mon|ma|mes|ich|mein\w*|wir|io|il mio|la mia|"
    r"preferisco|voglio)(?!\w)|我(?!们?的话)|私|僕|俺"
)
# "Never …", "stop …", "don't …".
NEVER = _compiled(
    {
        "en": r"\A(?:never|don't|do not|dont|(?:stop|quit) (?:it with the |with the )?\w+ing|let's not|let us not|not|avoid|no more|no \w+|you (?:should|must)(?:n't| not| never)|you (?:can't|cannot) |i (?:don't|do not|never) want)\b",
        "es": r"\A(?:no|nunca|jamas|dej[ae]n? de|dejad de|evit[ae]|par[ae] de|nada de|basta de|prohibido|sin|ya no|no quiero)\b",
        "pt": r"\A(?:nao|nunca|jamais|par[ae] de|deix[ae] de|evit[ae]|chega de|nada de|sem|nao quero)\b",
        "fr": r"\A(?:ne|arretez?|cessez?|evitez?|jamais|plus jamais|pas de|plus de|assez de|stop|sans|je ne veux (?:pas|plus))(?!\w)|\A(?:n'|(?:pas|plus) d')|\A[\w-]+ (?:pas|jamais|plus) \w",
        "de": r"\A(?:nie|niemals|kein\w*|hore?t? (?:bitte )?auf|vermeide|lass|unterlasse?|schluss mit|nicht|ohne|du sollst (?:nicht|nie|kein\w*)|ich will (?:nicht|kein\w*))\b|\A(?!(?:das|es|ich|du|der|die|ist|so|geht|funktioniert|stimmt|hier|hilft|passt|klappt|er|sie|wir) )[\w-]+ (?:(?:bitte|mir|dich|mich|sie|es) )?(?:nie|niemals|nicht|kein\w*)\b",
        "it": r"\A(?:non|mai|smetti(?:la)?|smettetela|evita|evitate|basta|niente|nessun\w*|senza)\b",
        "zh": r"\A(?:以后|今后|从现在起|从今以后)?[，,]?都?请?(?:再也)?(?:不要|别|不准|不许|禁止|停止|避免|切勿|勿|不用|不能|不可以|不应该|千万别|永远不|绝不|绝对不|我不(?:要|想|需要))",
        "ja": r"(?:ないで|な|やめて|止めて|禁止|ないように|避けて|控えて|しないこと|なしで?|いらない|要らない|不要|いけません|いけない|ダメ|だめ|しません)"
        r"(?:下さい|ください|ほしい|欲しい|くれ|もらえ.{0,6}|して.{0,6}|です|だ|ね|よ|お願いします|。|!|！|\.)*\Z",
    }
)
# "Always …", "from now on …", before or after the matter.
ALWAYS = _compiled(
    {
        "en": r"\A(?:(?:you (?:should|must) )?always|from now on|from here on|in (?:the )?future|going forward|every time|next time|henceforth|remember to|make sure to|you must|be sure to)[,:]? (?P<rest>.+)"
        r"|\A(?P<before>.+?),? (?:from now on|in (?:the )?future|going forward|every time|next time)[.!]*\Z",
        "es": r"\A(?:siempre|a partir de ahora|de ahora en adelante|desde ahora|en (?:el )?futuro|la proxima vez)[,:]? (?P<rest>.+)|\A(?P<before>.+?),? (?:a partir de ahora|de ahora en adelante|la proxima vez)[.!]*\Z",
        "pt": r"\A(?:sempre|a partir de agora|de agora em diante|daqui (?:em|para a?) (?:diante|frente)|no futuro|da proxima vez)[,:]? (?P<rest>.+)|\A(?P<before>.+?),? (?:a partir de agora|de agora em diante|da proxima vez)[.!]*\Z",
        "fr": r"\A(?:toujours|desormais|dorenavant|a partir de maintenant|a l'avenir|la prochaine fois)[,:]? (?P<rest>.+)|\A(?P<before>.+?),? (?:desormais|dorenavant|a partir de maintenant|a l'avenir|la prochaine fois)[.!]*\Z",
        "de": r"\A(?:immer|ab jetzt|ab sofort|von nun an|von jetzt an|in zukunft|kunftig|zukunftig|nachstes mal|das nachste mal)[,:]? (?P<rest>.+)|\A(?P<before>.+?),? (?:ab jetzt|ab sofort|von nun an|in zukunft|kunftig|nachstes mal)[.!]*\Z",
        "it": r"\A(?:sempre|d'ora in poi|da ora in poi|da adesso in poi|in futuro|la prossima volta)[,:]? (?P<rest>.+)|\A(?P<before>.+?),? (?:d'ora in poi|da ora in poi|in futuro|la prossima volta)[.!]*\Z",
        "zh": r"\A(?:以后|今后|从现在起|从现在开始|从今以后|从今往后|总是|始终|永远|每次|一定要?|务必|下次)[，,：:都请 ]*(?P<rest>.+)",
        "ja": r"\A(?:これからは|これから|今後は|今後|以後|常に|いつも|必ず|毎回|次からは|次回から?は?)[、, ]*(?P<rest>.+)",
    }
)
# Of these, the ones that are said of a single piece of work too.
FOR_THIS_WORK = re.compile(r"\A(?:make sure to|be sure to|you must)\b|\A(?:一定要?|务必)")
# Prohibitions that hold by their own words: whatever they are about, or if that is nothing at hand.
NEVER_EVER = re.compile(
    r"\A(?:you (?:should|must) )?never\b|\b(?:don't|do not) ever\b|\bwithout asking\b"
    r"|\b(?:nunca|jamas|jamais|nie|niemals|mai)\b|再也|永远|绝不|绝对|以后|今后|決して|絶対|二度と|今後"
)
FOR_GOOD = re.compile(
    r"\A(?:please )?(?:stop|quit) (?:it with the |with the )?\w+ing\b|\A(?:no more|avoid)\b|\b(?:again|any ?more)\b"
    r"|\A(?:dej[ae]n? de|par[ae] de|evit[ae]|arretez? de|smetti|hore?t? auf|basta|chega de|nada de|niente|schluss mit)\b"
    r"|停止|禁止|やめて|止めて"
)
# "Always" before an imperative, or after the verb where the language wants it there.
ALWAYS_BEFORE = {"en": "Always {x}", "es": "Siempre {x}", "pt": "Sempre {x}", "zh": "始终{x}", "ja": "常に{x}"}  # fmt: skip
ALWAYS_AFTER = {"fr": "toujours", "de": "immer", "it": "sempre"}
# "Always" within a command, not within a complaint: "da siempre error", "你总是用错".
_COMPLAINS = r"(?!.*\b(?:error\w*|erro|erreurs?|fehler|problem\w*|same|mism[oa]s?|mesm[oa]s?|stess[oa]|memes?|gleiche\w*)\b)"
ALWAYS_WITHIN: Phrases = _compiled(
    {
        "en": rf"\A{_COMPLAINS}[\w-]+ (?:\S+ ){{0,3}}?always\b",
        "es": rf"\A{_COMPLAINS}[\w-]+ (?:\S+ ){{0,3}}?siempre\b",
        "pt": rf"\A{_COMPLAINS}[\w-]+ (?:\S+ ){{0,3}}?sempre\b",
        "fr": rf"\A{_COMPLAINS}[\w-]+ (?:\S+ ){{0,3}}?toujours\b",
        "de": rf"\A{_COMPLAINS}[\w-]+ (?:\S+ ){{0,3}}?(?:immer|stets)\b(?! (?:noch|wieder|mehr)\b)",
        "it": rf"\A{_COMPLAINS}[\w-]+ (?:\S+ ){{0,3}}?sempre\b",
        "zh": r"\A(?!.*[你它他错])[^，。]{1,8}(?:总是|始终|一律)(?:用|要|使用|写)",
        "ja": r"\A[^、。]{1,12}は、?(?:いつも|常に|必ず)(?=.*(?:ください|下さい|こと|お願いします)[。!！.]*\Z)",
    }
)
# A condition before the matter: "when you deploy, …".
LEADING = re.compile(
    r"\A(?:when|whenever|if|for|in|on|before|after|cuando|si|para|en|antes|quando|se|em|ao|quand|lorsque|pour|dans|avant|wenn|falls|bei|fur|im|beim|vor|per|nel|nella|prima)\b[^,]{1,80}, *"
    r"|\A在[^，,]{1,30}[，,]|\A[^、，,]{1,20}(?:时|的时候)[，,]|\A[^、]{1,20}(?:場合は|ときは|時は|では)、"
)
IMPERATIVES: dict[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        "en": """use answer reply respond write speak talk be keep make call give show put add remove include run check read ask explain
        format name round sort save send open close create start follow stick try prefer let leave go say tell translate return quote
        cite list address treat consider respect wrap split move rename delete commit push test deploy convert switch set take tell
        skip only don't limit focus book order play turn pick choose do have get look search find review summarize summarise
        shorten indent log print import export store work wait stay end finish begin avoid number""",
        "es": """usa utiliza responde contesta escribe habla sé se manten mantén haz llama llamame dame da muestra pon agrega añade anade quita
        elimina incluye ejecuta revisa lee pregunta explica formatea nombra guarda envia abre crea sigue prefiere deja di traduce
        devuelve cita lista trata ten consulta prueba cambia busca usad use utilice responda escriba tuteame tratame resume ve indica""",
        "pt": """use usa utilize responda responde escreva escreve fale fala seja mantenha faca faz chame chama me mostre coloque
        adicione remova inclua execute rode verifique leia pergunte explique formate nomeie salve envie abra crie siga prefira deixe
        diga traduza retorne cite liste trate tenha consulte teste mude procure resuma indique""",
        "fr": """utilise utilisez reponds repondez ecris ecrivez parle parlez sois soyez garde gardez fais faites appelle appelez donne
        donnez montre mets mettez ajoute ajoutez retire supprime inclus lance execute verifie lis demande explique formate nomme
        enregistre envoie ouvre cree suis prefere laisse dis traduis cite liste traite teste change cherche resume tutoie vouvoie
        utiliser ecrire repondre ajouter indique""",
        "de": """benutze benutz verwende nutze nimm antworte schreib schreibe sprich rede sei bleib bleibe halte halt mach mache nenn nenne
        gib zeig zeige setz setze fug fuge entferne losche fuhr fuhre pruf prufe lies frag frage erklar erklare formatiere benenne
        speicher speichere schick schicke offne erstelle folge lass sag sage ubersetze zitiere behandle teste andere such suche
        duze sieze fasse fass ruf rufe starte installiere verzichte komm wiederhole""",
        "it": """usa usate utilizza rispondi scrivi parla sii mantieni fai chiama chiamami dammi dai mostra metti aggiungi rimuovi togli includi
        esegui controlla leggi chiedi spiega formatta nomina salva invia apri crea segui preferisci lascia di traduci restituisci
        cita elenca tratta prova cambia cerca riassumi dimmi usare scrivere rispondere aggiungere vai indica""",
    }.items()
}
IMPERATIVE_UNSPACED: Phrases = _compiled(
    {
        "zh": r"\A(?:请|要|应该)?(?:使?用|改用|把|回答|回复|说|写|叫我|称呼|给|添加|加|保持|简短|列出|运行|检查|先|只|换成|删除|去掉|翻译|解释|尽量|按|在)",
        "ja": r"(?:して|って|いて|んで|えて|けて|せて|めて|べて|れて|てください|て下さい|すること|こと|使え|しろ|お願いします)(?:ください|下さい|くれ|ね|よ|ほしい|。|!|！|\.)*\Z",
    }
)

# How rules are worded: {w} is wanted, {u} unwanted, {x} a quotation or a name.
USE = {
    "en": "Use {w}, not {u}.", "es": "Usa {w}, no {u}.", "pt": "Use {w}, não {u}.",
    "fr": "Utilise {w}, pas {u}.", "de": "Verwende {w}, nicht {u}.", "it": "Usa {w}, non {u}.",
    "zh": "使用{w}，不要用{u}。", "ja": "{u}ではなく{w}を使ってください。",
}  # fmt: skip
IS = {
    "en": "It is {w}, not {u}.", "es": "Es {w}, no {u}.", "pt": "É {w}, não {u}.",
    "fr": "C'est {w}, pas {u}.", "de": "Es ist {w}, nicht {u}.", "it": "È {w}, non {u}.",
    "zh": "是{w}，不是{u}。", "ja": "{u}ではなく{w}です。",
}  # fmt: skip
WRITE = {
    "en": "Write “{w}”, not “{u}”.", "es": "Escribe «{w}», no «{u}».",
    "pt": "Escreva “{w}”, não “{u}”.", "fr": "Écris « {w} », pas « {u} ».",
    "de": "Schreibe „{w}“, nicht „{u}“.", "it": "Scrivi «{w}», non «{u}».",
    "zh": "写“{w}”，不要写“{u}”。", "ja": "「{u}」ではなく「{w}」と書いてください。",
}  # fmt: skip
LEAVE_OUT = {
    "en": "Do not write “{u}”.", "es": "No escribas «{u}».", "pt": "Não escreva “{u}”.",
    "fr": "N'écris pas « {u} ».", "de": "Schreibe nicht „{u}“.", "it": "Non scrivere «{u}».",
    "zh": "不要写“{u}”。", "ja": "「{u}」と書かないでください。",
}  # fmt: skip
EDITED = {
    "en": 'The user changed the reply to: "{x}"', "es": "El usuario cambió la respuesta a: «{x}»",
    "pt": "O usuário mudou a resposta para: “{x}”",
    "fr": "L'utilisateur a changé la réponse en : « {x} »",
    "de": "Der Nutzer änderte die Antwort in: „{x}“",
    "it": "L'utente ha cambiato la risposta in: «{x}»",
    "zh": "用户把回答改成了：“{x}”", "ja": "ユーザーは返答をこう直しました：「{x}」",
}  # fmt: skip
SAID = {
    "en": 'The user said: "{x}"', "es": "El usuario dijo: «{x}»", "pt": "O usuário disse: “{x}”",
    "fr": "L'utilisateur a dit : « {x} »", "de": "Der Nutzer sagte: „{x}“",
    "it": "L'utente ha detto: «{x}»", "zh": "用户说：“{x}”", "ja": "ユーザーの言葉：「{x}」",
}  # fmt: skip
ASK_FIRST = {
    "en": "Do not run {x} without asking.", "es": "No ejecutes {x} sin preguntar.",
    "pt": "Não execute {x} sem perguntar.", "fr": "N'exécute pas {x} sans demander.",
    "de": "Führe {x} nicht aus, ohne zu fragen.", "it": "Non eseguire {x} senza chiedere.",
    "zh": "未经询问不要运行{x}。", "ja": "確認せずに{x}を実行しないでください。",
}  # fmt: skip
DO_NOT_REFUSE = {
    "en": "Do not refuse this: {x}", "es": "No te niegues a esto: {x}",
    "pt": "Não recuse isto: {x}",
    "fr": "Ne refuse pas ceci : {x}", "de": "Lehne dies nicht ab: {x}",
    "it": "Non rifiutare questo: {x}", "zh": "不要拒绝：{x}", "ja": "これを断らないでください：{x}",
}  # fmt: skip
# A fact, with the question {q} that it answers, or by itself.
ANSWER = {
    "en": 'When asked "{q}", answer: {x}', "es": "Si preguntan «{q}», responde: {x}",
    "pt": "Se perguntarem “{q}”, responda: {x}",
    "fr": "Si on demande « {q} », réponds : {x}",
    "de": "Auf die Frage „{q}“ antworte: {x}", "it": "Se chiedono «{q}», rispondi: {x}",
    "zh": "被问到“{q}”时，回答：{x}", "ja": "「{q}」と聞かれたら、こう答えてください：{x}",
}  # fmt: skip
REMEMBER = {
    "en": "Remember that {x}", "es": "Recuerda que {x}", "pt": "Lembre-se de que {x}",
    "fr": "Rappelle-toi que {x}", "de": "Denk daran: {x}", "it": "Ricorda che {x}",
    "zh": "记住：{x}", "ja": "覚えておいてください：{x}",
}  # fmt: skip
REMEMBER_SAID = {
    "en": 'Remember that the user said: "{x}"', "es": "Recuerda que el usuario dijo: «{x}»",
    "pt": "Lembre-se de que o usuário disse: “{x}”",
    "fr": "Rappelle-toi que l'utilisateur a dit : « {x} »",
    "de": "Denk daran, der Nutzer sagte: „{x}“", "it": "Ricorda che l'utente ha detto: «{x}»",
    "zh": "记住，用户说：“{x}”", "ja": "覚えておいてください。ユーザーの言葉：「{x}」",
}  # fmt: skip
STOPS = {"zh": "。", "ja": "。"}
