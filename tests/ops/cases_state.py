"""Cases for the stateless ops of state.so and control.so."""
import numpy as np


def names(writer, data, scale):
    s = data.tensor
    writer.add('ShardedFilename', {'basename': np.array(b'/some/prefix', dtype=object), 'shard': np.int32(3), 'num_shards': np.int32(12)})
    writer.add('ShardedFilename', {'basename': np.array(b'', dtype=object), 'shard': np.int32(0), 'num_shards': np.int32(1)})
    for separator in ('', ', ', 'long separator between the parts'):
        writer.add('StringJoin', {'inputs': [s('string', (2, 3)), s('string', ()), s('string', (2, 3))]}, {'separator': separator})
        writer.add('StringJoin', {'inputs': [s('string', ())]}, {'separator': separator})
        writer.add('StringJoin', {'inputs': [s('string', ()), s('string', ())]}, {'separator': separator})
        writer.add('StringJoin', {'inputs': [s('string', (0,)), s('string', (0,))]}, {'separator': separator})
    writer.add('StringJoin', {'inputs': [s('string', (2,)), s('string', (3,))]}, must_fail=True)
    texts = np.array([b's3://bucket/x', b'/local/file', b'', b's3://', b'xs3://'], dtype=object)
    for pattern in ('^s3://.*', '.*', '[a-z]+', '(a|/local/).*', ''):
        writer.add('StaticRegexFullMatch', {'input': texts}, {'pattern': pattern})


def checks(writer, data, scale):
    for condition in (True, False):
        writer.add('Assert', {'condition': np.bool_(condition), 'data': [np.float32([1, 2, 3, 4]), np.array(b'text', dtype=object)]}, {'summarize': 2})
    writer.add('Assert', {'condition': np.array([True]), 'data': [np.float32(1)]}, {'summarize': 3})


FAMILIES = {'names': names, 'checks': checks}
