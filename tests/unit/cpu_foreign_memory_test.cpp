// SPDX-License-Identifier: Apache-2.0
// Arrays in memory of somebody else: they begin and end next to pages that nobody may touch, and
// are aligned to their elements or not even that.  Compiled code must give what it gives for arrays
// in memory of its own, and read or write nothing beside them.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>

#include "compile/cpu/cpu_engine.h"
#include "compile/program/host_program.h"
#include "driver/session.h"
#include "runtime/values/value.h"

namespace skald::driver {
namespace {

using runtime::Buffer;
using runtime::Value;

// `T` stands for the type of the elements.
constexpr std::string_view kProgram = R"(
entry main [n] (xs: [n]T) =
  let at i = xs[i]
  let h = n / 2
  let t = n / 3
  let q = n / 4
  let rows = unflatten (sized (t * 3) (take (t * 3) xs))
  let wide = unflatten (sized (3 * t) (take (3 * t) xs))
  in ( map (\x -> x + T.i64 1) xs
     , tabulate n (\i -> if i == 0 || i == n - 1 then at i else at (i - 1) + at i * at (i + 1))
     , tabulate h (\i -> at (2 * i) + at (2 * i + 1)), tabulate h (\i -> at (2 * i + 1))
     , tabulate t (\i -> at (3 * i) - at (3 * i + 2)), tabulate t (\i -> at (3 * i + 2))
     , tabulate q (\i -> at (4 * i + 3)), tabulate q (\i -> at (4 * i) + at (4 * i + 3))
     , reverse xs, tabulate n (\i -> at ((i * 7) % n)), tabulate h (\i -> at (n - 1 - 2 * i))
     , T.sum xs, T.maximum xs, scan (+) (T.i64 0) xs, scan T.max (T.i64 0) xs
     , filter (\x -> x > T.i64 50) xs, partition (\x -> x > T.i64 30) xs
     , hist (+) (T.i64 0) 100 (map (\x -> T.to_i64 x) xs) xs
     , transpose rows, map T.sum rows, map T.sum (transpose rows), map (scan (+) (T.i64 0)) rows
     , transpose wide, map T.sum wide, map T.sum (transpose wide)
     , map (\r -> map (\c -> T.sum (map2 (*) r c)) (take (i64.min 20 t) rows)) (take (i64.min 30 t) rows)
     , xs ++ xs, rotate 1 xs, xs[1:], xs[::2])

entry update [n] (xs: *[n]T) : *[n]T =
  let xs = scatter xs (map (\i -> i * 2) (iota (n / 2))) (map T.i64 (iota (n / 2)))
  let xs = reduce_by_index xs (+) (T.i64 0) (map (\i -> (i * 5) % n) (iota n)) (replicate n (T.i64 3))
  let xs = xs with [n / 2:] = map T.i64 (iota (n - n / 2))
  in loop xs for i < n do xs with [i] = xs[i] + xs[n - 1 - i]

-- Together with the sum, which makes updates atomic.
entry count [n] (xs: *[n]T) (ys: [n]T) : (*[n]T, i64) =
  let keys = map (\y -> (T.to_i64 y * 401) % n) ys
  in (reduce_by_index xs (+) (T.i64 0) keys ys, i64.sum keys)
)";

constexpr auto kPage = size_t{1} << 16;

enum class Where { kAfterGuard, kBeforeGuard, kOneElementOn, kOdd };

struct Mapping {
  void* memory;
  size_t bytes;
};

// A copy of `value` between two pages that cannot be touched.
Value guarded(const Value& value, Where where) {
  const auto bytes = static_cast<size_t>(value.data.bytes());
  const size_t inner = (bytes + 64) / kPage * kPage + kPage;
  void* memory = mmap(nullptr, inner + 2 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  SKALD_CHECK(memory != MAP_FAILED, "no memory");
  std::byte* first = static_cast<std::byte*>(memory) + kPage;
  SKALD_CHECK(mprotect(first, inner, PROT_READ | PROT_WRITE) == 0, "no memory");
  std::byte* data = first;
  if (where == Where::kBeforeGuard) data += inner - bytes;
  if (where == Where::kOneElementOn) data += prim_size(value.type);
  if (where == Where::kOdd) data += inner - bytes - 1;
  std::memcpy(data, value.data.data(), bytes);
  const auto release = [](void*, void* argument) {
    auto* mapping = static_cast<Mapping*>(argument);
    munmap(mapping->memory, mapping->bytes);
    delete mapping;
  };
  Result<Buffer> buffer =
      Buffer::adopt(data, value.data.bytes(), release, new Mapping{memory, inner + 2 * kPage});
  SKALD_CHECK(static_cast<bool>(buffer), "no memory");
  return Value{value.type, value.shape, std::move(*buffer)};
}

Value numbers(Prim type, int64_t n) {
  Result<Value> value = Value::allocate(type, {n});
  SKALD_CHECK(static_cast<bool>(value), "no memory");
  for (int64_t i = 0; i < n; ++i) {
    const int64_t x = (i * 37 + 11) % 100;
    if (type == Prim::kF64)
      value->elements<double>()[static_cast<size_t>(i)] = static_cast<double>(x);
    else if (type == Prim::kF32)
      value->elements<float>()[static_cast<size_t>(i)] = static_cast<float>(x);
    else
      std::memcpy(value->data.data() + i * prim_size(type), &x,
                  static_cast<size_t>(prim_size(type)));
  }
  return std::move(*value);
}

class ForeignMemory : public testing::TestWithParam<Prim> {};

TEST_P(ForeignMemory, IsUsedAsItIs) {
  std::string text(kProgram);
  const std::string name(prim_name(GetParam()));
  for (size_t at = 0; (at = text.find('T', at)) != std::string::npos; at += name.size())
    text.replace(at, 1, name);
  const std::filesystem::path file = std::filesystem::temp_directory_path() /
                                     fmt::format("skald_foreign_{}_{}.fut", getpid(), name);
  std::ofstream(file) << text;
  Session session(CommonOptions{});
  const std::optional<core::Program> prog = session.load(file.string());
  std::filesystem::remove(file);
  ASSERT_TRUE(prog.has_value()) << session.drawn();
  Result<std::unique_ptr<compile::HostProgram>> compiled =
      compile::HostProgram::make(compile::kCpuBackend, *prog, {}, {});
  ASSERT_TRUE(static_cast<bool>(compiled));
  for (const core::Function& entry : prog->functions) {
    if (!entry.entry) continue;
    for (const int64_t n : {1, 2, 3, 4, 7, 8, 9, 16, 17, 31, 33, 64, 100, 1023, 40001}) {
      const Value own = numbers(GetParam(), n);
      // Values that somebody else holds too are copied before they are changed.
      const bool two = entry.entry->name == "count";
      const auto arguments = [&](const std::function<Value()>& make) {
        std::vector<Value> args = {make()};
        if (two) args.push_back(make());
        return args;
      };
      auto expected = (*compiled)->run(entry, arguments([&] { return own; }));
      ASSERT_TRUE(static_cast<bool>(expected)) << expected.error().text();
      for (const Where where :
           {Where::kAfterGuard, Where::kBeforeGuard, Where::kOneElementOn, Where::kOdd}) {
        auto results = (*compiled)->run(entry, arguments([&] { return guarded(own, where); }));
        ASSERT_TRUE(static_cast<bool>(results)) << results.error().text();
        ASSERT_EQ(results->size(), expected->size());
        for (size_t k = 0; k < results->size(); ++k) {
          const Value& a = (*results)[k];
          const Value& b = (*expected)[k];
          ASSERT_EQ(a.shape, b.shape);
          EXPECT_EQ(0,
                    std::memcmp(a.data.data(), b.data.data(), static_cast<size_t>(a.data.bytes())))
              << entry.entry->name << " with " << n << " elements, place "
              << static_cast<int>(where) << ", result " << k;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, ForeignMemory,
                         testing::Values(Prim::kU8, Prim::kI16, Prim::kI32, Prim::kF32, Prim::kI64,
                                         Prim::kF64),
                         [](const auto& info) { return std::string(prim_name(info.param)); });

}  // namespace
}  // namespace skald::driver
