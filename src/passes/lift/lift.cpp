// SPDX-License-Identifier: Apache-2.0
// Lifting (full flattening): the code of one instance — one iteration of a map, one call of a
// function — becomes host code that runs all instances of a batch together, one kernel for each
// parallel statement, however the sizes inside differ.
//
//   before   map(n, {offs, lens}, \{o, k} ->            after   the values of pos for all instances
//              ys = filter(k, xs[o for k])                        lie one after another; one kernel
//              r  = reduce(m, ys, …)                              classifies all elements, one
//              in {r})                                            partitions them, one reduces them
//                                                                 segment by segment
//
// Statements are of these kinds:
//   host        the same for all instances and total: computed once
//   code        cheap: repeated in every kernel that needs it, never stored
//   sequential  scalar code: neighbours share one kernel with one point per instance
//   parallel    SOACs, concatenations (soacs.cpp)
//   control     branches and loops around parallel code (control.cpp)
//   calls       of functions with parallel code, which get a lifted version; independent calls of
//               one function become one call on a larger batch (calls.cpp)
//
// Where a value is, for all instances, is said by `Lifted` (lift.h); batch.cpp reads it.
//
// Part of extract-kernels: stage SOACS in, stage KERNELS out, since only there are segments.
// Tests: tests/golden/passes/lift/*.core, tests/programs/nested/irregular*.fut,
// tests/programs/recursion
#include "passes/lift/lift.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/visit.h"
#include "passes/kernels/sequentialise.h"

namespace skald::passes {

using namespace core;

namespace {

// Larger bodies are left to one thread per instance.
constexpr size_t kMaxLifted = 600;

// All types in a body, and what functions it calls.
struct Collector {
  std::unordered_map<Name, Type>& types;
  std::vector<std::pair<std::string, bool>> calls = {};

  void param(const Param& p) { types.insert_or_assign(p.name, p.type); }
  void body(const Body& body) {
    for (const Stmt& stmt : body.stmts) {
      for (const Param& p : stmt.pat) param(p);
      for_each_param(stmt.exp, [&](const Param& p) { param(p); });
      if (const Call* call = as<Call>(stmt.exp)) calls.emplace_back(call->fn, true);
      for_each_body(stmt.exp, [&](const Body& inner) { this->body(inner); });
    }
  }
};

}  // namespace

int calls_of(const Body& body, const std::string& fn) {
  int count = 0;
  for (const Stmt& stmt : body.stmts) {
    if (const Call* call = as<Call>(stmt.exp); call != nullptr && call->fn == fn) ++count;
    int inside = 0;
    for_each_body(stmt.exp, [&](const Body& inner) {
      // Only one side of a branch runs; what is inside a SOAC runs many times.
      const int here = calls_of(inner, fn);
      inside =
          as<If>(stmt.exp) != nullptr
              ? std::max(inside, here)
              : inside + (here > 0 && as<Loop>(stmt.exp) == nullptr ? std::max(here, 2) : here);
    });
    count += inside;
  }
  return count;
}

Lifter::Lifter(Program& prog, PassContext& ctx,
               const std::unordered_map<std::string, Function>& originals)
    : prog_(prog), ctx_(ctx), originals_(originals) {
  std::unordered_map<std::string, std::unordered_set<std::string>> callees;
  const auto collect = [&](const Function& fn) {
    Collector collector{types_};
    for (const Param& p : fn.params) collector.param(p);
    collector.body(fn.body);
    for (const auto& call : collector.calls) callees[fn.name].insert(call.first);
  };
  for (const Function& fn : prog.functions) collect(fn);
  for (const auto& [name, fn] : originals) collect(fn);
  for (const auto& [name, type] : types_)
    if (type.is_array()) ranks_.emplace(name, type.rank());
  // Functions may only call themselves, but a longer circle would do no harm.
  for (const auto& [name, fn] : originals) {
    std::unordered_set<std::string> reached;
    std::vector<std::string> work(callees[name].begin(), callees[name].end());
    while (!work.empty()) {
      const std::string at = std::move(work.back());
      work.pop_back();
      if (!reached.insert(at).second) continue;
      for (const std::string& next : callees[at]) work.push_back(next);
    }
    if (reached.contains(name)) {
      recursive_.insert(name);
      if (calls_of(fn.body, name) > 1) tree_recursive_.insert(name);
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [name, fn] : originals) {
      if (parallel_.contains(name)) continue;
      const bool unfit = !ctx_.device().recursion_in_kernels && recursive_.contains(name);
      if (!unfit && !needs_lifting(fn.body)) continue;
      parallel_.insert(name);
      changed = true;
    }
  }
}

void Lifter::refuse(std::string_view why) {
  if (!refused_ && ctx_.explains()) ctx_.explain(fmt::format("not lifted: {}", why));
  refused_ = true;
}

// ---- kinds of statements

bool Lifter::needs_lifting(const Stmt& stmt) const {
  if (has_attr(stmt, "sequential")) return false;
  if (is_parallel(stmt)) return true;
  if (const auto* part = as<Partition>(stmt.exp)) {
    const Const* known = as_const(part->width);
    return known == nullptr || int_value(*known) >= 32;
  }
  if (const auto* call = as<Call>(stmt.exp)) return parallel_.contains(call->fn);
  if (as<If>(stmt.exp) == nullptr && as<Loop>(stmt.exp) == nullptr && as<Soac>(stmt.exp) == nullptr)
    return false;
  bool found = false;
  for_each_body(stmt.exp, [&](const Body& inner) { found = found || needs_lifting(inner); });
  return found;
}

bool Lifter::needs_lifting(const Body& body) const {
  return std::ranges::any_of(body.stmts, [&](const Stmt& s) { return needs_lifting(s); });
}

bool Lifter::is_code(const Stmt& stmt) const {
  for (const Name name : free_names(stmt))
    if (consumed_.contains(name)) return false;
  for (const Param& p : stmt.pat)
    if (consumed_.contains(p.name)) return false;
  if (as<Iota>(stmt.exp) != nullptr) return true;
  if (const auto* rep = as<Replicate>(stmt.exp); rep != nullptr && rep->shape.size() == 1)
    return true;
  // A checked read is stored rather than checked again.
  const bool read = as<Index>(stmt.exp) != nullptr && stmt.pat[0].type.is_scalar();
  return is_repeatable(stmt, ranks_) && !(read && !stmt.tokens.empty());
}

bool Lifter::is_irregular(const Body& body, Names& local) const {
  const auto is_local = [&](const Operand& o) {
    const Name* name = as_name(o);
    return name != nullptr && local.contains(*name);
  };
  for (const Stmt& stmt : body.stmts) {
    for (const Param& p : stmt.pat) local.insert(p.name);
    if (!needs_lifting(stmt)) continue;
    if (as<Partition>(stmt.exp) != nullptr || as<Call>(stmt.exp) != nullptr) return true;
    if (const auto* soac = as<Soac>(stmt.exp); soac != nullptr && is_local(soac->width))
      return true;
    if (const auto* hist = as<Hist>(stmt.exp); hist != nullptr && is_local(hist->width))
      return true;
    if (const auto* node = as<Scatter>(stmt.exp); node != nullptr && is_local(node->width))
      return true;
    if (const auto* branch = as<If>(stmt.exp); branch != nullptr && is_local(branch->cond))
      return true;
    if (const auto* loop = as<Loop>(stmt.exp)) {
      if (loop->form == Loop::kWhile || is_local(loop->bound)) return true;
      local.insert(loop->var.name);
      for (const LoopParam& p : loop->params) local.insert(p.param.name);
    }
    if (const auto* soac = as<Soac>(stmt.exp))
      for (const Param& p : soac->fn.params) local.insert(p.name);
    bool found = false;
    for_each_body(stmt.exp,
                  [&](const Body& inner) { found = found || is_irregular(inner, local); });
    if (found) return true;
  }
  return false;
}

bool Lifter::is_irregular_nest(const Soac& map) const {
  Names local;
  for (const Param& p : map.fn.params) local.insert(p.name);
  return is_irregular(map.fn.body, local);
}

// ---- bodies

void Lifter::lift_body(Batch& b, const Body& body) {
  Walk walk{body};
  for (size_t i = 0; i < body.stmts.size(); ++i) {
    walk.uses.push_back(free_names(body.stmts[i]));
    for (const Name name : walk.uses[i]) walk.users[name].push_back(i);
  }
  for (const Operand& result : body.result)
    if (const Name* name = as_name(result)) walk.users[*name].push_back(body.stmts.size());
  std::vector<size_t> todo(body.stmts.size());
  for (size_t i = 0; i < todo.size(); ++i) todo[i] = i;
  // Calls wait until all that does not depend on them is done: then they are one batch.
  while (!todo.empty() && !refused_) {
    std::vector<size_t> later;
    std::vector<const Stmt*> calls;
    Names blocked;
    for (const size_t i : todo) {
      if (refused_) return;
      const Stmt& stmt = body.stmts[i];
      const bool waits =
          std::ranges::any_of(walk.uses[i], [&](Name name) { return blocked.contains(name); });
      const Call* call = as<Call>(stmt.exp);
      const bool is_call = !waits && call != nullptr && is_parallel_call(*call);
      if (waits || is_call)
        for (const Param& p : stmt.pat) blocked.insert(p.name);
      if (waits)
        later.push_back(i);
      else if (is_call)
        calls.push_back(&stmt);
      else
        process(b, walk, i);
    }
    flush(b, walk);
    if (!refused_ && !calls.empty()) run_calls(b, calls);
    todo = std::move(later);
  }
}

void Lifter::process(Batch& b, Walk& walk, size_t i) {
  const Stmt& stmt = walk.body.stmts[i];
  loc_ = stmt.loc;
  out_->set_loc(loc_);
  const bool host = std::ranges::all_of(
      walk.uses[i], [&](Name name) { return host_operand(b, Operand{name}).has_value(); });
  const auto grouped = [&](Name name) {
    return std::ranges::any_of(walk.group, [&](size_t g) {
      return std::ranges::any_of(walk.body.stmts[g].pat,
                                 [&](const Param& p) { return p.name == name; });
    });
  };
  const bool in_group = std::ranges::any_of(walk.uses[i], grouped);
  if (host && !in_group && is_total(stmt)) {
    Substitution subst;
    for (const Name name : walk.uses[i])
      if (find(b, name).value != nullptr) subst.emplace(name, *host_operand(b, Operand{name}));
    Stmt copy = copy_with_fresh_names(stmt, prog_.names, subst);
    for (size_t k = 0; k < stmt.pat.size(); ++k) {
      Lifted value;
      value.host = copy.pat[k].name;
      b.values.insert_or_assign(stmt.pat[k].name, value);
      types_.insert_or_assign(copy.pat[k].name, copy.pat[k].type);
    }
    return out_->append(std::move(copy));
  }
  if (is_code(stmt)) {
    Lifted value;
    value.kind = Lifted::kCode;
    value.code = &stmt;
    for (const Param& p : stmt.pat) b.values.insert_or_assign(p.name, value);
    return;
  }
  // Names of a group are not host values, although they are not known yet.
  const auto in_one_kernel = [&] {
    for (const Param& p : stmt.pat) {
      Lifted placeholder;
      placeholder.kind = Lifted::kRows;
      b.values.insert_or_assign(p.name, placeholder);
    }
    walk.group.push_back(i);
  };
  const bool lifts = needs_lifting(stmt);
  const auto* concat = as<Concat>(stmt.exp);
  const bool joins = concat != nullptr && !host_operand(b, concat->size).has_value();
  if (!lifts && !joins) return in_one_kernel();
  flush(b, walk);
  if (refused_) return;
  bool done = false;
  if (const auto* soac = as<Soac>(stmt.exp))
    done = lift_soac(b, stmt, *soac);
  else if (const auto* part = as<Partition>(stmt.exp))
    done = lift_partition(b, stmt, *part);
  else if (const auto* scatter = as<Scatter>(stmt.exp))
    done = lift_scatter(b, stmt, *scatter);
  else if (const auto* hist = as<Hist>(stmt.exp))
    done = lift_hist(b, stmt, *hist);
  else if (concat != nullptr)
    done = lift_concat(b, stmt, *concat);
  else if (const auto* branch = as<If>(stmt.exp)) {
    lift_if(b, stmt, *branch);
    done = true;
  } else if (const auto* loop = as<Loop>(stmt.exp)) {
    lift_loop(b, stmt, *loop);
    done = true;
  }
  if (!done) in_one_kernel();
}

// Scalar code that stands together runs in one kernel, one point per instance.
void Lifter::flush(Batch& b, Walk& walk) {
  if (walk.group.empty() || refused_) return;
  const std::vector<size_t> group = std::move(walk.group);
  walk.group.clear();
  std::vector<const Stmt*> stmts;
  std::vector<Param> regular, irregular;
  for (const size_t i : group) {
    stmts.push_back(&walk.body.stmts[i]);
    for (const Param& p : walk.body.stmts[i].pat) {
      const std::vector<size_t>& users = walk.users[p.name];
      const bool outside = std::ranges::any_of(users, [&](size_t user) {
        return std::find(group.begin(), group.end(), user) == group.end();
      });
      if (!outside) continue;
      if (p.type.kind != Type::kArray) return refuse("a value that cannot be stored");
      (form_of(b, p.type) == Form::kRegular ? regular : irregular).push_back(p);
    }
  }
  // Statements of the group are read in place, not from placeholders.
  for (const Stmt* stmt : stmts)
    for (const Param& p : stmt->pat) b.values.erase(p.name);
  if (!irregular.empty()) {
    // Sizes that the group computes come first.
    std::vector<Param> sizes;
    for (const Param& p : irregular)
      for (const Operand& dim : p.type.shape)
        for (const Stmt* stmt : stmts)
          for (const Param& bound : stmt->pat)
            if (dim == Operand{bound.name} &&
                std::ranges::none_of(sizes, [&](const Param& s) { return s.name == bound.name; }))
              sizes.push_back(bound);
    // And so does what code between these statements may need for the sizes.
    for (const Param& p : regular)
      if (std::ranges::none_of(sizes, [&](const Param& s) { return s.name == p.name; }))
        sizes.push_back(p);
    write_rows(b, stmts, sizes, {});
    regular.clear();
  }
  if (!refused_) write_rows(b, stmts, regular, irregular);
}

// Runs the statements for every instance and stores values: regular ones as rows, irregular ones
// one after another.
void Lifter::write_rows(Batch& b, const std::vector<const Stmt*>& stmts,
                        const std::vector<Param>& regular, const std::vector<Param>& irregular) {
  if (regular.empty() && irregular.empty()) return;
  const Type i64 = scalar_type(Prim::kI64);
  std::vector<Batch::Segments> segments;
  for (const Param& p : irregular) {
    const bool flat = form_of(b, p.type) == Form::kFlatSegments;
    segments.push_back(scan_lengths(b, [&](Point& at) { return element_count(at, p.type, flat); }));
  }
  Kernel kernel;
  kernel.domain.dims = {b.width};
  const Name s = prog_.names.fresh("s");
  kernel.pull.params = {{s, i64}};
  Builder body(prog_);
  body.set_loc(loc_);
  Point at{b, body, s};
  for (const Stmt* stmt : stmts) {
    Names free = free_names(*stmt);
    bring_all(at, free);
    body.append(copy_with_fresh_names(*stmt, prog_.names, at.subst));
  }
  std::vector<Operand> values;
  std::vector<Type> results;
  for (const Param& p : regular) {
    const Type type = host_type(b, p.type);
    values.push_back(bring(at, Operand{p.name}));
    kernel.pull.results.push_back({{}, type});
    kernel.sinks.push_back({Sink::kOut, 1});
    results.push_back(array_of(b.width, type));
  }
  for (size_t k = 0; k < irregular.size(); ++k) {
    const Param& p = irregular[k];
    const bool flat = form_of(b, p.type) == Form::kFlatSegments;
    const Type row = flat ? scalar_type(p.type.elem) : host_type(b, row_type(p.type));
    const Name start = body.let1(i64, Index{segments[k].offsets, {DimSlice{true, s}}}, "start");
    Type here = p.type;
    for (Operand& dim : here.shape) substitute(dim, at.subst);
    Operand length = here.shape[0];
    Operand value = p.name;
    substitute(value, at.subst);
    if (flat && here.rank() > 1) {
      for (size_t d = 1; d < here.shape.size(); ++d) length = body.size_mul(length, here.shape[d]);
      const Type line = array_of(length, row);
      value = body.let1(line, Reshape{std::get<Name>(value), {length}}, "line");
    }
    const Name size = prog_.names.fresh("size");
    values.insert(values.end(), {start, length, value});
    kernel.pull.results.push_back({{}, i64});
    kernel.pull.results.push_back({size, i64});
    kernel.pull.results.push_back({{}, array_of(size, row)});
    const Type all = array_of(segments[k].total, row);
    Sink sink{Sink::kScatter, 3};
    sink.shape = {segments[k].total};
    sink.dests = {out_->let1(all, Scratch{all.elem, all.shape}, "rows")};
    kernel.sinks.push_back(std::move(sink));
    results.push_back(all);
  }
  kernel.pull.body = body.finish(std::move(values));
  sequentialise(kernel.pull.body, prog_);
  const std::vector<Name> arrays = out_->let(results, std::move(kernel), "stored");
  for (size_t k = 0; k < regular.size(); ++k) {
    Lifted value;
    value.kind = Lifted::kRows;
    value.rows = arrays[k];
    b.values.insert_or_assign(regular[k].name, value);
  }
  for (size_t k = 0; k < irregular.size(); ++k) {
    Space space;
    space.offsets = segments[k].offsets;
    space.total = segments[k].total;
    bind_output(b, irregular[k], space, arrays[regular.size() + k]);
    b.values.at(irregular[k].name).flat = form_of(b, irregular[k].type) == Form::kFlatSegments;
  }
}

// ---- what the outside asks for

bool Lifter::must_lift(const Lambda& fn) const {
  if (ctx_.device().recursion_in_kernels) return false;
  bool found = false;
  const std::function<void(const Body&)> look = [&](const Body& body) {
    for (const Stmt& stmt : body.stmts) {
      if (const Call* call = as<Call>(stmt.exp)) found = found || recursive_.contains(call->fn);
      for_each_body(stmt.exp, look);
    }
  };
  look(fn.body);
  return found;
}

namespace {

bool asked_for_loops(const Stmt& stmt) {
  return has_attr(stmt, "sequential") || has_attr(stmt, "sequential_outer") ||
         has_attr(stmt, "sequential_inner") ||
         has_flattening_attr(stmt, "sequentialise_nonuniform");
}

}  // namespace

// The iterations of a map as one batch, its code in `out`, which stays the current one.
Batch Lifter::lift_iterations(Builder& out, Loc loc, const Operand& width,
                              const std::vector<Name>& inputs, const Lambda& fn) {
  out.set_loc(loc);
  out_ = &out;
  loc_ = loc;
  consumed_ = consumed_names(fn.body, prog_);
  refused_ = false;
  Batch b;
  b.width = width;
  for (size_t k = 0; k < fn.params.size(); ++k) {
    Lifted value;
    value.kind = Lifted::kRows;
    value.rows = inputs[k];
    b.values.emplace(fn.params[k].name, value);
  }
  lift_body(b, fn.body);
  return b;
}

std::optional<Body> Lifter::lift_map(const Stmt& stmt, bool must) {
  const Soac& map = *as<Soac>(stmt.exp);
  if (!map.is_map() || asked_for_loops(stmt) || !needs_lifting(map.fn.body) ||
      !stmt.tokens.empty() || statement_count(stmt) > kMaxLifted)
    return std::nullopt;
  if (!must &&
      lifted_ + statement_count(stmt) > static_cast<size_t>(ctx_.device().lifted_statements)) {
    ctx_.report_limit(
        "an irregular nest runs one thread per iteration: lifting it would make the program too "
        "large");
    return std::nullopt;
  }
  lifted_ += statement_count(stmt);
  for (const Param& p : map.fn.params)
    if (p.type.kind != Type::kArray) return std::nullopt;
  Builder out(prog_);
  Builder* const before = out_;
  Batch b = lift_iterations(out, stmt.loc, map.width, map.inputs, map.fn);
  std::vector<Operand> results;
  Names given(map.inputs.begin(), map.inputs.end());
  for (size_t k = 0; k < map.fn.results.size() && !refused_; ++k) {
    const Type type = host_type(b, map.fn.results[k].type);
    Name rows = rows_of(b, map.fn.body.result[k], type);
    if (!given.insert(rows).second) rows = out_->let1(array_of(b.width, type), Copy{rows}, "copy");
    results.emplace_back(rows);
  }
  out_ = before;
  if (refused_) return std::nullopt;
  return out.finish(std::move(results));
}

bool Lifter::lift_flatmap(Builder& out, const Stmt& stmt) {
  const FlatMap& flat = *as<FlatMap>(stmt.exp);
  if (asked_for_loops(stmt) || !stmt.tokens.empty() || statement_count(stmt) > kMaxLifted)
    return false;
  for (const Param& p : flat.fn.params)
    if (p.type.kind != Type::kArray) return false;
  Builder code(prog_);
  Builder* const before = out_;
  Batch b = lift_iterations(code, stmt.loc, flat.width, flat.inputs, flat.fn);
  const auto data = static_cast<size_t>(flat.data);
  const Type i64 = scalar_type(Prim::kI64);
  const Operand& length = flat.fn.body.result[0];
  if (refused_) {
    out_ = before;
    return false;
  }
  const Name lengths = rows_of(b, length, i64);
  // One kernel reads all rows and marks where they begin.
  const Batch::Segments segments = scan_lengths(b, [&](Point& at) { return bring(at, length); });
  Space space;
  space.offsets = segments.offsets;
  space.total = segments.total;
  space = with_indices(space);
  Kernel kernel = open(space, b);
  Builder body(prog_);
  body.set_loc(loc_);
  Point at{b, body, space.s};
  std::vector<Operand> values = {
      body.cmpop(CmpOpKind::kEq, Prim::kI64, space.j, const_i64(0), "first")};
  kernel.pull.results = {{{}, scalar_type(Prim::kBool)}};
  kernel.sinks.push_back({Sink::kOut, 1});
  for (size_t k = 1; k <= data; ++k) {
    const Type row = host_type(b, row_type(flat.fn.results[k].type));
    values.push_back(element(at, space, std::get<Name>(flat.fn.body.result[k]), row));
    kernel.pull.results.push_back({{}, row});
    kernel.sinks.push_back({Sink::kOut, 1});
  }
  kernel.pull.body = body.finish(std::move(values));
  sequentialise(kernel.pull.body, prog_);
  code.let_pat({stmt.pat[0]}, Value{segments.total});
  const Name own = code.let1(stmt.pat[1].type, Copy{lengths}, "lengths");
  code.let_pat({stmt.pat[1]}, Value{own});
  const Name starts =
      code.let1(stmt.pat[3].type,
                Index{segments.offsets, {DimSlice{false, const_i64(0), flat.width}}}, "starts");
  code.let_pat({stmt.pat[3]}, Copy{starts});
  std::vector<Param> pat = {stmt.pat[2]};
  for (size_t k = 0; k < data; ++k) pat.push_back(stmt.pat[4 + k]);
  code.let_pat(std::move(pat), std::move(kernel));
  for (size_t k = 1 + data; k < flat.fn.results.size(); ++k) {
    const Type type = host_type(b, flat.fn.results[k].type);
    const Name rows = rows_of(b, flat.fn.body.result[k], type);
    code.let_pat({stmt.pat[3 + k]}, Copy{rows});
  }
  out_ = before;
  if (refused_) return false;
  for (Stmt& s : code.finish({}).stmts) out.append(std::move(s));
  return true;
}

}  // namespace skald::passes
