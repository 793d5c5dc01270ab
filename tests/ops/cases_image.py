"""Cases for resizing, boxes, the largest elements, and pixels moved between space, depth and batch."""

import numpy as np

from case_writer import REALS

RESIZED = ['int8', 'uint8', 'int16', 'uint16', 'int32', 'int64', 'bfloat16', 'float16', 'float32', 'float64']
SIZES = (1, 2, 3, 4, 5, 7, 10, 16, 23)


def resizing(writer, data, scale):
    for op in ('ResizeBilinear', 'ResizeNearestNeighbor', 'ResizeBicubic'):
        for dtype in RESIZED + ['float32'] * 4:
            for _ in range(5 * scale):
                mode = data.choice([{}, {'align_corners': True}, {'half_pixel_centers': True}])
                size = np.int32([data.choice(SIZES), data.choice(SIZES)])
                shape = (
                    int(data.choice([0, 1, 1, 2])),
                    int(data.choice(SIZES)),
                    int(data.choice(SIZES)),
                    int(data.choice([1, 2, 3, 4, 8, 17])),
                )
                writer.add(
                    op,
                    {'images': data.tensor(dtype, shape, 'special' if data.flip(0.1) else 'normal'), 'size': size}
                    if op == 'ResizeNearestNeighbor'
                    else {'images': data.tensor(dtype, shape), 'size': size},
                    mode,
                    constants=('size',) if data.flip() else (),
                    tolerance=(1e-5, 2e-4 if op == 'ResizeBicubic' else 3e-5),
                )
        image = data.tensor('float32', (1, 6, 5, 3), 'special')
        if op != 'ResizeBicubic':
            writer.add(op, {'images': image, 'size': np.int32([6, 5])}, {'half_pixel_centers': True})
        writer.add(op, {'images': data.tensor('float32', (1, 100, 80, 3)), 'size': np.int32([224, 224])}, tolerance=(1e-5, 1e-4))


def crops(writer, data, scale):
    for dtype in [t for t in RESIZED if t != 'bfloat16'] + ['float32'] * 4:
        for _ in range(4 * scale):
            n, batch = int(data.choice([0, 1, 3, 8])), int(data.choice([1, 2, 3]))
            boxes = data.rng.uniform(-0.3, 1.3, (n, 4)) if data.flip() else data.rng.uniform(0, 1, (n, 4))
            shape = (batch, int(data.choice(SIZES)), int(data.choice(SIZES)), int(data.choice([1, 3, 8])))
            writer.add(
                'CropAndResize',
                {
                    'image': data.tensor(dtype, shape),
                    'boxes': boxes.astype('float32'),
                    'box_ind': data.rng.integers(0, batch, n).astype('int32'),
                    'crop_size': np.int32([data.choice(SIZES), data.choice(SIZES)]),
                },
                {
                    'method': data.choice(['bilinear', 'bilinear', 'nearest']),
                    'extrapolation_value': float(data.choice([0, -2.5])),
                },
                constants=('crop_size',) if data.flip() else (),
                tolerance=(1e-4, 2e-4),
            )


def blocks(writer, data, scale):
    for dtype in ['float32', 'uint8', 'int64', 'float16', 'complex128', 'bool', 'string']:
        for _ in range(4 * scale):
            b, h, w, c, n = (int(data.choice(o)) for o in ([2, 2, 3, 4], [0, 1, 2, 3], [1, 2, 5], [1, 3, 4], [1, 2]))
            writer.add('DepthToSpace', {'input': data.tensor(dtype, (n, h, w, c * b * b))}, {'block_size': b})
            writer.add('SpaceToDepth', {'input': data.tensor(dtype, (n, h * b, w * b, c))}, {'block_size': b})
    for dtype in REALS:
        for _ in range(5 * scale):
            dims = int(data.choice([0, 1, 2, 2, 3]))
            rest = data.shape(int(data.rng.integers(0, 3)), (0, 1, 1, 2, 3, 5))
            block = [int(data.choice([1, 2, 3])) for _ in range(dims)]
            space = [int(data.choice([0, 1, 2, 4, 5])) for _ in range(dims)]
            pads = [[int(data.choice([0, 0, 1, 2])), 0] for _ in range(dims)]
            for i in range(dims):
                pads[i][1] = -(space[i] + pads[i][0]) % block[i]
            ints = data.choice(['int32', 'int64'])
            constants = ('block_shape', 'paddings', 'crops') if data.flip() else ()
            n = int(data.choice([1, 2, 3]))
            writer.add(
                'SpaceToBatchND',
                {
                    'input': data.tensor(dtype, (n, *space, *rest)),
                    'block_shape': np.array(block, ints),
                    'paddings': np.array(pads, ints).reshape(dims, 2),
                },
                constants=constants,
            )
            crops = [[int(data.rng.integers(0, 1 + space[i] * block[i] // 2)) for _ in range(2)] for i in range(dims)]
            writer.add(
                'BatchToSpaceND',
                {
                    'input': data.tensor(dtype, (n * int(np.prod(block)), *space, *rest)),
                    'block_shape': np.array(block, ints),
                    'crops': np.array(crops, ints).reshape(dims, 2),
                },
                constants=constants,
            )


def largest(writer, data, scale):
    for dtype in REALS:
        for shape, k in (((7,), 3), ((3, 10), 10), ((2, 3, 40), 1), ((4, 5), 0), ((0, 5), 2), ((2, 1), 1), ((2, 300), 17)):
            kind = data.choice(['normal', 'small'])
            attrs = {'sorted': True, 'index_type': data.choice(['int32', 'int16', 'int64'])}
            writer.add(
                'TopKV2',
                {'input': data.tensor(dtype, shape, kind), 'k': np.array(k, data.choice(['int32', 'int64', 'int16']))},
                attrs,
                constants=('k',) if data.flip() else (),
            )


def random_boxes(data, dtype, n):
    corner = data.rng.uniform(0, 1, (n, 2))
    boxes = np.concatenate([corner, corner + data.rng.uniform(0, 0.5, (n, 2))], 1)
    flipped = data.rng.random(n) < 0.2
    boxes[flipped] = boxes[flipped][:, [2, 3, 0, 1]]
    # Scores that are equal now and then.
    return boxes.astype(dtype), data.rng.choice(np.linspace(0, 1, 41), n).astype(dtype)


def suppression(writer, data, scale):
    for dtype in ['float32'] * 4 + ['float16']:
        for n in (0, 1, 2, 10, 60, 200):
            for _ in range(2 * scale):
                boxes, scores = random_boxes(data, dtype, n)
                limit = np.array(data.choice([0, 1, 5, 20, 300]), 'int32')
                iou = np.array(data.choice([0.0, 0.2, 0.5, 0.9, 1.0]), dtype)
                least = np.array(data.choice([-1.0, 0.0, 0.3, 0.6]), dtype)
                common = {'boxes': boxes, 'scores': scores, 'max_output_size': limit}
                constants = ('max_output_size',) if data.flip() else ()
                two = {**common, 'iou_threshold': iou}
                three = {**two, 'score_threshold': least}
                if dtype == 'float32':
                    writer.add('NonMaxSuppression', common, {'iou_threshold': float(iou)}, constants=constants)
                writer.add('NonMaxSuppressionV2', two)
                writer.add('NonMaxSuppressionV3', three)
                pad = {'pad_to_max_output_size': data.flip()}
                writer.add('NonMaxSuppressionV4', three, pad, constants=constants)
                sigma = np.array(data.choice([0.0, 0.3, 1.0]) if dtype == 'float32' else 0.0, dtype)
                writer.add(
                    'NonMaxSuppressionV5', {**three, 'soft_nms_sigma': sigma}, pad, constants=constants, tolerance=(1e-5, 1e-6)
                )


def bad_image(writer, data, scale):
    f = data.tensor

    def refuse(op, inputs, attrs=None):
        writer.add(op, inputs, attrs, shapes_known=False, must_fail=True)

    for op in ('ResizeBilinear', 'ResizeNearestNeighbor', 'ResizeBicubic'):
        for shape, size in (
            ((2, 3, 4), [2, 2]),
            ((1, 2, 3, 1), [2]),
            ((1, 2, 3, 1), [2, 2, 2]),
            ((1, 2, 3, 1), [0, 2]),
            ((1, 2, 3, 1), [2, -2]),
            ((1, 0, 3, 1), [2, 2]),
            ((1, 2, 0, 1), [2, 2]),
            ((1, 2, 2, 0), [2, 2]),
        ):
            refuse(op, {'images': f('float32', shape), 'size': np.int32(size)})
        refuse(op, {'images': f('float32', (1, 2, 2, 1)), 'size': np.int32(3)})
        both = {'align_corners': True, 'half_pixel_centers': True}
        refuse(op, {'images': f('float32', (1, 2, 2, 1)), 'size': np.int32([3, 3])}, both)
    crop = {'image': f('float32', (2, 4, 5, 3)), 'boxes': f('float32', (3, 4)), 'box_ind': np.int32([0, 1, 0])}
    crop['crop_size'] = np.int32([2, 3])
    for change in (
        {'image': f('float32', (4, 5, 3))},
        {'image': f('float32', (2, 0, 5, 3))},
        {'boxes': f('float32', (3, 3))},
        {'boxes': f('float32', (4,))},
        {'boxes': f('float32', (2, 4))},
        {'box_ind': np.int32([0, 1])},
        {'box_ind': np.int32([0, 2, 0])},
        {'box_ind': np.int32([0, -1, 0])},
        {'crop_size': np.int32([2])},
        {'crop_size': np.int32([2, 0])},
        {'crop_size': np.int32([-1, 2])},
    ):
        refuse('CropAndResize', {**crop, **change})
    refuse('DepthToSpace', {'input': f('float32', (1, 2, 2, 3))}, {'block_size': 2})
    refuse('DepthToSpace', {'input': f('float32', (1, 2, 4))}, {'block_size': 2})
    refuse('SpaceToDepth', {'input': f('float32', (1, 3, 2, 3))}, {'block_size': 2})
    refuse('SpaceToDepth', {'input': f('float32', (1, 2, 3, 3))}, {'block_size': 2})
    x = f('float32', (4, 4, 6, 1))
    for block, pads in (
        ([2, 2], [[0, 1], [0, 0]]),
        ([2, 2], [[-1, 1], [0, 0]]),
        ([0, 2], [[0, 0], [0, 0]]),
        ([-2, 2], [[0, 0], [0, 0]]),
        ([2, 2], [[0, 0]]),
        ([2, 2], [0, 0, 0, 0]),
        ([1, 1, 1, 1], [[0, 0]] * 4),
        (2, [[0, 0], [0, 0]]),
    ):
        refuse('SpaceToBatchND', {'input': x, 'block_shape': np.int32(block), 'paddings': np.int32(pads)})
    for block, crops in (
        ([3, 1], [[0, 0], [0, 0]]),
        ([2, 2], [[5, 5], [0, 0]]),
        ([2, 2], [[-1, 0], [0, 0]]),
        ([0, 2], [[0, 0], [0, 0]]),
        ([2, 2], [[0, 0]]),
    ):
        refuse('BatchToSpaceND', {'input': x, 'block_shape': np.int32(block), 'crops': np.int32(crops)})
    huge = np.int64([2**40, 2**40])
    refuse('SpaceToBatchND', {'input': x, 'block_shape': huge, 'paddings': np.int64([[0, 0], [0, 0]])})
    for k in (6, -1, [2]):
        refuse('TopKV2', {'input': f('float32', (2, 5)), 'k': np.int32(k)})
    refuse('TopKV2', {'input': f('float32', ()), 'k': np.int32(0)})
    boxes, scores = random_boxes(data, 'float32', 5)
    good = {'boxes': boxes, 'scores': scores, 'max_output_size': np.int32(3), 'iou_threshold': np.float32(0.5)}
    good['score_threshold'] = np.float32(0)
    for change in (
        {'boxes': boxes[:, :3]},
        {'boxes': boxes[0]},
        {'boxes': boxes[:4]},
        {'scores': scores[:4]},
        {'scores': scores.reshape(5, 1)},
        {'max_output_size': np.int32([3])},
        {'max_output_size': np.int32(-1)},
        {'iou_threshold': np.float32(1.5)},
        {'iou_threshold': np.float32(-0.5)},
        {'iou_threshold': np.float32([0.5])},
        {'score_threshold': np.float32([0.5])},
    ):
        refuse('NonMaxSuppressionV3', {**good, **change})
        refuse('NonMaxSuppressionV4', {**good, **change}, {'pad_to_max_output_size': True})
    refuse('NonMaxSuppressionV5', {**good, 'soft_nms_sigma': np.float32(-1)})


FAMILIES = {
    'resizing': resizing,
    'crops': crops,
    'blocks': blocks,
    'largest': largest,
    'suppression': suppression,
    'bad_image': bad_image,
}
