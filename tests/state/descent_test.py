"""descent_test.py PROGRAM PLUGIN: a linear model trained by PLUGIN's ops, step by step beside NumPy."""

import subprocess
import sys

import numpy as np

STEPS, RATE, MOMENTUM = 150, 0.05, 0.8


def data():
    i, k = np.arange(32)[:, None], np.arange(3)
    x = ((7 * i + 3 * k * k + i * k) % 11 - 5) / 4
    return x, x @ [1.5, -2, 0.5] + 0.25 + (5 * i[:, 0] % 7 - 3) / 16


def train():
    """The losses before each step, and the weights after all of them."""
    x, y = data()
    w, velocity, b, losses = np.zeros(3), np.zeros(3), 0.0, []
    for _ in range(STEPS):
        error = x @ w + b - y
        losses.append(np.mean(error**2))
        velocity = MOMENTUM * velocity + 2 * x.T @ error / len(y)
        w -= RATE * velocity
        b -= RATE * 2 * np.mean(error)
    return {'loss': np.array(losses), 'w': w, 'b': np.array([b])}


def main():
    output = subprocess.check_output(sys.argv[1:3], text=True)
    got = {}
    for line in output.splitlines():
        name, *values = line.split()
        got.setdefault(name, []).extend(map(float, values))
    wanted = train()
    for name, values in wanted.items():
        np.testing.assert_allclose(got[name], values, rtol=2e-5, atol=2e-6, err_msg=name)
    losses = got['loss']
    x, y = data()
    least = np.linalg.lstsq(np.c_[x, np.ones(len(y))], y, rcond=None)[1][0] / len(y)
    print('loss %.6f -> %.6f; the least that a linear model can have is %.6f' % (losses[0], losses[-1], least))
    assert losses[-1] < 1.001 * least < losses[0] / 100


main()
