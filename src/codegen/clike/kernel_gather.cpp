// SPDX-License-Identifier: Apache-2.0
// Threads of a warp that wait in a loop, for a lock or until they have swapped a word, let the others
// go on meanwhile.  Nothing brings them together again: from then on the parts of the warp do one
// after the other what they could do at once, for all rounds of the loop around.  So the text says
// where they meet: behind the outermost branch around such a loop.
//
//   SK_NOTE_LANES(sk_meet0);
//   if (v7) {
//     …            // compares and swaps until it has its turn
//   }
//   SK_GATHER(sk_meet0);
#include "codegen/clike/kernel_text.h"
#include "imp/ir/visit.h"

namespace skald::clike {

namespace {

// May a thread leave it other than at its end, or must all threads of a group come there?
bool may_part_for_good(const imp::Stmt& stmt) {
  if (imp::as<imp::Check>(stmt) || imp::as<imp::Stop>(stmt) || imp::as<imp::Attempt>(stmt) ||
      imp::as<imp::Call>(stmt) || imp::as<imp::Barrier>(stmt) || imp::as<imp::Shuffle>(stmt) ||
      imp::as<imp::Ballot>(stmt))
    return true;
  bool found = false;
  imp::for_each_body(stmt, [&](const imp::Body& body) {
    for (const imp::Stmt& inner : body.stmts) found = found || may_part_for_good(inner);
  });
  return found;
}

}  // namespace

bool KernelText::has_waits(const imp::Stmt& stmt) const {
  if (imp::as<imp::AtomicUpdate>(stmt) || imp::as<imp::Locked>(stmt)) return true;
  if (const auto* n = imp::as<imp::Atomic>(stmt))
    return !types_.contains(n->block) || is_swapped(*n);  // its block may be declared inside
  bool found = false;
  imp::for_each_body(stmt, [&](const imp::Body& body) {
    for (const imp::Stmt& inner : body.stmts) found = found || has_waits(inner);
  });
  return found;
}

bool KernelText::goes_on_together(const imp::Stmt& stmt) const {
  return !gathers_ && !recursive_ && has_waits(stmt) && !may_part_for_good(stmt);
}

void KernelText::gathered(const imp::Stmt& stmt) {
  const std::string lanes = fmt::format("sk_meet{}", labels_++);
  out_.print("SK_NOTE_LANES({});", lanes).newline();
  const bool outer = std::exchange(gathers_, true);
  imp::visit(stmt.node, [&](const auto& n) { this->stmt(n); });
  gathers_ = outer;
  out_.print("SK_GATHER({});", lanes).newline();
}

}  // namespace skald::clike
