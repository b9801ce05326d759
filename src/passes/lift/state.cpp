// SPDX-License-Identifier: Apache-2.0
// Values that cross branches, loops and calls: a regular value is one array, an irregular one is
// three values — how much data there is, where each instance's part begins, and the data.
#include "core/visit.h"
#include "passes/lift/lift.h"

namespace skald::passes {

using namespace core;

// Sizes among the parameters differ from instance to instance, so all parameters are made known
// before a type is looked at.
std::vector<Form> Lifter::forms_of(Batch& b, const std::vector<Param>& params) {
  for (const Param& p : params) {
    Lifted placeholder;
    placeholder.kind = Lifted::kRows;
    b.values.insert_or_assign(p.name, placeholder);
  }
  std::vector<Form> forms;
  for (const Param& p : params) forms.push_back(form_of(b, p.type));
  return forms;
}

std::vector<Param> Lifter::state_pattern(const Batch& b, const std::vector<Param>& params,
                                         const Operand& width) {
  std::vector<Param> pattern;
  const Type i64 = scalar_type(Prim::kI64);
  for (const Param& p : params) {
    const Form form = form_of(b, p.type);
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
    if (forms[k] == Form::kRegular) {
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
