// SPDX-License-Identifier: Apache-2.0
#include "compile/program/program_cache.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "support/bytes.h"

namespace skald::compile {

namespace {

constexpr std::string_view kCacheKind = "run";

// Files inside the compiler, which belong to the build.
bool is_built_in(std::string_view name) {
  return name.starts_with("/prelude/") || name.starts_with('<');
}

std::optional<std::string> file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (file.bad()) return std::nullopt;
  return text;
}

// Sorted, so that the key does not depend on the order in a hash table.
void write_options(ByteWriter& out, const passes::PassOptions& options,
                   const core::Tuning& tuning) {
  std::vector<std::string> words(options.disabled.begin(), options.disabled.end());
  for (const auto& [pass, count] : options.limits)
    words.push_back(fmt::format("{}:{}", pass, count));
  for (const auto& [name, number] : options.numbers)
    words.push_back(fmt::format("{}={}", name, number));
  // Some back ends write what was chosen into the code.
  for (const auto& [name, number] : tuning)
    words.push_back(fmt::format("tuning {}={}", name, number));
  std::ranges::sort(words);
  out.number(words.size());
  for (const std::string& word : words) out.text(word);
}

}  // namespace

ProgramCache::ProgramCache(const Loader& loader, const Engine& engine,
                           const ProgramRequest& request)
    : file_(request.path) {
  const passes::PassOptions& passes = request.options.passes;
  if (!disk_.enabled() || !request.cache || passes.verify || !passes.explained.empty()) return;
  if (is_built_in(file_)) return;
  const std::string build = engine.image_key();
  if (build.empty()) return;
  std::optional<std::string> text = file_text(file_);
  if (!text) return;
  text_ = std::move(*text);
  ByteWriter key;
  key.text(build);
  // The switches decide what is printed about the program and whether it is accepted.
  const LoaderOptions& options = loader.options();
  for (const bool flag : {options.json, options.frontend.warnings, options.warnings_are_errors,
                          options.colour, options.frontend.safe})
    key.number(flag ? 1 : 0);
  key.text(request.frontend == nullptr ? std::string_view() : request.frontend->name);
  write_options(key, passes, request.options.tuning);
  key.text(request.entry);
  key.number(request.only_forms ? 1 : 0);
  key.text(file_);
  key.text(text_);
  key_ = hash128(key.take());
}

std::optional<CachedProgram> ProgramCache::find() const {
  if (!key_) return std::nullopt;
  const std::optional<std::string> bytes = disk_.read(*key_, kCacheKind);
  if (!bytes) return std::nullopt;
  ByteReader in(*bytes);
  for (size_t imports = in.count(); imports > 0; --imports) {
    const std::string path(in.text());
    const uint64_t low = in.number(), high = in.number();
    const std::optional<std::string> text = file_text(path);
    if (!text || hash128(*text) != Hash128{low, high}) return std::nullopt;
  }
  CachedProgram found;
  found.diagnostics = in.text();
  found.head = bytes->substr(0, bytes->size() - in.left());
  found.image = in.text();
  if (in.done()) return found;
  drop();
  return std::nullopt;
}

void ProgramCache::keep(const source::SourceMap& sources, const std::string& diagnostics,
                        const std::string& image) const {
  if (!key_) return;
  ByteWriter imports;
  size_t count = 0;
  for (size_t k = 0; k < sources.size(); ++k) {
    const source::File& file = sources.file({static_cast<uint32_t>(k)});
    // A file that changed since it was hashed would be found under the wrong key.
    if (file.name() == file_ && file.text() != text_) return;
    if (file.name() == file_ || is_built_in(file.name())) continue;
    const Hash128 sum = hash128(file.text());
    imports.text(file.name());
    imports.number(sum.low);
    imports.number(sum.high);
    ++count;
  }
  ByteWriter head;
  head.number(count);
  head.raw(imports.take());
  head.text(diagnostics);
  keep_again(head.take(), image);
}

void ProgramCache::keep_again(const std::string& head, const std::string& image) const {
  ByteWriter out;
  out.raw(head);
  out.text(image);
  disk_.write(*key_, kCacheKind, out.take());
}

void ProgramCache::drop() const {
  if (key_) disk_.remove(*key_, kCacheKind);
}

}  // namespace skald::compile
