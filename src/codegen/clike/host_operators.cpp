// SPDX-License-Identifier: Apache-2.0
#include "codegen/clike/host_operators.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/scalar/scalar.h"
#include "imp/ir/imp.h"

namespace skald::clike {

namespace {

constexpr std::string_view kConvertPrefix = "convert_";

uint64_t chunk_size(uint64_t length, uint64_t least) {
  const auto chunks = static_cast<int64_t>(imp::kMaxChunks);
  const int64_t wanted = (static_cast<int64_t>(length) + chunks - 1) / chunks;
  return static_cast<uint64_t>(std::max({wanted, static_cast<int64_t>(least), int64_t{1}}));
}

runtime::HostOperator find_convert(std::string_view types) {
  const size_t between = types.find('_');
  if (between == std::string_view::npos) return {};
  const std::optional<Prim> from = prim_from_name(types.substr(0, between));
  const std::optional<Prim> to = prim_from_name(types.substr(between + 1));
  if (!from || !to) return {};
  return {.unary = core::convert_fn(*from, *to)};
}

}  // namespace

std::string host_convert_name(Prim from, Prim to) {
  return fmt::format("{}{}_{}", kConvertPrefix, prim_name(from), prim_name(to));
}

runtime::HostOperator find_host_operator(std::string_view name) {
  if (name == kChunkSizeOperator) return {.binary = chunk_size};
  if (name.starts_with(kConvertPrefix)) return find_convert(name.substr(kConvertPrefix.size()));
  const size_t before_type = name.rfind('_');
  if (before_type == std::string_view::npos) return {};
  const std::optional<Prim> type = prim_from_name(name.substr(before_type + 1));
  if (!type) return {};
  const std::string_view op = name.substr(0, before_type);
  if (const auto kind = core::binop_from_mnemonic(op))
    return {.binary = core::scalar_fn(*kind, *type)};
  if (const auto kind = core::cmpop_from_mnemonic(op))
    return {.binary = core::scalar_fn(*kind, *type)};
  if (const auto kind = core::unop_from_mnemonic(op))
    return {.unary = core::scalar_fn(*kind, *type)};
  if (const auto kind = core::ternop_from_mnemonic(op))
    return {.ternary = core::scalar_fn(*kind, *type)};
  return {};
}

}  // namespace skald::clike
