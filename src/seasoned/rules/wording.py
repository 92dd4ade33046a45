"""How rules are worded in each language."""

from collections.abc import Mapping

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
QUESTION = {
    "en": "question", "es": "pregunta", "pt": "pergunta", "fr": "question", "de": "Frage",
    "it": "domanda", "zh": "问题", "ja": "質問",
}  # fmt: skip
STOPS = {"zh": "。", "ja": "。"}


def worded(table: Mapping[str, str], language: str, **pieces: str) -> str:
    """A line of a table in a language, English where it has none.

    >>> worded(USE, "de", w="podman", u="docker")
    'Verwende podman, nicht docker.'
    """
    line = table.get(language, table["en"])
    for name, piece in pieces.items():
        line = line.replace(f"{{{name}}}", piece)
    return line
