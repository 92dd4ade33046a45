"""Which errors a trigger stands in, for the words that operators write."""

import pytest

from seasoned.errors.trigger import ErrorWords, TriggerIndex, trigger_of

STANDS = [
    ("ImagePullBackOff", "Warning Failed pod/web-7f: reason=ImagePullBackOff, waiting"),
    ("403", "HTTP/1.1 403 Forbidden"),
    ("403", '{"status":403,"message":"members only"}'),
    ("403", "the request failed (403)"),
    ("403", "code:403 members only"),
    (
        "protected branch",
        "remote: error: GH006: Protected branch update failed.\nerror: failed to push some refs",
    ),
    ("GH006", "remote: error: GH006: Protected branch update failed."),
    ("EADDRINUSE", "Error: listen EADDRINUSE: address already in use :::3000"),
    ("rebase", "error: cannot rebase: You have unstaged changes."),
    ("no space left", "write /var/lib/shop/x: No space left on device"),
    ("权限不足", "错误：权限不足，无法写入 a.txt"),
    ("доступ запрещён", "Ошибка: Доступ запрещён"),
    ("Zugriff verweigert", "Fehler 5: Zugriff verweigert."),
    ("No module named 'yaml'", "Traceback (most …):\nImportError: no module named yaml"),
    ("exit code 137", "the worker stopped\nexit code 137"),
    ("--no-verify", "error: --no-verify is not allowed here"),
    ("package.json", "npm error Could not read package.json: unexpected end"),
    ("open <path>: permission denied", "open /srv/shop/a.txt: permission denied"),
    ("quota exceeded for project …", "Quota exceeded for project shop-7 since noon"),
    ("certificate has expired", "x509: certificate has expired or is not yet valid"),
    ("can't find session", "can’t find session: 7"),
    ("OOMKilled", "web-1  OOMKilled  3 restarts"),
    ("ORA-00942", "ORA-00942: table or view does not exist"),
    ("unknown command", "unknown command 'shp' for 'gg'"),
    ("create index.lock already exists", "Unable to create 'index.lock': it already exists"),
]  # fmt: skip
STANDS_NOT = [
    ("403", "dial tcp 10.0.0.1:4030: connection refused"),
    ("403", "localhost:403 refused the connection"),
    ("403", "cart.py: line 403: bad indent"),
    ("403", "stopped after 403 bytes"),
    ("403", "GET https://shop.example/errors/403.html failed"),
    ("rebase", "open /srv/rebase/todo.txt: no such file"),
    ("rebase", "tests/test_rebase.py:3: AssertionError"),
    ("rebase", "sh: git-rebase.sh: not found"),
    ("protected branch", "the branch is protected"),
    ("protected branch", "an unprotected branch"),
    ("EOF", "unexpected eof in cart.c"),
    ("ImagePullBackOff", "imagepullbackoff"),
    ("branch was found locally", "branch was not found locally"),
    ("file exists", "the file surely exists"),
    ("no space left", "no\nspace left"),
    ("权限不足", "权限充足"),
]
TOO_COMMON = ["error", "Failed", "the", "exit code 1", "command failed", "1", "invalid", "…", "<n>"]


@pytest.mark.parametrize(("trigger", "error"), STANDS)
def test_a_trigger_fires_where_it_stands_word_for_word(trigger: str, error: str) -> None:
    read = trigger_of(trigger)
    assert read is not None
    assert ErrorWords(error).has(read)
    index = TriggerIndex()
    index.add(read, "it")
    assert index.find(error)


@pytest.mark.parametrize(("trigger", "error"), STANDS_NOT)
def test_a_trigger_does_not_fire_in_parts_of_words_or_places(trigger: str, error: str) -> None:
    read = trigger_of(trigger)
    assert read is not None
    assert not ErrorWords(error).has(read)


@pytest.mark.parametrize("trigger", TOO_COMMON)
def test_words_that_stand_everywhere_are_no_trigger(trigger: str) -> None:
    assert trigger_of(trigger) is None


def test_the_trigger_that_says_most_comes_first() -> None:
    index = TriggerIndex()
    for name in ("branch", "protected branch", "Protected branch update failed", "merge"):
        trigger = trigger_of(name)
        assert trigger is not None
        index.add(trigger, name)
    found = index.find("error: GH006: Protected branch update failed")
    assert [key for _, key in found] == [
        "Protected branch update failed",
        "protected branch",
        "branch",
    ]
