// SPDX-License-Identifier: Apache-2.0
// What the lanes of a `simd for` have in common: the iterations of the loop run in lock-step, one
// in each lane of a vector, and this says which values and which branches differ between them.
//
//   uniform   the same in all active lanes: stays a scalar
//   linear    base + lane * stride, with a scalar base and stride: two scalars.  Indices mostly.
//   varying   a vector
//
// Control is divergent if lanes take different ways.  A variable assigned in a divergent part and
// declared outside it is varying, whatever is assigned.  A divergent part runs only while some lane
// is active, so uniform loads in it are safe.
//
// Blocks allocated in the body are private: every lane has its own.
//
// docs/simd.md shows it at work; the pass `vectorise` writes down what it finds (ir/lanes.h).
#pragma once

#include <array>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "imp/ir/imp.h"
#include "imp/simd/early_exit.h"
#include "imp/simd/plan_parts.h"
#include "machine/vector_registers.h"

namespace skald::imp {

// How much one iteration does; statements in inner loops count more.
struct LaneWork {
  double uniform = 0;                  // scalar once for all lanes
  std::array<double, 4> varying = {};  // by log2 of the size: one vector operation each
  double bools = 0;                    // as wide as most of the others
  double per_lane = 0;                 // gathers, calls, divisions: once for each lane
  double operations = 0;               // the part of `varying` and `bools` that computes
  // In bytes for each lane: what is computed, apart from bools, and accesses to memory outside.
  double computed = 0, accesses = 0;
  // Of 64 bits, for which few machines have vector instructions: products, conversions between
  // integers and floats.  Not part of the above.
  double long_vector = 0, long_lane = 0;
  // Gathers and scatters for which few machines have instructions.  Not part of the above.
  double gather_instruction = 0, gather_lane = 0;
  // Arrays that chosen elements are moved to, for which some machines have an instruction.  Not
  // part of the above.
  double collected = 0;
  double scalar = 0;  // all of it, in scalar code
  int statements = 0;
  bool has_loop = false;
  bool has_search = false;
  bool has_function = false;  // of which vectors have a version of their own
};

class LanesAnalysis {
 public:
  // Comparisons of `borders` are taken to be the same in all lanes, extensions not to wrap, and
  // clamped values to be inside.
  explicit LanesAnalysis(const For& loop, const std::vector<Border>& borders = {});

  // What can be treated that way; none if there are very many.
  std::vector<Border> borders() const;
  // Is it a comparison taken to be the same in all lanes?
  bool is_border(Name name) const {
    const auto found = borders_.find(name);
    return found != borders_.end() && found->second == Border::kCompares;
  }
  // What the body binds the name to; null if that is not an expression.
  const Exp* definition(Name name) const;

  // Empty if the loop can run in lanes, or why it cannot.
  const std::string& obstacle() const { return obstacle_; }

  Shape shape(const Operand& operand) const;
  bool is_uniform(const Operand& operand) const { return shape(operand) == Shape::kUniform; }
  // Is it the same control flow for all lanes?  `node` is an If, For or While of the body.
  bool is_divergent(const void* node) const { return divergent_.contains(node); }
  // The variable that ends a loop of the body early (early_exit.h); no name if there is none.
  Name exit_variable(const For& loop) const {
    const auto found = exits_.find(&loop);
    return found == exits_.end() ? Name{} : found->second;
  }
  // Is it a branch that all lanes take which are active there?
  bool is_taken(const If& branch) const { return taken_.contains(&branch); }
  // The stride of a linear value if it is a constant.
  bool is_contiguous(const Operand& index) const;
  int64_t stride(const Operand& index) const { return value(index).stride; }
  bool is_private(Name block) const { return private_.contains(block); }
  // Is it an access such as some machines have an instruction for?
  bool is_gather(Name block, Prim type, const Operand& index) const;
  // Do several gathers and scatters of arrays outside have this index, or one at a constant
  // distance from it?
  bool is_shared_index(const Operand& index) const;
  // Of a private block that is used at all.
  Prim element_type(Name block) const { return private_.at(block); }
  bool has_check() const { return has_check_; }
  // Does it move chosen elements together?  Then it must not run twice.
  bool collects() const { return !collected_.empty(); }
  const LaneWork& work() const { return work_; }

  // A failing check makes the iteration start again, so what it may have changed before must not
  // be what it reads: pairs of a block that is written before some check and one that is read.
  const std::unordered_set<Name>& written_before_check() const { return written_before_check_; }
  const std::unordered_set<Name>& read() const { return read_; }

 private:
  struct Value {
    Shape shape = Shape::kUniform;
    // Of a linear value; 0: not a constant.
    int64_t stride = 0;
    friend bool operator==(const Value&, const Value&) = default;
  };
  struct Variable {
    int context;
  };

  Value value(const Operand& operand) const;
  Value result(const Exp& exp) const;
  void set(Name name, Value value);
  void body(const Body& body, int context);
  void stmt(const Stmt& stmt, int context);
  void divergent_body(const Body& inner, const void* key);
  bool known_before(const Operand& operand, int depth) const;
  // Of an extension or a clamped value that is taken to be linear: what it is equal to; or null.
  const Operand* linear_side(const Let& let) const;
  std::unordered_set<Name> used_as_index() const;
  // What the other walks need to know only once.
  void survey(const Body& body);
  void survey_collected(const Body& body);
  void survey_shifted(const Body& body);
  void find_exit(const For& loop);
  void survey_order(const Body& body, std::unordered_set<Name> written);
  void touch(Name block, Prim type);
  void unify_copied_types();
  Name root_of(const Operand& index) const;
  void count_gathers(const Body& body);
  void refuse(std::string why) {
    if (obstacle_.empty()) obstacle_ = std::move(why);
  }

  std::string obstacle_;
  std::unordered_map<Name, Value> values_;
  std::unordered_map<Name, Variable> variables_;
  std::unordered_set<const void*> divergent_;
  std::unordered_map<const For*, Name> exits_;
  std::unordered_set<const If*> taken_;
  std::unordered_map<Name, Prim> private_;
  std::unordered_set<Name> touched_;
  std::unordered_set<Name> written_before_check_, read_;
  Name loop_var_ = {};
  bool constant_ = false;  // the number of iterations
  std::unordered_map<Name, Border::Kind> borders_;
  std::unordered_set<Name> bound_;  // in the body
  std::vector<const Let*> lets_;
  std::vector<const Load*> loads_;
  std::unordered_map<Name, const Exp*> definitions_;
  std::unordered_map<Name, int> gathers_;  // by the root of the index
  std::vector<Name> collected_;            // the places of collected elements
  size_t shifted_ = 0;                     // statements that look at other iterations
  bool has_check_ = false;
  std::vector<std::pair<Name, Name>> private_copies_;
  bool changed_ = false;
  int contexts_ = 0;
  LaneWork work_;
};

// Adds up what an iteration of the loop does.
void measure_work(const For& loop, const LanesAnalysis& analysis, LaneWork& work);

// Elements so close together that vector loads pay, or neighbours in reverse.
inline bool is_small_stride(int64_t stride) {
  return stride == -1 || (stride >= 1 && stride <= 4);
}

struct LaneChoice {
  int lanes = 0;  // 0: lanes do not pay
  int bytes = 0;  // of the registers
  const char* why = "";
  double cost = 0;  // of an iteration, as chosen; in simple instructions
  // Not 0: the registers of a group one after another, first so many statements of the body, then
  // the others.
  size_t first_stage = 0;
};

// How many lanes a loop should have on a machine with such registers, and which registers.  A loop
// with a constant number of iterations gets exactly that many lanes, if they fit.  `aligned`: will
// groups begin where registers do in memory?
LaneChoice choose_lanes(const For& loop, const LanesAnalysis& analysis,
                        machine::VectorRegisters machine, bool aligned = false);
// The only store of a cheap, straight loop that updates an array where it is; none if it is not
// such a loop.
RowStore update_in_place(const For& loop, const LanesAnalysis& analysis);
// The first one of any loop.
RowStore contiguous_store(const For& loop, const LanesAnalysis& analysis);
// The width in bytes that most of the vectors have.
int common_width(const LaneWork& work);

}  // namespace skald::imp
