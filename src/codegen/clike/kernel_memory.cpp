// SPDX-License-Identifier: Apache-2.0
// Blocks, loads and stores of kernels as C text.
#include "codegen/clike/kernel_text.h"
#include "imp/ir/visit.h"
#include "runtime/abi.h"

namespace skald::clike {

using core::Name;
using core::Operand;
using imp::Space;

void KernelText::stmt(const imp::Load& n) {
  bind(n.name, imp::scalar(n.type));
  note_type(n.type);
  const int size = prim_size(n.type);
  const std::string value =
      n.near && size >= 4 && !is_shared(n.block)
          ? from_bits(n.type,
                      fmt::format("SK_NEAR{}(({} u{}*){} + {})", 8 * size, space_word(n.block),
                                  8 * size, name(n.block), text(n.index)),
                      needs_.helpers)
          : from_memory(n.type, element(n.block, n.type, n.index, n.fresh || n.near),
                        needs_.helpers);
  out_.print("{} = {};", declared(value_type(n.type), n.name), value);
  out_.newline();
  reciprocal(n.name);
}

void KernelText::stmt(const imp::Store& n) {
  out_.print("{} = {};", element(n.block, n.type, n.index, n.fresh),
             to_memory(n.type, text(n.value), needs_.helpers));
  out_.newline();
}

void KernelText::stmt(const imp::Alloc& n) {
  bind(n.name, imp::block(n.space));
  const std::string own_name = name(n.name);
  if (n.space == Space::kPrivate) {
    const auto element = private_elements_.find(n.name);
    const Prim type = element == private_elements_.end() ? Prim::kI64 : element->second;
    out_.print("SK_PRIVATE {} {}[{}];", memory_type(type), own_name,
               core::int_value(*core::as_const(n.bytes)) / prim_size(type));
    out_.newline();
    return;
  }
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
  needs_.helpers.need(Helper::kHeap);
  if (n.loc.index != 0) needs_.helpers.need(Helper::kFrame);
  // Where it was; nothing is noted if the thread only needs a larger heap.
  const std::string place =
      n.loc.index == 0 ? std::string() : fmt::format("sk_frame(sk, {}); ", n.loc.index);
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
    const std::string once = place.empty() ? place : "if (SK_THREAD == 0) " + place;
    out_.print("if ({} == 0) {{ {}{} }}", own_name, once, leave()).newline();
    own(n.name);
    return;
  }
  if (!position_.empty()) out_.print("sk->position = {};", position_).newline();
  out_.print("{} = sk_alloc(sk, {});", declared("SK_GLOBAL u8*", n.name), text(n.bytes)).newline();
  out_.print("if ({} == 0) {{ {}{} }}", own_name, place, leave()).newline();
  own(n.name);
}

void KernelText::stmt(const imp::BlockVar& n) {
  bind(n.name, imp::block(n.space));
  const bool owning = imp::is_owning(n.space);
  out_.print("{} = {};", declared(fmt::format("{} u8*", space_word(n.name)), n.name),
             n.init ? name(n.init) : "0");
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
  if (n.elements) return wide_copy(n);
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
  needs_.helpers.need(Helper::kCopy);
  out_.print("sk_move({} + {}, {} + {}, {});", name(n.dest), text(n.dest_offset), name(n.src),
             text(n.src_offset), text(n.bytes));
  out_.newline();
}

void KernelText::stmt(const imp::Fill& n) {
  out_.print("for (i64 sk_k = 0; sk_k < {}; ++sk_k) {}[{} + sk_k] = {};", text(n.count),
             pointer(n.type, n.block), text(n.start),
             to_memory(n.type, text(n.value), needs_.helpers));
  out_.newline();
}

}  // namespace skald::clike
