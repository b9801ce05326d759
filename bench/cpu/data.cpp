// SPDX-License-Identifier: Apache-2.0
// Inputs and results of the benchmarks, in Futhark's binary format.
//
//   data make FILE SPEC…             one value per SPEC, always the same ones:
//       i64=100  f32=1.5             a scalar
//       f32:1000x10:LOW:HIGH         uniform floats (also i32, u32, u8: integers LOW … HIGH-1)
//       i32:1000:zipf:H              keys 0 … H-1 with frequencies 1/(k+1), scattered
//       f32:500x500:dominant         a matrix whose diagonal is large
//       offsets:1000:N:even|skewed   1000 segments of N elements together: offsets of 1001 i64
//       lengths:1000:N:even|skewed   the same as 1000 lengths
//       graph:1000:K                 1000 nodes with about K neighbours each: how many, then which;
//                                    neighbours have each other
//       text:1000:K                  1000 bytes: words of K different ones, some much more frequent
//   data compare A B RTOL SHARE      equal types, shapes and values; floats up to RTOL times the
//                                    largest magnitude in the array; at most SHARE of the elements
//                                    of an array may differ more
//   data limits THREADS RUNS         measured, best of RUNS (THREADS 0: all): bytes/µs reading,
//                                    bytes/µs copied (read + written), f32 operations/µs,
//                                    elements of a table gathered/µs
#include <numeric>

#include "peers/peer.h"

namespace {

uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == at)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

double uniform(uint64_t i, uint64_t seed) {
  return static_cast<double>(mix(i * 0x9e3779b97f4a7c15ull + seed) >> 11) * 0x1p-53;
}

// Draws keys with frequencies 1/(k+1) by inverting the harmonic sum, good enough to be skewed.
int64_t zipf(double u, int64_t h) {
  const double log_h = std::log(static_cast<double>(h) + 1);
  return std::min<int64_t>(h - 1, static_cast<int64_t>(std::exp(u * log_h)) - 1);
}

template <class T>
void write(std::FILE* out, const std::vector<int64_t>& shape, const std::vector<T>& values) {
  const unsigned char head[3] = {'b', 2, static_cast<unsigned char>(shape.size())};
  std::fwrite(head, 1, 3, out);
  std::fwrite(type_code<T>(), 1, 4, out);
  std::fwrite(shape.data(), 8, shape.size(), out);
  std::fwrite(values.data(), sizeof(T), values.size(), out);
}

template <class T>
void make_values(std::FILE* out, const std::vector<std::string>& parts, uint64_t seed) {
  std::vector<int64_t> shape;
  int64_t size = 1;
  for (const std::string& d : split(parts[1], 'x')) shape.push_back(std::atoll(d.c_str()));
  for (const int64_t d : shape) size *= d;
  std::vector<T> values(static_cast<size_t>(size));
  const bool is_zipf = parts[2] == "zipf", dominant = parts[2] == "dominant";
  const int64_t h = is_zipf ? std::atoll(parts[3].c_str()) : 0;
  const double low = is_zipf || dominant ? 0 : std::atof(parts[2].c_str());
  const double high = is_zipf || dominant ? 1 : std::atof(parts[3].c_str());
  for (int64_t i = 0; i < size; ++i) {
    const double u = uniform(static_cast<uint64_t>(i), seed);
    double value = low + u * (high - low);
    if (is_zipf)
      value =
          static_cast<double>(mix(static_cast<uint64_t>(zipf(u, h))) % static_cast<uint64_t>(h));
    if (dominant && i / shape[0] == i % shape[0]) value += static_cast<double>(shape[0]);
    if constexpr (std::is_floating_point_v<T>)
      values[static_cast<size_t>(i)] = static_cast<T>(value);
    else
      values[static_cast<size_t>(i)] = static_cast<T>(static_cast<int64_t>(std::floor(value)));
  }
  write(out, shape, values);
}

void make_offsets(std::FILE* out, const std::vector<std::string>& parts) {
  const int64_t segments = std::atoll(parts[1].c_str()), n = std::atoll(parts[2].c_str());
  std::vector<double> weights(static_cast<size_t>(segments));
  for (size_t k = 0; k < weights.size(); ++k) {
    const double u = uniform(k, 77);
    weights[k] = parts[3] == "skewed" ? 1 / (1e-7 + u * u) : 0.5 + u;
  }
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<int64_t> offsets = {0};
  double sum = 0;
  for (const double w : weights)
    offsets.push_back(static_cast<int64_t>((sum += w) / total * static_cast<double>(n)));
  offsets.back() = n;
  if (parts[0] == "lengths") {
    for (size_t k = 0; k + 1 < offsets.size(); ++k) offsets[k] = offsets[k + 1] - offsets[k];
    offsets.pop_back();
    return write(out, {segments}, offsets);
  }
  write(out, {segments + 1}, offsets);
}

// Half of the edges of 2 K matchings, each of which pairs all nodes.
void make_graph(std::FILE* out, const std::vector<std::string>& parts) {
  const int64_t n = std::atoll(parts[1].c_str()) / 2 * 2, k = std::atoll(parts[2].c_str());
  std::vector<std::vector<int64_t>> rows(static_cast<size_t>(n));
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  for (int64_t round = 0; round < 2 * k; ++round) {
    for (int64_t i = n; i-- > 1;) {
      const double u = uniform(static_cast<uint64_t>(i), static_cast<uint64_t>(round) + 5);
      std::swap(order[static_cast<size_t>(i)],
                order[static_cast<size_t>(u * static_cast<double>(i + 1))]);
    }
    for (size_t i = 0; i < order.size(); i += 2) {
      if (uniform(i, static_cast<uint64_t>(round) + 1000) < 0.5) continue;
      rows[static_cast<size_t>(order[i])].push_back(order[i + 1]);
      rows[static_cast<size_t>(order[i + 1])].push_back(order[i]);
    }
  }
  std::vector<int64_t> degrees, neighbours;
  for (const std::vector<int64_t>& row : rows) {
    degrees.push_back(static_cast<int64_t>(row.size()));
    neighbours.insert(neighbours.end(), row.begin(), row.end());
  }
  write(out, {n}, degrees);
  write(out, {static_cast<int64_t>(neighbours.size())}, neighbours);
}

void make_text(std::FILE* out, const std::vector<std::string>& parts) {
  const auto size = static_cast<size_t>(std::atoll(parts[1].c_str()));
  const int64_t words = std::atoll(parts[2].c_str());
  std::vector<uint8_t> text;
  for (uint64_t i = 0; text.size() < size; ++i) {
    // The letters of a word are the digits of its mixed number.
    uint64_t letters = mix(static_cast<uint64_t>(zipf(uniform(i, 99), words)) + 1) % 300'000'000;
    for (; letters > 0; letters /= 26) text.push_back(static_cast<uint8_t>('a' + letters % 26));
    text.push_back(i % 12 == 11 ? '\n' : ' ');
  }
  text.resize(size);
  write(out, {static_cast<int64_t>(size)}, text);
}

int make(int argc, char** argv) {
  std::FILE* out = std::fopen(argv[2], "wb");
  if (out == nullptr) die("cannot write");
  for (int k = 3; k < argc; ++k) {
    const std::string spec = argv[k];
    const size_t equals = spec.find('=');
    const std::string type = spec.substr(0, equals == std::string::npos ? spec.find(':') : equals);
    if (equals != std::string::npos) {
      const char* number = spec.c_str() + equals + 1;
      if (type == "f32") write<float>(out, {}, {std::strtof(number, nullptr)});
      if (type == "i32") write<int32_t>(out, {}, {std::atoi(number)});
      if (type == "i64") write<int64_t>(out, {}, {std::atoll(number)});
      continue;
    }
    const std::vector<std::string> parts = split(spec, ':');
    const auto seed = static_cast<uint64_t>(k) * 1000003;
    if (type == "f32") make_values<float>(out, parts, seed);
    if (type == "i32") make_values<int32_t>(out, parts, seed);
    if (type == "u32") make_values<uint32_t>(out, parts, seed);
    if (type == "u8") make_values<uint8_t>(out, parts, seed);
    if (type == "i64") make_values<int64_t>(out, parts, seed);
    if (type == "f64") make_values<double>(out, parts, seed);
    if (type == "offsets" || type == "lengths") make_offsets(out, parts);
    if (type == "graph") make_graph(out, parts);
    if (type == "text") make_text(out, parts);
  }
  return std::fclose(out) == 0 ? 0 : 2;
}

std::string whole_file(const char* path) {
  std::FILE* in = std::fopen(path, "rb");
  if (in == nullptr) die("cannot read");
  std::fseek(in, 0, SEEK_END);
  std::string bytes(static_cast<size_t>(std::ftell(in)), '\0');
  std::rewind(in);
  if (std::fread(bytes.data(), 1, bytes.size(), in) != bytes.size()) die("cannot read");
  std::fclose(in);
  return bytes;
}

template <class T>
bool close_enough(const char* a, const char* b, size_t n, double tolerance, double share) {
  std::vector<T> x(n), y(n);
  std::memcpy(x.data(), a, n * sizeof(T));
  std::memcpy(y.data(), b, n * sizeof(T));
  double largest = 0;
  if constexpr (std::is_floating_point_v<T>)
    for (const T v : y)
      if (std::isfinite(v)) largest = std::max(largest, std::abs(static_cast<double>(v)));
  size_t different = 0, first = n;
  for (size_t i = 0; i < n; ++i) {
    const double difference = std::abs(static_cast<double>(x[i]) - static_cast<double>(y[i]));
    if (x[i] == y[i] || (x[i] != x[i] && y[i] != y[i])) continue;
    if (std::is_floating_point_v<T> && difference <= tolerance * largest) continue;
    if (different++ == 0) first = i;
  }
  if (static_cast<double>(different) <= share * static_cast<double>(n)) return true;
  std::printf("%zu of %zu elements differ; element %zu: %.9g and %.9g\n", different, n, first,
              static_cast<double>(x[first]), static_cast<double>(y[first]));
  return false;
}

// The next value of a file: where its elements begin, and its type and shape as bytes.  Futhark
// ends binary values with line breaks, which are skipped.
struct NextValue {
  size_t at = 0;
  std::string head;
  size_t count = 1;
};

bool next_value(const std::string& file, size_t& at, NextValue& value) {
  while (at < file.size() && file[at] == '\n') ++at;
  if (at + 7 > file.size()) return false;
  const size_t rank = static_cast<unsigned char>(file[at + 2]), head = 7 + 8 * rank;
  if (at + head > file.size()) return false;
  value.head = file.substr(at + 2, head - 2);
  value.count = 1;
  for (size_t d = 0; d < rank; ++d) {
    int64_t dim = 0;
    std::memcpy(&dim, file.data() + at + 7 + 8 * d, 8);
    value.count *= static_cast<size_t>(dim);
  }
  value.at = at += head;
  return true;
}

int compare(const char* a_path, const char* b_path, double tolerance, double share) {
  const std::string a = whole_file(a_path), b = whole_file(b_path);
  const auto differ = [](const char* what) {
    std::printf("%s\n", what);
    return 1;
  };
  size_t a_at = 0, b_at = 0, values = 0;
  for (NextValue x, y;; ++values) {
    const bool more = next_value(a, a_at, x);
    if (next_value(b, b_at, y) != more) return differ("different numbers of results");
    if (!more) break;
    if (x.head != y.head) return differ("results of different types or shapes");
    const std::string type = x.head.substr(1, 4);
    bool same = false;
    const auto check = [&](auto zero) {
      using T = decltype(zero);
      const size_t bytes = x.count * sizeof(T);
      same = x.at + bytes <= a.size() && y.at + bytes <= b.size() &&
             close_enough<T>(a.data() + x.at, b.data() + y.at, x.count, tolerance, share);
      a_at += bytes;
      b_at += bytes;
    };
    if (type == " f32") check(float{});
    if (type == " f64") check(double{});
    if (type == " i32") check(int32_t{});
    if (type == " u32") check(uint32_t{});
    if (type == " i64") check(int64_t{});
    if (type == "  u8") check(uint8_t{});
    if (!same) return 1;
  }
  return values == 0 ? differ("no results") : 0;
}

// The best of `runs`, in microseconds.
template <class Work>
double best_of(int runs, const Work& work) {
  double best = 1e30;
  for (int run = 0; run < runs; ++run) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  return best;
}

int limits(int threads, int runs) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<size_t>(threads));
  const int64_t n = 64 << 20;
  Array<float> a({n}), b({n});
  parallel(n, 1 << 15, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) a[i] = b[i] = 1;
  });
  float total = 0;
  const double read =
      best_of(runs, [&] { total += parallel_sum(n, [&](int64_t i) { return a[i]; }); });
  const double copy = best_of(runs, [&] {
    parallel(n, 1 << 15, [&](int64_t begin, int64_t end) {
      std::memcpy(b.data() + begin, a.data() + begin,
                  static_cast<size_t>(end - begin) * sizeof(float));
    });
  });
  constexpr int kChains = 16, kRounds = 1 << 15;
  const double flops = best_of(runs, [&] {
    parallel(threads, 1, [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) {
        Vec acc[kChains];
        for (int c = 0; c < kChains; ++c) acc[c] = splat(static_cast<float>(c) + total * 0);
        const Vec x = splat(1e-9f);
        for (int r = 0; r < kRounds; ++r)
          for (int c = 0; c < kChains; ++c) acc[c] += x * acc[c];
        for (int c = 1; c < kChains; ++c) acc[0] += acc[c];
        b[t * 64] = acc[0][0];
      }
    });
  });
  // Products with elements of a table that fits the second-level cache, as rows.py says.
  constexpr int64_t kTable = 200'000, kGathers = 8 << 20;
  Array<int32_t> places({kGathers});
  for (int64_t i = 0; i < kGathers; ++i)
    places[i] = static_cast<int32_t>(mix(static_cast<uint64_t>(i)) % kTable);
  const double gathers = best_of(runs, [&] {
    total += parallel_sum(kGathers, [&](int64_t i) { return b[i] * a[places[i]]; });
  });
  std::printf("%.1f %.1f %.1f %.1f\n", static_cast<double>(n) * 4 / read,
              static_cast<double>(n) * 8 / copy, 2.0 * kChains * kRounds * kWidth * threads / flops,
              static_cast<double>(kGathers) / gathers);
  return total == 0.5f ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "make" && argc > 3) return make(argc, argv);
  if (mode == "compare" && argc == 6)
    return compare(argv[2], argv[3], std::atof(argv[4]), std::atof(argv[5]));
  if (mode == "limits" && argc == 4) {
    const int threads = std::atoi(argv[2]);
    return limits(threads > 0 ? threads : tbb::info::default_concurrency(), std::atoi(argv[3]));
  }
  die("usage: data make FILE SPEC… | compare A B RTOL SHARE | limits THREADS RUNS");
}
