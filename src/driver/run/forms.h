// SPDX-License-Identifier: Apache-2.0
// Evaluates the forms of a program (frontend::Frontend::has_forms) in order.
#pragma once

#include "compile/program/program.h"
#include "driver/session.h"

namespace skald::driver {

// The text of each form is written as soon as the form is done.  Gives the exit code.
int run_forms(Session& session, compile::Program& program);

}  // namespace skald::driver
