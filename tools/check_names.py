#!/usr/bin/env python3
"""A file that a comment or a page names exists: check_names.py [ROOT]

Looks for names such as engine.c or model/engine.h in the comments of C files, scripts and CMake files, and in Markdown
pages. A name with a folder must be the end of a path in the tree. A name with a capital letter or one that begins with
x_ or _ stands for any (cmd_NAME.c). Blocks of code in pages may name new files. Exit: 1 when a file is not there.
"""
import os
import re
import subprocess
import sys

# Files of other programs, which comments cite as sources.
OTHERS = {
    "conll18_ud_eval.py", "glue-xnli.py", "map_embeddings.py", "optimization.py", "run_classifier.py", "run_xnli.py",
    "scripts/train_xnli.sh", "src/glove.c", "train_panx.sh", "utils_preprocess.py", "cblas.h",
}
NAME = re.compile(r"(?<![\w/.<-])((?:[\w-]+/)*[\w-]+\.(?:c|h|inc|py|sh|md))\b(?![*/…])")
PLACEHOLDER = re.compile(r"[A-Z]|(^|/)(x?_|name\.)")


def commented(path, text):
    """The comments of a source, the text of a page without its blocks of code; other lines are empty."""
    if path.endswith((".c", ".h", ".inc")):
        kept = [(m.start(), m.end()) for m in re.finditer(r"/\*.*?\*/|//[^\n]*", text, re.S)]
    elif path.endswith(".md"):
        kept, at = [], 0
        for m in re.finditer(r"^ *```.*?^ *```", text, re.S | re.M):
            kept.append((at, m.start()))
            at = m.end()
        kept.append((at, len(text)))
    else:
        kept = [(m.start(), m.end()) for m in re.finditer(r"^\s*#.*$", text, re.M)]
    return kept


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=root,
                            capture_output=True, check=True).stdout.decode().split("\0")
    tree = [f for f in listed if f != "" and os.path.isfile(os.path.join(root, f))]
    bases = {os.path.basename(f) for f in tree}
    missing = 0
    for path in tree:
        if not path.endswith((".c", ".h", ".inc", ".sh", ".py", ".cmake", ".md", "CMakeLists.txt")):
            continue
        if path == "CHANGELOG.md":
            continue
        text = open(os.path.join(root, path), encoding="utf-8", errors="replace").read()
        for begin, end in commented(path, text):
            for m in NAME.finditer(text, begin, end):
                name = m.group(1)
                if name in OTHERS or PLACEHOLDER.search(name):
                    continue
                if os.path.basename(name) in bases and ("/" not in name or any(("/" + f).endswith("/" + name) for f in tree)):
                    continue
                print(f"{path}:{text.count(chr(10), 0, m.start()) + 1}: {name} is named, which is not there")
                missing += 1
    return 1 if missing else 0


sys.exit(main())
