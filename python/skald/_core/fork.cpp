// SPDX-License-Identifier: Apache-2.0
// What happens when the process forks.  Nobody runs anything meanwhile; in the child, where the
// other threads are gone, NumPy runs what is pending from then on.
#include "fork.h"

#include "compiler.h"
#include "evaluate.h"

namespace skald::python {

namespace {

bool began = false;

PyObject* before_fork(PyObject*, PyObject*) {
  const Turn turn = begin_running();
  // Who is interrupted while waiting forks all the same; Python does not ask us again.
  if (turn == Turn::kInterrupted) {
    PyErr_Clear();
    PyErr_SetInterrupt();
  }
  began = turn == Turn::kOurs;
  Py_BEGIN_ALLOW_THREADS hold_compiler();
  Py_END_ALLOW_THREADS Py_RETURN_NONE;
}

PyObject* after_fork_in_parent(PyObject*, PyObject*) {
  release_compiler();
  if (began) end_running();
  Py_RETURN_NONE;
}

PyObject* after_fork_in_child(PyObject*, PyObject*) {
  release_compiler();
  forget_compiler_thread();
  plan_options().evaluator = Evaluator::kNumpy;
  if (began) end_running();
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {{"before", before_fork, METH_NOARGS, nullptr},
                           {"after_in_parent", after_fork_in_parent, METH_NOARGS, nullptr},
                           {"after_in_child", after_fork_in_child, METH_NOARGS, nullptr}};

}  // namespace

bool ready_for_forks() {
  Ref os(PyImport_ImportModule("os"));
  Ref add(os ? PyObject_GetAttrString(os.get(), "register_at_fork") : nullptr);
  if (!add) {
    PyErr_Clear();
    return true;
  }
  Ref keywords(PyDict_New()), args(PyTuple_New(0));
  const char* const names[] = {"before", "after_in_parent", "after_in_child"};
  for (int i = 0; i < 3; ++i) {
    Ref function(PyCFunction_New(&functions[i], nullptr));
    if (!function || PyDict_SetItemString(keywords.get(), names[i], function.get()) < 0)
      return false;
  }
  return static_cast<bool>(Ref(PyObject_Call(add.get(), args.get(), keywords.get())));
}

}  // namespace skald::python
