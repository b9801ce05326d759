// SPDX-License-Identifier: Apache-2.0
// imp → instructions: functions, slots and bodies.
#include "imp/interp/compile.h"

#include "imp/interp/writer.h"
#include "imp/ir/visit.h"
#include "support/bug.h"

namespace skald::imp::interp {

void Writer::function(const Function& fn) {
  out_.fn = &fn;
  for (const Decl& d : fn.params) out_.params.push_back({d.type.is_block(), 0, bind(d)});
  statements(fn.body);
  for (size_t k = 0; k < fn.ret.size(); ++k) {
    const bool is_block = fn.results[k].is_block();
    out_.results.push_back(
        {is_block, is_block ? block(*core::as_name(fn.ret[k])) : use(fn.ret[k]), 0});
  }
  emit({.run = run_return});
  std::ranges::reverse(out_.constants);
}

std::pair<const Function*, const FunctionCode*> Writer::callee(std::string_view name) const {
  for (size_t k = 0; k < prog_.functions.size(); ++k)
    if (prog_.functions[k].name == name) return {&prog_.functions[k], &functions_[k]};
  SKALD_BUG("no function \"{}\"", name);
}

int32_t Writer::bind(const Decl& d) {
  types_[d.name.id] = d.type;
  if (!d.type.is_block()) return places_[d.name.id] = fresh();
  out_.blocks = std::max(out_.blocks, blocks_ + 1);
  return places_[d.name.id] = blocks_++;
}

int32_t Writer::use(const Operand& operand) {
  if (const Name* name = core::as_name(operand)) return places_.at(name->id);
  return constant(core::as_const(operand)->bits);
}

int32_t Writer::constant(uint64_t bits) {
  const auto [found, added] =
      constants_.try_emplace(bits, -1 - static_cast<int32_t>(constants_.size()));
  if (added) out_.constants.push_back(bits);
  return found->second;
}

int32_t Writer::copy(const Operand& operand) {
  const int32_t from = use(operand);
  if (from < 0) return from;
  const int32_t to = fresh();
  emit({.run = run_move, .dst = to, .a = from});
  return to;
}

Prim Writer::type_of(const Operand& operand) const {
  const Name* name = core::as_name(operand);
  return name == nullptr ? core::as_const(operand)->type : types_.at(name->id).prim;
}

size_t Writer::emit(Instr instr) {
  out_.code.push_back(instr);
  out_.sources.push_back(stmt_);
  return out_.code.size() - 1;
}

LaunchCode& Writer::launch(size_t instr) {
  auto& all = std::get<std::deque<LaunchCode>>(out_.nodes);
  const auto found = std::ranges::find_if(
      all, [&](const LaunchCode& code) { return &code == out_.code[instr].node; });
  SKALD_CHECK(found != all.end(), "instruction {} is no launch", instr);
  return *found;
}

void Writer::statements(const Body& body) {
  for (const Stmt& s : body.stmts) {
    stmt_ = &s;
    visit(s.node, [&](const auto& n) { write(*this, n); });
    stmt_ = &s;
  }
}

std::vector<FunctionCode> compile(const Program& prog, const core::Tuning& tuning) {
  std::vector<FunctionCode> functions(prog.functions.size());
  for (size_t k = 0; k < functions.size(); ++k)
    Writer(prog, tuning, functions, functions[k]).function(prog.functions[k]);
  return functions;
}

}  // namespace skald::imp::interp
