"""What differs from stock on purpose: read by the tests here and, for the pages in docs/ops, by tools/ops/generate.py."""

# The executor itself moves values through these.
NO_KERNEL = {'LoopCond', '_SwitchN'} | {
    ref + op for ref in ('', 'Ref') for op in ('Switch', 'Merge', 'Enter', 'Exit', 'NextIteration')
}
# Defined so that graphs import, without a kernel: calls the executor inlines; what training writes down is no part of
# inference.
NO_KERNEL |= {'PartitionedCall', 'StatefulPartitionedCall', 'ScalarSummary', 'HistogramSummary', 'MergeSummary'}
# Ops that stock does not know, and whose they are.
NOT_STOCK = {
    'FusedDepthwiseConv2dNative': 'an op of TensorFlow.js graphs, which stock does not know',
    '_DovetailElementwise': 'made by plans of several element-wise nodes',
    '_DovetailLayerNorm': 'made by plans of several nodes',
    'Prelu': 'an op of TensorFlow.js graphs, which stock does not know',
}
NOT_COUNTED = {'DT_%s' % t for t in 'BFLOAT16 COMPLEX64 COMPLEX128 HALF INT8 INT16 UINT8 UINT16 UINT32 UINT64'.split()}
# (op, attr): dtypes that stock registers a kernel for and that have none here, and why; '' where the op's definition
# rules the dtype out, so that no graph can have it.
EXCEPT = {
    ('Acos', 'T'): ({'DT_INT8', 'DT_INT16', 'DT_INT32', 'DT_INT64'}, ''),
    ('LeakyRelu', 'T'): (
        {
            'DT_INT8',
            'DT_INT16',
            'DT_INT32',
            'DT_INT64',
            'DT_UINT8',
            'DT_UINT16',
            'DT_UINT32',
            'DT_UINT64',
        },
        '',
    ),
    ('LeakyReluGrad', 'T'): (
        {'DT_INT8', 'DT_INT16', 'DT_INT32', 'DT_INT64', 'DT_UINT8', 'DT_UINT16', 'DT_UINT32', 'DT_UINT64'},
        '',
    ),
    ('ResizeNearestNeighborGrad', 'T'): ({'DT_INT16', 'DT_INT64', 'DT_UINT16', 'DT_UINT32', 'DT_UINT64'}, ''),
    ('ClipByValue', 'T'): ({'DT_COMPLEX64', 'DT_COMPLEX128'}, 'complex numbers have no order'),
    ('_FusedConv2D', 'T'): (
        {'DT_INT8', 'DT_BFLOAT16'},
        'stock has them for testing graphs of GPUs and refuses them when the kernel is made',
    ),
    ('ScatterMin', 'T'): ({'DT_INT8', 'DT_INT16', 'DT_UINT8', 'DT_UINT16', 'DT_UINT32', 'DT_UINT64'}, ''),
    ('ScatterMax', 'T'): ({'DT_INT8', 'DT_INT16', 'DT_UINT8', 'DT_UINT16', 'DT_UINT32', 'DT_UINT64'}, ''),
    ('Bincount', 'T'): (NOT_COUNTED, ''),
    ('DenseBincount', 'T'): (NOT_COUNTED, ''),
    ('MaxPool', 'T'): ({'DT_UINT32', 'DT_UINT64'}, ''),
}
