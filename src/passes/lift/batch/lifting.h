// SPDX-License-Identifier: Apache-2.0
// Lifting under way: what is known, and where the code of the host goes.
#pragma once

#include <deque>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/edit/builder.h"
#include "passes/lift/batch/batch.h"
#include "passes/lift/program/facts.h"
#include "passes/pass.h"

namespace skald::passes::lift {

// Where an accumulator is now.  All instances write to it; if there is an owner, each instance of
// that batch to a part of its own: from starts[s] on, or with s as one more index.
struct HostAcc {
  core::Name name;
  core::Type type;
  const Batch* owner = nullptr;
  core::Name starts = {};
};
using HostAccs = std::unordered_map<core::Name, HostAcc>;  // by root

// What a side of a branch gives instead of a concatenation: by array where it lies and, but for the
// last one, how long it is.
struct Pieces {
  std::vector<core::Operand> starts, lengths;
  std::vector<core::Operand> totals, data;  // each array once
  std::vector<size_t> data_of;              // by piece
};

// The body that may give pieces, and as which of its results.
struct GivesPieces {
  const core::Body* body = nullptr;
  std::vector<bool> results = {};
};

struct Lifting {
  core::Program& prog;
  PassContext& ctx;
  Facts& facts;
  // How a body is lifted, whose statements may be of any kind: the walk over bodies lies above all
  // that it uses (../bodies.h).
  std::function<void(Batch&, const core::Body&)> lift_body;
  core::Builder* out = nullptr;  // code of the host
  core::Loc loc = {};
  Names consumed = {};
  HostAccs accs = {};
  // Results of calls, which may be views of the arguments.
  Names from_calls = {};
  // Those that it gave are by result.
  GivesPieces gives_pieces = {};
  std::unordered_map<size_t, Pieces> pieces = {};
  size_t statements = 0;  // lifted, in all
  // Are loops lifted that have no parallel code, but write to accumulators?
  bool scalar_loops = false;
  // Set when something cannot be lifted; then what was made so far is thrown away.
  bool refused = false;

  void refuse(std::string_view why);
  HostAcc& host_acc(const core::Operand& acc);
  // Code that exists only while lifting, and stays where it is.
  const core::Stmt& keep(core::Stmt stmt) { return kept_stmts.emplace_back(std::move(stmt)); }
  const core::Body& keep(core::Body body) { return kept_bodies.emplace_back(std::move(body)); }

  std::deque<core::Stmt> kept_stmts = {};
  std::deque<core::Body> kept_bodies = {};
};

// The code of the host goes to another builder for as long as this lives.
class WritesTo {
 public:
  WritesTo(Lifting& lifting, core::Builder& builder)
      : lifting_(lifting), before_(std::exchange(lifting.out, &builder)) {}
  ~WritesTo() { lifting_.out = before_; }
  WritesTo(const WritesTo&) = delete;
  WritesTo& operator=(const WritesTo&) = delete;

 private:
  Lifting& lifting_;
  core::Builder* before_;
};

}  // namespace skald::passes::lift
