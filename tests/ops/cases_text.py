"""Cases for text.so."""

import numpy as np

from case_writer import FLOATS, NUMBERS, SIGNED, tf

R = tf.raw_ops
i32, i64 = np.int32, np.int64

WORDS = [
    b'',
    b' ',
    b'a',
    b'  hello world \t\n',
    b'The quick brown fox jumps over the lazy dog, as always',
    b'\x00inside\x00',
    b'\xff\xfe\x80',
    'Stra\u00dfe \u00c9cole \u01c5 \ufb01'.encode(),
    'ΟΔΥΣΣΕΥΣ ΑΣ. Σ'.encode(),
    '\u0130stanbul \u212a \U0001f600'.encode(),
    b'caf\xc3',
    b'\xed\xa0\x80\xf4\x90\x80\x80\xc0\x80',
    b'x' * 70,
    b'\v\f\r \x1c',
]


def strings(values):
    return np.array([v.encode() if isinstance(v, str) else v for v in values], dtype=object)


def words(data, shape):
    n = int(np.prod(shape))
    return np.array([data.choice(WORDS) for _ in range(n)], dtype=object).reshape(shape)


def scalar(text):
    return np.array(text.encode() if isinstance(text, str) else text, dtype=object)


def plain(writer, data, scale):
    everything = strings(WORDS)
    shapes = [(), (0,), (3,), (2, 0), (2, 3, 2)]
    for op, attrs in (
        ('StringStrip', [{}]),
        ('StringLower', [{}, {'encoding': 'utf-8'}]),
        ('StringUpper', [{}, {'encoding': 'utf-8'}]),
        ('StringLength', [{}, {'unit': 'BYTE'}, {'unit': 'UTF8_CHAR'}]),
        ('EncodeBase64', [{'pad': True}, {}]),
    ):
        for attr in attrs:
            writer.add(op, {'input': everything}, attr)
            for shape in shapes:
                writer.add(op, {'input': words(data, shape)}, attr)
    letters = [chr(c) for c in range(1, 0x2FFF) if c not in (0x2C2F, 0x2C5F)]
    letters += [chr(c) for c in range(0xA640, 0xABC0) if not 0xA7C0 <= c <= 0xA7D9] + [
        chr(c) for c in range(0xFB00, 0xFF5F)
    ]
    letters += [
        chr(c) for c in list(range(0x10400, 0x10500)) + list(range(0x10C80, 0x10D00)) + list(range(0x1E900, 0x1E950))
    ]
    sigmas = ['ΑΣ', 'ΑΣ.', 'Σ', 'ΑΣΑ', "ΑΣ'Α", 'A\u00adΣ', '1Σ', 'Α:Σ', 'ΑΣ\u0301Α', 'Σ Σ', 'aΣbΣ', 'ΑΣ1', 'aΣ\x00b']
    for op in ('StringLower', 'StringUpper'):
        writer.add(op, {'input': strings(letters)}, {'encoding': 'utf-8'}, label='letters')
        writer.add(op, {'input': strings(sigmas)}, {'encoding': 'utf-8'}, label='sigmas')
        writer.add(op, {'input': everything}, {'encoding': 'latin'}, must_fail=True)
        writer.add(op, {'input': everything}, {'encoding': 'UTF-8'}, must_fail=True)
    good = ['YWI', 'YWI=', 'YWJj', 'YW-_', 'YW', 'YW==', '', 'YWJjZA==', 'YX', 'YWJjZB']
    writer.add('DecodeBase64', {'input': strings(good)})
    for bad in ['YW+/', 'Y', 'YW=', 'YWI==', '=', 'YW\n', 'a=bc', '====', 'Y===', 'YWJj====', 'AA=A']:
        writer.add('DecodeBase64', {'input': strings([bad])})
    for shape in shapes:
        writer.add('DecodeBase64', {'input': np.full(shape, b'YWJj', dtype=object)})


def substr(writer, data, scale):
    texts = [b'', b'hello', b'snow \xe2\x98\x83 man', b'\x80\x80h\xff\xc3', b'a string that is not so short']
    for _ in range(60 * scale):
        unit = data.choice(['BYTE', 'UTF8_CHAR'])
        dtype = data.choice(['int32', 'int64'])
        shape = data.choice([(), (1,), (3,), (2, 3)])
        s = np.array([data.choice(texts) for _ in range(int(np.prod(shape)))], dtype=object).reshape(shape)
        pos_shape = data.choice([(), shape])
        low = data.choice([0, -3, -8])
        pos = np.asarray(data.rng.integers(low, 3 if low else 6, pos_shape), dtype)
        length = np.asarray(data.rng.integers(data.choice([0, -2]), 7, pos_shape), dtype)
        writer.add('Substr', {'input': s, 'pos': pos, 'len': length}, {'unit': unit})
    s = strings(['hello', 'world'])
    for dtype in ('int32', 'int64'):
        for unit in ('BYTE', 'UTF8_CHAR'):
            n = lambda v: np.asarray(v, dtype)
            for pos, length in (
                ([[0], [1], [2]], [[3], [2], [1]]),
                ([1, 2], [2, 1]),
                ([1], [2]),
                ([[1, 2]], [[2, 9]]),
                ([0, 1, 2], [1, 1, 1]),
                ([], []),
                ([1, 2], [1]),
                (1, [1, 2]),
                ([[[1]]], [[[2]]]),
                (6, 1),
                (-6, 1),
                (5, 3),
                (-5, 2),
                (np.iinfo(dtype).min, 1),
                (np.iinfo(dtype).max, 1),
                (0, np.iinfo(dtype).max),
                (1, np.iinfo(dtype).max),
                (0, -1),
            ):
                writer.add('Substr', {'input': s, 'pos': n(pos), 'len': n(length)}, {'unit': unit})
            writer.add(
                'Substr',
                {'input': strings(['a', 'b', 'c']).reshape(3, 1), 'pos': n([0, 1]), 'len': n([1, 1])},
                {'unit': unit},
            )
            writer.add('Substr', {'input': strings([]), 'pos': n(9), 'len': n(1)}, {'unit': unit})
            writer.add('Substr', {'input': s, 'pos': n(1), 'len': n(2)}, {'unit': unit}, shapes_known=False)


def splits(writer, data, scale):
    texts = [
        '',
        ' ',
        'a b  c',
        ' lead',
        'trail ',
        'a,b, c,,d',
        ',',
        ',,',
        '\tt\n\x0b\x0c\rx',
        'aaa',
        'aXbXXc',
        'nothing',
        '\x00a\x00',
    ]
    for sep in ['', ' ', ',', ', ', 'XX', 'aa', '\x00', 'a string that is longer than the text']:
        for most in (-1, 0, 1, 2, -7):
            writer.add('StringSplitV2', {'input': strings(texts), 'sep': scalar(sep)}, {'maxsplit': most})
        for skip in (True, False):
            writer.add('StringSplit', {'input': strings(texts), 'delimiter': scalar(sep)}, {'skip_empty': skip})
    for values in ([], ['']):
        writer.add('StringSplitV2', {'input': strings(values), 'sep': scalar(' ')})
        writer.add('StringSplit', {'input': strings(values), 'delimiter': scalar(' ')})
    for bad in (scalar('a b'), strings(['a b']).reshape(1, 1)):
        writer.add('StringSplitV2', {'input': bad, 'sep': scalar(' ')})
        writer.add('StringSplit', {'input': bad, 'delimiter': scalar(' ')})
    writer.add('StringSplitV2', {'input': strings(['a']), 'sep': strings([' '])})
    writer.add('StringSplit', {'input': strings(['a']), 'delimiter': strings([' '])})
    writer.add('StringSplitV2', {'input': words(data, (50,)), 'sep': scalar('')}, shapes_known=False)


def ngrams(writer, data, scale):
    def case(values, rows, dtype='int64', **attrs):
        options = {
            'separator': '|',
            'ngram_widths': [2],
            'left_pad': '',
            'right_pad': '',
            'pad_width': 0,
            'preserve_short_sequences': False,
        }
        options.update(attrs)
        writer.add('StringNGrams', {'data': strings(values), 'data_splits': np.asarray(rows, dtype)}, options)

    abc = ['aa', 'bb', 'cc', 'dd', 'ee', 'ff']
    for dtype in ('int32', 'int64'):
        for widths in ([1], [2], [3], [1, 2], [2, 1, 4], [7], []):
            for pad in (0, 1, 2, -1, 5):
                for keep in (False, True):
                    case(
                        abc,
                        [0, 4, 4, 5, 6],
                        dtype,
                        ngram_widths=widths,
                        pad_width=pad,
                        left_pad='LP',
                        right_pad='RP',
                        preserve_short_sequences=keep,
                    )
        for rows in (
            [0],
            [],
            [0, 6],
            [1, 6],
            [0, 5],
            [0, 7],
            [0, 4, 3, 6],
            [0, 6, 6, 6],
            [-1, 6],
            [0, -1, 6],
            [0, 2**31 - 1],
        ):
            case(abc, rows, dtype)
            case([], rows, dtype, pad_width=-1, left_pad='L', right_pad='R')
        case([], [0, 0, 0], dtype, pad_width=2, left_pad='L')
        case(abc, [0, 6], dtype, ngram_widths=[0])
        case(abc, [0, 6], dtype, ngram_widths=[2, -1])
        case(abc, [0, 6], dtype, separator='', left_pad='x', right_pad='', pad_width=-1, ngram_widths=[3])
    for _ in range(10 * scale):
        rows = np.cumsum([0] + [int(data.rng.integers(0, 6)) for _ in range(5)])
        case(
            list(words(data, (int(rows[-1]),))),
            rows,
            ngram_widths=[int(data.rng.integers(1, 5))],
            pad_width=int(data.rng.integers(-1, 4)),
            left_pad='<',
            right_pad='>',
            preserve_short_sequences=data.flip(),
        )


def joins(writer, data, scale):
    s = data.tensor
    for separator in ('', ', ', 'long separator between the parts'):
        three = [s('string', (2, 3)), s('string', ()), s('string', (2, 3))]
        writer.add('StringJoin', {'inputs': three}, {'separator': separator})
        writer.add('StringJoin', {'inputs': [s('string', ())]}, {'separator': separator})
        writer.add('StringJoin', {'inputs': [s('string', ()), s('string', ())]}, {'separator': separator})
        writer.add('StringJoin', {'inputs': [s('string', (0,)), s('string', (0,))]}, {'separator': separator})
        writer.add('StringJoin', {'inputs': three}, {'separator': separator}, shapes_known=False)
    writer.add('StringJoin', {'inputs': [s('string', (2,)), s('string', (3,))]}, must_fail=True)
    for shape, axes in (
        ((2, 3), [0]),
        ((2, 3), [1]),
        ((2, 3), [-1]),
        ((2, 3), [0, 1]),
        ((2, 3), [1, 0]),
        ((2, 3), []),
        ((2, 3, 4), [0, 2]),
        ((2, 3, 4), [2, 0]),
        ((2, 3, 4), [2, 0, 1]),
        ((2, 3, 4), [-1, -3]),
        ((0, 3), [0]),
        ((0, 3), [1]),
        ((2, 0), [1]),
        ((2, 0), [0, 1]),
        ((), []),
        ((), [0]),
        ((3,), [1]),
        ((3,), [-2]),
        ((3,), [0, 0]),
        ((3,), [0, -1]),
    ):
        for keep in (False, True):
            attrs = {'keep_dims': keep, 'separator': data.choice(['', '-'])}
            inputs = {'inputs': words(data, shape), 'reduction_indices': i32(axes).reshape(-1)}
            writer.add('ReduceJoin', inputs, attrs, constants=data.choice([(), ('reduction_indices',)]))
    writer.add('ReduceJoin', {'inputs': words(data, (2, 3)), 'reduction_indices': i32(1)})
    for ids, number in (('int32', 'int32'), ('int64', 'int64'), ('int32', 'int64')):
        for shape, segments, count in (
            ((3,), [0, 1, 0], 2),
            ((3,), [0, 1, 0], 5),
            ((3,), [0, -1, 0], 2),
            ((3,), [0, 3, 0], 3),
            ((2, 2), [0, 0], 1),
            ((2, 2), [[0, 0], [1, 2]], 3),
            ((2, 2), [[0, 0]], 3),
            ((2, 2), [1, 0, 1], 3),
            ((2, 2, 3), [[1, 0], [1, 1]], 2),
            ((2, 0), [0, 1], 2),
            ((0,), [], 2),
            ((1,), [0], 0),
            ((1,), [0], -1),
            ((), 0, 1),
            ((2,), 0, 1),
            ((), [0], 1),
            ((4,), [3, 2, 1, 0], 4),
        ):
            inputs = {
                'inputs': words(data, shape),
                'segment_ids': np.asarray(segments, ids),
                'num_segments': np.asarray(count, number),
            }
            writer.add('UnsortedSegmentJoin', inputs, {'separator': data.choice(['', ', '])})
    inputs = {'inputs': words(data, (2,)), 'segment_ids': i32([0, 0]), 'num_segments': i32([1])}
    writer.add('UnsortedSegmentJoin', inputs)


NUMERALS = [
    '1',
    ' 1 ',
    '1e5',
    'nan',
    '-inf',
    'Infinity',
    '+3',
    '0x10',
    '',
    ' ',
    '1 2',
    '1\x00',
    '1e400',
    '-0',
    '3.7',
    '99999999999',
]
NUMERALS += [
    '-1',
    '1.',
    '.5',
    '1e-400',
    'nan(12)',
    'iNf',
    '-nan',
    '0x1p3',
    '+-3',
    '1f',
    '18446744073709551615',
    '18446744073709551616',
]
NUMERALS += [
    '-9223372036854775808',
    '-9223372036854775809',
    '9223372036854775807',
    '9223372036854775808',
    '1_0',
    '\t5\n',
    '-0x10',
    '4294967296',
]
NUMERALS += [
    '4294967295',
    '2147483647',
    '2147483648',
    '-2147483648',
    '-2147483649',
    '+',
    '-',
    '1e',
    '00012',
    '0X1F',
    '.',
    'e5',
    '1e+',
    '1e5 x',
]
NUMERALS += [
    '3.4028235e38',
    '3.4028236e38',
    '1.1754943508e-38',
    '1e-45',
    '0.1',
    '16777217',
    '- 1',
    '1-',
    '\x0b7\x0c',
    'inf inity',
    '1' * 400,
    '1,000',
]


def numbers(writer, data, scale):
    for name in ('float32', 'float64', 'int32', 'int64', 'uint32', 'uint64'):
        attrs = {'out_type': tf.as_dtype(name)}
        for text in NUMERALS:
            writer.add('StringToNumber', {'string_tensor': scalar(text)}, attrs, tolerance=(0, 0))
        for shape in [(0,), (2, 3), (2, 0)]:
            writer.add('StringToNumber', {'string_tensor': np.full(shape, b' 12 ', dtype=object)}, attrs)
        writer.add('StringToNumber', {'string_tensor': strings(['1', '2', 'x'])}, attrs)
    options = [
        {},
        {'precision': 3},
        {'precision': 0},
        {'scientific': True},
        {'shortest': True},
        {'width': 10},
        {'width': 0},
        {'width': 12, 'fill': '0'},
        {'width': 12, 'fill': '-', 'precision': 2},
        {'width': 8, 'fill': ' '},
        {'width': 8, 'fill': '+'},
        {'width': 8, 'fill': '#'},
        {'width': 8, 'fill': 'x'},
        {'fill': 'x'},
        {'width': 8, 'fill': 'ab'},
        {'width': -5},
        {'fill': '0'},
        {'shortest': True, 'scientific': True},
        {'shortest': True, 'width': 15, 'precision': 4},
    ]
    for name in NUMBERS + ['bool', 'string']:
        for attrs in options:
            x = data.tensor(name, (4,), 'special' if name not in ('bool', 'string') else 'normal')
            writer.add('AsString', {'input': x}, attrs)
        for shape in [(), (0,), (2, 3)]:
            writer.add('AsString', {'input': data.tensor(name, shape)})
    for name in FLOATS + SIGNED + ['uint16', 'uint8', 'complex64', 'complex128']:
        size = np.dtype(name).itemsize if name != 'bfloat16' else 2
        for little in (True, False):
            raw = lambda shape, n: np.array(
                [data.rng.bytes(n) for _ in range(int(np.prod(shape)))], dtype=object
            ).reshape(shape)
            attrs = {'out_type': tf.as_dtype(name), 'little_endian': little}
            for shape, n in (((3,), 4), ((), 2), ((2, 2), 0), ((0,), 1), ((2, 0), 1)):
                writer.add('DecodeRaw', {'bytes': raw(shape, n * size)}, attrs)
            writer.add('DecodeRaw', {'bytes': strings([b'\x01' * size, b'\x01' * size * 2])}, attrs)
            if size > 1:
                writer.add('DecodeRaw', {'bytes': raw((2,), size + 1)}, attrs)
            if name.startswith('complex'):
                continue
            padded = strings([data.rng.bytes(n) for n in (0, 1, size, 2 * size, 3 * size)])
            for length in (size, 2 * size, 2 * size + 1, 0, -size):
                for constants in ((), ('fixed_length',)):
                    writer.add(
                        'DecodePaddedRaw',
                        {'input_bytes': padded, 'fixed_length': i32(length)},
                        attrs,
                        constants=constants,
                    )
            writer.add('DecodePaddedRaw', {'input_bytes': padded, 'fixed_length': i32([size])}, attrs)
    writer.add('DecodeRaw', {'bytes': strings([b'\x01\x00\x01'])}, {'out_type': tf.bool})


def formats(writer, data, scale):
    def case(values, **attrs):
        writer.add('StringFormat', {'inputs': values}, attrs)

    for name in NUMBERS + ['bool', 'string']:
        if not name.startswith('complex'):
            for shape in [(), (3,), (10,), (2, 3), (9, 8), (7, 2, 8), (0,), (0, 2), (2, 0), (2, 0, 3)]:
                case([data.tensor(name, shape, 'special' if name != 'string' else 'normal')], template='<%s>')
    x = np.arange(24, dtype=i32)
    for summarize in (-1, 0, 1, 2, 3, 4, 5, 50):
        case([x, x.reshape(4, 6), x.reshape(2, 3, 4)], template='{} {}{}!', placeholder='{}', summarize=summarize)
    case([i32(2), i32(3)], template='%s%s')
    case([i32(2)], template='%s%s')
    case([i32(2), i32(3)], template='%s')
    case([i32(2)], template='abab', placeholder='aba')
    case([i32(2)], template='no', placeholder='%s')
    case([strings(['quote"', "single'", 'back\\slash', 'tab\t', 'new\nline\r', b'\x01\x7f\x80\xff'])], summarize=10)
    writer.add('StringFormat', {'inputs': []}, {'template': 'abc', 'T': []})


def hashes(writer, data, scale):
    texts = [data.rng.bytes(n) for n in list(range(0, 140)) + [192, 256, 1000]]
    for buckets in (1, 2, 100, 2**31, 2**62, 2**63 - 1):
        writer.add('StringToHashBucketFast', {'input': strings(texts)}, {'num_buckets': buckets})
        writer.add('StringToHashBucket', {'string_tensor': strings(texts)}, {'num_buckets': buckets})
        for key in ([0, 0], [1, 2], [-1, 2**62]):
            writer.add('StringToHashBucketStrong', {'input': strings(texts)}, {'num_buckets': buckets, 'key': key})
    for shape in [(), (0,), (2, 3)]:
        writer.add('StringToHashBucketFast', {'input': words(data, shape)}, {'num_buckets': 1000})
        writer.add('StringToHashBucket', {'string_tensor': words(data, shape)}, {'num_buckets': 1000})
        writer.add('StringToHashBucketStrong', {'input': words(data, shape)}, {'num_buckets': 1000, 'key': [3, 4]})
    for key in ([], [1], [1, 2, 3]):
        writer.add('StringToHashBucketStrong', {'input': strings(['a'])}, {'num_buckets': 10, 'key': key})


FAMILIES = {
    'plain_text': plain,
    'substr': substr,
    'splits': splits,
    'ngrams': ngrams,
    'string_joins': joins,
    'text_numbers': numbers,
    'formats': formats,
    'hashes': hashes,
}
