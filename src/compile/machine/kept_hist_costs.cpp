// SPDX-License-Identifier: Apache-2.0
#include "compile/machine/kept_hist_costs.h"

#include "runtime/disk_cache.h"
#include "support/bytes.h"

namespace skald::compile {

namespace {

constexpr std::string_view kKind = "costs";
// Another number when constants mean something else.
constexpr std::string_view kVersion = "1";

Hash128 key_of(const std::string& identity) {
  return hash128(fmt::format("hist costs {}\n{}", kVersion, identity));
}

}  // namespace

machine::NumbersByName kept_hist_costs(const Engine& engine) {
  const std::string identity = engine.identity();
  if (identity.empty()) return {};
  const std::optional<std::string> bytes =
      runtime::DiskCache::standard().read(key_of(identity), kKind);
  if (!bytes) return {};
  machine::NumbersByName costs;
  ByteReader in(*bytes);
  for (size_t left = in.count(); left > 0 && in.ok(); --left) {
    std::string name(in.text());
    const uint64_t number = in.number();
    if (machine::is_hist_number(name)) costs[std::move(name)] = static_cast<int64_t>(number);
  }
  return in.done() ? costs : machine::NumbersByName();
}

void keep_hist_costs(const Engine& engine, const machine::NumbersByName& costs) {
  ByteWriter out;
  out.number(costs.size());
  for (const auto& [name, number] : costs) {
    out.text(name);
    out.number(static_cast<uint64_t>(number));
  }
  runtime::DiskCache::standard().write(key_of(engine.identity()), kKind, out.take());
}

ProgramOptions with_kept_costs(const Engine& engine, ProgramOptions options) {
  for (const auto& each : kept_hist_costs(engine)) options.passes.numbers.insert(each);
  return options;
}

}  // namespace skald::compile
