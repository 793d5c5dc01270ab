"""SaveV2 and MergeV2Checkpoints: stock reads what graphs save here.

  save_test.py DOVETAIL
"""

import os
import subprocess
import sys
import tempfile
import unittest

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

DOVETAIL = sys.argv[1]
VALUES = {
    'layer/kernel': np.arange(12, dtype='float32').reshape(3, 4),
    'layer/bias': np.array([1.5, -2.5]),
    'count': np.int64(7),
    'flags': np.array([True, False, True]),
    'words': np.array([b'a', b'', b'some longer text than a short string holds'], dtype=object),
    'empty': np.zeros((0, 5), 'int32'),
    'half': np.array([0.5, 1], 'float16'),
    'complex': np.array([1 + 2j], 'complex64'),
}


class Saving(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def run_op(self, make):
        """Runs the op that make() returns, in Dovetail."""
        with tf.Graph().as_default() as graph:
            with tf.control_dependencies([make()]):
                tf.identity(tf.constant(1), name='done')
        with open(self.path('graph.pb'), 'wb') as file:
            file.write(graph.as_graph_def().SerializeToString())
        return subprocess.run(
            [DOVETAIL, 'run', self.path('graph.pb'), '--output', 'done'], capture_output=True, text=True, check=False
        )

    def save(self, prefix, names, slices=None):
        return self.run_op(
            lambda: tf.raw_ops.SaveV2(
                prefix=prefix,
                tensor_names=names,
                shape_and_slices=slices or [''] * len(names),
                tensors=[tf.constant(VALUES[n]) for n in names],
            )
        )

    def expect(self, prefix, names):
        reader = tf.train.load_checkpoint(prefix)
        self.assertEqual(sorted(reader.get_variable_to_shape_map()), sorted(names))
        for name in names:
            np.testing.assert_array_equal(reader.get_tensor(name), VALUES[name])

    def test_save(self):
        result = self.save(self.path('all'), list(VALUES))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.expect(self.path('all'), VALUES)

    def test_merge(self):
        names = list(VALUES)
        parts = [self.path('tmp%d/part' % i) for i in range(3)]
        for i, part in enumerate(parts):
            os.mkdir(os.path.dirname(part))
            result = self.save(part, names[i::3])
            self.assertEqual(result.returncode, 0, result.stderr)
        for keep in (True, False):
            merged = self.path('merged%d' % keep)
            result = self.run_op(
                lambda: tf.raw_ops.MergeV2Checkpoints(
                    checkpoint_prefixes=parts, destination_prefix=merged, delete_old_dirs=not keep
                )
            )
            self.assertEqual(result.returncode, 0, result.stderr)
            self.expect(merged, names)
            self.assertEqual([os.path.exists(os.path.dirname(p)) for p in parts], [keep] * 3)

    def test_merge_of_missing_parts(self):
        self.assertEqual(self.save(self.path('one'), ['count']).returncode, 0)
        for allowed in (True, False):
            result = self.run_op(
                lambda: tf.raw_ops.MergeV2Checkpoints(
                    checkpoint_prefixes=[self.path('none'), self.path('one')],
                    destination_prefix=self.path('to'),
                    allow_missing_files=allowed,
                    delete_old_dirs=False,
                )
            )
            self.assertEqual(result.returncode == 0, allowed, result.stderr)
        self.expect(self.path('to'), ['count'])
        self.assertIn(self.path('none'), result.stderr)

    def test_bad_calls(self):
        names = ['count', 'flags']
        result = self.save(self.path('x'), names, ['', '3 0,1'])
        self.assertNotEqual(result.returncode, 0)
        self.assertIn('only whole tensors are saved', result.stderr)
        result = self.save(self.path('x'), ['count', 'count'])
        self.assertNotEqual(result.returncode, 0)
        self.assertIn('count', result.stderr)
        result = self.save(self.path('no/such/folder/x'), names)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn('no/such/folder', result.stderr)
        self.assertEqual(os.listdir(self.folder.name), ['graph.pb'])


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
