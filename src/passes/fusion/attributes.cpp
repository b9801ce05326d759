// SPDX-License-Identifier: Apache-2.0
#include "passes/fusion/attributes.h"

#include <algorithm>

namespace skald::passes::fusion {

namespace {

bool is_advice(const std::string& attribute) {
  return attribute.starts_with("flattening(") || attribute.starts_with("incremental_flattening(");
}

// Those that are advice, or those that are not.
Attributes chosen(const Attributes& all, bool advice) {
  Attributes result;
  for (const std::string& attribute : all)
    if (is_advice(attribute) == advice) result.push_back(attribute);
  return result;
}

}  // namespace

bool attributes_agree(const Attributes& a, const Attributes& b) {
  if (chosen(a, false) != chosen(b, false)) return false;
  const Attributes advice = chosen(a, true), other = chosen(b, true);
  return advice.empty() || other.empty() || advice == other;
}

void join_attributes(Attributes& whole, const Attributes& from) {
  for (const std::string& attribute : from)
    if (std::ranges::find(whole, attribute) == whole.end()) whole.push_back(attribute);
}

}  // namespace skald::passes::fusion
