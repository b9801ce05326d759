#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the example of docs/hist-header.md with nvcc, if there is one: the header and its documentation agree.  And what bench/hist has beside ours."""

import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SKIPPED = 77


def main():
    nvcc = shutil.which("nvcc") or next((p for p in ("/usr/local/cuda/bin/nvcc",) if os.path.exists(p)), None)
    if nvcc is None:
        print("there is no nvcc here")
        return SKIPPED
    with open(os.path.join(ROOT, "docs", "hist-header.md")) as page:
        code = re.search(r"```cpp\n(.*?)```", page.read(), re.DOTALL).group(1)
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "example.cu")
        with open(source, "w") as out:
            out.write("#include <climits>\n" + code)
        peers = os.path.join(ROOT, "bench", "hist", "peers", "applications.cu")
        failed = 0
        for path in (source, peers):
            command = [nvcc, "-std=c++17", "--extended-lambda", "-Werror", "all-warnings", "-I", os.path.join(ROOT, "include"), "-ptx", path,
                       "-o", os.path.join(folder, "example.ptx")]
            failed = failed or subprocess.run(command).returncode
        return failed


if __name__ == "__main__":
    sys.exit(main())
