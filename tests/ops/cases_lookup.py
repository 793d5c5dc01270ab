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


def by_reference(writer, data):
    """The ops of the first version, whose handles are references."""

    def steps(make, fill, keys, values, default):
        t = make()
        find_ref = lambda keys: R.LookupTableFind(table_handle=t, keys=keys, default_value=default)
        size_ref = lambda: R.LookupTableSize(table_handle=t)

        def exported():
            e = R.LookupTableExport(table_handle=t, Tkeys=keys.dtype, Tvalues=values.dtype)
            return tf.reduce_all(tf.equal(find_ref(e.keys), e.values)), tf.size(e.keys)

        return in_order([size_ref] + [lambda f=f: f(t) for f in fill] + [lambda: find_ref(keys), size_ref, exported])

    for key, value in (('string', 'int64'), ('int64', 'string'), ('int64', 'float32')):
        k, v = tf.as_dtype(key), tf.as_dtype(value)
        keys, values = keys_of(data, key, 9), data.tensor(value, (9,))
        default = data.tensor(value, ())
        kinds = {
            'HashTable': [
                lambda t: R.InitializeTable(table_handle=t, keys=holders[0][:6], values=holders[1][:6]),
            ],
            'MutableHashTable': [
                lambda t: R.LookupTableInsert(table_handle=t, keys=holders[0][:6], values=holders[1][:6]),
                lambda t: R.LookupTableInsert(table_handle=t, keys=holders[0][2:8], values=holders[1][:6]),
            ],
            'MutableHashTableOfTensors': [
                lambda t: R.LookupTableImport(table_handle=t, keys=holders[0][:6], values=holders[1][:6]),
            ],
        }
        for name, fill in kinds.items():
            vectors = name.endswith('OfTensors')
            v_in, d_in = (np.stack([values, values[::-1]], 1), default.repeat(2)) if vectors else (values, default)
            holders = []

            def build(keys, values, default):
                holders[:] = [keys, values]
                attrs = {'value_shape': [2]} if vectors else {}
                make = lambda: getattr(R, name)(key_dtype=k, value_dtype=v, shared_name='r', **attrs)
                return steps(make, fill, keys, values, default)

            writer.add_graph('%s %s %s' % (name, key, value), build, [keys, v_in, d_in])
    path = os.path.join(os.path.dirname(os.path.abspath(writer.path)), 'references.txt')
    with open(path, 'wb') as file:
        file.write(b'a\nb\nc\n')

    def from_file(path, keys):
        make = lambda: R.HashTable(key_dtype=tf.string, value_dtype=tf.int64, shared_name='f')
        fill = lambda t: R.InitializeTableFromTextFile(table_handle=t, filename=path, key_index=-2, value_index=-1)
        return steps(make, [fill], keys, tf.zeros([1], tf.int64), tf.constant(-1, tf.int64))

    writer.add_graph('HashTable of a file', from_file, [np.array(path.encode(), dtype=object), np.array([b'c', b'x'])])
    not_ready = lambda x: R.LookupTableFind(
        table_handle=R.HashTable(key_dtype=tf.int64, value_dtype=tf.int64), keys=x, default_value=i64(1)
    )
    writer.add_graph('HashTable that is not initialized', not_ready, [i64([1])])


DENSE = [('int64', v) for v in VALUES[:2] + VALUES[3:]] + [('string', v) for v in ('int64', 'float32', 'bool')]
DENSE += [('int32', v) for v in ('int32', 'float32', 'float64')]


def dense(writer, data):
    for key, value in DENSE:
        k, v = tf.as_dtype(key), tf.as_dtype(value)
        for shape in ((), (2,)):
            keys = keys_of(data, key, 40)
            keys = keys[10:] if not shape else np.stack([keys[10:], keys[9:-1]], 1)
            values, default = data.tensor(value, (30, 3)), data.tensor(value, (3,))
            empty, deleted = keys_of(data, key, 2)
            empty, deleted = np.broadcast_to(empty, shape), np.broadcast_to(deleted, shape)
            for name in ('MutableDenseHashTableV2', 'AnonymousMutableDenseHashTable'):
                for vectors in (False, True):

                    def build(keys, values, default, empty, deleted):
                        options = {'shared_name': 'd'} if name.endswith('V2') else {}
                        if vectors:
                            options['value_shape'] = [3]
                        else:
                            values, default = values[:, 0], default[0]
                        t = getattr(R, name)(
                            empty_key=empty, deleted_key=deleted, value_dtype=v, initial_num_buckets=16,
                            **options
                        )  # fmt: skip

                        def restored():
                            e = R.LookupTableExportV2(table_handle=t, Tkeys=k, Tvalues=v)
                            with tf.control_dependencies([R.LookupTableImportV2(table_handle=t, keys=e.keys, values=e.values)]):
                                return find(t, keys, default), size(t), tf.shape(e.keys)[1:], tf.shape(e.values)[1:]

                        return in_order(
                            [
                                lambda: (find(t, keys, default), size(t)),
                                lambda: R.LookupTableInsertV2(table_handle=t, keys=keys[:20], values=values[:20]),
                                lambda: (find(t, keys, default), find(t, keys[7:8], default), size(t)),
                                lambda: R.LookupTableRemoveV2(table_handle=t, keys=keys[5:25:3]),
                                lambda: (find(t, keys, default), size(t)),
                                lambda: R.LookupTableInsertV2(table_handle=t, keys=keys[3:], values=values[:27]),
                                lambda: (find(t, keys, default), size(t)),
                                restored,
                            ]
                        )

                    writer.add_graph('%s %s %s' % (name, key, value), build, [keys, values, default, empty, deleted])


def dense_refused(writer):
    def of(build, **attrs):
        def graph(x):
            attrs.setdefault('empty_key', i64(0))
            attrs.setdefault('deleted_key', i64(-1))
            t = R.MutableDenseHashTableV2(value_dtype=tf.int64, **attrs)
            return build(t, x)

        return graph

    run = lambda op: after(op, lambda: tf.constant(1))
    cases = {
        'fine': of(lambda t, x: find(t, x, i64(5))),
        'equal keys': of(lambda t, x: size(t), deleted_key=i64(0)),
        'keys of two shapes': of(lambda t, x: size(t), deleted_key=i64([0])),
        'keys that are matrices': of(lambda t, x: size(t), empty_key=i64([[0]]), deleted_key=i64([[1]])),
        'buckets': of(lambda t, x: size(t), initial_num_buckets=12),
        'few buckets': of(lambda t, x: size(t), initial_num_buckets=2),
        'load': of(lambda t, x: size(t), max_load_factor=1.5),
        'find the empty key': of(lambda t, x: find(t, x - 3, i64(5))),
        'find the deleted key': of(lambda t, x: find(t, x - 4, i64(5))),
        'insert the empty key': of(lambda t, x: run(R.LookupTableInsertV2(table_handle=t, keys=x - 3, values=x))),
        'insert the deleted key': of(lambda t, x: run(R.LookupTableInsertV2(table_handle=t, keys=x - 4, values=x))),
        'remove the empty key': of(lambda t, x: run(R.LookupTableRemoveV2(table_handle=t, keys=x - 3))),
        'keys of another shape': of(lambda t, x: find(t, x, i64(5)), empty_key=i64([0, 0, 0]), deleted_key=i64([1, 1, 1])),
        'values of another shape': of(lambda t, x: run(R.LookupTableInsertV2(table_handle=t, keys=x, values=x[:1]))),
    }
    for name, build in cases.items():
        writer.add_graph('dense: ' + name, build, [i64([3, 4])])


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
    by_reference(writer, data)
    dense(writer, data)
    dense_refused(writer)
    names(writer)
    refused(writer)
    files(writer, data)


FAMILIES = {'tables': tables}
