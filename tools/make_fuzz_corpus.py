#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the seeds of the fuzz targets from our own programs.

    tools/make_fuzz_corpus.py OUT

writes one folder per target under OUT: OUT/check/…, OUT/text_values/….  Programs are taken whole and, for the type
checker, also one definition at a time, because small seeds mutate better.
"""

import pathlib
import re
import struct
import sys

LARGEST = 3000
ROOT = pathlib.Path(__file__).resolve().parent.parent


class Corpus:
    def __init__(self, out):
        self.out, self.count = pathlib.Path(out), 0

    def add(self, target, data):
        if isinstance(data, str):
            data = data.encode()
        if data and len(data) <= LARGEST:
            folder = self.out / target
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"seed{self.count:05}").write_bytes(data)
            self.count += 1


def without_comments(text):
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("--")) + "\n"


def definitions(text):
    return re.split(r"\n(?=(?:#\[|def |entry |let |type|module |open |local |import ))", without_comments(text).strip())


def test_values(text):
    for body in re.findall(r"(?:in|out)put\s*\{([^{}]*)\}", text):
        yield re.sub(r"\n--", "\n", body).strip()


def add_programs(corpus):
    for path in sorted([*ROOT.glob("tests/programs/**/*.fut"), *ROOT.glob("tests/errors/**/*.fut"), *ROOT.glob("examples/*.fut"), *ROOT.glob("prelude/*.fut")]):
        text = path.read_text(errors="replace")
        for target in ("lex", "parse", "check"):
            corpus.add(target, without_comments(text))
        parts = definitions(text)
        for part in parts if len(parts) < 100 else parts[::10]:
            corpus.add("parse", part)
        for body in test_values(text):
            corpus.add("text_values", "\0" + body)
            corpus.add("script", body)
        for block in re.findall(r"-- ==\n(?:--[^\n]*\n)*", text):
            corpus.add("script", block)


def add_nesl(corpus):
    folders = ("tests/nesl/programs", "tests/nesl/printing", "tests/errors/nesl", "examples/nesl", "bench/nesl/programs", "prelude/nesl")
    for folder in folders:
        for path in sorted(ROOT.glob(f"{folder}/*.nesl")):
            text = re.sub(r"%[^%]*%", "", path.read_text(errors="replace")).strip() + "\n"
            forms = [form + ";\n" for form in text.split(";\n") if form.strip()]
            for target in ("nesl_lex", "nesl_parse", "nesl_check"):
                corpus.add(target, text)
                for form in forms if folder != "prelude/nesl" else forms[::4]:
                    corpus.add(target, form)


def add_values(corpus):
    for number, text in enumerate(["1i8", "-1", "0xffu8", "1.5e3f32", "f32.nan", "-f64.inf", "true", "[[1, 2], [3, 4]]", "empty([0][2]f64)",
                                   '"a\\n\\x41"', "[1_000, 2,] -- end", "0b101u16", "1e-400", "[f16.inf, 65504f16]", "18446744073709551615u64"]):
        for kind in (0, number % 12, 12 + number % 12):
            corpus.add("text_values", bytes([kind]) + text.encode())
    for name, size in (("i8", 1), ("i16", 2), ("i32", 4), ("i64", 8), ("u8", 1), ("u16", 2), ("u32", 4), ("u64", 8), ("f16", 2), ("f32", 4), ("f64", 8), ("bool", 1)):
        for dims in ([], [3], [2, 0], [1, 2, 1]):
            count = 1
            for dim in dims:
                count *= dim
            header = bytes([len(dims)]) + name.rjust(4).encode() + b"".join(struct.pack("<q", dim) for dim in dims)
            corpus.add("binary_values", header + bytes(count * size))
            corpus.add("binary_values", header + bytes(count * size) + b" 12i32 b\x02" + header)
    for layout in ("(i32, []f64)", "{x: f32, y: [][]u8}", "[](#a i32 (bool, u8) | #b)", "t/3", "()"):
        corpus.add("script", layout)
    for script in ("f 1 (2, x)", "let (a, b) = $loaddata \"f\" in {p = a.0, q = b[1, 2]}", "[1, -2, 3f32]", "empty([0]i32)"):
        corpus.add("script", script)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    corpus = Corpus(sys.argv[1])
    add_programs(corpus)
    add_nesl(corpus)
    add_values(corpus)
    print(f"{corpus.count} seeds in {sys.argv[1]}")


if __name__ == "__main__":
    main()
