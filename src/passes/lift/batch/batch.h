// SPDX-License-Identifier: Apache-2.0
// Batches: instances that run the same code, and where their local values are.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "core/ir/program.h"

namespace skald::passes::lift {

// Where the value of a local name is, for all instances of a batch.
struct Lifted {
  enum Kind : uint8_t {
    kHost,      // the same for all: an operand of the host
    kRows,      // rows[s]; its shape is the same for all instances
    kSegments,  // an array whose size differs: from starts[s] on in `data`
    kCode,      // computed again wherever it is needed
    kPieces,    // the arrays that `code` joins: only a branch gives them, which joins them itself
  };
  Kind kind = kHost;
  core::Operand host = core::const_i64(0);
  core::Name rows = {};
  core::Name starts = {}, data = {};
  core::Operand total = core::const_i64(0);  // the outer size of data
  // Set if the segments lie one after another: then segment s is offsets[s] … offsets[s+1]-1.
  core::Name offsets = {};
  // Data is one-dimensional, and starts count elements.
  bool flat = false;
  const core::Stmt* code = nullptr;
};
Lifted in_rows(core::Name rows);

// How a value of a type is stored for a batch.  kHost: once for all instances, as accumulators are,
// and their sizes among the parameters of a function.
enum class Form : uint8_t { kRegular, kSegments, kFlatSegments, kHost };

struct Batch;
// Whose value a name is; both are null if it is a name of the host.
struct Found {
  const Batch* owner = nullptr;
  const Lifted* value = nullptr;
};

// Instances that run the same code.
struct Batch {
  core::Operand width;
  // Instance s of this batch belongs to instance members[s] of the parent.
  const Batch* parent = nullptr;
  core::Name members = {};
  int depth = 0;
  std::unordered_map<core::Name, Lifted> values = {};
  struct Segments {
    core::Name offsets = {}, total = {};
  };
  // By the name of the length.
  std::unordered_map<core::Name, Segments> segments = {};

  void bind(core::Name name, const Lifted& value) { values.insert_or_assign(name, value); }
  // The first of `arrays` have a row for each instance: that is what `params` are there.
  void bind_rows(const std::vector<core::Param>& params, const std::vector<core::Name>& arrays);
  // The value of a name, here or in a batch around.
  Found find(core::Name name) const;
  // The operand of the host, if it is the same for all instances.
  std::optional<core::Operand> host_operand(const core::Operand& operand) const;
  // With operands of the host for the sizes that are the same for all.
  core::Type host_type(core::Type type) const;
  Form form_of(const core::Type& type) const;
  Form form_of(const core::Param& p) const;
};

// A batch with the same instances, for names of its own.
Batch same_instances(const Batch& b);

}  // namespace skald::passes::lift
