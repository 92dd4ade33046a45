"""What a person taught is found by the words of an error, whatever else the error says."""

from collections.abc import Callable
from itertools import count

import pytest

from seasoned import Seasoned

pytestmark = pytest.mark.sqlite_only

PUSH = """\
Exit code 1
remote: error: GH006: Protected branch update failed for refs/heads/main.
To github.com:shop/api.git
 ! [remote rejected] main -> main (protected branch hook declined)
error: failed to push some refs to 'github.com:shop/api.git'"""


sessions = count()


def hint(s: Seasoned, error: str, tool: str = "shell") -> str | None:
    given = s.observe(tool, {"command": "gg push"}, error=error, session=f"s{next(sessions)}")
    return given.text if given else None


def test_a_trigger_in_any_line_of_the_error_gives_its_fix(seasoned: Seasoned) -> None:
    assert hint(seasoned, PUSH) is None
    seasoned.teach("protected branch", fix="Open a pull request.")
    assert hint(seasoned, PUSH) == "Open a pull request."
    assert hint(seasoned, "the branch is unprotected") is None


def test_a_fix_taught_for_a_tool_is_given_for_that_tool(seasoned: Seasoned) -> None:
    seasoned.teach("403", fix="Ask for the role `editor`.", tool="shop_api")
    assert hint(seasoned, "HTTP 403: members only", "shop_api") == "Ask for the role `editor`."
    assert hint(seasoned, "HTTP 403: members only", "browser") is None
    seasoned.teach("403", fix="Log in first.")
    assert hint(seasoned, "HTTP 403: members only", "browser") == "Log in first."
    assert hint(seasoned, "HTTP 403: members only", "shop_api") == "Ask for the role `editor`."


def test_a_trigger_that_every_error_has_fires_for_none_but_its_own(seasoned: Seasoned) -> None:
    seasoned.teach("failed", fix="Try harder.")
    assert hint(seasoned, "the import of carts failed") is None


def test_the_most_exact_of_several_triggers_is_told(seasoned: Seasoned) -> None:
    seasoned.teach("ImagePullBackOff", fix="Log in to the registry.")
    seasoned.teach("ImagePullBackOff in namespace shop", fix="Use the shop's own registry.")
    assert (
        hint(seasoned, "pod web: ImagePullBackOff in namespace till") == "Log in to the registry."
    )
    assert (
        hint(seasoned, "pod web: ImagePullBackOff in namespace shop")
        == "Use the shop's own registry."
    )


def test_a_fix_that_was_forgotten_is_not_given(seasoned: Seasoned) -> None:
    lesson = seasoned.teach("ImagePullBackOff", fix="Log in to the registry.")
    assert hint(seasoned, "pod web: ImagePullBackOff") == "Log in to the registry."
    seasoned.forget(lesson.id)
    assert hint(seasoned, "pod till: ImagePullBackOff") is None


def test_what_another_process_taught_is_found(
    database_url: str, opened: Callable[..., Seasoned]
) -> None:
    one, other = opened(database_url), opened(database_url)
    assert hint(one, "pod web: ImagePullBackOff") is None
    other.teach("ImagePullBackOff", fix="Log in to the registry.")
    assert hint(one, "pod web: ImagePullBackOff") == "Log in to the registry."


def test_one_trigger_of_many_is_found(seasoned: Seasoned) -> None:
    for number in range(150):
        seasoned.teach(f"code Q{number} of the till", fix=f"Turn key {number}.")
    assert hint(seasoned, "the till stopped: code Q117 of the till, call us") == "Turn key 117."
