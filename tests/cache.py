#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cache of compiled programs: it must change how long a run takes and nothing else.

Damaged entries, folders that cannot be written, limits too small for one entry, many processes at once, imported files
that change: each run must print what it prints without a cache.
"""

import argparse
import os
import pathlib
import stat
import subprocess
import sys
import tempfile

HIT = "from the cache"
PROGRAM = """
import "lib"
-- | Used by one entry point only.
def unused_thing (x: i32) = let y = x in 3i32
entry main [n] (xs: [n]i32) (i: i64) : (i32, [n]i32) = (xs[i], map (\\x -> f x / xs[0]) xs)
entry update [n] (xs: *[n]f32) : *[n]f32 = xs with [0] = 7
"""
LIB = "def f (x: i32) = x * 2 + {}\n"


class Place:
    """A folder with a program and a cache."""

    def __init__(self, skald, folder):
        self.skald = skald
        self.folder = pathlib.Path(folder)
        self.cache = self.folder / "cache"
        (self.folder / "prog.fut").write_text(PROGRAM)
        self.set_lib(1)

    def set_lib(self, number):
        (self.folder / "lib.fut").write_text(LIB.format(number))

    def command(self, *options):
        return [self.skald, "run", "-v", "--backend=cpu", "prog.fut", *options]

    def env(self, **more):
        return {**os.environ, "SKALD_CACHE_DIR": str(self.cache), "SKALD_CACHE": "on", "NO_COLOR": "1", **more}

    def run(self, *options, values="[2, 3, 4] 1i64", **more):
        done = subprocess.run(self.command(*options), cwd=self.folder, env=self.env(**more), input=values,
                              capture_output=True, text=True, timeout=120)
        told = [line for line in done.stderr.splitlines() if not line.startswith("skald: ")]
        return done.returncode, done.stdout, "\n".join(told), HIT in done.stderr

    def entries(self):
        return sorted(self.cache.glob("*")) if self.cache.is_dir() else []


def same(place, what, hit, *options, **more):
    """A run prints the same as one without a cache, and was or was not taken from it."""
    expected = place.run(*options, "--no-cache", **more)
    got = place.run(*options, **more)
    if expected[3]:
        raise AssertionError(f"{what}: --no-cache used the cache")
    if got[:3] != expected[:3]:
        raise AssertionError(f"{what}: {got[:3]} instead of {expected[:3]}")
    if hit is not None and got[3] != hit:
        raise AssertionError(f"{what}: {'not ' if hit else ''}taken from the cache")
    return got


def test_warm(place):
    first = same(place, "first run", False)
    assert first[0] == 0 and first[1] == "3i32\n[2i32, 3i32, 4i32]\n", first
    same(place, "second run", True)
    same(place, "other values", True, values="[5] 0i64")
    same(place, "a failing run", True, values="[5] 1i64")
    assert "prog.fut:" in place.run(values="[5] 1i64")[2]
    same(place, "wrong sizes", True, values="[5] 1i64 3")
    same(place, "another entry point", False, "-e", "update", values="[1f32, 2f32]")
    same(place, "a unique argument, three runs", True, "-e", "update", "-r", "3", values="[1f32, 2f32]")
    same(place, "another option", False, "--disable=fuse")
    same(place, "no entry point", False, "-e", "nothing")
    same(place, "--verify", False, "--verify")


def test_kernels_one_by_one(place):
    """Kernels are compiled when they are called; those of later runs come to those of earlier ones."""
    (place.folder / "prog.fut").write_text("""
        entry main [n] (early: bool) (xs: [n]i32) : [n]i32 =
          if early then reverse (scan (+) 0 (map (* 3) xs)) else rotate 1 (scan (*) 1 (map (+ 7) xs))
    """)
    late, early = "false [1, 2, 3]", "true [1, 2, 3]"
    same(place, "first run", False, values=late)
    one = place.entries()[0].read_bytes()
    same(place, "the same kernels", True, values=late)
    assert place.entries()[0].read_bytes() == one
    same(place, "other kernels", True, values=early)
    both = place.entries()[0].read_bytes()
    assert both != one
    for values in (late, early):
        same(place, "all kernels", True, values=values)
    assert [entry.read_bytes() for entry in place.entries()] == [both]


def test_off(place):
    place.run(SKALD_CACHE="off")
    place.run("--no-cache")
    assert place.entries() == []


def test_changes(place):
    same(place, "first run", False)
    place.set_lib(2)
    changed = same(place, "changed import", False)
    same(place, "changed import, again", True)
    (place.folder / "lib.fut").unlink()
    assert same(place, "missing import", False)[0] == 2
    place.set_lib(2)
    assert same(place, "import is back", True) [1] == changed[1]
    program = place.folder / "prog.fut"
    program.write_text(PROGRAM.replace("xs[0]", "xs[1]"))
    same(place, "changed program", False)
    program.write_text("def main = 1 +\n")
    assert same(place, "broken program", False)[0] == 2


def test_damage(place):
    same(place, "first run", False)
    entry, = place.entries()
    content = entry.read_bytes()
    damages = {
        "empty": b"",
        "cut": content[: len(content) // 2],
        "one bit": content[:200] + bytes([content[200] ^ 1]) + content[201:],
        "zeros": bytes(len(content)),
        "longer": content + b"x",
        "text": b"hello\n" * 100,
    }
    for name, damage in damages.items():
        entry.write_bytes(damage)
        same(place, f"damage: {name}", False)
        same(place, f"damage: {name}, repaired", True)
    entry.unlink()
    entry.mkdir()
    same(place, "a folder instead of an entry", False)


def test_folder(place):
    place.cache.write_text("a file\n")
    same(place, "a file instead of the folder", False)
    same(place, "a file instead of the folder, again", False)
    place.cache.unlink()
    same(place, "first run", False)
    place.cache.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        same(place, "read-only folder", True)
        # Root may write everywhere, so that there may be an entry now.
        same(place, "read-only folder, another program", None, "-e", "update", values="[1f32]")
    finally:
        place.cache.chmod(stat.S_IRWXU)
    same(place, "a folder that cannot be made", False, SKALD_CACHE_DIR="/proc/nowhere/skald")


def test_limit(place):
    same(place, "first run", False, SKALD_CACHE_LIMIT="100")
    assert place.entries() == []
    same(place, "room for a few", False, SKALD_CACHE_LIMIT="20K")
    for k in range(12):
        place.set_lib(k)
        (place.folder / "prog.fut").write_text(PROGRAM + f"-- {k}\n")
        place.run(SKALD_CACHE_LIMIT="20K")
    assert place.entries(), "nothing was kept"
    assert sum(entry.stat().st_size for entry in place.entries()) <= 20 << 10


def test_processes(place):
    """Many processes that all find nothing, and then all something; the limit makes them delete, too."""
    expected = place.run("--no-cache")
    for _ in range(3):
        running = [
            subprocess.Popen(place.command(), cwd=place.folder, env=place.env(SKALD_CACHE_LIMIT="20K"), text=True,
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            for _ in range(6)
        ]
        for process in running:
            out, err = process.communicate("[2, 3, 4] 1i64", timeout=120)
            assert process.returncode == 0 and out == expected[1], err
    assert not [entry for entry in place.entries() if entry.suffix == ".tmp"]


def test_command(place):
    def cache(*options, **more):
        return subprocess.run([place.skald, "cache", *options], env=place.env(**more), capture_output=True, text=True)

    place.run()
    assert "1 program, " in cache().stdout and str(place.cache) in cache().stdout, cache()
    # What is known of the machine is no program.
    (place.cache / ("0" * 32 + ".measured")).write_text("numbers")
    assert "1 program, 1 measurement, " in cache().stdout, cache()
    assert cache("--clear").stdout.startswith("Deleted 1 program, 1 measurement, ")
    assert place.entries() == []
    assert cache(SKALD_CACHE="off").stdout == "The cache is off.\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--skald", required=True)
    parser.add_argument("names", nargs="*", help="only these")
    args = parser.parse_args()
    failures = 0
    for name, test in sorted(globals().items()):
        if not name.startswith("test_") or (args.names and name[5:] not in args.names):
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                test(Place(os.path.abspath(args.skald), folder))
            except AssertionError as problem:
                failures += 1
                print(f"{name}: {problem}")
    print(f"{failures} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
