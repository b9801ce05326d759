// SPDX-License-Identifier: Apache-2.0
// Device functions that call themselves, as a loop with a stack: OpenCL C has no recursion, and
// what CUDA takes for it is set aside for all threads that a device can run.
//
//   fun f (n) {                        i32 f(sk, n, result0) {
//     if (n < 2) {                       f64 x; …                  all names of the function
//       r = 1;                           sk_next: switch (sk_at) { case 0: ;
//     } else {                           if (n < 2) { r = 1; } else {
//       call (x) = f(n - 1);               push 1, n;  n = n - 1;  sk_at = 0;  goto sk_next;
//       r = n * x;                         case 1: ;  pop n;  x = sk_given0;
//     }                                    r = n * x; }
//     ret r                              sk_given0 = r;
//   }                                    if the stack is as at first: *result0 = r;  return 0;
//                                        sk_at = what was pushed;  goto sk_next; } }
//
// All ways lead over `sk_next`, where threads that go together meet again.  A frame has a word that
// says where to go on (the number of the call, the words of the frame, the place in the source) and
// a word for each value that is needed then (OwnCalls).  The stack is the end of the thread's
// heap, which is repeated with a larger one if it was too small.
#include "codegen/clike/recursion.h"

#include <algorithm>

#include "codegen/clike/kernel_text.h"
#include "imp/ir/visit.h"

namespace skald::clike {

using core::Name;
using core::Operand;

// ---- what is needed after a call, from the end of the function to its beginning; a block that its
// scope owns is needed at the scope's end, where it is given back

OwnCalls::OwnCalls(const imp::Function& fn) : fn_(fn) {
  for (const imp::Decl& d : fn.params) {
    bound_.push_back(d.name);
    handed_on_.insert(d.name);
  }
  collect(fn.body);
  if (calls_.empty()) return;
  kept_.resize(calls_.size());
  Names live;
  for (const Operand& result : fn.ret)
    if (const Name* name = core::as_name(result)) live.insert(*name);
  before(fn.body, std::move(live));
  for (size_t k = 0; k < calls_.size(); ++k)
    for (const Name name : bound_)
      if (kept_[k].contains(name) && !handed_on_.contains(name)) calls_[k].kept.push_back(name);
}

const OwnCall* OwnCalls::find(const imp::Call& call) const {
  const auto found =
      std::ranges::find_if(calls_, [&](const OwnCall& own) { return own.call == &call; });
  return found == calls_.end() ? nullptr : &*found;
}

void OwnCalls::collect(const imp::Body& body) {
  for (const imp::Stmt& stmt : body.stmts) {
    imp::for_each_binder(stmt,
                         [&](Name name, imp::Type, imp::BinderScope) { bound_.push_back(name); });
    if (const auto* call = imp::as<imp::Call>(stmt); call != nullptr && call->fn == fn_.name) {
      calls_.push_back({call, static_cast<int>(calls_.size()) + 1, {}});
      for (size_t k = 0; k < call->args.size(); ++k)
        if (!(call->args[k] == Operand{fn_.params[k].name})) handed_on_.erase(fn_.params[k].name);
    }
    imp::for_each_body(stmt, [&](const imp::Body& inner) { collect(inner); });
  }
}

OwnCalls::Names OwnCalls::before(const imp::Body& body, Names live) {
  for (const imp::Stmt& stmt : body.stmts)
    imp::for_each_binder(stmt, [&](Name name, imp::Type type, imp::BinderScope) {
      if (type.is_block()) live.insert(name);
    });
  for (size_t k = body.stmts.size(); k-- > 0;) live = before(body.stmts[k], std::move(live));
  return live;
}

OwnCalls::Names OwnCalls::before_loop(const imp::Body& body, const std::vector<Operand>& each_round,
                                      Names live) {
  for (const Operand& operand : each_round)
    if (const Name* name = core::as_name(operand)) live.insert(*name);
  for (size_t size = 0; size != live.size();) {
    size = live.size();
    for (const Name name : before(body, live)) live.insert(name);
  }
  return live;
}

OwnCalls::Names OwnCalls::before(const imp::Stmt& stmt, Names live) {
  imp::for_each_binder(stmt, [&](Name name, imp::Type, imp::BinderScope) { live.erase(name); });
  if (const auto* call = imp::as<imp::Call>(stmt); call != nullptr && call->fn == fn_.name) {
    const OwnCall* own = find(*call);
    kept_[static_cast<size_t>(own->number) - 1].insert(live.begin(), live.end());
  }
  if (const auto* branch = imp::as<imp::If>(stmt)) {
    Names others = before(branch->else_body, live);
    live = before(branch->then_body, std::move(live));
    live.merge(others);
  } else if (const auto* loop = imp::as<imp::For>(stmt)) {
    live = before_loop(loop->body, {loop->var, loop->end, loop->step}, std::move(live));
    live.erase(loop->var);
  } else if (const auto* rounds = imp::as<imp::While>(stmt)) {
    live = before_loop(rounds->body, {rounds->cond}, std::move(live));
  } else {
    // Other bodies hold no calls; what they use is needed here.
    imp::for_each_body(stmt,
                       [&](const imp::Body& inner) { live = before(inner, std::move(live)); });
  }
  if (const auto* assign = imp::as<imp::Assign>(stmt)) {
    live.erase(assign->var);
    if (const Name* name = core::as_name(assign->value)) live.insert(*name);
    return live;
  }
  imp::for_each_use(stmt, [&](const Operand& operand) {
    if (const Name* name = core::as_name(operand)) live.insert(*name);
  });
  return live;
}

// ---- text

namespace {

// Bits of a frame's first word.
constexpr int kWordsAt = 16, kLocAt = 32;

std::string type_text(const imp::Type& type) {
  return type.is_block() ? "SK_GLOBAL u8*" : std::string(value_type(type.prim));
}

}  // namespace

std::string RecursiveText::declared(std::string_view type, const std::string& name) {
  declarations_.push_back(fmt::format("{} {};", type, name));
  return name;
}

std::string RecursiveText::to_word(Name name) {
  const imp::Type& type = out_.types_.at(name);
  if (type.is_block()) return fmt::format("(u64){}", out_.name(name));
  return fmt::format("(u64){}", to_bits(type.prim, out_.name(name), out_.needs_.helpers));
}

std::string RecursiveText::from_word(Name name, const std::string& word) {
  const imp::Type& type = out_.types_.at(name);
  if (type.is_block()) return fmt::format("(SK_GLOBAL u8*){}", word);
  return from_bits(type.prim, word, out_.needs_.helpers);
}

bool RecursiveText::call(const imp::Call& n) {
  const OwnCall* own = calls_.find(n);
  if (own == nullptr) return false;
  Writer& out = out_.out_;
  const size_t words = 1 + own->kept.size();
  const uint64_t where = static_cast<uint64_t>(own->number) | words << kWordsAt |
                         static_cast<uint64_t>(n.loc.index) << kLocAt;
  out.print("{{ SK_GLOBAL u64* sk_frame_at = sk_push(sk, {});", words);
  out.print(" if (sk_frame_at == 0) {}", out_.leave()).newline();
  out.print("  sk_frame_at[0] = {}UL;", where).newline();
  for (size_t k = 0; k < own->kept.size(); ++k)
    out.print("  sk_frame_at[{}] = {};", k + 1, to_word(own->kept[k])).newline();
  out.print("}}").newline();
  std::string values, moves;
  for (size_t k = 0; k < n.args.size(); ++k) {
    const imp::Decl& param = fn_.params[k];
    if (n.args[k] == Operand{param.name}) continue;
    values += fmt::format("{} sk_arg{} = {}; ", type_text(param.type), k, out_.text(n.args[k]));
    moves += fmt::format("{} = sk_arg{}; ", out_.name(param.name), k);
  }
  out.print("{{ {}{}}}", values, moves).newline();
  out.print("sk_at = 0; goto sk_next;").newline();
  out.print("case {}: ;", own->number).newline();
  out.print("{{ SK_GLOBAL u64* sk_frame_at = sk_top(sk);").newline();
  for (size_t k = 0; k < own->kept.size(); ++k)
    out.print("  {} = {};", out_.name(own->kept[k]),
              from_word(own->kept[k], fmt::format("sk_frame_at[{}]", k + 1)))
        .newline();
  out.print("  sk->stack -= {}; }}", 8 * words).newline();
  for (size_t k = 0; k < n.results.size(); ++k) {
    const imp::Decl& d = n.results[k];
    out_.bind(d.name, d.type);
    if (!d.type.is_block()) out_.note_type(d.type.prim);
    out.print("{} = sk_given{};", declared(type_text(d.type), out_.name(d.name)), k).newline();
    if (d.type.is_block()) out_.own(d.name);
  }
  return true;
}

void RecursiveText::states() {
  Writer& out = out_.out_;
  out.print("sk_next:").newline();
  out.print("switch (sk_at) {{").newline();
  out.print("case 0: ;").newline();
  out_.open_scope();
  out_.statements(fn_.body);
  for (size_t k = 0; k < fn_.ret.size(); ++k) {
    const bool is_block = fn_.results[k].is_block();
    if (is_block) out_.needs_.helpers.need(Helper::kHeap);
    const std::string value = out_.text(fn_.ret[k]);
    out.print("sk_given{} = {};", k, is_block ? fmt::format("sk_retain(sk, {})", value) : value)
        .newline();
  }
  out_.close_scope();
  give_results();
  out.print("}}").newline();
}

void RecursiveText::give_results() {
  Writer& out = out_.out_;
  out.print("if (sk->stack == sk_bottom) {{").newline();
  for (size_t k = 0; k < fn_.ret.size(); ++k)
    out.print("  *sk_result{0} = sk_given{0};", k).newline();
  out.print("  return 0;").newline();
  out.print("}}").newline();
  out.print("sk_at = (i32)(sk_top(sk)[0] & {});", (1 << kWordsAt) - 1).newline();
  out.print("goto sk_next;").newline();
}

// After a failure: its back trace has the calls on the stack.
void RecursiveText::unwind() {
  Writer& out = out_.out_;
  out.print("sk_failed:").newline();
  out.print("while (sk->stack != sk_bottom) {{").newline();
  out.print("  u64 sk_where = sk_top(sk)[0];").newline();
  out.print("  sk_frame(sk, (i32)(sk_where >> {}));", kLocAt).newline();
  out.print("  sk->stack -= 8 * (i32)(sk_where >> {} & {});", kWordsAt, (1 << kWordsAt) - 1)
      .newline();
  out.print("}}").newline();
  out.print("return 1;").newline();
}

std::string RecursiveText::body() {
  out_.needs_.helpers.need(Helper::kStack);
  out_.needs_.helpers.need(Helper::kFrame);
  out_.label_ = "sk_failed";
  Writer head = std::exchange(out_.out_, Writer());
  {
    const Indented indented(out_.out_);
    states();
    unwind();
  }
  const std::string text = std::exchange(out_.out_, std::move(head)).take();
  Writer& out = out_.out_;
  {
    const Indented indented(out);
    for (size_t k = 0; k < fn_.results.size(); ++k)
      out.print("{} sk_given{};", type_text(fn_.results[k]), k).newline();
    for (const std::string& declaration : declarations_) out.print("{}", declaration).newline();
    out.print("i32 sk_at = 0;").newline();
    out.print("i32 sk_bottom = sk->stack;").newline();
  }
  out << text;
  out.print("}}").newline();
  return out.take();
}

}  // namespace skald::clike
