"""Slack by HTTP: only signed requests are taken, and only stored ones confirmed."""

import asyncio
import json
import time
from typing import Any

import pytest
from tests.channels.slack_server import SlackServer
from tests.channels.slack_stories import (
    Inbox,
    by_http,
    driver,
    eventually,
    told,
)
from tests.channels.slack_wire import SIGNING_SECRET, request, signed

pytestmark = pytest.mark.sqlite_only


def test_requests_by_http_must_be_signed_recent_and_small() -> None:
    async def story() -> None:
        async with SlackServer() as server, by_http(server) as (slack, inbox):
            event = {"type": "message", "channel": "D1", "ts": "1.1", "user": "U1", "text": "hi"}
            body = json.dumps(
                {"type": "event_callback", "event_id": "Ev1", "event": event}
            ).encode()
            good = signed(body)
            wrong = [
                signed(body, secret="another"),
                signed(body, at=time.time() - 301),
                signed(body, at=time.time() + 301),
                signed(body + b" "),
                {**good, "X-Slack-Request-Timestamp": "soon"},
                {**good, "X-Slack-Signature": ""},
                {"X-Slack-Signature": good["X-Slack-Signature"]},
                {},
            ]
            for headers in wrong:
                status, _ = await request(slack.events, body, headers)
                assert status == 401, headers
            umlaut = {**good, "X-Slack-Signature": "v0=\xe4"}
            raw = {name: value.encode("latin-1") for name, value in umlaut.items()}
            assert (await request(slack.events, body, raw))[0] == 401  # pyright: ignore[reportArgumentType]
            assert (await request(slack.events, b"\xff", signed(b"\xff")))[0] == 401
            large = b" " * 1_000_001
            assert (await request(slack.events, large, signed(large)))[0] == 413
            assert (await request(slack.events, b"", good, "GET"))[0] == 405
            assert (await request(slack.events, b"[]", signed(b"[]")))[0] == 400
            assert (await request(slack.events, b"{", signed(b"{")))[0] == 400
            assert not inbox
            assert (await request(slack.events, body, good)) == (200, "")
            assert inbox.texts == ["hi"]

    told(story)


def test_slack_verifies_the_address_of_events() -> None:
    async def story() -> None:
        async with SlackServer() as server, by_http(server) as (slack, _):
            body = json.dumps({"type": "url_verification", "challenge": "3eZbrw"}).encode()
            assert await request(slack.events, body, signed(body)) == (200, "3eZbrw")
            check = b"ssl_check=1"
            form = {"Content-Type": "application/x-www-form-urlencoded"}
            assert (await request(slack.events, check, signed(check) | form))[0] == 200

    told(story)


def test_a_body_that_grows_without_end_is_not_read_to_its_end() -> None:
    async def story() -> None:
        async with SlackServer() as server:
            slack = driver(server, signing_secret=SIGNING_SECRET)
            read, sent = 0, list[Any]()

            async def receive() -> dict[str, Any]:
                nonlocal read
                read += 1
                return {"type": "http.request", "body": b" " * 100_000, "more_body": True}

            async def send(message: Any) -> None:
                sent.append(message)

            assert slack.events is not None
            await slack.events({"type": "http", "method": "POST", "headers": []}, receive, send)
            assert (sent[0]["status"], read) == (413, 11)

    told(story)


def test_events_before_the_channel_runs_come_again() -> None:
    async def story() -> None:
        async with SlackServer() as server:
            slack = driver(server, app_token="", signing_secret=SIGNING_SECRET)
            server.endpoint = slack.events
            await server.write("hello")
            assert server.statuses == [500]
            inbox = Inbox()
            task = asyncio.create_task(slack.run(inbox.receive))
            await eventually(lambda: inbox)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    told(story)
