// SPDX-License-Identifier: Apache-2.0
// The functions that the library declares without a body.
#pragma once

#include <string>

#include "frontend/nesl/elaborate/elaborator.h"

namespace skald::nesl {

Value call_primitive(Elaborator& elab, const std::string& name, const Value& arg, Span span);

// Parts of it: none if the name is not theirs.
std::optional<Value> scalar_primitive(Elaborator& elab, const std::string& name, const Value& arg);
std::optional<Value> sequence_primitive(Elaborator& elab, const std::string& name, const Value& arg,
                                        Span span);
// Those that look at the shape of their argument.
std::optional<Value> shape_primitive(Elaborator& elab, const std::string& name, const Value& arg,
                                     Span span);

// Values as numbers, and back.
std::optional<Value> object_primitive(Elaborator& elab, const std::string& name, const Value& arg,
                                      Span span);
// Zeros, empty sequences.
Value zero_value(Elaborator& elab, const ShapeRef& shape);

// A value as it is printed: as @ gives it, but strings stand in quotes.
Value printed_text(Elaborator& elab, const Value& value, Span span);

}  // namespace skald::nesl
