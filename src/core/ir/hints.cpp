// SPDX-License-Identifier: Apache-2.0
#include "core/ir/hints.h"

#include <array>

namespace skald::core {

namespace {

// What is only said or not said, in the order of printing.
struct Flag {
  std::string_view word;
  bool& (*of)(Hints&);
};

constexpr std::array kFlags = {
    Flag{"sequential", [](Hints& h) -> bool& { return h.sequential; }},
    Flag{"sequential_outer", [](Hints& h) -> bool& { return h.sequential_outer; }},
    Flag{"flattening(no_outer)", [](Hints& h) -> bool& { return h.flattening.no_outer; }},
    Flag{"flattening(only_inner)", [](Hints& h) -> bool& { return h.flattening.only_inner; }},
    Flag{"flattening(no_intra)", [](Hints& h) -> bool& { return h.flattening.no_intra; }},
    Flag{"flattening(only_intra)", [](Hints& h) -> bool& { return h.flattening.only_intra; }},
    Flag{"flattening(sequentialise_nonuniform)",
         [](Hints& h) -> bool& { return h.flattening.sequentialise_nonuniform; }},
    Flag{"sequential_inner", [](Hints& h) -> bool& { return h.sequential_inner; }},
    Flag{"unroll", [](Hints& h) -> bool& { return h.unroll; }},
    Flag{"reduction", [](Hints& h) -> bool& { return h.reduction; }},
    Flag{"in_groups", [](Hints& h) -> bool& { return h.in_groups; }},
};

constexpr std::string_view kTrace = "trace";

constexpr std::string_view kAlways = "inline", kNever = "noinline", kOnce = "once";

}  // namespace

std::vector<std::string> hint_words(const Hints& hints) {
  std::vector<std::string> words;
  Hints copy = hints;
  for (const Flag& flag : kFlags)
    if (flag.of(copy)) words.emplace_back(flag.word);
  if (hints.trace.wanted) {
    std::string word(kTrace);
    if (!hints.trace.tag.empty()) word += "(" + hints.trace.tag + ")";
    words.push_back(std::move(word));
  }
  return words;
}

std::vector<std::string> hint_words(const FunctionHints& hints) {
  std::vector<std::string> words;
  if (hints.inlining != Inlining::kFree)
    words.emplace_back(hints.inlining == Inlining::kAlways ? kAlways : kNever);
  if (hints.once) words.emplace_back(kOnce);
  return words;
}

bool add_hint(Hints& hints, std::string_view word) {
  for (const Flag& flag : kFlags)
    if (word == flag.word) return flag.of(hints) = true;
  if (!word.starts_with(kTrace)) return false;
  word.remove_prefix(kTrace.size());
  if (!word.empty() && (word.size() < 3 || word.front() != '(' || word.back() != ')')) return false;
  hints.trace.wanted = true;
  hints.trace.tag = word.empty() ? "" : word.substr(1, word.size() - 2);
  return true;
}

bool add_hint(FunctionHints& hints, std::string_view word) {
  if (word == kAlways)
    hints.inlining = Inlining::kAlways;
  else if (word == kNever)
    hints.inlining = Inlining::kNever;
  else if (word == kOnce)
    hints.once = true;
  else
    return false;
  return true;
}

void join_hints(Hints& hints, const Hints& from) {
  Hints other = from;
  for (const Flag& flag : kFlags) flag.of(hints) = flag.of(hints) || flag.of(other);
  if (from.trace.wanted) hints.trace = from.trace;
}

}  // namespace skald::core
