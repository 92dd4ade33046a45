"""Polarity: whether a rule says do or do not, in every language."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seasoned.rules.grammar.polarity import is_negated

# A paragraph a language: English, Spanish, Portuguese, French, German, Italian, Chinese, Japanese.
DO = """
Always run the linter | Don't forget to run the tests | Never skip the tests
Use podman, not docker | Not only list, but explain | Use X when the file does not exist
Use no more than five lines | If it is not installed, install it | Don't hesitate to ask
Do not ignore warnings | Avoid skipping steps

Responde siempre en español | No dejes de avisar | No olvides los tests | No solo resumas, explica
Usa podman en vez de docker | Ejecuta los tests antes de subir | Llámame Ana
Nunca omitas las fuentes | Sin duda, usa podman | Usa el caché si no hay red

Sempre responda em português | Não esqueça de testar | Não deixe de avisar
Use podman, não docker | Não apenas liste, explique | Rode os testes | Nunca ignore os avisos
Me chame de Ana | Sem dúvida use podman | Use o cache se não houver rede

Réponds toujours en français | N'oublie pas les tests | Ne réponds qu'en français
Réponds sans hésiter | Utilise podman, pas docker | N'ignore pas les avertissements
Pas seulement une liste, une explication | Lance les tests | Appelle-moi Anne
Utilise le cache s'il le faut

Antworte auf Deutsch | Vergiss nicht zu testen | Nicht nur auflisten, sondern auch erklären
Verwende podman statt docker | Nimm nicht npm, sondern pnpm | Ignoriere keine Warnungen
Führe die Tests aus | Duze mich | Überspringe nie die Tests | Frag nach, wenn etwas nicht klar ist

Usa sempre i tab | Non dimenticare i test | Usa podman invece di docker
Non solo elencare, spiega | Rispondi in italiano | Non ignorare gli avvisi | Esegui i test
Chiamami Anna | Usa podman, non docker | Non saltare i test

始终运行测试 | 别忘了测试 | 不要忘记运行测试 | 用podman，不要用docker | 不仅要列出，还要解释
特别注意格式 | 用中文回答 | 不要跳过测试 | 叫我小王 | 不要忽略警告

必ずテストを実行して | テストを忘れないで | dockerではなくpodmanを使って
テストしなければならない | 日本語で答えて | 警告を無視しないで | 一覧だけでなく説明もして
敬語を使ってください | まず計画を見せて | 太郎と呼んで
"""
DO_NOT = """
Do not use docker | Never push to main | Stop apologising | Avoid emojis | No emojis
You shouldn't mock the database | Please don't add comments | Dont rename files
Refrain from guessing | Answer without emojis | Skip the introduction

Nunca uses docker | Deja de disculparte | No uses nunca emojis | Sin emojis
No añadas comentarios | Evita los emojis | Jamás borres archivos | No hagas commit en main
Nada de emojis | No escribas en inglés

Não use docker | Pare de pedir desculpas | Sem emojis | Nunca faça push na main
Evite comentários | Não adicione comentários | Jamais apague arquivos | Deixe de usar emojis
Não responda em inglês | Nada de emojis

N'utilise pas docker | Arrête de t'excuser | Ne réponds plus en anglais | Jamais d'emojis
Pas de commentaires | Évite les emojis | Ne pousse jamais sur main | Réponds sans emojis
N'ajoute rien | Utilise pas docker

Verwende keine Emojis | Hör auf, dich zu entschuldigen | Nie auf main pushen
Ohne Emojis antworten | Benutze docker nicht | Vermeide Kommentare | Füge keine Kommentare hinzu
Niemals Dateien löschen | Schreib nicht so lang | Bitte keine Tabellen

Non usare docker | Smetti di scusarti | Mai fare push su main | Niente emoji | Evita i commenti
Non aggiungere commenti | Rispondi senza emoji | Non cancellare mai i file | Nessun commento
Basta emoji

不要用表情符号 | 别道歉 | 禁止推送到main | 停止道歉 | 不要添加注释 | 避免使用缩写 | 切勿删除文件
以后不要用英文 | 请勿修改配置 | 别写注释

絵文字を使わないで | 謝らないでください | mainにプッシュするな | dockerは禁止 | 絵文字なしで
コメントを追加しないでください | 英語で答えないで | ファイルを削除してはいけない | 略語は避けて
謝るのはやめて
"""


def rules(table: str) -> list[str]:
    pieces = (piece.strip() for line in table.splitlines() for piece in line.split("|"))
    return [piece for piece in pieces if piece]


@pytest.mark.parametrize("rule", rules(DO))
def test_a_rule_that_says_do(rule: str):
    assert not is_negated(rule)


@pytest.mark.parametrize("rule", rules(DO_NOT))
def test_a_rule_that_says_do_not(rule: str):
    assert is_negated(rule)


@pytest.mark.parametrize("rule", rules(DO + DO_NOT))
def test_case_and_full_stop_make_no_difference(rule: str):
    assert is_negated(rule) == is_negated(f"  {rule}.") == is_negated(rule.upper())


@given(st.text(max_size=500))
def test_any_text_says_one_or_the_other(text: str):
    assert is_negated(text) in {True, False}
