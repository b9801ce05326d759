// SPDX-License-Identifier: Apache-2.0
// Runs core programs given as text on the cpu back end, in the form core_interp_util.h runs them on
// the interpreter.
#pragma once

#include "codegen/clike/failure.h"
#include "codegen/cpu/compile.h"
#include "core_interp_util.h"
#include "imp/pipeline.h"
#include "passes/pass.h"
#include "runtime/block.h"
#include "runtime/context.h"
#include "runtime/cpu/parallel.h"

namespace skald::cpu_test {

using core::ArrayValue;

// A program compiled once, to be run on several arguments.
class CpuProgram {
 public:
  explicit CpuProgram(const std::string& text, std::string_view fn = "main") : fn_(fn) {
    source::SourceMap sources;
    auto parsed = core::parse(sources.add("test.core", text), sources);
    if (!parsed) SKALD_BUG("does not parse: {}", parsed.error().what);
    for (core::Function& f : parsed->functions) {
      if (f.name != fn) continue;
      f.entry = core::EntryPoint{.name = f.name};
      f.entry->params.resize(f.params.size());
      f.entry->results.resize(f.results.size());
      results_ = f.results;
    }
    Result<core::Program> lowered =
        passes::run_passes(std::move(*parsed), passes::pipeline_to(core::Stage::kMemory));
    if (!lowered) SKALD_BUG("does not lower: {}", lowered.error());
    const Result<imp::Program> code = imp::make_cpu_code(*lowered, {}, {});
    if (!code) SKALD_BUG("does not become imp: {}", code.error());
    locs_ = code->locs;
    Result<cpu::CompiledProgram> compiled = cpu::compile(*code);
    if (!compiled) SKALD_BUG("does not compile: {}", compiled.error());
    compiled_.emplace(std::move(*compiled));
  }

  // The results separated by blanks, or "error: …" with the backtrace on further lines.
  std::string run(const std::vector<ArrayValue>& args, int threads = 2) const {
    std::vector<SkaldBlock*> blocks;
    std::vector<int64_t> in, out(64);
    for (const ArrayValue& arg : args) pack(arg, in, blocks);
    runtime::ThreadPool pool(threads);
    SkaldContext ctx(&pool);
    const int32_t status = compiled_->entry(fn_)(&ctx, in.data(), out.data());
    for (SkaldBlock* block : blocks) skald_rt_release(block);
    return status == 0 ? show_results(out) : show_error(*ctx.errors.error());
  }

 private:
  static void pack(const ArrayValue& arg, std::vector<int64_t>& in,
                   std::vector<SkaldBlock*>& blocks) {
    if (arg.shape.empty()) {
      const uint64_t bits = core::interp::load_bits(arg.data->data(), prim_size(arg.elem));
      in.push_back(static_cast<int64_t>(bits));
      return;
    }
    blocks.push_back(runtime::allocate_block(static_cast<int64_t>(arg.data->size())));
    std::copy(arg.data->begin(), arg.data->end(), static_cast<std::byte*>(blocks.back()->data));
    in.push_back(reinterpret_cast<int64_t>(blocks.back()));
    in.insert(in.end(), arg.shape.begin(), arg.shape.end());
  }

  std::string show_error(const runtime::RunError& error) const {
    const clike::FailureText failure = clike::describe_failure(
        compiled_->failures(), locs_, error.id,
        std::span(error.values).first(static_cast<size_t>(error.value_count)),
        std::span(error.frames).first(static_cast<size_t>(error.frame_count)));
    return "error: " + failure.message +
           (failure.backtrace.empty() ? "" : "\n" + failure.backtrace);
  }

  std::string show_results(const std::vector<int64_t>& out) const {
    std::string shown;
    size_t slot = 0;
    for (const core::Ret& ret : results_) {
      ArrayValue v{ret.type.elem, {}, std::make_shared<std::vector<std::byte>>()};
      size_t bytes = static_cast<size_t>(prim_size(ret.type.elem));
      const int64_t first = out[slot++];
      for (int k = 0; k < ret.type.rank(); ++k) {
        v.shape.push_back(out[slot++]);
        bytes *= static_cast<size_t>(v.shape.back());
      }
      auto* block = ret.type.is_scalar() ? nullptr : reinterpret_cast<SkaldBlock*>(first);
      const auto* data = block == nullptr ? reinterpret_cast<const std::byte*>(&first)
                                          : static_cast<const std::byte*>(block->data);
      v.data->assign(data, data + bytes);
      skald_rt_release(block);
      shown += (shown.empty() ? "" : " ") + core::interp_test::show(v);
    }
    return shown;
  }

  std::string fn_;
  std::vector<core::Ret> results_;
  core::LocTable locs_;
  std::optional<cpu::CompiledProgram> compiled_;
};

}  // namespace skald::cpu_test
