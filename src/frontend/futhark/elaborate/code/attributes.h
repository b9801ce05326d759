// SPDX-License-Identifier: Apache-2.0
// Attributes become hints of core.  Those that core has no field for say nothing and are ignored.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/ir/program.h"
#include "frontend/futhark/ast/ast.h"

namespace skald::futhark::elab {

// Adds what an attribute of an expression asks for.
void add_attribute(core::Hints& hints, const Attr& attr);
// stripmine(N): N, or 0 if it is not a small number.
int levels_of(const Attr& attr);
// #[trace] and #[trace(…)].
core::Trace trace_of(const Attr& attr);
// Of a definition: #[inline], #[noinline].
core::Inlining inlining_of(const std::vector<Attr>& attrs);
// Of an entry point: #[prop], #[prop(gen(f), shrink(g), size(20))].
std::optional<core::PropertyTest> property_of(const std::vector<Attr>& attrs);

}  // namespace skald::futhark::elab
