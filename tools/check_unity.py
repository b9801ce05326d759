#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that names in unnamed namespaces are unique in their library.

The release build merges several files of a library into one, so that two files with a helper of the same name and the
same parameters collide, or one day will, when files are added and the groups change.  Nor may a helper have the name of a
function that a header of the library declares: it would hide that one in the files after its own.  Share the helper or
rename one.

    tools/check_unity.py [SOURCE-ROOT]
"""

import collections
import pathlib
import re
import sys

TYPE = re.compile(r"(?:struct|class|enum class|enum) (\w+)")
OTHER = re.compile(r"(?:constexpr|const|static|inline|thread_local)?.*?\b(\w+)\s*([(={;\[])")
NOT_A_DEFINITION = ("//", "}", "#", "using", "template", "static_assert", ")")


def library_of(path, source):
    """The nearest folder upwards that has a CMakeLists.txt."""
    folder = path.parent
    while folder != source and not (folder / "CMakeLists.txt").exists():
        folder = folder.parent
    return str(folder.relative_to(source))


def definitions(text):
    """(namespace, name, signature) of what stands at the top of unnamed namespaces; the signature of a function is its
    parameter types, roughly."""
    namespace, unnamed = "", False
    for line in text.splitlines():
        named = re.match(r"namespace (skald[\w:]*) \{", line)
        if named:
            namespace = named.group(1)
        elif line.startswith("namespace {"):
            unnamed = True
        elif line.startswith("}  // namespace"):
            unnamed = unnamed and line.startswith("}  // namespace skald")
        elif unnamed and line and not line[0].isspace() and not line.startswith(NOT_A_DEFINITION):
            if "::" in line.split("(")[0].split(" ")[-1]:
                continue  # a member of a class
            kind = TYPE.match(line)
            if kind:
                yield namespace, kind.group(1), "type"
                continue
            other = OTHER.match(line)
            if other:
                is_function = other.group(2) == "("
                parameters = line[line.index("(") :] if is_function else "value"
                yield namespace, other.group(1), re.sub(r"\b\w+(,|\)|$)", r"\1", parameters)


def declared_functions(text):
    """(namespace, name) of the functions that a header declares outside of classes."""
    namespace = ""
    for line in text.splitlines():
        named = re.match(r"namespace (skald[\w:]*) \{", line)
        if named:
            namespace = named.group(1)
        elif line and not line[0].isspace() and not line.startswith(NOT_A_DEFINITION):
            function = re.match(r"(?:inline |constexpr )*[\w:<>*&, ]+[ *&](\w+)\(", line)
            if function:
                yield namespace, function.group(1)


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    source = root / "src"
    found = collections.defaultdict(list)
    for path in sorted(source.rglob("*.cpp")):
        library = library_of(path, source)
        for definition in definitions(path.read_text()):
            found[library, *definition].append(path)
    declared = collections.defaultdict(set)
    for path in source.rglob("*.h"):
        for namespace, name in declared_functions(path.read_text()):
            declared[library_of(path, source), namespace, name].add(path)
    clashes = 0
    for (library, namespace, name, signature), paths in sorted(found.items()):
        headers = declared[library, namespace, name]
        if headers and signature not in ("type", "value"):
            clashes += 1
            print(f"{name}: hides the one of " + ", ".join(sorted(str(p.relative_to(root)) for p in headers))
                  + " after " + ", ".join(sorted(str(p.relative_to(root)) for p in paths)))
    for (_, _, name, _), paths in sorted(found.items()):
        if len(set(paths)) > 1:
            clashes += 1
            print(f"{name}: " + ", ".join(sorted({str(p.relative_to(root)) for p in paths})))
    if clashes:
        print(f"{clashes} names of unnamed namespaces are used twice in one library, or hide another one; share or rename them")
    return 1 if clashes else 0


if __name__ == "__main__":
    sys.exit(main())
