// SPDX-License-Identifier: Apache-2.0
// Regular values are one array, irregular ones three values.
#include "passes/lift/batch/state.h"

#include <algorithm>

#include "core/ir/visit.h"
#include "passes/lift/batch/kernels.h"
#include "passes/lift/batch/segments.h"

namespace skald::passes::lift {

using namespace core;

std::vector<Form> forms_of(Batch& b, const std::vector<Param>& params) {
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
    b.bind(p.name, placeholder);
  }
  std::vector<Form> forms;
  for (const Param& p : params) forms.push_back(b.form_of(p));
  return forms;
}

std::vector<Param> state_pattern(Lifting& lifting, Batch& b, const std::vector<Param>& params,
                                 const Operand& width) {
  std::vector<Param> pattern;
  const Type i64 = scalar_type(Prim::kI64);
  for (const Param& p : params) {
    const Form form = b.form_of(p);
    if (p.type.kind == Type::kAcc) {
      const auto known = lifting.accs.find(lifting.facts.accs().root_of(p.name));
      pattern.push_back({lifting.prog.names.fresh_like(p.name),
                         known == lifting.accs.end() ? b.host_type(p.type) : known->second.type});
      continue;
    }
    if (form == Form::kHost) {
      // Types that come later mention it.
      pattern.push_back({lifting.prog.names.fresh_like(p.name), p.type});
      b.values.at(p.name).host = pattern.back().name;
      continue;
    }
    if (form == Form::kRegular) {
      pattern.push_back(
          {lifting.prog.names.fresh_like(p.name), array_of(width, b.host_type(p.type))});
      continue;
    }
    const Name total = lifting.prog.names.fresh("total");
    pattern.push_back({total, i64});
    pattern.push_back({lifting.prog.names.fresh("starts"), array_of(width, i64)});
    const Type row =
        form == Form::kSegments ? b.host_type(row_type(p.type)) : scalar_type(p.type.elem);
    pattern.push_back({lifting.prog.names.fresh_like(p.name), array_of(total, row)});
  }
  return pattern;
}

// The arrays that a concatenation would join, where they are.
static Pieces pieces_of(Lifting& lifting, Batch& b, const Stmt& stmt) {
  const Type i64 = scalar_type(Prim::kI64);
  Pieces pieces;
  const std::vector<Name>& arrays = as<Concat>(stmt.exp)->arrays;
  for (const Name array : arrays) {
    const Canonical c = canonical(lifting, b, array, Form::kSegments);
    const auto known = std::ranges::find(pieces.data, Operand{c.data});
    pieces.data_of.push_back(static_cast<size_t>(known - pieces.data.begin()));
    if (known == pieces.data.end()) {
      pieces.totals.push_back(c.total);
      pieces.data.emplace_back(c.data);
    }
    pieces.starts.emplace_back(c.starts);
    if (pieces.starts.size() == arrays.size()) break;
    const Operand length = lifting.facts.type_of(array).shape[0];
    pieces.lengths.emplace_back(rows_of(lifting, b, length, i64));
  }
  return pieces;
}

// The piece that an instance has, as operands of the state.
static void add_pieces(const Pieces& pieces, std::vector<Operand>& state) {
  for (size_t d = 0; d < pieces.data.size(); ++d) {
    state.push_back(pieces.totals[d]);
    state.push_back(pieces.data[d]);
  }
  state.insert(state.end(), pieces.starts.begin(), pieces.starts.end());
  state.insert(state.end(), pieces.lengths.begin(), pieces.lengths.end());
}

std::vector<Operand> state_values(Lifting& lifting, Batch& b, const std::vector<Operand>& values,
                                  const std::vector<Type>& types, const std::vector<Form>& forms) {
  std::vector<Operand> result;
  for (size_t k = 0; k < values.size(); ++k) {
    if (types[k].kind == Type::kAcc) {
      result.emplace_back(lifting.host_acc(values[k]).name);
      continue;
    }
    if (forms[k] == Form::kHost) {
      const auto host = b.host_operand(values[k]);
      if (!host) lifting.refuse("the size of an accumulator differs from instance to instance");
      result.push_back(host.value_or(const_i64(0)));
      continue;
    }
    if (forms[k] == Form::kRegular) {
      result.emplace_back(rows_of(lifting, b, values[k], types[k]));
      continue;
    }
    const Found found = b.find(std::get<Name>(values[k]));
    if (found.value != nullptr && found.value->kind == Lifted::kPieces) {
      const Pieces& pieces =
          lifting.pieces.insert_or_assign(k, pieces_of(lifting, b, *found.value->code))
              .first->second;
      add_pieces(pieces, result);
      continue;
    }
    const Canonical c = canonical(lifting, b, std::get<Name>(values[k]), forms[k]);
    result.push_back(c.total);
    result.emplace_back(c.starts);
    result.emplace_back(c.data);
  }
  return result;
}

std::vector<Form> bind_state(Lifting& lifting, Batch& b, const std::vector<Param>& params,
                             const std::vector<Name>& names) {
  std::vector<Form> forms = forms_of(b, params);
  size_t at = 0;
  for (size_t k = 0; k < params.size(); ++k) {
    Lifted value;
    if (params[k].type.kind == Type::kAcc) {
      lifting.host_acc(params[k].name).name = names[at++];
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
    b.bind(params[k].name, value);
  }
  return forms;
}

std::vector<Type> types_of(const std::vector<Param>& params) {
  std::vector<Type> types;
  for (const Param& p : params) types.push_back(p.type);
  return types;
}

std::vector<Name> names_of(const std::vector<Param>& params) {
  std::vector<Name> names;
  for (const Param& p : params) names.push_back(p.name);
  return names;
}

Body lifted_state(Lifting& lifting, Batch& b, const Body& body, const std::vector<Type>& types,
                  const std::vector<Form>& forms) {
  Builder code(lifting.prog);
  code.set_loc(lifting.loc);
  const WritesTo here(lifting, code);
  lifting.lift_body(b, body);
  std::vector<Operand> values;
  if (!lifting.refused) values = state_values(lifting, b, body.result, types, forms);
  return code.finish(std::move(values));
}

}  // namespace skald::passes::lift
