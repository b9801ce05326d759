// SPDX-License-Identifier: Apache-2.0
// What one point does to its bin.
//
// An operator that chooses between what is in the bin and something else, as min, max and argmax
// do, writes only if the bin changes: the branch is foreseen more often than not, and the next
// point of the bin does not wait for the store.  Components of the bin that the decision does not
// need are not even read: in "better value, or equal value and lower index" nearly all indices.
#include <algorithm>
#include <unordered_map>

#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "imp/lower/cpu/hist/choose.h"
#include "imp/lower/cpu/hist/hist.h"

namespace skald::imp {

using core::Operator;

namespace {

// min and max of integers choose too.
std::optional<CmpOpKind> chooses(const core::Lambda& fn) {
  if (fn.params.size() != 2 || fn.body.stmts.size() != 1) return std::nullopt;
  const core::BinOp* node = core::as<core::BinOp>(fn.body.stmts[0].exp);
  if (node == nullptr || !is_int(node->type) || prim_size(node->type) < 4) return std::nullopt;
  const Operand a = fn.params[0].name, b = fn.params[1].name;
  if (!(fn.body.result[0] == Operand{fn.body.stmts[0].pat[0].name}) ||
      !((node->lhs == a && node->rhs == b) || (node->lhs == b && node->rhs == a)))
    return std::nullopt;
  // Is the new value compared with the old one to be put there?
  if (node->op == BinOpKind::kMin) return CmpOpKind::kLt;
  if (node->op == BinOpKind::kMax) return CmpOpKind::kLe;
  return std::nullopt;
}

}  // namespace

bool may_keep_bin(const Operator& op) {
  if (chooses(op.fn)) return true;
  std::vector<Operand> olds;
  for (size_t k = 0; k < op.fn.params.size() / 2; ++k) olds.push_back(op.fn.params[k].name);
  return keeps_or_replaces(op.fn.body, olds);
}

std::vector<Operand> bin_of(const SinkInfo& info, const std::vector<Operand>& values) {
  const auto first = values.begin() + static_cast<ptrdiff_t>(info.values);
  return {first, first + static_cast<ptrdiff_t>(info.sink->shape.size())};
}

void hist_update(KernelWriter& kernel, Code& code, const SinkInfo& info,
                 const std::vector<ArrayPlace>& dests, const std::vector<Operand>& values) {
  const std::vector<Operand> at = bin_of(info, values);
  const std::vector<Operand> all = kernel.sink_values(info, values);
  code.branch(kernel.in_bounds(code, at, info), [&](Code& inner) {
    update_bin(kernel, inner, info.sink->op[0], dests, at,
               {all.begin() + static_cast<ptrdiff_t>(at.size()), all.end()});
  });
}

void hist_atomic_update(KernelWriter& kernel, Code& code, const SinkInfo& info,
                        const std::vector<Operand>& values) {
  const std::vector<Operand> all = kernel.sink_values(info, values);
  const std::vector<Operand> at(all.begin(), all.end() - 1);
  code.branch(kernel.in_bounds(code, at, info), [&](Code& inside) {
    const ArrayPlace& dest = kernel.result_place(info.results);
    inside.add(Atomic{*exact_operator(*info.sink), dest.type.elem, dest.loc.block,
                      address(inside, dest, at), all.back()});
  });
}

void update_all(KernelWriter& kernel, Code& code, const std::vector<BinsOfSink>& bins,
                const std::vector<Operand>& values) {
  std::vector<bool> done(bins.size());
  for (size_t k = 0; k < bins.size(); ++k) {
    if (done[k]) continue;
    const SinkInfo& first = bins[k].info;
    const std::vector<Operand> at = bin_of(first, values);
    code.branch(kernel.in_bounds(code, at, first), [&](Code& inner) {
      for (size_t j = k; j < bins.size(); ++j) {
        const SinkInfo& info = bins[j].info;
        if (!(bin_of(info, values) == at) || !(info.sink->shape == first.sink->shape)) continue;
        done[j] = true;
        const std::vector<Operand> all = kernel.sink_values(info, values);
        update_bin(kernel, inner, info.sink->op[0], bins[j].dests, at,
                   {all.begin() + static_cast<ptrdiff_t>(at.size()), all.end()});
      }
    });
  }
}

void update_bin(KernelWriter& kernel, Code& code, const Operator& op,
                const std::vector<ArrayPlace>& dests, const std::vector<Operand>& at,
                const std::vector<Operand>& values) {
  std::unordered_map<Name, std::function<void(Code&)>> loads;
  std::vector<Operand> olds;
  for (const ArrayPlace& dest : dests) {
    const Name old = code.fresh("old");
    olds.push_back(old);
    loads.emplace(old, [&, old, &dest = dest](Code& inner) {
      inner.add(Load{old, dest.type.elem, dest.loc.block, address(inner, dest, at)});
    });
  }
  const auto load_all = [&] {
    for (const Operand& old : olds) loads.at(std::get<Name>(old))(code);
  };
  const auto store = [&](Code& inner, const std::vector<Operand>& next) {
    for (size_t k = 0; k < dests.size(); ++k) kernel.fn.store(inner, dests[k], at, next[k]);
  };
  if (const std::optional<CmpOpKind> cmp = chooses(op.fn)) {
    load_all();
    const bool less = *cmp == CmpOpKind::kLt;
    const Operand better =
        code.let(Prim::kBool,
                 core::CmpOp{CmpOpKind::kLt, op.fn.params[0].type.elem, less ? values[0] : olds[0],
                             less ? olds[0] : values[0]},
                 "better");
    return code.branch(better, [&](Code& inner) { store(inner, values); });
  }
  const bool keeps = may_keep_bin(op);
  core::Substitution subst;
  for (size_t k = 0; k < dests.size(); ++k) {
    subst.emplace(op.fn.params[k].name, olds[k]);
    // old + (x + 1) must not become (old + x) + 1: the next point of the bin waits for it.
    const Prim type = op.fn.params[k].type.elem;
    Operand value = values[k];
    if (!keeps && core::as_name(value) != nullptr && is_int(type) && prim_size(type) >= 4)
      value = code.let(type, core::Bitcast{type, type, value}, "value");
    subst.emplace(op.fn.params[dests.size() + k].name, value);
  }
  core::Body body = core::copy_with_fresh_names(op.fn.body, kernel.fn.prog.names, std::move(subst));
  kernel.fn.flows.add(body);
  const auto put = [&](Code& inner, const std::vector<Operand>& results) {
    std::vector<Operand> next;
    for (const Operand& o : results) next.push_back(kernel.fn.value(o));
    store(inner, next);
  };
  if (keeps) return BinChoice(kernel.fn, olds, std::move(loads), put).write(code, body);
  load_all();
  kernel.fn.body(code, body);
  put(code, body.result);
}

}  // namespace skald::imp
