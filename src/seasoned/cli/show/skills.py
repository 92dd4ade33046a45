"""Skills as JSON and as tables."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from seasoned.cli.show.render import table, words
from seasoned.core.clock import iso
from seasoned.core.text import one_line

if TYPE_CHECKING:
    from rich.console import RenderableType

    from seasoned.skills.search import SkillHit, SkillRecord
    from seasoned.skills.skill_store import StoredSkill

STYLES = {"active": "green", "proposed": "yellow"}


def skill_shape(stored: "StoredSkill", rated: "SkillRecord | None" = None) -> dict[str, Any]:
    skill = stored.skill
    shape: dict[str, Any] = {
        "id": stored.id,
        "name": skill.name,
        "description": skill.description,
        "body": skill.body,
        "meta": dict(skill.meta),
        "status": stored.status,
        "source": stored.source,
        "origin": stored.origin,
        "version": stored.version,
        "made": iso(stored.made_at),
        "changed": iso(stored.updated_at),
    }
    if rated is not None:
        shape |= {"succeeded": rated.succeeded, "failed": rated.failed}
    return shape


def hit_shape(hit: "SkillHit") -> dict[str, Any]:
    fits = {"relevance": round(hit.relevance, 4), "score": round(hit.score, 4)}
    return skill_shape(hit.skill, hit.record) | fits


def skill_table(skills: "Sequence[tuple[StoredSkill, SkillRecord]]") -> "RenderableType":
    columns = ("name", "status", ">version", ">worked", "description")
    return table(
        columns,
        [
            (
                one.name,
                words(one.status, STYLES.get(one.status, "dim")),
                str(one.version),
                f"{rated.succeeded}/{rated.known}" if rated.known else "–",
                one_line(one.skill.description, 200),
            )
            for one, rated in skills
        ],
    )


def hit_table(hits: "Sequence[SkillHit]") -> "RenderableType":
    columns = ("name", ">score", ">worked", "description")
    return table(
        columns,
        [
            (
                hit.skill.name,
                f"{hit.score:.2f}",
                f"{hit.record.succeeded}/{hit.record.known}" if hit.record.known else "–",
                one_line(hit.skill.skill.description, 200),
            )
            for hit in hits
        ],
    )
