"""links_test.py ROOT: every file that a page of the documentation links to exists, headings included."""

import os
import re
import sys
import unittest

LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*)$", re.M)
FENCE = re.compile(r"^```.*?^```", re.M | re.S)


def pages(root):
    yield os.path.join(root, "README.md")
    yield os.path.join(root, "plugins", "README.md")
    for folder, _, names in os.walk(os.path.join(root, "docs")):
        for name in sorted(names):
            if name.endswith(".md"):
                yield os.path.join(folder, name)


def anchors(page):
    with open(page, encoding="utf-8") as file:
        text = FENCE.sub("", file.read())
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in HEADING.findall(text)}


class LinksTest(unittest.TestCase):
    def check(self, page, target):
        path, _, anchor = target.partition("#")
        path = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
        self.assertTrue(os.path.exists(path), "%s links to %s, which does not exist" % (page, target))
        if anchor and path.endswith(".md"):
            self.assertIn(anchor, anchors(path), "%s links to %s, a heading that does not exist" % (page, target))

    def test_links(self):
        count = 0
        for page in pages(ROOT):
            with open(page, encoding="utf-8") as file:
                text = FENCE.sub("", file.read())
            for target in LINK.findall(text):
                if "://" in target or target.startswith("mailto:"):
                    continue
                self.check(page, target)
                count += 1
        self.assertGreater(count, 50)

    def test_every_step_of_the_kernel_page_names_its_files(self):
        with open(os.path.join(ROOT, "docs", "how_a_node_becomes_a_running_kernel.md"), encoding="utf-8") as file:
            steps = file.read().split("\n## ")[1:]
        self.assertEqual(len(steps), 9)
        for step in steps:
            self.assertRegex(step, r"\]\(\.\./src/", step.split("\n")[0])


ROOT = os.path.abspath(sys.argv[1])
if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
