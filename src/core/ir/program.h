// SPDX-License-Identifier: Apache-2.0
// Functions and whole programs of the core IR.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/ir/exp.h"

namespace skald::core {

// How far down the pipeline a program is; verify.cpp says which nodes are legal where.
enum class Stage : uint8_t { kSoacs, kKernels, kMemory };
std::string_view stage_name(Stage stage);  // "soacs", "kernels", "memory"
std::optional<Stage> stage_from_name(std::string_view name);

// The source places that statements point to.  A place may have a caller: the call chain of inlined
// code, innermost first.
class LocTable {
 public:
  struct Entry {
    std::string text;  // "dot.fut:3:5-3:20"
    Loc caller = {};
    std::string function = {};  // whose text it is in, as the user named it; may be empty
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  LocTable() : entries_(1) {}
  // Equal entries get equal indices.
  Loc add(std::string text, Loc caller = {}, std::string function = {});
  const Entry& operator[](Loc loc) const { return entries_.at(loc.index); }
  size_t size() const { return entries_.size(); }
  // "a.fut:3:5-3:9" and its callers, one per line as Futhark's back traces, with the functions:
  // "-> #0  a.fut:3:5-3:9 in lookup".
  std::string backtrace(Loc loc) const;
  // Where the user wrote it, not where the prelude does it.
  Loc outside_prelude(Loc loc) const;

 private:
  std::vector<Entry> entries_;
  std::unordered_map<std::string, uint32_t> index_;
};

// A parameter or result of an entry point as the source language sees it.
struct EntryValue {
  std::string name = {};  // of a parameter; may be empty
  std::string type = {};  // as the user wrote it: "[n]f32", "(i32, bool)", "{x: f32}", "state"
  bool unique = false;
  int count = 1;  // how many consecutive core values it takes
  // What the values mean, if it is more than one primitive or array of primitives; without names of
  // abbreviations and without sizes: "(i32, []f64)", "{x: f32, y: f32}", "[](bool, u8)",
  // "(#a i32 | #b)", "m.t/3" for three values of an abstract type.
  std::string layout = {};
  friend bool operator==(const EntryValue&, const EntryValue&) = default;
};

// An entry point that must give true whatever it is given: `skald test` makes up arguments.
struct PropertyTest {
  std::string generator = {}, shrinker = {};  // entry points; empty: the tester's own
  std::optional<int64_t> size = {};           // of the arrays it makes; none: the tester's choice
  friend bool operator==(const PropertyTest&, const PropertyTest&) = default;
};

// How an entry point is called from outside: its first `sizes` parameters are i64 sizes that follow
// from the shapes of the others; its first `result_sizes` results are sizes that nobody asked for.
struct EntryPoint {
  std::string name;  // as the user wrote it; Function::name may differ
  int sizes = 0;
  int result_sizes = 0;
  std::vector<EntryValue> params = {};
  std::vector<EntryValue> results = {};
  std::optional<PropertyTest> property = {};
};

struct Function {
  std::string name;
  std::vector<Param> params;
  std::vector<Ret> results;
  Body body;
  std::optional<EntryPoint> entry = {};
  FunctionHints hints = {};
  Loc loc = {};
  static auto fields(auto& self) { return std::tie(self.params, self.results, self.body); }
};

struct Program {
  Stage stage = Stage::kSoacs;
  NameTable names;
  LocTable locs;
  std::vector<Function> functions;

  const Function* find(std::string_view name) const;
  const Function* find_entry(std::string_view entry) const;
};

}  // namespace skald::core
