// SPDX-License-Identifier: Apache-2.0
// Walks over representations and types: pairs of shapes, uniqueness, functions inside.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "frontend/futhark/elaborate/values/values.h"

namespace skald::futhark::elab {

// Calls f(dim, other) for corresponding sizes; `other` is null where the second rep has nothing.
using DimMerge = std::function<Dim(const Dim&, const Dim*)>;
RepPtr zip_dims(const RepPtr& a, const RepPtr& b, const DimMerge& f);

// Of every leaf: does the type promise that nobody else looks at it?
std::vector<bool> unique_leaves(const Type* type, const RepPtr& rep);
// Is a function anywhere inside?
bool contains_arrow(const Type& type);

// The number of a constructor of a sum, and the value of its payload at `index`.
size_t constr_index(const Rep& sum, std::string_view name);
ValuePtr payload(const Value& sum, size_t constr, size_t index);
// A field of a record.
ValuePtr project(const ValuePtr& v, const std::string& field);

}  // namespace skald::futhark::elab
