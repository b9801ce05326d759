# SPDX-License-Identifier: Apache-2.0
"""Others that make the same histograms, in the same run: C++ on the cpu (peers/cpu.cpp), CUB (peers/cub.cu) and torch.bincount on a GPU, and applications by hand
(peers/applications.cu), where what they need is installed.

A peer is called with an operator, keys as a ctypes array on the host, and a number of bins; `times` gives µs by name.  `by_hand` gives the µs of an application,
after comparing its results with ours.
"""

import ctypes
import os
import shutil
import subprocess
import sys

import timing

HERE = os.path.dirname(os.path.abspath(__file__))
BIN_BYTES = {"add": 4, "saturating": 4, "argmax": 8}


def compiled(command, source, folder):
    """The shared library made of a file, or nothing if the compiler is not there or fails."""
    if shutil.which(command[0]) is None:
        return None
    os.makedirs(folder, exist_ok=True)
    out = os.path.join(folder, os.path.basename(source) + ".so")
    path = os.path.join(HERE, "peers", source)
    if not os.path.exists(out) or os.path.getmtime(out) < os.path.getmtime(path):
        made = subprocess.run([*command, "-shared", path, "-o", out], capture_output=True, text=True)
        if made.returncode != 0:
            print(f"{source} is left out: {made.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
            return None
    return ctypes.CDLL(out)


class HostArray(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("bytes", ctypes.c_int64), ("size", ctypes.c_int64 * 3)]


def on_host(value):
    """An array of a context, or a number, for a peer; and the memory it lies in."""
    if isinstance(value, int):
        return HostArray(None, 0, (ctypes.c_int64 * 3)(value)), None
    info, data = value.info(), value.read()
    return HostArray(ctypes.cast(data, ctypes.c_void_p), info.bytes, (ctypes.c_int64 * 3)(*info.shape[: info.rank])), data


# Of the values of a result so many may differ by more than NEAR: forces of atoms that are very near are large, and take their digits from others.
NEAR, FEW = 2e-3, 1e-3


def differ(ours, theirs):
    """How many values are not the same; floats are added in another order, and angles are rounded."""
    scale = sum(abs(x) for x in ours) / max(len(ours), 1)
    return sum(1 for x, y in zip(ours, theirs) if not abs(x - y) <= NEAR * max(abs(x), scale))


def call_by_hand(call, arguments, results, runs):
    """µs of the call, or nothing: it failed, or gave something else."""
    given, made = [on_host(each) for each in arguments], [on_host(each) for each in results]
    ours = [list(data) for _, data in made]
    call.restype = ctypes.c_double
    ins, outs = ((HostArray * len(each))(*[array for array, _ in each]) for each in (given, made))
    took = call(ins, ctypes.c_int(len(given)), outs, ctypes.c_int(len(made)), ctypes.c_int(runs))
    if took < 0:
        return None
    for number, (first, (_, second)) in enumerate(zip(ours, made)):
        wrong = differ(first, second)
        if wrong > FEW * len(first):
            print(f"{call.__name__}: {wrong} of {len(first)} values of result {number} are not ours", file=sys.stderr)
            return None
    return took


class CpuPeers:
    WAYS = ("in_order", "private", "atomic", "partitioned")

    def __init__(self, folder, threads):
        self.threads = threads
        self.c = compiled(["g++", "-std=c++20", "-O3", "-march=native", "-fPIC", "-pthread"], "cpu.cpp", folder)

    def times(self, operator, keys, bins, runs, seconds):
        if self.c is None or operator not in BIN_BYTES:
            return {}
        out = ctypes.create_string_buffer(BIN_BYTES[operator] * max(bins, 1))
        found = {}
        for way in self.WAYS:
            call = self.c[f"{operator}_{way}"]
            args = (keys, ctypes.c_int64(len(keys)), ctypes.c_int64(bins), out, ctypes.c_int(1 if way == "in_order" else self.threads))
            found[way] = timing.of_threads(lambda: call(*args), runs, seconds)
        return found

    def by_hand(self, *_):
        return None


class CudaPeers:
    def __init__(self, folder):
        nvcc = ["nvcc", "-std=c++17", "-O3", "-arch=native", "-Xcompiler", "-fPIC"]
        self.cub = compiled(nvcc, "cub.cu", folder)
        self.applications = compiled(nvcc, "applications.cu", folder)
        try:
            import torch
            self.torch = torch if torch.cuda.is_available() else None
        except ImportError:
            self.torch = None

    def times(self, operator, keys, bins, runs, _seconds):
        """CUB and torch count only; CUB also sorts, and then reduces runs of equal keys."""
        found = {}
        if operator != "add":
            return found
        if self.cub is not None:
            for name in ("cub_histogram", "cub_sort"):
                call = self.cub[name]
                call.restype = ctypes.c_double
                took = call(keys, ctypes.c_int64(len(keys)), ctypes.c_int64(bins), ctypes.c_int(runs))
                if took >= 0:
                    found[name] = {"us": took}
        if self.torch is not None:
            found["torch"] = {"us": self.of_torch(keys, bins, runs)}
        return found

    def by_hand(self, name, arguments, results, runs):
        return None if self.applications is None else call_by_hand(self.applications[name], arguments, results, runs)

    def of_torch(self, keys, bins, runs):
        torch = self.torch
        on_device = torch.frombuffer(keys, dtype=torch.int32).to("cuda")
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        times = []
        for _ in range(runs + 1):
            begin.record()
            torch.bincount(on_device, minlength=bins)
            end.record()
            torch.cuda.synchronize()
            times.append(1000 * begin.elapsed_time(end))
        return sorted(times[1:])[runs // 2]


class NoPeers:
    def times(self, *_):
        return {}

    def by_hand(self, *_):
        return None


def of_backend(backend, folder, threads):
    return {"cpu": lambda: CpuPeers(folder, threads), "cuda": lambda: CudaPeers(folder)}.get(backend, NoPeers)()
