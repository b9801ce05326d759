// SPDX-License-Identifier: Apache-2.0
// How recorders learn about the core functions that their plans may call (engine_api.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frontend/lazy/dtype.h"

namespace skald::lazy {

// A size in the type of a parameter or result.
struct CalleeDim {
  bool is_param = false;
  int64_t value = 0;  // the number of a core parameter, sizes included, or the size itself
};

// One core value: a scalar or an array.
struct CalleeValue {
  DType type = DType::kF64;
  bool is_unique = false;
  std::vector<CalleeDim> shape;
};

// A parameter or result as the user wrote it: one or more core values.
struct CalleeSource {
  std::string name, type, layout;
  bool is_unique = false;
  int count = 1;
};

struct CalleeInfo {
  int64_t id = 0;
  std::string name;
  // So many first core parameters are numbers that follow from the shapes of the others.
  int sizes = 0;
  // So many first core results are sizes that nobody asked for.  Above 0: the shapes of the results
  // are known only when it has run.
  int result_sizes = 0;
  std::vector<CalleeValue> params, results;  // sizes included
  std::vector<CalleeSource> source_params, source_results;
};

struct EngineCall;

struct CalleeApi {
  // The entry points of a program; `text` null: read from the file `path`.  `language` empty: by
  // the end of the name.  False: `message` has the errors, drawn; else it may have warnings.
  bool (*load)(const std::string& path, const std::string* text, const std::string& language,
               std::vector<CalleeInfo>& entries, std::string& message);
  // A recorded function (PlanWriter::write_function).  Its parameters are the symbols (as sizes),
  // the scalars, the arrays.
  int64_t (*from_plan)(const std::vector<int64_t>& code, const std::vector<std::string>& op_names,
                       std::string& message);
  // "vjp", "jvp" or "jacobian" (lower/callees.h); -1 with a message if it cannot be done.
  int64_t (*derive)(int64_t of, const std::string& mode, const std::vector<int>& params,
                    const std::vector<int>& results, std::string& message);
  // Runs it alone.  The arrays are all parameters behind the sizes (`symbols`), scalars without
  // axes.  The results include the sizes.
  bool (*call)(int64_t callee, const char* backend, EngineCall& call, std::string& message);
  // Its core, for people who look on.
  std::string (*show)(int64_t callee);
};

}  // namespace skald::lazy
