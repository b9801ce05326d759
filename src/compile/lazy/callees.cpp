// SPDX-License-Identifier: Apache-2.0
// The functions that plans may call: loading, deriving, and running one alone.
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>

#include "compile/lazy/engine.h"
#include "compile/program/loader.h"
#include "compile/program/program.h"
#include "compile/registry/frontends.h"
#include "core/text/print.h"
#include "frontend/lazy/plan.h"
#include "passes/differentiate/differentiate.h"

namespace skald::lazy {

namespace {

// A function, with the programs that run it alone, by back end.
struct Known {
  Callee callee;
  std::map<std::string, std::unique_ptr<compile::Program>> alone;
};
struct KnownCallees {
  std::mutex mutex;
  std::deque<Known> all;
  // Functions that are recorded again and again are made once.
  std::map<std::vector<int64_t>, int64_t> of_plans;
  using Derived = std::tuple<int64_t, std::string, std::vector<int>, std::vector<int>>;
  std::map<Derived, int64_t> derived;
};
KnownCallees& known_callees() {
  static auto* const known = new KnownCallees;
  return *known;
}

int64_t add_callee(Callee callee) {
  const std::lock_guard lock(known_callees().mutex);
  known_callees().all.push_back({.callee = std::move(callee), .alone = {}});
  return static_cast<int64_t>(known_callees().all.size()) - 1;
}

template <class Key>
std::optional<int64_t> known_number(const std::map<Key, int64_t>& table, const Key& key) {
  const std::lock_guard lock(known_callees().mutex);
  const auto it = table.find(key);
  return it == table.end() ? std::nullopt : std::optional<int64_t>(it->second);
}
template <class Key>
int64_t remember(std::map<Key, int64_t>& table, const Key& key, int64_t id) {
  const std::lock_guard lock(known_callees().mutex);
  return table.emplace(key, id).first->second;
}

CalleeValue describe(const core::Function& fn, const core::Type& type, bool unique) {
  CalleeValue value{.type = dtype_of(type.elem), .is_unique = unique, .shape = {}};
  for (const core::Operand& dim : type.shape) {
    CalleeDim& size = value.shape.emplace_back();
    if (const core::Const* known = core::as_const(dim)) {
      size.value = core::int_value(*known);
      continue;
    }
    // A size that is a result itself stays without a number.
    size = {.is_param = true, .value = -1};
    for (size_t i = 0; i < fn.params.size(); ++i) {
      if (fn.params[i].name == *core::as_name(dim)) size.value = static_cast<int64_t>(i);
    }
  }
  return value;
}

CalleeInfo describe(const core::Function& fn) {
  CalleeInfo info;
  info.name = fn.entry->name;
  info.sizes = fn.entry->sizes;
  info.result_sizes = fn.entry->result_sizes;
  for (const core::Param& param : fn.params)
    info.params.push_back(describe(fn, param.type, param.unique));
  for (const core::Ret& result : fn.results)
    info.results.push_back(describe(fn, result.type, result.unique));
  const auto sources = [](const std::vector<core::EntryValue>& values) {
    std::vector<CalleeSource> list;
    for (const core::EntryValue& value : values) {
      list.push_back({.name = value.name,
                      .type = value.type,
                      .layout = value.layout,
                      .is_unique = value.unique,
                      .count = value.count});
    }
    return list;
  };
  info.source_params = sources(fn.entry->params);
  info.source_results = sources(fn.entry->results);
  return info;
}

bool load(const std::string& path, const std::string* text, const std::string& language,
          std::vector<CalleeInfo>& entries, std::string& message) try {
  const frontend::Frontend* frontend = nullptr;
  if (!language.empty()) {
    frontend = compile::find_frontend(language);
    if (!frontend) {
      message = "there is no language " + language;
      for (const frontend::Frontend* each : compile::frontends())
        message +=
            (each == compile::frontends()[0] ? "; there are " : ", ") + std::string(each->name);
      return false;
    }
  }
  compile::Loader loader;
  if (text) loader.sources().provide(path, *text);
  std::optional<core::Program> prog = loader.load(path, frontend);
  message = loader.drawn();
  if (!loader.accepts() || !prog) return false;
  const auto shared = std::make_shared<const core::Program>(std::move(*prog));
  for (const core::Function& fn : shared->functions) {
    // Forms of scripts are no functions for others.
    if (!fn.entry || fn.entry->name.starts_with("form ")) continue;
    CalleeInfo& info = entries.emplace_back(describe(fn));
    info.id = add_callee({.program = shared, .function = fn.name, .sizes = fn.entry->sizes});
  }
  return true;
} catch (const std::exception& bug) {
  message = bug.what();
  return false;
}

int64_t from_plan(const std::vector<int64_t>& code, const std::vector<std::string>& op_names,
                  std::string& message) try {
  if (const auto known = known_number(known_callees().of_plans, code)) return *known;
  Plan plan;
  LoweredPlan lowered = lower_code(code, op_names, plan);
  const int64_t id =
      add_callee({.program = std::make_shared<const core::Program>(std::move(lowered.program)),
                  .function = "plan",
                  .sizes = plan.symbols});
  return remember(known_callees().of_plans, code, id);
} catch (const std::exception& bug) {
  message = bug.what();
  return -1;
}

// The pass runs on a copy, to say now what it cannot do.
bool can_be_derived(const Callee& callee, std::string& message) {
  core::Program copy;
  Linker(copy).link(callee.program, callee.function);
  for (const passes::ad::Problem& problem : passes::ad::differentiate(copy)) {
    message = problem.what;
    const core::Loc loc = copy.locs.outside_prelude(problem.loc);
    if (loc.index != 0) message += " (" + copy.locs[loc].text + ")";
    return false;
  }
  return true;
}

int64_t derive(int64_t of, const std::string& mode, const std::vector<int>& params,
               const std::vector<int>& results, std::string& message) try {
  const KnownCallees::Derived key{of, mode, params, results};
  if (const auto known = known_number(known_callees().derived, key)) return *known;
  const Callee& callee = find_callee(of);
  Callee made = mode == "vjp"   ? reverse_derivative(callee, params, results)
                : mode == "jvp" ? forward_derivative(callee, params, results)
                                : jacobian(callee, params.at(0), results);
  if (!can_be_derived(made, message)) return -1;
  return remember(known_callees().derived, key, add_callee(std::move(made)));
} catch (const std::exception& bug) {
  message = bug.what();
  return -1;
}

// The function as the only entry point of a program, where sizes are parameters like others.
core::Program alone(const Callee& callee) {
  core::Program prog;
  const std::string name = Linker(prog).link(callee.program, callee.function);
  for (core::Function& fn : prog.functions) {
    if (fn.name != name) continue;
    const auto value = [](const core::Type& type, bool unique) {
      core::EntryValue described{.type = std::string(prim_name(type.elem)), .unique = unique};
      for (int i = 0; i < type.rank(); ++i) described.type.insert(0, "[]");
      return described;
    };
    fn.entry = core::EntryPoint{.name = "alone"};
    for (const core::Param& param : fn.params)
      fn.entry->params.push_back(value(param.type, param.unique));
    for (const core::Ret& result : fn.results)
      fn.entry->results.push_back(value(result.type, result.unique));
  }
  return prog;
}

compile::Program* program_alone(int64_t id, const std::string& backend, std::string& message) {
  auto engine = engine_of(backend);
  if (!engine) {
    message = engine.failure().error;
    return nullptr;
  }
  const std::lock_guard lock(known_callees().mutex);
  Known& known = known_callees().all.at(static_cast<size_t>(id));
  auto& program = known.alone[backend];
  if (program) return program.get();
  auto made = compile::Program::from_core(*engine, alone(known.callee), program_options());
  if (!made) {
    message = made.failure().error;
    return nullptr;
  }
  program = std::move(*made);
  return program.get();
}

// Only what runs alone does this: its reader is the host.
bool bring_to_host(compile::Engine& engine, EngineArray& array, std::string& message) {
  const std::unique_ptr<runtime::Value> there(static_cast<runtime::Value*>(array.device));
  array.device = nullptr;
  array.data = new std::byte[static_cast<size_t>(array.bytes) + 64];
  array.release = [](void* data, void*) { delete[] static_cast<std::byte*>(data); };
  auto read = engine.read(*there, array.data);
  if (!read) message = read.error();
  return message.empty();
}

bool call_alone(int64_t id, const char* backend, EngineCall& call, std::string& message) try {
  compile::Program* program = program_alone(id, backend, message);
  if (!program) return false;
  std::vector<runtime::Value> args;
  const auto add = [&](Result<runtime::Value> value) {
    if (!value) {
      message = value.error();
      return false;
    }
    args.push_back(std::move(*value));
    return true;
  };
  for (const int64_t size : call.symbols) {
    if (!add(runtime::Value::scalar(Prim::kI64, static_cast<uint64_t>(size)))) return false;
  }
  for (EngineArray& array : call.arrays) {
    if (!add(engine_value(program->engine(), array))) return false;
  }
  compile::Engine& engine = program->engine();
  // What somebody else holds is copied before it is changed.
  const std::vector<runtime::Value> held = args;
  if (!run_entry(engine, program->executable(), *program->find_entry("alone"), std::move(args),
                 call, message)) {
    return false;
  }
  for (EngineArray& array : call.results) {
    if (array.device && !bring_to_host(engine, array, message)) return false;
  }
  return true;
} catch (const std::exception& bug) {
  message = bug.what();
  return false;
}

std::string show_callee(int64_t id) try {
  core::Program prog;
  const Callee& callee = find_callee(id);
  Linker(prog).link(callee.program, callee.function);
  return core::print(prog);
} catch (const std::exception& bug) {
  return bug.what();
}

}  // namespace

DType dtype_of(Prim prim) {
  switch (prim) {
    case Prim::kBool: return DType::kBool;
    case Prim::kI8: return DType::kI8;
    case Prim::kI16: return DType::kI16;
    case Prim::kI32: return DType::kI32;
    case Prim::kI64: return DType::kI64;
    case Prim::kU8: return DType::kU8;
    case Prim::kU16: return DType::kU16;
    case Prim::kU32: return DType::kU32;
    case Prim::kU64: return DType::kU64;
    case Prim::kF16: return DType::kF16;
    case Prim::kF32: return DType::kF32;
    case Prim::kF64: return DType::kF64;
  }
  return DType::kF64;
}

const Callee& find_callee(int64_t id) {
  const std::lock_guard lock(known_callees().mutex);
  return known_callees().all.at(static_cast<size_t>(id)).callee;
}

const CalleeApi kCalleeApi = {
    .load = load,
    .from_plan = from_plan,
    .derive = derive,
    .call = call_alone,
    .show = show_callee,
};

}  // namespace skald::lazy
