// SPDX-License-Identifier: Apache-2.0
// Properties of the device as operands of host code: tuning parameters that the runtime sets.
#pragma once

#include <string>

#include "core/tuning/tuning.h"
#include "imp/ir/code.h"

namespace skald::imp {

inline Operand device_property(Code& host, std::string_view param, std::string_view param_class,
                               int64_t fallback) {
  const Name name = host.fresh(param);
  host.add(Tunable{name, std::string(param), std::string(param_class), const_i64(fallback)});
  return name;
}

inline Operand compute_units(Code& host) {
  return device_property(host, core::kComputeUnitsParam, core::kComputeUnitsClass,
                         core::kComputeUnits);
}

}  // namespace skald::imp
