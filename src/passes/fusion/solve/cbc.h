// SPDX-License-Identifier: Apache-2.0
// The solver CBC, loaded when the first problem is to be solved: most programs never need it, and
// the libraries of linear algebra that come with it cost time when a process starts.  (OpenBLAS
// starts one thread per core, and these keep the cores busy for a tenth of a second.)
#pragma once

#include <coin/Cbc_C_Interface.h>

namespace skald::passes::fusion {

// clang-format off
#define SKALD_CBC_FUNCTIONS(X) \
  X(newModel) X(deleteModel) X(setLogLevel) X(loadProblem) X(setObjSense) X(setInteger) \
  X(setParameter) X(setMaximumNodes) X(setMaximumSeconds) X(setMIPStartI) X(solve) \
  X(isProvenOptimal) X(isProvenInfeasible) X(isSecondsLimitReached) X(getNodeCount) \
  X(getColSolution)
// clang-format on

struct CbcLibrary {
#define SKALD_CBC_MEMBER(name) decltype(&Cbc_##name) name = nullptr;
  SKALD_CBC_FUNCTIONS(SKALD_CBC_MEMBER)
#undef SKALD_CBC_MEMBER
};

// Null where the library is not installed.
const CbcLibrary* cbc_library();

}  // namespace skald::passes::fusion
