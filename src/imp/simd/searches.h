// SPDX-License-Identifier: Apache-2.0
// Binary searches, in any form: loops whose loads wait for each other.
#pragma once

#include "imp/ir/imp.h"

namespace skald::imp {

// Does a load of the body need what loads of earlier rounds gave, divided by a constant, to know
// where to read?  Then a round takes as long as a load and what comes after it, and there are about
// as many rounds for each point: the logarithm of what is searched.
bool is_search(const Body& round);

}  // namespace skald::imp
