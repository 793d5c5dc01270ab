"""Tables of figures: as aligned text on standard output, as Markdown and as JSON in files."""
import json
import sys


def add_options(parser):
    parser.add_argument("--json", metavar="FILE", help="write all figures there")
    parser.add_argument("--markdown", metavar="FILE", help="write the tables there")


def verdict(met):
    return "met" if met else "MISSED"


def progress(text):
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def cell(value):
    if value is None:
        return ""
    if not isinstance(value, float):
        return str(value)
    return f"{value:.3g}" if value < 1 else f"{value:.2f}" if value < 100 else f"{value:.0f}"


def text_table(header, rows):
    widths = [max(len(line[i]) for line in [header, *rows]) for i in range(len(header))]
    return "\n".join("  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip() for line in [header, *rows])


def markdown_table(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def write(options, tables, figures):
    """Tables are (title, header, rows of values)."""
    tables = [(title, header, [[cell(value) for value in row] for row in rows]) for title, header, rows in tables if rows]
    for title, header, rows in tables:
        print(f"{title}\n\n{text_table(header, rows)}\n")
    if options.markdown:
        with open(options.markdown, "w") as f:
            f.write("\n".join(f"### {title}\n\n{markdown_table(header, rows)}\n" for title, header, rows in tables))
    if options.json:
        with open(options.json, "w") as f:
            json.dump(figures, f, indent=1)
