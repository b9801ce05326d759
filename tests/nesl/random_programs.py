#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random NESL programs, well typed, nested, with empty sequences everywhere: what back ends print must be what the interpreter prints.

    tests/nesl/random_programs.py --skald SKALD [--backend cpu]… [--count 20] [--seed 1] [--seconds S] [--keep FOLDER]
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time

INT, BOOL, CHAR = "int", "bool", "char"


def seq(element):
    return ("seq", element)


def pair(a, b):
    return ("pair", a, b)


TYPES = [INT, BOOL, seq(INT), seq(seq(INT)), seq(pair(INT, INT)), pair(INT, seq(INT)), seq(CHAR), seq(seq(pair(INT, BOOL)))]


def type_text(kind):
    if isinstance(kind, str):
        return kind
    if kind[0] == "seq":
        return f"[{type_text(kind[1])}]"
    return f"({type_text(kind[1])}, {type_text(kind[2])})"


class Program:
    """Writes expressions of a wanted type; variables in scope are (name, type)."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.functions = []  # (name, parameter types, result type)
        self.names = 0

    def fresh(self, base):
        self.names += 1
        return f"{base}{self.names}"

    def text(self):
        lines = []
        for _ in range(self.random.randint(1, 4)):
            lines.append(self.function())
        for _ in range(self.random.randint(1, 3)):
            lines.append(self.exp(self.random.choice(TYPES), [], 5) + ";")
        return "\n".join(lines) + "\n"

    def function(self):
        name = self.fresh("fun")
        params = [self.random.choice(TYPES) for _ in range(self.random.randint(1, 3))]
        result = self.random.choice(TYPES)
        scope = [(self.fresh("p"), kind) for kind in params]
        if self.random.random() < 0.6:
            text = self.recursive(name, scope, params, result)
        else:
            body = self.exp(result, scope, 5)
            text = self.head(name, scope, params, result) + body + ";"
        self.functions.append((name, params, result))
        return text

    def head(self, name, scope, params, result):
        arguments = ", ".join(p for p, _ in scope)
        kinds = ", ".join(type_text(kind) for kind in params)
        return f"function {name}({arguments}) : ({kinds}) -> {type_text(result)} =\n  "

    def recursive(self, name, scope, params, result):
        """With a first parameter that counts down, called in one of several ways."""
        depth = self.fresh("d")
        scope = [(depth, INT), *scope]
        params.insert(0, INT)
        base = self.exp(result, scope[1:], 3)
        def call():
            return f"{name}({depth} - 1, " + ", ".join(self.part(kind, scope) or self.exp(kind, scope, 2) for kind in params[1:]) + ")"
        how = self.random.randint(0, 3)
        if how == 0:
            step = call()
        elif isinstance(result, tuple) and result[0] == "seq":
            if how == 1:
                step = f"{call()} ++ {call()}"
            elif how == 2:
                step = f"let both = {{{name}({depth} - 1, " + ", ".join(["q"] + [self.exp(k, scope, 2) for k in params[2:]]) \
                    + f") : q in [{self.exp(params[1], scope, 2)}, {self.exp(params[1], scope, 2)}]}} in both[0] ++ both[1]"
            else:
                step = f"flatten({{{call()} : {self.fresh('i')} in [0:{self.random.choice(['5', 'mod(' + self.exp(INT, scope, 1) + ', 4)'])}]}})"
        elif result == INT:
            step = f"sum({{{call()} : {self.fresh('i')} in [0:{self.random.randint(0, 5)}]}}) + {call()}"
        else:
            step = f"if {self.exp(BOOL, scope, 2)} then {call()} else {call()}"
        return self.head(name, scope, params, result) + f"if {depth} <= 0 then {base}\n  else {step};"

    def part(self, kind, scope):
        """Sometimes a part of a sequence that is at hand: what functions call themselves with."""
        known = [name for name, own in scope if own == kind]
        if not known or isinstance(kind, str) or kind[0] != "seq" or self.random.random() < 0.5:
            return None
        name = self.random.choice(known)
        return self.random.choice([f"take({name}, #{name} / 2)", f"drop({name}, #{name} / 2)", f"drop({name}, min(1, #{name}))",
                                   f"take(drop({name}, #{name} / 3), #{name} / 3)", f"(if #{name} > 2 then drop({name}, 1) else {name})"])

    def exp(self, kind, scope, depth):
        choices = [name for name, own in scope if own == kind]
        if depth <= 0 or (choices and self.random.random() < 0.2):
            if choices and self.random.random() < 0.8:
                return self.random.choice(choices)
            return self.constant(kind)
        if self.random.random() < 0.12:
            return f"(if {self.exp(BOOL, scope, depth - 2)} then {self.exp(kind, scope, depth - 1)} else {self.exp(kind, scope, depth - 1)})"
        if self.random.random() < 0.12:
            own = self.random.choice(TYPES)
            name = self.fresh("v")
            return f"(let {name} = {self.exp(own, scope, depth - 1)} in {self.exp(kind, [*scope, (name, own)], depth - 1)})"
        if self.random.random() < 0.15:
            known = [f for f in self.functions if f[2] == kind]
            if known:
                name, params, _ = self.random.choice(known)
                first = str(self.random.randint(0, 3)) if params[0] == INT else self.exp(params[0], scope, depth - 2)
                return f"{name}({', '.join([first] + [self.exp(p, scope, depth - 2) for p in params[1:]])})"
        if kind == INT:
            return self.number(scope, depth - 1)
        if kind == BOOL:
            return self.flag(scope, depth - 1)
        if kind == CHAR:
            return f"code_char(97 + mod({self.exp(INT, scope, depth - 1)}, 26))"
        if kind[0] == "pair":
            return f"({self.exp(kind[1], scope, depth - 1)}, {self.exp(kind[2], scope, depth - 1)})"
        return self.sequence(kind, scope, depth - 1)

    def constant(self, kind):
        if kind == INT:
            return str(self.random.choice([0, 1, 2, 3, 5, 7, 10, 100]))
        if kind == BOOL:
            return self.random.choice("tf")
        if kind == CHAR:
            return "`" + self.random.choice("abcxyz")
        if kind[0] == "pair":
            return f"({self.constant(kind[1])}, {self.constant(kind[2])})"
        count = self.random.choice([0, 0, 1, 2, 3, 5])
        if count == 0:
            return f"([] {type_text(kind[1])})"
        return "[" + ", ".join(self.constant(kind[1]) for _ in range(count)) + "]"

    def number(self, scope, depth):
        e = lambda kind: self.exp(kind, scope, depth)
        pick = self.random.randint(0, 9)
        if pick <= 2:
            return f"({e(INT)} {self.random.choice('+-*')} {e(INT)})"
        if pick == 3:
            return f"mod({e(INT)}, {self.random.randint(2, 9)})"
        if pick == 4:
            return f"{self.random.choice(['max', 'min'])}({e(INT)}, {e(INT)})"
        if pick == 5:
            return f"{self.random.choice(['sum', 'parity'])}({e(seq(INT))})"
        if pick == 6:
            return f"#{self.atom(self.random.choice([t for t in TYPES if t[0] == 'seq']), scope, depth)}"
        if pick == 7:
            name = self.fresh("s")
            return f"(let {name} = {e(seq(INT))} in if #{name} == 0 then 0 else {name}[mod({e(INT)}, #{name})])"
        if pick == 8:
            return f"first({e(pair(INT, seq(INT)))})"
        return f"count({{{self.exp(BOOL, [*scope, ('c', INT)], depth - 1)} : c in {e(seq(INT))}}})"

    def atom(self, kind, scope, depth):
        return f"({self.exp(kind, scope, depth)})"

    def flag(self, scope, depth):
        e = lambda kind: self.exp(kind, scope, depth)
        pick = self.random.randint(0, 4)
        if pick <= 1:
            return f"({e(INT)} {self.random.choice(['<', '<=', '>', '>=', '==', '/='])} {e(INT)})"
        if pick == 2:
            return f"({e(BOOL)} {self.random.choice(['and', 'or', 'xor'])} {e(BOOL)})"
        if pick == 3:
            return f"not({e(BOOL)})"
        own = self.random.choice([t for t in TYPES if t[0] == "seq"])
        return f"eql({e(own)}, {e(own)})"

    def each(self, kind, scope, depth, body=None):
        """An apply-to-each over one or two sources of the same length, perhaps with a condition."""
        own = self.random.choice([INT, INT, seq(INT), pair(INT, INT)])
        name = self.fresh("x")
        inner = [*scope, (name, own)]
        sources = [f"{name} in {self.exp(seq(own), scope, depth)}"]
        before = ""
        if self.random.random() < 0.3:
            whole, number = self.fresh("w"), self.fresh("n")
            before = f"let {whole} = {self.exp(seq(own), scope, depth)} in "
            sources = [f"{name} in {whole}", f"{number} in [0:#{whole}]"]
            inner.append((number, INT))
        condition = f" | {self.exp(BOOL, inner, depth - 1)}" if self.random.random() < 0.4 else ""
        return f"({before}{{{self.exp(kind, inner, depth - 1)} : {'; '.join(sources)}{condition}}})"

    def sequence(self, kind, scope, depth):
        element = kind[1]
        e = lambda own: self.exp(own, scope, depth)
        pick = self.random.randint(0, 11)
        if pick <= 3:
            return self.each(element, scope, depth)
        if pick == 4:
            return f"({e(kind)} ++ {e(kind)})"
        if pick == 5:
            return f"dist({e(element)}, mod({e(INT)}, 5))"
        if pick == 6 and element in (INT, pair(INT, INT)):
            return f"flatten({self.each(kind, scope, depth)})"
        if pick == 7:
            name = self.fresh("g")
            return f"(let {name} = {e(kind)} in if #{name} == 0 then {name} else {name} -> {{mod({self.exp(INT, [*scope, ('j', INT)], depth - 1)}, #{name}) : j in {e(seq(INT))}}})"
        if pick == 8:
            name = self.fresh("u")
            return f"(let {name} = {e(kind)} in {self.random.choice(['reverse', 'odd_elts', 'even_elts'])}({name}))"
        if pick == 9:
            name = self.fresh("u")
            return f"(let {name} = {e(kind)} in {self.random.choice(['take', 'drop'])}({name}, #{name} / 2))"
        if pick == 10 and element == INT:
            return f"{self.random.choice(['plus_scan', 'max_scan', 'sort', 'rank', 'name'])}({e(kind)})"
        if pick == 10 and element == seq(INT):
            name = self.fresh("b")
            return self.random.choice([f"bottop({e(seq(INT))})", f"(let {name} = {e(seq(INT))} in split({name}, {{{name}1 > 3 : {name}1 in {name}}}))"])
        if pick == 11 and element == INT:
            return f"[{e(INT)}, {e(INT)}]"
        return f"[{', '.join(e(element) for _ in range(self.random.randint(1, 2)))}]"


def run(skald, backend, path, seconds):
    command = [skald, "run", f"--backend={backend}", path]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return "time"
    if done.returncode not in (0, 2):
        return f"exit code {done.returncode}\n{done.stderr[-2000:]}"
    # Of an error the headline: which of two wrong elements is named may differ.
    error = "error\n" if done.returncode == 2 else ""
    if done.returncode == 2 and "run-time-error" not in done.stderr:
        return f"does not compile\n{done.stderr[-2000:]}"
    return done.stdout + error


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--skald", required=True)
    parser.add_argument("--backend", action="append")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, help="go on for so long instead of --count")
    parser.add_argument("--keep", help="programs that differ go here")
    parser.add_argument("--time-limit", type=float, default=120, help="seconds for a program on a back end; more on a busy machine")
    args = parser.parse_args()
    end = time.monotonic() + args.seconds if args.seconds else None
    done = failed = skipped = 0
    while (time.monotonic() < end) if end else (done < args.count):
        seed = args.seed + done
        done += 1
        text = Program(seed).text()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "random.nesl")
            with open(path, "w", encoding="utf-8") as out:
                out.write(text)
            wanted = run(args.skald, "interp", path, 20)
            if wanted == "time":
                skipped += 1
                continue
            wrong = "exit code" in wanted or "does not compile" in wanted
            for backend in [] if wrong else args.backend or ["cpu"]:
                got = run(args.skald, backend, path, args.time_limit)
                if got != wanted:
                    wrong, wanted = True, f"{backend}:\n{got[:1500]}\ninterp:\n{wanted[:1500]}"
                    break
        if wrong:
            failed += 1
            print(f"seed {seed}:\n{text}\n{wanted}\n", flush=True)
            if args.keep:
                os.makedirs(args.keep, exist_ok=True)
                with open(os.path.join(args.keep, f"{seed}.nesl"), "w", encoding="utf-8") as out:
                    out.write(text)
    print(f"{done} programs, {failed} failed, {skipped} took too long")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
