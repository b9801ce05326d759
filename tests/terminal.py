#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""skald at a terminal: what it says when it waits for input, interrupts, colours, narrow windows, output that cannot be written.

  terminal.py --skald PROGRAM
"""
import argparse
import fcntl
import glob
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

# For what must happen soon, on a busy machine.
SECONDS = 60

ADD = "entry main (x: i32) (ys: []i32) = map (+ x) ys\n"
PAIRS = "entry main [n] (xs: [n]i32) (ys: [n]i32) = map2 (+) xs ys\n"
FIVE = "entry main = 5i32\n"
ENDLESS = "entry main (x: i32) = loop y = x while y >= 0 do if y > 10 then 0 else y + 1\n"
WRONG = "def main (x: i32) : f32 = x\n"
ENDLESS_TEST = ENDLESS + "-- ==\n-- input { 1 } output { 1 }\n"


class Terminal:
    """A program whose standard streams are a pseudo-terminal."""

    def __init__(self, command, columns=80, **environment):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.pop("NO_COLOR", None)
            os.environ["TERM"] = "xterm"
            os.environ.update(environment)
            os.execv(command[0], command)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.shown = ""

    def read_until(self, text):
        end = time.monotonic() + SECONDS
        while text not in self.shown and time.monotonic() < end:
            if not self.read_some():
                break
        if text not in self.shown:
            raise AssertionError(f"{text!r} was not shown, but\n{self.shown}")

    def read_some(self):
        ready, _, _ = select.select([self.fd], [], [], 1)
        if not ready:
            return True
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            return False
        self.shown += data.decode(errors="replace").replace("\r\n", "\n")
        return bool(data)

    def type(self, text):
        os.write(self.fd, text.encode())

    def end(self):
        """The exit code; negative: the signal."""
        end = time.monotonic() + SECONDS
        while self.read_some() and time.monotonic() < end:
            pass
        if time.monotonic() >= end:
            os.kill(self.pid, signal.SIGKILL)
            raise AssertionError(f"it did not end\n{self.shown}")
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def check_waiting(skald, file):
    run = Terminal([skald, "run", file("add.fut", ADD)])
    run.read_until("main takes x: i32, ys: []i32: type the values, then Ctrl-D on a new line.")
    run.type("10\n[1, 2, 3]\n\x04")
    expect(run.end() == 0 and "[11i32, 12i32, 13i32]" in run.shown, run.shown)


def check_nothing_to_wait_for(skald, file):
    run = Terminal([skald, "run", file("five.fut", FIVE)])
    expect(run.end() == 0 and "5i32" in run.shown and "Ctrl-D" not in run.shown, run.shown)


def check_wrong_sizes(skald, file):
    run = Terminal([skald, "run", file("pairs.fut", PAIRS)], NO_COLOR="1")
    run.read_until("Ctrl-D")
    run.type("[1, 2] [3]\n\x04")
    expect(run.end() == 2 and "error[bad-arguments]" in run.shown, run.shown)


def check_interrupt(skald, file):
    run = Terminal([skald, "run", file("endless.fut", ENDLESS)])
    run.read_until("Ctrl-D")
    run.type("1\n\x04")
    time.sleep(0.5)
    run.type("\x03")
    expect(run.end() == -signal.SIGINT, run.shown)


def children_of(pid):
    """Those of all threads, some of which may just end."""
    children = []
    for task in glob.glob(f"/proc/{pid}/task/*/children"):
        try:
            with open(task) as file:
                children += [int(child) for child in file.read().split()]
        except OSError:
            pass
    return children


def check_tests_end(skald, file):
    """Tests end with the tester, however that ends."""
    for how in (signal.SIGTERM, signal.SIGKILL):
        tester = subprocess.Popen(
            [skald, "test", file("endless_test.fut", ENDLESS_TEST)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        end = time.monotonic() + SECONDS
        while not children_of(tester.pid) and time.monotonic() < end:
            time.sleep(0.05)
        children = children_of(tester.pid)
        expect(children, "no test was started")
        tester.send_signal(how)
        tester.wait()
        while any(os.path.exists(f"/proc/{child}") for child in children):
            expect(time.monotonic() < end, f"a test goes on after {how.name}")
            time.sleep(0.05)


def check_progress(skald, file):
    """What takes more than a second says how far it is, and leaves no trace of that."""
    long = file("long.fut", "".join(f"def f{k} (x: i32) : i32 = let y = x + {k} in y * y\n" for k in range(60_000)))
    check = Terminal([skald, "check", long])
    time.sleep(0.2)
    os.kill(check.pid, signal.SIGSTOP)
    time.sleep(1)
    os.kill(check.pid, signal.SIGCONT)
    expect(check.end() == 0, check.shown)
    expect("checking: " in check.shown or "reading: " in check.shown, repr(check.shown))
    expect(check.shown.endswith("\x1b[K"), repr(check.shown[-80:]))
    piped = subprocess.run([skald, "check", long], capture_output=True, text=True)
    expect(piped.stderr == "", piped.stderr)


def check_colours(skald, file):
    wrong = file("wrong.fut", WRONG)
    for options, environment, coloured in [
        ([], {}, True),
        ([], {"NO_COLOR": "1"}, False),
        ([], {"TERM": "dumb"}, False),
        (["--color=never"], {}, False),
        (["--color=always"], {"NO_COLOR": "1"}, True),
    ]:
        check = Terminal([skald, "check", *options, wrong], **environment)
        expect(check.end() == 2, check.shown)
        expect(("\x1b[" in check.shown) == coloured, f"{options} {environment}: {check.shown!r}")
    piped = subprocess.run([skald, "check", wrong], capture_output=True, text=True)
    expect("\x1b" not in piped.stderr, piped.stderr)


def check_narrow_window(skald, file):
    """The line of progress never needs two."""
    for k in range(4):
        file(f"tests_of_something_with_a_long_name_{k}.fut", FIVE + "-- ==\n-- input { } output { 5 }\n")
    folder = os.path.dirname(file("x.txt", ""))
    test = Terminal([skald, "test", "--exclude=none", folder], columns=20)
    test.end()
    progress = [part for line in test.shown.split("\n") for part in line.split("\r")[:-1]]
    expect(all(len(part.replace("\x1b[K", "")) <= 20 for part in progress), repr(test.shown))


def check_binary(skald, file):
    five = file("five.fut", FIVE)
    refused = Terminal([skald, "run", "-b", five])
    expect(refused.end() == 2 and "--force" in refused.shown, refused.shown)
    forced = Terminal([skald, "run", "-b", "--force", five])
    expect(forced.end() == 0, forced.shown)


def check_lost_output(skald, file):
    five = file("five.fut", FIVE)
    core = [skald, "dump", five]
    for command in ([skald], [skald, "help", "run"], [skald, "explain"], core, [skald, "run", five], [skald, "cache"]):
        with open("/dev/full", "w") as full:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE, text=True)
        expect(done.returncode == 2 and "cannot write" in done.stderr, f"{command}: {done.returncode} {done.stderr}")
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=writer, stderr=subprocess.PIPE, text=True)
        os.close(writer)
        expect(done.returncode == 2 and "cannot write" in done.stderr, f"{command}: {done.returncode} {done.stderr}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--skald", required=True)
    args = parser.parse_args()
    skald = os.path.abspath(args.skald)
    checks = [
        check_waiting,
        check_nothing_to_wait_for,
        check_wrong_sizes,
        check_interrupt,
        check_tests_end,
        check_progress,
        check_colours,
        check_narrow_window,
        check_binary,
        check_lost_output,
    ]
    failed = 0
    for check in checks:
        with tempfile.TemporaryDirectory() as folder:

            def file(name, text, folder=folder):
                path = os.path.join(folder, name)
                with open(path, "w") as out:
                    out.write(text)
                return path

            try:
                check(skald, file)
                print(f"ok      {check.__name__}")
            except AssertionError as problem:
                failed += 1
                print(f"FAILED  {check.__name__}: {problem}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
