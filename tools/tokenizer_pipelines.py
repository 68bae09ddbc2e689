#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small tokenizer.json files in the shapes of published multilingual encoders, and what `tokenizers` makes of text by them.

usage: tokenizer_pipelines.py write FOLDER      the fixtures tests/data/tokenizer/pipeline-NAME.json and .ids
       tokenizer_pipelines.py check TEXT [ISOGLOT]   isoglot's ids against the peer's: lines of TEXT, random strings,
                                                every code point; ends with 1 where one differs

Shapes: roberta (byte-level BPE), roberta-space (the same with a space before the text, after NFC), xlmr (unigram after white
space and Metaspace, with a precompiled character map), xlmr-sequence (the same as newer converters write it), sequence
(normalizers and pre-tokenizers in a row, WordPiece), metaspace-bpe (BPE after Metaspace, runs of unknown characters fused),
llama3 (also EuroBERT: Split by an expression, then bytes; whole words before merges), qwen (the same with NFC and other
numbers), gemma (also mmBERT: spaces replaced, Split that merges, BPE with bytes for unknown characters), llama2 (Metaspace
before the first part alone, byte fallback), llama2-legacy (Prepend and Replace in its place), modernbert (bytes after NFC, runs
of blanks as added tokens), unigram-bytes (unigram with byte fallback, expressions in normalizers), splits (every behaviour of
Split, inverted or not; a mark before a part that begins where the text does).
"""
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import unicodedata

from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

words = """the cat saw a small house and ran . the dog saw the cats , too ! it's what we'll see , they've said .
ein kleines Haus steht am Fluß und die Katze schläft darin über Nacht ; der Hund läuft 1234 Schritte .
деревня стоит у реки и кошка спит в доме всю ночь . собака бежит . на столе 56 яблок
แมวนอนอยู่ในบ้าน หมาวิ่งไปที่แม่น้ำ แมวเห็นหมา बिल्ली घर में सोती है और कुत्ता नदी तक दौड़ता है
猫在房子里睡觉。狗跑到河边。 猫は家で眠る。犬は川まで走る。 고양이는 집에서 잔다 . القط ينام في البيت""".split("\n")

hard = ["", " ", "  two  spaces  ", "the cat saw the dogs", "It's what we'll see, they've 'said'd'", "x<mask>y", "x  <mask>  y", "<s>the</s>",
        "a<mask><mask>b", "<unk> <pad>", "NEW new anew NEW.", "Fluß über NACHT", "e\u0301cole a\u0300\u0323b q\u0307\u0323", "\u0301start",
        "\ufb01ne \u2460\u00bd \uff21\uff22 \u3000wide\u00a0no-break", "แมวนอนอยู่ในบ้าน แม่น้ำ", "हिन्दी क्ष बिल्ली", "猫在房子里。狗跑到河边", "한국어 고양이",
        "القط\u200cينام \u0640", "😀 👩\u200d👩\u200d👧 🏳️\u200d🌈 🇩🇪🇫🇷 ©\u200d®", "a\u200bb\u200ec\ufeffd", "\x01\x02c\x07d\x7fe\x80f\x85g\x9fh",
        "cr\rlf", "\u2028line\u2029par", "İstanbul ǅ ẞ Σας", "x" * 300, "ab" * 150, "猫" * 120, "1234567 12.5 ٣٤ ²", "\u0600123 \u0d4ea", "▁the ▁ cat▁dog",
        "tail ", " head", "\U00010400\U0001d400\U000e0041 \ue000 \ufffd", "﷽ ﷺ ㍿", "i̇ ŉ ǰ", "'s 'S 're're", "a\u0903b e\u0903 \u0bbe", "\u1100\u1161\u11a8각",
        "上海‧07月15日", "an application’s „quoted“ “words”", "¿Qué tal á á?", "naïve façade coöperate", "ශ්‍රී ලංකාව", "क्‍ष त्र ज्ञ", "می‌روم خانه‌ها",
        "DIYARBAKIR ışık İzmir ŞİİR", "STRASSE Straße ẞtraße ﬂuß ﬄ", "a\u2003b\u2009c\u202fd", "[MASK] [mask]y[CLS]z [ SEP ]", "foo ……… bar…baz",
        "  leading and  double   triple", "กรุงเทพมหานคร สวัสดี", "東京都。カタカナとひらがな、ー〜「」", "𠮷野家 𪚥 𠀋", "👩🏽‍🚀👨‍👩‍👧‍👦 ☺️ ❤️‍🔥", "x² y³ ½ ⅓ Ⅻ ⑳", "الْعَرَبِيَّةُ ٱلْعَرَبِيَّة",
        "\u1112\u1161\u11ab\u1100\u1173\u11af 한글", "won't U.K. €9.99 @user #tag C++ C#", "a" * 101, "b" * 100 + " " + "c" * 102, "\ufeffBOM \ufffc obj", "ǈ ǲ ΐ ΌΔΥΣΣΕΥΣ ς",
        "\u180eMongol \u061c arab \u2067rtl\u2069", "０１２３ ＡＢＣ ｶﾞ", "१२३ ٤٥٦ ৭৮৯", "soft\u00adhyphen zero\u200bwidth", "I'LL WE'RE don’t it’s", "123456789 1,234.56 3.14",
        "tab\there\tand\tthere", "\t lead tab", "\u0085nel\u000bvt\u000cff", "▁▁▁ ▁a▁ ▁", "the▁dog ▁the", "Å Å Å", "™ ℃ № ㎏ ﬀ", "<mask>", "the<mask>the <mask> the", "<mask><s></s>",
        "<bos>text<eos>", "<|x|> <|y|>", "NEW", "xNEW NEWx (NEW)", "new NEW-new", "a  b   c    d     e", "a\u00a0\u00a0b", "   ", "\u3000\u3000", "ſ'ſ 's", "K Kelvin Å", "a.b..c...d",
        "!!! ??? !?", "(a)[b]{c}<d>", "http://x.y/z?q=1&r=2", "snake_case camelCase kebab-case", "e\u0301\u0327\u0301", "\u0345\u0301\u0360", "ẹ́ ọ̀ ṣ", "Đà Nẵng Việt Nam",
        "ქართული ᲥᲐᲠᲗᲣᲚᲘ", "Ⴀⴀ ᎠᏣ ꭰ", "\U00010400\U00010428", "\U0001f1e9\U0001f1ea\U0001f1eb", "\u200d\u200c\u2060", "\ue000\uf8ff", "a\u0300\u0301\u0302\u0303"]


def charsmap(pairs):
    """A precompiled character map of SentencePiece: a double array of the keys (darts-clone's units), then the targets."""
    targets, at = b"", {}
    for key, value in sorted(pairs.items()):
        at[key.encode()] = len(targets)
        targets += value.encode() + b"\0"
    trie = {}
    for key in at:
        node = trie
        for byte in key:
            node = node.setdefault(byte, {})
        node[None] = at[key]
    units, taken = {0: 0}, {0}
    queue = [(0, trie)]
    while queue:
        index, node = queue.pop()
        labels = [0 if k is None else k for k in node]
        base = 1
        while any((base ^ k) in taken or (base ^ k ^ index) == 0 for k in labels) or (base ^ index) >= 1 << 21:
            base += 1
        units[index] |= (base ^ index) << 10
        if None in node:
            units[index] |= 1 << 8
        for label, child in node.items():
            place = base ^ (label or 0)
            taken.add(place)
            if label is None:
                units[place] = 1 << 31 | child
            else:
                units[place] = label
                queue.append((place, child))
    size = (max(units) | 255) + 1
    array = b"".join(struct.pack("<I", units.get(i, 0)) for i in range(size))
    return struct.pack("<I", len(array)) + array + targets


def own_map():
    pairs = {chr(c): " " for c in (9, 10, 13, 0x85, 0xA0, 0x2028, 0x3000)}
    pairs.update({chr(c): "" for c in (1, 2, 7, 0x7F, 0x200B, 0xFEFF)})
    pairs.update({c: unicodedata.normalize("NFKC", c) for c in "\ufb01\u2460\u00bd\uff21\uff22\u00b2ŉ㍿"})
    pairs.update({"e\u0301": "é", "a\u0300": "à", "©": "(c)", "\u0600": "#"})
    return charsmap(pairs)


def marks(t):
    t.add_special_tokens([AddedToken("<mask>", lstrip=True)])


# The expressions of the published files.
LLAMA3 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
QWEN = LLAMA3.replace("{1,3}", "")


def byte_level(name):
    """BPE over bytes: of Llama 3, Qwen, ModernBERT."""
    t = Tokenizer(models.BPE(ignore_merges=name == "llama3"))
    t.normalizer = None if name == "llama3" else normalizers.NFC()
    space = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=name == "modernbert")
    split = pre_tokenizers.Split(Regex(LLAMA3 if name == "llama3" else QWEN), "isolated")
    t.pre_tokenizer = space if name == "modernbert" else pre_tokenizers.Sequence([split, space])
    t.train_from_iterator(words, trainers.BpeTrainer(vocab_size=360, special_tokens=["<s>", "<pad>", "</s>", "<unk>"], show_progress=False,
                                                     initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet())))
    if name == "modernbert":
        t.add_tokens([AddedToken(" " * k, normalized=True) for k in (4, 3, 2)] + [AddedToken("<|x|>", normalized=True)])
    t.add_special_tokens([AddedToken("<bos>"), AddedToken("<|y|>"), AddedToken("<mask>", lstrip=True)])
    t.post_processor = processors.TemplateProcessing(single="<s> $A </s>", pair="<s> $A </s> $B </s>",
                                                     special_tokens=[("<s>", 0), ("</s>", 2)])
    return t


def byte_fallback(name):
    """Characters that are no pieces are bytes: of Gemma, Llama 2, unigram models of SentencePiece."""
    sp = ["<pad>", "<eos>", "<bos>", "<unk>"] + [f"<0x{k:02X}>" for k in range(256)]
    space = normalizers.Replace(" ", "▁")
    if name == "unigram-bytes":
        t = Tokenizer(models.Unigram())
        t.normalizer = normalizers.Sequence([normalizers.Replace(Regex(r"\p{Nd}{2,}|[!?]+"), "9"), normalizers.Lowercase()])
        t.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", replacement="_")
        t.train_from_iterator(words, trainers.UnigramTrainer(vocab_size=480, special_tokens=sp, unk_token="<unk>", show_progress=False))
        spec = json.loads(t.to_str())
        spec["model"]["byte_fallback"] = True
        return Tokenizer.from_str(json.dumps(spec))
    t = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    if name == "gemma":
        t.normalizer = space
        t.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
    elif name == "llama2":
        t.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    else:
        t.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), space])
    t.train_from_iterator(words[:3], trainers.BpeTrainer(vocab_size=460, special_tokens=sp, show_progress=False))
    t.add_tokens([AddedToken("\n" * k, normalized=False) for k in (1, 2)] + [AddedToken("▁" * k, normalized=False) for k in (2, 3)])
    t.add_special_tokens([AddedToken("<mask>", rstrip=True)])
    return t


def splits():
    """Every behaviour, by expressions and strings."""
    t = Tokenizer(models.WordPiece(unk_token="<unk>", max_input_chars_per_word=100))
    t.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Strip(left=True, right=False)])
    split = pre_tokenizers.Split
    t.pre_tokenizer = pre_tokenizers.Sequence([
        split(" ", "removed"), split(Regex(r"[!?]"), "contiguous"), split(Regex(r"(?<=\p{L})\.|…"), "merged_with_next"),
        split(Regex(r"\p{Lu}(?=\p{Ll})"), "merged_with_next"), split("-", "merged_with_previous"), split(Regex(r"\p{N}++"), "isolated"),
        split(Regex(r"[^'\w]+|\t"), "removed"), split(Regex(r"(?:[a-c]|[&\-]){2,3}"), "isolated", invert=True),
        pre_tokenizers.Metaspace(prepend_scheme="first", replacement="_", split=False)])
    t.train_from_iterator(words, trainers.WordPieceTrainer(vocab_size=260, special_tokens=["<s>", "<pad>", "</s>", "<unk>"],
                                                           show_progress=False))
    return t


def build(name):
    sp = ["<s>", "<pad>", "</s>", "<unk>"]
    if name.startswith("roberta"):
        space = name == "roberta-space"
        t = Tokenizer(models.BPE(unk_token="<unk>") if space else models.BPE())
        t.normalizer = normalizers.NFC() if space else None
        t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=space)
        trainer = trainers.BpeTrainer(vocab_size=360, special_tokens=sp, show_progress=False,
                                      initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()))
        t.train_from_iterator(words, trainer)
        marks(t)
        post = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=space)
        t.post_processor = processors.Sequence([processors.ByteLevel(), post]) if space else post
        return t
    if name.startswith("xlmr"):
        t = Tokenizer(models.Unigram())
        t.normalizer = normalizers.Precompiled(own_map())
        t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
        t.train_from_iterator(words, trainers.UnigramTrainer(vocab_size=260, special_tokens=sp, unk_token="<unk>", show_progress=False))
        if name == "xlmr-sequence":
            t.normalizer = normalizers.Sequence([t.normalizer, normalizers.Strip(left=False, right=True),
                                                 normalizers.Replace(Regex(" {2,}"), "▁")])
            t.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
        marks(t)
        t.post_processor = processors.TemplateProcessing(single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>",
                                                         special_tokens=[("<s>", 0), ("</s>", 2)])
        return t
    if name == "sequence":
        t = Tokenizer(models.WordPiece(unk_token="<unk>", max_input_chars_per_word=100))
        t.normalizer = normalizers.Sequence([normalizers.Nmt(), normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase(),
                                             normalizers.Replace("ß", "ss"), normalizers.Replace(Regex("\\s+"), " ")])
        t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Whitespace(), pre_tokenizers.Digits(individual_digits=True)])
        t.train_from_iterator(words, trainers.WordPieceTrainer(vocab_size=260, special_tokens=sp, show_progress=False))
        t.add_tokens([AddedToken("NEW", single_word=True, normalized=True), AddedToken("<mask>", rstrip=True, normalized=False)])
        return t
    if name in ("llama3", "qwen", "modernbert"):
        return byte_level(name)
    if name.startswith(("gemma", "llama2", "unigram")):
        return byte_fallback(name)
    if name == "splits":
        return splits()
    t = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True))
    t.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.NFKC(), normalizers.Strip()])
    t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.BertPreTokenizer(), pre_tokenizers.Metaspace(prepend_scheme="never")])
    t.train_from_iterator(words[:3], trainers.BpeTrainer(vocab_size=200, special_tokens=sp, show_progress=False))
    t.add_tokens([AddedToken("NEW", single_word=True, normalized=False), AddedToken("ss", normalized=True)])
    marks(t)
    return t


shapes = ["roberta", "roberta-space", "xlmr", "xlmr-sequence", "sequence", "metaspace-bpe", "llama3", "qwen", "modernbert", "gemma",
          "llama2", "llama2-legacy", "unigram-bytes", "splits"]


def write(folder):
    for name in shapes:
        t = build(name)
        path = os.path.join(folder, f"pipeline-{name}.json")
        t.save(path, pretty=False)
        with open(os.path.join(folder, f"pipeline-{name}.ids"), "w", encoding="utf-8", newline="") as out:
            for line in hard:
                out.write(line + "\t" + " ".join(map(str, t.encode(line, add_special_tokens=False).ids)) + "\n")


def check(text, program):
    rng = random.Random(1)
    lines = [x for x in hard if "\r" not in x] + open(text, encoding="utf-8").read().split("\n")[:3000]
    letters = "abc '\u0301\u0903 ▁<mask>NEWs1é\u200d😀猫แม\u0640\u00a0\x01ß\u0600\u1100\u1161\U0001f1e9"
    lines += ["".join(rng.choice(letters) for _ in range(rng.randint(0, 40))) for _ in range(4000)]
    known = [c for c in range(1, 0x110000) if c not in (10, 13) and unicodedata.category(chr(c)) not in ("Cn", "Cs")]
    lines += ["a" + chr(c) + "b c" + chr(c) for c in known if c < 0x3100 or rng.random() < .02]
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        write(folder)
        for name in shapes:
            path = os.path.join(folder, f"pipeline-{name}.json")
            peer = Tokenizer.from_file(path)
            done = subprocess.run([program, "tokenize", "--vocab", path, "--ids"], input="\n".join(lines) + "\n", stdout=subprocess.PIPE,
                                  check=True, encoding="utf-8")
            ours = done.stdout.split("\n")[:-1]
            assert len(ours) == len(lines)
            differ = [(line, theirs, ids) for line, ids in zip(lines, ours)
                      for theirs in [" ".join(map(str, peer.encode(line, add_special_tokens=False).ids))] if theirs != ids]
            print(f"{name}: {len(lines)} lines, {len(differ)} differ")
            for line, theirs, ids in differ[:5]:
                print(f"  {line!r}: {theirs} there, {ids} here")
            bad += len(differ)
    return bad


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(sys.argv[2])
    else:
        sys.exit(check(sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else "build/isoglot") > 0)
