"""What the prompt of a turn was given from what was learned, as it is kept."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

CONTEXT = "context"  # the step of a turn that it is kept as


@dataclass(frozen=True, slots=True)
class Told:
    """What the prompt of a turn was given: beside the message, and in the system prompt."""

    turn: str
    standing: Sequence[str] = ()

    @classmethod
    def read(cls, body: str) -> "Told":
        kept = json.loads(body)
        return cls(kept["turn"], tuple(kept["standing"]))

    def written(self) -> str:
        return json.dumps({"turn": self.turn, "standing": [*self.standing]}, ensure_ascii=False)


def read_told(steps: Mapping[tuple[int, str], str]) -> dict[int, str]:
    """What the turns of a session were told, by their numbers."""
    told = {turn: Told.read(body) for (turn, step), body in steps.items() if step == CONTEXT}
    return {
        turn: "\n\n".join(filter(None, ("\n".join(one.standing), one.turn)))
        for turn, one in told.items()
    }
