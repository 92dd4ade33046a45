import pytest
from hypothesis import given
from hypothesis import strategies as st

from seasoned.security.redact import SECRET, hides_a_secret, redact, redacted


@pytest.mark.parametrize(
    "secret",
    [
        "sk-proj-Zm9vYmFyYmF6cXV4MTIzNDU2",
        "sk-ant-api03-Zm9vYmFyYmF6cXV4",
        "ghp_abcdefghijklmnopqrstuvwxyz0123",
        "github_pat_11ABCDEFG0abcdefghijkl",
        "glpat-abcdefghij0123456789",
        "xoxb-123456789012-abcdefGHIJ",
        "AKIAABCDEFGHIJKLMNOP",
        "AIzaSyA-abcdefghijklmnopqrstuvwxyz12345",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----",
    ],
)
def test_a_secret_is_known_by_its_form(secret: str) -> None:
    assert redact(f"before {secret} after") == f"before {SECRET} after"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("password=hunter2 next", f"password={SECRET} next"),
        ('{"api_key": "abc123"}', f'{{"api_key": "{SECRET}"}}'),
        ("mysql --password hunter2 -u root", f"mysql --password {SECRET} -u root"),
        ("postgres://ana:hunter2@db/x", f"postgres://ana:{SECRET}@db/x"),
        ("Authorization: Bearer abcdef0123456789", f"Authorization: Bearer {SECRET}"),
    ],
)
def test_a_secret_is_known_by_the_word_before_it(text: str, kept: str) -> None:
    assert redact(text) == kept


@pytest.mark.parametrize(
    "text",
    [
        "tokens: the parser read 30 tokens",
        "https://example.com:8080/a@b",
        "a bearer of news",
        "the key error was KeyError: 'name'",
        "skip-this-test-because-it-is-slow",
        "bypass the cache",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert redact(text) == text


def test_names_give_secrets_away_at_any_depth() -> None:
    assert redacted({"auth": [{"clientSecret": "x", "id": 1}]}) == {
        "auth": [{"clientSecret": SECRET, "id": 1}]
    }
    assert not hides_a_secret("monkey")
    assert not hides_a_secret("compass")


json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(json_like)
def test_redacting_twice_is_redacting_once(value: object) -> None:
    once = redacted(value)
    assert repr(redacted(once)) == repr(once)


def test_redacting_is_quick_on_what_nearly_matches() -> None:
    for text in ("sk-" + "a-" * 50_000, "password" * 20_000, "://" + "a" * 100_000 + ":b"):
        redact(text)
