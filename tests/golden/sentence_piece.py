# SPDX-License-Identifier: Apache-2.0
"""Makes sentence_piece.txt: tokens and texts as the SentencePiece library gives them.

    pip install sentencepiece; python sentence_piece.py > sentence_piece.txt

A line "model NAME MODEL" begins a model that the library has trained here, the lines behind it are
"text TEXT DECODED ID...", each text in base64. Between them the models have every kind and option
that is read, with a small map of characters in the place of NFKC's, which has 200 kB.
"""

import base64
import pathlib
import random
import tempfile

import sentencepiece

HERE = pathlib.Path(__file__).resolve().parent
RULES = "FF21\t0041\nFF22\t0042\nFB01\t0066 0069\nE9\t0065\nA0\t0020\n2026\t002E 002E 002E\n0041\t0061\n"
MODELS = {
    "unigram": {"vocab_size": 180},
    "unigram-bytes": {"vocab_size": 420, "byte_fallback": True, "user_defined_symbols": ["<sep>", "form"]},
    "unigram-spaces": {"vocab_size": 160, "remove_extra_whitespaces": False},
    "suffix": {"vocab_size": 160, "treat_whitespace_as_suffix": True},
    "bare": {"vocab_size": 160, "add_dummy_prefix": False},
    "bpe": {"vocab_size": 200, "model_type": "bpe", "user_defined_symbols": ["<sep>", "form"]},
    "bpe-bytes": {"vocab_size": 420, "model_type": "bpe", "byte_fallback": True},
    "char": {"vocab_size": 60, "model_type": "char"},
}
ODD = ["", " ", "  to  be ", "ABBA ﬁne café…", "ＡＢ x", "日本 語\n", "<sep>form <sep>", "\U0001f600a", "\u00a0to", "▁to▁"]


def encoded(text):
    return base64.b64encode(text.encode()).decode() or "="


def main():
    text = (HERE.parents[1] / "CONTRIBUTING.md").read_text()
    lines = [line for line in text.split("\n") if line.strip()]
    draw = random.Random(1)
    texts = ODD + draw.sample(lines, 10)
    texts += [" ".join(draw.choice(ODD + lines)[: draw.randrange(1, 9)] for _ in range(6)) for _ in range(6)]
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        (place / "rules.tsv").write_text(RULES)
        (place / "text.txt").write_text("\n".join(lines))
        for name, options in MODELS.items():
            sentencepiece.SentencePieceTrainer.train(
                input=str(place / "text.txt"), model_prefix=str(place / name), minloglevel=2,
                normalization_rule_tsv=str(place / "rules.tsv"), hard_vocab_limit=False, **options)
            model = (place / f"{name}.model").read_bytes()
            processor = sentencepiece.SentencePieceProcessor(model_proto=model)
            print("model", name, base64.b64encode(model).decode())
            for one in texts:
                tokens = processor.encode(one)
                print("text", encoded(one), encoded(processor.decode(tokens)), *tokens)


main()
