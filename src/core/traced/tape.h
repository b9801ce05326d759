// SPDX-License-Identifier: Apache-2.0
// A tape: every operator on numbers that depend on something, in the order they ran.
//
// Derivatives are sweeps over a part of it.  They compute with numbers of the same tape, so that
// they can be differentiated again.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/ir/ops.h"
#include "core/ir/type.h"

namespace skald::core::traced {

// A number, and the node of the tape that made it.
struct Num {
  Const value = {};
  int64_t node = kConstant;
  static constexpr int64_t kConstant = -1;
};

class Tape {
 public:
  // ---- operators
  Num un(UnOpKind op, Prim type, const Num& x);
  Num bin(BinOpKind op, Prim type, const Num& x, const Num& y);
  Num tern(TernOpKind op, Prim type, const Num& x, const Num& y, const Num& z);
  Num convert(Prim from, Prim to, const Num& x);
  Num bitcast(Prim from, Prim to, const Num& x);
  Num same(const Num& x);  // a node of its own
  // The length of an array as seen by its elements: docs/ad.md, Corners.
  Num counted(const Num& element, const Num& length);
  // The results of a function with a rule of its own; the rule maps cotangents of results to those
  // of `args`.
  using Rule = std::function<std::vector<Num>(const std::vector<Num>&)>;
  std::vector<Num> custom(const std::vector<Num>& results, const std::vector<Num>& args, Rule rule);

  // ---- sweeps
  // A number without a past; what is made from it can be swept from here.
  int64_t position() const { return static_cast<int64_t>(nodes_.size()); }
  // From tangents of some nodes to those of others.
  std::vector<Num> forward(int64_t begin, const std::vector<Num>& from,
                           const std::vector<Num>& tangents, const std::vector<Num>& to);
  // From cotangents of some nodes to those of others.
  std::vector<Num> reverse(int64_t begin, const std::vector<Num>& from,
                           const std::vector<Num>& bars, const std::vector<Num>& to);

  // ---- questions
  // Has some operator a value or a derivative that is infinite or no number where it ran?
  bool has_wild_slope();
  // Has a float become an integer?  Tangents are rounded there, so that derivatives are not linear.
  bool rounds_tangents() const;

 private:
  enum class Kind : uint8_t { kUn, kBin, kTern, kConvert, kBitcast, kSame, kLength, kCustom };
  struct Node {
    Kind kind;
    uint8_t op;
    Prim type, to;
    Num args[3];
    Num result;
    size_t rule = 0;  // kCustom: which one, and which of its results
    size_t number = 0;
  };
  struct Custom {
    std::vector<Num> args;
    size_t results;
    Rule rule;
  };
  struct Slope {
    bool is_one;
    Num factor;
  };

  Num record(Node node, const Const& value);
  Num number(Prim type, double value) const;
  Num add(Prim type, const Num& x, const Num& y);
  // What a tangent or cotangent becomes on its way between a node and its argument k.
  Num scaled(const Node& node, int k, const Num& x);
  Slope slope(const Node& node, int k);
  Slope unary_slope(const Node& node);
  Slope trigonometric_slope(const Node& node);
  Num digamma(Prim type, const Num& x);
  Slope binary_slope(const Node& node, int k);
  Slope minus(const Slope& slope, Prim type);

  std::vector<Node> nodes_;
  std::vector<Custom> customs_;
};

}  // namespace skald::core::traced
