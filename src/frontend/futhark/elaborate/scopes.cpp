// SPDX-License-Identifier: Apache-2.0
// Blocks of statements: building them, moving sizes out of them, places, checks, sharing.
#include <algorithm>

#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/sharing.h"
#include "core/ir/visit.h"
#include "frontend/futhark/elaborate/elab.h"

namespace skald::futhark::elab {

Elaborator::AtPlace::AtPlace(Elaborator& e, Span span) : e_(e), old_(e.loc_) {
  if (!span.known()) return;
  e.loc_ = e.place(span);
  if (e.scope_) e.b().set_loc(e.loc_);
}

Elaborator::AtPlace::~AtPlace() {
  e_.loc_ = old_;
  if (e_.scope_) e_.b().set_loc(old_);
}

core::Loc Elaborator::place(Span span) {
  auto key = std::make_tuple(span.file.index, span.begin, span.end, caller_.index);
  auto [it, fresh] = places_.try_emplace(key);
  if (fresh) it->second = prog_.locs.add(sources_.describe_range(span), caller_, function_at(span));
  return it->second;
}

void Elaborator::name_body(const std::string& name, const Exp& body) {
  if (!body.span.known()) return;
  bodies_.try_emplace({body.span.file.index, body.span.begin}, NamedBody{body.span.end, name});
}

std::string Elaborator::function_at(Span span) const {
  // Texts of functions lie inside each other or apart.
  for (auto at = bodies_.upper_bound({span.file.index, span.begin}); at != bodies_.begin();) {
    --at;
    if (at->first.first != span.file.index) break;
    if (at->second.end >= span.end) return at->second.name;
  }
  return {};
}

Block Elaborator::block(std::vector<core::Param> params, const std::function<ValuePtr()>& f) {
  Scope inner{core::Builder(prog_), std::move(params), scope_};
  inner.builder.set_loc(loc_);
  scope_ = &inner;
  size_t log = size_log_.size();
  const core::Hints hints = std::exchange(hints_, {});
  Block out;
  out.value = f();
  hints_ = hints;
  size_log_.resize(std::min(log, size_log_.size()));
  out.stmts = std::move(inner.builder.finish({}).stmts);
  out.params = std::move(inner.params);
  scope_ = inner.parent;
  return out;
}

Block Elaborator::open_block(const std::function<ValuePtr()>& f) {
  Scope inner{core::Builder(prog_), {}, scope_};
  inner.builder.set_loc(loc_);
  scope_ = &inner;
  Block out;
  out.value = f();
  out.stmts = std::move(inner.builder.finish({}).stmts);
  scope_ = inner.parent;
  return out;
}

void Elaborator::extend(Block& block, const std::function<ValuePtr()>& f) {
  Scope inner{core::Builder(prog_), block.params, scope_};
  inner.builder.set_loc(loc_);
  for (auto& stmt : block.stmts) inner.builder.append(std::move(stmt));
  scope_ = &inner;
  block.value = f();
  block.stmts = std::move(inner.builder.finish({}).stmts);
  scope_ = inner.parent;
}

void Elaborator::splice(std::vector<core::Stmt> stmts) {
  for (auto& stmt : stmts) b().append(std::move(stmt));
}

std::unordered_set<Name> Elaborator::bound_names(const Block& block) {
  std::unordered_set<Name> names;
  for (const auto& p : block.params) names.insert(p.name);
  for (const auto& stmt : block.stmts)
    for (const auto& p : stmt.pat) names.insert(p.name);
  return names;
}

static bool is_movable(const core::Exp& exp, bool checks) {
  using namespace core;
  if (as<Update>(exp) || as<FlatUpdate>(exp) || as<Scatter>(exp) || as<Hist>(exp) ||
      as<WithAcc>(exp) || as<UpdateAcc>(exp))
    return false;
  return checks || !as<Assert>(exp);
}

bool Elaborator::hoist(Block& block, std::unordered_set<Name>& inner, Name name, bool checks) {
  std::unordered_map<Name, size_t> bound_at;
  for (size_t i = 0; i < block.stmts.size(); ++i)
    for (const auto& p : block.stmts[i].pat) bound_at[p.name] = i;
  std::set<size_t> moved;
  std::vector<Name> work = {name};
  while (!work.empty()) {
    Name n = work.back();
    work.pop_back();
    if (!inner.count(n)) continue;
    auto it = bound_at.find(n);
    if (it == bound_at.end()) return false;
    if (!moved.insert(it->second).second) continue;
    const core::Stmt& stmt = block.stmts[it->second];
    if (!is_movable(stmt.exp, checks)) return false;
    if (!checks && !stmt.tokens.empty()) return false;
    for (Name used : core::free_names(stmt)) work.push_back(used);
    for (Name token : stmt.tokens) work.push_back(token);
  }
  std::vector<core::Stmt> rest;
  for (size_t i = 0; i < block.stmts.size(); ++i) {
    if (moved.count(i)) {
      for (const auto& p : block.stmts[i].pat) inner.erase(p.name);
      b().append(std::move(block.stmts[i]));
    } else {
      rest.push_back(std::move(block.stmts[i]));
    }
  }
  block.stmts = std::move(rest);
  return true;
}

Tokens Elaborator::check(Operand cond, std::vector<MessagePart> message) {
  if (unsafe_) return {};
  const auto* constant = core::as_const(cond);
  if (warn_checks_at_.known() && !(constant && constant->bits))
    diagnostics_.warning("safety-check", warn_checks_at_, "Safety check required");
  Name token = b().check(cond, std::move(message));
  return token ? Tokens{token} : Tokens{};
}

std::optional<std::pair<Operand, Operand>> Elaborator::factors_of(const Operand& number) const {
  constexpr size_t kFarthest = 16;
  const Name* name = core::as_name(number);
  const std::vector<core::Stmt>& stmts = scope_->builder.stmts();
  for (size_t k = stmts.size(); name && k-- > 0 && stmts.size() - k <= kFarthest;) {
    if (stmts[k].pat.size() != 1 || stmts[k].pat[0].name != *name) continue;
    const auto* product = core::as<core::BinOp>(stmts[k].exp);
    if (!product || product->op != BinOpKind::kMul || product->type != Prim::kI64) break;
    return std::pair(product->lhs, product->rhs);
  }
  return std::nullopt;
}

static bool takes_hints(const core::Exp& exp) {
  using namespace core;
  return as<Soac>(exp) || as<Hist>(exp) || as<Scatter>(exp) || as<Partition>(exp) ||
         as<FlatMap>(exp) || as<WithAcc>(exp) || as<If>(exp) || as<Loop>(exp) || as<Call>(exp) ||
         as<Opaque>(exp);
}

std::vector<Operand> Elaborator::emit(const std::vector<core::Type>& types, core::Exp exp,
                                      std::string_view base, Tokens tokens) {
  const std::optional<Operand> view = core::view_of(exp);
  const Name* viewed = view ? core::as_name(*view) : nullptr;
  const Name source = viewed ? *viewed : Name{};
  if (takes_hints(exp)) b().set_hints(hints_);
  std::vector<Name> names = b().let(types, std::move(exp), base, std::move(tokens));
  b().set_hints({});
  if (source && !types.empty() && types[0].is_array()) add_alias(names[0], source);
  return {names.begin(), names.end()};
}

Operand Elaborator::emit1(core::Type type, core::Exp exp, std::string_view base, Tokens tokens) {
  return emit({std::move(type)}, std::move(exp), base, std::move(tokens))[0];
}

void Elaborator::add_alias(Name name, const Operand& source) {
  if (const Name* n = core::as_name(source); n && *n != name) alias_[name].push_back(*n);
}

std::vector<Name> Elaborator::roots_of(Name name) const {
  std::vector<Name> roots, work = {name};
  std::unordered_set<Name> seen;
  while (!work.empty()) {
    Name n = work.back();
    work.pop_back();
    if (!seen.insert(n).second) continue;
    auto it = alias_.find(n);
    if (it == alias_.end()) {
      roots.push_back(n);
    } else {
      work.insert(work.end(), it->second.begin(), it->second.end());
    }
  }
  return roots;
}

bool Elaborator::is_shared(Name name) const {
  for (Name root : roots_of(name))
    if (shared_.count(root)) return true;
  return shared_.count(name) > 0;
}

Name Elaborator::consume(const Operand& array, const core::Type& type) {
  Name name = std::get<Name>(array);
  if (is_shared(name)) return std::get<Name>(emit1(type, core::Copy{name}, "copy"));
  for (Name root : roots_of(name)) consumed_.insert(root);
  return name;
}

void Elaborator::share(const Value& v) {
  for (const Operand& leaf : leaves_of(v))
    if (const Name* name = core::as_name(leaf))
      for (Name root : roots_of(*name)) shared_.insert(root);
}

ValuePtr Elaborator::limitation(Span span, const std::string& what, const Type* type,
                                const Env& env) {
  // Where the user wrote it, not where the prelude does it.
  auto in_prelude = [this](Span at) {
    return at.known() && sources_.file(at.file).name().starts_with("/prelude/");
  };
  for (size_t i = call_spans_.size(); i-- > 0 && in_prelude(span);) span = call_spans_[i];
  const auto& known = diagnostics_.all();
  // A function that is inlined twice has it once.
  if (std::ranges::none_of(known, [&](const source::Diagnostic& d) {
        return d.severity == source::Severity::kLimitation && d.what == what &&
               d.labels.front().span == span;
      }))
    diagnostics_.limitation(span, what);
  RepPtr rep = type ? resolve(type, env) : unknown_rep();
  if (!is_first_order(*rep)) return tuple_value({});
  return blank(force(rep));
}

}  // namespace skald::futhark::elab
