// SPDX-License-Identifier: Apache-2.0
// What lowering makes of a program on machines with other caches: thresholds follow them, but not
// where that could be seen in the last bits of floats.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <utility>

#include "core/text/parse.h"
#include "imp/lower/lower.h"
#include "imp/text/print.h"
#include "machine/cache_shares.h"
#include "passes/pass.h"

namespace skald::imp {
namespace {

constexpr machine::Caches kSmall = {.l1d = {16 << 10}, .l2 = {128 << 10}, .l3 = {2 << 20}};
constexpr machine::Caches kLarge = {.l1d = {128 << 10}, .l2 = {4 << 20}, .l3 = {512 << 20}};

// The imp of a core program, in which T stands for a type.
std::string lowered(std::string text, std::string_view type, const machine::Caches& caches,
                    bool streams = false) {
  for (size_t at = 0; (at = text.find('T', at)) != std::string::npos; at += type.size())
    text.replace(at, 1, type);
  source::SourceMap sources;
  auto parsed = core::parse(sources.add("test.core", text), sources);
  if (!parsed) SKALD_BUG("does not parse: {}", parsed.error().what);
  Result<core::Program> prog =
      passes::run_passes(std::move(*parsed), passes::pipeline_to(core::Stage::kMemory));
  if (!prog) SKALD_BUG("does not lower: {}", prog.error());
  LowerOptions options;
  options.caches = caches;
  options.streams = streams;
  return print(lower(*prog, options));
}

constexpr const char* kBins = R"(stage soacs
entry "main" (sizes 1, "k" : "i64", "is" : "[n]i64", "vs" : "[n]T") : (sizes 0, "[k]T")
fun main (n_0 : i64, k_1 : i64, is_2 : [n_0]i64, vs_3 : [n_0]T) : {[k_1]T} =
  let {rep_6 : [k_1]T} = replicate([k_1], 0T)
  let {hist_7 : [k_1]T} =
    hist(n_0, {is_2, vs_3},
      to [k_1] {rep_6} with commutative {0T} \{x_8 : T, x_9 : T} : {T} ->
        let {t_10 : T} = add_T(x_8, x_9)
        in {t_10},
      \{x_11 : i64, x_12 : T} : {i64, T} -> {x_11, x_12})
  in {hist_7}
)";

constexpr const char* kSums = R"(stage soacs
entry "main" (sizes 1, "vs" : "[n]T") : (sizes 0, "[n]T")
fun main (n_13 : i64, vs_14 : [n_13]T) : {[n_13]T} =
  let {scan_res_15 : [n_13]T} =
    soac(n_13, {vs_14}, \{x_16 : T} : {T} -> {x_16},
      scan commutative {0T} \{x_17 : T, x_18 : T} : {T} ->
        let {t_19 : T} = add_T(x_17, x_18)
        in {t_19})
  in {scan_res_15}
)";

// The sum beside the choice is added up by the same chunks.
constexpr const char* kSomeAndSum = R"(stage soacs
entry "main" (sizes 1, "vs" : "[n]T") : (sizes 1, *"[m]T", "T")
fun main (n_28 : i64, vs_29 : [n_28]T) : {size_30 : i64, *[size_30]T, T} =
  let {size_31 : i64, part_32 : [size_31]T} =
    partition(n_28, 1, {vs_29}, \{x_33 : T} : {i64, T} ->
      let {c_34 : bool} = lt_T(0T, x_33)
      let {class_35 : i64} = select(c_34, 0i64, 1i64)
      in {class_35, x_33})
  let {red_res_36 : T} =
    soac(n_28, {vs_29}, \{x_37 : T} : {T} -> {x_37},
      reduce commutative {0T} \{x_38 : T, x_39 : T} : {T} ->
        let {t_40 : T} = add_T(x_38, x_39)
        in {t_40})
  in {size_31, part_32, red_res_36}
)";

TEST(CachesInLowering, BinsOfIntegersFollowTheCaches) {
  const std::string plain = lowered(kBins, "i32", machine::kPlainCaches);
  const std::string small = lowered(kBins, "i32", kSmall);
  EXPECT_NE(small, plain);
  // Bytes beyond a cache cost more: what does not lie in it is subtracted first.
  for (const auto& [text, caches] :
       {std::pair(&plain, &machine::kPlainCaches), std::pair(&small, &kSmall)})
    for (const machine::Cache& cache : {caches->l1d, caches->l2, caches->l3})
      EXPECT_NE(text->find(fmt::format(", -{}i64)", cache.bytes)), std::string::npos)
          << cache.bytes;
}

TEST(CachesInLowering, ScansOfIntegersFollowTheCaches) {
  EXPECT_NE(lowered(kSums, "i32", kSmall), lowered(kSums, "i32", machine::kPlainCaches));
}

TEST(CachesInLowering, FloatsAreAddedUpTheSameOnAllMachines) {
  for (const char* program : {kSums, kSomeAndSum})
    for (const char* type : {"f32", "f64"})
      EXPECT_EQ(lowered(program, type, kSmall), lowered(program, type, machine::kPlainCaches));
  // Which bins belong to one part decides who updates them, not in which order.
  const std::string plain = lowered(kBins, "f32", machine::kPlainCaches);
  const std::string small = lowered(kBins, "f32", kSmall);
  for (const char* threshold : {"8388609i64", "262145i64"}) {
    EXPECT_NE(plain.find(threshold), std::string::npos) << threshold;
    EXPECT_NE(small.find(threshold), std::string::npos) << threshold;
  }
}

TEST(CachesInLowering, LargerCachesChangeNothingUntilSomebodyMeasures) {
  for (const char* program : {kSums, kSomeAndSum})
    for (const char* type : {"i32", "f32"})
      EXPECT_EQ(lowered(program, type, kLarge, true),
                lowered(program, type, machine::kPlainCaches, true));
  // Not so ways of histograms in any order: times are compared, in which all caches occur.
  EXPECT_EQ(lowered(kBins, "f32", kLarge, true),
            lowered(kBins, "f32", machine::kPlainCaches, true));
}

TEST(CachesInLowering, AProcessorWithoutThirdLevelHasALastLevel) {
  constexpr machine::Caches kTwoLevels = {.l1d = {32 << 10}, .l2 = {1 << 20}, .l3 = {0}};
  EXPECT_EQ(machine::cached_bins(kTwoLevels), 512 << 10);
  EXPECT_EQ(machine::streamed_result(kTwoLevels), 512 << 10);
  EXPECT_EQ(machine::streamed_map(kTwoLevels), 2 << 20);
}

}  // namespace
}  // namespace skald::imp
