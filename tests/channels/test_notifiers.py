"""Notifiers: delivered once, signed, never blocking; each webhook is a real server."""

import hashlib
import hmac
import json
import logging
import socket
import threading
import time
from collections.abc import Generator
from dataclasses import replace
from typing import Any

import pytest
from tests.embedding_service import eventually
from tests.json_service import JsonService, Reply

from seasoned.channels.notice import Notice
from seasoned.channels.notifiers import CHANNELS, LogNotifier, NoticeQueue, notifier_from
from seasoned.channels.outlets import Outlets
from seasoned.channels.webhook import WebhookNotifier
from seasoned.config import load
from seasoned.config.settings import NotifyConfig
from seasoned.core.errors import ConfigError, NotifierError

NOTICE = Notice(
    at=1_700_000_000_000_000,
    kind="rule.learned",
    title="A new rule",
    text="Usa pnpm, no npm.",
    lesson="abc123",
    details={"type": "preference", "confidence": 0.9, "quotes": ["usa pnpm"]},
)


@pytest.fixture
def server() -> Generator[JsonService]:
    there = JsonService(Reply(b"", 204))
    yield there
    there.stop()


def test_a_webhook_gets_the_notice_once_and_signed(server: JsonService) -> None:
    notifier = notifier_from(
        NotifyConfig(channel="webhook", url=f"{server.url}/hook", secret="geheim"),
        Outlets(),
    )
    assert notifier is not None
    notifier.notify(NOTICE)
    (asked,) = server.asked
    assert asked.path == "/hook"
    expected = hmac.new(b"geheim", asked.raw, hashlib.sha256).hexdigest()
    assert asked.headers["X-Seasoned-Signature"] == f"sha256={expected}"
    assert asked.headers["Content-Type"] == "application/json"
    assert {**asked.body, "id": ""} == {
        "id": "",
        "kind": "rule.learned",
        "at": "2023-11-14T22:13:20+00:00",
        "title": "A new rule",
        "text": "Usa pnpm, no npm.",
        "lesson": "abc123",
        "details": {"type": "preference", "confidence": 0.9, "quotes": ["usa pnpm"]},
    }


def test_without_a_secret_there_is_no_signature(server: JsonService) -> None:
    WebhookNotifier(server.url).notify(NOTICE)
    assert "X-Seasoned-Signature" not in server.asked[0].headers


def test_a_notice_holds_no_secrets(server: JsonService) -> None:
    notice = replace(NOTICE, text="key sk-abcdefghijklmnopqrstuvwx", details={"token": "t0p"})
    WebhookNotifier(server.url).notify(notice)
    assert b"sk-abc" not in server.asked[0].raw
    assert b"t0p" not in server.asked[0].raw


def test_a_busy_webhook_is_tried_again_with_the_same_id(server: JsonService) -> None:
    server.replies = [Reply(b"busy", 503), Reply(b"", 200)]
    WebhookNotifier(server.url).notify(NOTICE)
    first, second = server.asked
    assert first.body["id"] == second.body["id"]


@pytest.mark.parametrize(("status", "tries"), [(500, 3), (404, 1), (401, 1), (302, 1)])
def test_a_webhook_that_refuses_is_told_without_its_path(
    server: JsonService, status: int, tries: int
) -> None:
    server.replies = [Reply(b"no", status)]
    with pytest.raises(NotifierError, match=f"the webhook at .* answered {status}") as failed:
        WebhookNotifier(f"{server.url}/services/T0/B0/s3cr3t").notify(NOTICE)
    assert len(server.asked) == tries
    assert "s3cr3t" not in str(failed.value)


def test_a_webhook_that_is_down_is_told() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(NotifierError, match=r"is it running, and is notify\.url right"):
        WebhookNotifier(url).notify(NOTICE)


def test_a_slow_webhook_is_left_at_the_time_limit(server: JsonService) -> None:
    server.replies = [Reply(b"", delay_seconds=20)]
    start = time.monotonic()
    with pytest.raises(NotifierError, match="timed out"):
        WebhookNotifier(server.url, timeout_seconds=0.3).notify(NOTICE)
    assert time.monotonic() - start < 3


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"channel": "webhook"}, r"notify\.url is empty"),
        ({"channel": "webhook", "url": "example.com"}, r"notify\.url is 'example\.com'"),
        ({"channel": "chat"}, r"notify\.to is empty"),
        ({"channel": "pigeon"}, "one of log, webhook, chat, none"),
    ],
)
def test_settings_that_cannot_be_used_are_told(settings: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        notifier_from(NotifyConfig(**settings), Outlets())


def test_notices_are_logged_by_default(caplog: pytest.LogCaptureFixture) -> None:
    notifier = notifier_from(load({}).settings.notify, Outlets())
    assert isinstance(notifier, LogNotifier)
    with caplog.at_level(logging.INFO, "seasoned.notice"):
        notifier.notify(NOTICE)
    (record,) = caplog.records
    assert record.getMessage() == "rule.learned: A new rule (abc123): Usa pnpm, no npm."


def test_none_means_silence_and_every_channel_can_be_set() -> None:
    assert notifier_from(NotifyConfig(channel="none"), Outlets()) is None
    for channel in CHANNELS:
        assert load({"SEASONED_NOTIFY__CHANNEL": channel}).settings.notify.channel == channel


def test_the_secret_is_never_shown() -> None:
    config = load({"SEASONED_NOTIFY__SECRET": "geheim-0815"})
    rows = {key: value for key, value, _ in config.rows()}
    assert rows["notify.secret"] == "(set, not shown)"
    assert "geheim" not in f"{config}"


def test_nobody_waits_for_a_slow_webhook_and_all_arrive_in_order(server: JsonService) -> None:
    server.replies = [Reply(b"", delay_seconds=0.1)]
    notifying = NoticeQueue(WebhookNotifier(server.url))
    start = time.monotonic()
    for number in range(5):
        notifying.notify(replace(NOTICE, lesson=str(number)))
    assert time.monotonic() - start < 0.1
    notifying.stop(20)
    assert [asked.body["lesson"] for asked in server.asked] == list("01234")
    assert (notifying.counters.delivered, notifying.waiting) == (5, 0)


def test_what_does_not_fit_is_dropped_and_counted(
    server: JsonService, caplog: pytest.LogCaptureFixture
) -> None:
    server.replies = [Reply(b"", delay_seconds=0.5)]
    notifying = NoticeQueue(WebhookNotifier(server.url), capacity=2)
    notifying.notify(NOTICE)
    assert eventually(lambda: server.asked)
    for _ in range(5):
        notifying.notify(NOTICE)
    assert notifying.counters.dropped == 3
    assert "is dropped: 2 are waiting" in caplog.text
    notifying.stop(20)
    assert notifying.counters.delivered == 3


def test_what_fails_is_counted_and_logged_and_the_next_arrives(
    server: JsonService, caplog: pytest.LogCaptureFixture
) -> None:
    server.replies = [Reply(b"gone", 410), Reply(b"", 200)]
    notifying = NoticeQueue(WebhookNotifier(server.url))
    notifying.notify(NOTICE)
    notifying.notify(NOTICE)
    notifying.stop(20)
    counters = notifying.counters
    assert (counters.failed, counters.delivered, counters.dropped) == (1, 1, 0)
    assert "answered 410" in counters.last_error
    assert "of abc123 failed" in caplog.text


def test_stopping_has_a_time_limit(server: JsonService, caplog: pytest.LogCaptureFixture) -> None:
    server.replies = [Reply(b"", delay_seconds=30)]
    notifying = NoticeQueue(WebhookNotifier(server.url))
    for _ in range(3):
        notifying.notify(NOTICE)
    assert eventually(lambda: server.asked)
    start = time.monotonic()
    notifying.stop(0.2)
    assert time.monotonic() - start < 3
    assert notifying.counters.dropped == 2
    assert "2 notices are dropped" in caplog.text
    notifying.notify(NOTICE)
    assert notifying.counters.dropped == 3


def test_stopping_what_never_began_is_nothing_and_twice_is_once() -> None:
    notifying = NoticeQueue(LogNotifier())
    notifying.stop()
    notifying.stop()
    assert notifying.counters.dropped == 0


def test_many_threads_notify_and_nothing_is_lost(server: JsonService) -> None:
    notifying = NoticeQueue(WebhookNotifier(server.url), capacity=1000)

    def tell() -> None:
        for _ in range(20):
            notifying.notify(NOTICE)

    threads = [threading.Thread(target=tell) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    notifying.stop(30)
    assert notifying.counters.delivered == 100
    assert len(server.asked) == 100
    assert {json.loads(asked.raw)["lesson"] for asked in server.asked} == {"abc123"}
