// SPDX-License-Identifier: Apache-2.0
// Accumulators in the representations of values: functions take them and give them back.
#pragma once

#include <functional>
#include <vector>

#include "frontend/futhark/elaborate/values/values.h"

namespace skald::futhark::elab {

// The sizes of accumulators, which no language of types knows.
RepPtr map_acc_sizes(const RepPtr& rep, const std::function<Operand(const Operand&)>& f);
// The accumulators in a value, in order.
void add_accs(const Value& v, std::vector<RepPtr>& out);
// A declared type says nothing about accumulators: they come back as they were given.
RepPtr with_accs(const RepPtr& rep, const std::vector<RepPtr>& accs, size_t& next);
bool contains_acc(const Value& v);

}  // namespace skald::futhark::elab
