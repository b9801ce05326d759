// SPDX-License-Identifier: Apache-2.0
// Derivatives of random programs: what the pass makes of jvp and vjp, against an interpreter with a
// tape (core/traced), and against each other: ⟨v, J u⟩ = ⟨Jᵀ v, u⟩.
#include <cmath>

#include "core/edit/builder.h"
#include "core/edit/rename.h"
#include "core/interp/code/array.h"
#include "core/interp/interp.h"
#include "core/ir/visit.h"
#include "core/text/print.h"
#include "core/traced/traced.h"
#include "core/verify/verify.h"
#include "passes/pass.h"
#include "property.h"

namespace skald::property {

namespace {

using namespace core;

bool is_wanted(const Type& type) {
  return type.kind == Type::kArray && (type.elem == Prim::kF32 || type.elem == Prim::kF64);
}

// A program that gives jvp and vjp of `main` by its floats, for its results that are floats.
struct Wrapped {
  Program prog;
  size_t inputs = 0, results = 0;  // floats
  size_t first_tangent = 0;        // among the arguments; cotangents follow
};

// The function of the floats: main with copies of what it would consume.
Lambda function_of(Program& prog, const Function& main, const std::vector<size_t>& results) {
  Lambda fn;
  Substitution renamed;
  Builder code(prog);
  for (const Param& p : main.params) {
    Operand name = p.name;
    if (is_wanted(p.type)) {
      fn.params.push_back({.name = prog.names.fresh("x"), .type = p.type});
      name = fn.params.back().name;
      renamed[p.name] = name;
    }
    if (p.unique) renamed[p.name] = code.let1(p.type, Copy{std::get<Name>(name)}, "own");
  }
  Body body = copy_with_fresh_names(main.body, prog.names, renamed);
  for (Stmt& stmt : body.stmts) code.append(std::move(stmt));
  std::vector<Operand> chosen;
  for (const size_t k : results) {
    chosen.push_back(body.result[k]);
    fn.results.push_back({.type = main.results[k].type});
  }
  fn.body = code.finish(std::move(chosen));
  return fn;
}

std::optional<Wrapped> wrap(const Program& original) {
  Wrapped w{.prog = clone(original)};
  Program& prog = w.prog;
  Function main;
  for (size_t k = 0; k < prog.functions.size(); ++k)
    if (prog.functions[k].name == "main") {
      main = std::move(prog.functions[k]);
      prog.functions.erase(prog.functions.begin() + static_cast<ptrdiff_t>(k));
      break;
    }
  NameSet bound;
  for (const Ret& ret : main.results)
    if (ret.name) bound.insert(ret.name);
  std::vector<size_t> chosen;
  for (size_t k = 0; k < main.results.size(); ++k) {
    bool fixed = is_wanted(main.results[k].type);
    for (const Operand& dim : main.results[k].type.shape)
      if (const Name* name = as_name(dim)) fixed = fixed && !bound.contains(*name);
    if (fixed) chosen.push_back(k);
  }
  Function outer{.name = "main"};
  outer.entry = EntryPoint{.name = "main", .sizes = main.entry ? main.entry->sizes : 0};
  for (const Param& p : main.params) outer.params.push_back({.name = p.name, .type = p.type});
  w.first_tangent = outer.params.size();
  std::vector<Operand> args, tangents, cotangents;
  std::vector<Type> results, inputs;
  for (const Param& p : main.params) {
    if (!is_wanted(p.type)) continue;
    args.emplace_back(p.name);
    inputs.push_back(p.type);
    outer.params.push_back({.name = prog.names.fresh("u"), .type = p.type});
    tangents.emplace_back(outer.params.back().name);
  }
  for (const size_t k : chosen) {
    results.push_back(main.results[k].type);
    outer.params.push_back({.name = prog.names.fresh("v"), .type = results.back()});
    cotangents.emplace_back(outer.params.back().name);
  }
  w.inputs = inputs.size();
  w.results = results.size();
  if (args.empty() || results.empty()) return std::nullopt;
  Builder code(prog);
  std::vector<Type> both = results;
  both.insert(both.end(), results.begin(), results.end());
  const std::vector<Name> forward =
      code.let(both, Jvp{function_of(prog, main, chosen), args, tangents}, "forward");
  both = results;
  both.insert(both.end(), inputs.begin(), inputs.end());
  const std::vector<Name> reverse =
      code.let(both, Vjp{function_of(prog, main, chosen), args, cotangents}, "reverse");
  std::vector<Operand> given;
  for (const std::vector<Name>& names : {forward, reverse})
    for (size_t k = results.size(); k < names.size(); ++k) given.emplace_back(names[k]);
  for (const Type& type : results) outer.results.push_back({.type = type});
  for (const Type& type : inputs) outer.results.push_back({.type = type});
  outer.body = code.finish(std::move(given));
  const auto shown = [](const Type& type) {
    std::string text;
    for (int k = 0; k < type.rank(); ++k) text += "[]";
    return EntryValue{.name = "x", .type = text + std::string(prim_name(type.elem))};
  };
  for (size_t k = static_cast<size_t>(outer.entry->sizes); k < outer.params.size(); ++k)
    outer.entry->params.push_back(shown(outer.params[k].type));
  for (const Ret& ret : outer.results) outer.entry->results.push_back(shown(ret.type));
  prog.functions.push_back(std::move(outer));
  return w;
}

std::vector<double> numbers(const ArrayValue& array) {
  const int bytes = prim_size(array.elem);
  std::vector<double> found;
  for (size_t at = 0; at < array.data->size(); at += static_cast<size_t>(bytes))
    found.push_back(float_value({array.elem, interp::load_bits(array.data->data() + at, bytes)}));
  return found;
}

double dot(const ArrayValue& a, const ArrayValue& b, double& size) {
  const std::vector<double> x = numbers(a), y = numbers(b);
  double sum = 0;
  for (size_t k = 0; k < x.size(); ++k) {
    sum += x[k] * y[k];
    size += std::abs(x[k] * y[k]);
  }
  return sum;
}

// Random programs have numbers of any size, and sums in another order differ by rounding.
constexpr double kTolerance = 1e-3;

std::optional<std::string> compare(const std::vector<ArrayValue>& expected,
                                   const std::vector<ArrayValue>& got, const TapeFacts& facts) {
  double scale = 1;
  bool wild = false;
  for (const ArrayValue& array : expected)
    for (const double x : numbers(array)) {
      wild = wild || !std::isfinite(x) || std::abs(x) > 1e12;
      scale = std::max(scale, std::abs(x));
    }
  if (wild) return std::nullopt;
  for (size_t k = 0; k < expected.size(); ++k) {
    const std::vector<double> a = numbers(expected[k]), b = numbers(got[k]);
    if (a.size() != b.size()) return fmt::format("result {} has another shape", k);
    for (size_t i = 0; i < a.size(); ++i) {
      // Zero times infinity: the tape does not see what cannot change.
      if (std::isnan(b[i]) && (a[i] == 0 || facts.has_wild_slope)) continue;
      if (!(std::abs(a[i] - b[i]) <= kTolerance * scale))
        return fmt::format("result {}, element {}: {} by the tape, {} by the pass", k, i, a[i],
                           b[i]);
    }
  }
  return std::nullopt;
}

std::optional<std::string> difference(const Program& original, uint64_t seed) {
  const auto wrapped = wrap(original);
  if (!wrapped || !verify(wrapped->prog).empty()) return std::nullopt;
  const Program& prog = wrapped->prog;
  const auto args = random_args(*prog.find("main"), seed);
  TapeFacts facts;
  const auto expected = interpret_by_tape(prog, "main", args, &facts);
  if (!expected) return std::nullopt;
  const std::vector<std::string_view> names = seed % 2 == 0
                                                  ? std::vector<std::string_view>{"differentiate"}
                                                  : passes::pipeline_to(Stage::kSoacs);
  const auto changed = passes::run_passes(clone(prog), names, {.verify = false});
  // What cannot be differentiated is said.
  if (!changed) return std::nullopt;
  if (const auto problems = verify(*changed); !problems.empty()) return problems[0];
  const auto got = interpret(*changed, "main", args);
  if (!got) return "fails with: " + got.error().message;
  if (auto problem = compare(*expected, *got, facts)) return problem;
  if (facts.rounds_tangents) return std::nullopt;
  double forward = 0, reverse = 0, size = 1;
  for (size_t k = 0; k < wrapped->results; ++k)
    forward += dot((*got)[k], args[wrapped->first_tangent + wrapped->inputs + k], size);
  for (size_t k = 0; k < wrapped->inputs; ++k)
    reverse += dot((*got)[wrapped->results + k], args[wrapped->first_tangent + k], size);
  if (std::isfinite(size) && size < 1e12 && std::abs(forward - reverse) > kTolerance * size)
    return fmt::format("<v, Ju> is {}, <Jv, u> is {}", forward, reverse);
  return std::nullopt;
}

}  // namespace

std::vector<Property> derivative_properties() {
  return {{"derivatives", "jvp and vjp by the pass are those by a tape, and fit each other",
           [](uint64_t seed) -> std::optional<std::string> {
             const auto problem = [&](const Program& prog) -> std::optional<std::string> {
               if (!prog.find("main")) return std::nullopt;
               try {
                 return difference(prog, seed);
               } catch (const std::exception& error) {
                 return error.what();
               }
             };
             RandomOptions options = options_for(seed);
             options.inexact = seed % 3 == 0;
             options.failures = false;
             Program prog = random_program(seed, options);
             if (!problem(prog)) return std::nullopt;
             const Program small =
                 shrink(std::move(prog), [&](const Program& p) { return problem(p).has_value(); });
             return problem(small).value_or("") + "\n" + print(small);
           }}};
}

}  // namespace skald::property
