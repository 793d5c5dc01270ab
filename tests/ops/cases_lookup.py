"""Cases for lookup.so: graphs that make, fill and read tables, since handles cannot be fed or fetched."""

import os

import numpy as np

from case_writer import tf

R = tf.raw_ops
i64 = np.int64
KEYS = ['int32', 'int64', 'string']
VALUES = ['int32', 'int64', 'string', 'float32', 'float64', 'bool']
STATIC = (
    {('string', v) for v in VALUES}
    | {('int64', v) for v in VALUES[:5]}
    | {('int32', v) for v in ('string', 'int32', 'float32', 'float64')}
)
MUTABLE = {('string', v) for v in VALUES if v != 'string'} | {('int64', v) for v in VALUES[:5]}
MUTABLE |= {('int32', v) for v in ('int32', 'float32', 'float64')}


def keys_of(data, dtype, count):
    if dtype == 'string':
        texts = [
            b'',
            b'a',
            b'\x00',
            b'a\x00',
            b'snow \xe2\x98\x83',
            b'a key that is longer than the small form of a string',
        ]
        return np.array((texts + [b'key %d' % i for i in range(count)])[:count], dtype=object)
    numbers = np.array([0, -1, 1, np.iinfo(dtype).min, np.iinfo(dtype).max] + list(range(7, 7 + 3 * count, 3)), dtype)
    return numbers[:count]


def after(op, build):
    """What build() makes, after the op has run."""
    with tf.control_dependencies([op]):
        return build()


def in_order(steps):
    """The values of steps that have them, each step made after the one before it has run."""
    values, last = [], None
    for step in steps:
        made = step() if last is None else after(last, step)
        if isinstance(made, tf.Operation):
            last = made
        else:
            made = [tf.identity(v) for v in tf.nest.flatten(made)]
            values += made
            last = tf.group(made)
    return values


def find(t, keys, default):
    return R.LookupTableFindV2(table_handle=t, keys=keys, default_value=default)


def size(t):
    return R.LookupTableSizeV2(table_handle=t)


def export_checked(t, keys, values, default):
    """The keys that an export gives have the values that it gives, and are so many; their order is the table's own."""
    e = R.LookupTableExportV2(table_handle=t, Tkeys=keys, Tvalues=values)
    return tf.reduce_all(tf.equal(find(t, e.keys, default), e.values)), tf.size(e.keys)


def static(writer, data):
    for key, value in sorted(STATIC):
        k, v = tf.as_dtype(key), tf.as_dtype(value)
        keys, values = keys_of(data, key, 9), data.tensor(value, (9,))
        default = data.tensor(value, ())

        def filled(keys, values, default):
            t = R.HashTableV2(key_dtype=k, value_dtype=v, shared_name='t')
            return in_order(
                [
                    lambda: size(t),
                    lambda: R.InitializeTableV2(table_handle=t, keys=keys[:6], values=values[:6]),
                    lambda: find(t, tf.reshape(keys, [3, 3]), default),
                    lambda: find(t, keys[7], default),
                    lambda: find(t, keys[:0], default),
                    lambda: size(t),
                    lambda: export_checked(t, k, v, default),
                    lambda: R.InitializeTableV2(table_handle=t, keys=keys[:6], values=values[:6]),
                    lambda: R.LookupTableImportV2(table_handle=t, keys=keys[3:9], values=values[3:9]),
                    lambda: find(t, keys, default),
                    lambda: find(t, keys, values[::-1]),
                ]
            )

        writer.add_graph('HashTableV2 %s %s' % (key, value), filled, [keys, values, default])

        def imported(keys, values, default):
            t = R.AnonymousHashTable(key_dtype=k, value_dtype=v)
            return in_order(
                [
                    lambda: R.LookupTableImportV2(table_handle=t, keys=keys[:6], values=values[:6]),
                    lambda: (find(t, keys, default), size(t)),
                ]
            )

        writer.add_graph('AnonymousHashTable %s %s' % (key, value), imported, [keys, values, default])


def mutable(writer, data):
    for key, value in sorted(MUTABLE):
        k, v = tf.as_dtype(key), tf.as_dtype(value)
        keys, values = keys_of(data, key, 40), data.tensor(value, (40, 2))
        default = data.tensor(value, (2,))

        for name in (
            'MutableHashTableV2',
            'AnonymousMutableHashTable',
            'MutableHashTableOfTensorsV2',
            'AnonymousMutableHashTableOfTensors',
        ):
            of_tensors = name.endswith('OfTensors') or name.endswith('OfTensorsV2')

            def changed(keys, values, default):
                options = {'shared_name': 't'} if name.endswith('V2') else {}
                if of_tensors:
                    options['value_shape'] = [2]
                t = getattr(R, name)(key_dtype=k, value_dtype=v, **options)
                values = values if of_tensors else values[:, 0]
                default = default if of_tensors else default[0]
                each = tf.broadcast_to(values[3], tf.shape(values))
                return in_order(
                    [
                        lambda: (find(t, keys, default), size(t)),
                        lambda: R.LookupTableInsertV2(table_handle=t, keys=keys[:30], values=values[:30]),
                        lambda: (find(t, keys, default), find(t, keys, each), size(t)),
                        lambda: R.LookupTableRemoveV2(table_handle=t, keys=keys[10:37:3]),
                        lambda: (find(t, keys, default), find(t, keys[20], default), size(t)),
                        lambda: R.LookupTableInsertV2(table_handle=t, keys=keys[5:25], values=values[15:35]),
                        lambda: (find(t, keys, default), size(t), export_checked(t, k, v, default)),
                        lambda: R.LookupTableRemoveV2(table_handle=t, keys=keys),
                        lambda: (find(t, keys, default), size(t)),
                        lambda: R.LookupTableInsertV2(table_handle=t, keys=keys[:0], values=values[:0]),
                        lambda: R.LookupTableInsertV2(table_handle=t, keys=keys[2], values=values[2]),
                        lambda: R.LookupTableInsertV2(
                            table_handle=t,
                            keys=tf.reshape(keys[:4], [2, 2]),
                            values=tf.reshape(values[:4], [2, 2, 2] if of_tensors else [2, 2]),
                        ),
                        lambda: (find(t, tf.reshape(keys[:6], [3, 2]), default), size(t)),
                        lambda: R.LookupTableImportV2(table_handle=t, keys=keys[30:], values=values[30:]),
                        lambda: (find(t, keys, default), size(t), export_checked(t, k, v, default)),
                        lambda: R.LookupTableImportV2(table_handle=t, keys=keys[:0], values=values[:0]),
                        lambda: (find(t, keys, default), size(t)),
                    ]
                )

            writer.add_graph('%s %s %s' % (name, key, value), changed, [keys, values, default])


def table(name='HashTableV2', key=tf.int64, value=tf.string, shared='t', **attrs):
    return getattr(R, name)(key_dtype=key, value_dtype=value, shared_name=shared, **attrs)


def fill(t, keys=(1, 2), values=('a', 'b')):
    return R.InitializeTableV2(table_handle=t, keys=i64(keys), values=list(values))


def names(writer):
    shared = lambda x: in_order(
        [lambda: fill(table()), lambda: (find(table(), x, 'none'), size(table(shared='other')))]
    )
    writer.add_graph('tables share by name', shared, [i64([1, 3])])
    contained = lambda x: in_order(
        [lambda: fill(table(container='c')), lambda: (size(table(container='c')), size(table()))]
    )
    writer.add_graph('tables share in a container', contained, [i64([1])])
    apart = lambda x: in_order(
        [lambda: fill(table(shared='')), lambda: (size(table(shared='')), size(table(shared='')))]
    )
    writer.add_graph('tables without a name are apart', apart, [i64([1])])
    mixed = lambda x: in_order([lambda: fill(table()), lambda: size(table('MutableHashTableV2'))])
    writer.add_graph('a mutable handle to a static table', mixed, [i64([1])])
    anonymous = lambda x: (
        R.LookupTableSizeV2(table_handle=R.AnonymousHashTable(key_dtype=tf.int64, value_dtype=tf.int64)),
    )
    writer.add_graph('anonymous', anonymous, [i64([1])])


def refused(writer):
    twice = lambda first, second: lambda x: in_order(
        [lambda: first(table()), lambda: second(table()), lambda: size(table())]
    )
    mutable_table = lambda **a: table('MutableHashTableV2', shared='m', **a)
    insert = lambda t, k, v: R.LookupTableInsertV2(table_handle=t, keys=k, values=v)
    run = lambda op: after(op, lambda: tf.constant(1))
    builds = {
        'find before it is filled': lambda x: find(table(), x, 'd'),
        'filled with more': twice(fill, lambda t: fill(t, (1, 2, 3), ('a', 'b', 'c'))),
        'imported over less': twice(fill, lambda t: R.LookupTableImportV2(table_handle=t, keys=x64([1]), values=['q'])),
        'two values for a key': lambda x: run(fill(table(), (1, 1), ('a', 'b'))),
        'the same pair twice': lambda x: in_order([lambda: fill(table(), (1, 1), ('a', 'a')), lambda: size(table())]),
        'empty': lambda x: run(R.InitializeTableV2(table_handle=table(), keys=x[:0], values=tf.fill([0], 'a'))),
        'insert into a static one': lambda x: run(insert(table(), x, ['q', 'r'])),
        'remove from a static one': lambda x: run(R.LookupTableRemoveV2(table_handle=table(), keys=x)),
        'initialize a mutable one': lambda x: run(fill(mutable_table())),
        'other key dtype': lambda x: find(mutable_table(), tf.cast(x, tf.int32), 'd'),
        'other value dtype': lambda x: find(mutable_table(), x, 1.0),
        'other dtype under the name': lambda x: in_order([lambda: size(table()), lambda: size(table(value=tf.int64))]),
        'default of another shape': lambda x: find(mutable_table(), x, ['a', 'b', 'c']),
        'default vector of one': lambda x: find(mutable_table(), x, ['a']),
        'values of another shape': lambda x: run(insert(mutable_table(), x, [['a', 'b']])),
        'fewer values': lambda x: run(insert(mutable_table(), x, ['a'])),
        'other insert dtype': lambda x: run(insert(mutable_table(), x, [1.0, 2.0])),
        'no such pair of dtypes': lambda x: size(table(key=tf.float32)),
        'scalars as tensors': lambda x: size(table('MutableHashTableOfTensorsV2')),
        'matrices as tensors': lambda x: size(table('MutableHashTableOfTensorsV2', value_shape=[2, 2])),
        'no table': lambda x: size(R.VarHandleOp(dtype=tf.float32, shape=[])),
    }
    x64 = lambda v: tf.constant(v, tf.int64)
    for name, build in builds.items():
        writer.add_graph('table: ' + name, build, [i64([1, 2])])


def files(writer, data):
    folder = os.path.dirname(os.path.abspath(writer.path))

    def text_file(name, content):
        path = os.path.join(folder, name)
        with open(path, 'wb') as file:
            file.write(content)
        return path

    words = text_file('words.txt', b'the\nquick\r\nbrown fox\n\xe2\x98\x83\nlast')
    columns = text_file('columns.tsv', b'a\t1\t0.5\nb\t-2\t1e3\nc \t 3 \tnan\n')
    commas = text_file('commas.csv', b'x,7\ny,,8\nz,9,,\n')
    numbers = text_file('numbers.txt', b'5\n-6\n 7 \n')
    odd = text_file('odd.txt', b'a\tx\n')
    empty_line = text_file('empty_line.txt', b'a\n\nb\n')
    nothing = text_file('nothing.txt', b'')
    long_key = text_file('long.txt', b'x' * 5000 + b'\ny\n')
    same = text_file('same.txt', b'a\na\n')

    def case(path, key, value, key_index, value_index, query, **attrs):
        k, v = tf.as_dtype(key), tf.as_dtype(value)

        def build(path, query):
            t = R.HashTableV2(key_dtype=k, value_dtype=v, shared_name='file')
            default = tf.constant(b'none' if value == 'string' else -1, v)
            init = lambda: R.InitializeTableFromTextFileV2(
                table_handle=t, filename=path, key_index=key_index, value_index=value_index, **attrs
            )
            return in_order([init, lambda: (find(t, query, default), size(t)), init, lambda: size(t)])

        name = 'file %s %s->%s %d %d %s' % (os.path.basename(path), key, value, key_index, value_index, attrs)
        query = np.array([q.encode() for q in query], dtype=object) if key == 'string' else np.asarray(query, key)
        writer.add_graph(name, build, [np.array(path.encode(), dtype=object), query])

    text = ['the', 'quick', 'brown fox', '\u2603', 'last', 'a', 'b', 'c ', 'x', 'y', '', 'fox']
    case(words, 'string', 'int64', -2, -1, text)
    case(words, 'int64', 'string', -1, -2, range(-1, 8))
    for offset in (3, -2):
        case(words, 'string', 'int64', -2, -1, text, offset=offset)
        case(words, 'int64', 'string', -1, -2, range(-3, 8), offset=offset)
        case(numbers, 'int32', 'int32', -2, -2, range(-9, 9), offset=offset)
        case(numbers, 'int64', 'int64', -2, -1, range(-9, 9), offset=offset)
    for size_of in (0, 1, 3, 5, 6):
        case(words, 'string', 'int64', -2, -1, text, vocab_size=size_of)
    for value in ('string', 'int32', 'int64', 'float32', 'float64'):
        case(columns, 'string', value, 0, 1, text)
        case(columns, 'string', value, 0, 2, text)
        case(columns, 'string', value, -2, 1, text)
        case(columns, 'string', value, 0, 3, text)
        case(columns, 'string', value, 0, -2, text)
        case(columns, 'string', value, 0, -1, text)
        case(odd, 'string', value, 0, 1, text)
    case(columns, 'int64', 'float32', 1, 2, [1, -2, 3, 4])
    case(columns, 'int32', 'string', 1, 0, [1, -2, 3, 4])
    case(columns, 'int32', 'string', -1, 0, [1, -2, 3, 4])
    case(commas, 'string', 'string', 0, 1, text, delimiter=',')
    case(commas, 'string', 'string', 0, 2, text, delimiter=',')
    case(commas, 'string', 'string', 0, 0, text, delimiter=' ')
    case(commas, 'string', 'string', 0, 1, text, delimiter=', ')
    case(commas, 'string', 'string', 0, 1, text, delimiter='')
    case(empty_line, 'string', 'int64', -2, -1, text)
    case(empty_line, 'string', 'int64', -2, -1, text, vocab_size=1)
    case(nothing, 'string', 'int64', -2, -1, text)
    case(long_key, 'string', 'int64', -2, -1, ['x' * 5000, 'y', 'x' * 4999])
    case(same, 'string', 'int64', -2, -1, text)
    case(same, 'string', 'string', -2, -2, text)
    case(words + '.missing', 'string', 'int64', -2, -1, text)
    case(folder, 'string', 'int64', -2, -1, text)
    case(words, 'string', 'bool', -2, 0, text)
    case(words, 'string', 'float32', -2, -2, text)


def tables(writer, data, scale):
    static(writer, data)
    mutable(writer, data)
    names(writer)
    refused(writer)
    files(writer, data)


FAMILIES = {'tables': tables}
