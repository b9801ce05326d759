// SPDX-License-Identifier: Apache-2.0
#include "driver/run_cache.h"

#include <fstream>
#include <iterator>

#include "driver/backend.h"
#include "support/bytes.h"

namespace skald::driver {

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

void write_list(ByteWriter& out, const std::vector<std::string>& list) {
  out.number(list.size());
  for (const std::string& item : list) out.text(item);
}

void write_type(ByteWriter& out, const core::Type& type) {
  out.number(type.kind);
  out.number(static_cast<uint64_t>(type.elem));
  out.number(type.shape.size());
  for (const core::Operand& dim : type.shape) {
    const core::Const* constant = core::as_const(dim);
    out.number(constant != nullptr ? 1 : 0);
    out.number(constant != nullptr ? constant->bits : core::as_name(dim)->id);
  }
}

core::Type read_type(ByteReader& in) {
  core::Type type;
  type.kind = static_cast<core::Type::Kind>(in.number());
  type.elem = static_cast<Prim>(in.number());
  type.shape.resize(in.count());
  for (core::Operand& dim : type.shape) {
    const bool constant = in.number() != 0;
    const uint64_t bits = in.number();
    if (constant)
      dim = core::Const{Prim::kI64, bits};
    else
      dim = core::Name{static_cast<uint32_t>(bits)};
  }
  return type;
}

// Parameters, results and how it is called from outside; not what only scripts and tests ask for.
void write_signature(ByteWriter& out, const core::Function& fn) {
  out.text(fn.name);
  out.text(fn.entry->name);
  out.number(static_cast<uint64_t>(fn.entry->sizes));
  out.number(static_cast<uint64_t>(fn.entry->result_sizes));
  out.number(fn.params.size());
  for (const core::Param& param : fn.params) {
    out.number(param.name.id);
    out.number(param.unique ? 1 : 0);
    write_type(out, param.type);
  }
  out.number(fn.results.size());
  for (const core::Ret& ret : fn.results) write_type(out, ret.type);
}

core::Function read_signature(ByteReader& in) {
  core::Function fn;
  fn.name = in.text();
  fn.entry.emplace();
  fn.entry->name = in.text();
  fn.entry->sizes = static_cast<int>(in.number());
  fn.entry->result_sizes = static_cast<int>(in.number());
  fn.params.resize(in.count());
  for (core::Param& param : fn.params) {
    param.name.id = static_cast<uint32_t>(in.number());
    param.unique = in.number() != 0;
    param.type = read_type(in);
  }
  fn.results.resize(in.count());
  for (core::Ret& ret : fn.results) ret.type = read_type(in);
  return fn;
}

}  // namespace

RunCache::RunCache(const CommonOptions& common, const RunOptions& options) : file_(options.file) {
  const CompileOptions& compile = options.compile;
  if (!disk_.enabled() || !options.cache || compile.verify || !compile.explain.empty()) return;
  if (is_built_in(file_)) return;
  const std::string build = image_key(options.backend);
  if (build.empty()) return;
  std::optional<std::string> text = file_text(file_);
  if (!text) return;
  text_ = std::move(*text);
  ByteWriter key;
  key.text(build);
  key.text(backend_name(options.backend));
  // The switches decide what is printed about the program and whether it is accepted.
  for (const bool flag : {common.json_diagnostics, common.warnings, common.warnings_are_errors,
                          common.colour, common.safe})
    key.number(flag ? 1 : 0);
  write_list(key, compile.disabled);
  write_list(key, compile.limits);
  key.number(compile.numbers.size());
  for (const auto& [name, number] : compile.numbers) {
    key.text(name);
    key.number(static_cast<uint64_t>(number));
  }
  key.text(options.entry);
  key.text(file_);
  key.text(text_);
  key_ = hash128(key.take());
}

std::optional<CachedRun> RunCache::find() const {
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
  CachedRun run;
  run.diagnostics = in.text();
  run.entry = read_signature(in);
  run.head = bytes->substr(0, bytes->size() - in.left());
  run.image = in.text();
  if (in.done()) return run;
  drop();
  return std::nullopt;
}

void RunCache::keep(Session& session, const CachedRun& run) const {
  if (!key_) return;
  ByteWriter imports;
  size_t count = 0;
  for (size_t k = 0; k < session.sources().size(); ++k) {
    const source::File& file = session.sources().file({static_cast<uint32_t>(k)});
    // A file that changed since it was hashed would be found under the wrong key.
    if (file.name() == file_ && file.text() != text_) return;
    if (file.name() == file_ || is_built_in(file.name())) continue;
    const Hash128 sum = hash128(file.text());
    imports.text(file.name());
    imports.number(sum.low);
    imports.number(sum.high);
    ++count;
  }
  ByteWriter out;
  out.number(count);
  out.raw(imports.take());
  out.text(run.diagnostics);
  write_signature(out, run.entry);
  out.text(run.image);
  disk_.write(*key_, kCacheKind, out.take());
}

void RunCache::keep_again(const std::string& head, const std::string& image) const {
  ByteWriter out;
  out.raw(head);
  out.text(image);
  disk_.write(*key_, kCacheKind, out.take());
}

void RunCache::drop() const {
  if (key_) disk_.remove(*key_, kCacheKind);
}

}  // namespace skald::driver
