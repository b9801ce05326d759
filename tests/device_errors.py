#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What can go wrong with a device, on those that this machine has: wrong names, missing compilers, kernels that never end, interrupts,
several contexts and threads, more elements than fit in 32 bits.

    tests/device_errors.py --skald build/release/skald [--library build/release/libskald.so] [--backend cuda]
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench", "gpu"))
import library  # noqa: E402

ENDLESS = "entry main (n: i64) : []i32 = map (\\i -> loop x = i32.i64 i while x != 1000000007 do (x + 2) & 0xffff) (iota n)\n"
MANY = """entry total (n: i64) : i64 = i64.sum (map (\\i -> i & 3) (iota n))
entry last (n: i64) : u8 = let xs = map (\\i -> u8.i64 (i % 251)) (iota n) in xs[n - 1] + xs[n / 2]
"""
LOOP = "entry main (n: i64) (k: i32) : []i64 = loop xs = iota n for i < k do map (\\x -> (x * 31 + i64.i32 i) % 1000003) (rotate 1 xs)\n"
LONG = 60  # seconds until something counts as hanging

failed = []


def expect(what, condition, shown=""):
    print(f"{'ok' if condition else 'FAILED'}: {what}", flush=True)
    if not condition:
        failed.append(what)
        print(shown, flush=True)


class Tests:
    def __init__(self, args, folder):
        self.args, self.folder = args, folder

    def path(self, name, text):
        path = os.path.join(self.folder, name + ".fut")
        with open(path, "w") as out:
            out.write(text)
        return path

    def skald(self, words, stdin="", **environment):
        try:
            done = subprocess.run([self.args.skald] + words, input=stdin, capture_output=True, text=True, timeout=LONG,
                                  env={**os.environ, **environment})
        except subprocess.TimeoutExpired:
            return None, "it hangs"
        return done.returncode, done.stdout + done.stderr

    def refused(self, what, words, wanted, **environment):
        code, text = self.skald(words, "8i64", **environment)
        expect(what, code == 2 and wanted in text, f"exit code {code}: {text}")

    def names(self, backend):
        program = self.path("many", MANY)
        run = ["run", f"--backend={backend}", "-e", "total", program]
        if backend == "opencl":
            self.refused("opencl: a wrong name", run, "no OpenCL device has `nonsense` in its name", SKALD_OPENCL_DEVICE="nonsense")
            return
        self.refused("cuda: a wrong name", run, "no CUDA device has the number or the name `nonsense`; there are 0: ", SKALD_CUDA_DEVICE="nonsense")
        self.refused("cuda: a wrong number", run, "no CUDA device has the number or the name `77`", SKALD_CUDA_DEVICE="77")
        self.refused("cuda: no compiler", run, "$SKALD_NVRTC is `/nowhere/libnvrtc.so`, which cannot be loaded", SKALD_NVRTC="/nowhere/libnvrtc.so")

    def endless(self, backend):
        program = self.path("endless", ENDLESS)
        started = time.monotonic()
        code, text = self.skald(["run", f"--backend={backend}", "--max-time=1", program], "1000i64")
        expect(f"{backend}: a kernel that never ends is given up", code == 2 and "time-limit" in text and "did not end in time" in text,
               f"exit code {code}: {text}")
        expect(f"{backend}: … soon", time.monotonic() - started < LONG / 2)
        code, text = self.skald(["run", f"--backend={backend}", "-e", "total", self.path("many", MANY)], "1000i64")
        expect(f"{backend}: another process can use the device after that", code == 0 and "1500i64" in text, f"exit code {code}: {text}")
        child = subprocess.Popen([self.args.skald, "run", f"--backend={backend}", program], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        child.stdin.write(b"1000i64")
        child.stdin.close()
        time.sleep(3)
        expect(f"{backend}: … and goes on without a limit", child.poll() is None)
        child.send_signal(signal.SIGINT)
        try:
            expect(f"{backend}: an interrupt ends it", child.wait(timeout=LONG) == -signal.SIGINT, f"exit code {child.returncode}")
        except subprocess.TimeoutExpired:
            child.kill()
            expect(f"{backend}: an interrupt ends it", False, "it hangs")

    def many(self, backend):
        program = self.path("many", MANY)
        for entry, n, wanted in (("total", (1 << 33) + 5, f"{(1 << 32) // 4 * 2 * 6 + 6}i64"), ("last", 2500000011, None)):
            if wanted is None:
                wanted = f"{((n - 1) % 251 + n // 2 % 251) % 256}u8"
            code, text = self.skald(["run", f"--backend={backend}", "-e", entry, program], f"{n}i64")
            expect(f"{backend}: {entry} of {n} elements", code == 0 and text.strip() == wanted, f"wanted {wanted}; exit code {code}: {text}")

    def contexts(self, backend):
        lib = library.Library(self.args.library)
        program = self.path("loop", LOOP)
        contexts = [library.Context(lib, backend) for _ in range(2)]
        programs = [context.program(program) for context in contexts]
        wanted = list(programs[0].call("main", 1000, 200)[0].read())
        wrong, problems = [], []

        def work(number):
            try:
                for _ in range(20):
                    if list(programs[number % 2].call("main", 1000, 200)[0].read()) != wanted:
                        wrong.append(number)
            except library.SkaldError as error:
                problems.append(str(error))

        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        expect(f"{backend}: two contexts, two threads each", not wrong and not problems, f"{wrong} {problems}")
        # One that is given up leaves the other alone, where the device can run two kernels at once.
        limited = library.Context(lib, backend, time_limit=1)
        try:
            limited.program(self.path("endless", ENDLESS)).call("main", 1000)
            expect(f"{backend}: the limit of a context", False)
        except library.SkaldError as error:
            expect(f"{backend}: the limit of a context", "did not end in time" in str(error), str(error))
        try:
            limited.program(program).call("main", 10, 1)
            expect(f"{backend}: what was given up stays so", False)
        except library.SkaldError as error:
            expect(f"{backend}: what was given up stays so", "did not end in time" in str(error), str(error))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--skald", required=True)
    parser.add_argument("--library", help="libskald.so; without it contexts and threads are left out")
    parser.add_argument("--backend", action="append")
    args = parser.parse_args()
    ran = 0
    with tempfile.TemporaryDirectory() as folder:
        tests = Tests(args, folder)
        for backend in args.backend or ("opencl", "cuda"):
            code, text = tests.skald(["run", f"--backend={backend}", "-e", "total", tests.path("many", MANY)], "8i64")
            if code != 0 and not args.backend:
                print(f"{backend} is left out: {text.strip()}", flush=True)
                if backend == "cuda" and "libcuda" in text:
                    expect("cuda: no driver", code == 2 and "it comes with the driver of an NVIDIA GPU" in text, text)
                continue
            ran += 1
            expect(f"{backend}: a program runs", code == 0 and "12i64" in text, f"exit code {code}: {text}")
            tests.names(backend)
            tests.endless(backend)
            if backend == "cuda":
                tests.many(backend)
            if args.library:
                # In a process of its own: a device that was given up may keep this one from ending.
                done = subprocess.run([sys.executable, "-c", CONTEXTS, os.path.dirname(os.path.abspath(__file__)), args.library, backend, folder],
                                      timeout=4 * LONG, check=False)
                if done.returncode != 0:
                    failed.append(f"{backend}: contexts")
    print(f"{len(failed)} failed" + (": " + ", ".join(failed) if failed else ""))
    sys.exit(1 if failed else 0 if ran else 77)


CONTEXTS = """
import argparse, os, sys
sys.path.insert(0, sys.argv[1])
import device_errors as d
d.Tests(argparse.Namespace(skald=None, library=sys.argv[2]), sys.argv[4]).contexts(sys.argv[3])
sys.stdout.flush()
os._exit(1 if d.failed else 0)
"""

if __name__ == "__main__":
    main()
