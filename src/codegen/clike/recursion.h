// SPDX-License-Identifier: Apache-2.0
// Device functions that call themselves, as a loop with a stack; recursion.cpp shows one.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "imp/ir/imp.h"

namespace skald::clike {

class KernelText;

// The calls of a function by itself, and which values are needed after each.
struct OwnCall {
  const imp::Call* call = nullptr;
  int number = 0;                // from 1 on, in the order of the text
  std::vector<core::Name> kept;  // in the order in which they are bound
};

class OwnCalls {
 public:
  explicit OwnCalls(const imp::Function& fn);

  bool empty() const { return calls_.empty(); }
  const std::vector<OwnCall>& all() const { return calls_; }
  const OwnCall* find(const imp::Call& call) const;
  // Does every call hand on the parameter as it is?
  bool is_handed_on(core::Name param) const { return handed_on_.contains(param); }

 private:
  using Names = std::unordered_set<core::Name>;

  void collect(const imp::Body& body);
  Names before(const imp::Body& body, Names live);
  Names before(const imp::Stmt& stmt, Names live);
  Names before_loop(const imp::Body& body, const std::vector<core::Operand>& each_round,
                    Names live);

  const imp::Function& fn_;
  std::vector<OwnCall> calls_;
  std::vector<core::Name> bound_;
  std::vector<Names> kept_;
  Names handed_on_;
};

// Writes the function.
class RecursiveText {
 public:
  RecursiveText(KernelText& out, const imp::Function& fn) : out_(out), fn_(fn), calls_(fn) {}

  bool calls_itself() const { return !calls_.empty(); }
  // What follows the head.
  std::string body();
  // Notes what a name is; gives the name.
  std::string declared(std::string_view type, const std::string& name);
  // False if it is a call of another function.
  bool call(const imp::Call& n);

 private:
  void states();
  void give_results();
  void unwind();
  std::string to_word(core::Name name);
  std::string from_word(core::Name name, const std::string& word);

  KernelText& out_;
  const imp::Function& fn_;
  OwnCalls calls_;
  // Before the first label, since C++ has no way past a declaration with a value.
  std::vector<std::string> declarations_;
};

}  // namespace skald::clike
