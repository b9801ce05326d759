// SPDX-License-Identifier: Apache-2.0
// One attempt to make the sizes of two types equal: why, and what is known about its failure.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "frontend/futhark/check/base/context.h"

namespace skald::futhark {

// Why two sized types must agree.
struct SizeWhy {
  Span span;
  std::string use;                         // "use as function argument"
  std::function<std::string()> head = {};  // first lines of a message
  std::vector<source::Label> labels = {};
  // The expression at `span`, and what it is there.
  const Exp* value = nullptr;
  enum Role : uint8_t {
    kOther,
    kArgument,
    kResult,
    kLoop,
    kElement,
    kUpdate,
    kInitial,
    kPattern,
  } role = kOther;
  std::string function = {};  // kArgument: its name
};

struct Unifying {
  const SizeWhy& why;
  std::vector<uint32_t> bound;  // names bound by function types around the present position
  // Those that only one of the two function types has: no size of the other can be that name.
  std::vector<uint32_t> one_sided = {};
  std::string text = {};   // what went wrong
  std::string plain = {};  // the same as a headline
  std::string way_out = {};
  std::string code = {};
  std::string where = {};  // "When matching parameter types."
  enum Part : uint8_t { kWhole, kParameter, kReturned } part = kWhole;  // of a function
  // Branches: sizes that cannot be made equal are left alone.
  bool lenient = false;
  // The sizes that differ; null for other mistakes.
  const Exp *expected = nullptr, *actual = nullptr;
  // A function would return arrays of different sizes where all must have the same.
  bool irregular = false;
  // Sizes that were put into the table for the time being.
  std::vector<uint32_t> introduced = {};
};

// Whether a size mentions names bound by function types around it.
bool is_bound(const Unifying& u, const Exp* e);

}  // namespace skald::futhark
