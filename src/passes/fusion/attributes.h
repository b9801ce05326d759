// SPDX-License-Identifier: Apache-2.0
// Attributes of statements that are to become one.
//
// Most attributes say how a statement is to run, so that one without them would run otherwise.
// Those about flattening only advise which version of a nest to take: they hold for the whole that
// the nest becomes part of.
#pragma once

#include <string>
#include <vector>

namespace skald::passes::fusion {

using Attributes = std::vector<std::string>;

// May statements with these become one?
bool attributes_agree(const Attributes& a, const Attributes& b);

// Those of the whole, when a statement with `from` joins.
void join_attributes(Attributes& whole, const Attributes& from);

}  // namespace skald::passes::fusion
