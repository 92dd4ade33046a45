"""A store with something on every page, and markup wherever a stranger can put some."""

from pathlib import Path
from typing import Any

from seasoned import Seasoned

RULE = "Stay calm. <script>alert('rule')</script><img src=x onerror=alert('rule')>"
TITLE = "<img src=x onerror=alert('session')>"
REPLY = "<script>alert('reply')</script>"
TOOL = "<b onclick=alert('tool')>sync</b>"
ERROR = "<img src=x onerror=alert('error')> found no free lane"
LONG = "averylongwordwithoutanyspace" * 12
SETTINGS: dict[str, Any] = {
    "SEASONED_GRAPH__ENABLED": "true",
    "SEASONED_AUTH__REQUESTS_PER_MINUTE": "0",  # no person walks as fast as a test
}


def fill(home: Path) -> tuple[str, str]:
    """Fill a store; return a lesson and a session to look at."""
    home.mkdir(parents=True, exist_ok=True)
    base = {"SEASONED_HOME": str(home), "SEASONED_EMBEDDING__PROVIDER": "none"}
    with Seasoned(home / "seasoned.db", environment=base | SETTINGS) as s:
        for tool, added in ((TOOL, {"lane": "slow"}), ("mail", {LONG: LONG})):
            call = {"parcel": f"p1 {TITLE}"}
            s.observe(tool, call, error=ERROR, session="s1")
            s.observe(tool, call | added, "sent", session="s1", duration_ms=40)
        for day in ("1 May 2027", "2 May 2027"):
            fixed = {"day": f"2027-05-0{day[0]}"}
            s.observe("book", {"day": day}, error="day must be YYYY-MM-DD", session=day)
            s.observe("book", fixed, "ok", session=day, duration_ms=12)
        s.observe("fetch", {"url": LONG}, error="HTTP 503 Service Unavailable", session="s1")
        failed = "Exit code 1\nFAILED tests/test_a.py::test_one - assert 1 == 2\n1 failed in 0.1s"
        s.observe("shell", {"command": "pytest"}, error=failed, session="s1")
        s.observe("read", {"path": "a.txt"}, error="No such file: a.txt", session="s1")
        talk = s.conversation(TITLE)
        talk.user(f"{TITLE} Book a table. {LONG}")
        talk.assistant(REPLY)
        talk.user("No, use podman, not docker.")
        talk.assistant("Understood.")
        talk.end()
        s.corrections.learn()
        s.rules.add("Deploy with docker, not podman.")
        s.rules.add("Deploy with podman, not docker.")
        s.jobs.schedule("digest <b>", f"{TITLE} Summarise the tickets. {LONG}", every="24h")
        s.jobs.pause("digest <b>")
        s.jobs.start(f"{TITLE} Compare the offers.")
        s.teach(fact=f"The cafeteria closes at 14:00. {LONG}")
        return s.teach(rule=RULE).id, TITLE
