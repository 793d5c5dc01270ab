"""Small networks of the architectures that people train, made with Keras, with weights and statistics that are drawn from a seed.

Usage: keras_nets.py [--seed N] FOLDER [NAME ...] writes FOLDER/NAME.pb, frozen, FOLDER/NAME, a SavedModel, an input
FOLDER/NAME.npy and stock's output for it, FOLDER/NAME.wanted.npy, for each network."""

import argparse
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402
from tensorflow import keras  # noqa: E402
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2  # noqa: E402

L = keras.layers


def image(size, channels=3):
    return keras.Input((size, size, channels), batch_size=None)


def mobilenet_v2():
    return keras.applications.MobileNetV2((64, 64, 3), alpha=0.35, weights=None, classes=10,
                                          classifier_activation=None)


def resnet():
    x = inputs = image(32)

    def conv(y, filters, kernel, stride=1):
        y = L.Conv2D(filters, kernel, strides=stride, padding="same")(y)
        return L.BatchNormalization(epsilon=1.001e-5)(y)

    x = L.ZeroPadding2D(3)(x)
    x = L.ReLU()(L.BatchNormalization()(L.Conv2D(16, 7, strides=2)(x)))
    x = L.MaxPooling2D(3, 2)(L.ZeroPadding2D(1)(x))
    for filters, stride in ((8, 1), (16, 2)):
        y = L.ReLU()(conv(x, filters, 1, stride))
        y = conv(L.ReLU()(conv(y, filters, 3)), 4 * filters, 1)
        x = L.ReLU()(L.Add()([conv(x, 4 * filters, 1, stride), y]))
    return keras.Model(inputs, L.Dense(10, activation="softmax")(L.GlobalAveragePooling2D()(x)))


def densenet():
    inputs = image(32)
    x = L.ReLU()(L.BatchNormalization()(L.Conv2D(16, 3, strides=2, use_bias=False)(inputs)))
    for _ in range(3):
        y = L.ReLU()(L.BatchNormalization(epsilon=1.001e-5)(x))
        y = L.Conv2D(24, 1, use_bias=False)(y)
        y = L.ReLU()(L.BatchNormalization(epsilon=1.001e-5)(y))
        x = L.Concatenate()([x, L.Conv2D(8, 3, padding="same", use_bias=False)(y)])
    x = L.AveragePooling2D(2)(L.Conv2D(20, 1)(L.ReLU()(L.BatchNormalization()(x))))
    return keras.Model(inputs, L.Dense(10)(L.GlobalMaxPooling2D()(x)))


def squeeze(x, gate, inner):
    channels = x.shape[-1]
    y = L.GlobalAveragePooling2D(keepdims=True)(x)
    y = L.Conv2D(channels // 4, 1, activation=inner)(y)
    return L.Multiply()([x, L.Conv2D(channels, 1, activation=gate)(y)])


def mobile(activation, gate, inner):
    x = inputs = image(32)
    x = L.Activation(activation)(L.BatchNormalization()(L.Conv2D(8, 3, strides=2, padding="same", use_bias=False)(x)))
    for stride in (1, 2):
        y = L.Conv2D(32, 1, use_bias=False)(x)
        y = L.Activation(activation)(L.BatchNormalization()(y))
        y = L.DepthwiseConv2D(3, strides=stride, padding="same", use_bias=False)(y)
        y = squeeze(L.Activation(activation)(L.BatchNormalization()(y)), gate, inner)
        y = L.BatchNormalization()(L.Conv2D(8, 1, use_bias=False)(y))
        x = L.Add()([x, y]) if stride == 1 else y
    return keras.Model(inputs, L.Dense(10, activation=activation)(L.GlobalAveragePooling2D()(x)))


def mobilenet_v3():
    return mobile("hard_swish", "hard_sigmoid", "relu")


def efficientnet():
    return mobile("swish", "sigmoid", "swish")


def prelu():
    x = inputs = image(16)
    for _ in range(2):
        x = L.PReLU(shared_axes=[1, 2])(L.BatchNormalization()(L.Conv2D(12, 3)(x)))
    return keras.Model(inputs, L.PReLU()(L.Dense(20)(L.Flatten()(x))))


def attention(x, heads=4, size=8):
    def split(y):
        return keras.ops.transpose(L.Reshape((-1, heads, size))(L.Dense(heads * size)(y)), (0, 2, 1, 3))

    q, k, v = split(x), split(x), split(x)
    weights = keras.ops.softmax(keras.ops.matmul(q, keras.ops.transpose(k, (0, 1, 3, 2))) * (1 / np.sqrt(size)))
    y = keras.ops.transpose(keras.ops.matmul(weights, v), (0, 2, 1, 3))
    return L.Dense(x.shape[-1])(L.Reshape((-1, heads * size))(y))


def bert():
    tokens = keras.Input((12,), dtype="int32")
    x = L.Embedding(50, 32)(tokens) + L.Embedding(12, 32)(keras.ops.arange(12))
    x = L.LayerNormalization(epsilon=1e-12)(x)
    for approximate in (False, True):
        x = L.LayerNormalization(epsilon=1e-6)(x + attention(x))
        y = L.Dense(64)(x)
        y = L.Lambda(lambda v, a=approximate: tf.nn.gelu(v, a))(y)
        x = L.LayerNormalization(epsilon=1e-6)(x + L.Dense(32)(y))
    return keras.Model(tokens, x)


def lstm():
    x = inputs = keras.Input((9, 6))
    return keras.Model(inputs, L.Dense(4)(L.LSTM(10)(L.LSTM(8, return_sequences=True)(x))))


def gru():
    inputs = keras.Input((9, 6))
    return keras.Model(inputs, L.Dense(4)(L.Bidirectional(L.GRU(8))(inputs)))


def layer_norm_4d():
    """Keras 2 wrote it as FusedBatchNormV3 for training over a reshaped input; here by hand."""
    inputs = keras.Input((5, 6, 24))

    def normalise(x):
        shape = tf.shape(x)
        rows = tf.reduce_prod(shape[:3])
        y = tf.reshape(x, [1, rows, 24, 1])
        y = tf.compat.v1.nn.fused_batch_norm(y, tf.ones([rows]), tf.zeros([rows]), epsilon=0.001, data_format="NCHW")[0]
        return tf.reshape(y, shape) * tf.linspace(0.5, 1.5, 24) + tf.linspace(-1.0, 1.0, 24)

    return keras.Model(inputs, L.Dense(4)(L.Lambda(normalise)(inputs)))


NETS = [mobilenet_v2, resnet, densenet, mobilenet_v3, efficientnet, prelu, bert, lstm, gru, layer_norm_4d]


def fill(model, rng):
    """Statistics as after training: nothing is 0 or 1 by chance, variances are positive."""
    for v in model.weights:
        if "seed" in v.path:
            continue
        low, high = (0.5, 2) if "variance" in v.name or "gamma" in v.name else (-0.3, 0.3)
        if len(v.shape) > 1:  # keeps the size of what is multiplied by it
            high = np.sqrt(3 / int(np.prod(v.shape[:-1])))
            low = -high
        v.assign(rng.uniform(low, high, v.shape).astype(np.float32))


def example(model, rng, batch):
    shape = [batch] + list(model.inputs[0].shape[1:])
    if model.inputs[0].dtype == "int32":
        return rng.integers(0, 50, shape).astype(np.int32)
    return rng.uniform(-1, 1, shape).astype(np.float32)


def write(name, folder, seed):
    """Writes both forms; returns an input and the output of stock TensorFlow for it."""
    rng = np.random.default_rng(seed)
    keras.utils.set_random_seed(seed)
    model = next(n for n in NETS if n.__name__ == name)()
    fill(model, rng)
    spec = tf.TensorSpec([None] + list(model.inputs[0].shape[1:]), model.inputs[0].dtype, name="x")
    served = tf.Module()
    served.kept = [v._value for v in model.weights]  # what a checkpoint finds
    served.serve = tf.function(lambda x: {"y": model(x, training=False)}, input_signature=[spec])
    function = served.serve.get_concrete_function()
    tf.saved_model.save(served, os.path.join(folder, name), signatures={"serving_default": function})
    with open(os.path.join(folder, name + ".pb"), "wb") as f:
        f.write(convert_variables_to_constants_v2(function).graph.as_graph_def().SerializeToString())
    x = example(model, rng, 2)
    return x, function(tf.constant(x))["y"].numpy()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=20261121)
    parser.add_argument("folder")
    parser.add_argument("names", nargs="*", default=[n.__name__ for n in NETS])
    options = parser.parse_args()
    for net in options.names:
        data, result = write(net, options.folder, options.seed)
        np.save(os.path.join(options.folder, net + ".npy"), data)
        np.save(os.path.join(options.folder, net + ".wanted.npy"), result)
        print("%-16s %s -> %s, largest %.3g" % (net, data.shape, result.shape, np.abs(result).max()))
