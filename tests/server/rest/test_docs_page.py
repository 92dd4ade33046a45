"""The docs page and the OpenAPI document: offline, complete, and safe."""

import re
from html.parser import HTMLParser
from typing import Any

import pytest
from starlette.requests import Request
from tests.server.serving import Gateway

from seasoned.core.errors import NotAllowed
from seasoned.core.scope import Scope
from seasoned.server.callers import CALLER, RequestCaller
from seasoned.server.docs.page import docs_page
from seasoned.server.roles import ROLES, check_role

SECURE = ("script-src 'self'", "default-src 'none'")


@pytest.fixture(scope="module")
def document(shared_gateway: Gateway) -> Any:
    return shared_gateway.get("/openapi.json", token=None).json()


def operations(document: Any) -> list[tuple[str, str, Any]]:
    return [
        (path, method, one)
        for path, item in document["paths"].items()
        for method, one in item.items()
    ]


def test_every_operation_is_described(document: Any) -> None:
    ids: list[str] = []
    for path, method, one in operations(document):
        ids.append(one["operationId"])
        assert one["summary"], path
        assert one["x-seasoned-role"] in ("read", "learn", "operate", "admin")
        assert {"401", "403", "422"} <= one["responses"].keys()
        done = next(answer for code, answer in one["responses"].items() if code.startswith("2"))
        assert done["content"]["application/json"]["schema"], (path, method)
        for code, answer in one["responses"].items():
            if not code.startswith("2"):
                shape = answer["content"]["application/json"]["schema"]
                assert shape == {"$ref": "#/components/schemas/ErrorAnswer"}
    assert len(ids) == len(set(ids)) > 80


def test_roles_follow_what_is_done(document: Any) -> None:
    """Reading needs `read`, reporting `learn`, changing by hand `operate`."""
    looks = {"recall", "tool_notes", "check_reply", "sample_experiences"}
    reports = {"observe", "turn", "correct", "teach", "add_feedback", "add_example", "adapt"}
    reports |= {"reward", "add_experiences", "end_session", "report_skill_use"}
    reports |= {"send_message", "cancel_turn"}
    for path, method, one in operations(document):
        name, role = one["operationId"], one["x-seasoned-role"]
        if path.startswith(("/v1/keys", "/v1/settings")):
            assert role == "admin", path
            continue
        wanted = "read" if method == "get" or name in looks else "operate"
        assert role == ("learn" if name in reports else wanted), path


def test_every_list_has_pages(document: Any) -> None:
    for path, method, one in operations(document):
        name = one["operationId"]
        if (
            method == "get"
            and name.startswith("list_")
            and name
            not in (
                *("list_scopes", "list_performance", "list_daily_performance", "list_keys"),
                *("list_given_lessons", "list_settings"),
            )
        ):
            named = {given.get("name") for given in one["parameters"]}
            assert {"limit", "cursor"} <= named, path


class Read(HTMLParser):
    """Collects the addresses that a page loads, its forms and its ids."""

    def __init__(self) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.forms: list[str] = []
        self.ids: list[str] = []
        self.inline = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in ("script", "link", "img", "iframe"):
            self.loads.append(given.get("src") or given.get("href") or "")
        if tag == "form" and given.get("class") == "try":
            self.forms.append(f"{given['data-method']} {given['data-path']}")
        if given.get("id"):
            self.ids.append(str(given["id"]))
        self.inline += any(name.startswith("on") or name == "style" for name in given)


def test_the_page_has_a_form_for_every_operation_and_loads_nothing_from_elsewhere(
    shared_gateway: Gateway, document: Any
) -> None:
    answer = shared_gateway.get("/docs", token=None)
    assert answer.headers["content-type"].startswith("text/html")
    assert all(one in answer.headers["content-security-policy"] for one in SECURE)
    page = Read()
    page.feed(answer.text)
    assert page.loads == ["/docs/page.css", "/docs/page.js"]
    assert page.inline == 0
    assert sorted(page.forms) == sorted(
        f"{method.upper()} {path}" for path, method, _ in operations(document)
    )
    assert len(page.ids) == len(set(page.ids))
    for path in page.loads:
        loaded = shared_gateway.get(path, token=None)
        assert loaded.status_code == 200
        assert not re.search(r"https?://", loaded.text)
        assert "innerHTML" not in loaded.text


def test_everything_in_the_document_is_escaped_on_the_page() -> None:
    nasty = '"><script>alert(1)</script>'
    document: Any = {
        "info": {"title": nasty, "version": nasty, "description": nasty},
        "paths": {
            f"/{nasty}": {
                "post": {
                    "operationId": nasty,
                    "summary": nasty,
                    "description": nasty,
                    "tags": [nasty],
                    "x-seasoned-role": nasty,
                    "parameters": [
                        {
                            "name": nasty,
                            "in": "query",
                            "schema": {"enum": [nasty]},
                            "description": nasty,
                        }
                    ],
                    "requestBody": {
                        "content": {
                            "application/json": {
                                "schema": {
                                    "properties": {nasty: {"type": nasty}},
                                    "required": [nasty],
                                }
                            }
                        }
                    },
                    "responses": {"200": {"description": nasty}},
                }
            }
        },
    }
    assert "<script>alert" not in docs_page(document)


def test_a_role_is_needed() -> None:
    for role in ROLES:
        request = Request(
            {"type": "http", "headers": [], CALLER: RequestCaller(Scope(), None, role)}
        )
        for wanted in ROLES:
            if ROLES.index(role) >= ROLES.index(wanted):
                check_role(request, wanted)
            else:
                with pytest.raises(NotAllowed, match=f"needs the role '{wanted}'"):
                    check_role(request, wanted)
