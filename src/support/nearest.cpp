// SPDX-License-Identifier: Apache-2.0
#include "support/nearest.h"

#include <algorithm>
#include <cctype>

namespace skald {

namespace {

char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

// Costs are counted in halves.
size_t exchange_cost(char a, char b) {
  if (a == b) return 0;
  return lower(a) == lower(b) ? 1 : 2;
}

}  // namespace

size_t edit_distance(std::string_view a, std::string_view b, size_t limit) {
  const size_t longer = std::max(a.size(), b.size()), shorter = std::min(a.size(), b.size());
  if (longer - shorter > limit || longer > 200) return limit + 1;
  std::vector<size_t> before(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = 2 * j;
  for (size_t i = 1; i <= a.size(); ++i) {
    next[0] = 2 * i;
    for (size_t j = 1; j <= b.size(); ++j) {
      next[j] =
          std::min({row[j] + 2, next[j - 1] + 2, row[j - 1] + exchange_cost(a[i - 1], b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        next[j] = std::min(next[j], before[j - 2] + 2);
    }
    before.swap(row);
    row.swap(next);
  }
  return std::min((row[b.size()] + 1) / 2, limit + 1);
}

std::vector<std::string> nearest(std::string_view name, const std::vector<std::string>& words) {
  // Two letters say little: one of them must be right.
  const size_t limit = name.size() < 2 ? 0 : std::max<size_t>(1, name.size() / 3);
  constexpr size_t kMost = 3;
  size_t best = limit;
  std::vector<std::string> out;
  for (const std::string& word : words) {
    if (word == name) continue;
    const size_t distance = edit_distance(name, word, best);
    if (distance > best || distance >= std::max(name.size(), word.size())) continue;
    if (distance < best) out.clear();
    best = distance;
    if (out.size() < kMost && std::ranges::find(out, word) == out.end()) out.push_back(word);
  }
  return out;
}

std::string one_of(const std::vector<std::string>& words) {
  std::string out;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? " or " : ", ";
    out += "`" + words[i] + "`";
  }
  return out;
}

std::string did_you_mean(const std::vector<std::string>& words) {
  return words.empty() ? std::string() : "did you mean " + one_of(words) + "?";
}

}  // namespace skald
