// SPDX-License-Identifier: Apache-2.0
#include "driver/test/candidate.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "support/f16.h"

namespace skald::driver {

using runtime::Random;
using runtime::Value;

namespace {

constexpr double kManyElements = 4096;
constexpr int kMostAttempts = 3000;

// The parameters that are values; their shapes name the sizes.
std::span<const core::Param> leaf_params(const core::Function& entry) {
  return std::span(entry.params).subspan(static_cast<size_t>(entry.entry->sizes));
}

uint64_t bits_of(Prim type, double number) {
  if (type == Prim::kF64) return std::bit_cast<uint64_t>(number);
  const auto single = static_cast<float>(number);
  return type == Prim::kF32 ? std::bit_cast<uint32_t>(single) : f32_to_f16(single);
}

double float_of(Prim type, uint64_t bits) {
  if (type == Prim::kF64) return std::bit_cast<double>(bits);
  if (type == Prim::kF32) return std::bit_cast<float>(static_cast<uint32_t>(bits));
  return f16_to_f32(static_cast<uint16_t>(bits));
}

int64_t signed_of(Prim type, uint64_t bits) {
  const int shift = 64 - prim_bits(type);
  return static_cast<int64_t>(bits << shift) >> shift;
}

uint64_t random_scalar(Prim type, int tag_bound, Random& random) {
  if (tag_bound > 0) return random.below(static_cast<uint64_t>(tag_bound));
  if (type == Prim::kBool) return random.below(2);
  const bool small = random.below(2) == 0;
  const auto offset = static_cast<int64_t>(random.below(41)) - 20;
  if (is_int(type)) {
    if (!small) return random.next();
    return static_cast<uint64_t>(is_unsigned_int(type) ? std::abs(offset) : offset);
  }
  const double unit = static_cast<double>(random.next() >> 11) * 0x1p-53;
  return bits_of(type, small ? static_cast<double>(offset) : (unit - 0.5) * 2000);
}

void put(Value& value, int64_t index, uint64_t bits) {
  const int size = prim_size(value.type);
  std::memcpy(value.data.data() + index * size, &bits, static_cast<size_t>(size));
}

// Without the elements [from, from + count) along one dimension.
Result<Value> without(const Value& value, size_t axis, int64_t from, int64_t count) {
  std::vector<int64_t> shape = value.shape;
  shape[axis] -= count;
  Result<Value> out = Value::allocate(value.type, std::move(shape));
  if (!out || out->data.bytes() == 0) return out;
  int64_t inner = prim_size(value.type), outer = 1;
  for (size_t d = 0; d < axis; ++d) outer *= value.shape[d];
  for (size_t d = axis + 1; d < value.shape.size(); ++d) inner *= value.shape[d];
  const int64_t before = from * inner, after = (value.shape[axis] - from - count) * inner;
  const std::byte* source = value.data.data();
  std::byte* target = out->data.data();
  for (int64_t i = 0; i < outer; ++i) {
    std::memcpy(target, source, static_cast<size_t>(before));
    std::memcpy(target + before, source + before + count * inner, static_cast<size_t>(after));
    source += value.shape[axis] * inner;
    target += before + after;
  }
  return out;
}

class Shrinker {
 public:
  Shrinker(const core::Function& entry, Candidate candidate,
           const std::function<bool(const Candidate&)>& fails)
      : params_(leaf_params(entry)), best_(std::move(candidate)), fails_(fails) {
    for (const core::Param& param : params_)
      for (const core::Operand& dim : param.type.shape)
        if (const core::Name* name = core::as_name(dim))
          if (std::find(sizes_.begin(), sizes_.end(), *name) == sizes_.end())
            sizes_.push_back(*name);
    for (const Layout& layout : parameter_layouts(entry))
      for (const int bound : tag_bounds(layout)) tags_.push_back(bound);
  }

  Candidate run(ShrinkWhat what) {
    bool smaller = true;
    while (smaller && attempts_ < kMostAttempts) {
      smaller = false;
      for (const core::Name size : sizes_) smaller = shrink_size(size) || smaller;
      if (what == ShrinkWhat::kShapesAndNumbers)
        for (size_t leaf = 0; leaf < best_.size(); ++leaf)
          for (int64_t i = 0; i < best_[leaf].element_count() && attempts_ < kMostAttempts; ++i)
            smaller = shrink_number(leaf, i) || smaller;
    }
    return std::move(best_);
  }

 private:
  // Takes a candidate if it fails as well.
  bool attempt(Candidate candidate) {
    if (attempts_ >= kMostAttempts) return false;
    ++attempts_;
    if (!fails_(candidate)) return false;
    best_ = std::move(candidate);
    return true;
  }

  int64_t length(core::Name size) const {
    for (size_t leaf = 0; leaf < best_.size(); ++leaf)
      for (size_t axis = 0; axis < best_[leaf].shape.size(); ++axis)
        if (is(leaf, axis, size)) return best_[leaf].shape[axis];
    return 0;
  }
  bool is(size_t leaf, size_t axis, core::Name size) const {
    const core::Name* name = core::as_name(params_[leaf].type.shape[axis]);
    return name != nullptr && *name == size;
  }

  bool remove(core::Name size, int64_t from, int64_t count) {
    Candidate candidate = best_;
    for (size_t leaf = 0; leaf < candidate.size(); ++leaf) {
      for (size_t axis = 0; axis < candidate[leaf].shape.size(); ++axis) {
        if (!is(leaf, axis, size)) continue;
        Result<Value> cut = without(candidate[leaf], axis, from, count);
        if (!cut) return false;
        candidate[leaf] = std::move(*cut);
      }
      // A size that is also a number of the candidate.
      if (params_[leaf].name == size) {
        Result<Value> number =
            Value::scalar(Prim::kI64, static_cast<uint64_t>(length(size) - count));
        if (!number) return false;
        candidate[leaf] = std::move(*number);
      }
    }
    return attempt(std::move(candidate));
  }

  bool shrink_size(core::Name size) {
    bool smaller = false;
    // The second half as long as that works, then single elements from the end.
    for (int64_t n = length(size); n > 1 && remove(size, n - n / 2, n / 2); n = length(size))
      smaller = true;
    for (int64_t k = length(size) - 1; k >= 0 && attempts_ < kMostAttempts; --k)
      smaller = remove(size, k, 1) || smaller;
    return smaller;
  }

  bool try_bits(size_t leaf, int64_t index, uint64_t bits) {
    Result<Value> copy = Value::allocate(best_[leaf].type, best_[leaf].shape);
    if (!copy) return false;
    std::memcpy(copy->data.data(), best_[leaf].data.data(),
                static_cast<size_t>(copy->data.bytes()));
    put(*copy, index, bits);
    Candidate candidate = best_;
    candidate[leaf] = std::move(*copy);
    return attempt(std::move(candidate));
  }

  // Zero, half, one nearer to zero.
  bool shrink_number(size_t leaf, int64_t index) {
    const Prim type = best_[leaf].type;
    if (std::find(sizes_.begin(), sizes_.end(), params_[leaf].name) != sizes_.end()) return false;
    bool smaller = false;
    for (;;) {
      const uint64_t bits = best_[leaf].element_bits(index);
      if (bits == 0) return smaller;
      bool better = try_bits(leaf, index, 0);
      if (!better && type != Prim::kBool && (leaf >= tags_.size() || tags_[leaf] == 0)) {
        if (is_float(type)) {
          const double number = float_of(type, bits);
          const double half = std::trunc(number / 2), whole = std::trunc(number);
          better = (half != number && try_bits(leaf, index, bits_of(type, half))) ||
                   (whole != number && try_bits(leaf, index, bits_of(type, whole)));
        } else if (is_signed_int(type)) {
          const int64_t number = signed_of(type, bits);
          better =
              (number < 0 && number != INT64_MIN &&
               try_bits(leaf, index, static_cast<uint64_t>(-number))) ||
              try_bits(leaf, index, static_cast<uint64_t>(number / 2)) ||
              try_bits(leaf, index, static_cast<uint64_t>(number < 0 ? number + 1 : number - 1));
        } else {
          better = try_bits(leaf, index, bits / 2) || try_bits(leaf, index, bits - 1);
        }
      }
      if (!better) return smaller;
      smaller = true;
    }
  }

  std::span<const core::Param> params_;
  Candidate best_;
  const std::function<bool(const Candidate&)>& fails_;
  std::vector<core::Name> sizes_;
  std::vector<int> tags_;
  int attempts_ = 0;
};

}  // namespace

Result<Candidate> random_candidate(const core::Function& entry, Random& random, int64_t size) {
  const std::span<const core::Param> params = leaf_params(entry);
  std::vector<int> tags;
  for (const Layout& layout : parameter_layouts(entry))
    for (const int bound : tag_bounds(layout)) tags.push_back(bound);
  int rank = 1;
  for (const core::Param& param : params) rank = std::max(rank, param.type.rank());
  const auto longest =
      std::min(size, static_cast<int64_t>(std::max(1.0, std::pow(kManyElements, 1.0 / rank))));
  std::unordered_map<core::Name, int64_t> sizes;
  for (const core::Param& param : params)
    for (const core::Operand& dim : param.type.shape)
      if (const core::Name* name = core::as_name(dim))
        sizes.emplace(*name,
                      static_cast<int64_t>(random.below(static_cast<uint64_t>(longest) + 1)));
  Candidate candidate;
  for (size_t leaf = 0; leaf < params.size(); ++leaf) {
    const core::Type& type = params[leaf].type;
    std::vector<int64_t> shape;
    for (const core::Operand& dim : type.shape) {
      const core::Name* name = core::as_name(dim);
      shape.push_back(name != nullptr ? sizes.at(*name) : core::int_value(*core::as_const(dim)));
    }
    Result<Value> value = Value::allocate(type.elem, std::move(shape));
    if (!value) return value.failure();
    for (int64_t i = 0; i < value->element_count(); ++i)
      put(*value, i, random_scalar(type.elem, leaf < tags.size() ? tags[leaf] : 0, random));
    if (const auto found = sizes.find(params[leaf].name); found != sizes.end())
      put(*value, 0, static_cast<uint64_t>(found->second));
    candidate.push_back(std::move(*value));
  }
  return candidate;
}

Candidate shrink_candidate(const core::Function& entry, Candidate candidate, ShrinkWhat what,
                           const std::function<bool(const Candidate&)>& fails) {
  return Shrinker(entry, std::move(candidate), fails).run(what);
}

}  // namespace skald::driver
