// SPDX-License-Identifier: Apache-2.0
// Files: the prelude, the program, and what it imports.
#include <algorithm>
#include <filesystem>
#include <unordered_map>

#include "frontend/futhark/check/base/context.h"
#include "frontend/futhark/check/base/prelude.h"
#include "frontend/futhark/check/check.h"
#include "frontend/futhark/check/define/define.h"
#include "frontend/futhark/check/hints/suggest.h"
#include "frontend/futhark/check/intrinsics.h"
#include "frontend/futhark/check/modules/modules.h"
#include "frontend/futhark/parse/parse.h"
#include "support/stack.h"

namespace skald::futhark {

class ProgramChecker {
 public:
  ProgramChecker(CheckedProgram& prog, source::SourceMap& sources, source::Diagnostics& diags,
                 const CheckOptions& options)
      : ctx_(prog, sources, diags, options) {}

  void open_prelude() {
    scope_ = intrinsics_scope(ctx_);
    if (!prelude_files().empty())
      if (const Env* env = prelude("/prelude/prelude", {}))
        scope_ = std::make_shared<const Scope>(Scope{env, SIZE_MAX, scope_});
    ctx_.first_user_file = static_cast<uint32_t>(ctx_.sources.size());
  }

  void run(const std::string& path) {
    open_prelude();
    file(path, std::filesystem::path(path).lexically_normal().replace_extension("").string(), {});
    drain();
  }

  // After open_prelude, any number of times: a program that imports only from the prelude.
  void run_text(std::string name, std::string text) {
    ctx_.pending.clear();
    ctx_.f.arena().forget_too_large();
    const source::FileId id = ctx_.sources.add(std::move(name), std::move(text));
    check(id, "text", false, true, [&](const std::string& imported, Span at) -> const Env* {
      if (imported.starts_with("/prelude/")) return prelude(imported, at);
      ctx_.diagnostics.error("missing-import", at, "Cannot import " + quote(imported));
      return nullptr;
    });
    drain();
  }

 private:
  struct Loaded {
    const Env* env = nullptr;
    bool busy = true;
  };

  // Bodies put off that turned out to be needed; they may need more.
  void drain() {
    while (!ctx_.pending.empty()) {
      LazyDef* lazy = ctx_.pending.back();
      ctx_.pending.pop_back();
      check_definition(ctx_, *lazy->def, lazy->entry, lazy->scope, lazy->def->name.span);
    }
  }

  const Env* check(source::FileId id, const std::string& name, bool lazy, bool root,
                   const Modules::Import& import) {
    auto file = std::make_unique<CheckedFile>();
    file->file = id;
    file->import_path = name;
    const size_t before = ctx_.diagnostics.error_count();
    file->ast = parse(id, lazy);
    const Env* env = nullptr;
    if (ctx_.diagnostics.error_count() == before)
      env = Modules(ctx_, import, lazy, !lazy && root).decs(file->ast.decs, scope_, true);
    ctx_.prog.files.push_back(std::move(file));
    return env;
  }

  // The prelude's files are checked in part and in any order, so they stay in memory.
  Program parse(source::FileId id, bool lazy) {
    if (lazy || !ctx_.options.only_messages)
      return parse_program(id, ctx_.sources, ctx_.diagnostics);
    auto& reader = ctx_.readers[id.index];
    reader = std::make_unique<DefinitionReader>(id, ctx_.sources, ctx_.diagnostics);
    return reader->outline(ctx_.options.progress);
  }

  const Env* prelude(const std::string& name, Span span) {
    auto [it, is_new] = loaded_.try_emplace(name);
    if (!is_new) return it->second.env;
    for (const PreludeFile& f : prelude_files()) {
      if (f.path != name) continue;
      const source::FileId id = ctx_.sources.add(name + ".fut", std::string(f.text));
      const Env* env = check(id, name, true, false, [this](const std::string& path, Span at) {
        return prelude(path.starts_with('/') ? path : "/prelude/" + path, at);
      });
      loaded_[name] = {env, false};
      return env;
    }
    ctx_.diagnostics.error("missing-import", span, "The prelude has no file " + quote(name));
    return nullptr;
  }

  // The file cannot be read; `span` is the import that asked for it, if any.
  void report_unreadable(const std::string& code, const std::string& path, const std::string& name,
                         const std::string& why, Span span) {
    source::Diagnostic d;
    d.code = code;
    if (!span.known()) {
      d.what = why;
      const std::filesystem::path file(path);
      if (why.starts_with("there is no file"))
        d.hint = did_you_mean(nearest(file.filename().string(), files_in(file.parent_path())));
      return ctx_.diagnostics.add(std::move(d));
    }
    d.what = "Cannot import " + quote(name) + ": " + why;
    d.labels.push_back({span, ""});
    if (code == "missing-import") {
      const std::filesystem::path folder = std::filesystem::path(path).parent_path();
      const std::string shown = folder.empty() ? "the present folder" : "`" + folder.string() + "`";
      d.why = "files are looked for beside the one that imports them: in " + shown;
      d.hint = import_hint(folder, std::filesystem::path(name).filename().string());
    }
    ctx_.diagnostics.add(std::move(d));
  }

  static std::vector<std::string> files_in(const std::filesystem::path& folder) {
    std::vector<std::string> names;
    std::error_code failed;
    const std::filesystem::path where = folder.empty() ? std::filesystem::path(".") : folder;
    for (std::filesystem::directory_iterator it(where, failed), end; !failed && it != end;
         it.increment(failed))
      names.push_back(it->path().filename().string());
    std::ranges::sort(names);
    return names;
  }

  // Programs in the folder that are called nearly so.
  static std::string import_hint(const std::filesystem::path& folder, const std::string& name) {
    if (name.ends_with(".fut")) return "leave `.fut` out: it is added to the name";
    std::vector<std::string> words;
    std::error_code failed;
    const std::filesystem::path where = folder.empty() ? std::filesystem::path(".") : folder;
    for (std::filesystem::directory_iterator it(where, failed), end; !failed && it != end;
         it.increment(failed))
      if (it->path().extension() == ".fut") words.push_back(it->path().stem().string());
    if (failed) return "there is no folder `" + where.string() + "`";
    std::ranges::sort(words);
    const std::vector<std::string> near = nearest(name, words);
    if (!near.empty()) return did_you_mean(near);
    constexpr size_t kFew = 8;
    if (words.empty()) return "there are no programs in that folder";
    return words.size() <= kFew ? "that folder has " + one_of(words) : std::string();
  }

  const Env* file(const std::string& path, const std::string& name, Span span) {
    auto [it, is_new] = loaded_.try_emplace(name);
    if (!is_new) {
      if (it->second.busy)
        Reporter(ctx_).error("cyclic-import", span,
                             "Import cycle: " + quote(name) +
                                 " imports itself, directly or through "
                                 "other files");
      return it->second.env;
    }
    auto id = ctx_.sources.load(path);
    if (!id) {
      const std::string& why = id.error();
      std::string code = span.known() ? "missing-import" : "unreadable-file";
      if (why.find("is not UTF-8 text") != std::string::npos) code = "invalid-encoding";
      report_unreadable(code, path, name, why, span);
      loaded_[name] = {nullptr, false};
      return nullptr;
    }
    const std::filesystem::path dir = std::filesystem::path(path).parent_path();
    const Env* env =
        check(*id, name, false, !span.known(), [&](const std::string& imported, Span at) {
          if (imported.starts_with("/prelude/")) return prelude(imported, at);
          const std::filesystem::path target =
              imported.starts_with('/') ? std::filesystem::path("." + imported) : dir / imported;
          const std::string clean = target.lexically_normal().string();
          return file(clean + ".fut", clean, at);
        });
    loaded_[name] = {env, false};
    return env;
  }

  Context ctx_;
  ScopePtr scope_;
  std::unordered_map<std::string, Loaded> loaded_;
};

std::unique_ptr<CheckedProgram> check_program(const std::string& path, source::SourceMap& sources,
                                              source::Diagnostics& diagnostics,
                                              const CheckOptions& options) {
  auto prog = std::make_unique<CheckedProgram>();
  on_large_stack([&] { ProgramChecker(*prog, sources, diagnostics, options).run(path); });
  diagnostics.tidy();
  if (diagnostics.has_errors()) return nullptr;
  return prog;
}

struct Checker::State {
  explicit State(const CheckOptions& o)
      : options(o), checker(program, sources, diagnostics, options) {}
  CheckOptions options;
  source::SourceMap sources;
  source::Diagnostics diagnostics;
  CheckedProgram program;
  ProgramChecker checker;
};

Checker::Checker(const CheckOptions& options) : state_(std::make_unique<State>(options)) {
  on_large_stack([&] { state_->checker.open_prelude(); });
}

Checker::~Checker() = default;

bool Checker::check(std::string name, std::string text) {
  state_->diagnostics = {};
  on_large_stack([&] { state_->checker.run_text(std::move(name), std::move(text)); });
  state_->diagnostics.tidy();
  return !state_->diagnostics.has_errors();
}

const source::Diagnostics& Checker::diagnostics() const {
  return state_->diagnostics;
}

const source::SourceMap& Checker::sources() const {
  return state_->sources;
}

}  // namespace skald::futhark
