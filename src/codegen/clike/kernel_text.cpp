// SPDX-License-Identifier: Apache-2.0
#include "codegen/clike/kernel_text.h"

#include <algorithm>

#include "imp/visit.h"
#include "runtime/abi.h"
#include "support/bug.h"

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

// ---- pieces

std::string KernelText::name(Name name) const {
  std::string text = program_.prog.names.text(name);
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

std::string KernelText::pointer(Prim type, Name block) const {
  // What another thread wrote under the same lock must not come from a cache.
  return fmt::format("(({}{} {}*){})", locks_.empty() ? "" : "volatile ", space_word(block),
                     memory_type(type), name(block));
}

std::string KernelText::element(Name block, Prim type, const Operand& index) const {
  return fmt::format("{}[{}]", pointer(type, block), text(index));
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

std::string KernelText::kernel(const std::string& kernel_name, const imp::Launch& launch,
                               const std::vector<imp::Decl>& captured) {
  in_kernel_ = true;
  out_.print(
      "SK_KERNEL void {}(volatile SK_GLOBAL i64* sk_record, i64 sk_launch, i64 sk_first, "
      "SK_GLOBAL u8* sk_arena, i64 sk_bytes",
      kernel_name);
  const bool dynamic = !(launch.shared == Operand{core::const_i64(0)});
  // A device aligns this memory by the type that is pointed to: NVIDIA's puts bytes anywhere.
  if (dynamic) out_ << ", SK_LOCAL i64* sk_local";
  for (const imp::Decl& d : captured) {
    if (d.type.is_block())
      out_.print(", SK_GLOBAL u8* {}", name(d.name));
    else
      out_.print(", i64 {}_bits", name(d.name));
  }
  out_ << ") {";
  out_.newline();
  {
    const Indented indented(out_);
    collect_shared(launch.body);
    const bool group_blocks = has_group_blocks(launch.body);
    if (group_blocks) {
      out_ << "SK_SHARED(sk_group_word, 1);";
      out_.newline();
    }
    out_ << "if (sk_record[1] != 0 && sk_record[1] < sk_launch) return;";
    out_.newline();
    for (const imp::Decl& d : captured) {
      bind(d.name, d.type);
      if (d.type.is_block()) continue;
      note_type(d.type.prim);
      out_.print("{} {} = {};", value_type(d.type.prim), name(d.name),
                 from_bits(d.type.prim, name(d.name) + "_bits", program_.helpers));
      out_.newline();
    }
    bind(launch.group, imp::scalar(Prim::kI64));
    bind(launch.thread, imp::scalar(Prim::kI64));
    out_.print("i64 {} = sk_first + SK_GROUP;", name(launch.group)).newline();
    out_.print("i64 {} = SK_THREAD;", name(launch.thread)).newline();
    out_.print(
            "sk_thread sk_self = {{sk_record, sk_launch, 0, sk_arena + (SK_GROUP * {} + SK_THREAD) "
            "* sk_bytes, sk_bytes, 0, 0}};",
            group_blocks                                ? std::string("(SK_THREADS + 1)")
            : core::as_const(launch.threads) != nullptr ? text(launch.threads)
                                                        : std::string("SK_THREADS"))
        .newline();
    out_ << "sk_thread* sk = &sk_self;";
    out_.newline();
    if (group_blocks) {
      program_.helpers.need(Helper::kGroupHeap);
      out_ << "SK_GLOBAL u8* sk_group_heap = sk_arena + (SK_GROUP * (SK_THREADS + 1) + SK_THREADS) "
              "* sk_bytes;";
      out_.newline();
      out_ << "if (SK_THREAD == 0) skg_start(sk_group_heap);";
      out_.newline();
    }
    if (dynamic) {
      out_ << "i64 sk_local_top = 0;";
      out_.newline();
    }
    body(launch.body);
  }
  out_ << '}';
  out_.newline();
  return out_.take();
}

std::string KernelText::declaration(const imp::Function& fn) {
  std::string fn_name = fn.name;
  for (char& c : fn_name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  std::string head = fmt::format("SK_FN i32 f_{}(sk_thread* sk", fn_name);
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
    for (const imp::Decl& d : fn.params) {
      bind(d.name, d.type);
      if (!d.type.is_block()) note_type(d.type.prim);
    }
    open_scope();
    statements(fn.body);
    for (size_t k = 0; k < fn.ret.size(); ++k) {
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

std::string KernelText::retain(Name owner, const std::string& block) const {
  return types_.at(owner).space == Space::kGroup
             ? fmt::format("if (SK_THREAD == 0) skg_retain(sk, sk_group_heap, {});", block)
             : fmt::format("sk_retain(sk, {});", block);
}

std::string KernelText::release(Name owner, const std::string& block) const {
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
  out_.print("if (!{}) {{ ", text(n.cond));
  if (values.empty()) {
    out_.print("sk_fail(sk, {}, {}, 0, 0); ", position(), id);
  } else {
    std::string list;
    for (const Operand& value : values)
      list += fmt::format("{}(i64){}", list.empty() ? "" : ", ",
                          to_bits(type_of(value), text(value), program_.helpers));
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
  {
    const Indented indented(out_);
    body(n.body);
  }
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

// ---- scalars

void KernelText::stmt(const imp::Let& n) {
  bind(n.name, imp::scalar(n.type));
  note_type(n.type);
  out_.print(
      "{} {} = {};", value_type(n.type), name(n.name),
      expression_text(n.exp, n.type, [&](const Operand& o) { return text(o); }, program_.helpers));
  out_.newline();
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

// ---- memory

void KernelText::stmt(const imp::Load& n) {
  bind(n.name, imp::scalar(n.type));
  note_type(n.type);
  out_.print("{} {} = {};", value_type(n.type), name(n.name),
             from_memory(n.type, element(n.block, n.type, n.index), program_.helpers));
  out_.newline();
}

void KernelText::stmt(const imp::Store& n) {
  out_.print("{} = {};", element(n.block, n.type, n.index),
             to_memory(n.type, text(n.value), program_.helpers));
  out_.newline();
}

void KernelText::stmt(const imp::Alloc& n) {
  bind(n.name, imp::block(n.space));
  const std::string own_name = name(n.name);
  if (n.space == Space::kShared) {
    if (core::as_const(n.bytes) != nullptr) {
      out_.print("SK_LOCAL u8* {0} = (SK_LOCAL u8*){0}_words;", own_name).newline();
      return;
    }
    if (!first_shared_.back()) first_shared_.back() = n.name;
    out_.print("i64 {}_at = sk_local_top;", own_name).newline();
    out_.print("SK_LOCAL u8* {0} = (SK_LOCAL u8*)sk_local + {0}_at;", own_name).newline();
    out_.print("sk_local_top += ({} + {}) & ~(i64){};", text(n.bytes), imp::kSharedAlignment - 1,
               imp::kSharedAlignment - 1);
    out_.newline();
    return;
  }
  if (n.space == Space::kGroup) {
    if (!position_.empty()) out_.print("sk->position = {};", position_).newline();
    out_ << "SK_BARRIER;";
    out_.newline();
    out_.print("if (SK_THREAD == 0) sk_group_word[0] = (i64)skg_alloc(sk, sk_group_heap, {});",
               text(n.bytes));
    out_.newline();
    out_ << "SK_BARRIER;";
    out_.newline();
    out_.print("SK_GLOBAL u8* {} = (SK_GLOBAL u8*)sk_group_word[0];", own_name).newline();
    out_.print("if ({} == 0) {{ {} }}", own_name, leave()).newline();
    own(n.name);
    return;
  }
  if (!position_.empty()) out_.print("sk->position = {};", position_).newline();
  out_.print("SK_GLOBAL u8* {} = sk_alloc(sk, {});", own_name, text(n.bytes)).newline();
  out_.print("if ({} == 0) {{ {} }}", own_name, leave()).newline();
  own(n.name);
}

void KernelText::stmt(const imp::BlockVar& n) {
  bind(n.name, imp::block(n.space));
  const bool owning = imp::is_owning(n.space);
  out_.print("{} u8* {} = {};", space_word(n.name), name(n.name), n.init ? name(n.init) : "0");
  out_.newline();
  if (owning && n.init) out_.print("{}", retain(n.name, name(n.name))).newline();
  if (owning) own(n.name);
}

void KernelText::stmt(const imp::BlockAssign& n) {
  const std::string var = name(n.var);
  if (!imp::is_owning(types_.at(n.var).space)) {
    out_.print("{} = {};", var, name(n.value)).newline();
    return;
  }
  out_.print("{{ SK_GLOBAL u8* sk_new = {1}; {2} {3} {0} = sk_new; }}", var, name(n.value),
             retain(n.var, "sk_new"), release(n.var, var));
  out_.newline();
}

void KernelText::stmt(const imp::Free& n) {
  out_.print("{} {} = 0;", release(n.block, name(n.block)), name(n.block)).newline();
}

void KernelText::stmt(const imp::CopyBytes& n) {
  if (is_shared(n.dest) || is_shared(n.src)) {
    // Pointers to different kinds of memory cannot be passed to one function.
    const std::string dest = fmt::format("{} + {}", name(n.dest), text(n.dest_offset));
    const std::string src = fmt::format("{} + {}", name(n.src), text(n.src_offset));
    out_.print("{{ {} u8* sk_d = {}; {} u8* sk_s = {}; i64 sk_n = {}; ", space_word(n.dest), dest,
               space_word(n.src), src, text(n.bytes));
    if (is_shared(n.dest) && is_shared(n.src))
      out_ << "if (sk_s < sk_d) for (i64 sk_k = sk_n; sk_k-- > 0;) sk_d[sk_k] = sk_s[sk_k]; else ";
    out_ << "for (i64 sk_k = 0; sk_k < sk_n; ++sk_k) sk_d[sk_k] = sk_s[sk_k]; }";
    out_.newline();
    return;
  }
  program_.helpers.need(Helper::kCopy);
  out_.print("sk_move({} + {}, {} + {}, {});", name(n.dest), text(n.dest_offset), name(n.src),
             text(n.src_offset), text(n.bytes));
  out_.newline();
}

void KernelText::stmt(const imp::Fill& n) {
  out_.print("for (i64 sk_k = 0; sk_k < {}; ++sk_k) {}[{} + sk_k] = {};", text(n.count),
             pointer(n.type, n.block), text(n.start),
             to_memory(n.type, text(n.value), program_.helpers));
  out_.newline();
}

// ---- control

void KernelText::stmt(const imp::If& n) {
  out_.print("if ({}) {{", text(n.cond)).newline();
  {
    const Indented indented(out_);
    body(n.then_body);
  }
  if (!n.else_body.stmts.empty()) {
    out_ << "} else {";
    out_.newline();
    const Indented indented(out_);
    body(n.else_body);
  }
  out_ << '}';
  out_.newline();
}

void KernelText::stmt(const imp::For& n) {
  bind(n.var, imp::scalar(n.type));
  const std::string var = name(n.var);
  out_.print("for ({0} {1} = {2}; {1} < {3}; {1} += {4}) {{", value_type(n.type), var,
             text(n.begin), text(n.end), text(n.step));
  out_.newline();
  {
    const Indented indented(out_);
    body(n.body);
  }
  out_ << '}';
  out_.newline();
}

void KernelText::stmt(const imp::While& n) {
  out_.print("while ({}) {{", text(n.cond)).newline();
  {
    const Indented indented(out_);
    body(n.body);
  }
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
  if (!position_.empty()) out_.print("sk->position = {};", position_).newline();
  out_.print("if (f_{}(sk{}) != 0) {{ sk_frame(sk, {}); {} }}", fn_name, args, n.loc.index,
             leave());
  out_.newline();
}

// ---- atomics

void KernelText::compare_and_swap(
    Prim type, Name block, const Operand& index,
    const std::function<std::string(const std::string& old)>& combine) {
  const int size = prim_size(type);
  const std::string_view word = size == 8 ? "u64" : "u32";
  out_ << '{';
  out_.newline();
  {
    const Indented indented(out_);
    std::string old_bits = "sk_seen", new_bits = "sk_next";
    if (size >= 4) {
      out_.print("volatile {3} {0}* sk_word = (volatile {3} {0}*){1} + {2};", word, name(block),
                 text(index), space_word(block));
      out_.newline();
    } else {
      // The word around a narrow element.
      out_.print("u64 sk_place = (u64)({} + {} * {});", name(block), text(index), size).newline();
      out_.print("volatile {0} u32* sk_word = (volatile {0} u32*)(sk_place & ~(u64)3);",
                 space_word(block));
      out_.newline();
      out_ << "u32 sk_shift = (u32)(sk_place & 3) * 8;";
      out_.newline();
      const std::string_view mask = size == 1 ? "0xffu" : "0xffffu";
      old_bits = fmt::format("((sk_seen >> sk_shift) & {})", mask);
      new_bits = fmt::format(
          "((sk_seen & ~({0} << sk_shift)) | (((u32)sk_next & {0}) << sk_shift))", mask);
    }
    out_.print("{} sk_seen = *sk_word;", word).newline();
    out_ << "bool sk_done = false;";
    out_.newline();
    out_ << "while (!sk_done) {";
    out_.newline();
    {
      const Indented inside(out_);
      const std::string result = combine(from_bits(type, old_bits, program_.helpers));
      out_.print("{} sk_next = ({}){};", word, word, to_bits(type, result, program_.helpers));
      out_.newline();
      out_.print("{} sk_got = SK_CAS{}(sk_word, sk_seen, {});", word, size == 8 ? 64 : 32,
                 new_bits);
      out_.newline();
      out_ << "sk_done = sk_got == sk_seen;";
      out_.newline();
      out_ << "sk_seen = sk_got;";
      out_.newline();
    }
    out_ << '}';
    out_.newline();
  }
  out_ << '}';
  out_.newline();
}

void KernelText::stmt(const imp::Atomic& n) {
  using enum core::BinOpKind;
  const bool known =
      n.op == kAdd || n.op == kMin || n.op == kMax || n.op == kAnd || n.op == kOr || n.op == kXor;
  if (known && is_int(n.type) && prim_size(n.type) >= 4) {
    out_.print("SK_ATOM{0}({1}, (volatile {6} {2}*){3} + {4}, {5});", 8 * prim_size(n.type),
               core::mnemonic(n.op), prim_name(n.type), name(n.block), text(n.index), text(n.value),
               space_word(n.block));
    out_.newline();
    return;
  }
  compare_and_swap(n.type, n.block, n.index, [&](const std::string& old) {
    out_.print("{} sk_old = {};", value_type(n.type), old).newline();
    return binop_text(n.op, n.type, "sk_old", text(n.value), program_.helpers);
  });
}

void KernelText::stmt(const imp::AtomicUpdate& n) {
  compare_and_swap(n.type, n.block, n.index, [&](const std::string& old) {
    bind(n.old, imp::scalar(n.type));
    note_type(n.type);
    out_.print("{} {} = {};", value_type(n.type), name(n.old), old).newline();
    statements(n.body);
    return text(n.result);
  });
}

// The threads of a group may run in lock-step, so nobody waits inside the loop for another.
void KernelText::stmt(const imp::Locked& n) {
  const std::string lock = fmt::format("sk_lock{}", labels_++);
  out_ << '{';
  out_.newline();
  {
    const Indented indented(out_);
    out_.print("volatile {3} i32* {0} = (volatile {3} i32*){1} + {2};", lock, name(n.block),
               text(n.index), space_word(n.block));
    out_.newline();
    out_ << "bool sk_done = false;";
    out_.newline();
    out_ << "while (!sk_done) {";
    out_.newline();
    {
      const Indented inside(out_);
      out_.print("if (SK_ATOM32(xchg, {}, 1) == 0) {{", lock).newline();
      {
        const Indented held(out_);
        out_ << "SK_FENCE();";
        out_.newline();
        locks_.push_back(lock);
        body(n.body);
        locks_.pop_back();
        out_ << "SK_FENCE();";
        out_.newline();
        out_.print("SK_ATOM32(xchg, {}, 0);", lock).newline();
        out_ << "sk_done = true;";
        out_.newline();
      }
      out_ << '}';
      out_.newline();
    }
    out_ << '}';
    out_.newline();
  }
  out_ << '}';
  out_.newline();
}

}  // namespace skald::clike
