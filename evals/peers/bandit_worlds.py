"""The world of every system: arms shuffled per seed, rewards drawn independently."""

import random
import time
from collections.abc import Callable
from typing import Any

Pick = Callable[[], int]
Learn = Callable[[int, float], None]


def played(
    make: Callable[[int], tuple[Pick, Learn]], instance: dict[str, Any], seed: int, horizon: int
) -> tuple[float, float]:
    """Return the pseudo-regret of one run, and the CPU seconds of choosing and learning.

    Which arm is the best must not depend on where it stands: some systems begin with the first.
    """
    phases = instance["phases"]
    order = list(range(len(phases[0]["means"])))
    random.Random(20_000 + seed).shuffle(order)
    world = random.Random(10_000 + seed)
    pick, learn = make(len(order))
    regret = seconds = 0.0
    place, means = 0, phases[0]["means"]
    best = max(means)
    for step in range(horizon):
        if place + 1 < len(phases) and phases[place + 1]["from"] <= step:
            place += 1
            means = phases[place]["means"]
            best = max(means)
        start = time.thread_time()
        arm = pick()
        seconds += time.thread_time() - start
        mean = means[order[arm]]
        regret += best - mean
        reward = 1.0 if world.random() < mean else 0.0
        start = time.thread_time()
        learn(arm, reward)
        seconds += time.thread_time() - start
    return regret, seconds
