// SPDX-License-Identifier: Apache-2.0
// Runs loops of host code on one thread of the device where they would access its arrays element by
// element.
//
//   before   for (i < n) { x = a[i]; y = add(y, x); b[i] = y; }     two transfers in every round
//
//   after    launch (1 group of 1 thread) { var y' = y; for (i < n) { … } result[0] = y'; }
//            y = result[0];
//
// One thread of a device is slow, but a transfer takes thousands of times as long as an access.
// Loops that launch, allocate or copy larger pieces stay on the host.
//
// Target   devices.
// Needs    nothing.
// Gives    host code has no loops of accesses to the device's memory and scalar code alone.
// Keeps    everything else.
// Cost     linear, times the depth of loops.
// Tests    tests/golden/passes/imp/device_loops/*.imp
#include <unordered_map>

#include "imp/ir/code.h"
#include "imp/ir/visit.h"
#include "imp/passes/passes.h"

namespace skald::imp {

namespace {

// The longest piece that one thread may as well copy or fill itself.
constexpr int64_t kMostBytes = 256;

bool is_small(const Operand& count, int64_t size) {
  const Const* known = core::as_const(count);
  return known != nullptr && int_value(*known) <= kMostBytes / size;
}

// What a loop of the host does, as far as it matters here.
struct LoopSummary {
  bool fits = true;
  bool accesses = false;
  std::unordered_set<Name> inner;  // scalars bound inside
  std::vector<Name> assigned;

  void see(const Stmt& stmt, const std::unordered_map<Name, Type>& types) {
    const auto on_device = [&](Name block) {
      const auto type = types.find(block);
      fits = fits && type != types.end() && type->second == imp::block(Space::kDevice);
      accesses = true;
    };
    if (const Load* load = as<Load>(stmt)) {
      on_device(load->block);
    } else if (const Store* store = as<Store>(stmt)) {
      on_device(store->block);
    } else if (const Fill* fill = as<Fill>(stmt)) {
      on_device(fill->block);
      fits = fits && is_small(fill->count, prim_size(fill->type));
    } else if (const CopyBytes* copy = as<CopyBytes>(stmt)) {
      on_device(copy->dest);
      on_device(copy->src);
      fits = fits && is_small(copy->bytes, 1);
    } else if (const Assign* assign = as<Assign>(stmt)) {
      assigned.push_back(assign->var);
    } else if (as<Let>(stmt) == nullptr && as<Var>(stmt) == nullptr && as<If>(stmt) == nullptr &&
               as<For>(stmt) == nullptr && as<While>(stmt) == nullptr &&
               as<Check>(stmt) == nullptr) {
      fits = false;
    }
    for_each_binder(stmt, [&](Name name, Type, BinderScope) { inner.insert(name); });
    for_each_body(stmt, [&](const Body& body) {
      for (const Stmt& inside : body.stmts) see(inside, types);
    });
  }
};

void rename_uses(Stmt& stmt, const std::unordered_map<Name, Name>& names) {
  const auto now = [&](Name& name) {
    if (const auto found = names.find(name); found != names.end()) name = found->second;
  };
  const auto use = [&](Operand& operand) {
    if (Name* name = std::get_if<Name>(&operand)) now(*name);
  };
  visit(stmt.node, [&](auto& node) {
    using N = std::remove_cvref_t<decltype(node)>;
    std::apply([&](auto&... field) { (detail::operands_of(field, use), ...); }, N::fields(node));
    if constexpr (std::is_same_v<N, Assign>) now(node.var);
  });
  for_each_body(stmt, [&](Body& body) {
    for (Stmt& inner : body.stmts) rename_uses(inner, names);
  });
}

class LoopsOnDevice {
 public:
  LoopsOnDevice(Program& prog, PassContext& ctx) : prog_(prog), ctx_(ctx) {}

  void function(Function& fn) {
    for (const Decl& p : fn.params) types_[p.name] = p.type;
    fn.body = walk(std::move(fn.body));
  }

 private:
  Body walk(Body body) {
    Code code(prog_);
    for (Stmt& stmt : body.stmts) {
      for_each_binder(stmt, [&](Name name, Type type, BinderScope) { types_[name] = type; });
      if (as<Launch>(stmt) == nullptr && !move(code, stmt)) {
        for_each_body(stmt, [&](Body& inner) { inner = walk(std::move(inner)); });
        code.add(std::move(stmt.node));
      } else if (as<Launch>(stmt) != nullptr) {
        code.add(std::move(stmt.node));
      }
    }
    return code.finish();
  }

  // Moves a loop to the device; false if it must stay.
  bool move(Code& code, Stmt& stmt) {
    if (as<For>(stmt) == nullptr && as<While>(stmt) == nullptr) return false;
    LoopSummary loop;
    loop.see(stmt, types_);
    if (!loop.fits || !loop.accesses) return false;
    std::vector<Name> results;
    std::unordered_map<Name, Name> own;
    Code thread(prog_);
    for (const Name var : loop.assigned) {
      if (loop.inner.contains(var) || own.contains(var)) continue;
      if (types_.at(var).is_block()) return false;
      own.emplace(var, thread.var(types_.at(var).prim, var, "own"));
      results.push_back(var);
    }
    if (!ctx_.may_rewrite("loop on the device")) return false;
    rename_uses(stmt, own);
    thread.add(std::move(stmt.node));
    Name block = {};
    if (!results.empty()) {
      const auto bytes = static_cast<int64_t>(results.size()) * kSlot;
      block = code.alloc(Space::kDevice, const_i64(bytes), "result");
    }
    const auto place = [&](size_t k) {
      return const_i64(static_cast<int64_t>(k) * kSlot / prim_size(types_.at(results[k]).prim));
    };
    for (size_t k = 0; k < results.size(); ++k)
      thread.add(Store{types_.at(results[k]).prim, block, place(k), own.at(results[k])});
    Code body(prog_);
    body.add(Attempt{const_i64(0), thread.finish()});
    code.add(Launch{prog_.names.fresh("group"), prog_.names.fresh("thread"), const_i64(1),
                    const_i64(1), const_i64(0), body.finish()});
    for (size_t k = 0; k < results.size(); ++k)
      code.add(Assign{results[k], code.load(types_.at(results[k]).prim, block, place(k), "got")});
    if (block) code.add(Free{block});
    return true;
  }

  static constexpr int64_t kSlot = 8;
  Program& prog_;
  PassContext& ctx_;
  std::unordered_map<Name, Type> types_;
};

}  // namespace

Program move_loops(Program prog, PassContext& ctx) {
  for (Function& fn : prog.functions)
    if (fn.kind == FunctionKind::kHost) LoopsOnDevice(prog, ctx).function(fn);
  return prog;
}

}  // namespace skald::imp
