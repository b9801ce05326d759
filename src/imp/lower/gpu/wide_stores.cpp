// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/wide_stores.h"

#include <algorithm>

#include "imp/lower/gpu/wide_loads.h"

namespace skald::imp {

using core::Sink;

WideStores::WideStores(GpuKernel& gpu, int64_t points) : kernel_(gpu.kernel), points_(points) {
  Code elsewhere(kernel_.fn.prog);
  for (const SinkInfo& info : kernel_.facts.sinks) {
    if (info.sink->kind != Sink::kOut) continue;
    for (size_t k = 0; k < static_cast<size_t>(info.sink->count); ++k) {
      const ArrayPlace& place = kernel_.result_place(info.results + k);
      stores_.push_back({info.values + k, info.results + k, place.type.elem});
      const bool dense = strides(elsewhere, place).back() == Operand{const_i64(1)};
      fit_ = fit_ && dense && points_ % stores_.back().at_once() == 0;
    }
  }
}

int64_t WideStores::at_once(const GpuKernel& gpu) {
  int64_t most = 1;
  for (const SinkInfo& info : gpu.kernel.facts.sinks)
    for (size_t k = 0; info.sink->kind == Sink::kOut && k < static_cast<size_t>(info.sink->count);
         ++k) {
      const Prim type = gpu.kernel.result_place(info.results + k).type.elem;
      most = std::max<int64_t>(most, kWideBytes / prim_size(type));
    }
  return most;
}

int64_t WideStores::bytes() const {
  int64_t sum = 0;
  for (const Wide& store : stores_) sum += prim_size(store.type);
  return sum;
}

Operand WideStores::aligned_in_all_rows(Code& code) {
  Operand all = core::const_bool(true);
  for (const Wide& store : stores_) {
    const ArrayPlace& place = kernel_.result_place(store.result);
    const std::vector<Operand> first(place.type.shape.size(), const_i64(0));
    const Operand here = is_aligned(code, store.type, place.loc.block, address(code, place, first));
    all = code.both(all, here, "aligned");
    const std::vector<Operand> steps = strides(code, place);
    for (size_t k = 0; k + 1 < steps.size(); ++k)
      all = code.both(all, is_whole(code, store.type, steps[k]), "aligned");
  }
  return all;
}

void WideStores::make_room(Code& code, int64_t sets) {
  for (Wide& store : stores_)
    store.room =
        code.alloc(Space::kPrivate, const_i64(sets * points_ * prim_size(store.type)), "given");
}

void WideStores::keep(Code& code, const Operand& set, const Operand& k,
                      const std::vector<Operand>& values) {
  const Operand place = code.add_i64(code.mul_i64(set, const_i64(points_)), k);
  for (const Wide& store : stores_)
    code.add(Store{store.type, store.room, place, kernel_.fn.value(values[store.value])});
}

void WideStores::store(Code& code, const Operand& set, const std::vector<Operand>& first) {
  for (const Wide& store : stores_) {
    const int64_t size = prim_size(store.type);
    const ArrayPlace& place = kernel_.result_place(store.result);
    const Operand from = code.mul_i64(set, const_i64(points_ * size));
    const Operand to = code.mul_i64(address(code, place, first), const_i64(size));
    for (int64_t k = 0; k < points_; k += store.at_once())
      code.add(CopyBytes{place.loc.block, code.add_i64(to, const_i64(k * size)), store.room,
                         code.add_i64(from, const_i64(k * size)), const_i64(kWideBytes), false,
                         false, store.type});
  }
}

}  // namespace skald::imp
