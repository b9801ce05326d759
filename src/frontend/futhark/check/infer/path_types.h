// SPDX-License-Identifier: Apache-2.0
// Unsized inference of indexing, slicing and updates.
#pragma once

#include <vector>

#include "frontend/futhark/check/infer/def_state.h"

namespace skald::futhark {

class Infer;

class PathTypes {
 public:
  PathTypes(DefState& d, Infer& infer) : f_(d.ctx.f), uni_(d.uni), infer_(infer) {}

  const Type* index(EIndex& e, Span span);
  const Type* update(EUpdate& e);
  // The expressions in a path.
  void path_steps(std::vector<PathStep>& path);
  // What lies at the end of the path, in something of type `whole`, has the type `part`.
  void must_have(const std::vector<PathStep>& path, size_t from, const Type* whole,
                 const Type* part, Span span);

 private:
  void dims(std::vector<DimIndex>& dims);
  const Type* array_of(const Type* elem, size_t rank);

  TypeFactory& f_;
  Unifier& uni_;
  Infer& infer_;
};

}  // namespace skald::futhark
