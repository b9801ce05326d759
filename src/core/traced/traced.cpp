// SPDX-License-Identifier: Apache-2.0
#include "core/traced/traced.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/interp/code/array.h"
#include "core/ir/visit.h"
#include "core/scalar/scalar.h"
#include "support/bug.h"

namespace skald::core {

namespace traced {

Val number(const Num& x) {
  return {{}, std::make_shared<std::vector<Num>>(1, x)};
}

Val row_of(const Val& array, int64_t i) {
  if (!array.acc.empty()) return array;
  Val row;
  row.shape.assign(array.shape.begin() + 1, array.shape.end());
  const int64_t count = array.shape[0] == 0 ? 0 : array.count() / array.shape[0];
  row.data = std::make_shared<std::vector<Num>>(array.data->begin() + i * count,
                                                array.data->begin() + (i + 1) * count);
  return row;
}

Val array_of_rows(const Vals& rows, const std::vector<int64_t>& row_shape) {
  Val array{{static_cast<int64_t>(rows.size())}, std::make_shared<std::vector<Num>>()};
  array.shape.insert(array.shape.end(), row_shape.begin(), row_shape.end());
  for (const Val& row : rows)
    array.data->insert(array.data->end(), row.data->begin(), row.data->end());
  return array;
}

Val Machine::value(const Operand& operand, const Env& env) const {
  if (const Const* c = as_const(operand)) return number({*c});
  return env.at(std::get<Name>(operand));
}

int64_t Machine::size(const Operand& operand, const Env& env) const {
  return int_value(value(operand, env).num().value);
}

Vals Machine::rows(const std::vector<Name>& inputs, int64_t i, const Env& env) const {
  Vals found;
  for (const Name input : inputs) found.push_back(row_of(env.at(input), i));
  return found;
}

void Machine::set(const Param& param, const Val& value, Env& env) {
  env.insert_or_assign(param.name, value);
}

Vals Machine::call(const Function& fn, Vals args) {
  if (++depth_ > 200) throw Stop{"calls nest too deep"};
  Env env;
  for (size_t k = 0; k < args.size(); ++k) set(fn.params[k], args[k], env);
  Vals results = run(fn.body, env);
  --depth_;
  return results;
}

Vals Machine::run(const Body& body, Env& env) {
  for (const Stmt& stmt : body.stmts) {
    const Vals values = evaluate(stmt, env);
    for (size_t k = 0; k < stmt.pat.size(); ++k) set(stmt.pat[k], values[k], env);
  }
  Vals results;
  for (const Operand& result : body.result) results.push_back(value(result, env));
  return results;
}

Vals Machine::apply(const Lambda& fn, const Vals& args, Env& env) {
  for (size_t k = 0; k < args.size(); ++k) set(fn.params[k], args[k], env);
  return run(fn.body, env);
}

Vals Machine::evaluate(const Stmt& stmt, Env& env) {
  const Exp& exp = stmt.exp;
  if (const auto* e = as<If>(exp))
    return run(value(e->cond, env).num().value.bits != 0 ? e->then_body : e->else_body, env);
  if (const auto* e = as<Loop>(exp)) return loop(*e, env);
  if (const auto* e = as<Call>(exp)) {
    Vals args;
    for (const Operand& arg : e->args) args.push_back(value(arg, env));
    return call(*prog_.find(e->fn), std::move(args));
  }
  if (const auto* e = as<Soac>(exp)) return soac(*e, env);
  if (const auto* e = as<Hist>(exp)) return hist(*e, env);
  if (const auto* e = as<Scatter>(exp)) return scatter(*e, env);
  if (const auto* e = as<Partition>(exp)) return partition(*e, env);
  if (const auto* e = as<FlatMap>(exp)) return flatmap(*e, env);
  if (const auto* e = as<WithAcc>(exp)) return with_acc(*e, env);
  if (const auto* e = as<UpdateAcc>(exp)) return {update_acc(*e, env)};
  if (const auto* e = as<Jvp>(exp)) return forward(*e, env);
  if (const auto* e = as<Vjp>(exp)) return reverse(*e, env);
  if (const auto* e = as<WithVjp>(exp)) return custom(*e, env);
  if (const auto* e = as<Assert>(exp)) {
    if (value(e->cond, env).num().value.bits == 0) throw Stop{"a check failed"};
    return {number({})};
  }
  if (const auto found = scalar(exp, env)) return {*found};
  const auto found = array(stmt, env);
  SKALD_CHECK(found, "this is not for stage SOACS");
  return {*found};
}

std::optional<Val> Machine::scalar(const Exp& exp, Env& env) {
  const auto num = [&](const Operand& o) { return value(o, env).num(); };
  if (const auto* e = as<Value>(exp)) return value(e->arg, env);
  if (const auto* e = as<Opaque>(exp)) return value(e->arg, env);
  if (const auto* e = as<Tunable>(exp)) return value(e->fallback, env);
  if (const auto* e = as<UnOp>(exp)) return number(tape_.un(e->op, e->type, num(e->arg)));
  if (const auto* e = as<BinOp>(exp))
    return number(tape_.bin(e->op, e->type, num(e->lhs), num(e->rhs)));
  if (const auto* e = as<TernOp>(exp))
    return number(tape_.tern(e->op, e->type, num(e->a), num(e->b), num(e->c)));
  if (const auto* e = as<CmpOp>(exp))
    return number({eval(e->op, e->type, num(e->lhs).value, num(e->rhs).value)});
  if (const auto* e = as<Convert>(exp)) return number(tape_.convert(e->from, e->to, num(e->arg)));
  if (const auto* e = as<Bitcast>(exp)) return number(tape_.bitcast(e->from, e->to, num(e->arg)));
  if (const auto* e = as<Select>(exp))
    return value(num(e->cond).value.bits != 0 ? e->then : e->otherwise, env);
  return std::nullopt;
}

Vals Machine::loop(const Loop& e, Env& env) {
  Vals carried;
  for (const LoopParam& p : e.params) carried.push_back(value(p.init, env));
  const int64_t rounds = e.form == Loop::kFor ? size(e.bound, env) : 0;
  for (int64_t i = 0; e.form == Loop::kWhile || i < rounds; ++i) {
    for (size_t k = 0; k < carried.size(); ++k) set(e.params[k].param, carried[k], env);
    if (e.form == Loop::kFor) set(e.var, number({const_int(e.var.type.elem, i)}), env);
    if (e.form == Loop::kWhile && env.at(e.cond).num().value.bits == 0) break;
    carried = run(e.body, env);
  }
  return carried;
}

// ---- derivatives --------------------------------------------------------------------------------

namespace {

// Numbers with nodes of their own, so that a sweep stops there.
Vals begin_anew(const Vals& values, Tape& tape, std::vector<Num>& all) {
  Vals made;
  for (const Val& v : values) {
    Val copy{v.shape, std::make_shared<std::vector<Num>>(*v.data)};
    for (Num& x : *copy.data) {
      x = tape.same(x);
      all.push_back(x);
    }
    made.push_back(std::move(copy));
  }
  return made;
}

std::vector<Num> all_numbers(const Vals& values) {
  std::vector<Num> all;
  for (const Val& v : values) all.insert(all.end(), v.data->begin(), v.data->end());
  return all;
}

// The numbers as values of the shapes of others.
void append_shaped(const std::vector<Num>& all, const Vals& like, Vals& to) {
  size_t at = 0;
  for (const Val& v : like) {
    const auto n = static_cast<size_t>(v.count());
    to.push_back({v.shape, std::make_shared<std::vector<Num>>(
                               all.begin() + static_cast<ptrdiff_t>(at),
                               all.begin() + static_cast<ptrdiff_t>(at + n))});
    at += n;
  }
}

}  // namespace

Vals Machine::forward(const Jvp& e, Env& env) {
  Vals args, tangents;
  for (const Operand& arg : e.args) args.push_back(value(arg, env));
  for (const Operand& tangent : e.tangents) tangents.push_back(value(tangent, env));
  const int64_t begin = tape_.position();
  std::vector<Num> from;
  const Vals anew = begin_anew(args, tape_, from);
  Vals results = apply(e.fn, anew, env);
  const std::vector<Num> made =
      tape_.forward(begin, from, all_numbers(tangents), all_numbers(results));
  const Vals like = results;
  append_shaped(made, like, results);
  return results;
}

Vals Machine::reverse(const Vjp& e, Env& env) {
  Vals args, bars;
  for (const Operand& arg : e.args) args.push_back(value(arg, env));
  for (const Operand& bar : e.cotangents) bars.push_back(value(bar, env));
  const int64_t begin = tape_.position();
  std::vector<Num> to;
  const Vals anew = begin_anew(args, tape_, to);
  Vals results = apply(e.fn, anew, env);
  const std::vector<Num> made = tape_.reverse(begin, all_numbers(results), all_numbers(bars), to);
  append_shaped(made, args, results);
  return results;
}

Vals Machine::custom(const WithVjp& e, Env& env) {
  Vals args;
  for (const Operand& arg : e.args) args.push_back(value(arg, env));
  const Vals results = apply(e.fn, args, env);
  const Lambda* rule = &e.rule;
  auto kept = std::make_shared<Env>(env);
  auto shown = std::make_shared<Vals>();
  const std::vector<Num> made =
      tape_.custom(all_numbers(results), all_numbers(args),
                   [this, rule, kept, shown](const std::vector<Num>& bars) {
                     Vals given = *shown;
                     append_shaped(bars, *shown, given);
                     return all_numbers(apply(*rule, given, *kept));
                   });
  append_shaped(made, results, *shown);
  return *shown;
}

// ---- arguments and results ----------------------------------------------------------------------

namespace {

Val traced_value(const ArrayValue& array) {
  Val v{array.shape, std::make_shared<std::vector<Num>>()};
  const int bytes = prim_size(array.elem);
  const size_t count = array.data->size() / static_cast<size_t>(bytes);
  for (size_t k = 0; k < count; ++k)
    v.data->push_back(
        {{array.elem,
          interp::load_bits(array.data->data() + k * static_cast<size_t>(bytes), bytes)}});
  return v;
}

ArrayValue plain_value(const Val& v, Prim elem) {
  ArrayValue array{elem, v.shape, std::make_shared<std::vector<std::byte>>()};
  const auto bytes = static_cast<size_t>(prim_size(elem));
  array.data->resize(v.data->size() * bytes);
  for (size_t k = 0; k < v.data->size(); ++k)
    interp::store_bits(array.data->data() + k * bytes, static_cast<int>(bytes),
                       (*v.data)[k].value.bits);
  return array;
}

}  // namespace

}  // namespace traced

Result<std::vector<ArrayValue>, RuntimeError> interpret_by_tape(const Program& prog,
                                                                std::string_view fn,
                                                                const std::vector<ArrayValue>& args,
                                                                TapeFacts* facts) {
  const Function& function = *prog.find(fn);
  traced::Machine machine(prog);
  traced::Vals values;
  for (const ArrayValue& arg : args) values.push_back(traced::traced_value(arg));
  try {
    const traced::Vals results = machine.call(function, std::move(values));
    if (facts != nullptr)
      *facts = {machine.tape().has_wild_slope(), machine.tape().rounds_tangents()};
    std::vector<ArrayValue> plain;
    for (size_t k = 0; k < results.size(); ++k)
      plain.push_back(traced::plain_value(results[k], function.results[k].type.elem));
    return plain;
  } catch (const traced::Stop& stop) {
    return Failure(RuntimeError{.message = stop.message, .backtrace = {}});
  }
}

}  // namespace skald::core
