// SPDX-License-Identifier: Apache-2.0
// The precompiled header of the unit tests: GoogleTest alone costs more than a second per file.
#pragma once

#include <gtest/gtest.h>

#include "support/pch.h"
