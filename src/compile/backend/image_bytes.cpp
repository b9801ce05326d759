// SPDX-License-Identifier: Apache-2.0
#include "compile/backend/image_bytes.h"

#include "support/bug.h"

namespace skald::compile {

std::string place_bytes(const core::LocTable& locs) {
  ByteWriter out;
  out.number(locs.size());
  for (size_t k = 1; k < locs.size(); ++k) {
    const core::LocTable::Entry& place = locs[core::Loc{static_cast<uint32_t>(k)}];
    out.text(place.text);
    out.text(place.function);
    out.number(place.caller.index);
  }
  return out.take();
}

core::LocTable places_from_bytes(std::string_view bytes) {
  ByteReader in(bytes);
  core::LocTable locs;
  // There is always one that is no place, and has no bytes.
  const uint64_t places = in.number();
  for (uint64_t k = 1; k < places && in.ok(); ++k) {
    std::string text(in.text()), function(in.text());
    const core::Loc caller{static_cast<uint32_t>(in.number())};
    locs.add(std::move(text), caller, std::move(function));
  }
  SKALD_CHECK(in.done() && locs.size() == places, "the image of a program has a broken place");
  return locs;
}

void write_params(ByteWriter& out, const std::vector<core::TuningParam>& params) {
  out.number(params.size());
  for (const core::TuningParam& param : params) {
    out.text(param.name);
    out.text(param.param_class);
  }
}

std::vector<core::TuningParam> read_params(ByteReader& in) {
  std::vector<core::TuningParam> params(in.count());
  for (core::TuningParam& param : params) {
    param.name = in.text();
    param.param_class = in.text();
  }
  return params;
}

}  // namespace skald::compile
