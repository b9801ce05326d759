// SPDX-License-Identifier: Apache-2.0
// Calls a Futhark program from C++: how often each digit occurs among the last digits of squares.
//
//   histogram [BACKEND]
#include <cstdio>
#include <skald/skald.hpp>

constexpr const char* kProgram = R"(
entry digits [n] (keys: [n]i32) : [10]i64 =
  reduce_by_index (replicate 10 0) (+) 0 (map i64.i32 keys) (replicate n 1)
)";

int main(int argc, char** argv) {
  try {
    skald_context_options options = skald_context_defaults();
    if (argc > 1) options.backend = argv[1];
    skald::Context context = skald::Context::open(options).value();
    skald::Program program = context.program_from_text("futhark", "digits.fut", kProgram).value();
    std::vector<int32_t> keys;
    for (int32_t k = 0; k < 1000; ++k) keys.push_back(k * k % 10);
    skald::Array input = skald::Array::from(context, keys).value();
    std::vector<skald::Array> results = program.call("digits", {input}).value();
    for (const int64_t count : results[0].to_vector<int64_t>().value())
      std::printf("%lld ", static_cast<long long>(count));
    std::printf("\n");
    return 0;
  } catch (const skald::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
