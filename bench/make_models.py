#!/usr/bin/env python3
"""Makes the models that bench/models.py and bench/kernels.py time, once, in the folder given; run by the Python of build/venv-bench.

bench/make_models.py DIR [NAME...]

Each model is DIR/NAME/saved_model, frozen.pb, inputs.npz (one value of each input, by its name) and ends.json (for
both formats, the tensors that are inputs, by name, and outputs); image networks also model.onnx, made of frozen.pb.
Weights are random but always the same. Statistics of batch normalisations are what the data of the network give, so that
activations neither vanish nor grow.
"""
import json
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import keras
import numpy as np
import tensorflow as tf
from keras import layers
from tensorflow.core.protobuf import saved_model_pb2
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

SEED = 20240501
BERT_LENGTH, BERT_WIDTH, BERT_HEADS, BERT_LAYERS, BERT_WORDS = 128, 256, 4, 4, 8000
LSTM_STEPS, LSTM_WIDTH = 64, 128


def settle(model, rng):
    """Gives the batch normalisations of a network scales and offsets, then the statistics of their own inputs."""
    norms = [layer for layer in model.layers if isinstance(layer, layers.BatchNormalization)]
    for norm in norms:
        norm.gamma.assign(rng.uniform(0.6, 1.4, norm.gamma.shape))
        norm.beta.assign(rng.normal(0, 0.2, norm.beta.shape))
        norm.momentum = 0.0
    model(rng.uniform(-1, 1, (4, 224, 224, 3)).astype(np.float32), training=True)
    return model


def image_network(build):
    def make(rng):
        return settle(build(weights=None), rng), {"image": rng.uniform(-1, 1, (1, 224, 224, 3)).astype(np.float32)}
    return make


class Positions(layers.Layer):
    """Adds a learnt vector for each place of the sequence."""

    def build(self, shape):
        self.vectors = self.add_weight(shape=shape[1:], initializer="random_normal", name="vectors")

    def call(self, x):
        return x + self.vectors


def bert(rng):
    words = keras.Input((BERT_LENGTH,), dtype="int32", batch_size=1, name="words")
    x = layers.Embedding(BERT_WORDS, BERT_WIDTH)(words)
    x = layers.LayerNormalization(epsilon=1e-6)(Positions()(x))
    for _ in range(BERT_LAYERS):
        attended = layers.MultiHeadAttention(BERT_HEADS, BERT_WIDTH // BERT_HEADS)(x, x)
        x = layers.LayerNormalization(epsilon=1e-6)(layers.Add()([x, attended]))
        inner = layers.Dense(4 * BERT_WIDTH, activation="gelu")(x)
        x = layers.LayerNormalization(epsilon=1e-6)(layers.Add()([x, layers.Dense(BERT_WIDTH)(inner)]))
    return keras.Model(words, x), {"words": rng.integers(0, BERT_WORDS, (1, BERT_LENGTH)).astype(np.int32)}


def lstm(rng):
    series = keras.Input((LSTM_STEPS, LSTM_WIDTH), batch_size=1, name="series")
    x = layers.LSTM(LSTM_WIDTH, return_sequences=True)(series)
    x = layers.LSTM(LSTM_WIDTH)(x)
    x = layers.Dense(64, activation="relu")(x)
    return (keras.Model(series, layers.Dense(10, activation="softmax")(x)),
            {"series": rng.normal(0, 1, (1, LSTM_STEPS, LSTM_WIDTH)).astype(np.float32)})


def one_layer(shape, *stack):
    """A network of nothing but these layers, with random weights everywhere."""
    def make(rng):
        x = data = keras.Input(shape[1:], batch_size=shape[0], name="data")
        for layer in stack:
            x = layer(x)
            layer.set_weights([rng.normal(0, 0.5, weight.shape) for weight in layer.get_weights()])
        return keras.Model(data, x), {"data": rng.normal(0, 1, shape).astype(np.float32)}
    return make


def tiny(rng):
    """For the test of the scripts."""
    image = keras.Input((8, 8, 3), batch_size=1, name="image")
    x = layers.Conv2D(4, 3, activation="relu")(image)
    return (keras.Model(image, layers.Dense(5)(layers.GlobalAveragePooling2D()(x))),
            {"image": rng.normal(0, 1, (1, 8, 8, 3)).astype(np.float32)})


MODELS = {
    "mobilenet_v2": image_network(keras.applications.MobileNetV2),
    "resnet50": image_network(keras.applications.ResNet50),
    "densenet121": image_network(keras.applications.DenseNet121),
    "bert": bert,
    "lstm": lstm,
    "matmul_512": one_layer((512, 512), layers.Dense(512, use_bias=False)),
    "matmul_1024": one_layer((1024, 1024), layers.Dense(1024, use_bias=False)),
    "conv_3x3": one_layer((1, 56, 56, 64), layers.Conv2D(64, 3, padding="same", use_bias=False)),
    "softmax": one_layer((1024, 1024), layers.Softmax()),
    "layernorm": one_layer((1024, 1024), layers.LayerNormalization(epsilon=1e-6)),
    "tiny": tiny,
}
WITH_ONNX = {"mobilenet_v2", "resnet50", "densenet121"}


def freeze(model, inputs, folder):
    specs = [tf.TensorSpec(value.shape, value.dtype, name=name) for name, value in inputs.items()]
    function = tf.function(lambda *x: model(x if len(x) > 1 else x[0], training=False)).get_concrete_function(*specs)
    frozen = convert_variables_to_constants_v2(function)
    ends = {"inputs": {name: t.name for name, t in zip(inputs, frozen.inputs)}, "outputs": [t.name for t in frozen.outputs]}
    graph_def = frozen.graph.as_graph_def()
    with open(os.path.join(folder, "frozen.pb"), "wb") as f:
        f.write(graph_def.SerializeToString())
    return graph_def, ends


def signature_ends(inputs, folder):
    saved = saved_model_pb2.SavedModel()
    with open(os.path.join(folder, "saved_model", "saved_model.pb"), "rb") as f:
        saved.ParseFromString(f.read())
    signature = saved.meta_graphs[0].signature_def["serving_default"]
    (tensor,) = [info.name for info in signature.inputs.values()]  # all these networks have one input
    return {"inputs": dict.fromkeys(inputs, tensor), "outputs": [info.name for _, info in sorted(signature.outputs.items())]}


def export_onnx(graph_def, ends, folder):
    import tf2onnx
    images = list(ends["inputs"].values())
    proto, _ = tf2onnx.convert.from_graph_def(graph_def, input_names=images, output_names=ends["outputs"],
                                              inputs_as_nchw=images, opset=17)
    with open(os.path.join(folder, "model.onnx"), "wb") as f:
        f.write(proto.SerializeToString())


def make(name, folder):
    os.makedirs(folder, exist_ok=True)
    keras.utils.set_random_seed(SEED)
    model, inputs = MODELS[name](np.random.default_rng(SEED))
    model.export(os.path.join(folder, "saved_model"), verbose=False)
    np.savez(os.path.join(folder, "inputs.npz"), **inputs)
    graph_def, ends = freeze(model, inputs, folder)
    with open(os.path.join(folder, "ends.json"), "w") as f:
        json.dump({"frozen": ends, "saved_model": signature_ends(inputs, folder)}, f, indent=1)
    if name in WITH_ONNX:
        export_onnx(graph_def, ends, folder)
    with open(os.path.join(folder, "made"), "w") as f:
        f.write(f"TensorFlow {tf.__version__}, Keras {keras.__version__}, seed {SEED}\n")


def main():
    for name in sys.argv[2:] or MODELS:
        folder = os.path.join(sys.argv[1], name)
        if not os.path.exists(os.path.join(folder, "made")):
            print(f"making {name}", file=sys.stderr, flush=True)
            make(name, folder)
            keras.backend.clear_session()


if __name__ == "__main__":
    main()
