// SPDX-License-Identifier: Apache-2.0
// Properties of the core IR itself: the generator makes well-formed programs, text is read back,
// copies are equal, and the parser survives garbage.
#include "core/edit/rename.h"
#include "core/random/random.h"
#include "core/text/parse.h"
#include "core/text/print.h"
#include "core/verify/verify.h"
#include "property.h"

namespace skald::property {

namespace {

using namespace core;

Result<Program, source::Diagnostic> read(const std::string& text) {
  source::SourceMap sources;
  return core::parse(sources.add("random.core", text), sources);
}

std::optional<std::string> well_formed(uint64_t seed) {
  const Program prog = random_program(seed, options_for(seed));
  const auto problems = verify(prog);
  if (problems.empty()) return std::nullopt;
  return problems[0] + "\n" + print(prog);
}

// parse(print(p)) = p, by structure and by text.
std::optional<std::string> text_round_trip(const Program& prog) {
  const std::string text = print(prog, {.locs = true});
  const auto again = read(text);
  if (!again) {
    const source::Span span = again.error().labels[0].span;
    return fmt::format("not read back: {} at byte {}: {}\n{}", again.error().what, span.begin,
                       text.substr(span.begin, 60), text);
  }
  if (print(*again, {.locs = true}) != text)
    return "another text:\n" + text + "\n" + print(*again, {.locs = true});
  if (!equal(prog, *again)) return "not equal:\n" + text;
  if (structural_hash(prog) != structural_hash(*again)) return "another hash:\n" + text;
  return std::nullopt;
}

std::optional<std::string> programs_are_read_back(uint64_t seed) {
  return text_round_trip(random_program(seed, options_for(seed)));
}
std::optional<std::string> syntax_is_read_back(uint64_t seed) {
  return text_round_trip(random_syntax(seed, 20));
}

std::optional<std::string> renumbered_text_is_read_back(uint64_t seed) {
  const Program prog = random_program(seed, options_for(seed));
  const auto again = read(print(prog, {.renumber = true}));
  if (!again) return "not read back: " + again.error().what;
  if (!equal(prog, *again)) return "not equal:\n" + print(prog);
  if (!verify(*again).empty()) return "no longer well formed:\n" + print(prog);
  return std::nullopt;
}

std::optional<std::string> copies_are_equal(uint64_t seed) {
  Program prog = random_program(seed, options_for(seed));
  Program copy = clone(prog);
  for (Function& fn : copy.functions) fn = copy_with_fresh_names(fn, copy.names);
  if (!equal(prog, copy)) return "not equal:\n" + print(prog);
  if (structural_hash(prog) != structural_hash(copy)) return "another hash:\n" + print(prog);
  if (const auto problems = verify(copy); !problems.empty()) return problems[0];
  return std::nullopt;
}

// Text with some bytes changed, removed or doubled is read or refused, and what is read can be
// verified and printed; nothing crashes.
std::optional<std::string> garbage_is_survived(uint64_t seed) {
  Random random(seed);
  std::string text = random.chance(50) ? print(random_syntax(seed, 10), {.locs = true})
                                       : print(random_program(seed, 15));
  for (int i = random.between(1, 6); i > 0 && !text.empty(); --i) {
    const auto at = static_cast<size_t>(random.below(static_cast<int>(text.size())));
    const auto length = static_cast<size_t>(random.below(12));
    switch (random.below(5)) {
      case 0: text.erase(at, length); break;
      case 1: text.insert(at, text.substr(at, length)); break;
      case 2: text[at] = static_cast<char>(random.below(256)); break;
      case 3:
        text.insert(
            at,
            text.substr(static_cast<size_t>(random.below(static_cast<int>(text.size()))), length));
        break;
      default: text.resize(at); break;
    }
  }
  const auto prog = read(text);
  if (!prog) {
    if (prog.error().what.empty() || prog.error().labels.size() != 1) return "a poor diagnostic";
    return std::nullopt;
  }
  verify(*prog);
  if (!read(print(*prog))) return "read once but not again:\n" + text;
  return std::nullopt;
}

// The interpreter gives results of the right types, or a run-time error, and the same ones again
// for a copy of the program.
std::optional<std::string> interpreter_is_a_function(uint64_t seed) {
  const Program prog = random_program(seed, options_for(seed));
  const Function& fn = *prog.find("main");
  const auto args = random_args(fn, seed);
  const auto first = interpret(prog, "main", args);
  Program copy = clone(prog);
  for (Function& f : copy.functions) f = copy_with_fresh_names(f, copy.names);
  const auto second = interpret(copy, "main", args);
  if (static_cast<bool>(first) != static_cast<bool>(second))
    return "fails only once:\n" + print(prog);
  if (!first) {
    if (!options_for(seed).failures)
      return "unexpected failure: " + first.error().message + "\n" + print(prog);
    return std::nullopt;
  }
  if (!same_results(*first, *second)) return "other results:\n" + print(prog);
  for (size_t i = 0; i < first->size(); ++i)
    if ((*first)[i].elem != fn.results[i].type.elem ||
        (*first)[i].shape.size() != fn.results[i].type.shape.size())
      return fmt::format("result {} has another type:\n{}", i, print(prog));
  return std::nullopt;
}

}  // namespace

std::vector<Property> core_properties() {
  return {
      {"well-formed", "random programs pass the verifier", well_formed},
      {"text", "parse(print(p)) = p", programs_are_read_back},
      {"syntax", "parse(print(p)) = p for all nodes", syntax_is_read_back},
      {"renumber", "renumbered text is the same program", renumbered_text_is_read_back},
      {"copy", "a copy with fresh names is equal", copies_are_equal},
      {"interp", "the interpreter is a function", interpreter_is_a_function},
      {"garbage", "the parser survives damaged text", garbage_is_survived},
  };
}

}  // namespace skald::property
