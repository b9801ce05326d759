// SPDX-License-Identifier: Apache-2.0
// Random statements without operators: scalars, arrays, checks, branches, loops, calls.
#include "core/random/generator.h"

namespace skald::core::detail {

namespace {

// Operators whose result on floats is fixed by IEEE arithmetic.
bool is_exact(BinOpKind op, Prim type) {
  if (!is_float(type)) return true;
  switch (op) {
    case BinOpKind::kPow:
    case BinOpKind::kAtan2:
    case BinOpKind::kAtan2Pi:
    case BinOpKind::kHypot: return false;
    default: return true;
  }
}
bool is_exact(UnOpKind op, Prim type) {
  if (!is_float(type)) return true;
  switch (op) {
    case UnOpKind::kNeg:
    case UnOpKind::kAbs:
    case UnOpKind::kSgn:
    case UnOpKind::kIsNan:
    case UnOpKind::kIsInf:
    case UnOpKind::kSqrt:
    case UnOpKind::kCeil:
    case UnOpKind::kFloor:
    case UnOpKind::kTrunc:
    case UnOpKind::kRound: return true;
    default: return false;
  }
}

}  // namespace

// ---- scalars

void Generator::scalar_stmt() {
  const Prim type = prim();
  const int kind = random_.below(100);
  if (kind < 40) {
    for (int tries = 0; tries < 20; ++tries) {
      const auto op =
          static_cast<BinOpKind>(random_.below(static_cast<int>(BinOpKind::kLdexp) + 1));
      if (!is_legal(op, type) || (!options_.inexact && !is_exact(op, type))) continue;
      const Operand rhs = scalar(op == BinOpKind::kLdexp ? Prim::kI32 : type);
      binop(op, type, scalar(type), rhs);
      return;
    }
  } else if (kind < 55) {
    for (int tries = 0; tries < 20; ++tries) {
      const auto op = static_cast<UnOpKind>(random_.below(static_cast<int>(UnOpKind::kRound) + 1));
      if (!is_legal(op, type) || (!options_.inexact && !is_exact(op, type))) continue;
      let(scalar_type(result_type(op, type)), UnOp{op, type, scalar(type)}, "u");
      return;
    }
  } else if (kind < 70) {
    // One after the other: the order of arguments is up to the compiler.
    const auto op = static_cast<CmpOpKind>(random_.below(4));
    const Operand lhs = scalar(type), rhs = scalar(type);
    cmpop(op, type, lhs, rhs);
  } else if (kind < 75) {
    const auto op = static_cast<TernOpKind>(random_.below(4));
    if (!is_legal(op, type)) return;
    let(scalar_type(type), TernOp{op, type, scalar(type), scalar(type), scalar(type)}, "t");
  } else if (kind < 85) {
    const Prim to = prim();
    let(scalar_type(to), Convert{type, to, scalar(type)}, "v");
  } else if (kind < 88) {
    const Prim to = kAllPrims[static_cast<size_t>(random_.below(12))];
    // A NaN has no fixed bits.
    if (prim_bits(to) != prim_bits(type) || is_float(type)) return;
    let(scalar_type(to), Bitcast{type, to, scalar(type)}, "v");
  } else if (kind < 96) {
    let(scalar_type(type), Select{scalar(Prim::kBool), scalar(type), scalar(type)}, "s");
  } else if (kind < 97) {
    let(scalar_type(Prim::kI64), Tunable{"p", "user", scalar(Prim::kI64)}, "p");
  } else if (kind < 98) {
    let(scalar_type(type), Value{scalar(type)}, "v");
  } else {
    let(scalar_type(type), Opaque{scalar(type)}, "o");
  }
}

// ---- arrays

void Generator::new_array_stmt() {
  const int kind = random_.below(100);
  if (kind < 40) {
    const Prim elem = prim();
    array(elem, size());
  } else if (kind < 60) {
    const Type row = some_type();
    ArrayLit lit{row, {}};
    const int count = random_.below(5);
    for (int i = 0; i < count; ++i) lit.elems.push_back(value(row));
    let(array_of(Operand{const_i64(count)}, row), std::move(lit), "lit", true);
  } else if (kind < 75) {
    const Type row = some_type();
    const Operand width = size();
    const Type type = array_of(width, row);
    if (elements(type) * work_ > kMaxElements * 10) return;
    const Operand repeated = value(row);
    let(type, Replicate{{width}, repeated}, "rep", true);
  } else if (kind < 90) {
    // A size that depends on data.
    const Operand masked =
        binop(BinOpKind::kAnd, Prim::kI64, scalar(Prim::kI64), const_i64(7), "m");
    bound_[*as_name(masked)] = 7;
    array(prim(), masked);
  } else if (const Var* var = find_array()) {
    copy_of(*var);
  }
}

void Generator::view_stmt() {
  const Var* var = find_array();
  if (!var) return;
  const Name source = var->name;
  const Type type = var->type;
  not_fresh(source);
  const int kind = random_.below(100);
  if (type.rank() >= 2 && kind < 40) {
    Rearrange e{source, {}};
    Type result = scalar_type(type.elem);
    for (int k = 0; k < type.rank(); ++k) e.perm.push_back(k);
    for (size_t k = e.perm.size() - 1; k > 0; --k)
      std::swap(e.perm[k], e.perm[static_cast<size_t>(random_.below(static_cast<int>(k) + 1))]);
    for (int k : e.perm) result.shape.push_back(type.shape[static_cast<size_t>(k)]);
    let(result, std::move(e), "tr");
  } else if (type.rank() >= 2 && kind < 70) {
    // All dimensions in one.
    Operand total = const_i64(1);
    const int64_t most = elements(type);
    for (const Operand& dim : type.shape)
      total = binop(BinOpKind::kMul, Prim::kI64, total, dim, "m");
    bound_[*as_name(total)] = most;
    let(array_of(total, scalar_type(type.elem)), Reshape{source, {total}}, "flat");
  } else if (kind < 85) {
    // The same size under another name.
    const Name length = let(scalar_type(Prim::kI64), Opaque{type.shape[0]}, "len");
    bound_[length] = bound(type.shape[0]);
    Type result = type;
    result.shape[0] = length;
    let(result, Reshape{source, result.shape}, "same");
  } else {
    let(type, Value{source}, "alias");
  }
}

// An element or a row at an index that is made to fit, or checked.
void Generator::index_stmt() {
  const Var* var = find_array();
  if (!var) return;
  const Name source = var->name;
  const Type type = var->type;
  const Operand width = type.shape[0];
  const Type row = row_type(type);
  not_fresh(source);
  if (options_.failures && depth_ <= 2 && random_.chance(4)) {
    const Operand i = index();
    const Operand low = cmpop(CmpOpKind::kLe, Prim::kI64, const_i64(0), i);
    const Operand high = cmpop(CmpOpKind::kLt, Prim::kI64, i, width);
    const Operand both = binop(BinOpKind::kAnd, Prim::kBool, low, high, "c");
    const Name token = check(both, "index out of bounds");
    let(row, Index{source, {{.start = i}}}, "e", false, {token});
    return;
  }
  If branch;
  branch.cond = cmpop(CmpOpKind::kLt, Prim::kI64, const_i64(0), width);
  branch.then_body = body([&] {
    const Operand i = binop(BinOpKind::kMod, Prim::kI64, index(), width, "i");
    return std::vector<Operand>{let(row, Index{source, {{.start = i}}}, "e")};
  });
  branch.else_body = body([&] { return std::vector<Operand>{value(row)}; });
  let(row, std::move(branch), "e");
}

// The first half, backwards: with n/2 elements from n/2 - 1 down to 0.
void Generator::slice_stmt() {
  const Var* var = find_array();
  if (!var) return;
  const Name source = var->name;
  Type type = var->type;
  not_fresh(source);
  const Operand half = binop(BinOpKind::kShr, Prim::kI64, type.shape[0], const_i64(1), "half");
  bound_[*as_name(half)] = bound(type.shape[0]);
  DimSlice slice{.is_index = false, .count = half};
  const int kind = random_.below(3);
  if (kind == 0) {
    slice.start = binop(BinOpKind::kSub, Prim::kI64, half, const_i64(1), "last");
    slice.stride = const_i64(-1);
  } else if (kind == 1) {
    slice.stride = const_i64(2);
  } else {
    slice.start = half;
  }
  type.shape[0] = half;
  let(type, Index{source, {slice}}, "slice");
}

void Generator::flat_stmt() {
  const Prim elem = prim();
  const Name source = let(array_of(Operand{const_i64(12)}, scalar_type(elem)),
                          Replicate{{const_i64(12)}, scalar(elem)}, "twelve", true);
  const std::vector<FlatDim> dims = {{const_i64(3), const_i64(random_.between(0, 4))},
                                     {const_i64(2), const_i64(random_.between(1, 3))}};
  Type type = scalar_type(elem);
  for (const FlatDim& dim : dims) type.shape.push_back(dim.count);
  if (random_.chance(50)) {
    not_fresh(source);
    let(type, FlatIndex{source, const_i64(0), dims}, "window");
    return;
  }
  // Strides that hit every place at most once.
  const std::vector<FlatDim> apart = {{const_i64(3), const_i64(4)}, {const_i64(2), const_i64(1)}};
  const Operand written = value(type);
  env_.erase(
      std::find_if(env_.begin(), env_.end(), [&](const Var& v) { return v.name == source; }));
  let(array_of(Operand{const_i64(12)}, scalar_type(elem)),
      FlatUpdate{source, const_i64(1), apart, *as_name(written)}, "written", true);
}

void Generator::update_stmt() {
  const auto target = consumable();
  if (!target) return;
  const Operand width = target->type.shape[0];
  const Type row = row_type(target->type);
  If branch;
  branch.cond = cmpop(CmpOpKind::kLt, Prim::kI64, const_i64(0), width);
  branch.then_body = body([&] {
    const Operand i = binop(BinOpKind::kMod, Prim::kI64, index(), width, "i");
    const Operand written = value(row);
    return std::vector<Operand>{
        let(target->type, Update{target->name, {{.start = i}}, written}, "upd", true)};
  });
  branch.else_body = body([&] { return std::vector<Operand>{target->name}; });
  let(target->type, std::move(branch), "upd", true);
}

void Generator::concat_stmt() {
  const Var* first = find_array();
  if (!first) return;
  const Type type = first->type;
  std::vector<Name> arrays = {first->name};
  const int dim = random_.below(type.rank());
  const auto at = static_cast<size_t>(dim);
  for (int i = random_.below(3); i > 0; --i) {
    const Var* other = find_array([&](const Var& v) {
      Type same = v.type;
      if (same.rank() != type.rank()) return false;
      same.shape[at] = type.shape[at];
      return same == type;
    });
    if (other) arrays.push_back(other->name);
  }
  int64_t most = 0;
  Operand total = const_i64(0);
  for (Name name : arrays) {
    for (const Var& var : env_) {
      if (var.name != name) continue;
      most += bound(var.type.shape[at]);
      const Operand length = var.type.shape[at];
      total = binop(BinOpKind::kAdd, Prim::kI64, total, length, "m");
      break;
    }
  }
  bound_[*as_name(total)] = most;
  Type result = type;
  result.shape[at] = total;
  if (elements(result) * work_ > kMaxElements * 10) return;
  let(result, Concat{dim, total, std::move(arrays)}, "cat", true);
}

// ---- control

Name Generator::check(Operand cond, std::string words) {
  out_->set_loc(prog_.locs.add(fmt::format("random.fut:{}:1-9", random_.between(1, 99))));
  const Name token = out_->let1(token_type(), Assert{cond, {std::move(words), cond}}, "check");
  out_->set_loc({});
  return token;
}

void Generator::check_stmt() {
  const Operand n = size();
  Operand cond = cmpop(CmpOpKind::kLe, Prim::kI64, const_i64(0), n);
  if (options_.failures && depth_ <= 2 && random_.chance(15)) cond = scalar(Prim::kBool);
  const Name token = check(cond, "a check failed: ");
  const Prim type = prim();
  let(scalar_type(type), Value{scalar(type)}, "v", false, {token});
}

void Generator::if_stmt() {
  // Perhaps an array of a length that differs, then some values.
  std::vector<Param> pat;
  const bool has_array = random_.chance(40);
  const Prim elem = prim();
  std::vector<Type> types;
  for (int i = random_.between(1, 3); i > 0; --i) types.push_back(some_type());
  int64_t most = 1;
  const auto side = [&] {
    return body([&] {
      statements(random_.below(4));
      std::vector<Operand> results;
      if (has_array) {
        const Var* var =
            find_array([&](const Var& v) { return v.type.rank() == 1 && v.type.elem == elem; });
        Name name = var ? var->name : Name{};
        if (!name) name = array(elem, size());
        Operand length;
        for (const Var& v : env_)
          if (v.name == name) length = v.type.shape[0];
        not_fresh(name);
        most = std::max(most, bound(length));
        results = {length, name};
      }
      for (const Type& type : types) results.push_back(value(type));
      return results;
    });
  };
  If e{.cond = scalar(Prim::kBool)};
  e.then_body = side();
  e.else_body = side();
  if (has_array) {
    pat.push_back({.name = prog_.names.fresh("len"), .type = scalar_type(Prim::kI64)});
    bound_[pat[0].name] = most;
    pat.push_back(
        {.name = prog_.names.fresh("either"), .type = array_of(pat[0].name, scalar_type(elem))});
  }
  for (const Type& type : types) pat.push_back({.name = prog_.names.fresh("r"), .type = type});
  lets(std::move(pat), std::move(e), false);
}

void Generator::for_stmt() {
  const Operand bound_operand =
      random_.chance(50) ? size() : Operand{const_i64(random_.between(-1, 4))};
  if (!affordable(bound_operand)) return;
  Loop e;
  e.form = Loop::kFor;
  e.bound = bound_operand;
  const auto updated = random_.chance(50) ? consumable() : std::nullopt;
  std::vector<Type> types;
  for (int i = random_.between(1, 3); i > 0; --i) types.push_back(some_type());
  std::vector<Operand> inits;
  for (const Type& type : types) inits.push_back(value(type));
  std::vector<Param> pat;
  const auto add = [&](const Type& type, const Operand& init, bool unique) {
    e.params.push_back({{.name = prog_.names.fresh("p"), .type = type, .unique = unique}, init});
    pat.push_back({.name = prog_.names.fresh("r"), .type = type});
  };
  if (updated) add(updated->type, updated->name, true);
  for (size_t i = 0; i < types.size(); ++i) add(types[i], inits[i], false);
  e.var = {.name = prog_.names.fresh("i"), .type = scalar_type(Prim::kI64)};
  const int64_t outer_work = std::exchange(work_, work_ * bound(bound_operand));
  e.body = body([&] {
    env_.push_back({e.var.name, e.var.type, false});
    for (const LoopParam& p : e.params)
      if (!p.param.unique) env_.push_back({p.param.name, p.param.type, false});
    statements(random_.between(1, 4));
    std::vector<Operand> results;
    for (size_t i = 0; i < types.size(); ++i) results.push_back(value(types[i]));
    if (updated) {
      const Name array = e.params[0].param.name;
      const Operand width = updated->type.shape[0];
      const Type row = row_type(updated->type);
      const Operand next = value(row);
      If branch;
      branch.cond = cmpop(CmpOpKind::kLt, Prim::kI64, e.var.name, width);
      branch.then_body = body([&] {
        return std::vector<Operand>{
            let(updated->type, Update{array, {{.start = e.var.name}}, next}, "upd", true)};
      });
      branch.else_body = body([&] { return std::vector<Operand>{array}; });
      results.insert(results.begin(), let(updated->type, std::move(branch), "upd", true));
    }
    return results;
  });
  work_ = outer_work;
  lets(std::move(pat), std::move(e), false);
}

// An array that gets longer in every round.
void Generator::growing_loop_stmt() {
  const Prim elem = prim();
  const Operand length = size();
  if (bound(length) * work_ > 100) return;
  const Name init = array(elem, length);
  not_fresh(init);
  Loop e;
  e.bound = const_i64(random_.between(0, 3));
  const Param n = {.name = prog_.names.fresh("n"), .type = scalar_type(Prim::kI64)};
  const Param xs = {.name = prog_.names.fresh("xs"), .type = array_of(n.name, scalar_type(elem))};
  e.params = {{n, length}, {xs, init}};
  e.var = {.name = prog_.names.fresh("i"), .type = scalar_type(Prim::kI64)};
  const int64_t most = bound(length) * 8;
  e.body = body([&]() -> std::vector<Operand> {
    const Operand twice = binop(BinOpKind::kAdd, Prim::kI64, n.name, n.name, "twice");
    return {twice, let(array_of(twice, scalar_type(elem)), Concat{0, twice, {xs.name, xs.name}},
                       "longer", true)};
  });
  const Param m = {.name = prog_.names.fresh("m"), .type = scalar_type(Prim::kI64)};
  bound_[m.name] = most;
  lets({m, {.name = prog_.names.fresh("grown"), .type = array_of(m.name, scalar_type(elem))}},
       std::move(e), false);
}

void Generator::while_stmt() {
  if (!affordable(Operand{const_i64(4)})) return;
  const Prim type = prim();
  Loop e;
  e.form = Loop::kWhile;
  const Param go = {.name = prog_.names.fresh("go"), .type = scalar_type(Prim::kBool)};
  const Param i = {.name = prog_.names.fresh("i"), .type = scalar_type(Prim::kI64)};
  const Param x = {.name = prog_.names.fresh("x"), .type = scalar_type(type)};
  e.cond = go.name;
  e.params = {{go, scalar(Prim::kBool)}, {i, const_i64(0)}, {x, scalar(type)}};
  const int64_t outer_work = std::exchange(work_, work_ * 4);
  e.body = body([&]() -> std::vector<Operand> {
    for (const Param& p : {i, x}) env_.push_back({p.name, p.type, false});
    statements(random_.between(1, 3));
    const Operand next = binop(BinOpKind::kAdd, Prim::kI64, i.name, const_i64(1));
    const Operand more = cmpop(CmpOpKind::kLt, Prim::kI64, next, const_i64(random_.between(1, 4)));
    const Operand wanted = scalar(Prim::kBool);
    return {binop(BinOpKind::kAnd, Prim::kBool, more, wanted, "c"), next, scalar(type)};
  });
  work_ = outer_work;
  lets({{.name = prog_.names.fresh("done"), .type = go.type},
        {.name = prog_.names.fresh("count"), .type = i.type},
        {.name = prog_.names.fresh("r"), .type = x.type}},
       std::move(e), false);
}

void Generator::call_stmt() {
  if (prog_.functions.empty()) return;
  const Function& fn =
      prog_.functions[static_cast<size_t>(random_.below(static_cast<int>(prog_.functions.size())))];
  if (fn.name == "recursive") {
    const Type type = fn.results[0].type;
    const Operand depth = const_i64(random_.between(-1, 5));
    const Operand start = scalar(type.elem);
    let(type, Call{fn.name, {depth, start}}, "call");
    return;
  }
  if (work_ > 50) return;
  const Operand n = size();
  if (fn.name == "recursive_rows") {
    const Name xs = array(Prim::kI64, n);
    const Name length = prog_.names.fresh("length"), rows = prog_.names.fresh("rows");
    bound_[length] = bound(n);
    not_fresh(xs);
    lets({{.name = length, .type = scalar_type(Prim::kI64)},
          {.name = rows, .type = array_of(length, scalar_type(Prim::kI64))}},
         Call{fn.name, {const_i64(random_.between(-1, 3)), n, xs}}, false);
    return;
  }
  Call e{fn.name, {n}};
  Name xs = array(fn.params[1].type.elem, n);
  if (fn.params[1].unique) {
    Type type = array_of(n, scalar_type(fn.params[1].type.elem));
    xs = let(type, Copy{xs}, "copy", true);
    env_.pop_back();
  }
  e.args.push_back(xs);
  for (size_t i = 2; i < fn.params.size(); ++i) e.args.push_back(scalar(fn.params[i].type.elem));
  std::vector<Param> pat;
  for (const Ret& ret : fn.results) {
    Type type = ret.type;
    for (Operand& dim : type.shape)
      if (dim == Operand{fn.params[0].name}) dim = n;
    pat.push_back({.name = prog_.names.fresh("call"), .type = std::move(type)});
  }
  if (!fn.params[1].unique) not_fresh(xs);
  lets(std::move(pat), std::move(e), false);
}

}  // namespace skald::core::detail
