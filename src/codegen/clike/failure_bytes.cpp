// SPDX-License-Identifier: Apache-2.0
#include "codegen/clike/failure_bytes.h"

namespace skald::clike {

void write_failures(ByteWriter& out, const std::vector<FailureMessage>& failures) {
  out.number(failures.size());
  for (const FailureMessage& failure : failures) {
    out.number(failure.loc.index);
    out.number(failure.parts.size());
    for (const auto& part : failure.parts) {
      const Prim* type = std::get_if<Prim>(&part);
      out.number(type != nullptr ? 1 + static_cast<uint64_t>(*type) : 0);
      if (type == nullptr) out.text(std::get<std::string>(part));
    }
  }
}

std::vector<FailureMessage> read_failures(ByteReader& in) {
  std::vector<FailureMessage> failures(in.count());
  for (FailureMessage& failure : failures) {
    failure.loc.index = static_cast<uint32_t>(in.number());
    failure.parts.resize(in.count());
    for (auto& part : failure.parts) {
      const uint64_t type = in.number();
      if (type == 0)
        part = std::string(in.text());
      else
        part = static_cast<Prim>(type - 1);
    }
  }
  return failures;
}

}  // namespace skald::clike
