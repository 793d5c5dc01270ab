"""run.py LIBRARY OUT PLUGIN...: runs the cases of cases.py in one library and writes what came out to OUT."""

import pickle
import sys

from cases import CASES
from host import Graph, HostError, Library


def run(library, build):
    """The inferred shapes and the values, or the code of the error."""
    graph, seen = Graph(library), {}
    try:
        fetches, feeds, *runs = build(graph)
        seen['shapes'] = [graph.shape(fetch) for fetch in fetches]
        seen['values'] = [graph.run(fetches, feeds) for _ in range(runs[0] if runs else 1)]
    except HostError as error:
        seen['error'] = error.code
        seen['message'] = error.message
    graph.close()
    return seen


def main():
    library = Library(sys.argv[1], sys.argv[3:])
    results = {name: run(library, build) for name, build in CASES.items()}
    with open(sys.argv[2], 'wb') as out:
        pickle.dump(results, out)


main()
