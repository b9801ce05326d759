// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/stencil/stencil.h"

#include <algorithm>
#include <cstdlib>

#include "core/ir/visit.h"

namespace skald::imp {

namespace {

// Names that are an index of the point and a constant.
class IndexForms {
 public:
  explicit IndexForms(const core::Lambda& pull) {
    for (size_t d = 0; d < pull.params.size(); ++d) forms_[pull.params[d].name] = {d, 0};
  }

  void see(const core::Stmt& stmt) {
    const auto* sum = core::as<core::BinOp>(stmt.exp);
    if (sum == nullptr || sum->type != Prim::kI64) return;
    const bool minus = sum->op == BinOpKind::kSub;
    if (!minus && sum->op != BinOpKind::kAdd) return;
    if (const Const* c = core::as_const(sum->rhs))
      add(stmt.pat[0].name, sum->lhs, minus ? -int_value(*c) : int_value(*c));
    else if (const Const* first = core::as_const(sum->lhs); first != nullptr && !minus)
      add(stmt.pat[0].name, sum->rhs, int_value(*first));
  }

  // The distances of these indices from the point, if they are in order.
  std::optional<Offset> offset(const std::vector<core::DimSlice>& slice) const {
    Offset offset;
    for (size_t d = 0; d < slice.size(); ++d) {
      const Name* name = slice[d].is_index ? core::as_name(slice[d].start) : nullptr;
      const auto found = name == nullptr ? forms_.end() : forms_.find(*name);
      if (found == forms_.end() || found->second.first != d) return std::nullopt;
      offset.push_back(found->second.second);
    }
    return offset;
  }

 private:
  void add(Name name, const Operand& base, int64_t distance) {
    const Name* from = core::as_name(base);
    const auto found = from == nullptr ? forms_.end() : forms_.find(*from);
    if (found != forms_.end())
      forms_[name] = {found->second.first, found->second.second + distance};
  }

  std::unordered_map<Name, std::pair<size_t, int64_t>> forms_;
};

class StencilFinder {
 public:
  StencilFinder(const core::Kernel& kernel, Name array, Prim type)
      : kernel_(kernel), forms_(kernel.pull), stencil_{array, type, {}} {}

  FoundStencil find() {
    look(kernel_.pull.body);
    if (!why_not_.empty()) return {std::nullopt, why_not_};
    for (const Offset& offset : stencil_.offsets)
      for (const int64_t distance : offset)
        stencil_.reach = std::max<int64_t>(stencil_.reach, std::abs(distance));
    return {std::move(stencil_), {}};
  }

 private:
  void look(const core::Body& body) {
    for (const core::Stmt& stmt : body.stmts) {
      ++stencil_.operations;
      forms_.see(stmt);
      core::for_each_body(stmt.exp, [&](const core::Body& inner) { look(inner); });
      const auto* index = core::as<core::Index>(stmt.exp);
      if (index == nullptr) continue;
      if (!(index->array == stencil_.array)) {
        why_not_ = "points read other arrays, too";
        continue;
      }
      std::optional<Offset> offset = forms_.offset(index->slice);
      if (!offset || offset->size() != kernel_.pull.params.size())
        why_not_ = "points do not read at constant distances";
      else if (std::ranges::find(stencil_.offsets, *offset) == stencil_.offsets.end())
        stencil_.offsets.push_back(std::move(*offset));
    }
  }

  const core::Kernel& kernel_;
  IndexForms forms_;
  Stencil stencil_;
  std::string why_not_;
};

class PointCode {
 public:
  PointCode(FunctionLowering& fn, const core::Kernel& kernel, Name array, const ReadAt& read)
      : fn_(fn), array_(array), read_(read), forms_(kernel.pull) {}

  void body(Code& code, const core::Body& body) {
    for (const core::Stmt& stmt : body.stmts) {
      forms_.see(stmt);
      if (const auto* index = core::as<core::Index>(stmt.exp);
          index != nullptr && index->array == array_)
        subst[stmt.pat[0].name] = read_(code, *forms_.offset(index->slice));
      else if (const auto* branch = core::as<core::If>(stmt.exp))
        both_sides(code, stmt, *branch);
      else
        fn_.stmt(code, core::copy_with_fresh_names(stmt, fn_.prog.names, subst));
    }
  }
  Operand value(Operand operand) const {
    core::substitute(operand, subst);
    return fn_.value(operand);
  }

  core::Substitution subst;

 private:
  void both_sides(Code& code, const core::Stmt& stmt, const core::If& branch) {
    body(code, branch.then_body);
    body(code, branch.else_body);
    for (size_t k = 0; k < stmt.pat.size(); ++k)
      subst[stmt.pat[k].name] =
          code.let(stmt.pat[k].type.elem,
                   core::Select{value(branch.cond), value(branch.then_body.result[k]),
                                value(branch.else_body.result[k])},
                   "chosen");
  }

  FunctionLowering& fn_;
  const Name array_;
  const ReadAt& read_;
  IndexForms forms_;
};

}  // namespace

FoundStencil find_stencil(const core::Kernel& kernel, Name array, Prim type) {
  return StencilFinder(kernel, array, type).find();
}

Operand stencil_point(FunctionLowering& fn, Code& code, const core::Kernel& kernel, Name array,
                      const std::vector<Operand>& indices, const ReadAt& read) {
  PointCode point(fn, kernel, array, read);
  for (size_t d = 0; d < indices.size(); ++d) point.subst[kernel.pull.params[d].name] = indices[d];
  point.body(code, kernel.pull.body);
  return point.value(kernel.pull.body.result[0]);
}

}  // namespace skald::imp
