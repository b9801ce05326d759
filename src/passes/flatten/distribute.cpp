// SPDX-License-Identifier: Apache-2.0
// Distribution (map fission): a map over a body with several parallel statements becomes several
// maps, each a perfect nest.
//
//   before   map(n, {xss}, \{row} ->                after   s = map(n, {xss}, \{row} ->
//              s = reduce(m, {row}, …)                            reduce(m, {row}, …))
//              t = s * 2                                    ys = map(n, {xss, s}, \{row, s'} ->
//              y = map(m, {row}, \{x} -> x / t)                   t = s' * 2
//              in {y})                                            map(m, {row}, \{x} -> x / t))
//
// Statements of the body are of four kinds:
//   hoisted     does not depend on the iteration: computed once, before.
//   repeated    cheap: computed again in every map that needs it, never stored.
//   parallel    gets a map of its own; loops and branches around parallel code change places with
//               the map (interchange.cpp).
//   sequential  everything else; neighbours stay together in one map.
// Values that cross from one map to a later one are stored as arrays with the map's width in front.
// That needs a type that means something outside; where it does not (irregular sizes, tokens), the
// parallel statements in between become sequential.
#include "passes/flatten/distribute.h"

#include <algorithm>

#include "analysis/parallelism.h"
#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/kernels/nest.h"

namespace skald::passes {

using namespace core;

std::optional<std::vector<Operand>> distribute(Flattener& flat, Builder& out, Soac map, Loc loc) {
  return Distribution(flat, std::move(map), loc).run(out);
}

Distribution::Distribution(Flattener& flat, Soac map, Loc loc)
    : flat_(flat), prog_(flat.program()), map_(std::move(map)), host_(prog_) {
  host_.set_loc(loc);
}

bool Distribution::is_invariant(const Type& type) const {
  for (const Operand& dim : type.shape)
    if (const Name* name = as_name(dim); name != nullptr && local_.contains(*name)) return false;
  return true;
}

bool Distribution::can_cross(const Type& type) const {
  return type.kind == Type::kArray && is_invariant(type);
}

bool Distribution::is_invariant(const std::unordered_set<Name>& names) const {
  return std::none_of(names.begin(), names.end(), [&](Name n) { return local_.contains(n); });
}

void Distribution::hoist() {
  for (Stmt& stmt : map_.fn.body.stmts) {
    if (analysis::is_total(stmt) && is_invariant(free_names(stmt))) {
      for (const Param& p : stmt.pat) hoisted_.emplace(p.name, p.type);
      host_.append(std::move(stmt));
      continue;
    }
    for (const Param& p : stmt.pat) {
      local_.insert(p.name);
      types_.emplace(p.name, p.type);
      if (p.type.is_array()) ranks_.emplace(p.name, p.type.rank());
    }
    parts_.push_back({std::move(stmt)});
  }
  map_.fn.body.stmts.clear();
}

// A SOAC that makes a perfect nest with the map around it.
bool Distribution::makes_nest(const Stmt& stmt) const {
  for (const Param& p : stmt.pat)
    if (!can_cross(p.type)) return false;
  const auto scalar_and_free = [&](const Operator& op) {
    for (const Param& p : op.fn.params)
      if (!p.type.is_scalar()) return false;
    for (const Operand& ne : op.neutral)
      if (const Name* name = as_name(ne); name != nullptr && local_.contains(*name)) return false;
    return is_invariant(free_names(op.fn));
  };
  const auto width_is_free = [&](const Operand& width) {
    const Name* name = as_name(width);
    return name == nullptr || !local_.contains(*name);
  };
  const auto checks_are_free = [&] {
    return std::ranges::none_of(stmt.tokens, [&](Name t) { return local_.contains(t); });
  };
  const auto no_accumulators = [](const Lambda& fn) {
    return std::none_of(fn.params.begin(), fn.params.end(),
                        [](const Param& p) { return p.type.kind == Type::kAcc; });
  };
  if (const auto* soac = as<Soac>(stmt.exp)) {
    for (const Lambda& post : soac->post)
      if (!is_invariant(free_names(post))) return false;
    return width_is_free(soac->width) && no_accumulators(soac->fn) &&
           std::all_of(soac->scans.begin(), soac->scans.end(), scalar_and_free) &&
           std::all_of(soac->reduces.begin(), soac->reduces.end(), scalar_and_free);
  }
  // Writes into arrays of the iteration become writes into arrays of all iterations (writes.cpp).
  if (const auto* hist = as<Hist>(stmt.exp))
    return checks_are_free() && width_is_free(hist->width) && no_accumulators(hist->fn) &&
           std::all_of(hist->ops.begin(), hist->ops.end(),
                       [&](const HistOp& op) { return scalar_and_free(op.op); });
  if (const auto* scatter = as<Scatter>(stmt.exp))
    return checks_are_free() && width_is_free(scatter->width) && no_accumulators(scatter->fn);
  return false;
}

bool Distribution::can_interchange(const Stmt& stmt) const {
  if (!stmt.tokens.empty() || stmt.hints.sequential) return false;
  for (const Param& p : stmt.pat)
    if (!can_cross(p.type)) return false;
  if (const auto* loop = as<Loop>(stmt.exp)) {
    if (loop->form != Loop::kFor || !analysis::has_parallelism(loop->body)) return false;
    if (const Name* bound = as_name(loop->bound); bound != nullptr && local_.contains(*bound))
      return false;
    for (const LoopParam& p : loop->params) {
      if (!can_cross(p.param.type)) return false;
      for (const LoopParam& other : loop->params)
        for (const Operand& dim : p.param.type.shape)
          if (dim == Operand{other.param.name}) return false;
    }
    return true;
  }
  if (const auto* branch = as<If>(stmt.exp)) {
    if (!analysis::has_parallelism(branch->then_body) &&
        !analysis::has_parallelism(branch->else_body))
      return false;
    for (const Param& p : stmt.pat)
      for (const Param& other : stmt.pat)
        for (const Operand& dim : p.type.shape)
          if (dim == Operand{other.name}) return false;
    return true;
  }
  return false;
}

void Distribution::classify() {
  for (Part& part : parts_) {
    if (flat_.in_groups()) replicate_as_nest(part.stmt);
    positions_.emplace(&part.stmt, positions_.size());
    part.uses = free_names(part.stmt);
    const bool touches_consumed = std::any_of(part.uses.begin(), part.uses.end(),
                                              [&](Name n) { return consumed_.contains(n); });
    // A checked read is stored rather than checked again.
    const bool checked = !part.stmt.tokens.empty() && part.stmt.pat[0].type.is_scalar();
    if (analysis::is_repeatable(part.stmt, ranks_) && !touches_consumed && !checked)
      part.kind = Part::kRepeated;
    else if (analysis::is_parallel(part.stmt) && makes_nest(part.stmt))
      part.kind = Part::kParallel;
    else if (can_interchange(part.stmt) || copies_whole(part.stmt) ||
             (flat_.in_groups() && concats_whole(part.stmt)))
      part.kind = Part::kParallel;
  }
}

// A value that cannot be stored stays in one map with all that use it.
void Distribution::keep_together() {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (parts_[i].kind == Part::kRepeated) continue;
      for (const Param& p : parts_[i].stmt.pat) {
        if (can_cross(p.type)) continue;
        size_t last = i;
        for (size_t j = i + 1; j < parts_.size(); ++j) {
          if (!parts_[j].uses.contains(p.name)) continue;
          last = j;
          if (parts_[j].kind == Part::kRepeated) {
            parts_[j].kind = Part::kSequential;
            changed = true;
          }
        }
        for (size_t j = i; j <= last && last > i; ++j) {
          if (parts_[j].kind != Part::kParallel) continue;
          parts_[j].kind = Part::kSequential;
          changed = true;
        }
      }
    }
  }
}

std::vector<size_t> Distribution::repeated_for(std::unordered_set<Name> needed) const {
  std::vector<size_t> found;
  // Uses come after definitions, so one pass backwards is enough.
  for (size_t i = parts_.size(); i-- > 0;) {
    if (parts_[i].kind != Part::kRepeated) continue;
    bool wanted = false;
    for (const Param& p : parts_[i].stmt.pat)
      wanted = wanted || (needed.contains(p.name) && !lifted_.contains(p.name));
    if (!wanted) continue;
    found.push_back(i);
    needed.insert(parts_[i].uses.begin(), parts_[i].uses.end());
  }
  std::reverse(found.begin(), found.end());
  return found;
}

size_t Distribution::position(const Stmt* stmt) const {
  const auto found = positions_.find(stmt);
  return found == positions_.end() ? parts_.size() : found->second;
}

Soac Distribution::capture(const std::vector<const Stmt*>& stmts,
                           const std::vector<Operand>& results, std::vector<Type> types,
                           const std::vector<std::pair<Param, Name>>& bound, Substitution subst) {
  // What is needed from outside these statements.
  std::unordered_set<Name> inside, needed;
  std::vector<Name> order;
  const auto need = [&](Name name) {
    if (!inside.contains(name) && needed.insert(name).second) order.push_back(name);
  };
  const auto need_all = [&](const Stmt& stmt) {
    const auto free = free_names(stmt);
    std::vector<Name> sorted(free.begin(), free.end());
    std::sort(sorted.begin(), sorted.end());
    for (const Name name : sorted) need(name);
    for (const Param& p : stmt.pat) inside.insert(p.name);
  };
  for (const Stmt* stmt : stmts) need_all(*stmt);
  for (const Operand& result : results)
    if (const Name* name = as_name(result)) need(*name);
  const std::vector<size_t> repeated = repeated_for(needed);
  for (const size_t i : repeated) need_all(parts_[i].stmt);

  Soac soac;
  soac.width = map_.width;
  Builder body(prog_);
  body.set_loc(host_.loc());
  // What is consumed is copied: kernels make new arrays.
  const auto use = [&](Name name, Name value, const Type& type) {
    if (type.is_array() && consumed_.contains(name))
      value = body.let1(type, Copy{value}, prog_.names.base(name));
    subst.insert_or_assign(name, value);
  };
  const auto take = [&](Name name, Name array, const Type& row) {
    const Name param = prog_.names.fresh_like(name);
    soac.inputs.push_back(array);
    soac.fn.params.push_back({param, row});
    use(name, param, row);
  };
  for (const Name name : order) {
    if (inside.contains(name)) continue;
    const auto rows = std::find_if(bound.begin(), bound.end(),
                                   [&](const auto& b) { return b.first.name == name; });
    if (rows != bound.end()) {
      take(name, rows->second, rows->first.type);
    } else if (const auto found = lifted_.find(name); found != lifted_.end()) {
      take(name, found->second, types_.at(name));
    } else if (const auto once = hoisted_.find(name); once != hoisted_.end()) {
      use(name, name, once->second);
    }
  }
  // In the order of the original; the bodies of loops and branches come after all parts.
  std::vector<const Stmt*> all = stmts;
  for (const size_t i : repeated) all.push_back(&parts_[i].stmt);
  std::stable_sort(all.begin(), all.end(),
                   [&](const Stmt* a, const Stmt* b) { return position(a) < position(b); });
  for (const Stmt* stmt : all) body.append(copy_with_fresh_names(*stmt, prog_.names, subst));
  std::vector<Operand> values = results;
  for (Operand& value : values) substitute(value, subst);
  for (Type& type : types) soac.fn.results.push_back({{}, std::move(type)});
  soac.fn.body = body.finish(std::move(values));
  return soac;
}

Name Distribution::lift_invariant(const Operand& value, const Type& type) {
  return out_->let1(array_of(map_.width, type), Replicate{{map_.width}, value}, "rep");
}

Operand Distribution::lift(const Operand& value, const Type& type) {
  if (const Name* name = as_name(value)) {
    if (const auto found = lifted_.find(*name); found != lifted_.end()) return found->second;
    SKALD_CHECK(!local_.contains(*name), "{} is not stored", prog_.names.text(*name));
  }
  return lift_invariant(value, type);
}

// The names bound by these statements that others use.
std::vector<Param> Distribution::used_outside(const std::vector<size_t>& group) const {
  std::vector<Param> result;
  for (const size_t i : group) {
    for (const Param& p : parts_[i].stmt.pat) {
      bool used = false;
      for (size_t j = 0; j < parts_.size() && !used; ++j)
        used = parts_[j].uses.contains(p.name) &&
               std::find(group.begin(), group.end(), j) == group.end();
      for (const Operand& r : map_.fn.body.result) used = used || r == Operand{p.name};
      if (used) result.push_back(p);
    }
  }
  return result;
}

void Distribution::store(const std::vector<const Stmt*>& stmts, std::vector<Param> values) {
  std::erase_if(values, [&](const Param& p) {
    const Part* part = defining_part(p.name);
    if (part == nullptr || !is_view_of_all(*part) || consumed_.contains(p.name)) return false;
    copy_whole(p.name, p.name);
    return true;
  });
  if (values.empty()) return;
  std::vector<Operand> results;
  std::vector<Type> types, arrays;
  for (const Param& p : values) {
    results.emplace_back(p.name);
    types.push_back(p.type);
    arrays.push_back(array_of(map_.width, p.type));
  }
  Soac soac = capture(stmts, results, std::move(types), {}, {});
  if (flat_.in_groups()) sink_checks(soac, flat_.emptiness());
  std::vector<Param> pat;
  for (size_t k = 0; k < values.size(); ++k) {
    pat.push_back({prog_.names.fresh_like(values[k].name), arrays[k]});
    lifted_[values[k].name] = pat.back().name;
  }
  out_->let_pat(std::move(pat), std::move(soac));
}

void Distribution::sequential(const std::vector<size_t>& group) {
  std::vector<const Stmt*> stmts;
  for (const size_t i : group) stmts.push_back(&parts_[i].stmt);
  store(stmts, used_outside(group));
}

void Distribution::parallel(size_t i) {
  const Part& part = parts_[i];
  // More than a few repeated statements are stored instead.
  size_t cost = 0;
  for (const size_t other : repeated_for(part.uses)) cost += repeat_cost(parts_[other].stmt);
  if (cost > kRepeatUnit * kMaxRepeated) {
    std::vector<Param> values;
    for (const Part& other : parts_)
      if (other.kind == Part::kRepeated)
        for (const Param& p : other.stmt.pat)
          if (part.uses.contains(p.name) && can_cross(p.type) && p.type.is_scalar() &&
              !lifted_.contains(p.name))
            values.push_back(p);
    store({}, values);
  }
  if (as<Loop>(part.stmt.exp) != nullptr) return loop(part.stmt);
  if (as<If>(part.stmt.exp) != nullptr) return branch(part.stmt);
  if (as<Concat>(part.stmt.exp) != nullptr && concats_whole(part.stmt))
    return concat_whole(part.stmt);
  if (const auto* copy = as<Copy>(part.stmt.exp); copy != nullptr && copies_whole(part.stmt))
    return copy_whole(part.stmt.pat[0].name, copy->array);
  store({&part.stmt}, part.stmt.pat);
}

std::optional<std::vector<Operand>> Distribution::run(Builder& out) {
  out_ = &host_;
  for (size_t k = 0; k < map_.fn.params.size(); ++k) {
    const Param& p = map_.fn.params[k];
    if (p.type.kind != Type::kArray) return std::nullopt;
    local_.insert(p.name);
    types_.emplace(p.name, p.type);
    if (p.type.is_array()) ranks_.emplace(p.name, p.type.rank());
    lifted_.emplace(p.name, map_.inputs[k]);
  }
  consumed_ = analysis::consumed_names(map_.fn.body, prog_);
  hoist();
  classify();
  keep_together();
  const bool only_views = !parts_.empty() && std::ranges::all_of(parts_, [&](const Part& p) {
    return is_view_of_all(p) && !consumed_.contains(p.stmt.pat[0].name);
  });
  if (!only_views && std::none_of(parts_.begin(), parts_.end(),
                                  [](const Part& part) { return part.kind == Part::kParallel; }))
    return std::nullopt;

  std::vector<size_t> group;
  for (size_t i = 0; i < parts_.size(); ++i) {
    const bool reshapes = reshapes_whole(parts_[i]);
    if (parts_[i].kind == Part::kSequential && !reshapes) group.push_back(i);
    if (parts_[i].kind != Part::kParallel && !reshapes) continue;
    sequential(group);
    group.clear();
    if (!reshapes) {
      parallel(i);
      continue;
    }
    const Name name = parts_[i].stmt.pat[0].name;
    lifted_[name] = whole(name);
  }
  // What is left, together with repeated values that are results.
  std::vector<Param> values = used_outside(group);
  for (size_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i].kind != Part::kRepeated) continue;
    for (const Param& p : used_outside({i}))
      if (std::find(map_.fn.body.result.begin(), map_.fn.body.result.end(), Operand{p.name}) !=
              map_.fn.body.result.end() &&
          !lifted_.contains(p.name))
        values.push_back(p);
  }
  std::vector<const Stmt*> stmts;
  for (const size_t i : group) stmts.push_back(&parts_[i].stmt);
  store(stmts, values);

  std::vector<Operand> results;
  std::unordered_set<Name> given(map_.inputs.begin(), map_.inputs.end());
  for (size_t k = 0; k < map_.fn.body.result.size(); ++k) {
    const Type& type = map_.fn.results[k].type;
    const Operand array = lift(map_.fn.body.result[k], type);
    // Every result is an array of its own.
    const Name name = *as_name(array);
    if (given.insert(name).second)
      results.push_back(name);
    else
      results.emplace_back(out_->let1(array_of(map_.width, type), Copy{name}, "copy"));
  }
  Body done = host_.finish({});
  for (Stmt& stmt : done.stmts) out.append(std::move(stmt));
  return results;
}

}  // namespace skald::passes
