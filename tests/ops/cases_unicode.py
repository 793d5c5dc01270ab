"""Cases for the encodings of text.so."""

import numpy as np

from case_writer import tf
from cases_text import strings, words

i32 = np.int32


def unicode(writer, data, scale):
    pieces = [
        b'a',
        b'\x01',
        b'\x1f ',
        b'\x7f',
        b'\x80',
        b'\xc3',
        b'\xe2\x82',
        b'\xe2\x82\xac',
        b'\xf0\x9f\x98\x80',
        b'\xf0\x9f',
        b'\xff',
        b'\xed\xa0\x80',
        b'\x00',
    ]
    wide = [
        b'\x00A',
        b'\xd8\x3d\xde\x00',
        b'\xd8\x3d',
        b'\xde\x00',
        b'\x00\x01',
        b'\xfe\xff',
        b'\xff\xfe',
        b'\x20\xac',
        b'\x00\x00',
    ]
    long = [
        b'\x00\x00\x00A',
        b'\x00\x01\xf6\x00',
        b'\x00\x11\x00\x00',
        b'\x00\x00\xd8\x00',
        b'\x00\x00\xfe\xff',
        b'\xff\xfe\x00\x00',
        b'\x00\x00\x00\x02',
        b'A\x00\x00\x00',
    ]
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
                    attrs = {
                        'input_encoding': encoding,
                        'errors': errors,
                        'replace_control_characters': control,
                        'replacement_char': data.choice([65533, 63, 0x1F601]),
                    }
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
            writer.add(
                'UnicodeDecode', {'input': x}, {'input_encoding': 'UTF-8', 'Tsplits': splits}, shapes_known=False
            )
        writer.add(
            'UnicodeTranscode', {'input': words(data, shape)}, {'input_encoding': 'UTF-8', 'output_encoding': 'UTF-8'}
        )
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
                writer.add(
                    'UnicodeEncode',
                    {'input_values': i32([65, 66, 0x20AC]), 'input_splits': np.asarray([0, 3], dtype)},
                    attrs,
                )
        for splits in ([0], [], [0, 1], [1, 2], [0, 3], [[0, 2]], [0, 2, 2], [-1, 2], [0, -1, 2]):
            writer.add(
                'UnicodeEncode',
                {'input_values': i32([65, 66]), 'input_splits': np.asarray(splits, dtype)},
                {'output_encoding': 'UTF-8'},
            )
        writer.add(
            'UnicodeEncode',
            {'input_values': i32([]), 'input_splits': np.asarray([0, 0], dtype)},
            {'output_encoding': 'UTF-8'},
        )
        writer.add(
            'UnicodeEncode',
            {'input_values': i32([[65, 66]]), 'input_splits': np.asarray([0, 2], dtype)},
            {'output_encoding': 'UTF-8'},
        )
        writer.add(
            'UnicodeEncode',
            {'input_values': i32([65]), 'input_splits': np.asarray([0, 1], dtype)},
            {'output_encoding': 'UTF-8', 'replacement_char': -1},
        )


FAMILIES = {'unicode': unicode}
