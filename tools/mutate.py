#!/usr/bin/env python3
"""Deliberate mistakes, one at a time: which of them do the tests notice?

tests/mutate/mistakes.txt lists them: the base name of a file, what stands there, what is put in its
place, and the tests that should notice. Every mistake is put into a copy of the sources
(build-mutate/), built in one folder (build-mutate/build/) and taken out again; the checkout itself
is never touched. Noticed is a mistake with which one of its tests fails.

    tools/mutate.py [FILE…]     all mistakes, or those of files with these base names
    --list                      say what there is and whether it still applies, and build nothing

Prints a line a mistake and the share that was noticed. Exit: 0 when that is 99 % or more, 1 when it is
less, 3 when a mistake does not apply, does not compile, or a test fails without any.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIST = os.path.join(ROOT, "tests", "mutate", "mistakes.txt")
AIM = 0.99


class Mistake:
    def __init__(self, line):
        self.line, self.file, self.was, self.becomes, self.tests = line, None, None, None, None

    def complete(self):
        return None not in (self.file, self.was, self.becomes, self.tests)


def read_list():
    """Blocks of four lines: 'file: NAME', '- text', '+ text', 'tests: NAME…'; '#' begins a comment.
    A '+' line without text takes the '-' text out."""
    found, m = [], None
    for i, line in enumerate(open(LIST, encoding="utf-8"), 1):
        line = line.rstrip("\n")
        if line.strip() == "" or line.startswith("#"):
            continue
        key, _, value = line.partition(" ")
        if key == "file:":
            m = Mistake(i)
            m.file = value.strip()
        elif m is None:
            sys.exit(f"{LIST}:{i}: found '{line}', expected 'file:'")
        elif key == "-":
            m.was = value.strip()
        elif key == "+":
            m.becomes = value.strip()
        elif key == "tests:":
            m.tests = value.split()
        else:
            sys.exit(f"{LIST}:{i}: found '{key}', expected file:, -, + or tests:")
        if m.complete():
            found.append(m)
            m = None
    if m is not None:
        sys.exit(f"{LIST}:{m.line}: the last mistake is not complete")
    return found


def pattern(text):
    """The text with any white space between its words, as the layout may break lines elsewhere."""
    return re.compile(r"\s+".join(re.escape(w) for w in text.split()))


def tree():
    out = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                         capture_output=True, check=True).stdout.decode()
    return [f for f in out.split("\0") if f != "" and os.path.isfile(os.path.join(ROOT, f))]


def applied(text, m):
    """The text with the mistake; None where its text does not stand there exactly once."""
    hits = list(pattern(m.was).finditer(text))
    if len(hits) != 1:
        return None
    return text[:hits[0].start()] + m.becomes + text[hits[0].end():]


def find(files, m):
    """The one file of the mistake's name in which its text stands once, wherever it lies; else None."""
    named = [f for f in files if os.path.basename(f) == m.file and f.startswith("src/")]
    hits = [f for f in named if applied(open(os.path.join(ROOT, f), encoding="utf-8").read(), m) is not None]
    return hits[0] if len(hits) == 1 else None


def copy_tree(files, to):
    """Files that differ are written, the others keep their times; what is gone is removed."""
    keep = set()
    for f in files:
        a, b = os.path.join(ROOT, f), os.path.join(to, f)
        keep.add(b)
        os.makedirs(os.path.dirname(b), exist_ok=True)
        if not os.path.exists(b) or open(a, "rb").read() != open(b, "rb").read():
            shutil.copyfile(a, b)
            shutil.copymode(a, b)
    own = (os.path.join(to, "build"), os.path.join(to, ".git"))
    for folder, _, names in os.walk(to):
        for n in names:
            if not folder.startswith(own) and os.path.join(folder, n) not in keep:
                os.remove(os.path.join(folder, n))


def quiet(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)


def targets(tests):
    """What has to be built for the tests: their programs, and isoglot for those that are scripts."""
    sources = {n for _, _, names in os.walk(os.path.join(ROOT, "tests")) for n in names}
    programs = {t for t in tests if f"{t}.c" in sources}
    return sorted(programs | ({"isoglot"} if programs != set(tests) else set()))


def build(folder, tests):
    return quiet(["ninja", "-C", folder] + targets(tests))


def run_tests(folder, tests):
    env = dict(os.environ, OPENBLAS_NUM_THREADS="1")
    env.setdefault("ISOGLOT_TEST_SHARED", os.path.join(os.path.dirname(ROOT), "shared"))
    return quiet(["ctest", "--test-dir", folder, "--timeout", "300", "--stop-on-failure", "--no-tests=error",
                  "-R", "^(" + "|".join(tests) + ")$"], env=env)


def broken(what, r):
    print("\n".join(r.stdout.splitlines()[-15:]))
    print(f"mutate: {what}")
    sys.exit(3)


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--list", action="store_true", help="say what there is, and build nothing")
    p.add_argument("file", nargs="*", help="base names of source files")
    a = p.parse_args()
    mistakes = read_list()
    # Mistakes stand in src/ alone: looking for them needs no git.
    files = [os.path.relpath(os.path.join(f, n), ROOT) for f, _, names in os.walk(os.path.join(ROOT, "src")) for n in names]
    if a.file:
        mistakes = [m for m in mistakes if m.file in a.file]
        if not mistakes:
            sys.exit(f"mutate: no mistake of {' '.join(a.file)} is listed")
    missing = 0
    for m in mistakes:
        if find(files, m) is None:
            missing += 1
            print(f"{os.path.relpath(LIST)}:{m.line}: '{m.was}' does not stand once in one file src/…/{m.file}")
    if a.list or missing:
        print(f"{len(mistakes)} mistakes in {len({m.file for m in mistakes})} files, {missing} do not apply")
        sys.exit(3 if missing else 0)

    # As the checkout and its build folder lie to each other, so that a compiler cache serves both.
    source = os.path.join(ROOT, "build-mutate")
    folder = os.path.join(source, "build")
    copy_tree(tree(), source)
    if not os.path.exists(os.path.join(source, ".git")):  # a commit, which some tests need
        quiet(["git", "init", "-q", source])
        quiet(["git", "-C", source, "-c", "user.name=mutate", "-c", "user.email=mutate@localhost", "commit", "-q",
               "--allow-empty", "-m", "mistakes"])
    if not os.path.exists(os.path.join(folder, "build.ninja")):
        r = quiet(["cmake", "--preset", "release"], cwd=source)
        if r.returncode != 0:
            broken("cmake failed", r)
    every = sorted({t for m in mistakes for t in m.tests})
    r = build(folder, every)
    if r.returncode != 0:
        broken("the sources do not build", r)
    r = run_tests(folder, every)
    if r.returncode != 0:
        broken("a test fails without any mistake", r)
    unnoticed, stuck, start = [], [], time.time()
    for i, m in enumerate(mistakes, 1):
        path = os.path.join(source, find(files, m))
        text = open(path, encoding="utf-8").read()
        open(path, "w", encoding="utf-8").write(applied(text, m))
        try:
            r = build(folder, m.tests)
            if r.returncode != 0:
                print("\n".join(x for x in r.stdout.splitlines() if "error:" in x))
                print(f"{os.path.relpath(LIST)}:{m.line}: the mistake does not compile", flush=True)
                stuck.append(m)
                continue
            r = run_tests(folder, m.tests)
        finally:
            open(path, "w", encoding="utf-8").write(text)
        seen = r.returncode != 0
        if not seen:
            unnoticed.append(m)
        print(f"{i:3}/{len(mistakes)} {'noticed    ' if seen else 'NOT NOTICED'} {m.file}: "
              f"{m.was} -> {m.becomes or '(nothing)'}", flush=True)
    tried = len(mistakes) - len(stuck)
    share = 1 - len(unnoticed) / max(tried, 1)
    print(f"\n{tried - len(unnoticed)} of {tried} noticed: {100 * share:.1f} % "
          f"({time.time() - start:.0f} s)")
    for m in unnoticed:
        print(f"not noticed: {m.file}: {m.was} -> {m.becomes} ({' '.join(m.tests)})")
    sys.exit(3 if stuck else 0 if share >= AIM else 1)


main()
