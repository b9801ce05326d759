// SPDX-License-Identifier: Apache-2.0
#include "compile/lazy/kept_plans.h"

#include "compile/machine/kept_hist_costs.h"
#include "frontend/lazy/plan.h"
#include "runtime/disk_cache.h"
#include "support/bytes.h"

namespace skald::lazy {

namespace {

constexpr std::string_view kKind = "plan";

const runtime::DiskCache& disk() {
  static const auto* const cache = new runtime::DiskCache(runtime::DiskCache::standard());
  return *cache;
}

bool has_call(const std::vector<int64_t>& code) {
  for (const PlanNode& node : read_plan(code).nodes) {
    if (node.kind == NodeKind::kCall) return true;
  }
  return false;
}

}  // namespace

std::optional<Hash128> key_of_plan(const compile::Engine& engine, const std::vector<int64_t>& code,
                                   const std::vector<std::string>& op_names) {
  if (!disk().enabled()) return std::nullopt;
  const std::string build = engine.image_key();
  if (build.empty() || has_call(code)) return std::nullopt;
  ByteWriter key;
  key.text(build);
  for (const auto& [name, number] : compile::with_kept_costs(engine, {}).tuning) {
    key.text(name);
    key.number(static_cast<uint64_t>(number));
  }
  key.number(op_names.size());
  for (const std::string& name : op_names) key.text(name);
  for (const int64_t word : code) key.number(static_cast<uint64_t>(word));
  return hash128(key.take());
}

bool is_plan_kept(Hash128 key) {
  return disk().has(key, kKind);
}

std::unique_ptr<compile::Program> find_plan(Hash128 key, std::shared_ptr<compile::Engine> engine) {
  const std::optional<std::string> image = disk().read(key, kKind);
  if (!image) return nullptr;
  auto program = compile::Program::from_image(std::move(engine), *image, {});
  if (program && (*program)->find_entry("plan")) return std::move(*program);
  disk().remove(key, kKind);
  return nullptr;
}

void KeptPlan::keep(compile::Program& program) {
  if (!key_) return;
  const std::string image = program.image();
  const Hash128 sum = hash128(image);
  if (image.empty() || sum == kept_) return;
  disk().write(*key_, kKind, image);
  kept_ = sum;
}

}  // namespace skald::lazy
