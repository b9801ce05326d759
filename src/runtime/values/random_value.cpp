// SPDX-License-Identifier: Apache-2.0
#include "runtime/values/random_value.h"

#include <bit>
#include <charconv>
#include <cstring>

#include "runtime/values/text_scanner.h"
#include "support/f16.h"

namespace skald::runtime {

namespace {

template <class T, class Make>
void fill(const Value& value, const Make& make) {
  for (T& element : value.elements<T>()) element = make();
}

}  // namespace

Random::Random(uint64_t seed) {
  for (uint64_t& word : state_) {
    seed += 0x9e3779b97f4a7c15u;
    uint64_t z = seed;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    word = z ^ (z >> 31);
  }
}

uint64_t Random::next() {
  const uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const uint64_t t = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

Result<Value> random_value(Random& random, Prim type, std::vector<int64_t> shape) {
  Result<Value> value = Value::allocate(type, std::move(shape));
  if (!value) return value;
  // The bits of a float's significand, so that 1 is never reached by rounding.
  switch (type) {
    case Prim::kBool:
      fill<uint8_t>(*value, [&] { return static_cast<uint8_t>(random.next() >> 63); });
      break;
    case Prim::kF16:
      fill<uint16_t>(
          *value, [&] { return f32_to_f16(static_cast<float>(random.next() >> 53) * 0x1p-11f); });
      break;
    case Prim::kF32:
      fill<float>(*value, [&] { return static_cast<float>(random.next() >> 40) * 0x1p-24f; });
      break;
    case Prim::kF64:
      fill<double>(*value, [&] { return static_cast<double>(random.next() >> 11) * 0x1p-53; });
      break;
    default: {
      std::byte* out = value->data.data();
      int64_t left = value->data.bytes();
      for (; left > 0; left -= 8, out += 8) {
        const uint64_t bits = random.next();
        std::memcpy(out, &bits, static_cast<size_t>(std::min<int64_t>(left, 8)));
      }
    }
  }
  return value;
}

Result<SizedType> parse_sized_type(std::string_view text) {
  SizedType result;
  std::string_view rest = text;
  const Failure wrong(
      fmt::format("`{}` is not a type of the form [10][20]f32", text.substr(0, 60)));
  while (!rest.empty() && rest[0] == '[') {
    // Underscores are allowed, as in other numbers.
    std::string digits;
    size_t end = 1;
    for (; end < rest.size() && (is_digit(rest[end]) || rest[end] == '_'); ++end)
      if (rest[end] != '_') digits += rest[end];
    if (end == rest.size() || rest[end] != ']') return wrong;
    int64_t dim = 0;
    const std::from_chars_result parsed =
        std::from_chars(digits.data(), digits.data() + digits.size(), dim);
    if (parsed.ec != std::errc()) return wrong;
    result.shape.push_back(dim);
    rest.remove_prefix(end + 1);
  }
  const std::optional<Prim> type = prim_from_name(rest);
  if (!type || result.shape.size() > 255) return wrong;
  result.type = *type;
  return result;
}

}  // namespace skald::runtime
