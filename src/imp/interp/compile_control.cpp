// SPDX-License-Identifier: Apache-2.0
// Branches, loops, calls and launches as instructions.
#include "imp/interp/writer.h"
#include "imp/ir/visit.h"
#include "support/bug.h"

namespace skald::imp::interp {

namespace {

// Must the threads of a group run side by side?
bool needs_group(const Body& body) {
  return std::ranges::any_of(body.stmts, [](const Stmt& stmt) {
    const auto* alloc = as<Alloc>(stmt);
    bool found =
        as<Barrier>(stmt) != nullptr || as<WarpMeet>(stmt) != nullptr ||
        as<Shuffle>(stmt) != nullptr || as<Ballot>(stmt) != nullptr ||
        (alloc != nullptr && (alloc->space == Space::kShared || alloc->space == Space::kGroup));
    for_each_body(stmt, [&](const Body& inner) { found = found || needs_group(inner); });
    return found;
  });
}

template <class F>
void pieces(Writer& w, Name begin, Name end, int32_t all, int32_t size, F&& inside) {
  const int32_t first = w.bind(begin, Prim::kI64), last = w.bind(end, Prim::kI64);
  w.count(first, w.constant(0), all, size, [&] {
    w.emit({.run = run_add, .dst = last, .a = first, .b = size});
    w.emit({.run = run_binary,
            .dst = last,
            .a = last,
            .b = all,
            .binary = core::scalar_fn(BinOpKind::kMin, Prim::kI64)});
    inside();
  });
}

}  // namespace

void write(Writer& w, const If& n) {
  const size_t otherwise = w.emit({.run = run_jump_unless, .a = w.use(n.cond)});
  w.body(n.then_body);
  if (n.else_body.stmts.empty()) return w.jumps_here(otherwise);
  const size_t end = w.emit({.run = run_jump});
  w.jumps_here(otherwise);
  w.body(n.else_body);
  w.jumps_here(end);
}
void write(Writer& w, const For& n) {
  w.scope([&] {
    const int32_t begin = w.use(n.begin), end = w.copy(n.end), step = w.copy(n.step);
    const int32_t var = w.bind(n.var, n.type);
    if (n.type == Prim::kI64) return w.count(var, begin, end, step, [&] { w.body(n.body); });
    const int32_t more = w.fresh();
    w.emit({.run = run_move, .dst = var, .a = begin});
    const int64_t head = w.here();
    w.emit({.run = run_binary,
            .dst = more,
            .a = var,
            .b = end,
            .binary = core::scalar_fn(CmpOpKind::kLt, n.type)});
    const size_t exit = w.emit({.run = run_jump_unless, .a = more});
    w.body(n.body);
    w.emit({.run = run_binary,
            .dst = var,
            .a = var,
            .b = step,
            .binary = core::scalar_fn(BinOpKind::kAdd, n.type)});
    w.emit({.run = run_jump_back, .number = head});
    w.jumps_here(exit);
  });
}
void write(Writer& w, const While& n) {
  const int64_t head = w.here();
  const size_t exit = w.emit({.run = run_jump_unless, .a = w.use(n.cond)});
  w.body(n.body);
  w.emit({.run = run_jump_back, .number = head});
  w.jumps_here(exit);
}
void write(Writer& w, const ParallelFor& n) {
  w.scope([&] {
    const int32_t end = w.copy(n.count);
    w.count(w.bind(n.var, Prim::kI64), w.constant(0), end, w.constant(1), [&] { w.body(n.body); });
  });
}
void write(Writer& w, const ParallelRange& n) {
  w.scope([&] {
    const int32_t all = w.copy(n.count), grain = w.use(n.grain), size = w.fresh();
    w.emit({.run = run_piece, .dst = size, .a = all, .b = grain});
    pieces(w, n.begin, n.end, all, size, [&] { w.body(n.body); });
  });
}
void write(Writer& w, const ParallelChunks& n) {
  w.scope([&] {
    const int32_t all = w.copy(n.count), size = w.fresh(), wanted = w.use(n.size);
    w.emit({.run = run_binary,
            .dst = size,
            .a = wanted,
            .b = w.constant(1),
            .binary = core::scalar_fn(BinOpKind::kMax, Prim::kI64)});
    const int32_t chunk = w.bind(n.chunk, Prim::kI64);
    w.emit({.run = run_move, .dst = chunk, .a = w.constant(0)});
    pieces(w, n.begin, n.end, all, size, [&] {
      w.body(n.body);
      w.emit({.run = run_add, .dst = chunk, .a = chunk, .b = w.constant(1)});
    });
  });
}
void write(Writer& w, const Ordered& n) {
  w.body(n.body);
}
void write(Writer& w, const Call& n) {
  const auto [callee, callee_code] = w.callee(n.fn);
  CallCode code;
  code.callee = callee_code;
  code.loc = n.loc;
  // The callee's slots are given when it runs: its parameters come first.
  for (size_t k = 0; k < n.args.size(); ++k) {
    const bool is_block = callee->params[k].type.is_block();
    code.args.push_back(
        {is_block, is_block ? w.block(*core::as_name(n.args[k])) : w.use(n.args[k]), 0});
  }
  for (const Decl& d : n.results) code.results.push_back({d.type.is_block(), 0, w.bind(d)});
  w.emit(run_call, std::move(code));
}
void write(Writer& w, const Check& n) {
  CheckCode code{&n, w.use(n.cond), {}, {}};
  for (const MessagePart& part : n.message)
    if (const auto* operand = std::get_if<Operand>(&part)) {
      code.values.push_back(w.use(*operand));
      code.types.push_back(w.type_of(*operand));
    }
  w.emit(run_check, std::move(code));
}

// ---- devices

void write(Writer& w, const Launch& n) {
  LaunchCode code;
  code.groups = w.use(n.groups);
  code.threads = w.use(n.threads);
  code.shared = w.use(n.shared);
  code.slots = w.slots();
  code.blocks = w.blocks();
  code.together = needs_group(n.body);
  w.scope([&] {
    code.group = w.bind(n.group, Prim::kI64);
    code.thread = w.bind(n.thread, Prim::kI64);
    const size_t launch = w.emit(run_launch, code);
    w.body(n.body);
    w.emit({.run = run_end_of_thread});
    w.launch(launch).after = w.here();
  });
}
// Threads run in turn, and each sees what the others did.
void write(Writer&, const Fence&) {}
void write(Writer&, const MatrixSum&) {
  SKALD_BUG("matrices are for CUDA, and are not interpreted");
}
void write(Writer& w, const Barrier&) {
  w.emit({.run = run_barrier});
}
// As to a barrier, so that it is seen if some do not come.
void write(Writer& w, const WarpMeet&) {
  w.emit({.run = run_barrier});
}
void write(Writer& w, const Shuffle& n) {
  w.emit({.run = run_offer, .a = w.use(n.value)});
  const int32_t lane = w.use(n.lane);
  w.emit({.run = run_take,
          .dst = w.bind(n.name, n.type),
          .a = lane,
          .number = static_cast<int64_t>(n.kind)});
}
void write(Writer& w, const Ballot& n) {
  w.emit({.run = run_offer, .a = w.use(n.value)});
  w.emit({.run = run_ballot, .dst = w.bind(n.name, Prim::kU32)});
}
void write(Writer& w, const Attempt& n) {
  const size_t attempt = w.emit({.run = run_attempt, .a = w.use(n.position), .b = w.blocks()});
  w.body(n.body);
  w.emit({.run = run_end_of_attempt});
  w.jumps_here(attempt);
}
void write(Writer& w, const Stop&) {
  w.emit({.run = run_stop});
}

}  // namespace skald::imp::interp
