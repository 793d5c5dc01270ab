"""SaveV2 and MergeV2Checkpoints: stock reads what graphs save here.

  save_test.py DOVETAIL
"""

import json
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

    def save_parts(self, prefix, parts):
        """parts: (name, slice, value)"""
        return self.run_op(
            lambda: tf.raw_ops.SaveV2(
                prefix=prefix,
                tensor_names=[p[0] for p in parts],
                shape_and_slices=[p[1] for p in parts],
                tensors=[tf.constant(p[2]) for p in parts],
            )
        )

    def test_slices(self):
        kernel, words = VALUES['layer/kernel'], VALUES['words']
        volume = np.arange(60, dtype='int64').reshape(3, 4, 5)
        parts = [
            ('layer/kernel', '3 4 0,2:-', kernel[:2]),
            ('layer/kernel', '3 4 2,1:0,3', kernel[2:, :3]),
            ('layer/kernel', '3 4 2,1:3,1', kernel[2:, 3:]),
            ('words', '3 1,2', words[1:]),
            ('words', '3 0,1', words[:1]),
            ('volume', '3 4 5 -:1,3:-', volume[:, 1:]),
            ('volume', '3 4 5 -:0,1:-', volume[:, :1]),
            ('all', '3 4 5 -:0,4:-', volume),
            ('count', '', VALUES['count']),
        ]
        result = self.save_parts(self.path('parts'), parts)
        self.assertEqual(result.returncode, 0, result.stderr)
        reader = tf.train.load_checkpoint(self.path('parts'))
        wholes = {'layer/kernel': kernel, 'words': words, 'volume': volume, 'all': volume, 'count': VALUES['count']}
        self.assertEqual(sorted(reader.get_variable_to_shape_map()), sorted(wholes))
        for name, value in wholes.items():
            if name != 'words':  # stock reads no strings in slices
                np.testing.assert_array_equal(reader.get_tensor(name), value)
            np.testing.assert_array_equal(self.restore_here(self.path('parts'), name, '', value.dtype), value)
        for name, piece, value in [*parts, ('volume', '3 4 5 1,1:0,2:2,3', volume[1:2, :2, 2:])]:
            for run in (self.restore_here, self.restore_stock)[: 1 if name == 'words' else 2]:
                np.testing.assert_array_equal(run(self.path('parts'), name, piece, value.dtype), value, name + piece)

    def test_slices_that_disagree(self):
        row = np.arange(4, dtype='float32')
        for parts, problem in (
            ([('a', '8 0,4', row), ('a', '8 0,4', row)], 'given twice'),
            ([('a', '8 0,4', row), ('a', '9 4,4', row)], 'disagree'),
            ([('a', '8 0,4', row), ('a', '8 4,4', row.astype('float64'))], 'disagree'),
            ([('a', '8 0,4', row), ('a', '', row)], 'whole and in slices'),
            ([('a', '8 0,3', row)], "not the slice's shape"),
        ):
            result = self.save_parts(self.path('bad'), parts)
            self.assertNotEqual(result.returncode, 0, problem)
            self.assertIn(problem, result.stderr)
            self.assertEqual(os.listdir(self.folder.name), ['graph.pb'])

    def restore_graph(self, prefix, name, piece, dtype):
        return tf.raw_ops.RestoreV2(prefix=prefix, tensor_names=[name], shape_and_slices=[piece],
                                    dtypes=[tf.string if dtype == object else tf.as_dtype(dtype)])[0]

    def restore_stock(self, *arguments):
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            return session.run(self.restore_graph(*arguments))

    def restore_here(self, *arguments):
        with tf.Graph().as_default() as graph:
            tf.identity(self.restore_graph(*arguments), name='value')
        with open(self.path('graph.pb'), 'wb') as file:
            file.write(graph.as_graph_def().SerializeToString())
        subprocess.run([DOVETAIL, 'run', self.path('graph.pb'), '--output', 'value', '--out-dir', self.path('out')], check=True,
                       capture_output=True)
        with open(os.path.join(self.path('out'), 'outputs.json')) as file:
            return np.load(os.path.join(self.path('out'), json.load(file)[0]['file']), allow_pickle=True)

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
        for wrong in ('3 0,1', '3 0,4', '3 2,2', '3 -:-', '3 1', 'x 0,1', '3 -1,3', '2 2 0,1:0,1', '4 0,3 ', '3 0,3:'):
            result = self.save(self.path('x'), names, ['', wrong])
            self.assertNotEqual(result.returncode, 0, wrong)
            self.assertIn('flags', result.stderr, wrong)
        result = self.save(self.path('x'), ['count', 'count'])
        self.assertNotEqual(result.returncode, 0)
        self.assertIn('count', result.stderr)
        result = self.save(self.path('no/such/folder/x'), names)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn('no/such/folder', result.stderr)
        self.assertEqual(os.listdir(self.folder.name), ['graph.pb'])


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
