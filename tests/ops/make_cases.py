"""Writes case files: make_cases.py --out DIR [--seed N] [--scale N] [FAMILY...]

A family is a function in one of the cases_*.py files. The same seed gives the same cases."""

import argparse
import os
import time
import zlib

import cases_array
import cases_array_grad
import cases_count
import cases_flow
import cases_fused
import cases_image
import cases_list
import cases_lookup
import cases_math
import cases_nn
import cases_nn_grad
import cases_optimise
import cases_queue
import cases_ragged
import cases_random
import cases_regex
import cases_scatter
import cases_sparse
import cases_state
import cases_text
import cases_train
import cases_unicode
import cases_variable
import coverage
from case_writer import Writer
from random_data import Data

MODULES = [
    cases_math,
    cases_array,
    cases_array_grad,
    cases_count,
    cases_nn,
    cases_nn_grad,
    cases_flow,
    cases_fused,
    cases_image,
    cases_optimise,
    cases_queue,
    cases_ragged,
    cases_random,
    cases_regex,
    cases_state,
    cases_list,
    cases_lookup,
    cases_scatter,
    cases_sparse,
    cases_text,
    cases_train,
    cases_unicode,
    cases_variable,
]
FAMILIES = {}
for module in MODULES:
    twice = FAMILIES.keys() & module.FAMILIES
    assert not twice, f'{module.__name__} names families that another file has: {twice}'
    FAMILIES.update(module.FAMILIES)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--out', required=True)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--scale', type=int, default=1, help='multiplies the number of random cases')
    parser.add_argument('families', nargs='*', default=list(FAMILIES))
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    print('seed', options.seed)
    covered, lacking = set(), set()
    for family in options.families:
        begin = time.time()
        writer = Writer(os.path.join(options.out, family + '.cases'))
        FAMILIES[family](writer, Data([options.seed, zlib.crc32(family.encode())]), options.scale)
        writer.close()
        covered |= writer.covered
        lacking |= writer.lacking
        print(
            '%-14s %5d cases, %4d that stock refuses; left out: %d not buildable, %d that stock lacks; %.1f s'
            % (family, writer.count, writer.refused, writer.skipped, writer.beyond, time.time() - begin)
        )
    coverage.write(os.path.join(options.out, coverage.FILE), covered, lacking)


if __name__ == '__main__':
    main()
