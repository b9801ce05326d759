// SPDX-License-Identifier: Apache-2.0
// Blocks of statements and what is put into them.
#include "frontend/futhark/elaborate/code/code.h"

#include <algorithm>

#include "core/ir/sharing.h"
#include "core/ir/visit.h"

namespace skald::futhark::elab {

Code::AtPlace::AtPlace(Code& code, Span span) : code_(code), old_(code.loc_) {
  if (!span.known()) return;
  code.loc_ = code.place(span);
  if (code.scope_) code.b().set_loc(code.loc_);
}

Code::AtPlace::~AtPlace() {
  code_.loc_ = old_;
  if (code_.scope_) code_.b().set_loc(old_);
}

Code::InCall::InCall(Code& code, Span span)
    : code_(code),
      known_(span.known()),
      old_caller_(code.caller_),
      old_hints_(code.mode_.hints),
      old_sizes_(code.ids_.size_count()) {
  if (!known_) return;
  code.caller_ = code.loc_;
  code.call_spans_.push_back(span);
}

Code::InCall::~InCall() {
  // `#[sequential] f x` concerns the combinators f is made of, and nothing after it.
  code_.mode_.hints = old_hints_;
  code_.ids_.forget_sizes(old_sizes_);
  code_.caller_ = old_caller_;
  if (known_) code_.call_spans_.pop_back();
}

Code::InFunction::InFunction(Code& code, core::Loc loc)
    : code_(code),
      old_function_(code.function_),
      old_loc_(code.loc_),
      old_caller_(code.caller_),
      old_unsafe_(code.mode_.unsafe) {
  code.function_ = &function_;
  code.loc_ = loc;
  code.caller_ = {};
}

Code::InFunction::~InFunction() {
  code_.function_ = old_function_;
  code_.loc_ = old_loc_;
  code_.caller_ = old_caller_;
  code_.mode_.unsafe = old_unsafe_;
}

core::Loc Code::place(Span span) {
  auto key = std::make_tuple(span.file.index, span.begin, span.end, caller_.index);
  auto [it, fresh] = places_.try_emplace(key);
  if (fresh) it->second = prog_.locs.add(sources_.describe_range(span), caller_, function_at(span));
  return it->second;
}

void Code::name_body(const std::string& name, const Exp& body) {
  if (!body.span.known()) return;
  bodies_.try_emplace({body.span.file.index, body.span.begin}, NamedBody{body.span.end, name});
}

std::string Code::function_at(Span span) const {
  // Texts of functions lie inside each other or apart.
  for (auto at = bodies_.upper_bound({span.file.index, span.begin}); at != bodies_.begin();) {
    --at;
    if (at->first.first != span.file.index) break;
    if (at->second.end >= span.end) return at->second.name;
  }
  return {};
}

Block Code::block(std::vector<core::Param> params, const std::function<ValuePtr()>& f) {
  Scope inner{core::Builder(prog_), std::move(params), scope_};
  inner.builder.set_loc(loc_);
  scope_ = &inner;
  const size_t sizes = ids_.size_count();
  const core::Hints hints = std::exchange(mode_.hints, {});
  Block out;
  out.value = f();
  mode_.hints = hints;
  ids_.forget_sizes(sizes);
  out.stmts = std::move(inner.builder.finish({}).stmts);
  out.params = std::move(inner.params);
  scope_ = inner.parent;
  return out;
}

Block Code::open_block(const std::function<ValuePtr()>& f) {
  Scope inner{core::Builder(prog_), {}, scope_};
  inner.builder.set_loc(loc_);
  scope_ = &inner;
  Block out;
  out.value = f();
  out.stmts = std::move(inner.builder.finish({}).stmts);
  scope_ = inner.parent;
  return out;
}

void Code::extend(Block& block, const std::function<ValuePtr()>& f) {
  Scope inner{core::Builder(prog_), block.params, scope_};
  inner.builder.set_loc(loc_);
  for (auto& stmt : block.stmts) inner.builder.append(std::move(stmt));
  scope_ = &inner;
  block.value = f();
  block.stmts = std::move(inner.builder.finish({}).stmts);
  scope_ = inner.parent;
}

void Code::splice(std::vector<core::Stmt> stmts) {
  for (auto& stmt : stmts) b().append(std::move(stmt));
}

void Code::outside(const std::function<void()>& f) {
  Scope* old = std::exchange(scope_, nullptr);
  f();
  scope_ = old;
  if (scope_) b().set_loc(loc_);
}

std::optional<core::Type> Code::type_of(Name name) const {
  for (const Scope* s = scope_; s; s = s->parent) {
    for (const auto& p : s->params)
      if (p.name == name) return p.type;
    for (const auto& stmt : s->builder.stmts())
      for (const auto& p : stmt.pat)
        if (p.name == name) return p.type;
  }
  if (function_)
    for (const auto& stmt : function_->prologue)
      for (const auto& p : stmt.pat)
        if (p.name == name) return p.type;
  return std::nullopt;
}

Tokens Code::check(Operand cond, std::vector<MessagePart> message) {
  if (mode_.unsafe) return {};
  const auto* constant = core::as_const(cond);
  if (mode_.warn_checks_at.known() && !(constant && constant->bits))
    diagnostics_.warning("safety-check", mode_.warn_checks_at, "Safety check required");
  Name token = b().check(cond, std::move(message));
  return token ? Tokens{token} : Tokens{};
}

std::optional<std::pair<Operand, Operand>> Code::factors_of(const Operand& number) const {
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

std::vector<Operand> Code::emit(const std::vector<core::Type>& types, core::Exp exp,
                                std::string_view base, Tokens tokens) {
  const std::optional<Operand> view = core::view_of(exp);
  const Name* viewed = view ? core::as_name(*view) : nullptr;
  const Name source = viewed ? *viewed : Name{};
  if (takes_hints(exp)) b().set_hints(mode_.hints);
  std::vector<Name> names = b().let(types, std::move(exp), base, std::move(tokens));
  b().set_hints({});
  if (source && !types.empty() && types[0].is_array()) sharing_.add_alias(names[0], source);
  return {names.begin(), names.end()};
}

Operand Code::emit1(core::Type type, core::Exp exp, std::string_view base, Tokens tokens) {
  return emit({std::move(type)}, std::move(exp), base, std::move(tokens))[0];
}

void Code::emit_pat(std::vector<core::Param> pat, core::Exp exp) {
  b().set_hints(mode_.hints);
  b().let_pat(std::move(pat), std::move(exp));
  b().set_hints({});
}

Name Code::consume(const Operand& array, const core::Type& type) {
  Name name = std::get<Name>(array);
  if (sharing_.is_shared(name)) return std::get<Name>(emit1(type, core::Copy{name}, "copy"));
  sharing_.mark_consumed(name);
  return name;
}

void Code::report_limitation(Span span, const std::string& what) {
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
}

}  // namespace skald::futhark::elab
