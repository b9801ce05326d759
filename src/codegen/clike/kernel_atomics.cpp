// SPDX-License-Identifier: Apache-2.0
// Atomic updates and locks of kernels as C text.
#include <optional>

#include "codegen/clike/kernel_text.h"
#include "imp/ir/visit.h"

namespace skald::clike {

using core::Name;
using core::Operand;

namespace {

// Nanoseconds.
constexpr int kFirstWait = 64, kMostWait = 8192;
// Before threads that want the same word look for each other, which takes as long as some tries; in
// the device's memory others that want it are better off without.  They are written out: in a loop
// without a known end NVIDIA's compilers let the warp part, and nothing brings it together again.
constexpr int kNearTries = 4, kFarTries = 1, kTries = 2;

bool is_atomic_word(core::BinOpKind op, Prim type) {
  using enum core::BinOpKind;
  return (op == kAdd || op == kMin || op == kMax || op == kAnd || op == kOr || op == kXor) &&
         is_int(type) && prim_size(type) >= 4;
}

bool is_float_sum(core::BinOpKind op, Prim type) {
  return op == core::BinOpKind::kAdd && (type == Prim::kF32 || type == Prim::kF64);
}

// The update, if devices may have an instruction for it.
std::optional<imp::Atomic> instruction_of(const imp::AtomicUpdate& n) {
  if (!n.given || n.body.stmts.size() != 1) return std::nullopt;
  const auto* let = imp::as<imp::Let>(n.body.stmts[0]);
  const auto* node = let == nullptr ? nullptr : std::get_if<core::BinOp>(&let->exp);
  if (node == nullptr || !(n.result == Operand{let->name})) return std::nullopt;
  const Operand old = n.old, given = n.given;
  const bool both =
      (node->lhs == old && node->rhs == given) || (node->lhs == given && node->rhs == old);
  if (!both || !(is_atomic_word(node->op, n.type) || is_float_sum(node->op, n.type)))
    return std::nullopt;
  return imp::Atomic{node->op, n.type, n.block, n.index, n.value};
}

// Those who wait for an element of the device's memory ask for it less and less often, and get out
// of the way of whoever could change it.
void wait_longer(Writer& out, std::string_view then) {
  out << "#ifdef SK_WAIT";
  out.newline();
  out.print(
      "if (!sk_done) {{ SK_WAIT(sk_wait); sk_wait = sk_wait < {0} ? 2 * sk_wait : {0}; {1} }}",
      kMostWait, then);
  out.newline();
  out << "#endif";
  out.newline();
}

// What changes nothing has been done already.
void swap_or_leave(Writer& out, int bits) {
  out << "if (sk_new == sk_seen) break;";
  out.newline();
  out.print("u{0} sk_got = SK_CAS{0}(sk_word, sk_seen, sk_new);", bits).newline();
  out << "if (sk_got == sk_seen) break;";
  out.newline();
  out << "sk_seen = sk_got;";
  out.newline();
}

void swap_once(Writer& out, int bits) {
  out.print("u{0} sk_got = sk_new == sk_seen ? sk_seen : SK_CAS{0}(sk_word, sk_seen, sk_new);",
            bits);
  out.newline();
  out << "sk_done = sk_got == sk_seen;";
  out.newline();
  out << "sk_seen = sk_got;";
  out.newline();
}

// Meeting takes longer than others need to change a word that is near, and to look again does not.
void look_again(Writer& out) {
  out << "#ifdef SK_WARPS";
  out.newline();
  out << "if (!sk_done) sk_seen = *sk_word;";
  out.newline();
  out << "#endif";
  out.newline();
}

void atomic_word(Writer& out, const imp::Atomic& n, const std::string& place,
                 const std::string& value) {
  out.print("SK_ATOM{}({}, {}, {});", 8 * prim_size(n.type), core::mnemonic(n.op), place, value);
  out.newline();
}

}  // namespace

void KernelText::compare_and_swap(Prim type, Name block, const std::string& index,
                                  const std::function<std::string(const std::string& old)>& combine,
                                  const std::function<void()>& after) {
  const int size = prim_size(type);
  const std::string_view word = size == 8 ? "u64" : "u32";
  out_ << '{';
  out_.newline();
  {
    const Indented indented(out_);
    std::string old_bits = "sk_seen", new_bits = "sk_next";
    if (size >= 4) {
      out_.print("volatile {3} {0}* sk_word = (volatile {3} {0}*){1} + {2};", word, name(block),
                 index, space_word(block));
      out_.newline();
    } else {
      // The word around a narrow element.
      out_.print("u64 sk_place = (u64)({} + ({}) * {});", name(block), index, size).newline();
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
    const int bits = size == 8 ? 64 : 32;
    const auto rounds = [&](const std::string& loop, const std::function<void()>& swap) {
      out_.print("{} {{", loop).newline();
      {
        const Indented inside(out_);
        const std::string result = combine(from_bits(type, old_bits, needs_.helpers));
        out_.print("{} sk_next = ({}){};", word, word, to_bits(type, result, needs_.helpers));
        out_.newline();
        out_.print("{} sk_new = {};", word, new_bits).newline();
        swap();
      }
      out_ << '}';
      out_.newline();
    };
    if (!after && is_shared(block)) {
      rounds("for (;;)", [&] { swap_or_leave(out_, bits); });
    } else {
      out_ << "bool sk_done = false;";
      out_.newline();
      const int tries = !after ? kTries : is_shared(block) ? kNearTries : kFarTries;
      if (tries > 1) {
        out_ << "SK_UNROLL";
        out_.newline();
      }
      rounds(fmt::format("for (i32 sk_try = 0; sk_try < {} && !sk_done; sk_try += 1)", tries),
             [&] { swap_once(out_, bits); });
      if (after && !is_shared(block)) out_.print("u32 sk_wait = {};", kFirstWait).newline();
      rounds("while (!sk_done)", [&] {
        swap_once(out_, bits);
        if (!after) return;
        after();
        is_shared(block) ? look_again(out_) : wait_longer(out_, "sk_seen = *sk_word;");
      });
    }
  }
  out_ << '}';
  out_.newline();
}

void KernelText::stmt(const imp::Atomic& n) {
  if (n.further.empty()) return atomic_element(n, text(n.index), text(n.value));
  std::vector<std::string> values = {text(n.value)};
  for (const Operand& value : n.further) values.push_back(text(value));
  const bool four = values.size() == 4 && n.op == core::BinOpKind::kAdd && n.type == Prim::kF32 &&
                    !is_shared(n.block);
  if (four) {
    out_ << "#ifdef SK_ADD_FOUR";
    out_.newline();
    out_.print("SK_ADD_FOUR((volatile {} f32*){} + {}, {});", space_word(n.block), name(n.block),
               text(n.index), fmt::join(values, ", "))
        .newline();
    out_ << "#else";
    out_.newline();
  }
  for (size_t k = 0; k < values.size(); ++k)
    atomic_element(n, fmt::format("{} + {}", text(n.index), k), values[k]);
  if (four) {
    out_ << "#endif";
    out_.newline();
  }
}

void KernelText::atomic_element(const imp::Atomic& n, const std::string& index,
                                const std::string& value) {
  const std::string place = fmt::format("(volatile {} {}*){} + {}", space_word(n.block),
                                        value_type(n.type), name(n.block), index);
  if (is_atomic_word(n.op, n.type)) return atomic_word(out_, n, place, value);
  if (is_shared(n.block) || !is_float_sum(n.op, n.type)) return swap_sum(n, index, value);
  add_float(n, place, index, value);
}

void KernelText::add_float(const imp::Atomic& n, const std::string& place, const std::string& index,
                           const std::string& value) {
  out_ << "#ifdef SK_ADD_FLOAT";
  out_.newline();
  out_.print("SK_ADD_FLOAT({}, {});", place, value).newline();
  out_ << "#else";
  out_.newline();
  swap_sum(n, index, value);
  out_ << "#endif";
  out_.newline();
}

void KernelText::swap_sum(const imp::Atomic& n, const std::string& index,
                          const std::string& value) {
  compare_and_swap(n.type, n.block, index, [&](const std::string& old) {
    out_.print("{} sk_old = {};", value_type(n.type), old).newline();
    return binop_text(n.op, n.type, "sk_old", value, needs_.helpers);
  });
}

// Memory of the device updates one element after another: threads of a warp that have the same one
// combine their values first.
void KernelText::atomic_of_warp(const imp::Atomic& n) {
  const std::string type(value_type(n.type));
  out_ << '{';
  out_.newline();
  {
    const Indented indented(out_);
    out_.print("volatile {0} {1}* sk_to = (volatile {0} {1}*){2} + {3};", space_word(n.block), type,
               name(n.block), text(n.index));
    out_.newline();
    out_.print("{} sk_given = {};", type, text(n.value)).newline();
    out_ << "bool sk_done = false;";
    out_.newline();
    meet("sk_to", {{type, "sk_given", "sk_other"}}, [&] {
      out_.print("sk_given = {};",
                 binop_text(n.op, n.type, "sk_given", "sk_other", needs_.helpers));
      out_.newline();
    });
    out_ << "if (!sk_done) {";
    out_.newline();
    {
      const Indented first(out_);
      if (is_float_sum(n.op, n.type))
        add_float(n, "sk_to", text(n.index), "sk_given");
      else
        atomic_word(out_, n, "sk_to", "sk_given");
    }
    out_ << '}';
    out_.newline();
  }
  out_ << '}';
  out_.newline();
}

void KernelText::stmt(const imp::FetchAdd& n) {
  bind(n.name, imp::scalar(n.type));
  out_.print("{1} = SK_ATOM{2}(add, (volatile {3} {0}*){4} + {5}, {6});", value_type(n.type),
             declared(value_type(n.type), n.name), 8 * prim_size(n.type), space_word(n.block),
             name(n.block), text(n.index), text(n.value));
  out_.newline();
}

void KernelText::stmt(const imp::AtomicUpdate& n) {
  note_type(n.type);
  if (const std::optional<imp::Atomic> simple = instruction_of(n); simple && !is_shared(n.block))
    return atomic_of_warp(*simple);
  const auto apply = [&](const std::string& old, const std::string& given) {
    bind(n.old, imp::scalar(n.type));
    out_.print("{} {} = {};", value_type(n.type), name(n.old), old).newline();
    if (n.given) {
      bind(n.given, imp::scalar(n.type));
      out_.print("{} {} = {};", value_type(n.type), name(n.given), given).newline();
    }
    statements(n.body);
    return text(n.result);
  };
  if (!n.given) {
    return compare_and_swap(n.type, n.block, text(n.index),
                            [&](const std::string& old) { return apply(old, {}); });
  }
  out_ << '{';
  out_.newline();
  {
    const Indented indented(out_);
    out_.print("{} sk_given = {};", value_type(n.type), text(n.value)).newline();
    if (!n.neutral.empty() && is_shared(n.block) && prim_size(n.type) >= 4)
      swap_and_exchange(n, apply);
    else
      compare_and_swap(
          n.type, n.block, text(n.index),
          [&](const std::string& old) { return apply(old, "sk_given"); }, [&] { meet(n, apply); });
  }
  out_ << '}';
  out_.newline();
}

// Who is not the first to swap takes what is there, leaves nothing, and puts the combination back,
// until nobody has put something there meanwhile.  So each thread makes progress at each step,
// where those who compare wait for each other.
void KernelText::swap_and_exchange(const imp::AtomicUpdate& n, const Combine& apply) {
  const int bits = prim_size(n.type) == 8 ? 64 : 32;
  const auto as_bits = [&](const std::string& value) {
    return fmt::format("(u{})({})", bits, to_bits(n.type, value, needs_.helpers));
  };
  const auto of_bits = [&](const std::string& word) {
    return from_bits(n.type, word, needs_.helpers);
  };
  const auto braces = [&](std::string_view head, const std::function<void()>& body) {
    out_.print("{} {{", head).newline();
    {
      const Indented inside(out_);
      body();
    }
    out_ << '}';
    out_.newline();
  };
  const auto line = [&](const std::string& text) {
    out_ << text;
    out_.newline();
  };
  line(fmt::format("volatile {0} u{1}* sk_word = (volatile {0} u{1}*){2} + {3};",
                   space_word(n.block), bits, name(n.block), text(n.index)));
  line(fmt::format("u{} sk_seen = *sk_word;", bits));
  line(fmt::format("u{} sk_next;", bits));
  braces("", [&] {
    line(fmt::format("sk_next = {};", as_bits(apply(of_bits("sk_seen"), "sk_given"))));
  });
  const auto apart = [&] {
    const std::string none = as_bits(text(n.neutral[0]));
    line(fmt::format("u{0} sk_taken = SK_ATOM{0}(xchg, sk_word, {1});", bits, none));
    line(fmt::format("sk_given = {};", apply(of_bits("sk_taken"), "sk_given")));
    line(fmt::format("u{0} sk_got = SK_ATOM{0}(xchg, sk_word, {1});", bits, as_bits("sk_given")));
    line(fmt::format("if (sk_got == {}) break;", none));
    line(fmt::format("sk_given = {};", of_bits("sk_got")));
  };
  braces(fmt::format("if (sk_next != sk_seen && SK_CAS{}(sk_word, sk_seen, sk_next) != sk_seen)",
                     bits),
         [&] { braces("for (;;)", apart); });
}

void KernelText::meet(const imp::AtomicUpdate& n, const Combine& apply) {
  meet(prim_size(n.type) >= 4 ? "sk_word" : "sk_place",
       {{value_type(n.type), "sk_given", "sk_other"}},
       [&] { out_.print("sk_given = {};", apply("sk_given", "sk_other")).newline(); });
}

// Threads of a warp that wait for the same element combine their values, pair by pair, and one of
// them goes on.
void KernelText::meet(std::string_view place, const std::vector<MeetingValue>& values,
                      const std::function<void()>& combine) {
  out_ << "#ifdef SK_WARPS";
  out_.newline();
  out_ << "if (!sk_done) {";
  out_.newline();
  {
    const Indented indented(out_);
    out_ << "u32 sk_mask = SK_ACTIVE;";
    out_.newline();
    out_.print("u32 sk_peers = SK_MATCH(sk_mask, (u64){});", place);
    out_.newline();
    out_ << "u32 sk_rank = SK_POPC32(sk_peers & SK_LANES_BELOW);";
    out_.newline();
    out_ << "sk_done = sk_rank != 0;";
    out_.newline();
    out_ << "sk_peers &= SK_LANES_ABOVE;";
    out_.newline();
    out_ << "while (SK_ANY(sk_mask, sk_peers != 0)) {";
    out_.newline();
    {
      const Indented inside(out_);
      for (const MeetingValue& each : values) {
        out_.print("{} {} = SK_FROM_LANE(sk_mask, {}, SK_FIRST_LANE(sk_peers));", each.type,
                   each.other, each.own);
        out_.newline();
      }
      out_ << "if (sk_peers != 0) {";
      out_.newline();
      {
        const Indented some(out_);
        combine();
      }
      out_ << '}';
      out_.newline();
      out_ << "sk_peers &= SK_LANES_WITH(sk_mask, (sk_rank & 1) == 0);";
      out_.newline();
      out_ << "sk_rank >>= 1;";
      out_.newline();
    }
    out_ << '}';
    out_.newline();
  }
  out_ << '}';
  out_.newline();
  out_ << "#endif";
  out_.newline();
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
    if (!is_shared(n.block)) out_.print("u32 sk_wait = {};", kFirstWait).newline();
    if (!n.meetings.empty()) {
      out_ << "bool sk_tried = false;";
      out_.newline();
    }
    out_ << "while (!sk_done) {";
    out_.newline();
    {
      const Indented inside(out_);
      out_.print("if (SK_ATOM32(xchg, {}, 1) == 0) {{", lock).newline();
      {
        const Indented held(out_);
        const std::string_view fence = is_shared(n.block) ? "SK_GROUP_FENCE();" : "SK_FENCE();";
        out_ << fence;
        out_.newline();
        locks_.push_back(lock);
        body(n.body);
        locks_.pop_back();
        out_ << fence;
        out_.newline();
        out_.print("SK_ATOM32(xchg, {}, 0);", lock).newline();
        out_ << "sk_done = true;";
        out_.newline();
      }
      out_ << '}';
      out_.newline();
      meet_at_lock(n, lock);
      if (!is_shared(n.block)) wait_longer(out_, "");
    }
    out_ << '}';
    out_.newline();
  }
  out_ << '}';
  out_.newline();
}

// Locks are held for a moment only: who finds one taken tries again before it looks for others that
// wait.
void KernelText::meet_at_lock(const imp::Locked& n, const std::string& lock) {
  if (n.meetings.empty()) return;
  std::vector<MeetingValue> values;
  for (const imp::Meeting& each : n.meetings) {
    note_type(each.type);
    bind(each.other, imp::scalar(each.type));
    values.push_back({value_type(each.type), name(each.own), name(each.other)});
  }
  out_ << "if (sk_tried) {";
  out_.newline();
  {
    const Indented indented(out_);
    meet(lock, values, [&] { body(n.meet_body); });
  }
  out_ << '}';
  out_.newline();
  out_ << "sk_tried = true;";
  out_.newline();
}

}  // namespace skald::clike
