// SPDX-License-Identifier: Apache-2.0
#include "codegen/clike/kernel_text.h"

#include <algorithm>

#include "imp/analysis/program_size.h"
#include "imp/ir/visit.h"
#include "runtime/abi.h"
#include "support/bug.h"

namespace skald::clike {

using core::Name;
using core::Operand;
using imp::Space;

namespace {

// Compilers of devices write every call out, so code grows with the depth of calls.  A call is some
// tens of instructions: nothing beside so many statements.
constexpr size_t kLargeFunction = 100;

}  // namespace

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

// Texts for a compiler have numbers for names, so that kernels that do the same are the same text,
// wherever in a program, and in whatever program, they are.
std::string KernelText::name(Name name) const {
  if (program_.places == Places::kShown) return readable(program_.prog.names.text(name));
  return fmt::format("v{}", numbers_.emplace(name, numbers_.size()).first->second);
}

std::string KernelText::readable(std::string_view name) {
  std::string text(name);
  for (char& c : text) {
    const bool fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!fine) c = '_';
  }
  return "v_" + text;
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

// ---- kernels and functions

void KernelText::collect_shared(const imp::Body& body) {
  for (const imp::Stmt& stmt : body.stmts) {
    if (const auto* alloc = imp::as<imp::Alloc>(stmt); alloc != nullptr &&
                                                       alloc->space == Space::kShared &&
                                                       core::as_const(alloc->bytes) != nullptr) {
      const int64_t bytes = core::int_value(*core::as_const(alloc->bytes));
      out_.print("SK_SHARED({}_words, {});", name(alloc->name),
                 std::max<int64_t>((bytes + 7) / 8, 1))
          .newline();
    }
    imp::for_each_body(stmt, [&](const imp::Body& inner) { collect_shared(inner); });
  }
}

void KernelText::collect_private(const imp::Body& body) {
  for (const imp::Stmt& stmt : body.stmts) {
    if (const auto* n = imp::as<imp::Load>(stmt)) private_elements_.emplace(n->block, n->type);
    if (const auto* n = imp::as<imp::Store>(stmt)) private_elements_.emplace(n->block, n->type);
    if (const auto* n = imp::as<imp::CopyBytes>(stmt); n != nullptr && n->elements)
      for (const Name block : {n->dest, n->src}) private_elements_.emplace(block, *n->elements);
    imp::for_each_body(stmt, [&](const imp::Body& inner) { collect_private(inner); });
  }
}

namespace {

int64_t most_threads(const imp::Launch& launch) {
  const core::Const* threads = core::as_const(launch.threads);
  return threads == nullptr ? imp::kMostThreads : core::int_value(*threads);
}

std::string kernel_word(const imp::Launch& launch) {
  const core::Const* threads = core::as_const(launch.threads);
  if (threads == nullptr) return "SK_KERNEL";
  if (launch.at_once == 0) return fmt::format("SK_KERNEL_OF({})", core::int_value(*threads));
  return fmt::format("SK_KERNEL_AT_ONCE({}, {})", core::int_value(*threads), launch.at_once);
}

bool has_shuffles(const imp::Body& body) {
  bool found = false;
  for (const imp::Stmt& stmt : body.stmts) {
    found =
        found || imp::as<imp::Shuffle>(stmt) != nullptr || imp::as<imp::Ballot>(stmt) != nullptr;
    imp::for_each_body(stmt, [&](const imp::Body& inner) { found = found || has_shuffles(inner); });
  }
  return found;
}

bool has_barriers(const imp::Stmt& stmt) {
  bool found = imp::as<imp::Barrier>(stmt) != nullptr;
  imp::for_each_body(stmt, [&](const imp::Body& inner) {
    for (const imp::Stmt& each : inner.stmts) found = found || has_barriers(each);
  });
  return found;
}

// Can a thread end in the middle of it?
bool may_end(const imp::Stmt& stmt) {
  if (imp::as<imp::Attempt>(stmt) != nullptr) return false;
  const auto* alloc = imp::as<imp::Alloc>(stmt);
  bool found =
      imp::as<imp::Check>(stmt) != nullptr || imp::as<imp::Call>(stmt) != nullptr ||
      imp::as<imp::Stop>(stmt) != nullptr ||
      (alloc != nullptr && alloc->space != Space::kShared && alloc->space != Space::kPrivate);
  imp::for_each_body(stmt, [&](const imp::Body& inner) {
    for (const imp::Stmt& each : inner.stmts) found = found || may_end(each);
  });
  return found;
}

// Do loops or branches follow the last barrier, from which all threads come to the end?
bool can_meet_at_end(const imp::Body& body) {
  bool branches = false;
  for (auto stmt = body.stmts.rbegin(); stmt != body.stmts.rend(); ++stmt) {
    if (has_barriers(*stmt)) return branches;
    if (may_end(*stmt)) return false;
    imp::for_each_body(*stmt, [&](const imp::Body&) { branches = true; });
  }
  return false;
}

}  // namespace

bool has_group_blocks(const imp::Body& body) {
  bool found = false;
  for (const imp::Stmt& stmt : body.stmts) {
    const auto* alloc = imp::as<imp::Alloc>(stmt);
    found = found || (alloc != nullptr && alloc->space == Space::kGroup);
    imp::for_each_body(stmt,
                       [&](const imp::Body& inner) { found = found || has_group_blocks(inner); });
  }
  return found;
}

// Are there blocks of a thread, or calls of functions that may have some?
static bool has_scratch(const imp::Body& body) {
  bool found = false;
  for (const imp::Stmt& stmt : body.stmts) {
    const auto* alloc = imp::as<imp::Alloc>(stmt);
    found = found || imp::as<imp::Call>(stmt) != nullptr ||
            (alloc != nullptr && alloc->space != Space::kShared &&
             alloc->space != Space::kPrivate && alloc->space != Space::kGroup);
    imp::for_each_body(stmt, [&](const imp::Body& inner) { found = found || has_scratch(inner); });
  }
  return found;
}

void KernelText::parameters(const std::vector<imp::Decl>& captured,
                            const std::unordered_set<Name>& unaliased) {
  for (const imp::Decl& d : captured) {
    if (d.type.is_block())
      out_.print(", SK_GLOBAL u8*{} {}", unaliased.contains(d.name) ? " SK_RESTRICT" : "",
                 name(d.name));
    else
      out_.print(", i64 {}_bits", name(d.name));
  }
}

std::string KernelText::kernel(const std::string& kernel_name, const imp::Launch& launch,
                               const std::vector<imp::Decl>& captured,
                               const std::unordered_set<Name>& unaliased) {
  in_kernel_ = true;
  collect_private(launch.body);
  divisors_.find(captured, launch.body);
  place(launch.loc);
  out_.print(
      "{} void {}(volatile SK_GLOBAL i64* sk_record, i64 sk_launch, i64 sk_first, "
      "SK_GLOBAL u8* sk_arena, i64 sk_bytes",
      kernel_word(launch), kernel_name);
  const bool dynamic = !(launch.shared == Operand{core::const_i64(0)});
  // A device aligns this memory by the type that is pointed to: NVIDIA's puts bytes anywhere.
  if (dynamic) out_ << " SK_LOCAL_PARAM";
  parameters(captured, unaliased);
  out_ << ") {";
  out_.newline();
  {
    const Indented indented(out_);
    collect_shared(launch.body);
    if (has_shuffles(launch.body))
      out_.print("SK_SHUFFLE_ROOM({})", most_threads(launch)).newline();
    const bool group_blocks = has_group_blocks(launch.body);
    if (group_blocks) {
      out_ << "SK_SHARED(sk_group_word, 1);";
      out_.newline();
    }
    out_ << "if (SK_FAILED_BEFORE(sk_record, sk_launch)) return;";
    out_.newline();
    for (const imp::Decl& d : captured) {
      bind(d.name, d.type);
      if (d.type.is_block()) continue;
      note_type(d.type.prim);
      out_.print("{} {} = {};", value_type(d.type.prim), name(d.name),
                 from_bits(d.type.prim, name(d.name) + "_bits", needs_.helpers));
      out_.newline();
      reciprocal(d.name);
    }
    bind(launch.group, imp::scalar(Prim::kI64));
    bind(launch.thread, imp::scalar(Prim::kI64));
    out_.print("i64 {} = sk_first + SK_GROUP;", name(launch.group)).newline();
    out_.print("i64 {} = SK_THREAD;", name(launch.thread)).newline();
    const bool own_heap = has_scratch(launch.body);
    if (own_heap) {
      out_ << "SK_OWN_HEAP";
      out_.newline();
    }
    out_.print(
            "sk_thread sk_self = {{sk_record, sk_launch, 0, {}(sk_arena + (SK_GROUP * {} + "
            "SK_THREAD) * sk_bytes), sk_bytes, 0, 0}};",
            own_heap ? "SK_HEAP" : "",
            group_blocks                                ? std::string("(SK_THREADS + 1)")
            : core::as_const(launch.threads) != nullptr ? text(launch.threads)
                                                        : std::string("SK_THREADS"))
        .newline();
    out_ << "sk_thread* sk = &sk_self;";
    out_.newline();
    if (group_blocks) {
      needs_.helpers.need(Helper::kGroupHeap);
      out_ << "SK_GLOBAL u8* sk_group_heap = sk_arena + (SK_GROUP * (SK_THREADS + 1) + SK_THREADS) "
              "* sk_bytes;";
      out_.newline();
      out_ << "if (SK_THREAD == 0) skg_start(sk_group_heap);";
      out_.newline();
    }
    if (dynamic) {
      out_ << "SK_LOCAL_MEMORY";
      out_.newline();
      out_ << "i64 sk_local_top = 0;";
      out_.newline();
    }
    body(launch.body);
    if (can_meet_at_end(launch.body)) out_.print("SK_MEET_AT_END;").newline();
  }
  out_ << '}';
  out_.newline();
  return out_.take();
}

std::string KernelText::declaration(const imp::Function& fn) {
  std::string fn_name = fn.name;
  for (char& c : fn_name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  const bool large = imp::statement_count(fn.body) > kLargeFunction;
  std::string head =
      fmt::format("{} i32 f_{}(sk_thread* sk", large ? "SK_LARGE_FN" : "SK_FN", fn_name);
  for (const imp::Decl& d : fn.params) {
    if (d.type.is_block())
      head += fmt::format(", SK_GLOBAL u8* {}", name(d.name));
    else
      head += fmt::format(", {} {}", value_type(d.type.prim), name(d.name));
  }
  for (size_t k = 0; k < fn.results.size(); ++k) {
    if (fn.results[k].is_block())
      head += fmt::format(", SK_GLOBAL u8** sk_result{}", k);
    else
      head += fmt::format(", {}* sk_result{}", value_type(fn.results[k].prim), k);
  }
  return head + ")";
}

std::string KernelText::function(const imp::Function& fn) {
  out_ << declaration(fn) << " {";
  out_.newline();
  {
    const Indented indented(out_);
    collect_private(fn.body);
    for (const imp::Decl& d : fn.params) {
      bind(d.name, d.type);
      if (!d.type.is_block()) note_type(d.type.prim);
    }
    open_scope();
    statements(fn.body);
    for (size_t k = 0; k < fn.ret.size(); ++k) {
      if (fn.results[k].is_block()) needs_.helpers.need(Helper::kHeap);
      if (fn.results[k].is_block())
        out_.print("*sk_result{} = sk_retain(sk, {});", k, text(fn.ret[k]));
      else
        out_.print("*sk_result{} = {};", k, text(fn.ret[k]));
      out_.newline();
    }
    close_scope();
    out_ << "return 0;";
    out_.newline();
  }
  out_ << '}';
  out_.newline();
  return out_.take();
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
    out_.print("f32 {} = SK_RSQRT_NORMAL({});", name(n.name), text(root->arg)).newline();
    return;
  }
  const Name* divisor = shared_divisor(n.exp);
  if (divisor != nullptr && divisors_.contains(*divisor)) {
    out_.print("f64 {0} = SK_QUOTIENT_F64({1}, {2}, {2}_reciprocal);", name(n.name),
               text(std::get<core::BinOp>(n.exp).lhs), name(*divisor))
        .newline();
  } else {
    out_.print(
        "{} {} = {};", value_type(n.type), name(n.name),
        expression_text(n.exp, n.type, [&](const Operand& o) { return text(o); }, needs_.helpers));
    out_.newline();
  }
  reciprocal(n.name);
}

void KernelText::reciprocal(Name divisor) {
  if (!divisors_.contains(divisor)) return;
  out_.print("f64 {0}_reciprocal = SK_RECIPROCAL_F64({0});", name(divisor)).newline();
}

void KernelText::stmt(const imp::Var& n) {
  bind(n.name, imp::scalar(n.type));
  note_type(n.type);
  out_.print("{} {} = {};", value_type(n.type), name(n.name), text(n.init)).newline();
}

void KernelText::stmt(const imp::Assign& n) {
  out_.print("{} = {};", name(n.var), text(n.value)).newline();
}

void KernelText::stmt(const imp::Tunable& n) {
  bind(n.name, imp::scalar(Prim::kI64));
  out_.print("i64 {} = {};", name(n.name), text(program_.tunable(n))).newline();
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
  const std::string var = name(n.var);
  out_.print("for ({0} {1} = {2}; {1} < {3}; {1} += {4}) {{", value_type(n.type), var,
             text(n.begin), text(n.end), text(n.step));
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
  std::string fn_name = n.fn;
  for (char& c : fn_name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  std::string args;
  for (const Operand& arg : n.args) args += ", " + text(arg);
  for (const imp::Decl& d : n.results) {
    bind(d.name, d.type);
    if (d.type.is_block()) {
      out_.print("SK_GLOBAL u8* {} = 0;", name(d.name)).newline();
      own(d.name);
    } else {
      note_type(d.type.prim);
      out_.print("{} {};", value_type(d.type.prim), name(d.name)).newline();
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
