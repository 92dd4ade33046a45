"""Estimate a strategy's value with obp, in its own environment: JSON in, JSON out."""

import json
import sys
import types
from collections.abc import MutableSequence
from importlib import import_module
from typing import Any


class Placeholder(types.ModuleType):
    """Replaces torch, which obp imports for learning policies; estimates do not need it."""

    __path__: MutableSequence[str] = []  # noqa: RUF012 - as of a package

    def __getattr__(self, name: str) -> Any:
        return type(name, (), {})


for name in (
    *("torch", "torch.nn", "torch.nn.functional", "torch.optim"),
    *("torch.utils", "torch.utils.data"),
):
    sys.modules[name] = Placeholder(name)
    above, _, last = name.rpartition(".")
    if above:
        setattr(sys.modules[above], last, sys.modules[name])

np: Any = import_module("numpy")
obp: Any = import_module("obp.ope.estimators")
ESTIMATORS = {
    "ips": obp.InverseProbabilityWeighting,
    "snips": obp.SelfNormalizedInverseProbabilityWeighting,
    "dr": obp.DoublyRobust,
}


def main() -> None:
    asked: dict[str, Any] = json.load(sys.stdin)
    target = np.array(asked["target_of_each"])[:, :, None]
    guesses = np.array(asked["guess_of_each"])[:, :, None]
    common: dict[str, Any] = {
        "reward": np.array(asked["rewards"]),
        "action": np.array(asked["actions"]),
        "pscore": np.array(asked["logged"]),
        "action_dist": target,
        "estimated_rewards_by_reg_model": guesses,
    }
    found: dict[str, list[float]] = {}
    for name, estimator in ESTIMATORS.items():
        made = estimator()
        value = made.estimate_policy_value(**common)
        interval = made.estimate_interval(
            **common, alpha=0.05, n_bootstrap_samples=asked["resamples"], random_state=0
        )
        low, high = (interval[key] for key in interval if "CI" in key)
        found[name] = [float(value), float(low), float(high)]
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
