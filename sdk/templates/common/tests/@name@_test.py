"""Loads the plugin into TensorFlow, runs its op and compares the values.

  @name@_test.py PLUGIN
"""

import os
import sys

import numpy as np
import tensorflow as tf

ops = tf.load_op_library(os.path.abspath(sys.argv[1]))
for dtype in (np.float32, np.float64):
    x = np.array([[1, -2], [0.5, 0]], dtype)
    np.testing.assert_array_equal(ops.@function@(x=x, factor=3.0), 3 * x)
    graph = tf.function(lambda x: ops.@function@(x=x)).get_concrete_function(tf.TensorSpec([None, 7], x.dtype))
    assert graph.outputs[0].shape.as_list() == [None, 7]
print("the values are right in TensorFlow", tf.__version__)
