"""The skill tools: an agent reads the skills in use, and no others."""

import pytest
from tests.tools.turns import Recorder, play

from seasoned import Seasoned
from seasoned.tools.approval import ApprovalRules
from seasoned.tools.builtin.knowledge import skill_tools
from seasoned.tools.run import ToolRun
from seasoned.tools.toolset import toolset_from, wrapped

pytestmark = pytest.mark.sqlite_only


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("greet", "Say hello, and mean it."),
        ("old", "the skill 'old' is retired"),
        ("nothing", "no skill 'nothing'"),
        (" ", "name is empty"),
    ],
)
def test_only_a_skill_in_use_is_read(seasoned: Seasoned, name: str, said: str) -> None:
    for skill in ("greet", "old"):
        text = f"---\nname: {skill}\ndescription: Greets.\n---\nSay hello, and mean it."
        seasoned.skills.add(text)
    seasoned.skills.retire("old")
    tools = toolset_from(skill_tools(seasoned.inner.app.skills))
    free = wrapped(tools, Recorder(), rules=ApprovalRules("none"))
    run = ToolRun(seasoned.inner.scope.within("s1"))
    (answer,) = play(free, [("read_skill", {"name": name})], run=run).texts
    assert said in answer
