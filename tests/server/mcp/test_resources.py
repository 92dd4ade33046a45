"""Resources and prompts, read by the real client in memory."""

import json

from mcp_types import ResourceTemplateReference, TextContent
from tests.reach import story
from tests.server.mcp.clients import Assistant, in_memory

from seasoned.api import AsyncSeasoned


async def repair(assistant: Assistant) -> str:
    """Teach a fix of the booking tool; return its id."""
    await assistant.ask(
        "report_tool_result", tool=story.TOOL, params=story.WRONG, error=story.ERROR
    )
    await assistant.ask("report_tool_result", tool=story.TOOL, params=story.RIGHT, result="ok")
    again = await assistant.ask(
        "report_tool_result", tool=story.TOOL, params=story.LATER_WRONG, error=story.ERROR
    )
    return again["hint"]["lesson"]


def test_what_is_listed_can_be_read(seasoned: AsyncSeasoned) -> None:
    async def talk(assistant: Assistant) -> None:
        await assistant.ask("teach", kind="rule", text="Deploy to staging first.", when="deploys")
        await repair(assistant)
        listed = (await assistant.client.list_resources()).resources
        addresses = [one.uri for one in listed]
        assert addresses[:3] == ["seasoned://lessons", "seasoned://rules", "seasoned://status"]
        assert "seasoned://tools/book_table/notes" in addresses
        assert len([one for one in addresses if one.startswith("seasoned://lessons/")]) == 2
        for one in listed:
            text = await assistant.read(one.uri)
            assert text
            if one.mime_type == "application/json":
                json.loads(text)

    in_memory(seasoned, talk)


def test_each_resource_tells_its_part(seasoned: AsyncSeasoned) -> None:
    async def talk(assistant: Assistant) -> None:
        await assistant.ask("teach", kind="rule", text="Deploy to staging first.", when="deploys")
        fix = await repair(assistant)
        rules = await assistant.read("seasoned://rules")
        assert rules == "- Deploy to staging first. (when: deploys)"
        lessons = json.loads(await assistant.read("seasoned://lessons"))
        assert {one["kind"] for one in lessons} == {"rule", "fix"}
        notes = await assistant.read("seasoned://tools/book_table/notes")
        assert story.NOTE in notes
        assert await assistant.read("seasoned://tools/other/notes") == ""
        one = json.loads(await assistant.read(f"seasoned://lessons/{fix}"))
        assert one["lesson"]["id"] == fix
        assert one["evidence"]
        status = json.loads(await assistant.read("seasoned://status"))
        assert status["calls"] == 3
        assert "database" not in status, "where it is stored is nobody's business"

    in_memory(seasoned, talk)


def test_a_tool_may_have_any_name(seasoned: AsyncSeasoned) -> None:
    async def talk(assistant: Assistant) -> None:
        name = "mcp__shop/böök table?"
        await assistant.ask("report_tool_result", tool=name, params=story.WRONG, error=story.ERROR)
        await assistant.ask("report_tool_result", tool=name, params=story.RIGHT, result="ok")
        await assistant.ask(
            "report_tool_result", tool=name, params=story.LATER_WRONG, error=story.ERROR
        )
        found = [one.uri for one in (await assistant.client.list_resources()).resources]
        (address,) = [one for one in found if one.endswith("/notes")]
        assert story.NOTE in await assistant.read(address)

    in_memory(seasoned, talk)


def test_templates_are_listed_and_their_values_completed(seasoned: AsyncSeasoned) -> None:
    async def talk(assistant: Assistant) -> None:
        fix = await repair(assistant)
        found = (await assistant.client.list_resource_templates()).resource_templates
        assert [one.uri_template for one in found] == [
            "seasoned://lessons/{id}",
            "seasoned://tools/{name}/notes",
        ]
        lesson, notes = (ResourceTemplateReference(uri=one.uri_template) for one in found)
        ids = await assistant.client.complete(lesson, {"name": "id", "value": fix[:3]})
        assert ids.completion.values == [fix]
        names = await assistant.client.complete(notes, {"name": "name", "value": "boo"})
        assert names.completion.values == ["book_table"]
        none = await assistant.client.complete(notes, {"name": "name", "value": "x"})
        assert none.completion.values == []

    in_memory(seasoned, talk)


def test_reflecting_asks_for_what_was_learned_and_for_no_more(seasoned: AsyncSeasoned) -> None:
    async def talk(assistant: Assistant) -> None:
        listed = (await assistant.client.list_prompts()).prompts
        assert [one.name for one in listed] == ["reflect", "review"]
        plain = await told(assistant, "reflect")
        assert "report_tool_result" in plain
        assert "if nothing was learned, say so" in plain
        assert "Look above all at: the deploys" in await told(
            assistant, "reflect", focus="the\x00 deploys\u200b"
        )

    in_memory(seasoned, talk)


def test_the_review_shows_what_waits(seasoned: AsyncSeasoned) -> None:
    async def talk(assistant: Assistant) -> None:
        assert "Nothing waits" in await told(assistant, "review")
        await assistant.ask("teach", kind="rule", text="Always deploy on Fridays.")
        await assistant.ask("correct", message="No, never deploy on Fridays.", reply="Deployed.")
        await seasoned.corrections.learn()
        waiting = await seasoned.review.list()
        shown = await told(assistant, "review")
        for item in waiting:
            assert item.id in shown
            assert item.lesson.content in shown
        assert waiting, "the two rules contradict each other"

    in_memory(seasoned, talk)


async def told(assistant: Assistant, name: str, **arguments: str) -> str:
    (message,) = (await assistant.client.get_prompt(name, arguments)).messages
    assert isinstance(message.content, TextContent)
    return message.content.text
