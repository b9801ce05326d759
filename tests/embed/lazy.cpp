// SPDX-License-Identifier: Apache-2.0
// Lazy arrays of include/skald/array.hpp: values, parts, reductions, mistakes.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <skald/array.hpp>
#include <thread>

using skald::all;
using skald::array;
using skald::range;

namespace {

int failures = 0;

template <class T>
void same(const char* what, const array<T>& a, const std::vector<T>& expected,
          const skald::shape_type& shape) {
  if (a.to_vector() == expected && a.shape() == shape) return;
  std::printf("%s is wrong:", what);
  for (const T x : a.to_vector()) std::printf(" %g", static_cast<double>(x));
  std::printf("\n");
  ++failures;
}

template <class Body>
void refused(const char* what, skald_status status, const Body& body) {
  try {
    body();
  } catch (const skald::Error& error) {
    if (error.status() == status && !error.text().empty()) return;
    std::printf("%s: another error: %s\n", what, error.what());
    ++failures;
    return;
  }
  std::printf("%s is not refused\n", what);
  ++failures;
}

void arithmetic() {
  const array<double> a = {1, 2, 3}, b = {0.5, 0.5, 2};
  same<double>("a - b", a - b, {0.5, 1.5, 1}, {3});
  same<double>("numbers", 1 - a * 2 + 0.5, {-0.5, -2.5, -4.5}, {3});
  same<double>("functions", sqrt(square(a)) + max(b, 1) + pow(a, 2), {3, 7, 14}, {3});
  same<double>("sum", sum((a - b) * 2), {6}, {});
  same<bool>("compare", (a > 1) & (b < 1), {false, true, false}, {3});
  same<double>("where", where(a >= 2, a, -b), {-0.5, 2, 3}, {3});
  same<int32_t>("integers", array<int32_t>({7, -7, 9}) / 2 + array<int32_t>({7, -7, 9}) % 4,
                {6, -3, 5}, {3});
  same<int64_t>("count", skald::count(a > 1.5), {2}, {});
  same<float>("cast", skald::cast<float>(array<int32_t>::iota(3)) / 2, {0, 0.5F, 1}, {3});
  if (!sum(a).is_pending()) ++failures;
  array<double> c = a;
  c += 1;
  c *= c;
  same<double>("in place", c, {4, 9, 16}, {3});
  same<double>("a copy", a, {1, 2, 3}, {3});
}

void parts() {
  array<double> m(std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, {3, 4});
  const array<double> before = m;
  same<double>("row", m(size_t{1}), {4, 5, 6, 7}, {4});
  same<double>("column", before(all(), -1), {3, 7, 11}, {3});
  same<double>("steps", m(range(range::open, range::open, -2), range(1, 3)), {9, 10, 1, 2}, {2, 2});
  same<double>("part of a part", before(range(1))(all(), 2), {6, 10}, {2});
  same<double>("transpose", m.transpose()(0), {0, 4, 8}, {3});
  same<double>("reshape", m.transpose().reshape({2, -1})(1), {2, 6, 10, 3, 7, 11}, {6});
  same<double>("empty", m(range(2, 1)), {}, {0, 4});
  m(0) = m(1);
  m(all(), 1) += 100;
  m(2, 3) = -1;
  same<double>("written", m, {4, 105, 6, 7, 4, 105, 6, 7, 8, 109, 10, -1}, {3, 4});
  same<double>("the old one", before, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, {3, 4});
  array<double> shifted = {1, 2, 3, 4};
  shifted(range(1)) = shifted(range(0, -1));
  same<double>("overlapping", shifted, {1, 1, 2, 3}, {4});
  array<double> own = before(1);
  own(0) = 50;
  same<double>("a part as an array", own, {50, 5, 6, 7}, {4});
  same<double>("its origin", before(1), {4, 5, 6, 7}, {4});
}

void reductions() {
  const array<double> m(std::vector<double>{1, 2, 3, 4, 5, 6}, {2, 3});
  same<double>("rows", sum(m, 1), {6, 15}, {2});
  same<double>("columns, kept", mean(m, {0}, true), {2.5, 3.5, 4.5}, {1, 3});
  same<double>("several axes", prod(m, {0, -1}), {720}, {});
  same<double>("extremes", maximum(m, {0}) - minimum(m), {3, 4, 5}, {3});
  same<double>("scan", cumsum(m, 1), {1, 3, 6, 4, 9, 15}, {2, 3});
  same<bool>("any", any(m > 5, {1}), {false, true}, {2});
  same<bool>("every", every(m > 0), {true}, {});
  same<double>("product", dot(m, m.transpose()), {14, 32, 32, 77}, {2, 2});
  same<double>("distances", sum(square(m.expand(1) - m.expand(0)), {2}), {0, 27, 27, 0}, {2, 2});
  same<double>("nothing", sum(array<double>::zeros({0, 3}), {0}), {0, 0, 0}, {3});
  same<double>("repeated", array<double>({1, 2}).broadcast_to({2, 2}), {1, 2, 1, 2}, {2, 2});
}

void mistakes() {
  array<double> a = {1, 2, 3};
  refused("shapes", SKALD_BAD_SHAPE, [&] { a + array<double>({1, 2}); });
  refused("a position", SKALD_BAD_SHAPE, [&] { a(3); });
  refused("indices", SKALD_BAD_SHAPE, [&] { a(0, 0); });
  refused("an axis", SKALD_BAD_ARGUMENT, [&] { sum(a, {1}); });
  refused("item", SKALD_BAD_SHAPE, [&] { (void)a.item(); });
  refused("a write", SKALD_BAD_SHAPE, [&] { a(range(0, 2)) = a; });
  refused("reshape", SKALD_BAD_SHAPE, [&] { (void)a.reshape({2, 2}); });
  refused("a step", SKALD_BAD_ARGUMENT, [&] { a(range(0, 2, 0)); });
  refused("an operation", SKALD_BAD_ARGUMENT, [&] { sqrt(array<int32_t>({4})); });
  refused("an empty maximum", SKALD_BAD_SHAPE, [&] { maximum(array<double>::zeros({0})); });
  refused("a back end", SKALD_NO_BACKEND, [&] { skald::use_backend("abacus"); });
  skald_lazy none{12345}, out;
  if (skald_lazy_copy(none, &out) != SKALD_BAD_HANDLE) ++failures;
  if (skald_lazy_iota(SKALD_F64, 3, nullptr) != SKALD_BAD_ARGUMENT) ++failures;
  if (skald_lazy_iota(SKALD_F16, 3, &out) != SKALD_BAD_ARGUMENT) ++failures;
  same<double>("afterwards", a, {1, 2, 3}, {3});
}

void threads() {
  std::vector<std::thread> all_threads;
  std::vector<double> sums(4);
  for (int t = 0; t < 4; ++t) {
    all_threads.emplace_back([t, &sums] {
      array<double> x = array<double>::iota(100 + t);
      for (int i = 0; i < 5; ++i) x = x * 0.5 + static_cast<double>(t);
      sums[static_cast<size_t>(t)] = sum(x).item();
    });
  }
  for (std::thread& thread : all_threads) thread.join();
  for (int t = 0; t < 4; ++t) {
    double expected = 0;
    for (int k = 0; k < 100 + t; ++k) {
      double x = k;
      for (int i = 0; i < 5; ++i) x = x * 0.5 + t;
      expected += x;
    }
    if (std::fabs(sums[static_cast<size_t>(t)] - expected) > 1e-9) ++failures;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) skald::use_backend(argv[1]);
  arithmetic();
  parts();
  reductions();
  mistakes();
  threads();
  if (failures == 0) std::printf("ok\n");
  return failures == 0 ? 0 : 1;
}
