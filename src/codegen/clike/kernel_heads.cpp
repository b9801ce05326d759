// SPDX-License-Identifier: Apache-2.0
// Heads and frames of kernels and functions: what they are given, the memory they declare, how
// their threads end.
#include <algorithm>

#include "codegen/clike/kernel_text.h"
#include "imp/analysis/program_size.h"
#include "imp/ir/visit.h"

namespace skald::clike {

using core::Name;
using core::Operand;
using imp::Space;

namespace {

// Compilers of devices write every call out, so code grows with the depth of calls.  A call is some
// tens of instructions: nothing beside so many statements.
constexpr size_t kLargeFunction = 100;

}  // namespace

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
    // A variable may hold blocks of the host alone, but its owner is the group.
    const auto* variable = imp::as<imp::BlockVar>(stmt);
    found = found || (alloc != nullptr && alloc->space == Space::kGroup) ||
            (variable != nullptr && variable->space == Space::kGroup);
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
            "SK_THREAD) * sk_bytes), sk_bytes, 0, 0, 0}};",
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
  for (const imp::Decl& d : fn.params) {
    bind(d.name, d.type);
    if (!d.type.is_block()) note_type(d.type.prim);
  }
  if (recursive_.emplace(*this, fn).calls_itself()) return recursive_->body();
  recursive_.reset();
  {
    const Indented indented(out_);
    collect_private(fn.body);
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

}  // namespace skald::clike
