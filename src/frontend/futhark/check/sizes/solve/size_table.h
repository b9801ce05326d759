// SPDX-License-Identifier: Apache-2.0
// The sizes of one definition: what is known about each, and which were found.
//
// Note [Instantiated sizes].  When a name of type (a -> b) -> a -> b is used, the unsized step has
// found what a and b are, but not their sizes, nor whether these are the same in each place: in
// `xs |> filter p` the type b is ?[m].[m]t in the argument, so its two occurrences must not share a
// size; in `xs |> map f` they must.  The first occurrence gets sizes of kind kInst, later ones
// copies (kCopy) that are equal to the first as long as nothing is learnt to the contrary.  If an
// instantiated size meets a size bound inside the other type (an existential, a parameter), it
// becomes kExistential, unless the type parameter is unlifted; applications then bind each copy
// anew.  Sizes of holes, constructors and results of lambdas may become existential in the same
// way.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontend/futhark/check/base/size_exp.h"
#include "frontend/futhark/check/base/type_ops.h"

namespace skald::futhark {

struct SizeVar {
  enum Kind : uint8_t {
    kParam,        // a name in scope: equal only to itself
    kUnknown,      // computed somewhere: equal only to itself
    kFlex,         // to be found, or found if `solution` is set
    kInst,         // to be found; may turn out to be existential if `lifted` allows it
    kCopy,         // another occurrence of the kInst `canon`
    kExistential,  // a kInst that turned out to be existential
    kWrong,        // a mistake with it was reported: agrees with all sizes
  } kind = kFlex;
  int level = 0;
  VName name = {};
  Span span = {};
  std::string usage = {};                     // why it exists
  const Exp* solution = nullptr;              // kFlex
  Liftedness lifted = Liftedness::kUnlifted;  // kInst
  uint32_t canon = 0, occurrence = 0;         // kCopy
  uint32_t key = 0;                           // kExistential: the size it met
  bool computed = false;                      // kExistential: that was a kUnknown at `span`
  bool of_type = false;                       // kParam: bound by a type that was put together here
  std::string note = {};                      // kUnknown: where it comes from
  std::string plain = {};                     // kUnknown: the same in a few words
  Span decided = {};                          // kFlex with a solution: what asked for it
  std::string array = {};                     // kFlex, kInst: an array of that size, for messages

  // Equal only to itself, or to all: not to be linked.
  bool is_rigid() const {
    return kind == kParam || kind == kUnknown || kind == kExistential || kind == kWrong;
  }
};

// Instantiated sizes that turned out existential, and the common name of equal copies.
struct PendingSizes {
  IdSet ids;
  std::unordered_map<uint32_t, uint32_t> reps;
};

class SizeTable {
 public:
  explicit SizeTable(TypeFactory& f) : f_(f) {}

  SizeVar* find(uint32_t id);
  const std::unordered_map<uint32_t, SizeVar>& all() const { return vars_; }
  // With a new name, at the present level.
  VName add(const std::string& base, SizeVar v);
  VName flexible(Span span, const std::string& base, const std::string& usage);
  VName unknown(Span span, const std::string& base, const std::string& note,
                const std::string& plain = {});
  void bind_param(const VName& name, Span span, bool of_type = false);
  // Under the name that it has.
  void put(SizeVar v) { vars_[v.name.id] = std::move(v); }
  void erase(uint32_t id) { vars_.erase(id); }
  // Another place where instantiated types occur.
  uint32_t next_occurrence() { return ++occurrences_; }

  // What a variable was found to be; null if that is open.
  const Exp* resolve(uint32_t id);
  // With what was found in place of variables.
  const Exp* norm(const Exp* e);
  const Type* norm(const Type* t);
  // The level if it may still be linked.
  std::optional<int> nonrigid(uint32_t id);
  bool same_var(uint32_t a, uint32_t b);

  // The size that agrees with all others, so that nothing follows from a mistake.
  const Exp* wrong_size();
  const Type* with_wrong_sizes(const Type* t);
  // Sizes that are still open become wrong.
  void spoil(const Exp* e);
  void spoil(const Type* t);
  bool is_spoilt(const Exp* e);
  bool is_spoilt(const Type* t);

  PendingSizes pending_insts();
  // Copies become what they are copies of, and instantiated sizes plain ones, from that level on.
  void collapse_insts(int min_level);

  // How deep in scopes new sizes lie.
  int level = 0;

 private:
  uint32_t var_root(uint32_t id);

  TypeFactory& f_;
  uint32_t occurrences_ = 0;
  std::unordered_map<uint32_t, SizeVar> vars_;
  VName wrong_;  // made when it is first needed
};

}  // namespace skald::futhark
