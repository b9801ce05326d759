// SPDX-License-Identifier: Apache-2.0
// with_acc inside a batch: one accumulator of the host, in which every instance has its part.
//
//   with_acc(acc [k] {xs} …)   of every instance    with_acc(acc [n][k] {rows} …), and the instance
//                                                   is one more index; if k differs, the arrays lie
//                                                   one after another
#include "core/ir/visit.h"
#include "passes/kernels/sequentialise.h"
#include "passes/lift/lift.h"

namespace skald::passes {

using namespace core;

// The arrays of one accumulator, with room for all instances.
void Lifter::host_arrays(Batch& b, const AccInput& input, HostAcc& acc, AccInput& all,
                         std::vector<Type>& types, std::vector<Lifted>& values) {
  const bool rows = form_of(b, type_of(input.arrays[0])) == Form::kRegular;
  Operand total = const_i64(0);
  for (const Name array : input.arrays) {
    const Type& type = type_of(array);
    Lifted value;
    if (rows) {
      value.kind = Lifted::kRows;
      all.arrays.push_back(per_instance(
          b, {type}, [&](Point& at) { return std::vector{bring(at, Operand{array})}; },
          "target")[0]);
      types.push_back(array_of(b.width, host_type(b, type)));
    } else {
      const Canonical part = densify(b, array, Form::kSegments);
      // Arrays of one accumulator have one size, which has several names here.
      if (all.arrays.empty()) {
        total = part.total;
        acc.starts = part.starts;
      }
      types.push_back(array_of(total, scalar_type(type.elem)));
      Name data = part.data;
      if (!all.arrays.empty())
        data = out_->let1(types.back(), Reshape{data, types.back().shape}, "target");
      all.arrays.push_back(data);
      value.kind = Lifted::kSegments;
      value.total = total;
      value.starts = acc.starts;
    }
    values.push_back(value);
  }
}

bool Lifter::lift_with_acc(Batch& b, const Stmt& stmt, const WithAcc& node) {
  if (!stmt.tokens.empty()) return false;
  for (const AccInput& input : node.inputs) {
    for (const Operator& op : input.op)
      if (!is_free(b, op)) return false;
    for (const Name array : input.arrays) {
      const Type& type = type_of(array);
      if (type.shape.size() != input.shape.size()) return false;
      if (type.rank() > 1 && form_of(b, type) != Form::kRegular) return false;
    }
  }
  Batch saved = b;
  const std::unordered_map<Name, HostAcc> saved_accs = accs_;
  Builder code(prog_);
  code.set_loc(loc_);
  Builder* const before = out_;
  out_ = &code;
  WithAcc host;
  std::vector<Type> types;
  std::vector<Lifted> values;
  for (size_t k = 0; k < node.inputs.size(); ++k) {
    const AccInput& input = node.inputs[k];
    const Param& param = node.fn.params[k];
    HostAcc acc{prog_.names.fresh_like(param.name), param.type, &b};
    AccInput all;
    for (const Operator& op : input.op) all.op.push_back(free_operator(b, op));
    host_arrays(b, input, acc, all, types, values);
    all.shape = types.back().shape;
    acc.type.shape = all.shape;
    host.fn.params.push_back({acc.name, acc.type});
    host.fn.results.push_back({{}, acc.type});
    host.inputs.push_back(std::move(all));
    accs_.insert_or_assign(param.name, std::move(acc));
  }
  Batch child;
  child.width = b.width;
  child.parent = &b;
  child.depth = b.depth;
  Builder inner(prog_);
  inner.set_loc(loc_);
  out_ = &inner;
  const Body& source = straightened(node.fn.body);
  for (const Name name : analysis::consumed_names(source, prog_)) consumed_.insert(name);
  lift_body(child, source);
  std::vector<Operand> results;
  for (size_t k = 0; k < node.fn.results.size() && !refused_; ++k) {
    const Type& type = node.fn.results[k].type;
    const Operand& value = source.result[k];
    if (type.kind == Type::kAcc) {
      results.emplace_back(host_acc(value).name);
      continue;
    }
    if (form_of(b, type) != Form::kRegular) {
      refuse("a value beside an accumulator whose size differs");
      break;
    }
    const Type row = host_type(b, type);
    results.emplace_back(rows_of(child, value, row));
    types.push_back(array_of(b.width, row));
    host.fn.results.push_back({{}, types.back()});
    values.emplace_back().kind = Lifted::kRows;
  }
  accs_ = saved_accs;
  out_ = before;
  if (refused_) {
    refused_ = false;
    b = std::move(saved);
    return false;
  }
  host.fn.body = inner.finish(std::move(results));
  const std::vector<Name> arrays = code.let(types, std::move(host), "acc_res");
  for (Stmt& s : code.finish({}).stmts) out_->append(std::move(s));
  for (size_t k = 0; k < stmt.pat.size(); ++k) {
    (values[k].kind == Lifted::kRows ? values[k].rows : values[k].data) = arrays[k];
    b.values.insert_or_assign(stmt.pat[k].name, values[k]);
  }
  return true;
}

}  // namespace skald::passes
