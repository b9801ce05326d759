// SPDX-License-Identifier: Apache-2.0
// Functions of the module that choose how things are run, run them, and say what was run.
#include <cstring>

#include "compiler.h"
#include "fallback.h"
#include "module.h"
#include "places.h"
#include "plans.h"

namespace skald::python {

namespace {

PyObject* start(PyObject*, PyObject*) {
  if (!flush_all()) return nullptr;
  Py_RETURN_NONE;
}

PyObject* flush(PyObject*, PyObject*) {
  if (!flush_all() || !finish_devices()) return nullptr;
  Py_RETURN_NONE;
}

PyObject* get_stats(PyObject*, PyObject*) {
  Ref counts(PyDict_New());
  for (const auto& [name, count] : fallback_counts()) {
    Ref pair(Py_BuildValue("[LL]", static_cast<long long>(count.times),
                           static_cast<long long>(count.bytes)));
    PyDict_SetItemString(counts.get(), name.c_str(), pair.get());
  }
  return Py_BuildValue("{sKsKsKsKsKsKsKsKsdsdsKsKsO}", "recorded", lazy::pending().recorded(),
                       "forced", stats.forced, "flushes", stats.flushes, "eager_nodes",
                       stats.eager_nodes, "compiled_nodes", stats.compiled_nodes, "compiled_runs",
                       stats.compiled_runs, "plans", stats.plans, "plan_hits", stats.plan_hits,
                       "planning_seconds", stats.planning, "running_seconds", stats.running,
                       "replayed", stats.replayed, "loops", stats.loops, "fallbacks", counts.get());
}
PyObject* reset_stats(PyObject*, PyObject*) {
  stats = {};
  fallback_counts().clear();
  Py_RETURN_NONE;
}

PyObject* set_option(PyObject*, PyObject* args) {
  const char* name = nullptr;
  PyObject* value = nullptr;
  if (!PyArg_ParseTuple(args, "sO", &name, &value)) return nullptr;
  if (std::strcmp(name, "fallback") == 0) {
    const char* text = PyUnicode_AsUTF8(value);
    if (!text) return nullptr;
    fallback_mode() = std::strcmp(text, "warn") == 0    ? FallbackMode::kWarn
                      : std::strcmp(text, "error") == 0 ? FallbackMode::kError
                                                        : FallbackMode::kQuiet;
  } else if (std::strcmp(name, "evaluator") == 0) {
    const char* text = PyUnicode_AsUTF8(value);
    if (!text) return nullptr;
    plan_options().evaluator = std::strcmp(text, "numpy") == 0      ? Evaluator::kNumpy
                               : std::strcmp(text, "compiled") == 0 ? Evaluator::kCompiled
                                                                    : Evaluator::kAuto;
    if (plan_options().evaluator == Evaluator::kCompiled && !engine_problem().empty()) {
      PyErr_SetString(PyExc_RuntimeError, engine_problem().c_str());
      return nullptr;
    }
  } else if (std::strcmp(name, "backend") == 0) {
    const char* text = PyUnicode_AsUTF8(value);
    if (!text) return nullptr;
    if (stats.plans > 0 && plan_options().backend != text) {
      PyErr_SetString(PyExc_RuntimeError,
                      "the back end must be chosen before anything is computed");
      return nullptr;
    }
    plan_options().backend = text;
    plan_options().is_cpu = plan_options().backend == "cpu";
  } else if (std::strcmp(name, "hot") == 0) {
    plan_options().hot = static_cast<int>(PyLong_AsLong(value));
    if (PyErr_Occurred()) return nullptr;
  } else if (std::strcmp(name, "package") == 0) {
    const char* text = PyUnicode_AsUTF8(value);
    if (!text) return nullptr;
    note_places(text);
  } else if (std::strcmp(name, "tells_errors") == 0) {
    plan_options().tells_errors = PyObject_IsTrue(value) == 1;
  } else if (std::strcmp(name, "background") == 0) {
    plan_options().background = PyObject_IsTrue(value) == 1;
  } else {
    PyErr_Format(PyExc_ValueError, "there is no option %s", name);
    return nullptr;
  }
  Py_RETURN_NONE;
}

PyObject* option(PyObject*, PyObject* name) {
  const char* text = PyUnicode_AsUTF8(name);
  if (!text) return nullptr;
  if (std::strcmp(text, "backend") == 0)
    return PyUnicode_FromString(plan_options().backend.c_str());
  if (std::strcmp(text, "evaluator") == 0) {
    const Evaluator evaluator = plan_options().evaluator;
    return PyUnicode_FromString(evaluator == Evaluator::kNumpy      ? "numpy"
                                : evaluator == Evaluator::kCompiled ? "compiled"
                                                                    : "auto");
  }
  return PyErr_Format(PyExc_ValueError, "there is no option %s to read", text);
}

PyObject* show(PyObject*, PyObject*) {
  return PyUnicode_FromString(show_pending().c_str());
}
PyObject* failures(PyObject*, PyObject*) {
  Ref list(PyList_New(0));
  for (const std::string& message : compile_failures()) {
    Ref text(PyUnicode_FromString(message.c_str()));
    PyList_Append(list.get(), text.get());
  }
  return list.release();
}
// Are there threads that the end of the script does not wait for?
bool has_daemons() {
  Ref threading(PyImport_ImportModule("threading"));
  Ref count(threading ? PyObject_CallMethod(threading.get(), "active_count", nullptr) : nullptr);
  const long threads = count ? PyLong_AsLong(count.get()) : 1;
  PyErr_Clear();
  return threads > 1;
}
PyObject* stop(PyObject*, PyObject*) {
  if (compiler_is_loaded()) keep_plans(0.05);
  const bool others_go_on = compiler_is_loaded() && has_daemons();
  Py_BEGIN_ALLOW_THREADS stop_compiling(others_go_on);
  Py_END_ALLOW_THREADS Py_RETURN_NONE;
}

PyMethodDef setting_functions[] = {
    {"flush", flush, METH_NOARGS, "Runs all that is pending."},
    {"start", start, METH_NOARGS, "Runs all that is pending; devices go on by themselves."},
    {"sync", flush, METH_NOARGS, "Runs all that is pending and waits."},
    {"stats", get_stats, METH_NOARGS, "What was recorded and run."},
    {"reset_stats", reset_stats, METH_NOARGS, "Counts from zero."},
    {"set_option", set_option, METH_VARARGS, "set_option(name, value)"},
    {"option", option, METH_O, "The value of \"evaluator\" or \"backend\"."},
    {"show_pending", show, METH_NOARGS,
     "The core program that the pending operations would become."},
    {"compile_failures", failures, METH_NOARGS, "Plans that could not be compiled."},
    {"_stop", stop, METH_NOARGS, "Ends the thread that compiles."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

bool ready_settings(PyObject* module) {
  return PyModule_AddFunctions(module, setting_functions) == 0;
}

}  // namespace skald::python
