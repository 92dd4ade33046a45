import base64
import time

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


RANDOM = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6kM9"  # made up


@pytest.mark.parametrize(
    "secret",
    [
        f"xapp-1-A0B1C2D3E4-{RANDOM}",
        f"M{RANDOM[:25]}.G{RANDOM[:5]}.{RANDOM[:38]}",  # Discord
        f"whsec_{RANDOM}",
        f"ya29.{RANDOM}",
        f"GOCSPX-{RANDOM}",
        f"SG.{RANDOM[:22]}.{RANDOM}{RANDOM[:4]}",
        f"1234567890:AA{RANDOM[:33]}",  # Telegram
        "dop_v1_" + "0a1b2c3d" * 8,
        "shpat_" + "0a1b2c3d" * 4,
        f"hvs.{RANDOM}",
        "AGE-SECRET-KEY-1" + "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L" * 2,
        f"https://hooks.slack.com/services/T0A1B2C3D/B0A1B2C3D/{RANDOM[:24]}",
        f"https://discord.com/api/webhooks/1234567890123456789/{RANDOM}{RANDOM}",
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\nlQOY\n-----END PGP PRIVATE KEY BLOCK-----",
        f"{RANDOM[:39]}9",  # a secret key of AWS
    ],
)
def test_a_secret_is_known_wherever_it_stands(secret: str) -> None:
    assert redact(f"before {secret} after") == f"before {SECRET} after"
    assert redact(f'{{"a": "{secret}"}}') == f'{{"a": "{SECRET}"}}'


@pytest.mark.parametrize(
    "text",
    [
        "mysql -u root -phunter2 shop",
        "sshpass -p hunter2 ssh host",
        "redis-cli -h cache -a hunter2 ping",
        "docker login -u ana -p hunter2",
        "the password is hunter2",
        "The password for the staging box is hunter2.",
        "pass: hunter2",
        "Cookie: theme=dark; session=hunter2x9",
        "machine example.com login ana password hunter2",
        "db.example.com:5432:shop:app:hunter2",
        "password: hunter2",
        "Server=db;Password=hunter2;Encrypt=true",
        "ALTER USER ana WITH PASSWORD 'hunter2';",
        "<password>hunter2</password>",
        'password := "hunter2"',
        "echo hunter2 | sudo -S ls",
        "das Passwort ist hunter2",
    ],
)
def test_a_password_is_known_by_its_place(text: str) -> None:
    assert "hunter2" not in redact(text)
    assert SECRET in redact(text)
    assert redact(redact(text)) == redact(text)


def test_a_key_in_base64_or_cut_off_is_known() -> None:
    armoured = "-----BEGIN PRIVATE KEY-----\n" + "MIIEvQ" * 30
    assert redact(f"{armoured}\n\nThat was it, she said.") == f"{SECRET}\n\nThat was it, she said."
    encoded = base64.b64encode(armoured.encode()).decode()
    assert redact(f"key: {encoded}") == f"key: {SECRET}"
    certificate = base64.b64encode(armoured.replace("PRIVATE KEY", "CERTIFICATE").encode()).decode()
    assert redact(f"ca: {certificate}") == f"ca: {certificate}"


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
        "The tests still pass: wonderful news",
        "--- PASS: TestE2E_AgentCommits2 (24.07s)",
        "password is required",
        "the secret to good code is naming",
        "password: str",
        'api_key=os.environ["OPENAI_API_KEY"]',
        "password=$PASSWORD",
        "Authorization: Bearer <your-token>",
        "token = get_token()",
        "login(user=user, password=password)",
        "commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904",
        "session 7f9c24e8-3b12-4a6e-9d51-0f8a2c6b1e37 ended",
        "mkdir -p src && ssh -p 2222 ana@host",
        "privateKey: Uint8Array",
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


words = st.sampled_from(
    [
        *"password token secret api_key: = : is , ; & @ :// - -p ` \\ ( ) < > $X login".split(),
        *"Authorization Bearer abcdef0123456789 Cookie session= mysql curl -u ana:b9c8d7e6".split(),
        *["'x1y2z3w4'", '"hunter2"', "\n", SECRET],
    ]
)


@given(st.lists(words, max_size=12), st.sampled_from(["", " "]))
def test_a_redacted_text_stays_as_it_is(pieces: list[str], between: str) -> None:
    once = redact(between.join(pieces))
    assert redact(once) == once


def test_redacting_is_quick_on_what_nearly_matches() -> None:
    nearly = ("sk-a-", "password", "://a:", "eyJ", "ab1/", "token is ", "-p ", "curl -u ", "key: ")
    for piece in nearly:
        began = time.perf_counter()
        redact(piece * (30_000 // len(piece)))
        assert time.perf_counter() - began < 5, piece
