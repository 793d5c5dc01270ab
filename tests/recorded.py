"""What stock TensorFlow answered, kept between tests: the sanitised builds replay what the first build recorded.

  folder = recorded.folder(path, sources, arguments, make)

make(path) fills the folder. It is called when the folder does not hold what these sources (files), arguments and version of
stock TensorFlow make; otherwise the folder stands as it is, and the caller need not import TensorFlow at all."""

import contextlib
import fcntl
import hashlib
import importlib.metadata
import os
import shutil

STAMP = 'recorded.sha256'


def _version():
    for name in ('tensorflow-cpu', 'tensorflow'):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            return name + ' ' + importlib.metadata.version(name)
    return 'unknown'


def _digest(sources, arguments):
    digest = hashlib.sha256(repr((_version(), arguments)).encode())
    for source in sorted(sources):
        with open(source, 'rb') as file:
            content = file.read()
        digest.update(('%s %d ' % (os.path.basename(source), len(content))).encode() + content)
    return digest.hexdigest()


def folder(path, sources, arguments, make):
    path = os.path.abspath(path)  # part of the key: recorded graphs name files by it
    os.makedirs(os.path.dirname(path), exist_ok=True)
    wanted, stamp = _digest(sources, [path, arguments]), os.path.join(path, STAMP)
    with open(path + '.lock', 'w') as lock:  # several builds may be tested at the same time
        fcntl.flock(lock, fcntl.LOCK_EX)
        with contextlib.suppress(OSError), open(stamp) as file:
            if file.read() == wanted:
                print('answers of stock TensorFlow as recorded in %s' % path, flush=True)
                return path
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path)
        make(path)
        with open(stamp, 'w') as file:
            file.write(wanted)
    return path
