// SPDX-License-Identifier: Apache-2.0
// Sizes as expressions: comparing, copying, substituting.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/futhark/check/base/type_ops.h"

namespace skald::futhark {

// Without parentheses, ascriptions and attributes around it.
const Exp* strip_size(const Exp* e);
// The id if the size is just a variable, else 0.
uint32_t size_var_id(const Exp* e);
std::optional<int64_t> size_const_value(const Exp* e);

// Nothing inside binds a name, so the expression may be a size.
bool can_be_size(const Exp& e);

// If both have the same outermost form, the pairs of sub-expressions that must be equal for the
// whole to be equal.
std::optional<std::vector<std::pair<const Exp*, const Exp*>>> similar_sizes(const Exp* a,
                                                                            const Exp* b);
bool equal_sizes(const Exp* a, const Exp* b);
void free_in_size(const Exp& e, IdSet& out);
bool mentions(const Exp& e, uint32_t id);

// A deep copy in which each variable for which `on_var` gives an expression is replaced, and types
// are mapped by `on_type` (if given).
using OnSizeVar = std::function<const Exp*(uint32_t)>;
using OnType = std::function<const Type*(const Type*)>;
Exp copy_size(const Exp& e, const OnSizeVar& on_var, const OnType& on_type = {});
// A copy in which each sub-expression for which `on_exp` gives another one is replaced by it.
using OnExp = std::function<const Exp*(const Exp&)>;
Exp replace_in_size(const Exp& e, const OnExp& on_exp);
// The same pointer if nothing changes.
const Exp* subst_size(TypeFactory& f, const Exp* e, const OnSizeVar& on_var);

size_t size_weight(const Exp& e);
// So long that copies of it would be most of the work.
bool is_huge_size(const Exp& e);
// May `by` take the place of the variable in all sizes of the type?  No if it cannot be a size, or
// if the result would be absurdly large.
bool can_substitute(const Type* t, uint32_t id, const Exp& by);

}  // namespace skald::futhark
