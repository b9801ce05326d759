// SPDX-License-Identifier: Apache-2.0
// Statements that touch memory, after the word that they begin with.
#include "imp/ir/visit.h"
#include "imp/text/parser.h"

namespace skald::imp {

Stmt Parser::transpose() {
  TransposeBlock n;
  expect("(");
  n.type = prim();
  n.dest = name();
  n.dest_start = index();
  expect(",");
  n.dest_stride = operand();
  expect(",");
  n.src = name();
  n.src_start = index();
  for (Operand* o : {&n.src_stride, &n.rows, &n.columns}) {
    expect(",");
    *o = operand();
  }
  expect(")");
  return ended(n);
}

Stmt Parser::scan(bool stream) {
  const bool rows = accept("rows");
  const auto [op, t] = operator_on_type();
  expect("(");
  const Name b = name();
  Operand start = index();
  expect(",");
  const Name src = name();
  Operand src_start = index();
  expect(",");
  Operand count = operand();
  expect(",");
  if (rows) {
    Operand length = operand();
    expect(")");
    return ended(ScanRows{op, t, b, start, src, src_start, count, length});
  }
  const Name carry = name();
  expect(")");
  return ended(ScanBlock{op, t, b, start, src, src_start, count, carry, stream});
}

Stmt Parser::earlier(Name name, Prim type) {
  Earlier n;
  n.name = name;
  n.type = type;
  expect("(");
  n.block = this->name();
  n.index = index();
  for (Operand* o : {&n.value, &n.by, &n.none}) {
    expect(",");
    *o = operand();
  }
  expect(")");
  return ended(n);
}

Stmt Parser::collect() {
  Collect n;
  n.again = accept("again");
  expect("(");
  n.cond = operand();
  expect(",");
  n.next = name();
  while (accept(",")) {
    Collected each;
    each.type = prim();
    each.block = name();
    expect("=");
    each.value = operand();
    n.members.push_back(each);
  }
  expect(")");
  return ended(std::move(n));
}

Stmt Parser::lock() {
  expect("(");
  const Name b = name();
  Operand i = index();
  expect(")");
  Locked n{b, i, body()};
  if (accept("meet")) {
    expect("(");
    do {
      const Prim type = prim();
      const Name own = name();
      expect("with");
      n.meetings.push_back({type, own, name()});
    } while (accept(","));
    expect(")");
    n.meet_body = body();
  }
  return Stmt{std::move(n)};
}

Stmt Parser::atomic() {
  if (accept("(")) {
    const Prim t = prim();
    const Name b = name();
    Operand i = index();
    expect("as");
    const Name old = name();
    Name given = {};
    Operand value = const_i64(0);
    if (accept("with")) {
      given = name();
      expect("=");
      value = operand();
    }
    std::vector<Operand> neutral;
    if (accept("or")) neutral.push_back(operand());
    expect(")");
    Body inner = body();
    expect("yield");
    return ended(AtomicUpdate{t, b, i, old, std::move(inner), operand(), given, value, neutral});
  }
  const auto [op, t] = operator_on_type();
  expect("(");
  const Name b = name();
  Operand i = index();
  expect(",");
  Atomic n{op, t, b, i, operand()};
  while (accept(",")) n.further.push_back(operand());
  expect(")");
  return ended(std::move(n));
}

Stmt Parser::fetch_add(Name result, Prim t) {
  expect("(");
  const Name b = name();
  Operand i = index();
  expect(",");
  Operand value = operand();
  expect(")");
  return ended(FetchAdd{result, t, b, i, value});
}

Stmt Parser::matrix() {
  expect("(");
  const Name c = name();
  expect(",");
  const Name a = name();
  expect(",");
  const Name b = name();
  expect(")");
  return ended(MatrixSum{c, a, b});
}

Stmt Parser::misaligned(Name result) {
  expect("(");
  const Prim t = prim();
  const Name b = name();
  expect(")");
  return ended(Misaligned{result, t, b});
}

Stmt Parser::fresh() {
  Stmt access = typed();
  if (Load* load = as<Load>(access))
    load->fresh = true;
  else if (Store* store = as<Store>(access))
    store->fresh = true;
  else
    fail("only loads and stores are fresh");
  return access;
}

Stmt Parser::near() {
  Stmt access = typed();
  Load* load = as<Load>(access);
  if (load == nullptr) fail("only loads are near");
  load->near = true;
  return access;
}

Stmt Parser::copy(bool overlap, bool stream) {
  CopyBytes n;
  n.overlap = overlap;
  n.stream = stream;
  expect("(");
  n.dest = name();
  expect("+");
  n.dest_offset = operand();
  expect(",");
  n.src = name();
  expect("+");
  n.src_offset = operand();
  expect(",");
  n.bytes = operand();
  expect(")");
  if (accept("by")) n.elements = prim();
  return ended(n);
}

Stmt Parser::fill() {
  Fill n;
  expect("(");
  n.type = prim();
  n.block = name();
  n.start = index();
  expect(",");
  n.count = operand();
  expect(",");
  n.value = operand();
  expect(")");
  return ended(n);
}

Stmt Parser::trace() {
  Trace n;
  expect("(");
  n.tag = string();
  expect(",");
  n.type = prim();
  n.block = name();
  n.index = index();
  while (accept(",")) n.shape.push_back(operand());
  expect(")");
  return ended(std::move(n));
}

}  // namespace skald::imp
