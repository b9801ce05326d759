// SPDX-License-Identifier: Apache-2.0
// Values, bodies, the choice of statements, and functions.
#include "core/random/generator.h"

#include <limits>

namespace skald::core {

Program random_program(uint64_t seed, const RandomOptions& options) {
  return detail::Generator(seed, options).run();
}

namespace detail {

// ---- what is in scope

Name Generator::bind(const Type& type, std::string_view base, bool fresh) {
  const Name name = prog_.names.fresh(base);
  env_.push_back({name, type, fresh});
  return name;
}

Name Generator::let(Type type, Exp exp, std::string_view base, bool fresh,
                    std::vector<Name> tokens) {
  const Name name = out_->let1(type, std::move(exp), base, std::move(tokens));
  env_.push_back({name, std::move(type), fresh});
  return name;
}

std::vector<Name> Generator::lets(std::vector<Param> pat, Exp exp, bool fresh) {
  std::vector<Name> names;
  for (const Param& p : pat) {
    names.push_back(p.name);
    if (p.type.kind == Type::kArray) env_.push_back({p.name, p.type, fresh});
  }
  out_->let_pat(std::move(pat), std::move(exp));
  return names;
}

Param Generator::param(const Type& type, std::string_view base, bool fresh) {
  return {.name = bind(type, base, fresh), .type = type};
}

void Generator::not_fresh(Name name) {
  for (Var& var : env_)
    if (var.name == name) var.fresh = false;
}

Name Generator::copy_of(const Var& var) {
  const Type type = var.type;
  const Name source = var.name;
  return let(type, Copy{source}, "copy", true);
}

std::optional<Generator::Var> Generator::consumable() {
  std::vector<size_t> found;
  for (size_t i = body_begin_; i < env_.size(); ++i)
    if (env_[i].type.is_array() && env_[i].fresh) found.push_back(i);
  if (found.empty() || random_.chance(30)) {
    const Var* var = find_array();
    if (!var) return std::nullopt;
    copy_of(*var);
    found = {env_.size() - 1};
  }
  const size_t at = random_.pick(found);
  Var var = env_[at];
  env_.erase(env_.begin() + static_cast<ptrdiff_t>(at));
  return var;
}

// ---- values

Prim Generator::prim() {
  // Mostly the common ones, so that values meet.
  constexpr Prim kCommon[] = {Prim::kI32, Prim::kI64, Prim::kF32, Prim::kBool};
  return random_.chance(70) ? kCommon[random_.below(4)]
                            : kAllPrims[static_cast<size_t>(random_.below(12))];
}

Prim Generator::int_prim() {
  return random_.chance(60) ? Prim::kI32 : kAllPrims[static_cast<size_t>(random_.between(1, 8))];
}

Const Generator::constant(Prim type) {
  if (type == Prim::kBool) return const_bool(random_.chance(50));
  if (is_float(type)) {
    if (random_.chance(85)) return const_float(type, random_.between(-8, 16) * 0.5);
    constexpr double kSpecial[] = {-0.0,
                                   1e-7,
                                   65504,
                                   3e38,
                                   1e300,
                                   0.1,
                                   std::numeric_limits<double>::infinity(),
                                   -std::numeric_limits<double>::infinity(),
                                   std::numeric_limits<double>::quiet_NaN()};
    return const_float(type, kSpecial[random_.below(9)]);
  }
  if (random_.chance(85)) return const_int(type, random_.between(-3, 9));
  return const_int(type, static_cast<int64_t>(random_.next() >> random_.below(64)));
}

Operand Generator::scalar(Prim type) {
  std::vector<Name> found;
  for (const Var& var : env_)
    if (var.type == scalar_type(type)) found.push_back(var.name);
  if (found.empty() || random_.chance(20)) return constant(type);
  // Prefer what was computed last, so that less is dead.
  const size_t last = found.size() > 4 && random_.chance(60) ? found.size() - 4 : 0;
  return found[last + static_cast<size_t>(random_.below(static_cast<int>(found.size() - last)))];
}

Operand Generator::value(const Type& type) {
  if (type.is_scalar()) return scalar(type.elem);
  if (const Var* var = find_array([&](const Var& v) { return v.type == type; })) {
    // It may come to be shared.
    const Name name = var->name;
    not_fresh(name);
    return name;
  }
  return let(type, Replicate{type.shape, scalar(type.elem)}, "rep");
}

int64_t Generator::bound(const Operand& size) const {
  if (const Const* c = as_const(size)) return std::max<int64_t>(1, int_value(*c));
  const auto found = bound_.find(*as_name(size));
  return found == bound_.end() ? kMaxElements : found->second;
}

int64_t Generator::elements(const Type& type) const {
  int64_t count = 1;
  for (const Operand& dim : type.shape) count = std::min(count * bound(dim), 10 * kMaxElements);
  return count;
}

// A size at hand: never negative.
Operand Generator::size() {
  std::vector<Operand> found = {const_i64(random_.below(6))};
  for (const Var& var : env_) {
    if (var.type.kind != Type::kArray) continue;
    for (const Operand& dim : var.type.shape) found.push_back(dim);
    if (bound_.contains(var.name)) found.push_back(var.name);
  }
  const Operand size = random_.pick(found);
  return bound(size) <= 64 ? size : Operand{const_i64(random_.below(6))};
}

// An i64, often near the beginning of arrays.
Operand Generator::index() {
  if (random_.chance(50)) return const_i64(random_.between(-1, 4));
  return scalar(Prim::kI64);
}

Type Generator::some_type() {
  Type type = scalar_type(prim());
  if (random_.chance(25)) {
    type.shape.push_back(size());
    if (elements(type) * work_ > kMaxElements) type.shape.clear();
  }
  return type;
}

// A one-dimensional array of the given width.
Name Generator::array(Prim elem, const Operand& width) {
  const Type type = array_of(width, scalar_type(elem));
  if (const Var* var = find_array([&](const Var& v) { return v.type == type; })) return var->name;
  if (is_int(elem) && random_.chance(80))
    return let(type, Iota{elem, width, scalar(elem), constant(elem)}, "iota", true);
  return let(type, Replicate{{width}, scalar(elem)}, "rep", true);
}

Operand Generator::binop(BinOpKind op, Prim type, Operand lhs, Operand rhs, std::string_view base) {
  return let(scalar_type(type), BinOp{op, type, lhs, rhs}, base);
}
Operand Generator::cmpop(CmpOpKind op, Prim type, Operand lhs, Operand rhs) {
  return let(scalar_type(Prim::kBool), CmpOp{op, type, lhs, rhs}, "c");
}

// ---- bodies

std::vector<std::pair<Operand, Type>> Generator::choose(int count, uint32_t start) {
  const auto is_outer = [&](const Type& type) {
    for (const Operand& dim : type.shape)
      if (const Name* name = as_name(dim); name && name->id >= start) return false;
    return type.kind == Type::kArray;
  };
  std::vector<const Var*> inner;
  for (size_t i = body_begin_; i < env_.size(); ++i)
    if (is_outer(env_[i].type)) inner.push_back(&env_[i]);
  std::vector<std::pair<Operand, Type>> chosen;
  for (int i = 0; i < count; ++i) {
    if (inner.empty() || random_.chance(10)) {
      const Prim type = prim();
      chosen.emplace_back(scalar(type), scalar_type(type));
      continue;
    }
    const size_t late = inner.size() > 3 && random_.chance(70) ? inner.size() - 3 : 0;
    const Var* var =
        inner[late + static_cast<size_t>(random_.below(static_cast<int>(inner.size() - late)))];
    chosen.emplace_back(var->name, var->type);
  }
  return chosen;
}

Lambda Generator::lambda(std::vector<Param> params, int results, const std::vector<Type>& first) {
  Lambda fn;
  const uint32_t start = prog_.names.size() - static_cast<uint32_t>(params.size());
  fn.body = body([&] {
    for (const Param& p : params)
      if (p.type.kind == Type::kArray) env_.push_back({p.name, p.type, false});
    statements(random_.between(1, 4));
    std::vector<Operand> values;
    for (const Type& type : first) {
      values.push_back(value(type));
      fn.results.push_back({.type = type});
    }
    for (auto& [operand, type] : choose(results, start)) {
      values.push_back(operand);
      fn.results.push_back({.type = type});
    }
    return values;
  });
  fn.params = std::move(params);
  return fn;
}

void Generator::statements(int count) {
  for (int i = 0; i < count && budget_ > 0; ++i) statement();
}

void Generator::statement() {
  --budget_;
  struct Choice {
    int weight;
    void (Generator::*make)();
  };
  static constexpr Choice kSimple[] = {
      {40, &Generator::scalar_stmt}, {12, &Generator::index_stmt}, {10, &Generator::new_array_stmt},
      {8, &Generator::view_stmt},    {6, &Generator::update_stmt}, {4, &Generator::slice_stmt},
      {4, &Generator::concat_stmt},  {2, &Generator::flat_stmt},   {2, &Generator::check_stmt},
      {6, &Generator::call_stmt},
  };
  static constexpr Choice kNested[] = {
      {24, &Generator::map_stmt},         {14, &Generator::soac_stmt},
      {6, &Generator::if_stmt},           {5, &Generator::for_stmt},
      {3, &Generator::while_stmt},        {5, &Generator::hist_stmt},
      {5, &Generator::scatter_stmt},      {5, &Generator::partition_stmt},
      {3, &Generator::flatmap_stmt},      {4, &Generator::with_acc_stmt},
      {2, &Generator::growing_loop_stmt},
  };
  const auto choose_from = [&](const auto& choices) {
    int total = 0;
    for (const Choice& c : choices) total += c.weight;
    int at = random_.below(total);
    for (const Choice& c : choices) {
      at -= c.weight;
      if (at < 0) return (this->*c.make)();
    }
  };
  if (depth_ < kMaxDepth && random_.chance(depth_ <= 1 ? 45 : 25))
    choose_from(kNested);
  else
    choose_from(kSimple);
}

// ---- functions

// A function of scalars and an array, called from main.
void Generator::helper_function(int number) {
  Function fn;
  fn.name = fmt::format("helper{}", number);
  env_.clear();
  bound_.clear();
  const Name n = bind(scalar_type(Prim::kI64), "n", false);
  bound_[n] = 64;
  fn.params.push_back({.name = n, .type = scalar_type(Prim::kI64)});
  const bool unique = random_.chance(40);
  const Param xs = {
      .name = prog_.names.fresh("xs"), .type = array_of(n, scalar_type(prim())), .unique = unique};
  fn.params.push_back(xs);
  for (int i = random_.below(3); i > 0; --i) fn.params.push_back(param(scalar_type(prim()), "x"));
  const uint32_t start = prog_.names.size();
  // Its callers may be deep inside maps.
  work_ = 50;
  budget_ = 6;
  fn.body = body([&] {
    env_.push_back({xs.name, xs.type, unique});
    statements(5);
    std::vector<Operand> results;
    for (auto& [operand, type] : choose(random_.between(1, 2), start)) {
      results.push_back(operand);
      fn.results.push_back({.type = type});
    }
    return results;
  });
  work_ = 1;
  if (random_.chance(30)) fn.hints.inlining = Inlining::kNever;
  prog_.functions.push_back(std::move(fn));
}

// count (k, x) = if k <= 0 then x else count (k - 1, … x …)
void Generator::recursive_function() {
  Function fn;
  fn.name = "recursive";
  const Prim type = prim();
  env_.clear();
  bound_.clear();
  fn.params = {param(scalar_type(Prim::kI64), "k"), param(scalar_type(type), "x")};
  fn.results = {{.type = scalar_type(type)}};
  const Operand k = fn.params[0].name, x = fn.params[1].name;
  fn.body = body([&]() -> std::vector<Operand> {
    const Operand stop = cmpop(CmpOpKind::kLe, Prim::kI64, k, const_i64(0));
    If branch{.cond = stop};
    branch.then_body = body([&] { return std::vector<Operand>{x}; });
    branch.else_body = body([&] {
      budget_ = 3;
      work_ = 200;
      statements(3);
      work_ = 1;
      const Operand less = binop(BinOpKind::kSub, Prim::kI64, k, const_i64(1));
      const Name again = let(scalar_type(type), Call{"recursive", {less, scalar(type)}}, "again");
      return std::vector<Operand>{again};
    });
    return {let(scalar_type(type), std::move(branch), "r")};
  });
  prog_.functions.push_back(std::move(fn));
}

// halves (k, n, xs) = if k <= 0 then xs else halves of one class ++ halves of the other
void Generator::recursive_rows() {
  const Type i64 = scalar_type(Prim::kI64);
  const auto name = [&](std::string_view base) { return prog_.names.fresh(base); };
  const Name k = name("k"), n = name("n"), xs = name("xs"), m = name("m");
  Function fn;
  fn.name = "recursive_rows";
  fn.params = {{k, i64}, {n, i64}, {xs, array_of(n, i64)}};
  fn.results = {{m, i64}, {{}, array_of(m, i64)}};
  Builder code(prog_), on(prog_);
  const Operand stop = code.cmpop(CmpOpKind::kLe, Prim::kI64, k, const_i64(0));
  // A mask of 3 drops the elements of two more classes.
  Partition split{.width = n, .classes = 2, .inputs = {xs}, .fn = {}};
  const Name x = name("x");
  split.fn.params = {{x, i64}};
  split.fn.results = {{{}, i64}, {{}, i64}};
  Builder each(prog_);
  const int64_t mask = random_.chance(50) ? 1 : 3;
  const Operand side = each.binop(BinOpKind::kAnd, Prim::kI64, x, const_i64(mask));
  const Operand next =
      each.binop(BinOpKind::kAdd, Prim::kI64, x, const_i64(random_.between(-3, 3)));
  split.fn.body = each.finish({side, next});
  const Name sizes[2] = {name("size"), name("size")}, parts[2] = {name("part"), name("part")};
  on.let_pat({{sizes[0], i64},
              {sizes[1], i64},
              {parts[0], array_of(sizes[0], i64)},
              {parts[1], array_of(sizes[1], i64)}},
             std::move(split));
  const Operand less = on.binop(BinOpKind::kSub, Prim::kI64, k, const_i64(1));
  Name lengths[2], rows[2];
  for (int c = 0; c < 2; ++c) {
    lengths[c] = name("length");
    rows[c] = name("rows");
    on.let_pat({{lengths[c], i64}, {rows[c], array_of(lengths[c], i64)}},
               Call{fn.name, {less, sizes[c], parts[c]}});
  }
  const Operand both = on.binop(BinOpKind::kAdd, Prim::kI64, lengths[0], lengths[1]);
  const Name joined = on.let1(array_of(both, i64), Concat{0, both, {rows[0], rows[1]}}, "joined");
  const Name size = name("size"), result = name("result");
  code.let_pat({{size, i64}, {result, array_of(size, i64)}},
               If{stop, Body({}, {n, xs}), on.finish({both, joined})});
  fn.body = code.finish({size, result});
  prog_.functions.push_back(std::move(fn));
}

void Generator::main_function() {
  Function fn;
  fn.name = "main";
  fn.entry = EntryPoint{.name = "main"};
  env_.clear();
  bound_.clear();
  const int sizes = random_.between(1, 2);
  for (int i = 0; i < sizes; ++i) {
    fn.params.push_back(param(scalar_type(Prim::kI64), "n"));
    bound_[fn.params.back().name] = 9;
  }
  fn.entry->sizes = sizes;
  for (int i = random_.between(2, 5); i > 0; --i) {
    Type type = scalar_type(prim());
    for (int rank = random_.below(3); rank > 0; --rank)
      type.shape.push_back(fn.params[static_cast<size_t>(random_.below(sizes))].name);
    const bool unique = type.is_array() && random_.chance(30);
    fn.params.push_back({.name = prog_.names.fresh("p"), .type = type, .unique = unique});
    std::string text;
    for (int k = 0; k < type.rank(); ++k) text += "[]";
    fn.entry->params.push_back({.name = fmt::format("p{}", i),
                                .type = text + std::string(prim_name(type.elem)),
                                .unique = unique});
  }
  budget_ = options_.size;
  work_ = 1;
  fn.body = body([&] {
    for (size_t i = static_cast<size_t>(sizes); i < fn.params.size(); ++i)
      env_.push_back({fn.params[i].name, fn.params[i].type, fn.params[i].unique});
    while (budget_ > 0) statement();
    // Results: what was made last.  Sizes that are not parameters come first, with names.
    std::vector<Operand> values, lengths;
    std::vector<Ret> rets, length_rets;
    std::unordered_map<Name, Name> ret_names;
    std::vector<Var> candidates(env_.begin() + static_cast<ptrdiff_t>(body_begin_), env_.end());
    for (int i = random_.between(2, 5); i > 0 && !candidates.empty(); --i) {
      const int range = std::min<int>(static_cast<int>(candidates.size()), 8);
      const size_t at = candidates.size() - 1 - static_cast<size_t>(random_.below(range));
      Var var = candidates[at];
      candidates.erase(candidates.begin() + static_cast<ptrdiff_t>(at));
      std::string text;
      for (Operand& dim : var.type.shape) {
        text += "[]";
        const Name* name = as_name(dim);
        if (!name) continue;
        bool is_param = false;
        for (const Param& p : fn.params) is_param = is_param || p.name == *name;
        if (is_param) continue;
        const auto [place, is_new] = ret_names.try_emplace(*name, Name{});
        if (is_new) {
          place->second = prog_.names.fresh("size");
          lengths.push_back(*name);
          length_rets.push_back({.name = place->second, .type = scalar_type(Prim::kI64)});
        }
        dim = place->second;
      }
      values.push_back(var.name);
      fn.entry->results.push_back({.type = text + std::string(prim_name(var.type.elem))});
      rets.push_back({.type = var.type});
    }
    fn.entry->result_sizes = static_cast<int>(lengths.size());
    fn.results = std::move(length_rets);
    fn.results.insert(fn.results.end(), rets.begin(), rets.end());
    lengths.insert(lengths.end(), values.begin(), values.end());
    return lengths;
  });
  prog_.functions.push_back(std::move(fn));
}

Program Generator::run() {
  const int helpers = random_.below(3);
  for (int i = 0; i < helpers; ++i) helper_function(i);
  if (random_.chance(30)) recursive_function();
  if (random_.chance(20)) recursive_rows();
  main_function();
  return std::move(prog_);
}

}  // namespace detail

}  // namespace skald::core
