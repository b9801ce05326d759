#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that no two arguments of one call add statements to imp code.

C++ does not say which argument is evaluated first, and g++ begins with the last one on x86-64 and with the first one on
arm64.  `code.add_i64(code.mul_i64(i, n), code.mul_i64(j, m))` would make other programs there.  Give one of the operands
a name before the call.

    tools/check_order.py [SOURCE-ROOT]
"""

import pathlib
import re
import sys

COMMENT = re.compile(r"//[^\n]*")
CALL = re.compile(r"\w\(")
# What adds statements: methods of Code, and functions that take one.
CODES = "code|at|in|inner|here|host|round|loop|over|used|rest|b"
ADDS = re.compile(r"\b\w+\.(?:let|load|binop|both|either|shuffle|ballot|(?:add|sub|mul|min|max|quot|rem|less|lt|le|eq)_\w+)\("
                  rf"|\b[a-z]\w*\((?:{CODES})\b\s*,")
LAMBDA = re.compile(r"\[[&=\w, ]*\]\s*[({]")


def arguments(text, begin):
    """What stands between the commas of the call whose arguments begin there."""
    depth, start, found = 1, begin, []
    for at in range(begin, len(text)):
        if text[at] in "({[":
            depth += 1
        elif text[at] in ")}]":
            depth -= 1
        if depth == 0 or (depth == 1 and text[at] == ","):
            found.append(text[start:at])
            start = at + 1
        if depth == 0:
            break
    return found


def places(text):
    """Lines of calls with two such arguments; what lambdas do is done later."""
    text = COMMENT.sub("", text)
    for call in CALL.finditer(text):
        adding = [a for a in arguments(text, call.end()) if ADDS.search(a) and not LAMBDA.search(a)]
        if len(adding) > 1:
            yield text.count("\n", 0, call.start()) + 1


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent
    wrong = [f"{path.relative_to(root)}:{line}" for path in sorted((root / "src" / "imp").rglob("*.cpp"))
             for line in places(path.read_text(encoding="utf-8"))]
    for place in wrong:
        print(f"{place}: two arguments of one call add code, in an order that depends on the machine")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
