// SPDX-License-Identifier: Apache-2.0
// Names, scopes, types, functions and statements.  Read next: verify_exp.cpp.
#include "core/verify/verify.h"

#include "core/ir/visit.h"
#include "core/verify/verifier.h"
#include "support/bug.h"

namespace skald::core {

namespace detail {

void Problems::add_text(const std::string& what) {
  std::string where = function ? function->name : "program";
  if (stmt) {
    std::string line = print(*stmt, prog_);
    // The statement itself, without its bodies.
    const size_t let = line.find("let {");
    if (let != std::string::npos) line.erase(0, let);
    for (size_t at = 0; at < line.size(); ++at) {
      if (line[at] != '\n') continue;
      const size_t next = line.find_first_not_of(" \n", at);
      line.replace(at, (next == std::string::npos ? line.size() : next) - at, " ");
    }
    constexpr size_t kMaxLength = 120;
    if (line.size() > kMaxLength) line = line.substr(0, kMaxLength) + "…";
    where += ": " + line;
  }
  found_.push_back(where + ": " + what);
}

// ---- names and scopes

void Verifier::leave(size_t mark) {
  while (scope_.size() > mark) {
    known_[scope_.back().id].type = nullptr;
    scope_.pop_back();
  }
}

void Verifier::bind(Name name, const Type& type) {
  if (!name || name.id >= known_.size()) {
    problems_.add("binds a name ({}) that is not in the program's table", name.id);
    return;
  }
  Known& known = known_[name.id];
  if (known.bound) problems_.add("{} is bound a second time", prog_.names.text(name));
  if (known.type) return;
  known = {.type = &type, .bound = true};
  scope_.push_back(name);
}

void Verifier::bind_and_check(const std::vector<Param>& params) {
  for (const Param& p : params) bind(p.name, p.type);
  for (const Param& p : params) {
    check_type(p.type);
    check_mem(p);
  }
}

Operand Verifier::resolve(Operand o) const {
  // A copy is bound after what it copies, so there are no cycles.
  while (const Name* name = as_name(o)) {
    if (name->id >= known_.size()) break;
    const Operand& original = known_[name->id].copy_of;
    if (original == Operand{Name{}}) break;
    o = original;
  }
  return o;
}

// ---- types

const Type* Verifier::type_of(const Operand& o) {
  if (const Name* name = as_name(o)) return type_of(*name);
  static const std::vector<Type> kScalars = [] {
    std::vector<Type> types;
    for (Prim p : kAllPrims) types.push_back(scalar_type(p));
    return types;
  }();
  return &kScalars[static_cast<size_t>(as_const(o)->type)];
}

const Type* Verifier::type_of(Name name) {
  if (in_scope(name)) {
    const Type* type = known_[name.id].type;
    check_space(*type, prog_.names.text(name));
    return type;
  }
  problems_.add("{} is not in scope", prog_.names.text(name));
  return nullptr;
}

void Verifier::check_space(const Type& type, std::string_view what) {
  const bool lies_somewhere = type.is_array() || type.kind == Type::kMem;
  if (kernel_space_ && lies_somewhere && type.space != *kernel_space_)
    problems_.add("{} of type {} in a kernel that runs on {}", what, text(type),
                  space_name(*kernel_space_));
}

void Verifier::check_type(const Type& type) {
  if (type.space != Space::kHost) {
    if (prog_.stage == Stage::kSoacs) problems_.add("a space before stage kernels");
    if (!type.is_array() && type.kind != Type::kMem) problems_.add("{} in a space", text(type));
  }
  check_space(type, "a value");
  if (type.kind == Type::kMem && prog_.stage != Stage::kMemory)
    problems_.add("type mem before stage memory");
  if (type.kind == Type::kAcc && prog_.stage != Stage::kSoacs)
    problems_.add("an accumulator after stage soacs");
  if ((type.kind == Type::kToken || type.kind == Type::kMem) && !type.shape.empty())
    problems_.add("{} with a shape", text(type));
  if (type.kind != Type::kAcc && !type.acc_elems.empty())
    problems_.add("{} with elements of an accumulator", text(type));
  expect_i64(type.shape, "a size");
  for (const Type& elem : type.acc_elems) check_type(elem);
}

void Verifier::check_mem(const Param& param) {
  if (prog_.stage != Stage::kMemory || !param.type.is_array()) {
    if (!param.mem.empty()) problems_.add("{} has a place", prog_.names.text(param.name));
    return;
  }
  if (param.mem.size() != 1) {
    problems_.add("the array {} has {} places", prog_.names.text(param.name), param.mem.size());
    return;
  }
  const MemLoc& mem = param.mem[0];
  expect(mem.block, mem_type(param.type.space), "the block");
  expect(mem.offset, Prim::kI64, "the offset");
  expect_i64(mem.strides, "a stride");
  if (!mem.strides.empty() && mem.strides.size() != param.type.shape.size())
    problems_.add("{} has {} strides", prog_.names.text(param.name), mem.strides.size());
}

bool Verifier::same_shape(const std::vector<Operand>& a, const std::vector<Operand>& b) const {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!same_operand(a[i], b[i])) return false;
  return true;
}

bool Verifier::same_type(const Type& a, const Type& b, const Substitution& subst) const {
  if (a.kind != b.kind || a.acc_elems.size() != b.acc_elems.size()) return false;
  if (a.space != b.space) return false;
  if (a.kind == Type::kArray && a.elem != b.elem) return false;
  if (subst.empty()) {
    if (!same_shape(a.shape, b.shape)) return false;
  } else {
    std::vector<Operand> shape = b.shape;
    for (Operand& dim : shape) substitute(dim, subst);
    if (!same_shape(a.shape, shape)) return false;
  }
  for (size_t i = 0; i < a.acc_elems.size(); ++i)
    if (!same_type(a.acc_elems[i], b.acc_elems[i], subst)) return false;
  return true;
}

void Verifier::expect(const Operand& o, const Type& type, std::string_view what) {
  const Type* actual = type_of(o);
  if (actual && !same_type(*actual, type))
    problems_.add("{} {} has type {}, expected {}", what, text(o), text(*actual), text(type));
}

const Type* Verifier::array_type(Name name) {
  const Type* type = type_of(name);
  if (!type || type->is_array()) return type;
  problems_.add("{} is not an array but {}", prog_.names.text(name), text(*type));
  return nullptr;
}

void Verifier::match(const std::vector<Type>& actual, const std::vector<Type>& expected,
                     std::string_view what) {
  if (actual.size() != expected.size()) {
    problems_.add("{}: {} instead of {}", what, actual.size(), expected.size());
    return;
  }
  for (size_t i = 0; i < actual.size(); ++i)
    if (!same_type(actual[i], expected[i]))
      problems_.add("{}: number {} has type {}, expected {}", what, i, text(actual[i]),
                    text(expected[i]));
}

// ---- functions, bodies, lambdas

void Verifier::program() {
  std::unordered_set<std::string_view> names, entries;
  for (const Function& fn : prog_.functions) {
    problems_.function = &fn;
    if (!names.insert(fn.name).second) problems_.add("a second function of this name");
    if (fn.entry && !entries.insert(fn.entry->name).second)
      problems_.add("a second entry point of this name");
    function(fn);
  }
  problems_.function = nullptr;
}

void Verifier::function(const Function& fn) {
  const size_t outside = mark();
  bind_and_check(fn.params);
  rets(fn.results);
  body(fn.body);
  problems_.stmt = nullptr;
  results(fn.body.result, fn.results);
  leave(outside);
  if (fn.entry) entry(fn);
}

void Verifier::entry(const Function& fn) {
  const auto agree = [](const auto& values, int sizes, const std::vector<EntryValue>& described) {
    int expected = sizes, actual = 0;
    for (const EntryValue& value : described) expected += value.count;
    for (const auto& value : values)
      if (value.type.kind != Type::kMem) ++actual;
    return expected == actual;
  };
  if (!agree(fn.params, fn.entry->sizes, fn.entry->params))
    problems_.add("the entry point's parameters do not add up to the function's");
  if (!agree(fn.results, fn.entry->result_sizes, fn.entry->results))
    problems_.add("the entry point's results do not add up to the function's");
  std::optional<Space> space;
  const auto check = [&](const auto& values) {
    for (const auto& value : values) {
      if (!value.type.is_array()) continue;
      if (!space) space = value.type.space;
      if (value.type.space != *space || *space > Space::kDevice0)
        problems_.add("the entry point has an array of type {}; all are on the host or on device 0",
                      text(value.type));
    }
  };
  check(fn.params);
  check(fn.results);
}

// Types of results may mention what is outside and the names of other results.
void Verifier::rets(const std::vector<Ret>& rets) {
  const size_t outside = mark();
  for (const Ret& ret : rets)
    if (ret.name) bind(ret.name, ret.type);
  for (const Ret& ret : rets) check_type(ret.type);
  leave(outside);
}

void Verifier::body(const Body& body) {
  for (const Stmt& s : body.stmts) {
    if (problems_.full()) return;
    stmt(s);
  }
}

void Verifier::results(const std::vector<Operand>& actual, const std::vector<Type>& types,
                       const std::vector<Name>& names, std::string_view what) {
  if (actual.size() != types.size()) {
    problems_.add("{}: {} instead of {}", what, actual.size(), types.size());
    return;
  }
  Substitution subst;
  for (size_t i = 0; i < actual.size(); ++i)
    if (names[i]) subst[names[i]] = actual[i];
  for (size_t i = 0; i < actual.size(); ++i) {
    const Type* type = type_of(actual[i]);
    if (type && !same_type(*type, types[i], subst))
      problems_.add("{}: {} has type {}, expected {}", what, text(actual[i]), text(*type),
                    text(types[i]));
  }
}

void Verifier::results(const std::vector<Operand>& actual, const std::vector<Ret>& rets) {
  std::vector<Type> types;
  std::vector<Name> names;
  for (const Ret& ret : rets) {
    types.push_back(ret.type);
    names.push_back(ret.name);
  }
  results(actual, types, names, "results");
}

void Verifier::lambda(const Lambda& fn, const std::vector<Type>& args, std::string_view what) {
  const Stmt* stmt = problems_.stmt;
  // Before the parameters: a result's type must mean something outside.
  rets(fn.results);
  const size_t outside = mark();
  bind_and_check(fn.params);
  std::vector<Type> params;
  for (const Param& p : fn.params) params.push_back(p.type);
  match(params, args, fmt::format("parameters of {}", what));
  body(fn.body);
  problems_.stmt = stmt;
  results(fn.body.result, fn.results);
  leave(outside);
}

std::vector<Type> Verifier::types_of(const std::vector<Ret>& rets, size_t from, size_t count) {
  std::vector<Type> types;
  for (size_t i = from; i < rets.size() && types.size() < count; ++i) types.push_back(rets[i].type);
  return types;
}

void Verifier::expect_no_names(const std::vector<Ret>& rets) {
  for (const Ret& ret : rets)
    if (ret.name) problems_.add("the result {} has a name", prog_.names.text(ret.name));
}

void Verifier::stmt(const Stmt& stmt) {
  const Stmt* outer = problems_.stmt;
  const std::vector<Param>* outer_pat = pat_;
  problems_.stmt = &stmt;
  pat_ = &stmt.pat;
  for (Name token : stmt.tokens) expect(token, token_type(), "the token");
  const std::optional<Types> types = exp(stmt);
  pat_ = outer_pat;
  problems_.stmt = &stmt;
  bind_and_check(stmt.pat);
  if (types) {
    Types pattern;
    for (const Param& p : stmt.pat) pattern.push_back(p.type);
    match(pattern, *types, "the pattern");
  }
  if (const Value* value = as<Value>(stmt.exp); value && stmt.pat.size() == 1)
    if (stmt.pat[0].name.id < known_.size()) known_[stmt.pat[0].name.id].copy_of = value->arg;
  problems_.stmt = outer;
}

}  // namespace detail

std::vector<std::string> verify(const Program& prog) {
  detail::Problems problems(prog);
  detail::Verifier(prog, problems).program();
  std::vector<std::string> found = problems.take();
  if (found.empty()) {
    prog.stage == Stage::kMemory ? detail::check_memory(prog, problems)
                                 : detail::check_consumption(prog, problems);
    found = problems.take();
  }
  return found;
}

void verify_or_bug(const Program& prog, std::string_view when) {
  const std::vector<std::string> problems = verify(prog);
  if (problems.empty()) return;
  std::string text;
  for (size_t i = 0; i < problems.size() && i < 5; ++i) text += "\n  " + problems[i];
  SKALD_BUG("the program is not well formed {}:{}", when, text);
}

}  // namespace skald::core
