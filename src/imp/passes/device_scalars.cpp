// SPDX-License-Identifier: Apache-2.0
// Leaves scalars on the device that only kernels need.
//
//   before   f32 x = totals[0]; free(totals); f32 y = add(1, x); launch { … y … }     the host
//   waits
//
//   after    launch { f32 x = totals[0]; f32 y = add(1, x); … y … } free(totals);
//
// A read of an element makes the host wait for all kernels before it.  A thread reads it from a
// cache; so a loop of a reduction and a map that uses its result can run without the host.
//
// A read whose value nobody needs goes: the host would wait for nothing.
//
// A scalar moves if all that is computed from it is pure scalar code for launches in the same body,
// and its block is allocated there, has no other name and is not written any more.
//
// Target   devices.
// Needs    nothing.
// Gives    nothing that others rely on.
// Keeps    everything else.
// Cost     quadratic in the length of a body, at most.
// Tests    tests/golden/passes/imp/device_scalars/*.imp
#include <algorithm>
#include <functional>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "imp/ir/visit.h"
#include "imp/passes/passes.h"

namespace skald::imp {

namespace {

using ScalarNames = std::unordered_set<Name>;

bool reads_any_of(const Stmt& stmt, const ScalarNames& names) {
  bool used = false;
  for_each_use(stmt, [&](const Operand& operand) {
    const Name* name = core::as_name(operand);
    used = used || (name != nullptr && names.contains(*name));
  });
  return used;
}

bool reads_inside(const Stmt& stmt, const ScalarNames& names) {
  bool used = false;
  for_each_body(stmt, [&](const Body& body) {
    used = used || std::ranges::any_of(body.stmts, [&](const Stmt& inner) {
             return reads_any_of(inner, names) || reads_inside(inner, names);
           });
  });
  return used;
}

// Is the block only read there, or not used at all?
bool leaves_block(const Stmt& stmt, const ScalarNames& block) {
  if (as<Load>(stmt) == nullptr && reads_any_of(stmt, block)) return false;
  bool fine = true;
  for_each_body(stmt, [&](const Body& body) {
    fine = fine && std::ranges::all_of(
                       body.stmts, [&](const Stmt& inner) { return leaves_block(inner, block); });
  });
  return fine;
}

// The block has one name: it is not assigned, passed or returned.
bool shares_block(const Stmt& stmt, const ScalarNames& block) {
  const bool names = as<BlockVar>(stmt) != nullptr || as<BlockAssign>(stmt) != nullptr ||
                     as<Call>(stmt) != nullptr;
  if (names && reads_any_of(stmt, block)) return true;
  bool inside = false;
  for_each_body(stmt, [&](const Body& body) {
    inside = inside || std::ranges::any_of(body.stmts, [&](const Stmt& inner) {
               return shares_block(inner, block);
             });
  });
  return inside;
}

void rename_scalars(Stmt& stmt, const std::unordered_map<Name, Name>& names) {
  const auto use = [&](Operand& operand) {
    const Name* name = core::as_name(operand);
    if (name == nullptr) return;
    if (const auto found = names.find(*name); found != names.end()) operand = found->second;
  };
  visit(stmt.node, [&](auto& node) {
    using N = std::remove_cvref_t<decltype(node)>;
    std::apply([&](auto&... field) { (detail::operands_of(field, use), ...); }, N::fields(node));
  });
  for_each_body(stmt, [&](Body& body) {
    for (Stmt& inner : body.stmts) rename_scalars(inner, names);
  });
}

// How often names are used, anywhere.
using NameCounts = std::unordered_map<Name, size_t>;
void count_named(const Body& body, NameCounts& uses) {
  for (const Stmt& stmt : body.stmts) {
    for_each_use(stmt, [&](const Operand& operand) {
      if (const Name* name = core::as_name(operand)) ++uses[*name];
    });
    for_each_body(stmt, [&](const Body& inner) { count_named(inner, uses); });
  }
}
NameCounts named_in(const Function& fn) {
  NameCounts uses;
  count_named(fn.body, uses);
  for (const Operand& operand : fn.ret)
    if (const Name* name = core::as_name(operand)) ++uses[*name];
  return uses;
}

// The block that the statement only fills or frees.
std::optional<Name> given_up_block(const Stmt& stmt) {
  if (const auto* free = as<Free>(stmt)) return free->block;
  const auto* copy = as<CopyBytes>(stmt);
  return copy == nullptr || copy->dest == copy->src ? std::nullopt : std::optional(copy->dest);
}

// Blocks of the host's memory that a body allocates; uses that do not look at them do not count.
void note_unread_blocks(const Body& body, NameCounts& uses, ScalarNames& unread) {
  for (const Stmt& stmt : body.stmts) {
    if (const auto block = given_up_block(stmt)) --uses[*block];
    if (const auto* alloc = as<Alloc>(stmt); alloc != nullptr && alloc->space == Space::kHeap)
      unread.insert(alloc->name);
    if (as<Launch>(stmt) == nullptr)
      for_each_body(stmt, [&](const Body& inner) { note_unread_blocks(inner, uses, unread); });
  }
}

// Statements of the host.
void erase_on_host(Body& body, const std::function<bool(const Stmt&)>& goes) {
  std::erase_if(body.stmts, goes);
  for (Stmt& stmt : body.stmts)
    if (as<Launch>(stmt) == nullptr)
      for_each_body(stmt, [&](Body& inner) { erase_on_host(inner, goes); });
}

void remove_unneeded_reads(Function& fn) {
  NameCounts uses = named_in(fn);
  erase_on_host(fn.body, [&](const Stmt& stmt) {
    const Load* load = as<Load>(stmt);
    return load != nullptr && !uses.contains(load->name);
  });
  uses = named_in(fn);
  ScalarNames unread;
  note_unread_blocks(fn.body, uses, unread);
  std::erase_if(unread, [&](Name block) { return uses[block] > 0; });
  erase_on_host(fn.body, [&](const Stmt& stmt) {
    const auto* alloc = as<Alloc>(stmt);
    const std::optional<Name> block = alloc != nullptr ? alloc->name : given_up_block(stmt);
    return block && unread.contains(*block);
  });
}

// What moves: statements of a body by their numbers.
struct MovedScalar {
  std::vector<size_t> code;      // the load, and what is computed from it
  std::vector<size_t> launches;  // that use it
  std::vector<size_t> frees;     // of the block, before the last of these
};

class ScalarsOnDevice {
 public:
  ScalarsOnDevice(Program& prog, PassContext& ctx, Function& fn)
      : prog_(prog), ctx_(ctx), fn_(fn) {}

  void function() {
    if (ctx_.may_rewrite("reads that nobody needs")) remove_unneeded_reads(fn_);
    collect_variables(fn_.body);
    walk(fn_.body);
  }

 private:
  static constexpr size_t kMostCode = 16, kMostLaunches = 8;

  void collect_variables(const Body& body) {
    for (const Stmt& stmt : body.stmts) {
      if (const Var* var = as<Var>(stmt)) variables_.insert(var->name);
      for_each_body(stmt, [&](const Body& inner) { collect_variables(inner); });
    }
  }

  void walk(Body& body) {
    for (Stmt& stmt : body.stmts)
      if (as<Launch>(stmt) == nullptr) for_each_body(stmt, [&](Body& inner) { walk(inner); });
    // From the last one on: what moves into a launch leaves those before it where they are.
    for (size_t k = body.stmts.size(); k-- > 0;) {
      if (k >= body.stmts.size() || as<Load>(body.stmts[k]) == nullptr) continue;
      if (const std::optional<MovedScalar> moved = find(body.stmts, k);
          moved && ctx_.may_rewrite("scalar on the device"))
        move(body, *moved);
    }
  }

  bool is_returned(const ScalarNames& names) const {
    return std::ranges::any_of(fn_.ret, [&](const Operand& operand) {
      const Name* name = core::as_name(operand);
      return name != nullptr && names.contains(*name);
    });
  }

  std::optional<MovedScalar> find(const std::vector<Stmt>& stmts, size_t first) const {
    const Load& load = *as<Load>(stmts[first]);
    if (reads_any_of(stmts[first], variables_)) return std::nullopt;
    MovedScalar moved{.code = {first}, .launches = {}, .frees = {}};
    ScalarNames names = {load.name};
    for (size_t k = first + 1; k < stmts.size(); ++k) {
      const Stmt& stmt = stmts[k];
      const bool uses = reads_any_of(stmt, names), inside = reads_inside(stmt, names);
      if (!uses && !inside) continue;
      if (const Let* let = as<Let>(stmt)) {
        if (reads_any_of(stmt, variables_)) return std::nullopt;
        names.insert(let->name);
        moved.code.push_back(k);
      } else if (as<Launch>(stmt) != nullptr && !uses) {
        moved.launches.push_back(k);
      } else {
        return std::nullopt;
      }
    }
    if (moved.launches.empty() || moved.launches.size() > kMostLaunches ||
        moved.code.size() > kMostCode || is_returned(names) ||
        !keeps_block(stmts, load.block, moved))
      return std::nullopt;
    return moved;
  }

  // Does the block hold the same when the launches run?  Notes where it is freed before that.
  bool keeps_block(const std::vector<Stmt>& stmts, Name block, MovedScalar& moved) const {
    const ScalarNames names = {block};
    bool allocated = false;
    for (size_t k = 0; k < stmts.size(); ++k) {
      const Stmt& stmt = stmts[k];
      if (const Alloc* alloc = as<Alloc>(stmt); alloc != nullptr && alloc->name == block)
        allocated = alloc->space == Space::kDevice && k < moved.code.front();
      if (shares_block(stmt, names)) return false;
      if (k <= moved.code.front() || k > moved.launches.back()) continue;
      if (const Free* free = as<Free>(stmt); free != nullptr && free->block == block)
        moved.frees.push_back(k);
      else if (!leaves_block(stmt, names))
        return false;
    }
    return allocated && !is_returned(names);
  }

  // The part of the code that a launch needs; the rest may need what is computed after it.
  static std::vector<size_t> needed_by(const std::vector<Stmt>& stmts, std::vector<size_t> code,
                                       const Stmt& launch) {
    std::vector<size_t> needed;
    for (; !code.empty(); code.pop_back()) {
      const size_t k = code.back();
      const Load* load = as<Load>(stmts[k]);
      const ScalarNames name = {load != nullptr ? load->name : as<Let>(stmts[k])->name};
      const auto uses = [&](size_t later) { return reads_any_of(stmts[later], name); };
      if (reads_inside(launch, name) || std::ranges::any_of(needed, uses))
        needed.insert(needed.begin(), k);
    }
    return needed;
  }

  // A copy of the code, with names of its own, in a launch that uses it.
  void put(std::vector<Stmt>& stmts, const std::vector<size_t>& all, Stmt& target) {
    const std::vector<size_t> code = needed_by(stmts, all, target);
    Launch& launch = *as<Launch>(target);
    std::unordered_map<Name, Name> fresh;
    std::vector<Stmt> own;
    for (const size_t k : code) {
      if (const Load* load = as<Load>(stmts[k])) {
        Load copy = *load;
        copy.name = fresh[load->name] = prog_.names.fresh_like(load->name);
        own.push_back({copy});
      } else {
        Stmt copy{*as<Let>(stmts[k])};
        rename_scalars(copy, fresh);
        Let& let = *as<Let>(copy);
        let.name = fresh[let.name] = prog_.names.fresh_like(let.name);
        own.push_back(std::move(copy));
      }
    }
    for (Stmt& stmt : launch.body.stmts) {
      rename_scalars(stmt, fresh);
      own.push_back(std::move(stmt));
    }
    launch.body = Body(std::move(own));
  }

  void move(Body& body, const MovedScalar& moved) {
    for (const size_t k : moved.launches) put(body.stmts, moved.code, body.stmts[k]);
    std::vector<Stmt> kept;
    for (size_t k = 0; k < body.stmts.size(); ++k) {
      const bool goes = std::ranges::find(moved.code, k) != moved.code.end() ||
                        std::ranges::find(moved.frees, k) != moved.frees.end();
      if (!goes) kept.push_back(std::move(body.stmts[k]));
      if (k != moved.launches.back()) continue;
      for (const size_t free : moved.frees) kept.push_back({*as<Free>(body.stmts[free])});
    }
    body = Body(std::move(kept));
  }

  Program& prog_;
  PassContext& ctx_;
  Function& fn_;
  ScalarNames variables_;
};

}  // namespace

Program keep_scalars(Program prog, PassContext& ctx) {
  for (Function& fn : prog.functions)
    if (fn.kind == FunctionKind::kHost) ScalarsOnDevice(prog, ctx, fn).function();
  return prog;
}

}  // namespace skald::imp
