// SPDX-License-Identifier: Apache-2.0
// Runs core programs given as text on the cpu back end, in the form core_interp_util.h runs them on
// the interpreter.
#pragma once

#include "codegen/cpu/compile.h"
#include "codegen/cpu/failure.h"
#include "core_interp_util.h"
#include "imp/lower/lower.h"
#include "imp/print.h"
#include "imp/verify.h"
#include "passes/pass.h"
#include "runtime/block.h"
#include "runtime/context.h"
#include "runtime/cpu/parallel.h"

namespace skald::cpu_test {

using core::ArrayValue;

inline std::string run_cpu(const std::string& text, const std::vector<ArrayValue>& args,
                           std::string_view fn = "main", int threads = 2) {
  source::SourceMap sources;
  auto parsed = core::parse(sources.add("test.core", text), sources);
  if (!parsed) return "does not parse: " + parsed.error().what;
  std::vector<core::Ret> results;
  for (core::Function& f : parsed->functions) {
    if (f.name != fn) continue;
    f.entry = core::EntryPoint{.name = f.name};
    results = f.results;
  }
  Result<core::Program> lowered =
      passes::run_passes(std::move(*parsed), passes::pipeline_to(core::Stage::kMemory));
  if (!lowered) return "does not lower: " + lowered.error();
  const imp::Program code = imp::lower(*lowered);
  imp::verify_or_bug(code, "lowering");
  const Result<cpu::CompiledProgram> compiled = cpu::compile(code);
  if (!compiled) return "does not compile: " + compiled.error();

  std::vector<SkaldBlock*> blocks;
  std::vector<int64_t> in;
  for (const ArrayValue& arg : args) {
    if (arg.shape.empty()) {
      in.push_back(
          static_cast<int64_t>(core::interp::load_bits(arg.data->data(), prim_size(arg.elem))));
      continue;
    }
    blocks.push_back(runtime::allocate_block(static_cast<int64_t>(arg.data->size())));
    std::copy(arg.data->begin(), arg.data->end(), static_cast<std::byte*>(blocks.back()->data));
    in.push_back(reinterpret_cast<int64_t>(blocks.back()));
    in.insert(in.end(), arg.shape.begin(), arg.shape.end());
  }
  std::vector<int64_t> out(64);
  runtime::ThreadPool pool(threads);
  SkaldContext ctx(&pool);
  const int32_t status = compiled->entry(fn)(&ctx, in.data(), out.data());
  std::string shown;
  if (status != 0) {
    const runtime::RunError error = *ctx.errors.error();
    const cpu::FailureText failure = cpu::describe_failure(
        *compiled, code.locs, error.id,
        std::span(error.values).first(static_cast<size_t>(error.value_count)),
        std::span(error.frames).first(static_cast<size_t>(error.frame_count)));
    shown =
        "error: " + failure.message + (failure.backtrace.empty() ? "" : "\n" + failure.backtrace);
  } else {
    size_t slot = 0;
    for (const core::Ret& ret : results) {
      ArrayValue v{ret.type.elem, {}, std::make_shared<std::vector<std::byte>>()};
      const auto size = static_cast<size_t>(prim_size(ret.type.elem));
      if (ret.type.is_scalar()) {
        v.data->resize(size);
        core::interp::store_bits(v.data->data(), static_cast<int>(size),
                                 static_cast<uint64_t>(out[slot++]));
      } else {
        auto* block = reinterpret_cast<SkaldBlock*>(out[slot++]);
        size_t count = size;
        for (int k = 0; k < ret.type.rank(); ++k) {
          v.shape.push_back(out[slot]);
          count *= static_cast<size_t>(out[slot++]);
        }
        const auto* data = static_cast<const std::byte*>(block->data);
        v.data->assign(data, data + count);
        skald_rt_release(block);
      }
      shown += (shown.empty() ? "" : " ") + core::interp_test::show(v);
    }
  }
  for (SkaldBlock* block : blocks) skald_rt_release(block);
  return shown;
}

}  // namespace skald::cpu_test
