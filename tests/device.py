#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`skald device`: what it prints is true as far as a test can know, and what it measures is kept.

Usage: device.py --skald SKALD
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile


class Place:
    """A folder for what is kept."""

    def __init__(self, skald, folder):
        self.skald, self.folder = skald, pathlib.Path(folder)

    def run(self, *options, code=0, **more):
        env = {**os.environ, "SKALD_CACHE_DIR": str(self.folder / "cache"), "SKALD_CACHE": "on", "NO_COLOR": "1", **more}
        done = subprocess.run([self.skald, "device", *options], env=env, capture_output=True, text=True, timeout=120)
        assert done.returncode == code, (options, done)
        return done

    def json(self, *options, **more):
        return json.loads(self.run(*options, "--json", **more).stdout)

    def kept(self):
        return sorted((self.folder / "cache").glob("*.measured"))


def check_processor(place):
    processor = place.json()["processor"]
    assert 1 <= processor["cores"] <= os.cpu_count(), processor
    assert processor["architecture"] in ("arm64", "x86-64"), processor
    assert processor["vector_registers"]["bytes"] in (16, 32), processor
    caches = processor["caches"]
    assert 0 < caches["l1d"]["bytes"] <= caches["l2"]["bytes"], caches
    first = pathlib.Path("/sys/devices/system/cpu/cpu0/cache/index2/size")
    if caches["source"] == "kernel" and first.exists():
        assert caches["l2"]["bytes"] == int(first.read_text().rstrip("K\n")) * 1024, caches
    assert processor["operator_costs"]["function"]["scalar"] > processor["operator_costs"]["simple"]["scalar"]
    assert processor["bandwidth"] == {"one_core": None, "all_cores": None}, "something was measured without being asked for"
    assert not place.kept(), "something was kept without being asked for"


def check_text(place):
    text = place.run("cpu").stdout
    assert text.startswith("processor: ") and "not measured (skald device --measure)" in text, text
    columns = {line[:20].rstrip(): line[20:] for line in text.splitlines()[1:]}
    assert columns["  cores"].endswith("usable"), text
    assert all(line.startswith("  ") and line[19] == " " for line in text.splitlines()[1:]), "not aligned:\n" + text
    assert "device:" not in text, "only the processor was asked for"


def check_measured(place):
    measured = place.json("processor", "--measure")["processor"]["bandwidth"]
    # Anything that runs this at all.
    assert 1e8 < measured["one_core"] < 1e13 and 1e8 < measured["all_cores"] < 1e13, measured
    assert len(place.kept()) == 1
    assert place.json("cpu")["processor"]["bandwidth"] == measured, "what was measured is not kept"
    assert "GB/s by one core" in place.run().stdout
    # A damaged entry is as good as none.
    place.kept()[0].write_bytes(b"nothing")
    assert place.json("cpu")["processor"]["bandwidth"]["one_core"] is None
    # Without a cache it is measured, shown and forgotten.
    assert place.json("cpu", "--measure", SKALD_CACHE="off")["processor"]["bandwidth"]["one_core"] > 0
    assert place.json("cpu", SKALD_CACHE="off")["processor"]["bandwidth"]["one_core"] is None


def check_names(place):
    error = place.run("no-such-device", code=2).stderr
    assert "no back end is called `no-such-device`, and no device has that in its name; there are" in error and "cpu:" in error, error
    found = place.json("cpu")
    assert found["processor"] and not found["devices"], found
    name = found["processor"]["name"]
    assert place.json("cpu:" + name.upper()) == found
    for backend in ("opencl", "cuda"):
        if any(device["backend"] == backend for device in place.json()["devices"]):
            found = place.json(backend)
            assert not found["processor"] and {device["backend"] for device in found["devices"]} == {backend}, found
        else:
            assert f"the back end `{backend}` has no device here" in place.run(backend, code=2).stderr


def check_calibration(place):
    """Of the processor, and of the first device of OpenCL that is no GPU, which takes longer."""
    devices = [device for device in place.json()["devices"] if device["backend"] == "opencl" and not device["gpu"]]
    for name in ["cpu"] + ["opencl:" + device["name"] for device in devices[:1]]:
        page = place.folder / "page.html"
        text = place.run(name, "--calibrate", "--quick", "--html", str(page)).stdout
        constants = {words[0]: float(words[1]) for words in map(str.split, text.splitlines()) if words and words[0].startswith("hist.")}
        assert len(constants) > 10 and min(constants.values()) > 0, text
        ratios = sorted(float(line.split()[-1]) for line in text[text.index("predicted us"):].splitlines()[1:])
        assert len(ratios) > 20 and 0.2 < ratios[len(ratios) // 2] < 5, text
        assert page.read_text().count("<circle") == len(ratios)
    kept = list((place.folder / "cache").glob("*"))
    assert len(kept) >= 1 + len(devices[:1]), kept
    if devices:
        assert "--html writes one plot" in place.run("--calibrate", "--html", str(page), code=2).stderr


def check_no_opencl(place):
    """The loader of OpenCL finds its drivers in a folder that it is told."""
    empty = place.folder / "no-drivers"
    empty.mkdir()
    env = {"OCL_ICD_VENDORS": str(empty), "OPENCL_VENDOR_PATH": str(empty)}
    found = place.json(**env)
    if found["devices"]:
        return print("device.py: OpenCL has devices whatever it is told; not tested without")
    text = place.run(**env).stdout
    assert "no device by opencl: there is no OpenCL" in text, text
    assert found["problems"][0].startswith("opencl: there is no OpenCL"), found


def check_devices(place):
    found = place.json()
    for device in found["devices"]:
        assert device["backend"] == "opencl" and device["name"] and device["driver"], device
        assert device["memory"] > 0 and device["compute_units"] > 0, device
        assert device["launch"] is None and device["bandwidth"] is None, device
        text = place.run(device["name"]).stdout
        assert "device: " + device["name"] in text and "processor:" not in text, text
    if not found["devices"]:
        return print("device.py: there is no OpenCL device here:", found["problems"])
    name = found["devices"][0]["name"]
    measured = place.json(name, "--measure")["devices"][0]
    assert measured["bandwidth"] > 1e7 and 0 < measured["launch"] <= measured["round_trip"] * 2, measured
    assert place.json(name)["devices"][0] == measured, "what was measured is not kept"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--skald", required=True)
    args = parser.parse_args()
    for check in (check_processor, check_text, check_measured, check_names, check_no_opencl, check_devices, check_calibration):
        with tempfile.TemporaryDirectory() as folder:
            check(Place(os.path.abspath(args.skald), folder))
    return 0


sys.exit(main())
