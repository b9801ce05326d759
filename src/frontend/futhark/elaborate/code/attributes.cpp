// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/elaborate/code/attributes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace skald::futhark::elab {

namespace {

// "name", or "name(arg, …)".
std::string attr_text(const Attr& attr);

std::string args_text(const Attr& attr) {
  std::string text;
  for (const Attr& arg : attr.args) text += (text.empty() ? "" : ", ") + attr_text(arg);
  return text;
}

std::string attr_text(const Attr& attr) {
  return attr.args.empty() ? attr.name : fmt::format("{}({})", attr.name, args_text(attr));
}

void add_flattening(core::Flattening& flattening, const std::string& version) {
  if (version == "no_outer") flattening.no_outer = true;
  if (version == "only_inner") flattening.only_inner = true;
  if (version == "no_intra") flattening.no_intra = true;
  if (version == "only_intra") flattening.only_intra = true;
  if (version == "sequentialise_nonuniform") flattening.sequentialise_nonuniform = true;
}

}  // namespace

void add_attribute(core::Hints& hints, const Attr& attr) {
  const bool about_flattening =
      attr.name == "flattening" || attr.name == "incremental_flattening";  // its old name
  if (about_flattening && attr.args.size() == 1 && attr.args[0].args.empty())
    add_flattening(hints.flattening, attr.args[0].name);
  if (!attr.args.empty()) return;
  if (attr.name == "sequential") hints.sequential = true;
  if (attr.name == "sequential_outer") hints.sequential_outer = true;
  if (attr.name == "sequential_inner") hints.sequential_inner = true;
  if (attr.name == "unroll") hints.unroll = true;
}

int levels_of(const Attr& attr) {
  const std::string text = args_text(attr);
  int levels = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), levels);
  constexpr int kMost = 8;
  const bool all = read.ec == std::errc() && read.ptr == text.data() + text.size();
  return all && levels > 0 && levels <= kMost ? levels : 0;
}

core::Trace trace_of(const Attr& attr) {
  return {true, args_text(attr)};
}

core::Inlining inlining_of(const std::vector<Attr>& attrs) {
  const auto has = [&](std::string_view name) {
    return std::ranges::any_of(attrs, [&](const Attr& attr) { return attr.name == name; });
  };
  if (has("noinline")) return core::Inlining::kNever;
  return has("inline") ? core::Inlining::kAlways : core::Inlining::kFree;
}

std::optional<core::PropertyTest> property_of(const std::vector<Attr>& attrs) {
  for (const Attr& attr : attrs) {
    if (attr.name != "prop") continue;
    core::PropertyTest property;
    for (const Attr& part : attr.args) {
      const std::string value = args_text(part);
      if (part.name == "gen") property.generator = value;
      if (part.name == "shrink") property.shrinker = value;
      if (part.name != "size") continue;
      int64_t number = 0;
      if (std::from_chars(value.data(), value.data() + value.size(), number).ec == std::errc())
        property.size = std::max<int64_t>(number, 0);
    }
    return property;
  }
  return std::nullopt;
}

}  // namespace skald::futhark::elab
