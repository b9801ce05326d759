# SPDX-License-Identifier: Apache-2.0
"""As much of libskald (include/skald/skald.h) as the bench needs, by ctypes."""

import ctypes
import time
from ctypes import POINTER, Structure, byref, c_char, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint64, c_void_p

TYPES = ["?", "b", "h", "i", "q", "B", "H", "I", "Q", None, "f", "d"]  # as array.array names them, by skald_type
C_TYPES = [ctypes.c_bool, ctypes.c_int8, ctypes.c_int16, ctypes.c_int32, ctypes.c_int64, ctypes.c_uint8, ctypes.c_uint16,
           ctypes.c_uint32, ctypes.c_uint64, None, ctypes.c_float, ctypes.c_double]
DEVICE = 1
KERNEL = 1  # kind of an event


class Handle(Structure):
    _fields_ = [("id", c_uint64)]


class Error(Structure):
    _fields_ = [("status", c_int), ("code", c_char_p), ("text", c_char_p), ("place", c_char_p)]


class Options(Structure):
    _fields_ = [("backend", c_char_p), ("device", c_char_p), ("threads", c_int), ("use_cache", c_int), ("profile", c_int),
                ("memory_limit", c_int64), ("time_limit", c_double), ("stack_limit", c_int64)]


class EntryInfo(Structure):
    _fields_ = [("name", c_char_p), ("inputs", c_size_t), ("outputs", c_size_t)]


class ValueInfo(Structure):
    _fields_ = [("type", c_int), ("rank", c_int), ("consumed", c_int), ("name", c_char_p), ("source_type", c_char_p)]


class ArrayInfo(Structure):
    _fields_ = [("type", c_int), ("rank", c_int), ("shape", POINTER(c_int64)), ("space", c_int), ("bytes", c_int64)]


class Event(Structure):
    _fields_ = [("kind", c_int), ("name", c_char * 64), ("bytes", c_int64), ("start_ns", c_int64), ("duration_ns", c_int64)]


class SkaldError(Exception):
    pass


class Library:
    def __init__(self, path):
        self.c = ctypes.CDLL(path)
        self.c.skald_last_error.restype = POINTER(Error)
        self.c.skald_context_defaults.restype = Options

    def must(self, status):
        if status != 0:
            raise SkaldError(self.c.skald_last_error().contents.text.decode(errors="replace"))


class Array:
    """An array of a context; freed with the object."""

    def __init__(self, context, handle):
        self.context, self.handle = context, handle

    def __del__(self):
        self.context.library.c.skald_array_free(self.handle)

    def info(self):
        info = ArrayInfo()
        self.context.must(self.context.library.c.skald_array_describe(self.handle, byref(info)))
        return info

    def copy(self):
        out = Handle()
        self.context.must(self.context.library.c.skald_array_copy(self.handle, DEVICE, byref(out)))
        return Array(self.context, out)

    def read(self):
        """All elements, as a flat array of ctypes."""
        info = self.info()
        kind = C_TYPES[info.type]
        to = (kind * (info.bytes // ctypes.sizeof(kind)))()
        self.context.must(self.context.library.c.skald_array_read(self.handle, to, c_size_t(info.bytes)))
        return to


class Context:
    def __init__(self, library, backend, device=None, profile=False, time_limit=0.0, threads=0):
        self.library, self.must = library, library.must
        options = library.c.skald_context_defaults()
        options.backend = backend.encode()
        options.device = device.encode() if device else None
        options.profile = int(profile)
        options.time_limit = time_limit
        options.threads = threads
        self.handle = Handle()
        self.must(library.c.skald_context_new(byref(options), byref(self.handle)))

    def finish(self):
        self.must(self.library.c.skald_context_finish(self.handle))

    def choose(self, param, number):
        """For programs that are made from now on."""
        self.must(self.library.c.skald_context_choose(self.handle, param.encode(), c_int64(number)))

    def program(self, path):
        out = Handle()
        self.must(self.library.c.skald_program_from_file(self.handle, path.encode(), byref(out)))
        return Program(self, out)

    def scalar(self, kind, number):
        out = Handle()
        value = C_TYPES[kind](number)
        self.must(self.library.c.skald_array_from_host(self.handle, kind, 0, None, byref(value), byref(out)))
        return Array(self, out)

    def events(self):
        """All that happened since the last call, if the context has a profile."""
        all_events, batch, count = [], (Event * 4096)(), c_size_t()
        while True:
            self.must(self.library.c.skald_profile_read(self.handle, batch, c_size_t(4096), byref(count)))
            all_events += [(e.kind, e.name.decode(errors="replace"), e.bytes, e.duration_ns) for e in batch[: count.value]]
            if count.value < 4096:
                return all_events


WARM_SECONDS = 0.5  # shorter runs are tried some times before they are timed
AT_ONCE_SECONDS = 0.002  # so long, about, a series of calls takes
MOST_AT_ONCE = 20


def measure(context, run, runs, seconds):
    """Microseconds of a call, some times; the first ones, after which calls that come again are known, are not counted.  Short calls are timed in
    series, as events on the device would: then the host's part of a call is hidden behind the one before."""

    def one_by_one(count=1):
        started = time.perf_counter()
        for _ in range(count):
            made = run()
        context.finish()
        return (time.perf_counter() - started) / count, made

    timed = getattr(run, "timed", one_by_one)
    first, results = timed()
    if first < WARM_SECONDS:
        for _ in range(4):
            del results
            first, results = timed()
    count = max(1, min(MOST_AT_ONCE, int(AT_ONCE_SECONDS / first)))
    times, began = [], time.perf_counter()
    while len(times) < runs and (len(times) < 3 or time.perf_counter() - began < seconds):
        del results
        took, results = timed(count)
        times.append(took * 1e6)
    return times


class Program:
    def __init__(self, context, handle):
        self.context, self.handle, self.kinds = context, handle, {}

    def signature(self, entry):
        """Types of the inputs, and how many results there are."""
        if entry in self.kinds:
            return self.kinds[entry]
        c, must = self.context.library.c, self.context.must
        count, info, value = c_size_t(), EntryInfo(), ValueInfo()
        must(c.skald_program_entry_count(self.handle, byref(count)))
        for number in range(count.value):
            must(c.skald_program_entry(self.handle, c_size_t(number), byref(info)))
            if info.name.decode() != entry:
                continue
            inputs = []
            for k in range(info.inputs):
                must(c.skald_program_input(self.handle, entry.encode(), c_size_t(k), byref(value)))
                inputs.append(value.type)
            self.kinds[entry] = (inputs, info.outputs)
            return self.kinds[entry]
        raise SkaldError(f"no entry point {entry}")

    def prepare(self, entry, args):
        """A function that calls the entry point; `args` are arrays and numbers.  Its `timed(n)` calls it n times, one call after the other, waits
        until the device is idle, and gives the seconds of a call, too."""
        inputs, outputs = self.signature(entry)
        if len(inputs) != len(args):
            raise SkaldError(f"{entry} takes {len(inputs)} arguments, not {len(args)}")
        kept = [arg if isinstance(arg, Array) else self.context.scalar(kind, arg) for kind, arg in zip(inputs, args)]
        handles = (Handle * max(len(kept), 1))(*[arg.handle for arg in kept])
        call, name, program = self.context.library.c.skald_call, entry.encode(), self.handle
        n, m = c_size_t(len(kept)), c_size_t(outputs)

        finish, context = self.context.library.c.skald_context_finish, self.context.handle

        def once(_kept=kept):
            results = (Handle * max(outputs, 1))()
            self.context.must(call(program, name, handles, n, results, m))
            return [Array(self.context, Handle(each.id)) for each in results[:outputs]]

        def timed(count=1):
            made = None
            started = time.perf_counter()
            for _ in range(count):
                made = once()
            idle = finish(context)
            took = time.perf_counter() - started
            self.context.must(idle)
            return took / count, made

        def run():
            return timed()[1]

        run.timed = timed
        return run

    def call(self, entry, *args):
        return self.prepare(entry, args)()
