// SPDX-License-Identifier: Apache-2.0
// with_acc inside a batch: one accumulator of the host, in which every instance has its part.
//
//   with_acc(acc [k] {xs} …)   of every instance    with_acc(acc [n][k] {rows} …), and the instance
//                                                   is one more index; if k differs, the arrays lie
//                                                   one after another
#include "core/ir/visit.h"
#include "passes/lift/accumulators/accumulators.h"
#include "passes/lift/batch/kernels.h"
#include "passes/lift/batch/segments.h"

namespace skald::passes::lift {

using namespace core;

// The arrays of one accumulator, with room for all instances.
static void host_arrays(Lifting& lifting, Batch& b, const AccInput& input, HostAcc& acc,
                        AccInput& all, std::vector<Type>& types, std::vector<Lifted>& values) {
  const bool rows = b.form_of(lifting.facts.type_of(input.arrays[0])) == Form::kRegular;
  Operand total = const_i64(0);
  for (const Name array : input.arrays) {
    const Type& type = lifting.facts.type_of(array);
    Lifted value;
    if (rows) {
      value.kind = Lifted::kRows;
      all.arrays.push_back(per_instance(
          lifting, b, {type}, [&](Point& at) { return std::vector{at.bring(Operand{array})}; },
          "target")[0]);
      types.push_back(array_of(b.width, b.host_type(type)));
    } else {
      const Canonical part = densify(lifting, b, array, Form::kSegments);
      // Arrays of one accumulator have one size, which has several names here.
      if (all.arrays.empty()) {
        total = part.total;
        acc.starts = part.starts;
      }
      types.push_back(array_of(total, scalar_type(type.elem)));
      Name data = part.data;
      if (!all.arrays.empty())
        data = lifting.out->let1(types.back(), Reshape{data, types.back().shape}, "target");
      all.arrays.push_back(data);
      value.kind = Lifted::kSegments;
      value.total = total;
      value.starts = acc.starts;
    }
    values.push_back(value);
  }
}

bool lift_with_acc(Lifting& lifting, Batch& b, const Stmt& stmt, const WithAcc& node) {
  if (!stmt.tokens.empty()) return false;
  for (const AccInput& input : node.inputs) {
    for (const Operator& op : input.op)
      if (!is_free(b, op)) return false;
    for (const Name array : input.arrays) {
      const Type& type = lifting.facts.type_of(array);
      if (type.shape.size() != input.shape.size()) return false;
      if (type.rank() > 1 && b.form_of(type) != Form::kRegular) return false;
    }
  }
  Batch saved = b;
  const HostAccs saved_accs = lifting.accs;
  Builder code(lifting.prog);
  code.set_loc(lifting.loc);
  Builder* const before = lifting.out;
  lifting.out = &code;
  WithAcc host;
  std::vector<Type> types;
  std::vector<Lifted> values;
  for (size_t k = 0; k < node.inputs.size(); ++k) {
    const AccInput& input = node.inputs[k];
    const Param& param = node.fn.params[k];
    HostAcc acc{lifting.prog.names.fresh_like(param.name), param.type, &b};
    AccInput all;
    for (const Operator& op : input.op) all.op.push_back(free_operator(lifting, b, op));
    host_arrays(lifting, b, input, acc, all, types, values);
    all.shape = types.back().shape;
    acc.type.shape = all.shape;
    host.fn.params.push_back({acc.name, acc.type});
    host.fn.results.push_back({{}, acc.type});
    host.inputs.push_back(std::move(all));
    lifting.accs.insert_or_assign(param.name, std::move(acc));
  }
  Batch child = same_instances(b);
  Builder inner(lifting.prog);
  inner.set_loc(lifting.loc);
  lifting.out = &inner;
  const Body& source = straightened(lifting, node.fn.body);
  for (const Name name : analysis::consumed_names(source, lifting.prog))
    lifting.consumed.insert(name);
  lifting.lift_body(child, source);
  std::vector<Operand> results;
  for (size_t k = 0; k < node.fn.results.size() && !lifting.refused; ++k) {
    const Type& type = node.fn.results[k].type;
    const Operand& value = source.result[k];
    if (type.kind == Type::kAcc) {
      results.emplace_back(lifting.host_acc(value).name);
      continue;
    }
    if (b.form_of(type) != Form::kRegular) {
      lifting.refuse("a value beside an accumulator whose size differs");
      break;
    }
    const Type row = b.host_type(type);
    results.emplace_back(rows_of(lifting, child, value, row));
    types.push_back(array_of(b.width, row));
    host.fn.results.push_back({{}, types.back()});
    values.emplace_back().kind = Lifted::kRows;
  }
  lifting.accs = saved_accs;
  lifting.out = before;
  if (lifting.refused) {
    lifting.refused = false;
    b = std::move(saved);
    return false;
  }
  host.fn.body = inner.finish(std::move(results));
  const std::vector<Name> arrays = code.let(types, std::move(host), "acc_res");
  for (Stmt& s : code.finish({}).stmts) lifting.out->append(std::move(s));
  for (size_t k = 0; k < stmt.pat.size(); ++k) {
    (values[k].kind == Lifted::kRows ? values[k].rows : values[k].data) = arrays[k];
    b.bind(stmt.pat[k].name, values[k]);
  }
  return true;
}

}  // namespace skald::passes::lift
