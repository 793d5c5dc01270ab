"""Timing by turns: blocks of runs of each engine, one engine after the other, round after round.

The machine may be busy with something else at any time. So the time told is the least of all rounds, and `paired` is the
median over the rounds of the ratio of two engines' blocks, which were timed next to each other.
"""
import statistics
import time

BLOCK_MS = 250  # that a block takes about
PAUSE_S = 0.03  # between blocks, for threads of the last engine that still look for work


def block(engine, count):
    time.sleep(PAUSE_S)
    return min(engine.runs(count + 1)[1:])  # the first finds its data out of the caches


def fitting_runs(engine, share=1.0):
    once = min(engine.runs(3))
    return max(2, min(200, int(BLOCK_MS * share / max(once, 1e-3))))


def by_turns(engines, rounds, share=1.0):
    """{name: engine} -> {name: [least milliseconds of each round]}."""
    counts = {name: fitting_runs(engine, share) for name, engine in engines.items()}
    times = {name: [] for name in engines}
    order = list(engines)
    for turn in range(rounds):
        for name in order if turn % 2 == 0 else reversed(order):
            times[name].append(block(engines[name], counts[name]))
    return times


def paired(ours, theirs):
    return statistics.median(a / b for a, b in zip(ours, theirs))
