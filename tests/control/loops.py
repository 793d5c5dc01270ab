"""Control flow written by hand: what each op does on its own, nested and in functions."""

import numpy as np
import tensorflow as tf

i32, f32 = np.int32, np.float32
x3 = f32([1, 2, 3])


def count_up(x):
    return tf.while_loop(lambda i, y: i < 10, lambda i, y: (i + 1, y * 1.5 + 1), [0, x])


def never(x):
    return tf.while_loop(lambda i, y: i < 0, lambda i, y: (i + 1, y * 2), [0, x])


def growing(x):
    """The shape changes from one iteration to the next."""
    y = tf.while_loop(
        lambda y: tf.size(y) < 20, lambda y: (tf.concat([y, y[:2]], 0),), [x], shape_invariants=[tf.TensorShape([None])]
    )
    return y


def branch(p, x):
    return tf.cond(p, lambda: (x + 1, tf.size(x)), lambda: (x * 2, 7))


def nested(x):
    def body(i, y):
        j, z = tf.while_loop(lambda j, z: j < i, lambda j, z: (j + 1, z + tf.cast(j, tf.float32)), [0, y])
        return i + 1, tf.cond(tf.reduce_sum(z) > 50.0, lambda: z / 2.0, lambda: z + 1.0)

    return tf.while_loop(lambda i, y: i < 20, body, [0, x])


def cases(b, x):
    return tf.switch_case(b, [lambda: x + 1, lambda: x * 2, lambda: x - 5])


def many_values(x):
    """Loop variables that swap, that stay, and that are not used after."""
    return tf.while_loop(
        lambda i, a, b, c, d: i < 7,
        lambda i, a, b, c, d: (i + 1, b, a + 1.0, c, d * 2.0),
        [0, x, x * 2, x * 3, x],
        parallel_iterations=3,
    )[:4]


def strings(s):
    return tf.while_loop(lambda i, t: i < 3, lambda i, t: (i + 1, tf.strings.join([t, t])), [0, s])[1]


def fibonacci(n):
    return tf.while_loop(lambda i, a, b: i < n, lambda i, a, b: (i + 1, b, a + b), [0, np.int64(0), np.int64(1)])[1]


def squares(n):
    """An array made in a loop and one read in another."""
    array = tf.TensorArray(tf.float32, size=n, clear_after_read=False)
    array = tf.while_loop(
        lambda i, a: i < n, lambda i, a: (i + 1, a.write(i, tf.cast(i * i, tf.float32) + tf.zeros([2]))), [0, array]
    )[1]
    total = tf.while_loop(lambda i, t: i < n, lambda i, t: (i + 1, t + array.read(i)), [0, tf.zeros([2])])[1]
    return array.stack(), array.concat(), total, array.size()


def scan(x):
    return tf.scan(lambda a, b: a * 0.5 + b, x), tf.map_fn(lambda r: tf.reduce_sum(r * r), x)


def two_arrays(x):
    rows = tf.TensorArray(tf.float32, size=4).unstack(x)
    out = tf.TensorArray(tf.float32, size=0, dynamic_size=True)

    def body(i, out):
        row = rows.read(i)
        return i + 1, tf.cond(tf.reduce_sum(row) > 0, lambda: out.write(out.size(), row), lambda: out)

    out = tf.while_loop(lambda i, o: i < 4, body, [0, out])[1]
    return out.size(), out.stack()


def array_of_parts(x):
    array = tf.TensorArray(tf.float32, size=3, infer_shape=False, clear_after_read=False).split(x, [1, 0, 3])
    return array.read(0), array.read(2), array.gather([1]), array.concat()


def loop_in_branch(p, x):
    loop = lambda: tf.while_loop(lambda i, y: i < 4, lambda i, y: (i + 1, y * y * 0.5), [0, x])[1]
    return tf.cond(p, loop, lambda: tf.cond(x[0] > 1.5, lambda: -x, loop))


def deep(x):
    """Branches in loops in branches in loops."""

    def level(n, y):
        if n == 0:
            return y * 1.1
        inner = lambda: tf.while_loop(lambda i, z: i < 2, lambda i, z: (i + 1, level(n - 1, z)), [0, y])[1]
        return tf.cond(tf.reduce_sum(y) > 6.5 * n, lambda: y - 1.0, inner)

    return level(4, x)


FIXED = [
    ('count_up', count_up, [[x3]]),
    ('never', never, [[x3]]),
    ('growing', growing, [[f32([1, 2])], [np.zeros(30, f32)], [f32([1, 2, 3])]]),
    ('branch', branch, [[np.bool_(True), x3], [np.bool_(False), x3]]),
    ('nested', nested, [[x3]]),
    ('cases', cases, [[i32(k), x3] for k in (-1, 0, 1, 2, 7)]),
    ('many_values', many_values, [[x3]]),
    ('strings', strings, [[np.array(b'ab', dtype=object)]]),
    ('fibonacci', fibonacci, [[i32(n)] for n in (0, 1, 50)]),
    ('squares', squares, [[i32(5)], [i32(1)]]),
    ('scan', scan, [[np.arange(12, dtype=f32).reshape(4, 3)]]),
    ('two_arrays', two_arrays, [[f32([[1, 2], [-3, 0], [4, 4], [0, -9]])]]),
    ('array_of_parts', array_of_parts, [[f32([[1, 2], [3, 4], [5, 6], [7, 8]])]]),
    ('loop_in_branch', loop_in_branch, [[np.bool_(p), f32([v, 2])] for p in (0, 1) for v in (1, 2)]),
    ('deep', deep, [[x3], [x3 - 3], [x3 * 4]]),
]
