"""Measure regret beside MABWiser and Vowpal Wabbit, and off-policy estimates beside obp.

    python evals/bandits.py [--data DIR] [--seeds N] [--jobs N] [--json] [--quick]

Every `*.json` file of DIR holds instances: {"name", "horizon", "phases": [{"from", "means"}]}.
Rewards are Bernoulli; from step `from` on, arm i pays with probability `means[i]`. For each seed
the arms are shuffled, since some systems begin with the first; all systems meet the same world.

    regret           the sum over the steps of (best mean now - mean of the arm chosen)
    regret_low/high  its 95 % interval over the seeds
    decisions_per_s  choosing and learning, one after the other, by the processor's time
    speed_over_mabwiser

The set `off_policy` is a log of 10 arms in 4 situations, drawn with known probabilities, and a
strategy of which the true value is known: ips, snips and dr of each system from the same log, their
95 % intervals (_low, _high), and `coverage`: in how many of 200 logs our interval holds the truth.

All systems are used as they come. The peers' nearest strategy stands beside ours: Vowpal Wabbit has
no UCB1 and no Thompson sampling, but optimism (regcbopt) and bags. MABWiser counts an arm without a
reward as one that earned 0, so it tries each once first, as ours do.
"""

import argparse
import json
import random
import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from math import exp
from pathlib import Path
from typing import Any

from peers.bandit_worlds import Learn, Pick, played
from peers.environment import PeerMissing, ask, python_of
from seasoned.bandit.off_policy import ESTIMATORS, DecisionLog, estimate
from seasoned.bandit.policies.strategies import policy_from

DATA = Path(__file__).parents[1] / ".." / "shared" / "data" / "bandits"
STRATEGIES = ("ucb1", "epsilon_greedy", "softmax", "thompson")
PEERS = {"mabwiser": "mabwiser_choices.py", "vowpalwabbit": "vowpalwabbit_choices.py"}
QUICK_SEEDS, QUICK_STEPS = 3, 250
Row = dict[str, Any]
Runs = Sequence[Sequence[tuple[float, float]]]  # (regret, seconds) of each seed of each instance


def main() -> None:
    parser = argparse.ArgumentParser(description="What choosing costs, beside its peers.")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of *.json files")
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--jobs", type=int, default=1, help="systems that play at once")
    parser.add_argument("--json", action="store_true", help="rows as JSON")
    parser.add_argument("--quick", action="store_true", help="few seeds and steps")
    options = parser.parse_args()
    instances = instances_of(options.data)
    seeds = QUICK_SEEDS if options.quick else options.seeds
    rows = [*choosing(instances, seeds, options.jobs, options.quick), *off_policy(options.quick)]
    print(json.dumps(rows)) if options.json else show(rows)


def instances_of(data: Path) -> list[dict[str, Any]]:
    files = sorted(data.glob("*.json"))
    if not files:
        sys.exit(f"no *.json files in {data}; --data says where they are")
    found: list[dict[str, Any]] = []
    for path in files:
        try:
            for instance in json.loads(path.read_text("utf-8")):
                several = {"name": f"{path.stem}_{instance['name']}"} if len(files) > 1 else {}
                found.append({**instance, **several})
        except (ValueError, KeyError, TypeError) as error:
            sys.exit(f"{path}: no list of instances with name, horizon and phases ({error!r})")
    return found


def choosing(
    instances: Sequence[dict[str, Any]], seeds: int, jobs: int, quick: bool
) -> Iterator[Row]:
    systems: dict[str, Callable[[Sequence[dict[str, Any]], int], Runs]] = {
        f"seasoned_{strategy}": partial(ours, strategy, range(seeds)) for strategy in STRATEGIES
    }
    peers = [peer for peer in PEERS if not quick or _is_installed(peer)]
    for strategy in STRATEGIES:
        for peer in peers:
            asked = partial(theirs, peer, strategy, range(seeds))
            systems[f"{peer}_{strategy}"] = asked
    speeds: dict[tuple[str, str], float] = {}
    by_steps: dict[int, list[dict[str, Any]]] = {}
    for instance in instances:
        steps = min(instance["horizon"], QUICK_STEPS) if quick else instance["horizon"]
        by_steps.setdefault(steps, []).append(instance)

    def run(system: str) -> list[tuple[int, Runs]]:
        try:
            done = [(steps, systems[system](some, steps)) for steps, some in by_steps.items()]
        except PeerMissing as error:
            print(error, file=sys.stderr)
            return []
        regrets = [statistics.fmean(run[0] for run in one) for _, runs in done for one in runs]
        print(
            f"{system}: {', '.join(f'{one:.1f}' for one in regrets)}", file=sys.stderr, flush=True
        )
        return done

    with ThreadPoolExecutor(jobs) as pool:
        found = list(pool.map(run, systems))
    for system, all_runs in zip(systems, found, strict=True):
        for steps, runs in all_runs:
            some = by_steps[steps]
            for instance, of_seeds in zip(some, runs, strict=True):
                name = instance["name"]
                per_second = len(of_seeds) * steps / sum(seconds for _, seconds in of_seeds)
                speeds[name, system] = per_second
                yield from _regret_rows(name, system, [regret for regret, _ in of_seeds])
                yield _row(name, system, "decisions_per_s", per_second)
    for (name, system), per_second in speeds.items():
        peer = speeds.get((name, system.replace("seasoned_", "mabwiser_")))
        if system.startswith("seasoned_") and peer:
            yield _row(name, system, "speed_over_mabwiser", per_second / peer)


def ours(
    strategy: str, seeds: Sequence[int], instances: Sequence[dict[str, Any]], steps: int
) -> Runs:
    return [
        [played(partial(_player, strategy, seed), instance, seed, steps) for seed in seeds]
        for instance in instances
    ]


def _player(strategy: str, seed: int, arms: int) -> tuple[Pick, Learn]:
    policy, rng, names = policy_from(strategy), random.Random(seed), [str(n) for n in range(arms)]

    def pick() -> int:
        return int(policy.pick(names, rng))

    def learn(arm: int, reward: float) -> None:
        policy.learn(names[arm], reward)

    return pick, learn


def theirs(
    peer: str,
    strategy: str,
    seeds: Sequence[int],
    instances: Sequence[dict[str, Any]],
    steps: int,
) -> Runs:
    question = {"policy": strategy, "seeds": list(seeds), "instances": instances, "horizon": steps}
    return ask(peer, PEERS[peer], question)["played"]


def _is_installed(peer: str) -> bool:
    try:
        python_of(peer, build=False)
    except PeerMissing as error:
        print(error, file=sys.stderr)
        return False
    return True


def _regret_rows(name: str, system: str, regrets: Sequence[float]) -> Iterator[Row]:
    mean = statistics.fmean(regrets)
    error = 1.96 * statistics.stdev(regrets) / len(regrets) ** 0.5 if len(regrets) > 1 else 0.0
    yield _row(name, system, "regret", mean)
    yield _row(name, system, "regret_low", mean - error)
    yield _row(name, system, "regret_high", mean + error)


def off_policy(quick: bool) -> Iterator[Row]:
    size = 1000 if quick else 5000
    log, question, truth = logged_steps(random.Random(0), size)
    yield _row("off_policy", "truth", "value", truth)
    for name in ESTIMATORS:
        found = estimate(log, name, interval="bootstrap")
        for metric, value in zip(_three(name), (found.value, found.low, found.high), strict=True):
            yield _row("off_policy", "seasoned", metric, value)
        yield _row(
            "off_policy", "seasoned", f"{name}_coverage", coverage(name, 50 if quick else 200)
        )
    if quick and not _is_installed("obp"):
        return
    print("obp …", file=sys.stderr, flush=True)
    try:
        answer = ask("obp", "obp_estimates.py", {**question, "resamples": 1000})
    except PeerMissing as error:
        print(error, file=sys.stderr)
        return
    for name, values in answer.items():
        for metric, value in zip(_three(name), values, strict=True):
            yield _row("off_policy", "obp", metric, value)


def coverage(estimator: str, logs: int) -> float:
    """Return the share of logs whose normal 95 % interval holds the true value."""
    held = 0
    for seed in range(1, logs + 1):
        log, _, truth = logged_steps(random.Random(seed), 1000)
        found = estimate(log, estimator)
        held += found.low <= truth <= found.high
    return held / logs


def logged_steps(rng: random.Random, size: int) -> tuple[DecisionLog, dict[str, Any], float]:
    """Return a log, the same log for obp, and the true value of the target strategy."""
    means = [[rng.random() for _ in range(10)] for _ in range(4)]
    guesses = [[mean + rng.gauss(0, 0.1) for mean in of_one] for of_one in means]
    loggers = [_boltzmann([rng.random() for _ in range(10)], 0.5) for _ in means]
    targets = [_boltzmann(of_one, 0.2) for of_one in means]
    situations = [rng.randrange(4) for _ in range(size)]
    actions = [rng.choices(range(10), loggers[one])[0] for one in situations]
    steps = list(zip(situations, actions, strict=True))
    rewards = [1.0 if rng.random() < means[one][arm] else 0.0 for one, arm in steps]
    logged = [loggers[one][arm] for one, arm in steps]
    expected = [_dot(targets[one], guesses[one]) for one in situations]
    truth = statistics.fmean(_dot(targets[one], means[one]) for one in range(4))
    log = DecisionLog(
        *(rewards, logged, [targets[one][arm] for one, arm in steps]),
        *([guesses[one][arm] for one, arm in steps], expected),
    )
    question = {
        "rewards": rewards,
        "actions": actions,
        "logged": logged,
        "target_of_each": [targets[one] for one in situations],
        "guess_of_each": [guesses[one] for one in situations],
    }
    return log, question, truth


def _boltzmann(values: Sequence[float], temperature: float) -> list[float]:
    weights = [exp(value / temperature) for value in values]
    return [weight / sum(weights) for weight in weights]


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def _three(name: str) -> tuple[str, str, str]:
    return name, f"{name}_low", f"{name}_high"


def _row(name: str, system: str, metric: str, value: float) -> Row:
    return {"set": name, "system": system, "metric": metric, "value": round(value, 4)}


def show(rows: Sequence[Row]) -> None:
    """Print regret with half its interval, then speed, then estimates."""
    values = {(row["set"], row["system"], row["metric"]): row["value"] for row in rows}
    sets = list(dict.fromkeys(row["set"] for row in rows if row["metric"] == "regret"))
    systems = list(dict.fromkeys(row["system"] for row in rows if row["metric"] == "regret"))
    for metric in ("regret", "decisions_per_s", "speed_over_mabwiser"):
        print(f"\n{metric:<30}" + "".join(f"{name:>15}" for name in sets))
        for system in systems:
            cells = [_cell(values, name, system, metric) for name in sets]
            if any(cells):
                print(f"{system:<30}" + "".join(f"{cell:>15}" for cell in cells))
    print()
    for row in rows:
        if row["set"] == "off_policy":
            print(f"off_policy  {row['system']:<10} {row['metric']:<16} {row['value']:.4f}")


def _cell(values: dict[tuple[str, str, str], float], name: str, system: str, metric: str) -> str:
    value = values.get((name, system, metric))
    if value is None:
        return ""
    if metric != "regret":
        return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"
    half = (values[name, system, "regret_high"] - values[name, system, "regret_low"]) / 2
    return f"{value:.1f} ± {half:.1f}"


if __name__ == "__main__":
    main()
