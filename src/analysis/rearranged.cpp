// SPDX-License-Identifier: Apache-2.0
#include "analysis/rearranged.h"

#include <algorithm>
#include <optional>

#include "core/ir/visit.h"

namespace skald::analysis {

using namespace core;

namespace {

constexpr size_t kMaxParts = 3;

using BlockDefinitions = std::unordered_map<Name, const Stmt*>;

// The part that the statement takes from an array along its first dimension.
std::optional<ArrayPart> slice_of(const Stmt& stmt, Name& source) {
  const Index* e = as<Index>(stmt.exp);
  if (e == nullptr || e->slice.size() != 1) return std::nullopt;
  source = e->array;
  const DimSlice& dim = e->slice[0];
  if (dim.is_index) return ArrayPart{dim.start, const_i64(1), const_i64(1)};
  return ArrayPart{dim.start, dim.count, dim.stride};
}

std::optional<ArrayParts> parts_of(const Stmt& stmt, const BlockDefinitions& defs) {
  const Concat* concat = as<Concat>(stmt.exp);
  if (concat == nullptr || concat->dim != 0 || concat->arrays.size() < 2 ||
      concat->arrays.size() > kMaxParts || !stmt.hints.empty())
    return std::nullopt;
  ArrayParts result;
  result.tokens = stmt.tokens;
  result.row = stmt.pat[0].type;
  result.row.shape.erase(result.row.shape.begin());
  const auto add_tokens = [&](const Stmt& from) {
    result.tokens.insert(result.tokens.end(), from.tokens.begin(), from.tokens.end());
  };
  for (const Name array : concat->arrays) {
    auto found = defs.find(array);
    if (found == defs.end()) return std::nullopt;
    const ArrayLit* lit = as<ArrayLit>(found->second->exp);
    if (lit != nullptr) {
      // A single element, or a single row.
      const Name* elem = lit->elems.size() == 1 ? as_name(lit->elems[0]) : nullptr;
      add_tokens(*found->second);
      found = elem == nullptr ? defs.end() : defs.find(*elem);
      if (found == defs.end()) return std::nullopt;
    }
    Name source;
    std::optional<ArrayPart> part = slice_of(*found->second, source);
    if (!part || (lit != nullptr) != as<Index>(found->second->exp)->slice[0].is_index ||
        (!result.parts.empty() && !(source == result.source)))
      return std::nullopt;
    // A single element has any stride.
    if (lit != nullptr && !result.parts.empty()) part->stride = result.parts[0].stride;
    if (!result.parts.empty() && !(part->stride == result.parts[0].stride)) return std::nullopt;
    result.source = source;
    result.parts.push_back(*part);
    add_tokens(*found->second);
  }
  return result;
}

bool has_concat(const Body& body) {
  return std::ranges::any_of(body.stmts,
                             [](const Stmt& stmt) { return as<Concat>(stmt.exp) != nullptr; });
}

}  // namespace

std::unordered_map<Name, ArrayParts> find_rearranged(const Body& body) {
  if (!has_concat(body)) return {};
  BlockDefinitions defs;
  for (const Stmt& stmt : body.stmts)
    if (stmt.pat.size() == 1) defs[stmt.pat[0].name] = &stmt;
  std::unordered_map<Name, ArrayParts> candidates;
  for (const Stmt& stmt : body.stmts)
    if (std::optional<ArrayParts> parts = parts_of(stmt, defs))
      candidates.emplace(stmt.pat[0].name, std::move(*parts));
  return candidates;
}

std::unordered_set<Name> rearranged_names(const Body& body) {
  std::unordered_set<Name> found;
  for (const auto& [name, parts] : find_rearranged(body)) found.insert(name);
  return found;
}

}  // namespace skald::analysis
