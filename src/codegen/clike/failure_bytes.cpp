// SPDX-License-Identifier: Apache-2.0
#include "codegen/clike/failure_bytes.h"

namespace skald::clike {

void write_failures(ByteWriter& out, const std::vector<FailureMessage>& failures) {
  out.number(failures.size());
  for (const FailureMessage& failure : failures) {
    out.number(failure.loc.index);
    out.number(failure.parts.size());
    for (const auto& part : failure.parts) {
      const FailureValue* value = std::get_if<FailureValue>(&part);
      out.number(value != nullptr ? 1 + static_cast<uint64_t>(value->type) : 0);
      if (value == nullptr)
        out.text(std::get<std::string>(part));
      else
        out.number(value->number);
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
        part = FailureValue{static_cast<Prim>(type - 1), static_cast<uint32_t>(in.number())};
    }
  }
  return failures;
}

}  // namespace skald::clike
