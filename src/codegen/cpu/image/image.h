// SPDX-License-Identifier: Apache-2.0
// A compiled program as data: object code, bitcode of what was not needed so far, and what the
// runtime must know about it.  It can be kept
// on disk and loaded by another process of the same build on the same kind of machine.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/clike/failure.h"

namespace skald::cpu {

using clike::FailureMessage;

// The group of kernels that every call of an entry point reaches.
inline constexpr uint32_t kSurelyRun = 0;

class Foresight;

struct ProgramImage {
  struct Entry {
    std::string name, symbol;
  };
  // A piece of the program that is compiled on its own.
  struct Part {
    std::vector<std::string> symbols;  // that other parts see
    std::string object;  // a relocatable file of this machine's format; empty: not compiled yet
    int level = 0;       // how it is to be optimised
    bool quick = false;  // code is to be generated fast, not fast code
    bool soon = false;   // see CompileOptions
  };
  // Kernels that run if one of them does, as far as branches tell.
  struct Group {
    uint32_t around = 0;  // that of the code around the branch
    uint32_t rival = 0;   // the other arm of the branch; 0: there is none
  };
  // A parallel loop that host code calls through the table of kernel.h.
  struct Kernel {
    std::string symbol;
    uint32_t group = 0;
  };
  std::vector<Part> parts;
  std::vector<Kernel> kernels;           // by number
  std::vector<Group> groups;             // by number; the first one is kSurelyRun
  std::string bitcode;                   // of the parts that are not compiled; see split.h
  std::vector<FailureMessage> failures;  // by id
  std::vector<std::string> params;       // tuning parameters, by row
  std::vector<Entry> entries;
  // Not kept by a cache: what earlier runs did not need is not compiled before it is asked for.
  std::shared_ptr<const Foresight> foresight = nullptr;
};

std::string to_bytes(const ProgramImage& image);
// Empty if these are not the bytes of an image.
std::optional<ProgramImage> image_from_bytes(std::string_view bytes);

// Everything about this build of the compiler and this machine that machine code depends on: the
// build's identity, LLVM's version, the CPU and its features.  Empty if the build cannot be told
// from others; then nothing may be kept.
const std::string& build_and_machine();
// The machine alone: the processor with its caches.
std::string machine_identity();

}  // namespace skald::cpu
