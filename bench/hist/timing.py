# SPDX-License-Identifier: Apache-2.0
"""Times of calls: what a clock says, and on the cpu what all threads together worked, which other work on the machine does not change much."""

import resource
import statistics
import time


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def of_threads(run, runs, seconds):
    """Least wall time and least processor time of a call on the cpu, in µs; the first call is not counted."""
    run()
    walls, works, began = [], [], time.perf_counter()
    while len(walls) < runs and (len(walls) < 3 or time.perf_counter() - began < seconds):
        worked, started = processor_seconds(), time.perf_counter()
        made = run()
        walls.append(1e6 * (time.perf_counter() - started))
        works.append(1e6 * (processor_seconds() - worked))
        del made
    return {"us": min(walls), "work_us": min(works)}


def of_device(library, context, run, runs, seconds):
    return {"us": statistics.median(library.measure(context, run, runs, seconds))}
