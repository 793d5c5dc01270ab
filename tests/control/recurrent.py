"""Recurrent networks of Keras: (name, function that makes the model, shape of the input)."""

import keras
from keras import layers


def sequential(*parts):
    return lambda: keras.Sequential([part() for part in parts])


LONG, SHORT = (2, 12, 5), (3, 4, 6)

NETWORKS = [
    ('LSTM', sequential(lambda: layers.LSTM(7)), LONG),
    ('LSTM sequences', sequential(lambda: layers.LSTM(7, return_sequences=True), lambda: layers.LSTM(3)), LONG),
    ('LSTM backwards', sequential(lambda: layers.LSTM(4, go_backwards=True, return_sequences=True)), SHORT),
    ('LSTM state', sequential(lambda: layers.LSTM(4, return_state=True)), SHORT),
    ('LSTM unrolled', sequential(lambda: layers.LSTM(4, unroll=True)), SHORT),
    ('GRU', sequential(lambda: layers.GRU(7)), LONG),
    ('GRU reset before', sequential(lambda: layers.GRU(5, reset_after=False, return_sequences=True)), SHORT),
    ('SimpleRNN', sequential(lambda: layers.SimpleRNN(6, return_sequences=True)), LONG),
    ('Bidirectional LSTM', sequential(lambda: layers.Bidirectional(layers.LSTM(4, return_sequences=True))), LONG),
    ('Bidirectional GRU', sequential(lambda: layers.Bidirectional(layers.GRU(4), merge_mode='sum')), SHORT),
    ('Masking', sequential(lambda: layers.Masking(0.0), lambda: layers.LSTM(4)), SHORT),
    (
        'stacked cells',
        sequential(lambda: layers.RNN([layers.LSTMCell(4), layers.GRUCell(3)], return_sequences=True)),
        SHORT,
    ),
    ('TimeDistributed', sequential(lambda: layers.TimeDistributed(layers.Dense(3)), lambda: layers.GRU(2)), SHORT),
]
