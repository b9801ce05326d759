# SPDX-License-Identifier: Apache-2.0
"""Everything that can run a row: Skald, the hand-written programs, Futhark's back ends where they are found."""

import hashlib
import json
import os
import pathlib
import platform
import shutil
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def save(path, result):
    """As JSON, if there is a path."""
    if path:
        pathlib.Path(path).write_text(json.dumps(result, indent=1) + "\n")


class Side:
    """Runs a row `runs` times and gives the microseconds of each; writes the results to `out`."""

    def __init__(self, name):
        self.name = name

    def times(self, row, data, out, runs, threads=0):
        raise NotImplementedError

    def prepare(self, row):
        """Compiles what is needed; a sentence if this side cannot run the row."""
        return None


def timed(command, data, out, threads_option=()):
    with tempfile.NamedTemporaryFile("r") as times, open(data, "rb") as stdin, open(out, "wb") as stdout:
        done = subprocess.run([*command, "-t", times.name, *threads_option], stdin=stdin, stdout=stdout,
                              stderr=subprocess.PIPE)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.decode(errors="replace")[-500:])
        return [float(line) for line in times.read().split()]


class Skald(Side):
    def __init__(self, skald, name="skald", options=()):
        super().__init__(name)
        self.skald, self.options = skald, list(options)

    def program(self, row):
        return str(HERE / "programs" / f"{row.program}.fut")

    def times(self, row, data, out, runs, threads=0):
        command = [self.skald, "run", "--backend=cpu", "-b", "-r", str(runs), *self.options, self.program(row)]
        return timed(command, data, out, ["--num-threads", str(threads)] if threads else [])


class Peer(Side):
    """A program of peers/, compiled once for each version of its sources."""

    def __init__(self, compiler, folder):
        super().__init__(pathlib.Path(compiler).name.split("-")[0])
        self.compiler, self.folder = compiler, folder
        self.flags = ["-std=c++17", "-O3", "-march=native", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math"]
        # Clang 19 takes the CPU's word for SVE even where the kernel does not let programs use it.
        if platform.machine() == "aarch64" and "clang" in compiler:
            self.flags[2] = "-mcpu=native" + ("" if "sve" in cpu_features() else "+nosve")
        self.libraries = ["-ltbb"]
        if has_sleef(compiler):
            self.flags.append("-DPEER_SLEEF")
            self.libraries.append("-lsleef")

    def binary(self, source):
        text = b"".join(path.read_bytes() for path in [source, *sorted((HERE / "peers").glob("*.h"))])
        key = hashlib.sha256(text + " ".join([self.compiler, *self.flags]).encode()).hexdigest()[:16]
        path = pathlib.Path(self.folder) / f"{source.stem}-{self.name}-{key}"
        if not path.exists():
            made = f"{path}.{os.getpid()}"
            subprocess.run([self.compiler, *self.flags, str(source), "-o", made, *self.libraries], check=True)
            os.rename(made, path)
        return str(path)

    def times(self, row, data, out, runs, threads=0):
        command = [self.binary(HERE / "peers" / f"{row.peer or row.program}.cpp"), data, out, str(runs), str(threads)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr[-500:])
        return [float(line) for line in done.stdout.split()]


class Futhark(Side):
    def __init__(self, futhark, backend, folder, ispc=None):
        super().__init__(f"futhark {backend}")
        self.futhark, self.backend, self.folder = futhark, backend, folder
        self.env = {**os.environ, "CFLAGS": os.environ.get("CFLAGS", "-O3 -march=native -std=gnu11")}
        if ispc:
            self.env["PATH"] = f"{os.path.dirname(ispc)}:{self.env['PATH']}"

    def binary(self, row):
        source = HERE / "programs" / f"{row.program}.fut"
        key = hashlib.sha256(source.read_bytes() + self.env["CFLAGS"].encode()).hexdigest()[:16]
        return pathlib.Path(self.folder) / f"{row.program}-futhark-{self.backend}-{key}"

    def prepare(self, row):
        binary = self.binary(row)
        failed = binary.with_name(binary.name + ".failed")
        if failed.exists():
            return failed.read_text()
        if not binary.exists():
            source = HERE / "programs" / f"{row.program}.fut"
            done = subprocess.run([self.futhark, self.backend, str(source), "-o", str(binary)], env=self.env,
                                  capture_output=True, text=True)
            if done.returncode != 0 or not binary.exists():
                failed.write_text(done.stderr[-300:])
                return failed.read_text()
        return None

    def times(self, row, data, out, runs, threads=0):
        option = ["--num-threads", str(threads)] if threads and self.backend != "c" else []
        return timed([str(self.binary(row)), "-b", "-r", str(runs)], data, out, option)


def cpu_features():
    try:
        for line in open("/proc/cpuinfo", encoding="utf-8"):
            if line.startswith(("Features", "flags")):
                return line.split(":")[1].split()
    except OSError:
        pass
    return []


def has_sleef(compiler):
    test = "#include <sleef.h>\nint main() { return 0; }\n"
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run([compiler, "-x", "c++", "-", "-o", f"{folder}/a", "-lsleef"], input=test.encode(),
                              capture_output=True).returncode == 0


def find_sides(skald, folder, wanted):
    """All sides that are found here, Skald first."""
    sides = [Skald(skald)]
    for compiler in ("g++", "clang++-19"):
        if shutil.which(compiler):
            sides.append(Peer(shutil.which(compiler), folder))
    futhark = os.environ.get("FUTHARK") or shutil.which("futhark")
    ispc = os.environ.get("ISPC") or shutil.which("ispc")
    if futhark:
        sides += [Futhark(futhark, backend, folder, ispc) for backend in ("c", "multicore")]
        if ispc:
            sides.append(Futhark(futhark, "ispc", folder, ispc))
    return [side for side in sides if side.name == "skald" or not wanted or side.name in wanted]
