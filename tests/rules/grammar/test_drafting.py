"""Drafting: a correction becomes a rule in the user's language, or has a reason not to."""

from dataclasses import replace
from typing import Any
from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seasoned.core.scope import Scope
from seasoned.rules.case import Case, NoRule, RuleDraft
from seasoned.rules.grammar.drafting import draft_rule


def case(message: str, language: str | None = "en", kind: str = "instruction", **more: Any) -> Case:
    return Case("c1", 0, Scope(), message, kind, more.pop("score", 0.9), language, **more)


def rule(
    message: str, language: str | None = "en", kind: str = "instruction", **more: Any
) -> RuleDraft:
    found = draft_rule(case(message, language, kind, **more))
    assert isinstance(found, RuleDraft), found
    return found


REPLACED = {
    "en": ("No, use podman, not docker.", "Use podman, not docker."),
    "es": ("No, usa podman en vez de docker", "Usa podman, no docker."),
    "pt": ("Não, use podman em vez de docker", "Use podman, não docker."),
    "fr": ("Non, utilise podman au lieu de docker", "Utilise podman, pas docker."),
    "de": ("Nein, nimm podman statt docker", "Verwende podman, nicht docker."),
    "it": ("No, usa podman invece di docker", "Usa podman, non docker."),
    "zh": ("不对，用podman，不要用docker", "使用podman，不要用docker。"),
    "ja": ("違う、dockerじゃなくてpodmanを使って", "dockerではなくpodmanを使ってください。"),
}


@pytest.mark.parametrize("language", REPLACED)
def test_a_replacement_says_what_to_use_and_what_not(language: str):
    message, description = REPLACED[language]
    found = rule(
        message, language, "replacement", wanted="podman", unwanted="docker", request="start redis"
    )
    assert (found.type, found.description, found.poison) == ("preference", description, "docker")
    assert found.quotes == (message,)
    assert {"redis", "podman", "docker"} <= set(found.trigger.split())


# What is said, and the rule that comes of it.
SENTENCES = {
    "en": """
        stop adding emojis please|Do not add emojis.
        Please stop apologizing!|Do not apologize.
        don't ever rename my files|Do not rename my files.
        never push to main|Never push to main.
        you shouldn't mock the database|Do not mock the database.
        from now on answer in German|Always answer in German.
        Keep it short from now on|Always keep it short.
        when you deploy, always run the tests|When you deploy, always run the tests.
        no more tables|No more tables.
        Be brief.|Be brief.
        """,
    "es": """
        deja de disculparte|Deja de disculparte.
        no uses emojis, por favor|No uses emojis.
        nunca hagas push a main|Nunca hagas push a main.
        a partir de ahora responde en inglés|Siempre responde en inglés.
        siempre ejecuta los tests antes de subir|Siempre ejecuta los tests antes de subir.
        evita los comentarios largos|Evita los comentarios largos.
        por ahora usa tabuladores|Por ahora usa tabuladores.
        responde en español|Responde en español.
        """,
    "pt": """
        pare de pedir desculpas|Pare de pedir desculpas.
        não use emojis|Não use emojis.
        nunca apague arquivos sem perguntar|Nunca apague arquivos sem perguntar.
        a partir de agora responda em inglês|Sempre responda em inglês.
        sempre rode os testes|Sempre rode os testes.
        evite comentários longos|Evite comentários longos.
        por enquanto use tabs|Por enquanto use tabs.
        fale português comigo|Fale português comigo.
        """,
    "fr": """
        arrête de t'excuser|Arrête de t'excuser.
        n'utilise pas d'emojis|N'utilise pas d'emojis.
        pas d'emojis|Pas d'emojis.
        ne pousse jamais sur main|Ne pousse jamais sur main.
        désormais réponds en anglais|Réponds toujours en anglais.
        à l'avenir, lance les tests|Lance toujours les tests.
        pour l'instant utilise des tabulations|Pour l'instant utilise des tabulations.
        sois bref|Sois bref.
        """,
    "de": """
        hör auf, dich zu entschuldigen|Hör auf, dich zu entschuldigen.
        verwende keine Emojis|Verwende keine Emojis.
        pushe nie auf main|Pushe nie auf main.
        ab jetzt antworte auf Englisch|Antworte immer auf Englisch.
        ab jetzt antwortest du auf Englisch|Ab jetzt antwortest du auf Englisch.
        bitte keine Tabellen|Keine Tabellen.
        diesmal nimm Tabs|Diesmal nimm Tabs.
        fasse dich kurz|Fasse dich kurz.
        """,
    "it": """
        smetti di scusarti|Smetti di scusarti.
        non usare emoji|Non usare emoji.
        non fare mai push su main|Non fare mai push su main.
        d'ora in poi rispondi in inglese|Rispondi sempre in inglese.
        niente tabelle, per favore|Niente tabelle.
        evita i commenti|Evita i commenti.
        per ora usa i tab|Per ora usa i tab.
        sii breve|Sii breve.
        """,
    "zh": """
        不要道歉|不要道歉。
        别用表情符号|别用表情符号。
        以后都用英文回答|始终用英文回答。
        以后不要用表情符号|以后不要用表情符号。
        禁止推送到main|禁止推送到main。
        请用中文回答|用中文回答。
        这次用制表符|这次用制表符。
        每次都运行测试|始终运行测试。
        """,
    "ja": """
        謝らないでください|謝らないでください。
        絵文字は使わないで|絵文字は使わないで。
        これからは英語で答えて|常に英語で答えて。
        mainにプッシュしないで|mainにプッシュしないで。
        必ずテストを実行して|常にテストを実行して。
        謝るのはやめて|謝るのはやめて。
        今回だけタブを使って|今回だけタブを使って。
        日本語で答えてください|日本語で答えてください。
        """,
}
LINES = [
    (language, *line.strip().split("|"))
    for language, table in SENTENCES.items()
    for line in table.strip().splitlines()
]


@pytest.mark.parametrize(("language", "message", "description"), LINES)
def test_an_instruction_is_a_sentence_in_the_users_language(
    language: str, message: str, description: str
):
    found = rule(message, language, request="deploy the service")
    assert (found.type, found.description) == ("preference", description)
    assert found.quotes == (message,)


FACTS = {
    "en": ("that's wrong, it is Canberra", "It is Canberra"),
    "es": ("está mal, es Canberra", "Es Canberra"),
    "pt": ("está errado, é Camberra", "É Camberra"),
    "fr": ("c'est faux, c'est Canberra", "C'est Canberra"),
    "de": ("das ist falsch, es ist Canberra", "Es ist Canberra"),
    "it": ("è sbagliato, è Canberra", "È Canberra"),
    "zh": ("错了，是堪培拉", "是堪培拉"),
    "ja": ("違います、キャンベラです", "キャンベラです"),
}


@pytest.mark.parametrize("language", FACTS)
def test_a_fact_put_right_is_kept_with_its_question(language: str):
    message, fact = FACTS[language]
    found = rule(message, language, "wrong", request="capital of Australia?", reply="It is Sydney.")
    assert found.type == "hallucination"
    assert found.description.rstrip(".。").endswith(fact[:1].lower() + fact[1:])
    assert "capital of Australia?" in found.description
    assert found.duration == "lasting"
    assert found.trigger == "capital Australia"
    assert found.poison == "It is Sydney."


def test_a_fact_against_another_names_both():
    found = rule(
        "No, it's Canberra, not Sydney", "en", "replacement", wanted="Canberra", unwanted="Sydney"
    )
    assert (found.type, found.description) == ("hallucination", "It is Canberra, not Sydney.")


TOLD = {
    "en": ("I told you the port is 8080", "Remember that the port is 8080."),
    "es": ("ya te dije que el puerto es 8080", "Recuerda que el puerto es 8080."),
    "pt": ("eu já disse que a porta é 8080", "Lembre-se de que a porta é 8080."),
    "fr": ("je t'ai déjà dit que le port est 8080", "Rappelle-toi que le port est 8080."),
    "de": ("ich habe dir gesagt, der Port ist 8080", "Denk daran: der Port ist 8080."),
    "it": ("ti ho già detto che la porta è 8080", "Ricorda che la porta è 8080."),
    "zh": ("我说过端口是8080", "记住：端口是8080。"),
    "ja": ("ポートは8080だと言ったでしょう", "覚えておいてください：ポートは8080だ。"),
}


@pytest.mark.parametrize("language", TOLD)
def test_what_was_told_before_is_missing_context(language: str):
    message, description = TOLD[language]
    found = rule(message, language, "repeated", request="open the admin page")
    assert (found.type, found.description) == ("missing_context", description)


def test_a_prohibition_becomes_a_rule():
    assert rule("I already told you not to push", kind="repeated").description == "Do not push."


ALLOWED = {
    "en": "you can read that file",
    "es": "puedes leer ese archivo",
    "pt": "você pode ler o arquivo",
    "fr": "tu peux lire le fichier",
    "de": "du kannst die Datei lesen",
    "it": "puoi leggere il file",
    "zh": "你可以读这个文件",
    "ja": "ファイルを読むことができます",
}


@pytest.mark.parametrize("language", ALLOWED)
def test_what_was_refused_without_need_is_a_refusal(language: str):
    assert rule(ALLOWED[language], language, "wrong", reply="").type == "refusal"


def test_a_permission_where_nothing_was_refused_is_none():
    assert rule("you can use tabs", reply="Formatted with spaces.").type != "refusal"


def test_do_not_refuse_names_the_request():
    found = rule("don't refuse that", request="list the users", reply="Sorry, I can't.")
    assert (found.type, found.description) == ("refusal", "Do not refuse this: list the users")


def test_a_tool_named_as_the_wrong_one_is_a_wrong_skill():
    found = rule(
        "use grep, not search", "en", "replacement", wanted="grep", unwanted="search",
        request="find the parser", tool_calls=({"tool": "search"},),
    )  # fmt: skip
    assert found.type == "wrong_skill"
    assert "search" in found.trigger.split()


@pytest.mark.parametrize(
    "message",
    ["no", "No!", "that's wrong", "try again", "it doesn't work", "wrong, try again please", "👎",
     "", "eso está mal", "inténtalo otra vez", "está errado", "tente de novo", "c'est faux",
     "non, réessaie", "falsch", "nein, nochmal", "das stimmt nicht", "sbagliato", "riprova",
     "不对", "不对，再试一次", "違う", "違います、もう一度"],
)  # fmt: skip
def test_a_bare_no_is_no_rule(message: str):
    found = draft_rule(case(message, None, "wrong", request="list the users"))
    assert isinstance(found, NoRule)
    assert found.reason


def test_other_words_are_kept_as_they_are():
    found = rule("no, the report needs totals per month", "en", "wrong", request="make a report")
    assert found.description == 'The user said: "the report needs totals per month"'
    assert found.type == "preference"
    assert "report" in found.trigger


def test_what_users_say_of_themselves_is_quoted_lest_a_model_take_it_for_its_own():
    found = rule("I told you my time zone is CET", "en", "repeated")
    assert found.description == 'Remember that the user said: "my time zone is CET"'


def test_talk_that_only_begins_like_a_fact_is_none():
    talk = case("That is a movie I have seen, and it was long", "en", "wrong", request="a movie?")
    assert isinstance(draft_rule(talk), NoRule)


def test_a_contrast_in_a_longer_sentence_keeps_the_sentence():
    found = rule(
        "Answer in English, not German", "en", "replacement", wanted="English", unwanted="German"
    )
    assert found.description == "Answer in English, not German."


def test_words_in_an_unknown_language_are_kept_too():
    assert "يجب" in rule("لا، يجب أن تكون الإجابة أقصر", None, "wrong").description


@pytest.mark.parametrize("kind", ["asked_again", "interrupted", "amended", "declined"])
def test_a_sign_without_words_is_no_rule(kind: str):
    assert isinstance(draft_rule(case("list the users", None, kind, request="list users")), NoRule)


def test_an_interruption_that_says_what_is_wanted_is_a_rule():
    assert (
        rule("never touch the config", kind="interrupted").description == "Never touch the config."
    )


def test_a_small_edit_is_a_rule_and_an_example():
    found = rule(
        "Run it in podman.", None, "edited", wanted="podman", unwanted="docker",
        request="How do I run it?", reply="Run it in docker.",
    )  # fmt: skip
    assert found.description == "Write “podman”, not “docker”."
    assert (found.fewshot_user, found.fewshot_assistant) == (
        "How do I run it?",
        "Run it in podman.",
    )
    assert found.poison == "docker"


def test_a_large_edit_is_an_example():
    found = rule(
        "Dear team,\nall done.", None, "edited", wanted="Dear team … all", unwanted="Hi … yes",
        request="Write the mail", reply="Hi, yes done.",
    )  # fmt: skip
    assert found.fewshot_assistant == "Dear team,\nall done."
    assert "\n" not in found.description


def test_a_denied_call_asks_for_leave():
    found = rule(
        "", None, "denied", unwanted="shell", request="clean up", tool_calls=({"tool": "shell"},)
    )
    assert (found.type, found.description) == ("wrong_skill", "Do not run shell without asking.")
    assert "shell" in found.trigger.split()
    assert found.quotes == ()


def test_a_denial_with_a_reason_keeps_it():
    found = rule(
        "this costs money", "en", "denied", unwanted="deploy", tool_calls=({"tool": "deploy"},)
    )
    assert (
        found.description == 'Do not run deploy without asking. The user said: "this costs money"'
    )


def test_a_denial_that_says_what_to_do_instead_says_that():
    found = rule(
        "no, use podman, not docker", "en", "denied", wanted="podman", unwanted="docker",
        tool_calls=({"tool": "shell"},),
    )  # fmt: skip
    assert (found.type, found.description) == ("wrong_skill", "Use podman, not docker.")
    assert "shell" in found.trigger.split()


@pytest.mark.parametrize(
    "message",
    ["use tabs this time", "for now use tabs", "use tabs just here", "use tabs in this file",
     "esta vez usa tabuladores", "por enquanto use tabs", "cette fois utilise des tabulations",
     "diesmal nimm Tabs", "per ora usa i tab", "这次用制表符", "今回だけタブを使って"],
)  # fmt: skip
def test_what_is_meant_for_now_holds_in_the_session(message: str):
    assert rule(message, None).duration == "session"


def test_a_rule_not_meant_for_now_lasts():
    assert rule("from now on use tabs").duration == "lasting"


@pytest.mark.parametrize(
    ("language", "message"),
    [("en", "answer in German"), ("en", "be brief"), ("en", "stop apologizing"),
     ("en", "no emojis"), ("en", "call me Sam"), ("en", "use metric units"),
     ("en", "don't use bullet points"),
     ("es", "responde en español"), ("es", "no uses emojis"), ("pt", "não use emojis"),
     ("pt", "responda em português"), ("fr", "réponds en français"), ("fr", "sois bref"),
     ("de", "antworte auf Deutsch"), ("de", "duze mich"), ("it", "rispondi in italiano"),
     ("it", "niente emoji"), ("zh", "用中文回答"), ("zh", "不要道歉"), ("ja", "日本語で答えて"),
     ("ja", "敬語を使って")],
)  # fmt: skip
def test_how_to_answer_holds_in_every_turn(language: str, message: str):
    assert rule(message, language, request="list the open invoices").trigger == ""


@pytest.mark.parametrize(
    "message",
    ["never push to main", "write the commit messages in English", "don't put emojis in the code",
     "use short variable names"],
)  # fmt: skip
def test_other_rules_have_a_situation(message: str):
    assert rule(message, request="list the open invoices").trigger


def test_confidence_is_the_score_of_the_detection():
    assert rule("never push to main", score=0.77).confidence == 0.77
    assert rule("never push to main", score=7.0).confidence == 1.0
    assert rule("never push to main", score=float("nan")).confidence == 0.5


KINDS = st.sampled_from(
    "wrong replacement instruction repeated misunderstood dissatisfied amended declined "
    "asked_again edited interrupted denied".split()
)
WORDS = st.text(max_size=120) | st.sampled_from([line[1] for line in LINES])
CASES = st.builds(
    case,
    st.lists(WORDS, max_size=3).map(" ".join),
    st.sampled_from([None, "xx", *SENTENCES]),
    KINDS,
    wanted=st.none() | WORDS,
    unwanted=st.none() | WORDS,
    request=WORDS,
    reply=WORDS,
    tool_calls=st.lists(st.fixed_dictionaries({"tool": WORDS}), max_size=2),
    score=st.floats(),
)


@given(CASES)
def test_any_case_makes_one_bounded_line_or_a_reason(some: Case):
    found = draft_rule(some)
    assert found == draft_rule(some)
    if isinstance(found, NoRule):
        assert found.reason
        return
    assert found.description == " ".join(found.description.split())
    assert 0 < len(found.description) <= 400
    assert not {category(char) for char in found.description} & {"Cc", "Cs", "Zl", "Zp"}
    assert len(found.trigger) <= 300
    assert "\n" not in found.trigger
    assert len(found.poison or "") <= 200
    assert 0 <= found.confidence <= 1
    assert all(len(quote) <= 300 for quote in found.quotes)


@pytest.mark.parametrize(
    "piece", ["no, not, ", "a", "use x, ", "```", "不要", "\x00\u202e", "' \" ", "é "]
)
def test_a_megabyte_is_read_at_once(piece: str):
    huge = piece * (1_000_000 // len(piece))
    for kind in ("wrong", "edited", "denied"):
        found = draft_rule(
            replace(case(huge, None, kind), wanted=huge, unwanted=huge, request=huge, reply=huge)
        )
        assert isinstance(found, NoRule) or len(found.description) <= 400
