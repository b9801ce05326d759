// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "codegen/cpu/target/options.h"
#include "machine/processor.h"

namespace skald::cpu {
namespace {

// One asks LLVM, the other the kernel.
TEST(Target, RegistersAreThoseOfTheProcessor) {
  EXPECT_EQ(vector_registers({}), machine::this_processor().registers);
}

}  // namespace
}  // namespace skald::cpu
