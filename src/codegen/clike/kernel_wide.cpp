// SPDX-License-Identifier: Apache-2.0
// Sixteen bytes by one access, as C text: four words, `uint4` in all dialects, whose bits are what
// a private block holds.
#include "codegen/clike/kernel_text.h"

namespace skald::clike {

namespace {

constexpr int64_t kWords = 4;
constexpr int64_t kWordBytes = imp::kWideBytes / kWords;

std::string word(int64_t number) {
  return fmt::format("sk_wide.{}", "xyzw"[number]);
}

// Element k of the words, as it lies in memory.
std::string element_of_words(Prim type, int64_t k) {
  const int64_t size = prim_size(type);
  const std::string_view held = memory_type(type);
  if (size > kWordBytes) {
    const std::string bits = fmt::format("((u64){} << 32 | {})", word(2 * k + 1), word(2 * k));
    return type == Prim::kF64 ? fmt::format("SK_F64_OF({})", bits)
                              : fmt::format("({}){}", held, bits);
  }
  const int64_t of_word = kWordBytes / size;
  const std::string bits = word(k / of_word);
  if (type == Prim::kF32) return fmt::format("SK_F32_OF({})", bits);
  return fmt::format("({})({} >> {})", held, bits, 8 * size * (k % of_word));
}

// The bits of word w of elements whose text is `element(k)`.
std::string word_of_elements(Prim type, int64_t w,
                             const std::function<std::string(int64_t)>& element) {
  const int64_t size = prim_size(type);
  if (size > kWordBytes) {
    const std::string held = element(w / 2);
    const std::string bits =
        type == Prim::kF64 ? fmt::format("SK_BITS_OF_F64({})", held) : fmt::format("(u64){}", held);
    return fmt::format("(u32)({} >> {})", bits, 32 * (w % 2));
  }
  if (type == Prim::kF32) return fmt::format("SK_BITS_OF_F32({})", element(w));
  const int64_t of_word = kWordBytes / size;
  const std::string_view narrow = prim_name(unsigned_of_width(static_cast<int>(size)));
  std::string bits;
  for (int64_t k = 0; k < of_word; ++k)
    bits += fmt::format("{}(u32)({}){} << {}", k == 0 ? "" : " | ", narrow,
                        element(w * of_word + k), 8 * size * k);
  return bits;
}

}  // namespace

void KernelText::wide_copy(const imp::CopyBytes& n) {
  const Prim type = *n.elements;
  note_type(type);
  const bool loads = is_private(n.dest);
  SKALD_CHECK(loads != is_private(n.src), "a wide copy has one private side");
  const core::Name held = loads ? n.dest : n.src;
  const std::string first =
      fmt::format("{} / {}", text(loads ? n.dest_offset : n.src_offset), prim_size(type));
  const auto element = [&](int64_t k) { return fmt::format("{}[{} + {}]", name(held), first, k); };
  const std::string place =
      fmt::format("(({} uint4*)({} + {}))", space_word(loads ? n.src : n.dest),
                  name(loads ? n.src : n.dest), text(loads ? n.src_offset : n.dest_offset));
  const int64_t count = imp::kWideBytes / prim_size(type);
  out_ << "{";
  if (loads) {
    if (is_shared(n.src))
      out_.print(" uint4 sk_wide = *{};", place);
    else
      out_.print(" SK_WIDE_LOAD(sk_wide, {});", place);
    for (int64_t k = 0; k < count; ++k)
      out_.print(" {} = {};", element(k), element_of_words(type, k));
  } else {
    out_ << " uint4 sk_wide;";
    for (int64_t w = 0; w < kWords; ++w)
      out_.print(" {} = {};", word(w), word_of_elements(type, w, element));
    out_.print(" *{} = sk_wide;", place);
  }
  out_ << " }";
  out_.newline();
}

void KernelText::stmt(const imp::Misaligned& n) {
  bind(n.name, imp::scalar(Prim::kI64));
  out_.print("{} = (i64)(((u64){} & {}) / {});", declared("i64", n.name), name(n.block),
             imp::kWideBytes - 1, prim_size(n.type));
  out_.newline();
}

}  // namespace skald::clike
