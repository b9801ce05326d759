// SPDX-License-Identifier: Apache-2.0
// Values that cross branches, loops and calls: a regular value is one array, an irregular one is
// three values — how much data there is, where each instance's part begins, and the data.
#include "core/ir/visit.h"
#include "passes/lift/lift.h"

namespace skald::passes {

using namespace core;

// Sizes among the parameters differ from instance to instance, so all parameters are made known
// before a type is looked at.
std::vector<Form> Lifter::forms_of(Batch& b, const std::vector<Param>& params) {
  // All instances have the same accumulators, and so the same sizes of them.
  Names shared;
  for (const Param& p : params)
    if (p.type.kind == Type::kAcc)
      for (const Operand& dim : p.type.shape)
        if (const Name* name = as_name(dim)) shared.insert(*name);
  for (const Param& p : params) {
    if (p.type.kind == Type::kAcc) continue;
    Lifted placeholder;
    placeholder.kind = shared.contains(p.name) ? Lifted::kHost : Lifted::kRows;
    placeholder.host = p.name;
    b.values.insert_or_assign(p.name, placeholder);
  }
  std::vector<Form> forms;
  for (const Param& p : params) forms.push_back(form_of(b, p));
  return forms;
}

Form Lifter::form_of(const Batch& b, const Param& p) const {
  if (p.type.kind == Type::kAcc) return Form::kHost;
  if (p.type.is_scalar())
    if (const auto own = b.values.find(p.name);
        own != b.values.end() && own->second.kind == Lifted::kHost)
      return Form::kHost;
  return form_of(b, p.type);
}

std::vector<Param> Lifter::state_pattern(Batch& b, const std::vector<Param>& params,
                                         const Operand& width) {
  std::vector<Param> pattern;
  const Type i64 = scalar_type(Prim::kI64);
  for (const Param& p : params) {
    const Form form = form_of(b, p);
    if (p.type.kind == Type::kAcc) {
      const auto known = accs_.find(root_of(p.name));
      pattern.push_back({prog_.names.fresh_like(p.name),
                         known == accs_.end() ? host_type(b, p.type) : known->second.type});
      continue;
    }
    if (form == Form::kHost) {
      // Types that come later mention it.
      pattern.push_back({prog_.names.fresh_like(p.name), p.type});
      b.values.at(p.name).host = pattern.back().name;
      continue;
    }
    if (form == Form::kRegular) {
      pattern.push_back({prog_.names.fresh_like(p.name), array_of(width, host_type(b, p.type))});
      continue;
    }
    const Name total = prog_.names.fresh("total");
    pattern.push_back({total, i64});
    pattern.push_back({prog_.names.fresh("starts"), array_of(width, i64)});
    const Type row =
        form == Form::kSegments ? host_type(b, row_type(p.type)) : scalar_type(p.type.elem);
    pattern.push_back({prog_.names.fresh_like(p.name), array_of(total, row)});
  }
  return pattern;
}

std::vector<Operand> Lifter::state_values(Batch& b, const std::vector<Operand>& values,
                                          const std::vector<Type>& types,
                                          const std::vector<Form>& forms) {
  std::vector<Operand> result;
  for (size_t k = 0; k < values.size(); ++k) {
    if (types[k].kind == Type::kAcc) {
      result.emplace_back(host_acc(values[k]).name);
      continue;
    }
    if (forms[k] == Form::kHost) {
      const auto host = host_operand(b, values[k]);
      if (!host) refuse("the size of an accumulator differs from instance to instance");
      result.push_back(host.value_or(const_i64(0)));
      continue;
    }
    if (forms[k] == Form::kRegular) {
      result.emplace_back(rows_of(b, values[k], types[k]));
      continue;
    }
    const Canonical c = canonical(b, std::get<Name>(values[k]), forms[k]);
    result.push_back(c.total);
    result.emplace_back(c.starts);
    result.emplace_back(c.data);
  }
  return result;
}

std::vector<Form> Lifter::bind_state(Batch& b, const std::vector<Param>& params,
                                     const std::vector<Name>& names) {
  std::vector<Form> forms = forms_of(b, params);
  size_t at = 0;
  for (size_t k = 0; k < params.size(); ++k) {
    Lifted value;
    if (params[k].type.kind == Type::kAcc) {
      host_acc(params[k].name).name = names[at++];
      continue;
    }
    if (forms[k] == Form::kHost) {
      value.host = names[at++];
    } else if (forms[k] == Form::kRegular) {
      value.kind = Lifted::kRows;
      value.rows = names[at++];
    } else {
      value.kind = Lifted::kSegments;
      value.total = names[at];
      value.starts = names[at + 1];
      value.data = names[at + 2];
      value.flat = forms[k] == Form::kFlatSegments;
      at += 3;
    }
    b.values.insert_or_assign(params[k].name, value);
  }
  return forms;
}

}  // namespace skald::passes
