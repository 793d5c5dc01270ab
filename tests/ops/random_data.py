"""Seeded random tensors of every dtype, plain or with the values that go wrong."""

import numpy as np

from case_writer import COMPLEX, FLOATS, np_type

SPECIAL = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    float('inf'),
    float('-inf'),
    float('nan'),
    1e-30,
    -1e-30,
    65504.0,
    3e38,
    1e-3,
    88.0,
    -104.0,
]


class Data:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def choice(self, options):
        return options[int(self.rng.integers(len(options)))]

    def flip(self, probability=0.5):
        return bool(self.rng.random() < probability)

    def shape(self, rank=None, sizes=(0, 1, 1, 2, 3, 4, 5, 7)):
        rank = int(self.rng.integers(0, 5)) if rank is None else rank
        return tuple(int(self.choice(sizes)) for _ in range(rank))

    def positive_shape(self, rank=None):
        return self.shape(rank, (1, 2, 3, 4, 5, 7, 8))

    def tensor(self, dtype, shape, kind='normal'):
        """kinds: normal, special (NaN, infinities, huge), positive, unit [-1, 1], nonzero, small (integers 0..6)"""
        rng = self.rng
        if dtype == 'bool':
            return rng.random(shape) < 0.5
        if dtype == 'string':
            words = [
                b'',
                b'a',
                b'hello',
                b'a string that is longer than the small form',
                b'\x00\xff',
                b'snow \xe2\x98\x83',
            ]
            return np.array([self.choice(words) for _ in range(int(np.prod(shape)))], dtype=object).reshape(
                shape
            )
        if dtype in COMPLEX:
            part = 'float32' if dtype == 'complex64' else 'float64'
            return (self.tensor(part, shape, kind) + 1j * self.tensor(part, shape, kind)).astype(dtype)
        if dtype in FLOATS:
            x = rng.standard_normal(shape) * 3
            if kind == 'positive':
                x = np.abs(x) + 0.01
            if kind == 'unit':
                x = rng.uniform(-1, 1, shape)
            if kind == 'nonzero':
                x = np.where(np.abs(x) < 0.1, 1.5, x)
            if kind == 'small':
                x = rng.integers(0, 7, shape).astype(float)
            if kind == 'special':
                with np.errstate(all='ignore'):
                    x = np.where(rng.random(shape) < 0.4, rng.choice(SPECIAL, shape), x)
            with np.errstate(all='ignore'):
                return np.asarray(x).astype(np_type(dtype))
        info = np.iinfo(dtype)
        if kind == 'special':
            edge = rng.choice(np.array([info.min, info.max, 0, 1], dtype=dtype), shape)
            return np.where(rng.random(shape) < 0.4, edge, self.tensor(dtype, shape)).astype(dtype)
        low, high = (
            (1, 20) if kind in ('positive',) else (0, 7) if kind == 'small' else (max(info.min, -100), 100)
        )
        x = rng.integers(low, high, shape).astype(dtype)
        return np.where(x == 0, np.array(3, dtype), x) if kind == 'nonzero' else x
