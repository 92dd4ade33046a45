"""Conflicts: rules that cannot both be followed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seasoned.rules.grammar.comparison import conflict

CONFLICTING = """
Use podman, not docker|Use docker, not podman
Use podman, not docker|Use docker
Use podman instead of docker|Never use podman
Add comments|Do not add comments
Always add docstrings|Don't write docstrings
Answer in German|Answer in English
Use tabs|Use spaces
Be brief|Give detailed answers
Call me Sam|Call me Alex
The port is 8080|The port is 9090
Use pytest for tests|Use unittest for tests
Always push to main|Never push to main
Use emojis|Stop using emojis
Answer with emojis|Answer without emojis
Keep lines under 80 characters|Keep lines under 120 characters
Never use docker|Use docker for builds
Responde en español|Responde en inglés
Usa podman, no docker|Usa docker, no podman
No añadas comentarios|Añade comentarios
Sé breve|Da respuestas detalladas
Responda em português|Responda em inglês
Não use emojis|Use emojis
Use podman em vez de docker|Use docker em vez de podman
Réponds en français|Réponds en anglais
N'utilise pas docker|Utilise docker
Sois bref|Donne des réponses détaillées
Antworte auf Deutsch|Antworte auf Englisch
Verwende keine Emojis|Verwende immer Emojis
Nimm podman statt docker|Nimm docker statt podman
Duze mich|Bitte siezen
Rispondi in italiano|Rispondi in inglese
Non usare docker|Usa docker
Usa podman invece di docker|Usa docker invece di podman
用中文回答|用英文回答
不要用docker|使用docker
用podman，不要用docker|用docker，不要用podman
回答要简短|回答要详细
日本語で答えて|英語で答えて
絵文字を使わないで|絵文字を使って
dockerではなくpodmanを使って|podmanではなくdockerを使って
端口是8080|端口是9090
Run the tests before committing|Run the tests after committing
Remove the comments from the code|Add comments to the code
Show more examples|Show fewer examples
Use double quotes for strings|Use single quotes for strings
Nenn mich Alex|Nenn mich Sam
Always respond in Spanish.|From now on reply in French.
Use snake_case for variables|Use camelCase for variables
Indent with tabs|Indent with two spaces
Never use bullet points|Use bullet points
Write long, detailed explanations|Keep explanations short
Address me formally|Be casual with me
The deadline is Friday|The deadline is Monday
My name is Ana|My name is Eva
Always ask before deleting files|Never ask before deleting files
Use type hints everywhere|Avoid type hints
Use Celsius|Use Fahrenheit
Use npm instead of yarn|Use yarn instead of npm
Commit after every change|Do not commit after every change
No pidas disculpas|Pide disculpas siempre
Usa tabuladores|Usa espacios
Llámame Ana|Llámame Eva
El puerto es 8080|El puerto es 3000
Trátame de usted|Tutéame
Escreva respostas curtas|Escreva respostas longas
Nunca use tabelas|Use tabelas
Me chame de Ana|Me chame de Bia
Utilise des tabulations|Utilise des espaces
Ne mets pas de tableaux|Mets des tableaux
Appelle-moi Anne|Appelle-moi Claire
Le port est 8080|Le port est 3000
Benutze Tabs|Benutze Leerzeichen
Schreib kurze Antworten|Schreib ausführliche Antworten
Der Port ist 8080|Der Port ist 3000
Bitte keine Tabellen|Verwende Tabellen
Usa i tab|Usa gli spazi
Niente tabelle|Usa le tabelle
Chiamami Anna|Chiamami Eva
La porta è 8080|La porta è 3000
不要用表格|用表格
叫我小王|叫我小李
使用制表符|使用空格
表を使わないで|表を使って
太郎と呼んで|次郎と呼んで
タブを使って|スペースを使って
短く答えて|詳しく答えて
Write "colour", not "color".|Write "color", not "colour".
Do not run shell without asking.|Run shell without asking.
"""
COMPATIBLE = """
Use pytest for tests|Use ruff for linting
Don't add comments|Add type hints
Never push to main|Push to your own branch
Use podman, not docker|Do not use docker
Use podman, not docker|Never use docker; use podman
Don't answer in German|Answer in English
Answer without emojis|Do not use emojis
Be brief|Don't be verbose
Be brief in commit messages|Give detailed answers
Never skip the tests|Always run the tests
Don't forget to run the tests|Run the tests
Add tests|Don't add slow tests
Use mocks for the network|Do not use mocks in unit tests
Add comments|Do not add comments in the tests
The staging port is 8080|The production port is 9090
Call me Sam|Call the API twice
Use tabs in Makefiles|Use spaces in Python
Answer in German|Write the code comments in English
Use uv for packages|Use docker for deployment
Usa pytest para los tests|Usa ruff para el linting
No hagas push a main|Haz push a tu rama
No olvides los tests|Ejecuta los tests
Responde en español|No uses inglés
Não faça commit no main|Faça commit na sua branch
Não esqueça os testes|Rode os testes
N'ajoute pas de commentaires|Ajoute des types
Réponds en français|Écris le code en anglais
Ne pousse jamais sur main|Pousse sur ta branche
Füge keine Kommentare hinzu|Füge Typen hinzu
Pushe nie auf main|Pushe auf deinen Branch
Vergiss nicht die Tests|Führe die Tests aus
Non aggiungere commenti|Aggiungi i tipi
Non fare push su main|Fai push sul tuo branch
不要添加注释|添加类型提示
不要推送到main|推送到你自己的分支
别忘了运行测试|运行测试
コメントを追加しないで|型ヒントを追加して
mainにプッシュしないで|自分のブランチにプッシュして
テストを忘れないで|テストを実行して
Never deploy without asking|Ask before you deploy
Do not deploy on Fridays|Deploy on Mondays
The user is called Sam|The repository is called seasoned
Use German number formats|Use English variable names
Show more examples|Write less code
Keep the answer under 100 words|Keep the title under 60 characters
Use black for formatting|Use mypy for type checking
Do not use tables in emails|Use tables in reports
Never delete files|Delete the temporary branch after merging
Always write tests|Do not write tests for generated code
Don't use abbreviations|Use full names
Stop apologising|Be polite
Use metric units|Answer in English
Never commit secrets|Commit after every change
Do not use global variables|Use local variables
The port is 8080|The host is example.com
My name is Ana|My time zone is CET
Do not guess|Ask when you are not sure
Write short functions|Write detailed docstrings
Use podman, not docker|Use pytest, not unittest
Answer in German|Do not use emojis
Avoid long sentences|Keep sentences short
Don't use print for debugging|Use logging for debugging
Do not run shell without asking.|Do not run deploy without asking.
Do not push on Fridays|Never push to main
Show the plan first|Do not show the full log
Don't skip type hints|Add type hints
Use the metric system|Use the staging system
No uses abreviaturas|Usa nombres completos
No borres archivos|Borra la rama temporal
Evita las frases largas|Usa frases cortas
Usa podman, no docker|No uses docker
Não use abreviações|Use nomes completos
Não apague arquivos|Apague a branch temporária
Evite frases longas|Use frases curtas
N'utilise pas d'abréviations|Utilise des noms complets
Évite les phrases longues|Fais des phrases courtes
N'efface pas les fichiers|Efface la branche temporaire
Verwende keine Abkürzungen|Verwende volle Namen
Vermeide lange Sätze|Schreib kurze Sätze
Lösche keine Dateien|Lösche den Branch
Non usare abbreviazioni|Usa nomi completi
Evita frasi lunghe|Scrivi frasi corte
Non cancellare i file|Cancella il branch
不要用缩写|用全称
不要删除文件|删除临时分支
略語を使わないで|正式名称を使って
ファイルを削除しないで|一時ブランチを削除して
It is Canberra (question: "capital of Australia?").|It is Paris (question: "capital of France?").
Call me Sam|Call me when the build fails
The tests are slow|The tests are in tests/unit
Do not mention the price|Mention the delivery date
Never use sudo|Use apt to install packages
"""


def pairs(table: str) -> list[tuple[str, str]]:
    found = [line.partition("|") for line in table.strip().splitlines()]
    return [(one, other) for one, _, other in found]


@pytest.mark.parametrize(("one", "other"), pairs(CONFLICTING))
def test_rules_that_cannot_both_be_followed_conflict(one: str, other: str):
    assert conflict(one, other)
    assert conflict(other, one) == conflict(one, other)


@pytest.mark.parametrize(("one", "other"), pairs(COMPATIBLE))
def test_rules_that_can_both_be_followed_do_not_conflict(one: str, other: str):
    assert conflict(one, other) is None
    assert conflict(other, one) is None


def test_the_reason_names_what_is_at_issue():
    reason = conflict("Add docstrings to functions", "Do not write docstrings")
    assert reason == "one wants what the other does not: docstrings"


def test_a_higher_threshold_lets_more_pass():
    one, other = "Never use docker", "Use docker for the nightly release builds"
    assert conflict(one, other)
    assert conflict(one, other, overlap=0.9) is None


def test_a_rule_in_the_users_words_is_compared_by_them():
    assert conflict('The user said: "never use docker"', "Use docker")


SENTENCES = st.sampled_from([rule for pair in pairs(CONFLICTING + COMPATIBLE) for rule in pair])


@given(SENTENCES, SENTENCES)
def test_which_rule_came_first_does_not_matter(one: str, other: str):
    assert conflict(one, other) == conflict(other, one)


@given(st.text(max_size=200) | SENTENCES)
def test_a_rule_never_conflicts_with_itself(rule: str):
    assert conflict(rule, rule) is None
    assert conflict(rule, f"  {rule} ") is None


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_text_can_be_compared(one: str, other: str):
    assert (conflict(one, other) is None) == (conflict(other, one) is None)
