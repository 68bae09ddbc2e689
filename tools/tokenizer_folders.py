#!/usr/bin/env python3
"""What transformers' AutoTokenizer makes of folders with settings of every kind: the reference of test_tokenizer_folder.

tools/tokenizer_folders.py OUT.json              writes it (transformers 5, tokenizers 0.23)
tools/tokenizer_folders.py OUT.json --make DIR   also leaves the folders in DIR
A case is the files of a folder, and the ids of each text, of each text with the next one, and their types; or null where
transformers cannot open it or cut the texts, or this library refuses it.
"""

import argparse
import copy
import json
import os
import tempfile

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
PIECES = SPECIAL + ("the cat sch ##on ##ön schon schön ##n a b c d e é x y h i s ##o ##u ##s ##e ##a ##b ##B ##C A B foo ##foo house "
                    "東 京 ##京 ##東 豈 İ ##i i\u0307 ş [ ] < > ! ##t . , - # @ 한 ᄒ ##ᅡ ##ᆫ ent ENT S mask").split()
TEXTS = ["Schön schon SCHÖN e\u0301 é", "東京 東house 豈 \uf900", "İi Şş ßẞ", "the cat[MASK]sat [CLS] [mask]", "<ENT> foo foofoo a<ENT>b <ent>x",
         "  [ENT]  [ENT]b c [ent]", "a\u200bb\u00a0c d\x1fe 한 ABBCB", "cat - A.B, [PAD] xfoo foo!"]
CONFIG = {"model_type": "bert", "vocab_size": 200, "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2,
          "intermediate_size": 24, "max_position_embeddings": 64, "type_vocab_size": 2}
N = len(PIECES)
CASES: dict[str, dict] = {}
REFUSED = {"BertJapaneseTokenizer",  # needs MeCab for more than this test has
           "a gap",  # gets other ids than its file says
           "llama first, but legacy", "qwen2, but with a space"}  # transformers 4 and 5 differ
SHARED = {"@lines": "\n".join(PIECES) + "\n", "@config": json.dumps(CONFIG),
          "@pieces": json.dumps({p: i for i, p in enumerate(PIECES)}, ensure_ascii=False)}


def case(name: str, config: dict | None = None, **files: object) -> None:
    """A folder: a_b="text" is the file a_b.txt, a_b={…} a_b.json; vocab=None: no vocab.txt."""
    made = {"config.json": json.dumps({**CONFIG, **(config or {})}), "vocab.txt": "\n".join(PIECES) + "\n"}
    for key, value in files.items():
        if value is None:
            del made[key + ".txt"]
        elif isinstance(value, str):
            made[key + ".txt"] = value
        else:
            made[key + ".json"] = json.dumps(value, ensure_ascii=False)
    assert name not in CASES
    CASES[name] = made


def token(text: str, id: int, **flags: bool) -> dict:
    usual = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    return {"id": id, "content": text, **usual, **flags}


SHARED["@own"] = ", ".join(json.dumps(token(s, i)) for i, s in enumerate(SPECIAL))


def bert(lowercase: bool, strip: bool | None = None, apart: bool = True, clean: bool = True) -> dict:
    return {"type": "BertNormalizer", "clean_text": clean, "handle_chinese_chars": apart, "strip_accents": strip,
            "lowercase": lowercase}


OWN = [token(s, i) for i, s in enumerate(SPECIAL)]
POST = {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]}


def whole(normalizer: dict, added: list | None = None, post: object = POST, **model: object) -> dict:
    """A tokenizer.json."""
    usual = {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
             "vocab": {p: i for i, p in enumerate(PIECES)}}
    made = {k: v for k, v in {**usual, **model}.items() if v != "none"}
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": OWN + (added or []), "normalizer": normalizer,
            "pre_tokenizer": {"type": "BertPreTokenizer"}, "post_processor": post, "decoder": None, "model": made}


GENERIC = {"tokenizer_class": "PreTrainedTokenizerFast"}


def switches() -> None:
    case("nothing")
    case("empty", tokenizer_config={})
    for lower in (True, False):
        for strip in ("", None, True, False):
            for apart in (True, False):
                settings = {"do_lower_case": lower, "tokenize_chinese_chars": apart, **({} if strip == "" else {"strip_accents": strip})}
                name = f"lower {lower}, strip {strip}, apart {apart}"
                if strip != "" or apart:
                    case(name, tokenizer_config=settings)
                if strip != "":
                    case("json: " + name, vocab=None, tokenizer_config=GENERIC, tokenizer=whole(bert(lower, strip, apart)))
    case("clean_text off", vocab=None, tokenizer_config=GENERIC, tokenizer=whole(bert(False, clean=False)))
    case("null", tokenizer_config={"do_lower_case": None})
    case("text", tokenizer_config={"do_lower_case": "true"})
    # tokenizer.json against tokenizer_config.json
    case("against 1", tokenizer_config={"do_lower_case": False}, tokenizer=whole(bert(True)))
    case("against 2", tokenizer_config={"tokenizer_class": "BertTokenizerFast", "do_lower_case": True, "strip_accents": False},
         tokenizer=whole(bert(False)))
    case("against 3", vocab=None, tokenizer=whole(bert(False)))
    case("against 4", tokenizer_config={"tokenize_chinese_chars": False}, tokenizer=whole(bert(False, False)))
    case("sequence", vocab=None, tokenizer_config=GENERIC,
         tokenizer=whole({"type": "Sequence", "normalizers": [{"type": "NFC"}, bert(True, False)]}))


def names() -> None:
    for name in ("BertTokenizerFast", "DistilBertTokenizer", "BertJapaneseTokenizer", "PreTrainedTokenizerFast"):
        case(name, tokenizer_config={"tokenizer_class": name, "do_lower_case": False})
    case("class of config.json", config={"tokenizer_class": "BertTokenizerFast"}, tokenizer_config={"do_lower_case": False})
    for name in ("BertTokenizerFast", "XLMRobertaTokenizer"):  # not taken for this model_type
        case(f"modernbert, {name}", config={"model_type": "modernbert"}, vocab=None,
             tokenizer_config={"tokenizer_class": name, "do_lower_case": True}, tokenizer=whole(bert(False)))
    other = ["<pad>", "<unk>", "<s>", "</s>", "<mask>"] + PIECES[5:]
    named = {"unk_token": "<unk>", "cls_token": "<s>", "sep_token": "</s>", "pad_token": "<pad>", "mask_token": "<mask>"}
    case("mpnet", config={"model_type": "mpnet"})
    case("other names", vocab="\n".join(other) + "\n", tokenizer_config={"do_lower_case": True, **named})
    case("other names in the map", vocab="\n".join(other) + "\n", tokenizer_config={"do_lower_case": False},
         special_tokens_map={**named, "mask_token": token("<mask>", 0, lstrip=True) | {"id": None}} |
         {"mask_token": {k: v for k, v in token("<mask>", 0, lstrip=True).items() if k not in ("id", "special")}})
    case("no bos", tokenizer_config={"do_lower_case": False, "bos_token": None, "eos_token": None})
    case("no [MASK]", vocab="\n".join(p for p in PIECES if p != "[MASK]") + "\n", tokenizer_config={"do_lower_case": False})
    case("no [UNK]", vocab="\n".join(p for p in PIECES if p != "[UNK]") + "\n")


def added() -> None:
    flags = [{}, {"lstrip": True}, {"rstrip": True}, {"single_word": True}, {"normalized": True, "special": False},
             {"lstrip": True, "rstrip": True, "single_word": True, "normalized": True}]
    for i, f in enumerate(flags):
        for text, id in (("<ENT>", N), ("[ENT]", N), ("foo", PIECES.index("foo"))):
            case(f"added {text} {i}", vocab=None, tokenizer_config=GENERIC, tokenizer=whole(bert(i % 2 == 0), [token(text, id, **f)]))
        case(f"added, rebuilt {i}", vocab=None, tokenizer_config={"do_lower_case": True}, tokenizer=whole(bert(False), [token("<ENT>", N, **f)]))
        case(f"decoder over added {i}", vocab=None, tokenizer=whole(bert(True), [token("<ENT>", N, rstrip=True)]), tokenizer_config={
            **GENERIC, "added_tokens_decoder": {str(k): {a: b for a, b in token(t, k, **f).items() if a != "id"}
                                                for k, t in ((N, "<ENT>"), (4, "[MASK]"))}})
    case("one begins another", vocab=None, tokenizer_config=GENERIC, tokenizer=whole(bert(True), [token("[MA", N), token("[MASK]s", N + 1)]))
    case("added_tokens.json", tokenizer_config={}, added_tokens={"<ENT>": N, "[ENT]": N + 1})
    case("added_tokens_decoder", tokenizer_config={"do_lower_case": False, "added_tokens_decoder": {
        str(N): {k: v for k, v in token("<ENT>", 0, normalized=True, special=False).items() if k != "id"},
        "4": {k: v for k, v in token("[MASK]", 0, lstrip=True).items() if k != "id"}}})
    case("extra", tokenizer_config={"do_lower_case": False, "extra_special_tokens": ["<ENT>", "foo"]})
    case("additional", tokenizer_config={"do_lower_case": False, "additional_special_tokens": ["<ENT>"]})
    case("additional in the map", tokenizer_config={}, special_tokens_map={"additional_special_tokens": ["[ENT]"]})
    case("a gap", config={"vocab_size": N + 5}, tokenizer_config={"do_lower_case": False},
         added_tokens={"<ENT>": N + 3, "[ENT]": N})
    case("padded rows", config={"vocab_size": N + 5}, tokenizer_config={})


def pieces() -> None:
    text = "\n".join(PIECES)
    case("CR LF", vocab=text.replace("\n", "\r\n"), tokenizer_config={"do_lower_case": False})
    case("blank lines", vocab=text + "\n\nzz\n\n", tokenizer_config={})
    case("twice", vocab=text + "\nthe\ncat\n", tokenizer_config={})
    case("white space", vocab=text.replace("\ncat\n", "\ncat \n").replace("\nfoo\n", "\nfoo\u3000\n"), tokenizer_config={})
    case("prefix #", vocab=None, tokenizer_config=GENERIC, tokenizer=whole(bert(True), continuing_subword_prefix="#"))
    case("no prefix", vocab=None, tokenizer_config=GENERIC, tokenizer=whole(bert(False), continuing_subword_prefix=""))
    case("three characters", vocab=None, tokenizer_config=GENERIC, tokenizer=whole(bert(True), max_input_chars_per_word=3))
    case("no type", vocab=None, tokenizer_config=GENERIC, tokenizer=whole(bert(False), type="none"))
    case("no type, words", vocab=None, tokenizer_config=GENERIC,
         tokenizer=whole(bert(False), type="none", continuing_subword_prefix="none", max_input_chars_per_word="none"))


def templates() -> None:
    def special(text: str, type: int = 0) -> dict:
        return {"SpecialToken": {"id": text, "type_id": type}}

    def part(name: str, type: int = 0) -> dict:
        return {"Sequence": {"id": name, "type_id": type}}
    listed = {s: {"id": s, "ids": [i], "tokens": [s]} for i, s in enumerate(SPECIAL)}
    case("roberta's template", vocab=None, tokenizer_config=GENERIC, tokenizer=whole(bert(True), post={
        "type": "RobertaProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2], "trim_offsets": True, "add_prefix_space": False}))
    case("a template", vocab=None, tokenizer_config=GENERIC, tokenizer=whole(bert(True), post={
        "type": "TemplateProcessing", "single": [special("[CLS]"), part("A"), special("[SEP]")],
        "pair": [special("[CLS]"), part("A"), special("[SEP]"), special("[MASK]"), special("[SEP]", 1), part("B", 1), special("[PAD]", 1)],
        "special_tokens": listed}))
    case("its own template", vocab=None, tokenizer_config={}, tokenizer=whole(bert(True), post={
        "type": "RobertaProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2], "trim_offsets": True, "add_prefix_space": False}))
    types = {**GENERIC, "model_input_names": ["input_ids", "token_type_ids", "attention_mask"]}
    case("roberta's template with types", vocab=None, tokenizer_config=types, tokenizer=whole(bert(True), post={
        "type": "RobertaProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2], "trim_offsets": True, "add_prefix_space": False}))
    case("a template with types", vocab=None, tokenizer_config=types, tokenizer=whole(bert(True), post={
        "type": "TemplateProcessing", "single": [special("[CLS]"), part("A"), special("[SEP]")],
        "pair": [special("[CLS]", 1), part("A", 1), special("[SEP]"), special("[SEP]", 1), part("B"), special("[PAD]", 1)],
        "special_tokens": listed}))
    case("a second [CLS]", vocab=None, tokenizer_config=types, tokenizer=whole(bert(True), post={
        "type": "TemplateProcessing", "single": [special("[CLS]", 1), part("A", 1), special("[SEP]")],
        "pair": [special("[CLS]"), part("A"), special("[SEP]"), special("[CLS]", 1), part("B", 1), special("[SEP]", 1)],
        "special_tokens": listed}))
    case("no types", tokenizer_config={"model_input_names": ["input_ids", "attention_mask"]})


def spaces() -> None:
    """Classes that build the space before a text."""
    def bpe(splits: dict, blank: str, normalizer: dict | None = None) -> dict:
        letters = SPECIAL + [blank] + list("abcdefhost")
        return whole(normalizer, type="BPE", continuing_subword_prefix="none", max_input_chars_per_word="none", merges=[], unk_token="none",
                     vocab={p: i for i, p in enumerate(letters)}) | {"pre_tokenizer": splits}
    pattern = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
               r"|\s*[\r\n]+|\s+(?!\S)|\s+")
    for scheme, also, settings in (("first", "", {"legacy": None, "add_prefix_space": None}), ("first", ", but legacy", {"legacy": True}),
                                   ("always", "", {"legacy": True}), ("never", "", {"add_prefix_space": False})):
        case(f"llama {scheme}{also}", vocab=None, tokenizer_config={"tokenizer_class": "LlamaTokenizer", **settings}, tokenizer=bpe(
            {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": scheme, "split": False}, "\u2581"))
    for said, space, also in ((False, False, ""), (True, True, " with a space"), (False, True, ", but with a space")):
        qwen = bpe({"type": "Sequence", "pretokenizers": [
            {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False},
            {"type": "ByteLevel", "add_prefix_space": said, "trim_offsets": False, "use_regex": False}]}, "\u0120", {"type": "NFC"})
        case(f"qwen2{also}", vocab=None, tokenizer_config={"tokenizer_class": "Qwen2Tokenizer", "add_prefix_space": space}, tokenizer=qwen)
        if not space:  # another class is not taken for this model_type
            case("qwen2, RobertaTokenizer", config={"model_type": "qwen2"}, vocab=None,
                 tokenizer_config={"tokenizer_class": "RobertaTokenizer"}, tokenizer=qwen)
        case(f"gpt2{also}", vocab=None, tokenizer_config={"tokenizer_class": "GPT2Tokenizer", "add_prefix_space": space}, tokenizer=bpe(
            {"type": "ByteLevel", "add_prefix_space": said, "trim_offsets": True, **({"use_regex": True} if said else {})}, "\u0120"))


def published(data: str) -> None:
    """Of the small models in tests/data/foreign; the test adds their own tokenizer.json."""
    for folder in ("xlmr", "roberta"):
        name = {"xlmr": "XLMRobertaTokenizer", "roberta": "RobertaTokenizer"}[folder]
        config = json.load(open(os.path.join(data, folder, "config.json")))
        for i, settings in enumerate((None, {"tokenizer_class": name, "add_prefix_space": folder != "xlmr"}, GENERIC,
                                      {"mask_token": {"__type": "AddedToken", "content": "<mask>", "lstrip": True, "rstrip": True,
                                                      "normalized": False, "single_word": False}})):
            made = {"config.json": json.dumps(config), "tokenizer.json": "@" + folder}
            if settings is not None:
                made["tokenizer_config.json"] = json.dumps(settings)
            CASES[f"{folder} {i}"] = made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--make")
    given = parser.parse_args()
    os.environ["HF_HUB_OFFLINE"] = "1"
    from transformers import AutoTokenizer
    data = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests", "data", "foreign")
    for make in (switches, names, added, pieces, templates, spaces):
        make()
    published(data)
    root = given.make or tempfile.mkdtemp()
    out = []
    for name, files in CASES.items():
        folder = os.path.join(root, name.replace("/", "_"))
        os.makedirs(folder, exist_ok=True)
        for file, text in files.items():
            if text.startswith("@"):
                text = open(os.path.join(data, text[1:], file), encoding="utf-8").read()
            with open(os.path.join(folder, file), "w", encoding="utf-8", newline="") as f:
                f.write(text)
        row: dict = {"name": name, "files": copy.deepcopy(files), "ids": None}
        try:
            t = AutoTokenizer.from_pretrained(folder)
            pairs = [t(a, b) for a, b in zip(TEXTS, TEXTS[1:])]
            row["ids"] = [t(x)["input_ids"] for x in TEXTS]
            row["pairs"] = [p["input_ids"] for p in pairs]
            row["types"] = [p.get("token_type_ids", [0] * len(p["input_ids"])) for p in pairs]
        except BaseException as e:  # tokenizers panics
            print(f"{name}: {type(e).__name__}: {str(e)[:80]}")
        for file in row["files"]:  # what many have in common is written once
            for mark, text in SHARED.items():
                row["files"][file] = row["files"][file].replace(text, mark)
        if name in REFUSED:
            row["ids"] = None
        out.append(json.dumps(row, ensure_ascii=False))
    with open(given.out, "w", encoding="utf-8") as f:
        f.write("{\"texts\": " + json.dumps(TEXTS, ensure_ascii=False) + ",\n\"shared\": " + json.dumps(SHARED, ensure_ascii=False) +
                ",\n\"cases\": [\n" + ",\n".join(out) + "\n]}\n")


main()
