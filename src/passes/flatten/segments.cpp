// SPDX-License-Identifier: Apache-2.0
// Irregular nests: rows of different lengths lie one after another, and one kernel runs over all
// their elements.
//
//   map(n, {starts, lengths}, \{o, k} ->              lengths   2 0 3
//     is = iota(k)                                    offsets   0 2 2 5
//     s = reduce(k, {is}, \{j} -> xs[o + j]))         segments  0 0 2 2 2
//                                                     position  0 1 0 1 2
// becomes
//   kernel(flat(n), \{i} -> lengths[i], scan (+))     ends of the segments; with a 0 in front,
//   offsets kernel(seg(n, total; offsets), \{s, j, p} -> xs[starts[s] + j], reduce (+))
//   kernel(flat(n), …)                                what follows the reduction, if anything does
//
// Code before the inner SOAC is repeated at every element if it is cheap, otherwise the first
// kernel stores its value for every segment; elements read it through their segment.  Nothing is
// replicated.  The same kernels, with the elements stored, make a flatmap.
#include "passes/flatten/segments.h"

#include <algorithm>
#include <unordered_set>

#include "core/free_names.h"
#include "core/rename.h"
#include "core/visit.h"
#include "passes/flatten/parallelism.h"
#include "passes/kernels/sequentialise.h"

namespace skald::passes {

using namespace core;

namespace {

using Names = std::unordered_set<Name>;

class Segments {
 public:
  Segments(Program& prog, const Operand& width, const std::vector<Name>& inputs, const Lambda& fn,
           Loc loc)
      : prog_(prog), width_(width), inputs_(inputs), fn_(fn), loc_(loc) {}

  // Finds the inner SOAC — the last one of the given width, or the only one whose width differs
  // between segments — and decides what is stored; false if the nest is not of this kind.
  bool match(const Operand* width = nullptr) {
    if (!consumed_names(fn_.body, prog_).empty()) return false;
    for (const Param& p : fn_.params) {
      if (p.type.kind != Type::kArray) return false;
      bind(p);
    }
    const auto& stmts = fn_.body.stmts;
    for (const Stmt& stmt : stmts)
      for (const Param& p : stmt.pat) bind(p);
    for (size_t i = 0; i < stmts.size(); ++i) {
      const Soac* soac = as<Soac>(stmts[i].exp);
      if (soac == nullptr || !is_parallel(stmts[i])) continue;
      if (width != nullptr ? !(soac->width == *width) : !is_local(soac->width)) continue;
      if (inner_ != nullptr && width == nullptr) return false;
      inner_ = soac;
      at_ = i;
    }
    if (inner_ == nullptr || !simple(*inner_)) return false;
    for (const Stmt& stmt : stmts) by_name(stmt);
    return find_needs();
  }

  const Stmt& inner_stmt() const { return fn_.body.stmts[at_]; }
  const Soac& inner() const { return *inner_; }

  // Appends the first kernel; `more` are further results of the function that it stores.  Gives the
  // offsets and remembers the rest.
  std::vector<Name> first_kernel(Builder& out, const std::vector<Operand>& more,
                                 const std::vector<Type>& more_types) {
    Kernel kernel;
    kernel.domain.dims = {width_};
    std::vector<Operand> results = {inner_->width};
    std::vector<Type> types = {scalar_type(Prim::kI64)};
    for (const Param& p : stored_) {
      results.emplace_back(p.name);
      types.push_back(p.type);
    }
    for (size_t k = 0; k < more.size(); ++k) {
      results.push_back(more[k]);
      types.push_back(more_types[k]);
    }
    kernel.pull = per_segment(results, types, {}, checks_);
    Sink scan{Sink::kScan, 1};
    scan.op.push_back(addition());
    kernel.sinks.push_back(std::move(scan));
    std::vector<Param> pat;
    for (size_t k = 0; k < types.size(); ++k) {
      pat.push_back({prog_.names.fresh(k == 0 ? "ends" : "stored"), array_of(width_, types[k])});
      if (k > 0) kernel.sinks.push_back({Sink::kOut, 1});
    }
    for (size_t k = 0; k < stored_.size(); ++k) stored_at_[stored_[k].name] = pat[1 + k].name;
    std::vector<Name> rest;
    for (size_t k = 1 + stored_.size(); k < pat.size(); ++k) rest.push_back(pat[k].name);
    const Name ends = pat[0].name;
    out.let_pat(std::move(pat), std::move(kernel));
    const Type i64 = scalar_type(Prim::kI64);
    const Name zero =
        out.let1(array_of(const_i64(1), i64), Replicate{{const_i64(1)}, const_i64(0)}, "zero");
    const Operand size = out.size_add(width_, const_i64(1));
    offsets_ = out.let1(array_of(size, i64), Concat{0, size, {zero, ends}}, "offsets");
    total_ = out.let1(i64, Index{offsets_, {DimSlice{true, width_}}}, "total");
    return rest;
  }
  Name offsets() const { return offsets_; }
  Name total() const { return total_; }

  // The kernel over the elements, without sinks.
  Kernel element_kernel() {
    Kernel kernel;
    kernel.domain.kind = Domain::kSeg;
    kernel.domain.dims = {width_, total_};
    kernel.domain.offsets = {offsets_};
    const Type i64 = scalar_type(Prim::kI64);
    const Name s = prog_.names.fresh("s"), j = prog_.names.fresh("j"), p = prog_.names.fresh("p");
    kernel.pull.params = {{s, i64}, {j, i64}, {p, i64}};
    Builder body(prog_);
    body.set_loc(loc_);
    Substitution subst;
    read_segment(body, s, subst, needed_);
    for (const Param& value : stored_)
      subst.insert_or_assign(
          value.name,
          Operand{body.let1(value.type, Index{stored_at_.at(value.name), {DimSlice{true, s}}},
                            prog_.names.base(value.name))});
    for (const size_t i : repeated_)
      body.append(copy_with_fresh_names(fn_.body.stmts[i], prog_.names, subst));
    std::vector<Operand> rows;
    for (size_t k = 0; k < inner_->inputs.size(); ++k) {
      const Type& type = inner_->fn.params[k].type;
      const Name input = inner_->inputs[k];
      if (const Stmt* made = generator(input)) {
        if (const Iota* iota = as<Iota>(made->exp)) {
          Operand start = iota->start, step = iota->step;
          substitute(start, subst);
          substitute(step, subst);
          const Operand index = body.convert(Prim::kI64, iota->type, j, "j");
          const Operand scaled = step == Operand{const_int(iota->type, 1)}
                                     ? index
                                     : body.binop(BinOpKind::kMul, iota->type, index, step, "t");
          rows.push_back(start == Operand{const_int(iota->type, 0)}
                             ? scaled
                             : body.binop(BinOpKind::kAdd, iota->type, start, scaled, "x"));
        } else {
          Operand value = as<Replicate>(made->exp)->value;
          substitute(value, subst);
          rows.push_back(value);
        }
        continue;
      }
      Operand array = input;
      substitute(array, subst);
      rows.emplace_back(
          body.let1(type, Index{*as_name(array), {DimSlice{true, j}}}, prog_.names.base(input)));
    }
    Lambda fn = copy_with_fresh_names(inner_->fn, prog_.names, subst);
    kernel.pull.results = std::move(fn.results);
    std::vector<Operand> values = inline_lambda(body, std::move(fn), rows);
    kernel.pull.body = body.finish(std::move(values));
    forget_checks(kernel.pull.body);
    sequentialise(kernel.pull.body, prog_);
    return kernel;
  }

  // Code for one segment: results of the function, given arrays that hold results of the inner
  // SOAC.
  Lambda per_segment(const std::vector<Operand>& results, const std::vector<Type>& types,
                     const std::unordered_map<Name, Name>& known,
                     const std::vector<Name>& checks = {}) {
    Lambda pull;
    const Name i = prog_.names.fresh("i");
    pull.params = {{i, scalar_type(Prim::kI64)}};
    Names wanted(checks.begin(), checks.end());
    for (const Operand& result : results)
      if (const Name* name = as_name(result)) wanted.insert(*name);
    std::vector<size_t> stmts;
    for (size_t k = fn_.body.stmts.size(); k-- > 0;) {
      const Stmt& stmt = fn_.body.stmts[k];
      if (k == at_ || !binds_any(stmt, wanted)) continue;
      stmts.push_back(k);
      for (const Name name : free_names(stmt)) wanted.insert(name);
    }
    Builder body(prog_);
    body.set_loc(loc_);
    Substitution subst;
    read_segment(body, i, subst, wanted);
    for (const Param& p : inner_stmt().pat)
      if (const auto found = known.find(p.name); found != known.end() && wanted.contains(p.name))
        subst.insert_or_assign(p.name,
                               Operand{body.let1(p.type, Index{found->second, {DimSlice{true, i}}},
                                                 prog_.names.base(p.name))});
    for (size_t k = stmts.size(); k-- > 0;)
      body.append(copy_with_fresh_names(fn_.body.stmts[stmts[k]], prog_.names, subst));
    std::vector<Operand> values = results;
    for (Operand& value : values) substitute(value, subst);
    if (!checks.empty()) {
      std::vector<Name> tokens;
      for (const Name check : checks) tokens.push_back(std::get<Name>(subst.at(check)));
      values[0] = body.let1(types[0], Value{values[0]}, "length", tokens);
    }
    for (const Type& type : types) pull.results.push_back({{}, type});
    pull.body = body.finish(std::move(values));
    sequentialise(pull.body, prog_);
    return pull;
  }

  // Does code that `results` need come after the inner SOAC?
  bool needs_inner(const std::vector<Operand>& results) const {
    Names wanted;
    for (const Operand& result : results)
      if (const Name* name = as_name(result)) wanted.insert(*name);
    for (size_t k = fn_.body.stmts.size(); k-- > at_;) {
      const Stmt& stmt = fn_.body.stmts[k];
      if (!binds_any(stmt, wanted)) continue;
      if (k == at_) return true;
      for (const Name name : free_names(stmt)) wanted.insert(name);
    }
    return false;
  }

  // Can code of one segment use only regular results of the inner SOAC?
  bool uses_only_reductions(const std::vector<Operand>& results) const {
    size_t reduced = 0;
    for (const Operator& op : inner_->reduces) reduced += op.neutral.size();
    Names irregular;
    for (size_t k = reduced; k < inner_stmt().pat.size(); ++k)
      irregular.insert(inner_stmt().pat[k].name);
    for (size_t k = at_ + 1; k < fn_.body.stmts.size(); ++k)
      for (const Name name : free_names(fn_.body.stmts[k]))
        if (irregular.contains(name)) return false;
    for (const Operand& result : results)
      if (const Name* name = as_name(result); name != nullptr && irregular.contains(*name))
        return false;
    return true;
  }

 private:
  void bind(const Param& p) {
    local_.insert(p.name);
    types_.emplace(p.name, p.type);
    if (p.type.is_array()) ranks_.emplace(p.name, p.type.rank());
  }
  void by_name(const Stmt& stmt) {
    for (const Param& p : stmt.pat) made_by_.emplace(p.name, &stmt);
  }
  bool is_local(const Operand& o) const {
    const Name* name = as_name(o);
    return name != nullptr && local_.contains(*name);
  }
  bool is_regular(const Type& type) const {
    if (type.kind != Type::kArray) return false;
    return std::none_of(type.shape.begin(), type.shape.end(),
                        [&](const Operand& dim) { return is_local(dim); });
  }
  static bool binds_any(const Stmt& stmt, const Names& wanted) {
    return std::any_of(stmt.pat.begin(), stmt.pat.end(),
                       [&](const Param& p) { return wanted.contains(p.name); });
  }
  bool simple(const Soac& soac) const {
    for (const Param& p : soac.fn.params)
      if (p.type.kind != Type::kArray) return false;
    if (!soac.post.empty() || !soac.scans.empty()) return false;
    for (const Operator& op : soac.reduces) {
      for (const Param& p : op.fn.params)
        if (!p.type.is_scalar()) return false;
      for (const Operand& ne : op.neutral)
        if (is_local(ne)) return false;
      for (const Name name : free_names(op.fn))
        if (local_.contains(name)) return false;
    }
    return std::all_of(soac.fn.results.begin(), soac.fn.results.end(),
                       [&](const Ret& ret) { return is_regular(ret.type); });
  }
  // iota or replicate: element j is computed, not read.
  const Stmt* generator(Name array) const {
    const auto found = made_by_.find(array);
    if (found == made_by_.end()) return nullptr;
    const Exp& exp = found->second->exp;
    if (as<Iota>(exp) != nullptr) return found->second;
    const Replicate* rep = as<Replicate>(exp);
    return rep != nullptr && rep->shape.size() == 1 ? found->second : nullptr;
  }
  // What the code at one element needs: repeated statements, stored values, parameters.
  bool find_needs() {
    for (const Name name : free_names(inner_->fn)) needed_.insert(name);
    checks_ = inner_stmt().tokens;
    for (const Name input : inner_->inputs) {
      const Stmt* made = generator(input);
      if (made == nullptr) {
        needed_.insert(input);
        continue;
      }
      checks_.insert(checks_.end(), made->tokens.begin(), made->tokens.end());
      if (const Iota* iota = as<Iota>(made->exp)) {
        for (const Operand& o : {iota->start, iota->step})
          if (const Name* name = as_name(o)) needed_.insert(*name);
      } else if (const Name* name = as_name(as<Replicate>(made->exp)->value)) {
        needed_.insert(*name);
      }
    }
    for (size_t k = at_; k-- > 0;) {
      const Stmt& stmt = fn_.body.stmts[k];
      if (!binds_any(stmt, needed_)) continue;
      if (is_repeatable(stmt, ranks_)) {
        repeated_.push_back(k);
        for (const Name name : free_names(stmt)) needed_.insert(name);
        continue;
      }
      for (const Param& p : stmt.pat) {
        if (!needed_.contains(p.name)) continue;
        if (!is_regular(p.type)) return false;
        stored_.push_back(p);
      }
    }
    std::reverse(repeated_.begin(), repeated_.end());
    // A check of a segment is performed even if the segment is empty, and only once.
    std::erase_if(repeated_, [&](size_t k) {
      const Stmt& stmt = fn_.body.stmts[k];
      if (as<Assert>(stmt.exp) == nullptr) return false;
      checks_.push_back(stmt.pat[0].name);
      return true;
    });
    return true;
  }
  // Elements come after the checks of their segments.
  void forget_checks(Body& body) const {
    for (Stmt& stmt : body.stmts) {
      std::erase_if(stmt.tokens, [&](Name token) {
        return std::find(checks_.begin(), checks_.end(), token) != checks_.end();
      });
      for_each_body(stmt.exp, [&](Body& inner) { forget_checks(inner); });
    }
  }
  // Reads the rows of one segment that are wanted.
  void read_segment(Builder& body, Name i, Substitution& subst, const Names& wanted) {
    for (size_t k = 0; k < fn_.params.size(); ++k) {
      const Param& p = fn_.params[k];
      if (!wanted.contains(p.name)) continue;
      subst.insert_or_assign(p.name,
                             Operand{body.let1(p.type, Index{inputs_[k], {DimSlice{true, i}}},
                                               prog_.names.base(p.name))});
    }
  }
  Operator addition() {
    Operator op;
    const Type i64 = scalar_type(Prim::kI64);
    const Name a = prog_.names.fresh("a"), b = prog_.names.fresh("b");
    op.fn.params = {{a, i64}, {b, i64}};
    op.fn.results = {{{}, i64}};
    Builder body(prog_);
    const Operand sum = body.binop(BinOpKind::kAdd, Prim::kI64, a, b, "sum");
    op.fn.body = body.finish({sum});
    op.neutral = {const_i64(0)};
    op.commutative = true;
    return op;
  }

  Program& prog_;
  const Operand width_;
  const std::vector<Name>& inputs_;
  const Lambda& fn_;
  const Loc loc_;
  const Soac* inner_ = nullptr;
  size_t at_ = 0;
  Names local_, needed_;
  std::unordered_map<Name, Type> types_;
  Ranks ranks_;
  std::unordered_map<Name, const Stmt*> made_by_;
  std::vector<size_t> repeated_;
  std::vector<Param> stored_;
  // Tokens of checks that the inner SOAC comes after; the first kernel performs them.
  std::vector<Name> checks_;
  std::unordered_map<Name, Name> stored_at_;
  Name offsets_ = {}, total_ = {};
};

}  // namespace

namespace {

// The function with a map over its data at the end, which copies elements.
Lambda with_copying_map(Program& prog, const FlatMap& flat) {
  Lambda fn = copy_with_fresh_names(flat.fn, prog.names);
  Soac map;
  map.width = fn.body.result[0];
  std::vector<Param> pat;
  for (size_t k = 1; k <= static_cast<size_t>(flat.data); ++k) {
    const Type row = row_type(fn.results[k].type);
    map.inputs.push_back(std::get<Name>(fn.body.result[k]));
    map.fn.params.push_back({prog.names.fresh("x"), row});
    map.fn.results.push_back({{}, row});
    map.fn.body.result.emplace_back(map.fn.params.back().name);
    pat.push_back({prog.names.fresh("data"), array_of(map.width, row)});
    fn.body.result[k] = pat.back().name;
  }
  fn.body.stmts.push_back({std::move(pat), std::move(map)});
  return fn;
}

bool flatmap_kernels(Builder& out, Stmt& stmt, const FlatMap& flat, const Lambda& fn) {
  Program& prog = out.program();
  Segments segments(prog, flat.width, flat.inputs, fn, stmt.loc);
  if (!segments.match(&fn.body.result[0])) return false;
  // The data must be exactly results of the inner map, and the length its width.
  const auto data = static_cast<size_t>(flat.data);
  const std::vector<Operand>& results = fn.body.result;
  const Stmt& inner = segments.inner_stmt();
  if (!segments.inner().reduces.empty()) return false;
  std::vector<size_t> order;
  for (size_t k = 0; k < data; ++k) {
    const auto found = std::find_if(inner.pat.begin(), inner.pat.end(), [&](const Param& p) {
      return results[1 + k] == Operand{p.name};
    });
    if (found == inner.pat.end()) return false;
    order.push_back(static_cast<size_t>(found - inner.pat.begin()));
  }
  const std::vector<Operand> further(results.begin() + 1 + static_cast<ptrdiff_t>(data),
                                     results.end());
  if (segments.needs_inner(further)) return false;
  std::vector<Operand> more = {segments.inner().width};
  std::vector<Type> types = {scalar_type(Prim::kI64)};
  for (size_t k = 0; k < further.size(); ++k) {
    more.push_back(further[k]);
    types.push_back(fn.results[1 + data + k].type);
  }

  const Loc before = out.loc();
  out.set_loc(stmt.loc);
  const std::vector<Name> stored = segments.first_kernel(out, more, types);
  Param &total = stmt.pat[0], &lengths = stmt.pat[1], &flags = stmt.pat[2], &offsets = stmt.pat[3];
  out.let_pat({total}, Value{segments.total()});
  out.let_pat({lengths}, Value{stored[0]});
  const Name starts =
      out.let1(offsets.type,
               Index{segments.offsets(), {DimSlice{false, const_i64(0), flat.width, const_i64(1)}}},
               "starts");
  out.let_pat({offsets}, Copy{starts});
  for (size_t k = 0; k < further.size(); ++k)
    out.let_pat({stmt.pat[4 + data + k]}, Value{stored[1 + k]});

  Kernel kernel = segments.element_kernel();
  // A flag where a segment begins, then the data.
  Body& body = kernel.pull.body;
  Builder end(prog);
  for (Stmt& s : body.stmts) end.append(std::move(s));
  std::vector<Operand> values = {
      end.cmpop(CmpOpKind::kEq, Prim::kI64, kernel.pull.params[1].name, const_i64(0), "first")};
  std::vector<Ret> value_types = {{{}, scalar_type(Prim::kBool)}};
  std::vector<Param> pat = {flags};
  kernel.sinks.push_back({Sink::kOut, 1});
  for (size_t k = 0; k < data; ++k) {
    values.push_back(body.result[order[k]]);
    value_types.push_back(kernel.pull.results[order[k]]);
    pat.push_back(stmt.pat[4 + k]);
    kernel.sinks.push_back({Sink::kOut, 1});
  }
  kernel.pull.results = std::move(value_types);
  kernel.pull.body = end.finish(std::move(values));
  // The kernel's types say the total; the pattern's name for it is a copy.
  out.let_pat(std::move(pat), std::move(kernel));
  out.set_loc(before);
  return true;
}

}  // namespace

bool flatmap_kernels(Builder& out, Stmt& stmt) {
  const FlatMap& flat = *as<FlatMap>(stmt.exp);
  if (has_attr(stmt, "sequential") || has_attr(stmt, "sequential_outer") || !stmt.tokens.empty())
    return false;
  return flatmap_kernels(out, stmt, flat, flat.fn) ||
         (flat.data > 0 && flatmap_kernels(out, stmt, flat, with_copying_map(out.program(), flat)));
}

std::optional<Body> segmented_version(Program& prog, const Stmt& stmt) {
  const Soac* map = as<Soac>(stmt.exp);
  if (map == nullptr || !map->is_map() || has_attr(stmt, "sequential") ||
      has_attr(stmt, "sequential_outer") || has_attr(stmt, "sequential_inner") ||
      has_flattening_attr(stmt, "sequentialise_nonuniform") || !stmt.tokens.empty())
    return std::nullopt;
  Segments segments(prog, map->width, map->inputs, map->fn, stmt.loc);
  if (!segments.match()) return std::nullopt;
  const Soac& inner = segments.inner();
  const std::vector<Operand>& results = map->fn.body.result;
  size_t reduced = 0;
  for (const Operator& op : inner.reduces) reduced += op.neutral.size();
  if (reduced == 0 || inner.fn.results.size() != reduced || !segments.uses_only_reductions(results))
    return std::nullopt;

  Builder out(prog);
  out.set_loc(stmt.loc);
  segments.first_kernel(out, {}, {});
  Kernel elements = segments.element_kernel();
  std::vector<Param> pat;
  std::unordered_map<Name, Name> known;
  size_t at = 0;
  for (const Operator& op : inner.reduces) {
    Sink sink{Sink::kReduce, static_cast<int>(op.neutral.size())};
    Operator copy{copy_with_fresh_names(op.fn, prog.names), op.neutral, op.commutative};
    sequentialise(copy.fn.body, prog);
    sink.op.push_back(std::move(copy));
    elements.sinks.push_back(std::move(sink));
    for (size_t k = 0; k < op.neutral.size(); ++k, ++at) {
      const Param& p = segments.inner_stmt().pat[at];
      pat.push_back({prog.names.fresh_like(p.name), array_of(map->width, p.type)});
      known.emplace(p.name, pat.back().name);
    }
  }
  out.let_pat(std::move(pat), std::move(elements));
  // What follows, unless the results are those of the reductions.
  std::vector<Operand> direct;
  for (const Operand& result : results) {
    const Name* name = as_name(result);
    const auto found = name == nullptr ? known.end() : known.find(*name);
    if (found != known.end() &&
        std::find(direct.begin(), direct.end(), Operand{found->second}) == direct.end())
      direct.emplace_back(found->second);
  }
  if (direct.size() == results.size()) return out.finish(std::move(direct));
  std::vector<Type> types, arrays;
  for (const Ret& ret : map->fn.results) {
    types.push_back(ret.type);
    arrays.push_back(array_of(map->width, ret.type));
  }
  Kernel last;
  last.domain.dims = {map->width};
  last.pull = segments.per_segment(results, types, known);
  for (size_t k = 0; k < results.size(); ++k) last.sinks.push_back({Sink::kOut, 1});
  const std::vector<Name> names = out.let(arrays, std::move(last), "map_res");
  return out.finish({names.begin(), names.end()});
}

}  // namespace skald::passes
