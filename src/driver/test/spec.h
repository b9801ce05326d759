// SPDX-License-Identifier: Apache-2.0
// Test blocks: the `-- ==` comments of a program, as data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace skald::driver {

// Values in the program text, values in a file, random values of given types, or a script over the
// program's own entry points, also in a file.
struct CaseInput {
  enum Kind : uint8_t { kValues, kFile, kRandom, kScript, kScriptFile } kind = kValues;
  std::string text;  // what is between the braces, or the file name
};

struct CaseResult {
  // kAnything: the program must only succeed.  kAuto: what the interpreter gives.
  enum Kind : uint8_t { kAnything, kValues, kFile, kAuto, kError } kind = kAnything;
  std::string text;  // the values, file name or regular expression
};

struct TestCase {
  std::string name;
  std::vector<std::string> tags;
  CaseInput input;
  CaseResult result;
};

struct TestGroup {
  std::vector<std::string> entries;  // all get the same cases
  std::vector<TestCase> cases;
};

// One `structure { map 1 reduce 0 }`: how many nodes of a kind are left after the pipeline.
struct StructureCount {
  std::string node;
  int count = 0;
};

struct TestSpec {
  std::vector<std::string> tags;
  // The program must be rejected with a message that matches (empty: any message).
  std::optional<std::string> compile_error;
  std::vector<std::string> warnings;
  std::vector<TestGroup> groups;
  std::vector<std::string> properties;  // entry points that must give true for any argument
  std::vector<StructureCount> structure;
};

// Reads the blocks of a program.  Fails with a sentence that names the line.
Result<TestSpec> parse_test_spec(std::string_view program);

bool has_tag(const std::vector<std::string>& tags, std::string_view tag);

}  // namespace skald::driver
