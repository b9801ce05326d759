// SPDX-License-Identifier: Apache-2.0
// A front end and a back end from outside the library: one folder and one line each.
#include <gtest/gtest.h>

#include "compile/program/host_program.h"
#include "compile/program/loader.h"
#include "compile/registry/backends.h"
#include "compile/registry/frontends.h"
#include "polish/polish.h"
#include "printer/printer.h"

namespace skald {

namespace {

using runtime::Value;

void add_toys() {
  static const bool added = [] {
    compile::add_frontend(polish::kFrontend);
    compile::add_backend(printer::kBackend);
    return true;
  }();
  ASSERT_TRUE(added);
}

std::optional<core::Program> load(compile::Loader& loader, const std::string& text) {
  loader.sources().provide("formula.rpn", text);
  return loader.load("formula.rpn");
}

Value numbers(const std::vector<double>& xs) {
  Result<Value> value = Value::allocate(Prim::kF64, {static_cast<int64_t>(xs.size())});
  std::ranges::copy(xs, value->elements<double>().begin());
  return *value;
}

TEST(Toys, AFormulaRunsOnEveryBackEnd) {
  add_toys();
  compile::Loader loader;
  const std::optional<core::Program> prog = load(loader, "x x * 1 +");
  ASSERT_TRUE(prog.has_value()) << loader.drawn();
  for (const char* name : {"interp", "cpu"}) {
    const compile::Backend& backend = *compile::find_backend(name);
    std::string why_not;
    if (!backend.is_available(why_not)) continue;
    auto compiled = compile::HostProgram::make(backend, *prog, {}, {});
    ASSERT_TRUE(static_cast<bool>(compiled)) << compiled.error();
    auto results = (*compiled)->run(*prog->find_entry("main"), {numbers({0, 1, 3})});
    ASSERT_TRUE(static_cast<bool>(results)) << results.error().text();
    const std::span<double> ys = (*results)[0].elements<double>();
    EXPECT_EQ(std::vector<double>(ys.begin(), ys.end()), (std::vector<double>{1, 2, 10})) << name;
  }
}

TEST(Toys, MistakesInAFormulaHaveAPlace) {
  add_toys();
  compile::Loader loader;
  EXPECT_FALSE(load(loader, "x 1\n+ twice").has_value());
  const std::string drawn = loader.drawn();
  EXPECT_NE(drawn.find("formula.rpn:2:3"), std::string::npos) << drawn;
  EXPECT_NE(drawn.find("neither a number"), std::string::npos) << drawn;
}

TEST(Toys, ThePrinterShowsKernels) {
  add_toys();
  compile::Loader loader;
  const std::optional<core::Program> prog = load(loader, "x 2 *");
  ASSERT_TRUE(prog.has_value());
  auto compiled = compile::HostProgram::make(*compile::find_backend("printer"), *prog, {}, {});
  ASSERT_TRUE(static_cast<bool>(compiled));
  const auto results = (*compiled)->run(*prog->find_entry("main"), {numbers({1})});
  ASSERT_FALSE(static_cast<bool>(results));
  EXPECT_EQ(results.error().message, "the printer computes nothing");
  EXPECT_NE(printer::printed().find("kernel(flat("), std::string::npos) << printer::printed();
}

}  // namespace

}  // namespace skald
