"""Plays a strategy along a log: at each step, how likely it was to do what was done."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from seasoned.bandit.off_policy import Logged
from seasoned.bandit.policy import Policy

MOST_LOOKS = 2000  # at how likely each arm is: it is asked anew only as often as this in a log


@dataclass(frozen=True, slots=True)
class Step:
    """What was taken, what it earned, and how likely it was to be taken, if that is known."""

    arm: str
    reward: float
    propensity: float | None = None


def replayed(policy: Policy, steps: Sequence[Step]) -> Logged:
    """The log with the strategy's own probabilities beside it.

    At each step it has learned from the steps before, as it would have from its own. A model
    that knows each arm's mean so far guesses for `dr`. Where nobody noted how likely a step was,
    the arm's share of all steps stands for it: right if whoever chose did not look at anything.
    """
    arms = sorted({step.arm for step in steps})
    place = {arm: index for index, arm in enumerate(arms)}
    shares = Counter(step.arm for step in steps)
    every = max(1, len(steps) // MOST_LOOKS)
    sums: defaultdict[str, float] = defaultdict(float)
    times: Counter[str] = Counter()
    earned, chances = 0.0, [0.0] * len(arms)
    logged: list[float] = []
    target: list[float] = []
    guesses: list[float] = []
    guesses_target: list[float] = []
    for number, step in enumerate(steps):
        if number % every == 0 or number < MOST_LOOKS // 10:
            chances = policy.probabilities(arms)
        overall = earned / number if number else 0.0
        means = [sums[arm] / times[arm] if times[arm] else overall for arm in arms]
        logged.append(step.propensity or shares[step.arm] / len(steps))
        target.append(min(1.0, chances[place[step.arm]]))
        guesses.append(means[place[step.arm]])
        guesses_target.append(
            sum(chance * mean for chance, mean in zip(chances, means, strict=True))
        )
        policy.learn(step.arm, step.reward)
        sums[step.arm] += step.reward
        times[step.arm] += 1
        earned += step.reward
    rewards = [step.reward for step in steps]
    return Logged(rewards, logged, target, guesses, guesses_target)
