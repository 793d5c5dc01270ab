"""Cases for text.so."""

import numpy as np

from case_writer import FLOATS, INTS, NUMBERS, SIGNED, tf

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
    letters = [chr(c) for c in range(1, 0x2fff) if c not in (0x2C2F, 0x2C5F)]
    letters += [chr(c) for c in range(0xA640, 0xABC0) if not 0xA7C0 <= c <= 0xA7D9] + [chr(c) for c in range(0xFB00, 0xFF5F)]
    letters += [chr(c) for c in list(range(0x10400, 0x10500)) + list(range(0x10C80, 0x10D00)) + list(range(0x1E900, 0x1E950))]
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
            writer.add('Substr', {'input': strings(['a', 'b', 'c']).reshape(3, 1), 'pos': n([0, 1]), 'len': n([1, 1])}, {'unit': unit})
            writer.add('Substr', {'input': strings([]), 'pos': n(9), 'len': n(1)}, {'unit': unit})
            writer.add('Substr', {'input': s, 'pos': n(1), 'len': n(2)}, {'unit': unit}, shapes_known=False)


def splits(writer, data, scale):
    texts = ['', ' ', 'a b  c', ' lead', 'trail ', 'a,b, c,,d', ',', ',,', '\tt\n\x0b\x0c\rx', 'aaa', 'aXbXXc', 'nothing', '\x00a\x00']
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
                    case(abc, [0, 4, 4, 5, 6], dtype, ngram_widths=widths, pad_width=pad, left_pad='LP', right_pad='RP', preserve_short_sequences=keep)
        for rows in ([0], [], [0, 6], [1, 6], [0, 5], [0, 7], [0, 4, 3, 6], [0, 6, 6, 6], [-1, 6], [0, -1, 6], [0, 2**31 - 1]):
            case(abc, rows, dtype)
            case([], rows, dtype, pad_width=-1, left_pad='L', right_pad='R')
        case([], [0, 0, 0], dtype, pad_width=2, left_pad='L')
        case(abc, [0, 6], dtype, ngram_widths=[0])
        case(abc, [0, 6], dtype, ngram_widths=[2, -1])
        case(abc, [0, 6], dtype, separator='', left_pad='x', right_pad='', pad_width=-1, ngram_widths=[3])
    for _ in range(10 * scale):
        rows = np.cumsum([0] + [int(data.rng.integers(0, 6)) for _ in range(5)])
        case(list(words(data, (int(rows[-1]),))), rows, ngram_widths=[int(data.rng.integers(1, 5))], pad_width=int(data.rng.integers(-1, 4)), left_pad='<', right_pad='>', preserve_short_sequences=data.flip())


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
            inputs = {'inputs': words(data, shape), 'segment_ids': np.asarray(segments, ids), 'num_segments': np.asarray(count, number)}
            writer.add('UnsortedSegmentJoin', inputs, {'separator': data.choice(['', ', '])})
    inputs = {'inputs': words(data, (2,)), 'segment_ids': i32([0, 0]), 'num_segments': i32([1])}
    writer.add('UnsortedSegmentJoin', inputs)


NUMERALS = ['1', ' 1 ', '1e5', 'nan', '-inf', 'Infinity', '+3', '0x10', '', ' ', '1 2', '1\x00', '1e400', '-0', '3.7', '99999999999']
NUMERALS += ['-1', '1.', '.5', '1e-400', 'nan(12)', 'iNf', '-nan', '0x1p3', '+-3', '1f', '18446744073709551615', '18446744073709551616']
NUMERALS += ['-9223372036854775808', '-9223372036854775809', '9223372036854775807', '9223372036854775808', '1_0', '\t5\n', '-0x10', '4294967296']
NUMERALS += ['4294967295', '2147483647', '2147483648', '-2147483648', '-2147483649', '+', '-', '1e', '00012', '0X1F', '.', 'e5', '1e+', '1e5 x']
NUMERALS += ['3.4028235e38', '3.4028236e38', '1.1754943508e-38', '1e-45', '0.1', '16777217', '- 1', '1-', '\x0b7\x0c', 'inf inity', '1' * 400, '1,000']


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
            raw = lambda shape, n: np.array([data.rng.bytes(n) for _ in range(int(np.prod(shape)))], dtype=object).reshape(shape)
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
                    writer.add('DecodePaddedRaw', {'input_bytes': padded, 'fixed_length': i32(length)}, attrs, constants=constants)
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


def unicode(writer, data, scale):
    pieces = [b'a', b'\x01', b'\x1f ', b'\x7f', b'\x80', b'\xc3', b'\xe2\x82', b'\xe2\x82\xac', b'\xf0\x9f\x98\x80', b'\xf0\x9f', b'\xff', b'\xed\xa0\x80', b'\x00']
    wide = [b'\x00A', b'\xd8\x3d\xde\x00', b'\xd8\x3d', b'\xde\x00', b'\x00\x01', b'\xfe\xff', b'\xff\xfe', b'\x20\xac', b'\x00\x00']
    long = [b'\x00\x00\x00A', b'\x00\x01\xf6\x00', b'\x00\x11\x00\x00', b'\x00\x00\xd8\x00', b'\x00\x00\xfe\xff', b'\xff\xfe\x00\x00', b'\x00\x00\x00\x02', b'A\x00\x00\x00']
    encodings = {'UTF-8': pieces, 'utf8': pieces, 'US-ASCII': pieces, 'ISO-8859-1': pieces, 'latin1': pieces}
    encodings.update({e: wide for e in ('UTF-16-BE', 'UTF-16-LE', 'UTF-16', 'UTF-16BE')})
    encodings.update({e: long for e in ('UTF-32-BE', 'UTF-32-LE', 'UTF-32')})
    for encoding, parts in encodings.items():
        texts = [b''.join(data.choice(parts) for _ in range(int(data.rng.integers(0, 6)))) for _ in range(25)]
        texts += [p for p in parts] + [p + p[:-1] for p in parts if len(p) > 1] + [p[:-1] for p in parts]
        # Stock's converter carries what it learnt of a mark from one string to the next, so these come one by one.
        if encoding in ('UTF-16', 'UTF-32'):
            for text in texts:
                writer.add('UnicodeDecodeWithOffsets', {'input': strings([text])}, {'input_encoding': encoding})
            texts = parts[:1]
        clean = [b'', parts[0], parts[0] * 5]
        for errors in ('strict', 'replace', 'ignore'):
            for control in (False, True):
                for values in (texts, clean, [parts[0] + (b'\x01' if len(parts[0]) == 1 else parts[0][:-1] + b'\x01')]):
                    attrs = {'input_encoding': encoding, 'errors': errors, 'replace_control_characters': control, 'replacement_char': data.choice([65533, 63, 0x1F601])}
                    narrow = {'Tsplits': data.choice([tf.int32, tf.int64])}
                    writer.add('UnicodeDecode', {'input': strings(values)}, {**attrs, **narrow})
                    # Stock aborts with narrow splits.
                    writer.add('UnicodeDecodeWithOffsets', {'input': strings(values)}, attrs)
                    for output in ('UTF-8', 'UTF-16-BE', 'UTF-32-BE'):
                        writer.add('UnicodeTranscode', {'input': strings(values)}, {**attrs, 'output_encoding': output})
    for shape in [(), (0,), (2, 3), (2, 0)]:
        for splits in (tf.int32, tf.int64):
            x = words(data, shape)
            writer.add('UnicodeDecode', {'input': x}, {'input_encoding': 'UTF-8', 'Tsplits': splits})
            writer.add('UnicodeDecodeWithOffsets', {'input': x}, {'input_encoding': 'UTF-8'})
            writer.add('UnicodeDecode', {'input': x}, {'input_encoding': 'UTF-8', 'Tsplits': splits}, shapes_known=False)
        writer.add('UnicodeTranscode', {'input': words(data, shape)}, {'input_encoding': 'UTF-8', 'output_encoding': 'UTF-8'})
    for replacement in (-1, 0x110000, 0xD800, 0, 0x10FFFF):
        attrs = {'input_encoding': 'UTF-8', 'replacement_char': replacement}
        writer.add('UnicodeDecode', {'input': strings([b'\xffa'])}, attrs)
        for output in ('UTF-8', 'UTF-16-BE', 'UTF-32-BE'):
            writer.add('UnicodeTranscode', {'input': strings([b'\xffa'])}, {**attrs, 'output_encoding': output})
    writer.add('UnicodeDecode', {'input': strings(['a'])}, {'input_encoding': 'nonsense'})
    writer.add('UnicodeTranscode', {'input': strings(['a'])}, {'input_encoding': '', 'output_encoding': 'UTF-8'})
    values = i32([65, 0xD800, 0x110000, -1, 0x1F600, 0xFFFE, 0, 0xDFFF, 0x20AC, 0x7FF, 0x800, 0xFFFF, 0x10000])
    for dtype in ('int32', 'int64'):
        for output in ('UTF-8', 'UTF-16-BE', 'UTF-32-BE'):
            for errors in ('strict', 'replace', 'ignore'):
                attrs = {'output_encoding': output, 'errors': errors, 'replacement_char': data.choice([65533, 63])}
                splits = np.asarray([0, 3, 3, 8, 13], dtype)
                writer.add('UnicodeEncode', {'input_values': values, 'input_splits': splits}, attrs)
                writer.add('UnicodeEncode', {'input_values': i32([65, 66, 0x20AC]), 'input_splits': np.asarray([0, 3], dtype)}, attrs)
        for splits in ([0], [], [0, 1], [1, 2], [0, 3], [[0, 2]], [0, 2, 2], [-1, 2], [0, -1, 2]):
            writer.add('UnicodeEncode', {'input_values': i32([65, 66]), 'input_splits': np.asarray(splits, dtype)}, {'output_encoding': 'UTF-8'})
        writer.add('UnicodeEncode', {'input_values': i32([]), 'input_splits': np.asarray([0, 0], dtype)}, {'output_encoding': 'UTF-8'})
        writer.add('UnicodeEncode', {'input_values': i32([[65, 66]]), 'input_splits': np.asarray([0, 2], dtype)}, {'output_encoding': 'UTF-8'})
        writer.add('UnicodeEncode', {'input_values': i32([65]), 'input_splits': np.asarray([0, 1], dtype)}, {'output_encoding': 'UTF-8', 'replacement_char': -1})


TEXTS = ['', 'a', 'aa', 'ab', 'abc', 'abcabc', 'b', 'foo.bar', 'Hello World', 'HELLO', 'x1y22z333', 'line one\nline two\n', '\n', 'snow ☃ man', 'ÉCOLE école']
TEXTS += [b'\xff', b'a\xffb', b'\xe2\x98', b'a\x00b', '  spaced  ', 'k K \u212a s \u017f', 's3://bucket/x', '/local/file', 'aaaaaaaaaaaaaaaaaaaaaaaaab', '(a)', 'a|b', '[x]', '{2}', 'a{2}', '_w-', '\u1234', '$^']
PATTERNS = ['', 'a', 'a*', 'a+', 'a?', 'a*?', 'a+?', 'a??', 'abc', 'a|b', 'a|ab', 'ab|a', '(a|ab)(c|bcd)?', '[abc]+', '[^abc]+', '[a-c]*', r'\d+', r'\D+', r'\w+', r'\W+', r'\s+', r'\S+']
PATTERNS += [r'(\w+) (\w+)', '^a', 'a$', '^', '$', '^$', r'\ba', r'\b', r'\B', r'\Aa', r'a\z', '.', '.*', '.+', '(?s).*', '(?s).', '(?m)^line', '(?m)$', '(?m)^', '(?i)hello', '(?i)[a-k]+', '(?i)k', '(?i)é']
PATTERNS += ['a{2}', 'a{2,}', 'a{1,2}', 'a{0}', 'a{0,1}b', 'a{,2}', 'a{x}', '{2}', 'a{2', '(?:ab)+', '(?P<n>a)(?P<m>b)', '(?<n>a)', '(a)(b)(c)', '((a)(b))', '(a*)*', '(a*)+', '(|a)*', '(|a)+', '()', '(a|)', '|a', 'a|']
PATTERNS += [r'[[:alpha:]]+', r'[[:^alpha:]]+', r'[[:word:]-]+', r'[\d\s]+', r'[^\d]+', r'[\w.]+', '[]a]+', '[^]a]+', '[a-]+', '[-a]+', r'[\]]', r'[\n]', r'[\x41-\x5a]+', r'\x41', r'\x{2603}', '☃', '[☃a]+', '[^☃]+', r'\.', r'\/', r'\_', r'\-']
PATTERNS += [r'\Qa|b\E', r'\Qa+', r'\Qab\E*', r'\n', r'\t', r'\101', r'\07', r'\0', '(?U)a+', '(?U)a+?', '(?i:a)b', 'a(?i)b', '(?i)a(?-i)b', '(?is).+', 'a.c', '^(s3|gs)://.*', '^(.*)$', r'(\d)(\d)?', 'x*', 'b*', '(?:(?:a{10}){10}){10}', '(a+)(b+)', '(?:a|b)*?c', 'a**b'[:2]]
PATTERNS += [r'\\', r'\^\$', r'[a\-z]+', '(?i)ſ', '[[:space:]]', '[[:punct:]]+', r'\pL+', r'\p{Greek}', r'a\C', '[.]', r'[^\n]+', r'(?m)(^|,)', '(?i)ß', 'é', '[é-ü]+', '(a){0}', '(a){3}']
BAD = ['(', ')', 'a)', '(a', '[', '[a', '[z-a]', '*', '+a', '?', '|*', '(*)', 'a**', 'a*+', 'a+*', 'a???', 'a{2}{3}', 'a{2}*', 'a{1001}', 'a{3,2}', '(a{100}){100}', '\\', r'\1', r'\8', r'\q', r'\Z', r'\G', r'\x', r'\x4', r'\x{', r'\x{110000}', r'\x{}', '(?', '(?x)', '(?P<n', '(?P<>a)', '(?P<n>a)(?P<n>b)', '(?P=n)', '(?i', '(?i-)', '(?-)', '(?=a)', '(?!a)', '(?<=a)', '[a[:nope:]]', '[a[:alpha:]', b'\xff', b'a\xc3', r'[\q]', '(?P<a-b>x)', r'[a-\d]', '(?i)*', '^*', '$+', r'\b+', 'a{0,1001}', '(?:a{1000}){2}', '(?:', '(?#a)', '((((((((((a))))))))))']
REWRITES = ['', 'X', r'<\0>', r'\\', r'\0\0']


def regex(writer, data, scale):
    texts = strings(TEXTS)
    for pattern in PATTERNS + BAD:
        attrs = {'pattern': pattern}
        writer.add('StaticRegexFullMatch', {'input': texts}, attrs)
        writer.add('StaticRegexReplace', {'input': texts}, {**attrs, 'rewrite': r'<\0>', 'replace_global': True})
        inputs = {'input': texts, 'pattern': scalar(pattern)}
        writer.add('RegexFullMatch', inputs)
        for everywhere in (True, False):
            rewrite = scalar(data.choice(REWRITES))
            writer.add('RegexReplace', {**inputs, 'rewrite': rewrite}, {'replace_global': everywhere})
    for pattern, rewrite in ((r'(\w)(\w)', r'\2\1'), ('(a)|(b)', r'[\1\2]'), ('((((((((((a))))))))))', r'\9'), ('(?P<x>a)(b)?', r'\1-\2'), ('(a|ab)(c|bcd)?', r'\1,\2'), ('(a*)*', r'[\1]'), ('(a|b)*', r'[\1]'), ('(a*)(a*)', r'\1.\2'), ('(a*?)(a*)', r'\1.\2')):
        for everywhere in (True, False):
            writer.add('StaticRegexReplace', {'input': texts}, {'pattern': pattern, 'rewrite': rewrite, 'replace_global': everywhere})
    for shape in [(), (0,), (2, 3)]:
        writer.add('StaticRegexFullMatch', {'input': words(data, shape)}, {'pattern': 'a.*'})
        writer.add('StaticRegexReplace', {'input': words(data, shape)}, {'pattern': '[aeiou]', 'rewrite': '.'})
        writer.add('RegexFullMatch', {'input': words(data, shape), 'pattern': scalar('a.*')})
        writer.add('RegexReplace', {'input': words(data, shape), 'pattern': scalar('[aeiou]'), 'rewrite': scalar('.')}, shapes_known=False)
    writer.add('RegexFullMatch', {'input': texts, 'pattern': strings(['a'])})
    writer.add('RegexReplace', {'input': texts, 'pattern': scalar('a'), 'rewrite': strings(['a'])})
    writer.add('RegexReplace', {'input': texts, 'pattern': strings(['a']), 'rewrite': scalar('a')})
    alphabet = ['a', 'b', 'c', '.', '[ab]', '[^a]', 'a*', 'b+', 'c?', '(a|b)', '(ab)*', '(?:a|bc)+', 'a{1,2}', '^', '$', 'b*?', '|', r'\b', '(a)?', '(a*)(b)']
    samples = strings([''.join(data.choice('aabbc \n') for _ in range(int(data.rng.integers(0, 9)))) for _ in range(40)])
    for _ in range(120 * scale):
        pattern = ''.join(data.choice(alphabet) for _ in range(int(data.rng.integers(1, 6))))
        if '$' in pattern[:-1] or '^' in pattern[1:]:
            continue
        writer.add('StaticRegexFullMatch', {'input': samples}, {'pattern': pattern})
        writer.add('StaticRegexReplace', {'input': samples}, {'pattern': pattern, 'rewrite': r'<\0>', 'replace_global': data.flip(0.8)})


FAMILIES = {
    'plain_text': plain,
    'substr': substr,
    'splits': splits,
    'ngrams': ngrams,
    'string_joins': joins,
    'text_numbers': numbers,
    'formats': formats,
    'hashes': hashes,
    'unicode': unicode,
    'regex': regex,
}
