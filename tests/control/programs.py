"""Random programs over ints and floats: arithmetic, loops, branches, cases, calls and arrays, nested.

A program is a tree of closures, so that the same one can be built in several graphs. Every block takes and returns the
values of all variables: `ints` are int32 scalars, `floats` are float32 vectors of WIDTH elements."""

import tensorflow as tf

WIDTH = 3
INTS, FLOATS = 2, 2


class Program:
    def __init__(self, rng, depth=3):
        self.rng = rng
        self.block = self.make_block(depth)

    def __call__(self, *values):
        ints, floats = self.block(list(values[:INTS]), list(values[INTS:]))
        return ints + floats

    # ---- blocks and statements ----
    def make_block(self, depth):
        statements = [self.make_statement(depth) for _ in range(int(self.rng.integers(1, 4)))]

        def run(ints, floats):
            for statement in statements:
                ints, floats = statement(list(ints), list(floats))
            return ints, floats

        return run

    def make_statement(self, depth):
        nested = [self.make_loop, self.make_branch, self.make_case, self.make_call, self.make_array]
        simple = [self.make_int, self.make_float]
        kinds = simple + (nested if depth > 0 else []) * 2
        return kinds[int(self.rng.integers(len(kinds)))](depth - 1)

    def pick(self, count):
        return int(self.rng.integers(count))

    def make_int(self, depth):
        a, b, to, k = self.pick(INTS), self.pick(INTS), self.pick(INTS), int(self.rng.integers(1, 6))
        op = [
            lambda x, y: x + y,
            lambda x, y: x - y * k,
            lambda x, y: tf.math.floormod(x * y, 17) - k,
            lambda x, y: tf.minimum(x, y + k),
            lambda x, y: tf.where(x < y, x + k, y - k),
        ][self.pick(5)]

        def run(ints, floats):
            # Small, so that no product leaves int32.
            ints[to] = tf.math.floormod(op(ints[a], ints[b]), 101)
            return ints, floats

        return run

    def make_float(self, depth):
        a, b, i, to = self.pick(FLOATS), self.pick(FLOATS), self.pick(INTS), self.pick(FLOATS)
        op = [
            lambda x, y, n: x + y,
            lambda x, y, n: x * 0.5 - y,
            lambda x, y, n: tf.tanh(x) + 0.25 * n,
            lambda x, y, n: tf.maximum(x, y) * 0.75,
            lambda x, y, n: tf.reverse(x, [0]) + tf.reduce_sum(y) * 0.1,
            lambda x, y, n: tf.concat([x[1:], y[:1]], 0),
        ][self.pick(6)]

        def run(ints, floats):
            floats[to] = op(floats[a], floats[b], tf.cast(ints[i], tf.float32))
            return ints, floats

        return run

    def make_condition(self):
        a, b, f, k = self.pick(INTS), self.pick(INTS), self.pick(FLOATS), float(self.rng.normal())
        return [
            lambda ints, floats: ints[a] < ints[b],
            lambda ints, floats: tf.equal(tf.math.floormod(ints[a], 3), 1),
            lambda ints, floats: tf.reduce_sum(floats[f]) > k,
            lambda ints, floats: tf.logical_and(ints[a] > 3, tf.reduce_max(floats[f]) < 2.0 + k),
        ][self.pick(4)]

    def make_loop(self, depth):
        body, count = self.make_block(depth), int(self.rng.integers(0, 5))
        condition = self.make_condition() if self.rng.random() < 0.4 else None
        most = int(self.rng.integers(1, 4)) if self.rng.random() < 0.3 else None
        invariant = self.rng.random() < 0.4  # the first float is read in the loop, but not changed by it

        def run(ints, floats):
            outside = floats[0]

            def goes_on(i, *values):
                more = i < count
                if condition:
                    more = tf.logical_and(more, condition(values[:INTS], values[INTS:]))
                return more

            def step(i, *values):
                new_ints, new_floats = body(list(values[:INTS]), list(values[INTS:]))
                if invariant:
                    new_floats[1] = new_floats[1] * 0.5 + outside
                return [i + 1] + new_ints + new_floats

            start = [tf.constant(0)] + ints + floats
            end = tf.while_loop(goes_on, step, start, maximum_iterations=most)
            return list(end[1 : 1 + INTS]), list(end[1 + INTS :])

        return run

    def make_branch(self, depth):
        condition, yes, no = self.make_condition(), self.make_block(depth), self.make_block(depth)

        def run(ints, floats):
            values = tf.cond(
                condition(ints, floats),
                lambda: sum(map(list, yes(list(ints), list(floats))), []),
                lambda: sum(map(list, no(list(ints), list(floats))), []),
            )
            return list(values[:INTS]), list(values[INTS:])

        return run

    def make_case(self, depth):
        blocks, a = [self.make_block(depth) for _ in range(int(self.rng.integers(2, 5)))], self.pick(INTS)

        def run(ints, floats):
            branch = lambda block: lambda: sum(map(list, block(list(ints), list(floats))), [])
            index = tf.math.floormod(ints[a], len(blocks) + 2) - 1  # one too low, one too high
            values = tf.switch_case(index, [branch(b) for b in blocks])
            return list(values[:INTS]), list(values[INTS:])

        return run

    def make_call(self, depth):
        block = self.make_block(depth)

        def run(ints, floats):
            called = tf.function(lambda *v: sum(map(list, block(list(v[:INTS]), list(v[INTS:]))), []))
            values = called(*ints, *floats)
            return list(values[:INTS]), list(values[INTS:])

        return run

    def make_array(self, depth):
        """A loop that fills an array, and one that reads what it holds backwards."""
        body, count, f = self.make_block(min(depth, 1)), int(self.rng.integers(0, 5)), self.pick(FLOATS)
        how = self.pick(3)

        def run(ints, floats):
            array = tf.TensorArray(
                tf.float32, size=count, element_shape=[WIDTH], clear_after_read=False, dynamic_size=how == 1
            )

            def fill(i, array, *values):
                new_ints, new_floats = body(list(values[:INTS]), list(values[INTS:]))
                return [i + 1, array.write(i, new_floats[f])] + new_ints + new_floats

            end = tf.while_loop(lambda i, *v: i < count, fill, [tf.constant(0), array] + ints + floats)
            array, values = end[1], end[2:]
            floats, ints = list(values[INTS:]), list(values[:INTS])
            if how == 2:
                total = tf.while_loop(
                    lambda i, t: i >= 0, lambda i, t: (i - 1, t * 0.5 + array.read(i)), [count - 1, floats[f]]
                )[1]
            else:
                total = tf.reduce_sum(array.stack(), 0)
            floats[f] = total * 0.5
            return ints, floats

        return run
