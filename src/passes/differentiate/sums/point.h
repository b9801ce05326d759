// SPDX-License-Identifier: Apache-2.0
// Single elements of what a nest of maps computes, computed somewhere else.
//
//   map (\x ->                            the element of t that iteration (i,
//   j) sees, at a place
//     let ys = map g x                    that knows i and j:
//     in map (\y -> let t = y * y …) ys)    let x = xs[i][j] ; let y = g(x) ;
//     let t = y * y
//
// Values that would be computed again and again are stored by the nest instead:
// a store adds an output to each of the maps around the value.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "passes/differentiate/base/session.h"

namespace skald::passes::ad {

// Where names inside of a nest come from.
struct Definition {
  const Stmt* stmt = nullptr;
  Stmt* around = nullptr;  // the statement whose code it is directly in, if it is none of the path
  size_t result = 0;
  int level = kElsewhere;  // the map of the path that it is directly in;
                           // kOutside: around all
  static constexpr int kOutside = -1, kElsewhere = -2;
};

struct Store {
  int level = 0;
  Name value;              // of one iteration
  Name array;              // of all
  std::vector<Stmt*> off;  // maps in that level around the value, outermost first
};

// Worth keeping instead of computing it for every element of something larger.
bool is_heavy(const Stmt& stmt);

class Point {
 public:
  // `path`: the maps, outermost first; `at`: where we are in each.  Stores are
  // added to `stores`.
  Point(Session& session, const NameMap<Definition>& inside, const std::vector<Stmt*>& path,
        std::vector<Operand> at, std::vector<Store>& stores, Emit& out);

  Operand scalar(const Operand& operand);
  bool failed() const { return failed_; }
  // Statements of the innermost map that were copied.
  const std::vector<const Stmt*>& copies() const { return copies_; }

 private:
  struct Source {
    Name array;
    Operand index;
  };

  Operand fail() {
    failed_ = true;
    return const_i64(0);
  }
  bool is_inside(const Operand& operand) const {
    const Name* name = as_name(operand);
    return name != nullptr && (inside_.contains(*name) || sources_.contains(*name));
  }
  bool is_stored(Name value) const {
    return std::ranges::find(stores_, value, &Store::value) != stores_.end();
  }
  // The maps off the path around what is defined there, outermost first, and the level of the path
  // that they are in; no level if it cannot be stored.
  int level_of(const Definition& def, std::vector<Stmt*>& off) const;
  // How many numbers of iterations it takes to name one of its values.
  std::optional<int> depth(const Definition& def) const;
  bool repeats(const Definition& def, int dims) const {
    const auto maps = depth(def);
    return maps && *maps + dims < static_cast<int>(path_.size());
  }
  Operand element(Name array, std::vector<Operand> indices);
  Operand defined_element(Name array, const Definition& def, std::vector<Operand> indices);
  Operand updated_element(Name array, const Definition& def, const Update& e,
                          const std::vector<Operand>& indices);
  Operand sliced_element(const Index& e, const std::vector<Operand>& indices);
  Operand mapped_element(Name array, const Definition& def, std::vector<Operand> indices);
  void note_copy(const Definition& def) {
    if (def.level + 1 == static_cast<int>(path_.size())) copies_.push_back(def.stmt);
  }
  Operand defined_scalar(Name name, const Definition& def);
  Operand copied(Name name, const Definition& def);
  Operand copied_code(Name name, const Definition& def);
  Operand stored(Name name, const Definition& def, const std::vector<Operand>& indices);
  Name view(Name array);
  std::vector<Name> tokens(const std::vector<Name>& names);

  Session& session_;
  const NameMap<Definition>& inside_;
  const std::vector<Stmt*>& path_;
  std::vector<Operand> at_;
  Emit& out_;
  NameMap<Source> sources_;  // parameters
  NameMap<Operand> done_;
  NameMap<Operand> applied_;  // maps off the path, by their first result, and where
  std::vector<Store>& stores_;
  std::vector<const Stmt*> copies_;
  bool failed_ = false;
};

}  // namespace skald::passes::ad
