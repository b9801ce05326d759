// SPDX-License-Identifier: Apache-2.0
// The thunk of a kernel as it is in the middle of a grid, where no index is one of those at a
// border that it compares its indices with:
//
//   j = i + 1; c = eq(j, last); k = select(c, 1, j); x = h[k]      in the middle:  j = i + 1; x =
//   h[j]
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "core/edit/rename.h"
#include "imp/lower/common/function.h"

namespace skald::imp {

class Middle {
 public:
  // Of a grid of these sizes.
  Middle(FunctionLowering& fn, const core::Lambda& pull, const std::vector<Operand>& dims);

  // Is there anything that is known in the middle?
  bool is_simpler() const { return !borders_.empty(); }
  const core::Lambda& pull() const { return middle_; }
  // Do all points between these two lie in the middle?
  Operand holds(Code& code, const std::vector<Operand>& first,
                const std::vector<Operand>& last) const;

 private:
  // Index number `dim`, moved.
  struct Form {
    size_t dim;
    int64_t away;
  };
  // In the middle, all indices lie before (or after) the number, or at it too.
  struct Border {
    size_t dim;
    int64_t away;
    bool is_before, may_touch;
    Operand number;
  };

  std::optional<Form> form_of(const Operand& operand) const;
  void note_index(const core::Stmt& stmt);
  // The value of a comparison in the middle; nothing: it is another one.
  std::optional<bool> known_in_middle(const core::CmpOp& cmp);
  void add_border(Border border);
  bool is_outside(const Operand& operand) const;
  void collect_bound(const core::Body& body);
  void simplify(core::Body& body);
  bool fold(core::Stmt& stmt, std::vector<core::Stmt>& kept);
  static void drop_unused(core::Body& body);

  FunctionLowering& fn_;
  const std::vector<Operand>& dims_;
  core::Lambda middle_;
  std::unordered_map<Name, Form> forms_;
  std::unordered_map<Name, bool> bound_;
  core::Substitution known_;
  std::vector<Border> borders_;
};

}  // namespace skald::imp
