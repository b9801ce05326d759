// SPDX-License-Identifier: Apache-2.0
#include "driver/test/property.h"

#include <random>

#include "compile/program/host_program.h"
#include "driver/test/candidate.h"
#include "driver/words.h"

namespace skald::driver {

using runtime::Value;

namespace {

// A shrinker of the user's may give the same value back, or one that does not fail; after so many
// attempts in a row without progress we stop.
constexpr int kAttemptsWithoutProgress = 200;
constexpr int kMostShrinks = 5000;

std::string function_type(const std::vector<Layout>& params, const Layout& result) {
  std::string text;
  for (const Layout& param : params) text += layout_text(param) + " -> ";
  return text + layout_text(result);
}

class PropertyTest {
 public:
  PropertyTest(const core::Program& prog, compile::HostProgram& program,
               const core::Function& entry, const core::PropertyTest& asked,
               const TestOptions& options)
      : prog_(prog),
        program_(program),
        entry_(entry),
        asked_(asked),
        tests_(options.property_tests),
        size_(asked_.size.value_or(options.property_size)),
        seed_(options.seed ? *options.seed : std::random_device{}()),
        random_(seed_) {}

  // Empty if no counterexample was found; else the reason.
  Result<std::string> run() {
    if (Result<Unit> ok = validate(); !ok) return ok.failure();
    for (int test = 1; test <= tests_; ++test) {
      Result<Candidate> candidate = generate();
      if (!candidate) return candidate.failure();
      if (!fails(*candidate)) continue;
      with_error_ = !error_.empty();
      const Result<Candidate> small = shrink(std::move(*candidate));
      if (!small) return small.failure();
      (void)fails(*small);
      std::string text = fmt::format("fails after {} (size {}, seed {})\ncounterexample: {}",
                                     count_text(static_cast<size_t>(test), "test"), size_, seed_,
                                     structured_text({type_, *small}));
      if (!error_.empty()) text += "\n" + error_;
      return text;
    }
    return std::string();
  }

 private:
  Result<Unit> validate() {
    const std::vector<Layout> params = parameter_layouts(entry_);
    const Layout result = result_layout(entry_), boolean = plain_layout(Prim::kBool, 0);
    if (params.size() != 1 || result != boolean)
      return Failure(fmt::format("a property has type t -> bool, but this one has type {}",
                                 function_type(params, result)));
    type_ = params[0];
    const Layout i64 = plain_layout(Prim::kI64, 0), u64 = plain_layout(Prim::kU64, 0);
    if (Result<Unit> ok = find("generator", asked_.generator, {i64, u64}, generator_); !ok)
      return ok;
    if (Result<Unit> ok = find("shrinker", asked_.shrinker, {type_, u64}, shrinker_); !ok)
      return ok;
    if (generator_ == nullptr && has_abstract_part(type_))
      return Failure(
          fmt::format("values of type {} cannot be made up; give a generator: "
                      "#[prop(gen(f))]",
                      layout_text(type_)));
    return Unit{};
  }

  Result<Unit> find(std::string_view what, const std::string& name,
                    const std::vector<Layout>& params, const core::Function*& out) {
    if (name.empty()) return Unit{};
    out = prog_.find_entry(name);
    if (out == nullptr)
      return Failure(fmt::format("the {} `{}` is not an entry point", what, name));
    const std::vector<Layout> have = parameter_layouts(*out);
    const Layout result = result_layout(*out);
    if (have == params && result == type_) return Unit{};
    return Failure(fmt::format("the {} `{}` has the wrong type\n  expected: {}\n  actual:   {}",
                               what, name, function_type(params, type_),
                               function_type(have, result)));
  }

  static Result<Candidate> with_number(Candidate args, Prim type, uint64_t number) {
    Result<Value> scalar = Value::scalar(type, number);
    if (!scalar) return scalar.failure();
    args.push_back(std::move(*scalar));
    return args;
  }

  Result<Candidate> call(const core::Function& fn, Candidate args) {
    Result<std::vector<Value>, compile::RunFailure> result = program_.run(fn, std::move(args));
    if (!result) return Failure(fmt::format("in `{}`: {}", fn.entry->name, result.error().text()));
    return std::move(*result);
  }

  Result<Candidate> generate() {
    if (generator_ == nullptr) return random_candidate(entry_, random_, size_);
    Result<Candidate> args = with_number({}, Prim::kI64, static_cast<uint64_t>(size_));
    if (args) args = with_number(std::move(*args), Prim::kU64, random_.next());
    return args ? call(*generator_, std::move(*args)) : args;
  }

  // Not true, or a run-time error; the error is kept.
  bool fails(const Candidate& candidate) {
    const Result<std::vector<Value>, compile::RunFailure> result = program_.run(entry_, candidate);
    error_ = result ? "" : result.error().text();
    return !result || (*result)[0].element_bits(0) == 0;
  }

  // In the way of the counterexample that is being shrunk: a smaller one that fails with an error
  // instead of giving false would show another mistake.
  bool fails_alike(const Candidate& candidate) {
    return fails(candidate) && error_.empty() != with_error_;
  }

  Result<Candidate> shrink(Candidate candidate) {
    if (shrinker_ == nullptr)
      return shrink_candidate(
          entry_, std::move(candidate),
          generator_ == nullptr ? ShrinkWhat::kShapesAndNumbers : ShrinkWhat::kShapes,
          [this](const Candidate& smaller) { return fails_alike(smaller); });
    int idle = 0;
    for (int k = 0; k < kMostShrinks && idle < kAttemptsWithoutProgress; ++k) {
      Result<Candidate> args = with_number(candidate, Prim::kU64, random_.next());
      if (!args) return args;
      Result<Candidate> smaller = call(*shrinker_, std::move(*args));
      if (!smaller) return smaller;
      const bool progress = !equal(candidate, *smaller) && fails_alike(*smaller);
      idle = progress ? 0 : idle + 1;
      if (progress) candidate = std::move(*smaller);
    }
    return candidate;
  }

  static bool equal(const Candidate& a, const Candidate& b) {
    for (size_t k = 0; k < a.size(); ++k)
      if (a[k].shape != b[k].shape ||
          (a[k].data.bytes() > 0 && std::memcmp(a[k].data.data(), b[k].data.data(),
                                                static_cast<size_t>(a[k].data.bytes())) != 0))
        return false;
    return true;
  }

  const core::Program& prog_;
  compile::HostProgram& program_;
  const core::Function& entry_;
  const core::PropertyTest& asked_;
  int tests_;
  int64_t size_;
  uint64_t seed_;
  runtime::Random random_;
  Layout type_;
  const core::Function* generator_ = nullptr;
  const core::Function* shrinker_ = nullptr;
  std::string error_;
  bool with_error_ = false;
};

}  // namespace

CaseReport test_property(const core::Program& prog, compile::HostProgram& program,
                         const std::string& name, const TestOptions& options) {
  const std::string title = "property " + name;
  const core::Function* entry = prog.find_entry(name);
  if (entry == nullptr)
    return {CaseReport::kFailed, title, fmt::format("`{}` is not an entry point", name)};
  const std::optional<core::PropertyTest>& asked = entry->entry->property;
  if (!asked)
    return {CaseReport::kFailed, title, fmt::format("`{}` needs the attribute #[prop]", name)};
  const Result<std::string> outcome = PropertyTest(prog, program, *entry, *asked, options).run();
  if (!outcome) return {CaseReport::kFailed, title, outcome.error()};
  return {outcome->empty() ? CaseReport::kPassed : CaseReport::kFailed, title, *outcome};
}

}  // namespace skald::driver
