"""The Python package against the library and the program of this build ($ISOGLOT_LIBRARY, $ISOGLOT_PROGRAM), and the
notebook of examples/ run as a script. Ends with 77 where numpy is missing."""

import ast
import contextlib
import io
import json
import linecache
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "python"))
try:
    import numpy as np
except ImportError:
    print("skipped: no numpy")
    sys.exit(77)
import isoglot  # noqa: E402
from isoglot import _library  # noqa: E402

TINY = {"preset": "bert-tiny", "world_sentences": 300, "dev_take": 60, "vocab_size": 150, "updates": 3, "batch": 32}
EXPERIMENT = """\
base: {preset: bert-tiny, world: demo, world_sentences: 60, dev_take: 20, vocab_size: 120, updates: 2, batch: 16}
cells: {original: {}, apart: {lang_pos: true}}
seeds: 1
variants: {longer: {base: {updates: 3}}}
report:
  tables: [{name: table1, columns: [mu, "perplexity[dev]"]}]
  figures: [{name: bars, kind: bars, values: [mu]}]
"""


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = Path(cls.folder.name)
        cls.run_ = isoglot.train(cls.root / "run", TINY)
        cls.model = isoglot.Model(cls.run_, threads=1)
        cls.texts = isoglot.World("demo", languages="eng; jap", sentences=20)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_diagnose(self):
        """The numbers of a callable are those of the model whose states it gives; what is wrong with one is one line."""
        texts = {k: [f"{k} {s}" for s in ("a b c", "b c a d", "c", "", "d e a", "e b") * 4] for k in ("x", "y")}
        model = isoglot.Model(SOURCE / "tests/data/foreign/roberta", threads=1)

        def encode(sentences):
            of = model.encode(sentences, layer=range(model.depth + 1))
            return np.stack([of[k] for k in sorted(of)])

        native, own = (isoglot.diagnose(m, texts) for m in (model, encode))
        def value(card, layer):
            return card["layers"][layer]["pairs"]["x-y"]["retrieval_cosine"]["value"]

        self.assertEqual([value(native, k) for k in "012"], [value(own, k) for k in "012"])
        self.assertEqual(own["model"], "encode")
        self.assertIsNone(own["languages"]["x"]["perplexity"])
        self.assertEqual(native["languages"]["y"]["words"], own["languages"]["y"]["words"])
        texts["y"] = texts["y"][:15]
        self.assertFalse(isoglot.diagnose(encode, texts)["parallel"])
        with self.assertRaisesRegex(isoglot.Error, "^x: found 3 sentences"):
            isoglot.diagnose(model, {k: ["a"] * 3 for k in "xy"})
        # Commands name the caller's files, never one that is gone.
        twice = {name: 4 * [f"{i} {name}" for i in range(5)] for name in texts}
        self.assertEqual([f["command"] for f in isoglot.diagnose(model, twice, allow_unknown=True)["findings"] if f["kind"] == "duplicates"],
                         [None])
        for bad in (lambda s: encode(s)[:, 1:], lambda s: encode(s)[0], lambda s: encode(s) * np.nan):
            with self.assertRaisesRegex(isoglot.Error, r"^x: (found states of shape|the state of 'x a b c' in layer 0 is not finite)"):
                isoglot.diagnose(bad, texts)

    def test_signatures(self):
        """As many arguments as the headers declare, and every function is declared there."""
        text = "".join(p.read_text() for p in sorted((SOURCE / "include/isoglot").glob("*.h")))
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
        for name, (_, arguments) in _library.FUNCTIONS.items():
            found = re.search(rf"\b{name}\(([^)]*)\)", text)
            self.assertIsNotNone(found, name)
            declared = [] if found[1].strip() == "void" else found[1].split(",")
            self.assertEqual(len(declared), len(arguments), name)

    def test_encode(self):
        s = self.texts.sentences("eng")
        h = self.model.encode(s, layer=1)
        self.assertEqual((h.shape, h.dtype), ((20, self.model.size), np.float32))
        both = self.model.encode(s, layer=[1, 0])
        self.assertEqual(list(both), [1, 0])
        np.testing.assert_array_equal(both[1], h)
        # One at a time, without others in the batch; and another number of threads.
        one = np.concatenate([self.model.encode([x], layer=1) for x in s[:5]])
        np.testing.assert_allclose(one, h[:5], atol=1e-5)
        np.testing.assert_array_equal(isoglot.Model(self.run_, threads=2).encode(s, layer=1), h)
        self.assertEqual(self.model.encode([], layer=1).shape, (0, self.model.size))
        np.testing.assert_array_equal(self.model.encode((x for x in s), layer=1), h)
        self.assertFalse(np.array_equal(self.model.encode(s, layer=1, pooling="cls"), h))
        self.assertFalse(np.array_equal(self.model.encode(s, layer=1, pooling="last"), h))
        self.assertFalse(np.array_equal(self.model.encode(s, layer=1, pooling="weighted"), h))
        with self.assertRaises(ValueError):
            isoglot.Model(self.run_, precision="half")
        try:
            rough = isoglot.Model(self.run_, precision="bfloat16").encode(s, layer=1)
        except isoglot.Error:  # a CPU without them
            return
        self.assertTrue(0 < np.abs(rough - h).max() < .05 * np.abs(h).max())

    def test_device(self):
        """A model on a GPU, here an emulated one, has the same vectors and measures but for rounding."""
        with self.assertRaises(isoglot.Error):
            isoglot.Model(self.run_, device="gpu")
        module = Path(_library.program()).parent / "tests/libisoglot-emulated.so"
        if not module.exists():
            self.skipTest(f"{module} is not built")
        s = self.texts.sentences("eng")[:5]
        cpu = isoglot.Model(self.run_, device="cpu")
        with unittest.mock.patch.dict(os.environ, ISOGLOT_CUDA_MODULE=str(module)):
            gpu = isoglot.Model(self.run_, device="cuda")
            there = gpu.encode(s, layer=1)
            tables = [{(r["measure"], r.get("layer"), r.get("text")): r["value"] for r in isoglot.measure(m)["rows"]} for m in (cpu, gpu)]
        again = isoglot.Model(self.run_, device="cpu").encode(s, layer=1)
        here = cpu.encode(s, layer=1)
        np.testing.assert_array_equal(again, here)
        np.testing.assert_allclose(there, here, atol=1e-5)
        self.assertFalse(np.array_equal(there, here))
        self.assertEqual(list(tables[0]), list(tables[1]))
        np.testing.assert_allclose(list(tables[0].values()), list(tables[1].values()), rtol=1e-3, atol=1e-3)
        self.assertNotEqual(tables[0], tables[1])

    def test_languages(self):
        self.assertGreaterEqual(len(self.model.languages), 2)
        s = self.texts.sentences("eng")[:3]
        a, b = (self.model.encode(s, layer=0, language=k) for k in self.model.languages[:2])
        self.assertFalse(np.allclose(a, b))

    def test_errors(self):
        with self.assertRaises(isoglot.Error) as e:
            isoglot.Model(self.root / "nothing")
        self.assertIn("nothing", e.exception.where)
        with self.assertRaises(isoglot.Error) as e:
            self.model.encode(["x"], layer=99)
        self.assertEqual(e.exception.code, 2)
        with self.assertRaises(isoglot.Error) as e:
            isoglot.World("demo", languages="eng", sentences=-5)
        self.assertEqual(e.exception.code, 2)
        with self.assertRaises(TypeError):
            self.model.encode("one")
        e = _library.error_of(3, "isoglot x: error: f.txt:7: found a, expected b (do c)\n")
        self.assertEqual((e.where, e.line, e.message, e.hint), ("f.txt", 7, "found a, expected b", "do c"))

    def test_types(self):
        """What C's types do not hold is an error, not its last bits; nor is text cut at a NUL."""
        m, s = self.model, self.texts.sentences("eng")[:2]
        vectors, vocab = self.root / "few.vec", self.root / "types.txt"
        vectors.write_text("2 2\na 1 2\nb 3 4\n")
        vocab.write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nab\n")
        t = isoglot.Tokenizer(vocab)
        for big in (2**31, 2**32, 2**32 + 1, 2**64 + 1, -2**31 - 1, -2**32):
            for do in (lambda: m.encode(s, layer=big), lambda: m.encode(s, layer=[0, big]),
                       lambda: m.encode_pairs([big]), lambda: isoglot.Model(self.run_, threads=big)):
                with self.assertRaises(isoglot.Error) as e:
                    do()
                self.assertEqual(e.exception.code, 2)
            with self.assertRaises(IndexError):
                t.piece(big)
        for big in (2**63, 2**64, -1):
            for do in (lambda: m.encode_pairs([0], most=big), lambda: isoglot.Vectors(vectors, most=big)):
                with self.assertRaises(isoglot.Error):
                    do()
        for do in (lambda: isoglot.Model(f"{self.run_}\0x"), lambda: isoglot.Tokenizer(f"{vocab}\0.gz"),
                   lambda: isoglot.Vectors(f"{vectors}\0"), lambda: isoglot.train(f"{self.root}/nul\0x", TINY),
                   lambda: isoglot.train(self.root / "nul", f"{self.root}/e\0.yaml"),
                   lambda: m.encode(["a\0b"]), lambda: m.encode(s, language="en\0")):
            with self.assertRaises(isoglot.Error) as e:
                do()
            self.assertEqual(e.exception.code, 2)
            self.assertIn("without a NUL", e.exception.message)
        for do in (lambda: isoglot.measure(f"{self.run_}\0x"), lambda: isoglot.Map("a\0b"),
                   lambda: isoglot.Experiment("e\0.yaml").run(), lambda: isoglot.World(languages="eng\0")):
            with self.assertRaises(ValueError):
                do()
        self.assertFalse((self.root / "nul").exists())
        self.assertIsNone(t.id("ab\0c"))
        np.testing.assert_array_equal(m.encode(s, layer=np.int64(1)), m.encode(s, layer=1))
        with self.assertRaises(isoglot.Error) as e:
            isoglot.train(self.root / "nul", {**TINY, "updates": 2**64})
        self.assertEqual((e.exception.code, e.exception.where), (2, "settings"))

    def test_one_model_in_threads(self):
        """Threads that share a model get what one gets alone."""
        m = isoglot.Model(self.run_, threads=2)
        s = [self.texts.sentences(k)[:n] for k, n in (("eng", 20), ("jap", 13), ("eng", 7), ("jap", 1))]
        want = [m.encode(x, layer=1 + i % 2) for i, x in enumerate(s)]
        pairs = m.encode_pairs([1], most=5)[1]
        wrong = []

        def work(i):
            for _ in range(15):
                if not np.array_equal(m.encode(s[i], layer=1 + i % 2), want[i]):
                    wrong.append(i)
                if not np.array_equal(m.encode_pairs([1], most=5)[1][1], pairs[1]):
                    wrong.append("pairs")

        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for x in threads:
            x.start()
        work(0)
        for x in threads:
            x.join()
        self.assertEqual(wrong, [])

    def test_fork(self):
        """A model that was opened and used before fork works in the child, also while the parent's threads are in it; and it
        ends."""
        m = isoglot.Model(self.run_, threads=2)
        s = self.texts.sentences("eng")
        want = m.encode(s, layer=1)
        busy = threading.Thread(target=lambda: [m.encode(s * 20, layer=1) for _ in range(10)])
        busy.start()
        for _ in range(3):
            child = os.fork()
            if child == 0:
                signal.alarm(60)
                right = np.array_equal(m.encode(s, layer=1), want) and np.array_equal(m.encode(s, layer=1), want)
                m.__del__()
                os._exit(0 if right else 1)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
        busy.join()
        np.testing.assert_array_equal(m.encode(s, layer=1), want)

    def test_train_in_a_folder_that_cannot_be_written(self):
        """Settings are no file of the working folder; a run that cannot be written is an error."""
        folder = self.root / "read-only"
        folder.mkdir()
        (folder / "en.txt").write_text("".join(x + "\n" for x in self.texts.sentences("eng")))
        code = ("import sys, isoglot; isoglot.train(sys.argv[1], text='en.txt', languages='en', preset='bert-tiny', updates=2,"
                " vocab_size=60, batch=8, eval=False)")
        environment = {**os.environ, "PYTHONPATH": str(SOURCE / "python")}

        def train(out):
            return subprocess.run([sys.executable, "-c", code, str(out)], cwd=folder, env=environment, text=True,
                                  capture_output=True)

        folder.chmod(0o500)
        try:
            p = train(self.root / "elsewhere")
            self.assertEqual(p.returncode, 0, p.stderr)
            self.assertEqual([x.name for x in folder.iterdir()], ["en.txt"])
            self.assertTrue((self.root / "elsewhere/model/model.safetensors").exists())
            if os.geteuid() != 0:  # who may write everywhere
                p = train("here")
                self.assertIn("isoglot._library.Error: here", p.stderr)
        finally:
            folder.chmod(0o700)
        with self.assertRaises(isoglot.Error) as e:
            isoglot.train("/proc/none/run", TINY)
        self.assertEqual(e.exception.code, 4)

    def test_comma_locale(self):
        """Numbers are read and written with a point in a program with another locale, whose own locale stays."""
        folder = self.root / "locales"
        folder.mkdir()
        try:
            subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", folder / "de_DE.UTF-8"], capture_output=True)
        except OSError:
            pass
        code = ("import locale, sys, isoglot; locale.setlocale(locale.LC_ALL, 'de_DE.UTF-8');"
                "assert locale.localeconv()['decimal_point'] == ',';"
                f"isoglot.train(sys.argv[1], {TINY!r}, lr=2.5e-3, mask_prob=.25);"
                "m = isoglot.Model(sys.argv[1]); m.encode(['x']); assert isoglot.measure(m)['rows'];"
                "v = isoglot.Vectors(sys.argv[2]); assert v.x.tolist() == [[.5, -1.5]];"
                "assert f'{1.5:n}' == '1,5'")
        (self.root / "comma.vec").write_text("1 2\na 0.5 -1.5\n")
        p = subprocess.run([sys.executable, "-c", code, self.root / "comma", self.root / "comma.vec"], text=True,
                           capture_output=True, env={**os.environ, "PYTHONPATH": str(SOURCE / "python"), "LOCPATH": str(folder)})
        if "unsupported locale" in p.stderr:
            self.skipTest("no locale with a comma")
        self.assertEqual(p.returncode, 0, p.stderr)
        plain = isoglot.train(self.root / "point", TINY, lr=2.5e-3, mask_prob=.25)
        for name in ("model/model.safetensors", "model/config.json"):
            self.assertEqual((plain / name).read_bytes(), (self.root / "comma" / name).read_bytes())

    def test_tokenizer(self):
        path = self.root / "vocab.txt"
        path.write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nab\n##c\n")
        t = isoglot.Tokenizer(path)
        self.assertEqual((len(t), t.encode("abc ab x"), t.pieces("abc")), (7, [5, 6, 5, 1], ["ab", "##c"]))
        self.assertEqual((t.id("ab"), t.id("q")), (5, None))
        with self.assertRaises(IndexError):
            t.piece(7)
        folder = self.root / "tokenizer"
        folder.mkdir()
        (folder / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n\u00e4\na\n")
        (folder / "tokenizer_config.json").write_text('{"do_lower_case": true, "strip_accents": false}')
        self.assertEqual(isoglot.Tokenizer(folder).encode("\u00c4 A"), [5, 6])

    def test_measure(self):
        """What `isoglot eval` prints: of a run, of a model folder and of a published model, texts as files and as lists."""

        def same(got, *arguments):
            said = subprocess.run([_library.program(), "eval", *map(str, arguments), "--json"], capture_output=True, check=True)
            self.assertEqual({**got, "seconds": 0}, {**json.loads(said.stdout), "seconds": 0})
            return got

        self.assertIn("mu", {row["measure"] for row in same(isoglot.measure(self.run_), self.run_)["rows"]})
        same(isoglot.measure(self.model, layers=[1, 0]), self.run_, "--layers", "0,1")
        foreign = SOURCE / "tests/data/foreign"
        en, de, words = foreign / "en.txt", foreign / "de.txt", self.root / "words.txt"
        words.write_text("cat Katze\nKatze Hund\nVater Vogel\nApfel Apfel\n")
        texts = ["--text", f"en={en}", "--text", f"de={de}"]
        m = isoglot.Model(foreign / "labse")
        with self.assertRaises(isoglot.Error) as e:
            isoglot.measure(m, en=en, de=de)
        self.assertIn("unknown to the vocabulary", e.exception.message)
        r = same(isoglot.measure(m, en=en, de=str(de), dictionary=words, allow_unknown=True), m.path, *texts, "--dictionary",
                 words, "--allow-unknown")
        self.assertIn("mu", {row["measure"] for row in r["rows"]})
        self.assertIn("head of masked words", r["missing"]["perplexity"])
        lists = {"en": en.read_text().splitlines(), "de": de.read_text().splitlines()}
        same(isoglot.measure(foreign / "roberta", layers=[1], **lists), foreign / "roberta", *texts, "--layers", 1)
        low = isoglot.Model(foreign / "labse", lowercase=True)
        self.assertNotEqual(same(isoglot.measure(low, en=en, de=de, allow_unknown=True), m.path, *texts, "--lowercase",
                                 "--allow-unknown")["rows"], r["rows"])
        s = self.texts.sentences("eng")
        text = self.texts.path / "eng.txt"
        same(isoglot.measure(self.model, en=s, fake=s), self.run_, "--text", f"en={text}", "--text", f"fake={text}")
        with self.assertRaises(isoglot.Error) as e:
            isoglot.measure(self.model, en=s, de=s)
        self.assertEqual((e.exception.code, e.exception.where), (2, "--text"))

    def test_world(self):
        w = self.texts
        self.assertEqual(len(w.sentences("eng")), 20)
        for a, b, links in zip(w.sentences("jap"), w.sentences("eng"), w.alignment("jap", "eng")):
            self.assertTrue(all(i < len(a.split()) and j < len(b.split()) for i, j in links))
        there = {x for s in w.sentences("eng") for x in s.split()}
        self.assertTrue(any(x in there for x, _ in w.dictionary("eng", "jap")))

    def test_fake(self):
        w = self.texts
        for name in ("eng", "jap"):
            for a, b, links in zip(w.sentences("fake"), w.sentences(name), w.alignment("fake", name)):
                self.assertTrue(all(i < len(a.split()) and j < len(b.split()) for i, j in links))
            here = {x for s in w.sentences(name) for x in s.split()}
            self.assertTrue(any(x.startswith("::") and y in here for x, y in w.dictionary("fake", name)))
            self.assertEqual([(y, x) for x, y in w.dictionary(name, "fake")], w.dictionary("fake", name))
        self.assertEqual(w.alignment("eng", "fake")[0], [(i, i) for i in range(len(w.sentences("eng")[0].split()))])
        self.assertEqual([s.replace("::", "") for s in w.sentences("fake")], w.sentences("eng"))
        self.assertEqual(w.tags("fake"), w.tags("eng"))

    def test_vectors(self):
        """Rows as they stand in the file, which live on without the Vectors; mapped as the program maps them."""
        rng = np.random.default_rng(0)
        x = rng.normal(size=(30, 4)).astype(np.float32)
        names = [f"w{i}é" for i in range(30)]
        path, pairs, mapped, saved = (self.root / name for name in ("a.vec", "pairs", "mapped.vec", "map.json"))
        path.write_text("30 4\n" + "".join(f"{w} {' '.join(map(repr, map(float, r)))}\n" for w, r in zip(names, x)))
        pairs.write_text("".join(f"{w}\t{w}\n" for w in names))
        v = isoglot.Vectors(path)
        self.assertEqual((v.words, len(v), "w3é" in v, "x" in v), (names, 30, True, False))
        np.testing.assert_array_equal(v.x, x)
        self.assertTrue(np.shares_memory(v["w3é"], v.x))
        self.assertEqual(isoglot.Vectors(path, most=5).x.shape, (5, 4))
        row = v["w7é"]
        for steps in ("unit,center,unit", "unit-dimensions,center-dimensions"):
            _library.call(["map", str(path), str(path), "--mode", "supervised", "--dictionary", str(pairs), "--normalise", steps,
                           "--save-map", str(saved), "--out-source", str(mapped), "--quiet"])
            np.testing.assert_allclose(isoglot.Map(saved).apply(v.x), isoglot.Vectors(mapped).x, atol=1e-5)
        del v
        np.testing.assert_array_equal(row, x[7])
        path.write_text("2 2\na 1 x\n")
        with self.assertRaises(isoglot.Error) as e:
            isoglot.Vectors(path)
        self.assertEqual((e.exception.code, e.exception.line), (3, 2))

    def when_begun(self, folder, do):
        while not any(p.stat().st_size for p in folder.rglob("log.jsonl")):
            time.sleep(0.05)
        do()

    def interrupted(self, folder, work):
        """Ctrl-C in the middle of a training below `folder`: saved, and KeyboardInterrupt."""
        interrupt = [folder, lambda: os.kill(os.getpid(), signal.SIGINT)]
        threading.Thread(target=self.when_begun, args=interrupt, daemon=True).start()
        with self.assertRaises(KeyboardInterrupt):
            work()
        self.assertTrue(any(folder.rglob("model.safetensors")))

    def test_interrupt(self):
        run = self.root / "long"
        self.interrupted(run, lambda: isoglot.train(run, {**TINY, "updates": 10**7, "log_every": 1}))
        file, store = self.root / "long.yaml", self.root / "long-store"
        file.write_text(EXPERIMENT)
        self.interrupted(store, isoglot.Experiment(file, set={"updates": 10**7}, store=store).run)
        # A terminal's Ctrl-C, which the program gets, too.
        store = self.root / "terminal-store"
        code = f"import isoglot; isoglot.Experiment({str(file)!r}, set={{'updates': 10**7}}, store={str(store)!r}).run(progress=True)"
        with subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True, start_new_session=True,
                              env={**os.environ, "PYTHONPATH": str(SOURCE / "python")}) as p:
            self.when_begun(store, lambda: os.killpg(p.pid, signal.SIGINT))
            self.assertIn("KeyboardInterrupt", p.communicate()[1])
        self.assertTrue(any(store.rglob("model.safetensors")))

    def test_experiment(self):
        file = self.root / "e.yaml"
        file.write_text(EXPERIMENT)
        e = isoglot.Experiment(file, variant="longer", set={"lr": 0.002}, store=self.root / "store")
        e.run(jobs=1)
        rows = e.rows()
        self.assertEqual({r["cell"] for r in rows}, {"original", "apart"})
        self.assertTrue(any(r["measure"] == "mu" for r in rows))
        with self.assertRaisesRegex(isoglot.Error, "no run is finished yet"):
            isoglot.Experiment(file, set={"lr": 0.003}, store=self.root / "store").table()
        claims = "claims: {first: {text: t, statement: 'onset(mu(original)) > 0'}}\nmeasure: {checkpoints: [1]}\n"
        file.write_text(EXPERIMENT + claims)
        curved = isoglot.Experiment(file, variant="longer", set={"lr": 0.002}, store=self.root / "store")
        curved.run(jobs=1)
        self.assertEqual({r["last"] for r in curved.rows()}, {"1"})
        self.assertTrue(any(r["measure"] == "rho" and r["step"] == "1" for r in curved.rows(curves=True)))
        self.assertIn("|", e.table())
        self.assertIn("<svg", e.figure("bars")._repr_svg_())
        with self.assertRaises(KeyError):
            e.figure("none")
        try:
            import pandas  # noqa: F401
        except ImportError:
            return
        table = e.results()
        self.assertEqual(len(table), len(rows))
        self.assertTrue({"cell", "seed", "measure", "split", "languages", "layer", "task", "value"} <= {*table.columns})
        self.assertFalse([c for c in table.columns if "." in c], "a column twice")
        self.assertTrue(table.address.map(lambda x: isinstance(x, str) and len(x) == 16).all())
        file.write_text(EXPERIMENT.replace("original", '"0"').replace("apart", '"1"').replace("updates: 2", "updates: 1"))
        numbered = isoglot.Experiment(file, store=self.root / "numbered-store")
        numbered.run(jobs=1)
        self.assertEqual({*numbered.results().cell}, {"0", "1"})

    def test_tidy(self):
        """A column for each axis of the cells' names, each tag, and the task of a score after fine-tuning."""
        row = {"cell": "a/lr=1e-3/seed=2", "tags": "", "measure": "mu", "split": "kjv", "seed": "1"}
        tuned = {**row, "cell": "b", "measure": "f1.conlleval", "split": "nli", "tags": "lr=1e-5;select=last"}
        axes, tags, rows = isoglot.experiment._tidy([row, tuned])
        self.assertEqual((axes, tags), (["lr", "seed_"], ["lr_", "select"]))
        self.assertEqual(rows[0], {**row, "lr": "1e-3", "seed_": "2", "task": ""})
        self.assertEqual(rows[1], {**tuned, "lr_": "1e-5", "select": "last", "task": "nli"})

    def test_own_measure(self):
        """ρ as a function of one's own is the program's; it is taken once for each version of its source, and where the
        experiment file names it, is in its table."""
        calls = []

        @isoglot.own_measure("rho.own")
        def rho(a, b):
            calls.append(a.shape)
            a, b = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in (a, b))
            return np.mean([np.mean(np.argmax(s, axis=1) == np.arange(len(a))) for s in (a @ b.T, b @ a.T)])

        file = self.root / "own.yaml"
        file.write_text(EXPERIMENT.replace('"perplexity[dev]"', '"rho[low]", "own[name=rho.own,low]", "own[name=other,1]"'))
        e = isoglot.Experiment(file, store=self.root / "own-store")
        try:
            e.run(jobs=1)
            value = {(r["measure"].split("[")[0], r["cell"], r["layer"]): r for r in e.rows()}
            for cell in ("original", "apart"):
                for layer in ("0", "2"):
                    self.assertAlmostEqual(float(value["own", cell, layer]["value"]),
                                           float(value["rho", cell, layer]["value"]), places=12)
                self.assertEqual(value["own", cell, "1"]["n"], "20")
            self.assertEqual(calls, [(20, self.model.size)] * 6)
            row = next(s for s in e.table().splitlines() if "lang-pos" in s).split("|")[5:-1]
            self.assertAlmostEqual(float(row[0].strip(" *")), float(row[1].strip(" *")), delta=0.006)
            self.assertEqual(row[2].strip(), "–")
            self.assertIn("<svg", e.figure("bars"))
            self.assertEqual(len(calls), 6)
            first = value["own", "apart", "0"]["version"]

            @isoglot.own_measure("rho.own")
            def nothing(a, b):
                return None if a.shape == b.shape else 1

            self.assertFalse([r for r in e.rows() if r["version"] == first or r["measure"].startswith("own")])
            isoglot.own_measure("rho.own")(rho)
            self.assertEqual({r["version"] for r in e.rows() if r["measure"].startswith("own")}, {first})
        finally:
            isoglot.own._measures.clear()
        for name in ("", "a b", "train", "x" * 32):
            with self.assertRaises(ValueError):
                isoglot.own_measure(name)
        with self.assertRaises(ValueError):
            isoglot.own_measure("x")(eval("lambda a, b: 0"))

    def test_encode_pairs(self):
        h = self.model.encode_pairs([0, 1])
        self.assertEqual([len(x) for x in h[1]], [60, 60])
        few = self.model.encode_pairs([1], languages=tuple(reversed(self.model.languages[:2])), most=7)[1]
        np.testing.assert_array_equal(few[0], h[1][1][:7])
        with self.assertRaises(isoglot.Error):
            self.model.encode_pairs([0], languages=("en", "nothing"))

    def run_cell(self, code, name, there):
        """The value of the cell's last expression, and what it printed: what a notebook shows."""
        body = ast.parse(code, name)
        last = ast.Expression(body.body.pop().value) if isinstance(body.body[-1], ast.Expr) else None
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(body, name, "exec"), there)
            value = eval(compile(last, name, "eval"), there) if last is not None else None
        return value, printed.getvalue()

    def test_notebooks(self):
        """Every cell of every notebook, one after the other, shows something; without pandas rows() for results()."""
        try:
            import pandas  # noqa: F401
            rows = "results()"
        except ImportError:
            rows = "rows()"
        before = os.getcwd()
        for path in sorted((SOURCE / "examples").glob("*.ipynb")):
            book = json.loads(path.read_text())
            (self.root / path.stem).mkdir()
            os.chdir(self.root / path.stem)
            try:
                there = {}
                for cell in book["cells"]:
                    if cell["cell_type"] != "code":
                        continue
                    code = "".join(cell["source"]).replace("results()", rows)
                    value, printed = self.run_cell(code, path.name, there)
                    self.assertTrue(value is not None or printed, code)
                if "exp" in there:
                    self.assertIn("<svg", there["exp"].figure("curves")._repr_svg_())
                    self.assertIn("| original |", there["exp"].table()._repr_markdown_())
                self.assertFalse(list(Path().glob(".isoglot-*")))
            finally:
                os.chdir(before)

    def test_manual(self):
        """Every example of docs/programs.md, one after the other in one folder."""
        text = (SOURCE / "docs/programs.md").read_text().split("\n## Python\n")[1].split("\n## ")[0]
        blocks = re.findall(r"^```python\n(.*?)^```$", text, re.S | re.M)
        self.assertGreaterEqual(len(blocks), 2)
        try:
            import pandas  # noqa: F401
        except ImportError:
            blocks = [b.replace("results()", "rows()") for b in blocks]
        before, folder = os.getcwd(), self.root / "manual"
        folder.mkdir()
        os.chdir(folder)
        there = {}
        try:
            for i, block in enumerate(blocks):
                # A function of one's own has a source, as in a notebook.
                name = f"<block {i}>"
                linecache.cache[name] = (len(block), None, block.splitlines(True), name)
                exec(compile(block, name, "exec"), there)
            self.assertEqual(there["h"].dtype, np.float32)
        finally:
            os.chdir(before)
            isoglot.own._measures.clear()

    def test_encode_more(self):
        """Layers from the end, the states of pieces, vectors of length 1; the old name of pooling; tensors."""
        s = [*self.texts.sentences("eng")[:4], ""]
        h = self.model.encode(s, layer=self.model.depth)
        np.testing.assert_array_equal(self.model.encode(s, layer=-1), h)
        both = self.model.encode(s, layer=[0, -1], pooling="tokens")
        t = isoglot.Tokenizer(self.run_ / "data/vocab.txt")
        self.assertEqual([len(x) for x in both[-1]], [len(t.encode(x)) for x in s])
        for x, mean in zip(both[-1][:4], h):
            np.testing.assert_allclose(x.mean(axis=0), mean, atol=1e-6)
        one = self.model.encode(s, layer=-1, normalize=True)
        np.testing.assert_allclose(one, h / np.linalg.norm(h, axis=1, keepdims=True), atol=1e-6)
        with self.assertWarns(FutureWarning):
            np.testing.assert_array_equal(self.model.encode(s, pool="cls"), self.model.encode(s, pooling="cls"))
        for wrong in ({"pooling": "max"}, {"output": "list"}, {"layer": -self.model.depth - 2}):
            with self.assertRaises(ValueError):
                self.model.encode(s, **wrong)
        try:
            import torch
        except ImportError:
            return
        np.testing.assert_array_equal(self.model.encode(s, layer=-1, output="torch").numpy(), h)
        self.assertIsInstance(self.model.encode(s, pooling="tokens", output="torch")[0], torch.Tensor)

    def test_python_errors(self):
        """What is missing is FileNotFoundError, what cannot be ValueError, another type TypeError; each isoglot's Error where
        the program says it."""
        nothing = self.root / "nothing"
        for do in (lambda: isoglot.Model(nothing), lambda: isoglot.Tokenizer(nothing), lambda: isoglot.Vectors(nothing),
                   lambda: isoglot.measure(nothing), lambda: isoglot.Experiment(nothing).run(),
                   lambda: isoglot.finetune(self.model, nothing, self.root / "x"), lambda: isoglot.train(self.root / "x", text=nothing)):
            with self.assertRaises(FileNotFoundError) as e:
                do()
            self.assertIsInstance(e.exception, isoglot.Error)
        for do in (lambda: self.model.encode(["x"], layer=99), lambda: isoglot.train(self.root / "x", {**TINY, "lr": -1})):
            with self.assertRaises(ValueError) as e:
                do()
            self.assertEqual(e.exception.code, 2)
        for do in (lambda: isoglot.Model(None), lambda: isoglot.Tokenizer(None), lambda: isoglot.Vectors(None),
                   lambda: isoglot.Experiment(None), lambda: isoglot.World(None), lambda: self.model.encode(None),
                   lambda: self.model.encode(["a", None]), lambda: isoglot.predict(self.model, "text"),
                   lambda: isoglot.predict(self.model, ["a", ("a", "b")]), lambda: self.model.encode(["a"], layer="high"),
                   lambda: self.model.encode(["a"], layer=1.0), lambda: isoglot.Tokenizer(self.run_ / "data/vocab.txt").encode(None),
                   lambda: isoglot.diagnose(self.model, None), lambda: isoglot.similarity(self.model, ["a"]),
                   lambda: isoglot.align(self.model, [None], ["a"]), lambda: isoglot.Model(self.model.path, device=3),
                   lambda: isoglot.Tokenizer(self.run_ / "data/vocab.txt").id(["a"]), lambda: isoglot.Experiment("e", set=["a"]),
                   lambda: isoglot.Tokenizer(self.run_ / "data/vocab.txt").piece(1.0),
                   lambda: isoglot.write_states(1, np.zeros((1, 1, 1)))):
            with self.assertRaises(TypeError):
                do()
        for do in (lambda: isoglot.Model(self.model.path, device="cpu\0"), lambda: isoglot.write_states(self.root / "x", np.zeros(3))):
            with self.assertRaises(ValueError):
                do()
        self.assertFalse((self.root / "x").is_file())
        # Half a character of UTF-16 is none.
        for do in (lambda: self.model.encode(["\ud800"]), lambda: isoglot.Tokenizer(self.run_ / "data/vocab.txt").encode("\ud800"),
                   lambda: isoglot.measure(self.model, en=["\ud800"], fake=["a"])):
            with self.assertRaises(UnicodeEncodeError):
                do()

    def test_shown(self):
        self.assertEqual(isoglot.__version__, isoglot.version())
        self.assertRegex(repr(self.model), r"Model\('.*run', 2 layers of 32, languages en, fake\)")
        self.assertRegex(repr(self.texts), "World.eng; jap: 20 sentences")
        self.assertIn("--set, lr=1", repr(isoglot.Experiment("e.yaml", set={"lr": 1})))
        self.assertIn("--set, updates=null", repr(isoglot.Experiment("e.yaml", set={"updates": None})))

    def test_neighbours(self):
        path = self.root / "near.vec"
        path.write_text("4 2\na 1 0\nb 2 .2\nc 0 1\nd -1 0\n")
        v = isoglot.Vectors(path)
        self.assertEqual([w for w, _ in v.neighbours("a", 2)], ["b", "c"])
        self.assertAlmostEqual(v.neighbours("a")[0][1], 2 / np.hypot(2, .2), places=6)
        self.assertEqual([w for w, _ in v.neighbours(v["d"], 9)], ["d", "c", "b", "a"])
        with self.assertRaises(KeyError):
            v.neighbours("nothing")
        for wrong in (lambda: v.neighbours("a", -1), lambda: v.neighbours(np.ones(3)), lambda: v.neighbours(None)):
            with self.assertRaises(ValueError):
                wrong()
        self.assertEqual(([*v], "a" in v, 3 in v), (["a", "b", "c", "d"], True, False))

    def test_tasks(self):
        """Fine-tuned on texts, pairs and words; predictions are the program's. A text that would be a line of names is none."""
        folder = self.root / "tasks"
        folder.mkdir()
        s = self.texts.sentences("eng") * 4
        words = sorted({w for x in s for w in x.split()})
        label = {w: "yes" if i % 2 else "no" for i, w in enumerate(words)}
        rows = {"single": "".join(f"{x}\t{label[x.split()[0]]}\n" for x in s),
                "pair": "".join(f"{x}\t{x}\t{label[x.split()[0]]}\n" for x in s),
                "tagging": "".join("".join(f"{w}\t{label[w]}\n" for w in x.split()) + "\n" for x in s)}
        asked = {"single": [*s[:5], "text", ""], "pair": [(x, x) for x in s[:5]], "tagging": [x.split() for x in s[:5]] + [["#"]]}
        for kind, text in rows.items():
            (folder / kind).write_text(text)
            (folder / f"{kind}.yaml").write_text(f"kind: {kind}\ntrain: {{en: {kind}}}\ntest: {{en: {kind}}}\n")
            r = isoglot.finetune(self.model, folder / f"{kind}.yaml", folder / f"tuned-{kind}", lr=5e-4, updates=40, batch=16)
            self.assertIn("accuracy", r["scores"]["en"]["test"])
            got, scores = isoglot.predict(folder / f"tuned-{kind}", asked[kind], scores=True)
            self.assertEqual(len(got), len(asked[kind]))
            self.assertEqual(got, isoglot.predict(folder / f"tuned-{kind}", asked[kind]))
            flat = zip([x for y in got for x in y], [x for y in scores for x in y]) if kind == "tagging" else zip(got, scores)
            for best, of in flat:
                self.assertEqual(best, max(of, key=of.get))
            if kind == "tagging":
                self.assertEqual([len(x) for x in got], [len(x) for x in asked[kind]])
        file = folder / "in"
        file.write_text("".join(x + "\n" for x in s[:5]))
        said = _library.call(["predict", "--quiet", "--model", str(folder / "tuned-single"), str(file)]).split()
        self.assertEqual(isoglot.predict(folder / "tuned-single", s[:5]), said)
        self.assertEqual(isoglot.predict(folder / "tuned-single", []), [])
        with self.assertRaisesRegex(ValueError, "blank word"):
            isoglot.predict(folder / "tuned-tagging", [["a", ""]])

    def test_two_languages(self):
        en, fake = self.texts.sentences("eng"), self.texts.sentences("fake")
        r = isoglot.similarity(self.model, {"en": en, "fake": fake})
        self.assertEqual(sorted(r["pairs"]["en-fake"]["layers"]), ["0", "1", "2"])
        links = isoglot.align(self.model, en, en, layer=-1, unit="piece", method="match")
        self.assertEqual(len(links), len(en))
        self.assertTrue(all(i < 100 for x in links for i, _ in x) and any(links))
        self.assertEqual(isoglot.align(self.model, [], []), [])
        with self.assertRaisesRegex(ValueError, "b: found 3 sentences, expected 20, as many as in a"):
            isoglot.align(self.model, en, en[:3])


if __name__ == "__main__":
    unittest.main()
