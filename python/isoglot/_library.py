"""libisoglot and the program, as Python calls them (ctypes; isoglot/error.h, memory.h, model.h, tokenizer.h)."""

from __future__ import annotations

import contextlib
import ctypes as c
import functools
import importlib
import operator
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import weakref
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, Mapping, Sequence, SupportsIndex

HERE = Path(__file__).resolve().parent


class Error(Exception):
    """What isoglot says went wrong. code: the exit code of the program (`isoglot help exit-codes`); where, line: the file or
    option, and the line in it (0: none); hint: what to do ("": nothing is known)."""

    def __init__(self, code: int, where: str, line: int, message: str, hint: str = "") -> None:
        self.code, self.where, self.line, self.message, self.hint = code, where, line, message, hint
        place = f"{where}:{line}: " if where and line else f"{where}: " if where else ""
        super().__init__(place + message + (f" ({hint})" if hint else ""))


class UsageError(Error, ValueError):
    """An argument, option or setting that cannot be."""


class MissingError(Error, FileNotFoundError):
    """A file or folder that is not there."""


def error(code: int, where: str, line: int, message: str, hint: str = "") -> Error:
    """The error that it is in Python, too: ValueError, FileNotFoundError."""
    missing = code == 4 and re.search(r"no such (file|folder)|found no file", message, re.I)
    kind = MissingError if missing else UsageError if code == 2 else Error
    return kind(code, where, line, message, hint)


@contextlib.contextmanager
def scratch() -> Iterator[str]:
    """A folder for texts and states as files, "NUMBER-NAME.txt". Errors name what they were made of, not the files."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            yield folder
        except Error as e:
            plain = functools.partial(re.sub, re.escape(folder + os.sep) + r"(?:\d+-)?([^/:]*)\.(?:txt|safetensors)", r"\1")
            raise error(e.code, plain(e.where), e.line, plain(e.message), plain(e.hint)) from None


class Err(c.Structure):
    _fields_ = [("code", c.c_int), ("where", c.c_char * 256), ("line", c.c_uint64), ("msg", c.c_char * 384),
                ("hint", c.c_char * 256)]


class TokenizerOptions(c.Structure):
    _fields_ = [("lowercase", c.c_bool), ("keep_controls", c.c_bool), ("join_ideographs", c.c_bool), ("accents", c.c_int)]


class ModelOptions(c.Structure):
    _fields_ = [("lowercase", c.c_bool), ("n_thread", c.c_int), ("stop", c.POINTER(c.c_int)),
                ("bfloat16", c.c_bool), ("device", c.c_char_p)]


class EncodeOptions(c.Structure):
    _fields_ = [("language", c.c_char_p), ("layer", c.POINTER(c.c_int)), ("n_layer", c.c_int), ("pool", c.c_int)]


P, I32, I64 = c.c_void_p, c.c_int32, c.c_int64
# name: (what it returns, arguments); tests/python compares the numbers of arguments with the headers.
FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "ig_version": (c.c_char_p, []),
    "ig_free": (None, [P]),
    "ig_tokenizer_load": (c.c_int, [c.POINTER(P), c.c_char_p, c.POINTER(TokenizerOptions), c.POINTER(Err)]),
    "ig_tokenizer_open": (c.c_int, [c.POINTER(P), c.c_char_p, c.POINTER(TokenizerOptions), c.POINTER(Err)]),
    "ig_tokenizer_free": (None, [P]),
    "ig_tokenizer_size": (I32, [P]),
    "ig_tokenizer_piece": (c.c_char_p, [P, I32]),
    "ig_tokenizer_id": (I32, [P, c.c_char_p]),
    "ig_tokenizer_encode": (c.c_int, [P, c.c_char_p, I64, c.POINTER(P), c.POINTER(I64), c.POINTER(I64), c.POINTER(Err)]),
    "ig_model_open": (c.c_int, [c.POINTER(P), c.c_char_p, c.POINTER(ModelOptions), c.POINTER(Err)]),
    "ig_model_close": (None, [P]),
    "ig_model_size": (I32, [P]),
    "ig_model_depth": (I32, [P]),
    "ig_model_n_language": (I32, [P]),
    "ig_model_language_name": (c.c_char_p, [P, I32]),
    "ig_model_encode": (c.c_int, [P, P, c.POINTER(c.c_char_p), I64, c.POINTER(EncodeOptions), c.POINTER(I64),
                                  c.POINTER(Err)]),
    "ig_model_encode_tokens": (c.c_int, [c.POINTER(P), c.POINTER(I64), P, c.POINTER(c.c_char_p), I64, c.POINTER(EncodeOptions),
                                         c.POINTER(Err)]),
    "ig_model_encode_pairs": (c.c_int, [c.POINTER(P), c.POINTER(I64), P, c.POINTER(EncodeOptions), I64, c.POINTER(Err)]),
    "ig_word_vectors_open": (c.c_int, [c.POINTER(P), c.c_char_p, I64, c.POINTER(Err)]),
    "ig_word_vectors_close": (None, [P]),
    "ig_word_vectors_n_word": (I32, [P]),
    "ig_word_vectors_size": (I32, [P]),
    "ig_word_vectors_rows": (P, [P]),
    "ig_word_vectors_word": (c.c_char_p, [P, I32]),
    "ig_model_train": (c.c_int, [c.c_char_p, c.c_char_p, c.POINTER(c.c_int), c.POINTER(Err)]),
    "ig_model_train_text": (c.c_int, [c.c_char_p, c.c_char_p, c.POINTER(c.c_int), c.POINTER(Err)]),
}

_loaded: c.CDLL | None = None
_locks: weakref.WeakSet[Lock] = weakref.WeakSet()


class Lock:
    """Of what one thread may use at a time. In a child of fork it is free: who held it is not there."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        _locks.add(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def _free_locks() -> None:
    for lock in list(_locks):
        lock._lock = threading.Lock()


os.register_at_fork(after_in_child=_free_locks)


def library() -> c.CDLL:
    """libisoglot: $ISOGLOT_LIBRARY, the package's own, or the system's."""
    global _loaded
    if _loaded is None:
        own = sorted(HERE.glob("lib*/libisoglot.so*"))
        name = os.environ.get("ISOGLOT_LIBRARY") or (str(own[0]) if own else "libisoglot.so.0")
        lib = c.CDLL(name)
        for f, (returns, arguments) in FUNCTIONS.items():
            getattr(lib, f).restype = returns
            getattr(lib, f).argtypes = arguments
        _loaded = lib
    return _loaded


def path(name: str, value: str | os.PathLike[str]) -> bytes:
    """A path as C has it: ctypes would end it at a NUL without a word."""
    data = os.fsencode(value)
    if b"\0" in data:
        raise error(2, name, 0, f"found {value!r}, expected a path without a NUL")
    return data


def text(name: str, value: str) -> bytes:
    """The same of other text."""
    if not isinstance(value, str):
        raise TypeError(f"{name}: found {type(value).__name__}, expected str")
    if "\0" in value:
        raise error(2, name, 0, f"found {value!r}, expected a text without a NUL")
    return value.encode()


def mapping(name: str, value: object) -> None:
    if not isinstance(value, Mapping):
        raise TypeError(f"{name}: found {type(value).__name__}, expected a dict of languages")


def whole(name: str, value: SupportsIndex, least: int = -(2**31), most: int = 2**31 - 1) -> int:
    """An integer that C's type holds: ctypes would take its last bits."""
    number = operator.index(value)
    if not least <= number <= most:
        raise error(2, name, 0, f"found {number}, expected an integer from {least} to {most}")
    return number


def check(code: int, err: Err) -> None:
    if code != 0:
        raise error(code, err.where.decode(errors="replace"), err.line, err.msg.decode(errors="replace"),
                    err.hint.decode(errors="replace"))


def interruptible(work: Callable[[], int], stop: c.c_int) -> int:
    """The result of `work`, a call into the library (which has no GIL meanwhile), in a thread of its own, so that Ctrl-C
    reaches Python: it sets `stop`, waits for the end of what is saved, and goes on as KeyboardInterrupt."""
    stop.value = 0
    if threading.current_thread() is not threading.main_thread():
        return work()
    result: list[int] = []
    done = threading.Event()

    def run() -> None:
        try:
            result.append(work())
        finally:
            done.set()

    threading.Thread(target=run, daemon=True).start()
    interrupt: KeyboardInterrupt | None = None
    while not done.is_set():
        try:
            # Not Thread.join: interrupted, it takes a thread for ended that is not (CPython 3.11).
            done.wait(0.2)
        except KeyboardInterrupt as e:
            # The library still writes into what is the caller's: a second one changes nothing.
            stop.value = 1
            interrupt = e
    if interrupt is not None:
        raise interrupt
    return result[0]


def program() -> str:
    """The program: $ISOGLOT_PROGRAM, the package's own, or the first on the path."""
    own = HERE / "bin" / "isoglot"
    found = os.environ.get("ISOGLOT_PROGRAM") or (str(own) if own.exists() else shutil.which("isoglot"))
    if not found:
        raise error(4, "isoglot", 0, "found no program of that name, expected it in the package or on the path")
    return found


def options(settings: Mapping[str, Any]) -> list[str]:
    """Settings as options of the program: lr=1e-4, cut_eval=False, layers=[0, 8]."""
    out = []
    for key, value in settings.items():
        name = key.replace("_", "-")
        if isinstance(value, bool):
            out.append(f"--{name}" if value else f"--no-{name}")
        else:
            text = ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
            out.append(f"--{name}={text}")
    return out


def shows(progress: bool | None) -> bool:
    """Whether progress is shown: None is in a notebook, and where standard error is a terminal."""
    return progress if progress is not None else "ipykernel" in sys.modules or sys.stderr.isatty()


def follow(lines: Iterable[str], said: list[str]) -> None:
    """Shows what the program says: runs that are done on a bar of tqdm, where it is installed, else every line on standard
    error. All of it goes to `said`."""
    tqdm: Any = None
    with contextlib.suppress(ImportError):
        tqdm = importlib.import_module("tqdm.auto").tqdm
    bar = None
    try:
        for line in lines:
            said.append(line)
            done = re.match(r"(?P<run>.*) done after .*\((?P<n>\d+) of (?P<all>\d+)[,)]", line)
            if tqdm is None:
                sys.stderr.write(line)
            elif done is not None:
                bar = bar or tqdm(total=int(done["all"]), unit="run")
                bar.set_postfix_str(done["run"])
                bar.update(int(done["n"]) - bar.n)
    finally:
        if bar is not None:
            bar.close()


def _stop(p: subprocess.Popen[str], said: list[str]) -> None:
    """Waits until the program has saved and ended. A terminal's or notebook's Ctrl-C reaches it, too, and a second one would
    end it at once; one that Python alone was sent is passed on."""
    try:
        p.communicate(timeout=1)
    except subprocess.TimeoutExpired as e:
        if "stopping" not in "".join(said) and b"stopping" not in (e.stderr or b""):
            p.send_signal(signal.SIGINT)
        p.communicate()


def call(arguments: Sequence[str], progress: bool = False) -> str:
    """Standard output of the program. Ctrl-C is the program's, too: it saves what it has and ends. progress: what it says
    meanwhile is shown (follow)."""
    said: list[str] = []
    with subprocess.Popen([program(), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, encoding="utf-8") as p:
        try:
            if progress and p.stderr is not None:
                follow(p.stderr, said)
            out, rest = p.communicate()
        except KeyboardInterrupt:
            _stop(p, said)
            raise
    if p.returncode != 0:
        raise error_of(p.returncode, "".join(said) + (rest or ""))
    return out


def error_of(code: int, said: str) -> Error:
    """The program's one line of an error, taken apart."""
    line = next((s for s in reversed(said.splitlines()) if ": error: " in s), "isoglot: error: failed")
    text = line.split(": error: ", 1)[1]
    hint = ""
    if text.endswith(")") and " (" in text:
        text, hint = text[:-1].split(" (", 1)
    m = re.match(r"(?P<where>[^ :]+)(?::(?P<line>\d+))?: (?P<text>.*)", text)
    if m is None:
        return error(code, "", 0, text, hint)
    return error(code, m["where"], int(m["line"] or 0), m["text"], hint)


def main() -> None:
    """The program itself: `isoglot` on the command line of an environment with the package."""
    os.execv(program(), ["isoglot", *sys.argv[1:]])
