# SPDX-License-Identifier: Apache-2.0
"""python -m skald: what a script sees, and what packages see."""

import subprocess
import sys
import textwrap


def run(tmp_path, text, *arguments, options=()):
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(text))
    return subprocess.run([sys.executable, "-m", "skald", *options, str(script), *arguments], capture_output=True, text=True, timeout=120)


def test_a_script_gets_skald_and_its_arguments(tmp_path):
    done = run(tmp_path, """
        import sys, numpy as np, numpy_force, bohrium
        from numpy import linspace
        import numpy.linalg as la
        from numpy.random import rand
        print(np.__name__, numpy_force.ones(1).__class__.__module__, type(linspace(0, 1, 3)).__name__, la.__name__, __name__, sys.argv[1:])
        """, "-x", "7")
    assert done.stdout == "skald numpy ndarray skald.linalg __main__ ['-x', '7']\n", done.stderr


def test_modules_beside_the_script_get_skald_too(tmp_path):
    (tmp_path / "beside.py").write_text("import numpy\nname = numpy.__name__\n")
    assert run(tmp_path, "import beside; print(beside.name)").stdout == "skald\n"


def test_packages_keep_numpy(tmp_path):
    done = run(tmp_path, "import numpy as np, pickle, numpy.ma; print(numpy.ma.core.np.__name__, np.__name__)")
    assert done.stdout == "numpy skald\n", done.stderr


def test_old_names(tmp_path):
    assert run(tmp_path, "import numpy as np; print(np.int(2.5), np.float, np.array([1], dtype=np.int).dtype)").stdout == "2 <class 'float'> int64\n"


def test_errors_leave_with_their_traceback(tmp_path):
    done = run(tmp_path, "import numpy as np\nnp.zeros(2) + np.zeros(3)\n")
    assert done.returncode == 1 and "script.py\", line 2" in done.stderr and "ValueError" in done.stderr


def test_exit_codes(tmp_path):
    assert run(tmp_path, "import sys; sys.exit(3)").returncode == 3
    assert subprocess.run([sys.executable, "-m", "skald", "nowhere.py"], capture_output=True).returncode == 2
    assert subprocess.run([sys.executable, "-m", "skald", "--info"], capture_output=True).returncode == 0


def test_fallback_option(tmp_path):
    done = run(tmp_path, "import numpy as np; np.apply_along_axis(len, 0, np.arange(3))", options=("--fallback", "error"))
    assert done.returncode == 1 and "FallbackError" in done.stderr


def test_do_while_and_flush(tmp_path):
    done = run(tmp_path, """
        import numpy as np, bohrium
        a = np.zeros(10)
        def body(x):
            x += 1
            return x.sum() < 45
        print(bohrium.do_while(body, 100, a), a.sum())
        def by_round(x):
            x[get_iterator()] = 7
        bohrium.do_while(by_round, 3, a)
        bohrium.flush()
        print(a.tolist())
        """)
    assert done.stdout == "5 50.0\n[7.0, 7.0, 7.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0]\n", done.stderr


def test_profile_page(tmp_path):
    page = tmp_path / "page.html"
    done = run(tmp_path, """
        import numpy as np
        a = np.arange(200000.0)
        for _ in range(30):
            a = np.sqrt(a * a + 1)
        print(float(a.sum()) > 0, np.apply_along_axis(len, 0, np.arange(3)) < 9)
        """, options=(f"--profile={page}",))
    assert done.returncode == 0, done.stderr
    text = page.read_text()
    assert "a = np.sqrt(a * a + 1)" in text and "np.apply_along_axis" in text and "profile of" in done.stderr
