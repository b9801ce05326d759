// SPDX-License-Identifier: Apache-2.0
// Positions while lowering: sums of names with factors and a constant, so that equal positions look
// equal however they came about.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/ir/type.h"

namespace skald::lazy {

struct Affine {
  std::map<uint32_t, int64_t> terms;  // by the id of a name
  int64_t constant = 0;

  static Affine number(int64_t value) {
    Affine affine;
    affine.constant = value;
    return affine;
  }
  static Affine name(core::Name name) {
    Affine affine;
    affine.terms[name.id] = 1;
    return affine;
  }
  void add(const Affine& other, int64_t factor = 1) {
    constant += other.constant * factor;
    for (const auto& [id, coefficient] : other.terms) {
      const int64_t sum = terms[id] += coefficient * factor;
      if (sum == 0) terms.erase(id);
    }
  }
  std::string key() const {
    std::string text = std::to_string(constant);
    for (const auto& [id, coefficient] : terms) {
      text += '+' + std::to_string(coefficient) + '*' + std::to_string(id);
    }
    return text;
  }
};

using Indices = std::vector<Affine>;

}  // namespace skald::lazy
