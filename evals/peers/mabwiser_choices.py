"""Play bandit instances with MABWiser, in its own environment: JSON in, JSON out."""

import json
import sys
from importlib import import_module
from typing import Any

from bandit_worlds import Learn, Pick, played

mabwiser: Any = import_module("mabwiser.mab")
LearningPolicy = mabwiser.LearningPolicy
POLICIES: dict[str, Any] = {
    "ucb1": lambda: LearningPolicy.UCB1(alpha=1),  # sqrt(2 ln t / n): the bound of the paper
    "epsilon_greedy": lambda: LearningPolicy.EpsilonGreedy(epsilon=0.1),
    "softmax": lambda: LearningPolicy.Softmax(tau=1),
    "thompson": LearningPolicy.ThompsonSampling,
}
# It takes an arm without a reward for one that earned 0, so each is tried once first.
TRIED_FIRST = ("ucb1", "epsilon_greedy", "softmax")


def player(policy: str, seed: int, arms: int) -> tuple[Pick, Learn]:
    mab: Any = mabwiser.MAB(list(range(arms)), POLICIES[policy](), seed=seed)
    mab.fit([], [])
    first = iter(range(arms) if policy in TRIED_FIRST else ())

    def pick() -> int:
        arm = next(first, None)
        return mab.predict() if arm is None else arm

    def learn(arm: int, reward: float) -> None:
        mab.partial_fit([arm], [int(reward)])

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
