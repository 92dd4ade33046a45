"""`plugin/`: installable in Claude Code, and in step with what `connect` installs."""

import json
import re
from pathlib import Path
from typing import Any

import seasoned
from seasoned.assistants.setup.catalog import CLAUDE_EVENTS, ProgramCall, Wish, claude_hook
from seasoned.cli.main import app
from seasoned.cli.tree import CommandTree

PLUGIN = Path(__file__).parents[2] / "plugin"


def document(name: str) -> Any:
    return json.loads((PLUGIN / name).read_text("utf-8"))


def test_its_manifest_and_marketplace_name_it() -> None:
    manifest, market = (document(f".claude-plugin/{one}.json") for one in ("plugin", "marketplace"))
    assert manifest["name"] == "seasoned"
    assert manifest["version"] == seasoned.__version__
    assert {"name", "owner", "plugins"} <= market.keys()
    (entry,) = market["plugins"]
    assert entry["name"] == manifest["name"]
    assert (PLUGIN / entry["source"] / ".claude-plugin" / "plugin.json").is_file()


def test_its_hooks_are_those_that_connect_installs() -> None:
    wish = Wish(hook=ProgramCall(("seasoned-hook",)), program=ProgramCall(("seasoned",)))
    expected = {
        event: [{"hooks": [dict(claude_hook(wish, event, limit))]}]
        for event, limit in CLAUDE_EVENTS.items()
    }
    assert document("hooks/hooks.json")["hooks"] == expected


def test_its_mcp_server_is_a_command_on_the_path() -> None:
    assert document(".mcp.json") == {
        "mcpServers": {"seasoned": {"command": "seasoned", "args": ["mcp"]}}
    }


def test_the_commands_of_its_skill_exist() -> None:
    from typer.main import get_command

    text = (PLUGIN / "skills" / "seasoned" / "SKILL.md").read_text("utf-8")
    assert re.match(r"---\nname: seasoned\ndescription: .+\n---\n", text)
    tree = get_command(app)
    assert isinstance(tree, CommandTree)
    for line in re.findall(r"`seasoned ([^`]+)`", text):
        name, *more = line.split()
        assert name in tree.commands, line
        if tree.names_in(name) and more:
            assert more[0] in tree.names_in(name), line
