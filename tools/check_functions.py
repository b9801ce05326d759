#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that no function under src/ is longer than 80 lines and no class has more than 40 methods.

clang-tidy counts lines the same way (.clang-tidy), but takes minutes for the whole tree; this matches
braces and takes seconds.  Lambdas belong to the function they stand in; overloads of one name, as those of
a visitor, are one method.
Usage: check_functions.py [--most N] [PATH…]      (N: print the N longest functions and succeed)
"""
import argparse
import bisect
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOST_LINES = 80
MOST_METHODS = 40

# Known ones, by name: none may be added, and those that are in order must go.
KNOWN = set()

# Comments, then strings and characters; what they hold becomes blanks, so that places stay the same.
SKIPPED = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL
)
PREPROCESSOR = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
NAMESPACE = re.compile(r'\b(?:namespace|extern)\b(?!.*\()')
CLASS = re.compile(r"\b(?:class|struct|union|enum)\b\s*(?:class\b)?\s*([\w:]*)")
# Digits with ' between them are no characters.
DIGITS = re.compile(r"(?<=\d)'(?=\d)")


def blank(match):
    return re.sub(r"[^\n]", " ", match[0])


def without_text(text):
    text = DIGITS.sub("0", text)
    return PREPROCESSOR.sub(blank, SKIPPED.sub(blank, text))


def without_brackets(text, pair):
    """The text without what stands in such brackets."""
    opening, closing = re.escape(pair[0]), re.escape(pair[1])
    inner = re.compile(f"{opening}[^{opening}{closing}]*{closing}")
    while True:
        shorter = inner.sub("", text)
        if shorter == text:
            return text
        text = shorter


def plain(head):
    """A declaration without template arguments and comparisons that look like them."""
    head = re.sub(r"operator\s*(?:<=>|<<|>>|<=|>=|<|>|->|\(\))", "operator", head)
    head = head.replace("->", "").replace("<=", "").replace(">=", "")
    return without_brackets(head, "<>")


def name_of(head):
    """Of a function: the word before its parameters."""
    found = re.search(r"([\w:~]+|operator[^\s(]*)\s*\(", plain(head))
    return found[1] if found else "?"


def is_method(head):
    head = plain(head).strip()
    head = re.sub(r"^(?:public|private|protected)\s*:", "", head).strip()
    if re.match(r"(?:friend|using|typedef|static_assert)\b", head):
        return False
    before = re.split(r"[={]", head, maxsplit=1)[0] if "operator" not in head else head
    return re.search(r"[\w~]\s*\(", before) is not None


def matching(text, at):
    """The place of the brace that closes the one at `at`."""
    depth = 0
    for k in range(at, len(text)):
        depth += {"{": 1, "}": -1}.get(text[k], 0)
        if depth == 0:
            return k
    return len(text) - 1


class File:
    def __init__(self, path):
        self.path = path
        self.text = without_text(path.read_text(encoding="utf-8"))
        self.newlines = [k for k, char in enumerate(self.text) if char == "\n"]
        self.functions = []  # name, line, lines
        self.classes = []  # name, line, methods
        self.declarations(0, len(self.text), None)

    def line(self, at):
        return bisect.bisect_left(self.newlines, at) + 1

    def declarations(self, start, end, counted):
        """Those between two places; in a class, `counted` gets an element for each method."""
        text, begin, k = self.text, start, start
        while k < end:
            if text[k] == ";" and text.count("(", begin, k) == text.count(")", begin, k):
                self.declared(text[begin:k], counted)
                begin = k + 1
            elif text[k] == "{":
                close = matching(text, k)
                head = text[begin:k]
                if self.is_part_of_head(head):
                    k = close
                else:
                    k = self.block(head, begin, k, close, counted)
                    begin = k + 1
            elif text[k] == "}":
                begin = k + 1
            k += 1

    @staticmethod
    def is_part_of_head(head):
        """A brace that initialises: in a list of members, a default argument, a variable."""
        head = head.rstrip()
        if head.count("(") > head.count(")"):
            return True
        short = plain(without_brackets(head, "()"))
        members = re.search(r"\)?\s*(?<!:):(?!:)[^{}]*[\w>]$", head) and "(" in head
        if members and not re.search(r"\b(?:class|struct|union|enum)\b", short):
            return True
        return bool(re.search(r"=\s*$|\breturn\s*$", head)) or ("=" in short and "(" not in head)

    def block(self, head, begin, opening, close, counted):
        """What a brace opens after `head`; gives the place where its text ends."""
        short = plain(head)
        found = CLASS.search(without_brackets(short, "()"))
        if NAMESPACE.search(short):
            self.declarations(opening + 1, close, None)
        elif found and not re.search(r"\)\s*(?:const|noexcept|override|final|\s)*$", short):
            methods = []
            self.declarations(opening + 1, close, methods)
            self.classes.append((found[1], self.line(opening), len({name_of(head) for head in methods})))
        elif "(" in head:
            self.declared(head, counted)
            lines = self.line(close) - self.line(opening)
            self.functions.append((name_of(head), self.line(begin + len(head) - len(head.lstrip())), lines))
        return close

    @staticmethod
    def declared(head, counted):
        if counted is not None and is_method(head):
            counted.append(head)


def files_of(paths):
    for path in paths:
        yield from [path] if path.is_file() else sorted([*path.rglob("*.h"), *path.rglob("*.cpp")])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--most", type=int)
    parser.add_argument("paths", nargs="*", type=pathlib.Path, default=[ROOT / "src"])
    args = parser.parse_args()
    functions, found, seen = [], [], set()
    for path in files_of(args.paths):
        file = File(path.resolve())
        relative = file.path.relative_to(ROOT).as_posix() if file.path.is_relative_to(ROOT) else str(path)
        for name, line, lines in file.functions:
            functions.append((lines, f"{relative}:{line}: {name}"))
            if lines > MOST_LINES and name in KNOWN:
                seen.add(name)
            elif lines > MOST_LINES:
                found.append(f"{relative}:{line}: {name} has {lines} lines; {MOST_LINES} at most")
        for name, line, methods in file.classes:
            if methods > MOST_METHODS and name in KNOWN:
                seen.add(name)
            elif methods > MOST_METHODS:
                found.append(f"{relative}:{line}: {name} has {methods} methods; {MOST_METHODS} at most")
    if args.most:
        for lines, text in sorted(functions, reverse=True)[: args.most]:
            print(f"{lines:5} {text}")
        return 0
    if args.paths == [ROOT / "src"]:
        for name in sorted(KNOWN - seen):
            print(f"functions: {name} is in order now: take it from KNOWN")
    print("\n".join(found) if found else f"functions: {len(functions)} of at most {MOST_LINES} lines")
    return 1 if found else 0


sys.exit(main())
