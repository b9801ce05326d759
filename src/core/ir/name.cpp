// SPDX-License-Identifier: Apache-2.0
#include "core/ir/name.h"

#include "support/bug.h"

namespace skald::core {

namespace {

constexpr size_t kMaxBaseLength = 64;

bool is_name_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_name_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_plain(std::string_view base) {
  if (base.size() > kMaxBaseLength) return false;
  if (!base.empty() && !is_name_letter(base.front())) return false;
  for (char c : base)
    if (!is_name_letter(c) && !is_name_digit(c) && c != '\'') return false;
  return true;
}

std::string make_plain(std::string_view base) {
  std::string plain;
  for (char c : base.substr(0, kMaxBaseLength - 1))
    plain += is_name_letter(c) || is_name_digit(c) || c == '\'' ? c : '_';
  if (!plain.empty() && !is_name_letter(plain.front())) plain.insert(plain.begin(), '_');
  return plain;
}

}  // namespace

NameTable::NameTable() : bases_(1, 0), pool_(1) {
  index_.emplace("", 0);
}

uint32_t NameTable::intern(std::string_view base) {
  std::string key = is_plain(base) ? std::string(base) : make_plain(base);
  auto [place, is_new] = index_.try_emplace(key, static_cast<uint32_t>(pool_.size()));
  if (is_new) pool_.push_back(std::move(key));
  return place->second;
}

Name NameTable::fresh(std::string_view base) {
  SKALD_CHECK(bases_.size() <= kMaxId, "more than {} names in one program", kMaxId);
  bases_.push_back(intern(base));
  return {static_cast<uint32_t>(bases_.size() - 1)};
}

Name NameTable::fixed(std::string_view base, uint32_t id) {
  SKALD_CHECK(id != 0 && id <= kMaxId, "name id {} out of range", id);
  if (id >= bases_.size()) bases_.resize(id + 1, 0);
  bases_[id] = intern(base);
  return {id};
}

std::string NameTable::text(Name name) const {
  return fmt::format("{}_{}", base(name), name.id);
}

}  // namespace skald::core
