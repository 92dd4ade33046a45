"""Measure taught lessons: is the right one the first hint for another message of its kind?"""

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from seasoned import Seasoned

LEFT_OUT = 0.2
TOOL = "mypy"


def taught_lessons(
    rows: Sequence[Mapping[str, str]], texts: Mapping[str, str], quick: bool
) -> Iterator[tuple[str, str, float]]:
    """Return (system, metric, value) after 1, 2 and 3 taught messages of each lesson."""
    messages: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        messages[row["lesson_id"]].append(row["error"])
    for k in (1, 2, 3):
        right = hinted = asked = false = strange = 0
        for seed in range(1 if quick else 5):
            rng = random.Random(seed)
            out = {lesson for lesson in sorted(messages) if rng.random() < LEFT_OUT}
            with Seasoned(":memory:") as seasoned:
                questions: list[tuple[str, str]] = []
                owners: dict[str, str] = {}
                for lesson, errors in sorted(messages.items()):
                    if lesson in out or len(errors) <= k:
                        continue
                    drawn = rng.sample(errors, len(errors))
                    for error in drawn[:k]:
                        known = seasoned.teach(trigger=error, fix=texts[lesson], tool=TOOL)
                        owners[known.id] = lesson
                    questions += [(error, lesson) for error in drawn[k:]]
                for number, (error, lesson) in enumerate(questions):
                    hint = seasoned.observe(tool=TOOL, error=error, session=f"a{number}")
                    asked += 1
                    hinted += hint is not None
                    right += hint is not None and owners.get(hint.lesson) == lesson
                for lesson in sorted(out):
                    for number, error in enumerate(messages[lesson]):
                        session = f"b{lesson}{number}"
                        hint = seasoned.observe(tool=TOOL, error=error, session=session)
                        strange += 1
                        false += hint is not None
        yield "seasoned", f"lesson@1_after_{k}", right / max(1, asked)
        yield "seasoned", f"hint_rate_after_{k}", hinted / max(1, asked)
        yield "seasoned", f"hint_precision_after_{k}", right / max(1, hinted)
        yield "seasoned", f"false_hint_rate_after_{k}", false / max(1, strange)
