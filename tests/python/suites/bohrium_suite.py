#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs Bohrium's own tests (test/python of a checkout outside this repository) on skald.

Each test gives a text that is run once with NumPy and once with `skald.bohrium`; results must agree in value,
shape and dtype.  What Bohrium needs and nobody has any more (`bohrium_api`, `bh107`, BLAS by hand, OpenCV, user
kernels) is a stub or left out.
"""

import argparse
import collections
import importlib.util
import json
import os
import pathlib
import sys
import types
import warnings

import numpy

LEFT_OUT = {"test_ext_blas": "extension methods for BLAS", "test_ext_lapack": "extension methods for LAPACK", "test_ext_opencv": "OpenCV",
            "test_user_kernel": "kernels in C", "test_linalg_tdma": "Bohrium's solver for three diagonals"}


def numpy_name(name):
    return {"BH_BOOL": "bool_"}.get(name, name[3:].lower())


def install_stubs(folder):
    """bohrium, bh107 and bohrium_api as modules, and the tests' helper `util`."""
    import skald.bohrium as bohrium
    operations = {}
    for entry in json.loads((folder / "core/codegen/opcodes.json").read_text()):
        name = entry["opcode"][3:].lower()
        if entry["opcode"] != "BH_NONE":
            operations[name] = {"name": name, "nop": entry["nop"], "elementwise": entry["elementwise"] and not entry["system_opcode"],
                                "type_sig": [[numpy_name(t) for t in signature] for signature in entry["types"]]}
    kinds = [numpy.dtype(name) for name in "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128".split()]
    info = types.SimpleNamespace(op=operations, numpy_types=lambda: kinds)
    stack = types.SimpleNamespace(is_proxy_in_stack=lambda: False, is_opencl_in_stack=lambda: False, is_cuda_in_stack=lambda: False)
    api = types.ModuleType("bohrium_api")
    api._info, api.stack_info = info, stack
    sys.modules.update({"bohrium": bohrium, "bh107": bohrium, "bohrium_api": api, "bohrium.linalg": bohrium.linalg})
    sys.path.insert(0, str(folder / "test/python"))
    return bohrium


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def disagreement(expected, found):
    """A sentence, or None if both results agree in value, shape and dtype."""
    if isinstance(expected, (type, str)):
        return None if expected == found else f"{found!r} instead of {expected!r}"
    expected, found = numpy.asarray(expected), numpy.asarray(found)
    if expected.shape != found.shape:
        return f"shape {found.shape} instead of {expected.shape}"
    if expected.dtype != found.dtype:
        return f"dtype {found.dtype} instead of {expected.dtype}"
    if expected.dtype.kind in "OUS":
        return None if (expected == found).all() else "other values"
    return None if numpy.allclose(expected, found, equal_nan=True) else "other values"


def run_case(command, bohrium):
    """None if the case passes; a sentence if not; "theirs" if NumPy itself cannot run it."""
    theirs, ours = (command, command) if isinstance(command, str) else command[:2]
    theirs, ours = theirs.replace("M", "np").replace("BH", "False"), ours.replace("M", "bh").replace("BH", "True")
    scope = {"np": numpy, "bh": bohrium}
    try:
        exec(theirs, scope)
    except Exception:  # noqa: BLE001 - names and rules of old versions of NumPy
        return "theirs"
    expected, scope = scope["res"], {"np": numpy, "bh": bohrium}
    try:
        exec(ours, scope)
        return disagreement(expected, scope["res"])
    except Exception as error:  # noqa: BLE001 - counted as a failure
        return f"{type(error).__name__}: {error}"


def run_file(path, bohrium, show):
    counted, reasons = collections.Counter(), collections.Counter()
    module = load(path)
    for class_name in [n for n in dir(module) if n.startswith("test_")]:
        tests = getattr(module, class_name)()
        for method in [n for n in dir(tests) if n.startswith("test_")]:
            for case in tests.init():
                command = getattr(tests, method)(case)
                said = run_case(command, bohrium)
                outcome = "passed" if said is None else "numpy" if said == "theirs" else "failed"
                counted[outcome] += 1
                if outcome == "failed":
                    reasons[f"{class_name}.{method}: {said.splitlines()[0][:120]}"] += 1
                    if reasons.total() <= show:
                        print(f"--- {said[:200]}\n{command if isinstance(command, str) else command[1]}")
    return counted, reasons


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--folder", required=True, type=pathlib.Path)
    parser.add_argument("--show", type=int, default=0, help="print the texts of so many failing cases of each file")
    parser.add_argument("files", nargs="*", help="names such as test_mask")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    numpy.seterr(all="ignore")
    numpy.random.seed(7)
    options.folder = options.folder.resolve()
    bohrium = install_stubs(options.folder)
    os.chdir(os.environ.get("TMPDIR", "/tmp"))
    total = collections.Counter()
    for path in sorted((options.folder / "test/python/tests").glob("test_*.py")):
        if options.files and path.stem not in options.files:
            continue
        if path.stem in LEFT_OUT:
            print(f"{path.stem:28} left out: {LEFT_OUT[path.stem]}")
            continue
        counted, reasons = run_file(path, bohrium, options.show)
        total += counted
        print(f"{path.stem:28} {counted['passed']:5} passed {counted['failed']:5} failed" + (f" {counted['numpy']:5} that NumPy cannot run" if counted["numpy"] else ""))
        for reason, number in reasons.most_common(6):
            print(f"    {number:4} {reason}")
    print(f"{total['passed']} passed, {total['failed']} failed, {total['numpy']} that NumPy cannot run")
    return 1 if total["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
