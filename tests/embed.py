#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""libskald as a host program sees it: installs a build, builds the host programs of examples/embed and tests/embed
against the installed tree with CMake, and runs them.

    tests/embed.py --build build/dev [--backend cpu]…
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# What the examples print; the tests print "ok".
EXAMPLES = {"saxpy": "1 21 19981\n", "histogram": "100 200 0 0 200 100 200 0 0 200 \n", "heat": "241 steps, mean 12.415\n"}
TESTS = ("bad_input", "arrays", "limits", "threads", "lazy")


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nexit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def build(source, folder, prefix):
    run("cmake", "-S", source, "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_BUILD_TYPE=Release")
    run("cmake", "--build", folder, "-j2")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--backend", action="append", default=[])
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        prefix = folder / "prefix"
        run("cmake", "--install", args.build, "--prefix", prefix)
        version = run(prefix / "bin" / "skald", "--version")
        print(f"installed {version.strip()}")
        build(ROOT / "examples" / "embed", folder / "examples", prefix)
        build(ROOT / "tests" / "embed", folder / "tests", prefix)
        flags = run("pkg-config", "--cflags", "--libs", "skald",
                    env={**os.environ, "PKG_CONFIG_PATH": ":".join(map(str, prefix.rglob("pkgconfig")))})
        if "-lskald" not in flags:
            sys.exit(f"pkg-config says {flags}")
        failed = 0
        for backend in args.backend:
            programs = [(folder / "examples" / name, text) for name, text in EXAMPLES.items()]
            programs += [(folder / "tests" / name, "ok\n") for name in TESTS]
            for program, expected in programs:
                done = subprocess.run([program, backend], capture_output=True, text=True, timeout=300,
                                      env={**os.environ, "SKALD_CACHE_DIR": str(folder / "cache")})
                right = done.returncode == 0 and done.stdout == expected
                failed += not right
                print(f"{program.name} on {backend}: {'ok' if right else 'FAILED'}")
                if not right:
                    print(f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return 1 if failed else 0


sys.exit(main())
