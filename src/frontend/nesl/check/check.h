// SPDX-License-Identifier: Apache-2.0
// Resolves names and infers types.  Functions are generalised; a function is monomorphic in its own
// body.
#pragma once

#include <memory>
#include <string>

#include "frontend/nesl/check/checked.h"
#include "source/diagnostic.h"

namespace skald::nesl {

// Null after a mistake, which is in the diagnostics.
std::unique_ptr<CheckedProgram> check_program(const std::string& path, source::SourceMap& sources,
                                              source::Diagnostics& diagnostics);

// Checks one program after another; the library is read once.  Keeps something of every program.
class Checker {
 public:
  Checker();
  ~Checker();
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  // Whether the program is right.  What was said about it stays until the next call.
  bool check(std::string name, std::string text);
  const source::Diagnostics& diagnostics() const;
  const source::SourceMap& sources() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace skald::nesl
