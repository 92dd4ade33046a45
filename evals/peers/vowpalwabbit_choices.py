"""Play bandit instances with Vowpal Wabbit, in its own environment: JSON in, JSON out."""

import json
import random
import sys
from importlib import import_module
from typing import Any

from bandit_worlds import Learn, Pick, played

vowpalwabbit: Any = import_module("vowpalwabbit")
# Its nearest to each strategy: optimism by its regressor's bounds, and bags instead of posteriors.
OPTIONS = {
    "ucb1": "--regcbopt --cb_min_cost -1 --cb_max_cost 0",
    "epsilon_greedy": "--epsilon 0.1",
    "softmax": "--softmax",
    "thompson": "--bag 5",
}


def player(policy: str, seed: int, arms: int) -> tuple[Pick, Learn]:
    kind = "--cb_explore_adf" if policy in ("ucb1", "softmax") else f"--cb_explore {arms}"
    told = f"{kind} {OPTIONS[policy]} --random_seed {seed} --quiet"
    workspace: Any = vowpalwabbit.Workspace(told)
    rng = random.Random(seed)
    last = 1.0

    def asked(arm: int = -1, cost: float = 0.0) -> Any:
        if not kind.endswith("adf"):
            return "| a" if arm < 0 else f"{arm + 1}:{cost}:{last} | a"
        label = f"0:{cost}:{last} "
        return [f"{label if place == arm else ''}| a{place}" for place in range(arms)]

    def pick() -> int:
        nonlocal last
        chances = workspace.predict(asked())
        (arm,) = rng.choices(range(arms), chances)
        last = chances[arm]
        return arm

    def learn(arm: int, reward: float) -> None:
        workspace.learn(asked(arm, -reward))

    return pick, learn


def main() -> None:
    asked: dict[str, Any] = json.load(sys.stdin)
    policy, horizon = asked["policy"], asked["horizon"]
    found = [
        [
            played(lambda arms, seed=seed: player(policy, seed, arms), instance, seed, horizon)
            for seed in asked["seeds"]
        ]
        for instance in asked["instances"]
    ]
    json.dump({"played": found}, sys.stdout)


if __name__ == "__main__":
    main()
