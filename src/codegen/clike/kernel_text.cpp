// SPDX-License-Identifier: Apache-2.0
#include "codegen/clike/kernel_text.h"

#include "imp/ir/visit.h"

namespace skald::clike {

using core::Name;
using core::Operand;
using imp::Space;

int64_t ProgramText::add_failure(const imp::Check& check,
                                 const std::function<Prim(const Operand&)>& type_of,
                                 std::vector<Operand>& values) {
  failures.push_back(failure_message(check, type_of, values));
  return static_cast<int64_t>(failures.size()) - 1;
}

core::Operand ProgramText::tunable(const imp::Tunable& n) const {
  const int64_t* chosen = core::find_choice(tuning, n.param);
  return chosen == nullptr || *chosen == 0 ? n.fallback : core::const_i64(*chosen);
}

void TextNeeds::add(const TextNeeds& other) {
  helpers.add(other.helpers);
  functions.insert(other.functions.begin(), other.functions.end());
  uses_f64 = uses_f64 || other.uses_f64;
}

void ProgramText::add_function(const imp::Function& fn) {
  DeviceFunction function{.name = fn.name, .text = {}, .needs = {}};
  function.text = KernelText(*this, function.needs).function(fn);
  for (const DeviceFunction& callee : functions)
    if (function.needs.functions.contains(callee.name)) function.needs.add(callee.needs);
  functions.push_back(std::move(function));
}

void ProgramText::add_kernel(const std::string& name, const imp::Launch& launch,
                             const std::vector<imp::Decl>& captured,
                             const std::unordered_set<Name>& unaliased) {
  Kernel kernel;
  kernel.unit.name = name;
  kernel.unit.text = KernelText(*this, kernel.needs).kernel(name, launch, captured, unaliased);
  const std::set<std::string> called = kernel.needs.functions;
  for (const DeviceFunction& function : functions)
    if (called.contains(function.name)) kernel.needs.add(function.needs);
  kernel.unit.uses_f64 = kernel.needs.uses_f64;
  kernel.unit.may_fail = kernel.needs.helpers.has(Helper::kFail);
  kernel.unit.group_heap = has_group_blocks(launch.body);
  std::string nameless = kernel.unit.text;
  nameless.erase(nameless.find(name), name.size());
  const auto number = static_cast<int32_t>(kernels.size());
  if (const int32_t first = by_text.emplace(std::move(nameless), number).first->second;
      first != number) {
    kernel.unit.same_as = first;
    kernel.unit.text.clear();
  }
  kernels.push_back(std::move(kernel));
}

runtime::KernelTexts ProgramText::texts(const Dialect& dialect) {
  HelperSet all;
  for (const Kernel& kernel : kernels) all.add(kernel.needs.helpers);
  runtime::KernelTexts texts;
  texts.pieces.push_back(std::string(dialect.prelude).append(HelperSet::common()));
  for (std::string& text : all.texts()) texts.pieces.push_back(std::move(text));
  const auto first = static_cast<int32_t>(texts.pieces.size());
  for (const DeviceFunction& function : functions) texts.pieces.push_back('\n' + function.text);
  for (Kernel& kernel : kernels) {
    std::vector<int32_t>& pieces = kernel.unit.pieces;
    pieces.push_back(0);
    for (const int32_t place : all.places(kernel.needs.helpers)) pieces.push_back(1 + place);
    for (size_t k = 0; k < functions.size(); ++k)
      if (kernel.needs.functions.contains(functions[k].name))
        pieces.push_back(first + static_cast<int32_t>(k));
    texts.units.push_back(std::move(kernel.unit));
  }
  return texts;
}

// ---- pieces

static std::string readable(std::string_view name) {
  std::string text(name);
  for (char& c : text) {
    const bool fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!fine) c = '_';
  }
  return "v_" + text;
}

// Texts for a compiler have numbers for names, so that kernels that do the same are the same text,
// wherever in a program, and in whatever program, they are.
std::string KernelText::name(Name name) const {
  if (program_.places == Places::kShown) return readable(program_.prog.names.text(name));
  return fmt::format("v{}", numbers_.emplace(name, numbers_.size()).first->second);
}

std::string KernelText::declared(std::string_view type, Name name) {
  if (recursive_) return recursive_->declared(type, this->name(name));
  return fmt::format("{} {}", type, this->name(name));
}

std::string KernelText::text(const Operand& operand) const {
  if (const Name* n = core::as_name(operand)) return name(*n);
  return constant_text(*core::as_const(operand));
}

Prim KernelText::type_of(const Operand& operand) const {
  if (const core::Const* c = core::as_const(operand)) return c->type;
  return types_.at(*core::as_name(operand)).prim;
}

std::string KernelText::pointer(Prim type, Name block, bool fresh) const {
  // What another thread wrote under the same lock must not come from a cache.
  return fmt::format("(({}{} {}*){})", locks_.empty() && !fresh ? "" : "volatile ",
                     space_word(block), memory_type(type), name(block));
}

std::string KernelText::element(Name block, Prim type, const Operand& index, bool fresh) const {
  return fmt::format("{}[{}]", pointer(type, block, fresh), text(index));
}

// ---- scopes

void KernelText::statements(const imp::Body& body) {
  for (const imp::Stmt& s : body.stmts) imp::visit(s.node, [&](const auto& n) { stmt(n); });
}

void KernelText::body(const imp::Body& body) {
  open_scope();
  statements(body);
  close_scope();
}

void KernelText::close_scope() {
  for (size_t k = owned_.back().size(); k-- > 0;)
    out_.print("{}", release(owned_.back()[k], name(owned_.back()[k]))).newline();
  owned_.pop_back();
  if (first_shared_.back())
    out_.print("sk_local_top = {}_at;", name(first_shared_.back())).newline();
  first_shared_.pop_back();
}

std::string KernelText::retain(Name owner, const std::string& block) {
  needs_.helpers.need(Helper::kHeap);
  return types_.at(owner).space == Space::kGroup
             ? fmt::format("if (SK_THREAD == 0) skg_retain(sk, sk_group_heap, {});", block)
             : fmt::format("sk_retain(sk, {});", block);
}

std::string KernelText::release(Name owner, const std::string& block) {
  needs_.helpers.need(Helper::kHeap);
  return types_.at(owner).space == Space::kGroup
             ? fmt::format("if (SK_THREAD == 0) skg_release(sk, sk_group_heap, {});", block)
             : fmt::format("sk_release(sk, {});", block);
}

// ---- failures

// How a thread goes on after a failure.
std::string KernelText::leave() {
  std::string unlock;
  for (const std::string& lock : locks_) unlock += fmt::format("SK_ATOM32(xchg, {}, 0); ", lock);
  if (!label_.empty()) {
    label_used_ = true;
    return fmt::format("{}goto {};", unlock, label_);
  }
  return unlock + (in_kernel_ ? "return;" : "return 1;");
}

std::string KernelText::position() const {
  return position_.empty() ? "sk->position" : position_;
}

void KernelText::stmt(const imp::Check& n) {
  std::vector<Operand> values;
  const int64_t id = program_.add_failure(n, [&](const Operand& o) { return type_of(o); }, values);
  needs_.helpers.need(Helper::kFail);
  out_.print("if (!{}) {{ ", text(n.cond));
  if (values.empty()) {
    out_.print("sk_fail(sk, {}, {}, 0, 0); ", position(), id);
  } else {
    std::string list;
    for (const Operand& value : values)
      list += fmt::format("{}(i64){}", list.empty() ? "" : ", ",
                          to_bits(type_of(value), text(value), needs_.helpers));
    out_.print("i64 sk_values[] = {{{}}}; sk_fail(sk, {}, {}, {}, sk_values); ", list, position(),
               id, values.size());
  }
  out_.print("{} }}", leave()).newline();
}

void KernelText::stmt(const imp::Attempt& n) {
  const std::string outer_label = std::exchange(label_, fmt::format("sk_end{}", labels_++));
  const std::string outer_position = std::exchange(position_, text(n.position));
  const bool outer_used = std::exchange(label_used_, false);
  out_ << "{";
  out_.newline();
  indented_body(n.body);
  out_ << "}";
  out_.newline();
  // Some compilers take no label before a brace.
  if (label_used_) out_.print("{}: ;", label_).newline();
  label_ = outer_label;
  position_ = outer_position;
  label_used_ = outer_used;
}

void KernelText::stmt(const imp::Stop&) {
  out_ << leave();
  out_.newline();
}

void KernelText::stmt(const imp::Barrier&) {
  out_ << "SK_BARRIER;";
  out_.newline();
}

void KernelText::stmt(const imp::WarpMeet&) {
  out_ << "SK_WARP_MEET;";
  out_.newline();
}

void KernelText::stmt(const imp::MatrixSum& n) {
  out_.print("SK_MATRIX_SUM({}, {}, {});", name(n.c), name(n.a), name(n.b)).newline();
}

void KernelText::stmt(const imp::Shuffle& n) {
  bind(n.name, imp::scalar(n.type));
  note_type(n.type);
  const int bits = prim_size(n.type) == 8 ? 64 : 32;
  const std::string got = name(n.name) + "_bits";
  out_.print("SK_SHUFFLE{}({}, {}, {}, {});", bits, imp::shuffle_name(n.kind), got,
             to_bits(n.type, text(n.value), needs_.helpers), text(n.lane))
      .newline();
  out_.print("{} {} = {};", value_type(n.type), name(n.name),
             from_bits(n.type, got, needs_.helpers))
      .newline();
}

void KernelText::stmt(const imp::Ballot& n) {
  bind(n.name, imp::scalar(Prim::kU32));
  out_.print("SK_BALLOT({}, {});", name(n.name), text(n.value)).newline();
}

void KernelText::stmt(const imp::Fence&) {
  out_ << "SK_FENCE();";
  out_.newline();
}

// ---- scalars

void KernelText::stmt(const imp::Let& n) {
  bind(n.name, imp::scalar(n.type));
  note_type(n.type);
  bounds_.see(n);
  const auto* root = std::get_if<core::UnOp>(&n.exp);
  if (root != nullptr && root->op == core::UnOpKind::kRsqrt && n.type == Prim::kF32 &&
      bounds_.is_normal(root->arg)) {
    out_.print("{} = SK_RSQRT_NORMAL({});", declared("f32", n.name), text(root->arg)).newline();
    return;
  }
  const Name* divisor = shared_divisor(n.exp);
  if (divisor != nullptr && divisors_.contains(*divisor)) {
    out_.print("{0} = SK_QUOTIENT_F64({1}, {2}, {2}_reciprocal);", declared("f64", n.name),
               text(std::get<core::BinOp>(n.exp).lhs), name(*divisor))
        .newline();
  } else {
    out_.print(
        "{} = {};", declared(value_type(n.type), n.name),
        expression_text(n.exp, n.type, [&](const Operand& o) { return text(o); }, needs_.helpers));
    out_.newline();
  }
  reciprocal(n.name);
}

void KernelText::stmt(const imp::QuickQuotient& n) {
  bind(n.name, imp::scalar(Prim::kF64));
  note_type(Prim::kF64);
  if (!n.usual) {
    out_.print("{} = SK_SLOW_QUOTIENT_F64({}, {});", declared("f64", n.name), text(n.lhs),
               text(n.rhs))
        .newline();
    return reciprocal(n.name);
  }
  bind(n.usual, imp::scalar(Prim::kBool));
  const Name* divisor = core::as_name(n.rhs);
  const bool is_shared = divisor != nullptr && divisors_.contains(*divisor);
  out_.print("bool {};", name(n.usual)).newline();
  out_.print("{} = SK_QUICK_QUOTIENT_F64({}, {}, {}, {});", declared("f64", n.name), text(n.lhs),
             text(n.rhs),
             is_shared ? name(*divisor) + "_reciprocal"
                       : fmt::format("SK_RECIPROCAL_F64({})", text(n.rhs)),
             name(n.usual))
      .newline();
  reciprocal(n.name);
}

void KernelText::reciprocal(Name divisor) {
  if (!divisors_.contains(divisor)) return;
  out_.print("f64 {0}_reciprocal = SK_RECIPROCAL_F64({0});", name(divisor)).newline();
}

void KernelText::stmt(const imp::Var& n) {
  bind(n.name, imp::scalar(n.type));
  note_type(n.type);
  out_.print("{} = {};", declared(value_type(n.type), n.name), text(n.init)).newline();
}

void KernelText::stmt(const imp::Assign& n) {
  out_.print("{} = {};", name(n.var), text(n.value)).newline();
}

void KernelText::stmt(const imp::Tunable& n) {
  bind(n.name, imp::scalar(Prim::kI64));
  out_.print("{} = {};", declared("i64", n.name), text(program_.tunable(n))).newline();
}

// ---- control

void KernelText::stmt(const imp::If& n) {
  out_.print("if ({}) {{", text(n.cond)).newline();
  indented_body(n.then_body);
  if (!n.else_body.stmts.empty()) {
    out_ << "} else {";
    out_.newline();
    const Indented indented(out_);
    body(n.else_body);
  }
  out_ << '}';
  out_.newline();
}

void KernelText::indented_body(const imp::Body& inner) {
  const Indented indented(out_);
  body(inner);
}

// A comment, if places are asked for and this one is known.
void KernelText::place(core::Loc loc) {
  if (program_.places == Places::kHidden || loc.index == 0) return;
  const core::LocTable& locs = program_.prog.locs;
  out_.print("// {}", locs[locs.outside_prelude(loc)].text).newline();
}

void KernelText::stmt(const imp::For& n) {
  place(n.mark.loc);
  bind(n.var, imp::scalar(n.type));
  if (n.hint == imp::LoopHint::kUnroll || n.hint == imp::LoopHint::kShort) {
    out_ << (n.hint == imp::LoopHint::kUnroll ? "SK_UNROLL" : "SK_SHORT");
    out_.newline();
  }
  out_.print("for ({0} = {2}; {1} < {3}; {1} += {4}) {{", declared(value_type(n.type), n.var),
             name(n.var), text(n.begin), text(n.end), text(n.step));
  out_.newline();
  indented_body(n.body);
  out_ << '}';
  out_.newline();
}

void KernelText::stmt(const imp::While& n) {
  place(n.mark.loc);
  out_.print("while ({}) {{", text(n.cond)).newline();
  indented_body(n.body);
  out_ << '}';
  out_.newline();
}

void KernelText::stmt(const imp::Call& n) {
  if (recursive_ && recursive_->call(n)) return;
  std::string fn_name = n.fn;
  for (char& c : fn_name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  std::string args;
  for (const Operand& arg : n.args) args += ", " + text(arg);
  for (const imp::Decl& d : n.results) {
    bind(d.name, d.type);
    if (d.type.is_block()) {
      out_.print("{} = 0;", declared("SK_GLOBAL u8*", d.name)).newline();
      own(d.name);
    } else {
      note_type(d.type.prim);
      const std::string declaration = declared(value_type(d.type.prim), d.name);
      if (!recursive_) out_.print("{};", declaration).newline();
    }
    args += ", &" + name(d.name);
  }
  needs_.functions.insert(n.fn);
  needs_.helpers.need(Helper::kFrame);
  if (!position_.empty()) out_.print("sk->position = {};", position_).newline();
  out_.print("if (f_{}(sk{}) != 0) {{ sk_frame(sk, {}); {} }}", fn_name, args, n.loc.index,
             leave());
  out_.newline();
}

}  // namespace skald::clike
