"""Recall finds the passages of a document, and follows its changes."""

from pathlib import Path

from seasoned import Seasoned

HANDBOOK = """---
title: Handbook
---

# Travel

Trips are booked by the office in Lyon; write to travel@example.com at least ten days ahead, and
say which project pays. Trains are preferred to flights for anything under six hours.

# Expenses

Meals on a trip are refunded up to {limit} euros a day. Keep the receipts: photographs of them are
enough, and the refund comes with the next salary.

# Parking

Visitors park behind the brewery. The barrier opens with the code that the front desk gives out,
which changes every Monday.
"""


def recalled(s: Seasoned, query: str) -> str:
    return s.recall(query).text


def ids(s: Seasoned) -> dict[str, str]:
    return {lesson.trigger: lesson.id for lesson in s.knowledge.get("handbook.md")[1]}


def test_recall_follows_a_document_through_its_life(seasoned: Seasoned, tmp_path: Path) -> None:
    file = tmp_path / "handbook.md"
    file.write_text(HANDBOOK.format(limit=40))
    seasoned.knowledge.add(tmp_path)

    asked = "How much is refunded for meals on a trip?"
    assert "up to 40 euros" in recalled(seasoned, asked)
    assert "[Handbook › Expenses]" in recalled(seasoned, asked)
    assert "brewery" in recalled(seasoned, "where do visitors park?")
    before = ids(seasoned)

    file.write_text(HANDBOOK.format(limit=55))
    report = seasoned.knowledge.update()
    assert (report.passages_added, report.passages_kept, report.passages_removed) == (1, 2, 1)
    assert "up to 55 euros" in recalled(seasoned, asked)
    assert "up to 40 euros" not in recalled(seasoned, asked)
    after = ids(seasoned)
    assert after["Handbook › Travel"] == before["Handbook › Travel"]
    assert after["Handbook › Parking"] == before["Handbook › Parking"]
    assert after["Handbook › Expenses"] != before["Handbook › Expenses"]

    file.unlink()
    assert seasoned.knowledge.update(prune=True).removed == 1
    assert recalled(seasoned, asked) == ""
    assert seasoned.verify_audit().intact
