// SPDX-License-Identifier: Apache-2.0
// Literals as the checker accepts them.
#include "frontend/futhark/elaborate/values/literals.h"

#include "frontend/futhark/check/base/literal.h"

namespace skald::futhark::elab {

ValuePtr literal(const Literal& lit, Prim prim) {
  if (lit.kind == Literal::kBool)
    return scalar_value(Prim::kBool, core::const_bool(lit.text == "true"));
  if (is_float(prim)) {
    double d = prim == Prim::kF32 && lit.kind == Literal::kFloat &&
                       lit.text.find_first_of("xX") == std::string::npos
                   ? static_cast<double>(std::strtof(lit.text.c_str(), nullptr))
                   : literal_as_double(lit.text);
    return scalar_value(prim, core::const_float(prim, lit.negative ? -d : d));
  }
  __int128 value = int_literal_value(lit.text).value_or(0);
  auto wrapped = static_cast<int64_t>(static_cast<uint64_t>(value));
  if (lit.negative) wrapped = static_cast<int64_t>(0 - static_cast<uint64_t>(wrapped));
  return scalar_value(prim, core::const_int(prim, wrapped));
}

}  // namespace skald::futhark::elab
