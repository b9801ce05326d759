// SPDX-License-Identifier: Apache-2.0
// The run-time error of a user's program.
#pragma once

#include <cstdint>
#include <string>

namespace skald::compile {

struct RunFailure {
  enum Kind : uint8_t {
    kProgram,    // a check of the program failed
    kArguments,  // the arguments do not fit the entry point
    kLimit,      // a limit of time, memory or recursion was reached
    kDevice,     // the device or its driver failed
  };
  std::string message;
  // The places that led there, innermost first: "-> #0  a.fut:3:5-9".  May be empty.
  std::string backtrace = {};
  Kind kind = kProgram;
  // Of a limit that the user has set: "time-limit"; `skald explain CODE` says more.  Or empty.
  std::string code = {};

  // There was no memory for an array, as a message says.
  static RunFailure without_memory(std::string message);

  // As every command shows it: message, blank line, back trace.
  std::string text() const;
};

}  // namespace skald::compile
