// SPDX-License-Identifier: Apache-2.0
#include "compile/program/program.h"

#include "compile/machine/kept_hist_costs.h"
#include "compile/program/program_cache.h"
#include "compile/program/signature.h"
#include "core/verify/verify.h"

namespace skald::compile {

namespace {

// Another number for another layout of images.
constexpr uint64_t kImageMagic = 0x31'676d'6964'6c61'6bULL;

std::string image_bytes(const Engine& engine, const std::vector<const core::Function*>& entries,
                        const std::string& code) {
  ByteWriter out;
  out.number(kImageMagic);
  out.text(engine.image_key());
  out.number(entries.size());
  for (const core::Function* entry : entries) write_signature(out, *entry);
  out.text(code);
  return out.take();
}

struct Image {
  core::Program prog;  // entry points without code
  std::string code;
};

Result<Image> read_image(const Engine& engine, std::string_view bytes) {
  ByteReader in(bytes);
  if (in.number() != kImageMagic) return Failure("this is not an image of a compiled program");
  if (in.text() != engine.image_key())
    return Failure(
        "this image was made by another version of Skald, by another back end, or for another "
        "kind of machine; compile the program again");
  Image image;
  for (size_t entries = in.count(); entries > 0 && in.ok(); --entries)
    image.prog.functions.push_back(read_signature(in));
  image.code = in.text();
  if (!in.done()) return Failure("this image of a compiled program is damaged");
  return image;
}

}  // namespace

Result<const core::Function*> find_entry(const core::Program& prog, std::string_view name) {
  if (const core::Function* fn = prog.find_entry(name)) return fn;
  std::string known;
  for (const core::Function& fn : prog.functions)
    if (fn.entry) known += fmt::format("{}`{}`", known.empty() ? "" : ", ", fn.entry->name);
  if (known.empty())
    return Failure(fmt::format(
        "the program has no entry point `{}`, and no other one; write `entry {} …` or `def main …`",
        name, name));
  return Failure(fmt::format(
      "the program has no entry point `{}`; it has {} (choose one with --entry)", name, known));
}

std::vector<const core::Function*> Program::entries() const {
  std::vector<const core::Function*> found;
  for (const core::Function& fn : prog_.functions)
    if (fn.entry) found.push_back(&fn);
  return found;
}

const core::Function* Program::find_entry(std::string_view name) const {
  return prog_.find_entry(name);
}

std::string Program::image() {
  const std::string code = executable_->image();
  return code.empty() ? image_ : image_bytes(*engine_, entries(), code);
}

Result<std::unique_ptr<Program>> Program::from_core(std::shared_ptr<Engine> engine,
                                                    core::Program prog,
                                                    const ProgramOptions& chosen) {
  const ProgramOptions options = with_kept_costs(*engine, chosen);
  const std::vector<std::string> problems = core::verify(prog);
  if (!problems.empty()) return Failure(problems[0]);
  std::unique_ptr<Program> program(new Program(std::move(engine), std::move(prog)));
  Result<std::unique_ptr<Executable>> executable =
      program->engine_->compile(program->prog_, options);
  if (!executable) return executable.failure();
  program->executable_ = std::move(*executable);
  return program;
}

Result<std::unique_ptr<Program>> Program::from_image(std::shared_ptr<Engine> engine,
                                                     std::string_view bytes,
                                                     const ProgramOptions& options) {
  Result<Image> image = read_image(*engine, bytes);
  if (!image) return image.failure();
  std::unique_ptr<Program> program(new Program(std::move(engine), std::move(image->prog)));
  Result<std::unique_ptr<Executable>> executable = program->engine_->load(image->code, options);
  if (!executable) return executable.failure();
  program->executable_ = std::move(*executable);
  program->image_ = bytes;
  return program;
}

std::unique_ptr<Program> Program::make(Loader& loader, std::shared_ptr<Engine> engine,
                                       const ProgramRequest& asked, std::string& shown,
                                       std::string& problem) {
  ProgramRequest request = asked;
  request.options = with_kept_costs(*engine, asked.options);
  const auto cache = std::make_shared<ProgramCache>(loader, *engine, request);
  if (std::optional<CachedProgram> found = cache->find()) {
    if (auto program = from_image(engine, found->image, request.options)) {
      shown = found->diagnostics;
      (*program)->from_cache_ = (*program)->has_cache_ = true;
      (*program)->keep_ = [cache, head = found->head, self = program->get()] {
        if (std::string image = self->image(); image != self->image_)
          cache->keep_again(head, image);
      };
      return std::move(*program);
    }
    cache->drop();
  }
  std::optional<core::Program> prog = loader.load(request.path, request.frontend);
  shown = loader.drawn();
  if (!loader.accepts() || !prog) return nullptr;
  if (!request.entry.empty()) {
    const Result<const core::Function*> entry = compile::find_entry(*prog, request.entry);
    if (!entry) {
      problem = entry.error();
      return nullptr;
    }
    // Nobody calls the other entry points, so they need not be compiled.
    for (core::Function& fn : prog->functions)
      if (&fn != *entry) fn.entry.reset();
  }
  if (request.only_forms)
    for (core::Function& fn : prog->functions)
      if (fn.entry && !fn.entry->name.starts_with("form ")) fn.entry.reset();
  std::unique_ptr<Program> program(new Program(std::move(engine), std::move(*prog)));
  Result<std::unique_ptr<Executable>> executable =
      program->engine_->compile(program->prog_, request.options);
  if (!executable) {
    problem = executable.error();
    return nullptr;
  }
  program->executable_ = std::move(*executable);
  program->has_cache_ = cache->enabled();
  if (cache->enabled())
    program->keep_ = [cache, &sources = loader.sources(), shown, self = program.get()] {
      if (const std::string image = self->image(); !image.empty())
        cache->keep(sources, shown, image);
    };
  return program;
}

}  // namespace skald::compile
