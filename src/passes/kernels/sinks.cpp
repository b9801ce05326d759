// SPDX-License-Identifier: Apache-2.0
#include "passes/kernels/sinks.h"

#include <utility>

namespace skald::passes {

using namespace core;

std::vector<Sink> take_sinks(Hist& hist) {
  std::vector<Sink> sinks;
  for (HistOp& op : hist.ops) {
    Sink& sink = sinks.emplace_back();
    sink.kind = Sink::kHist;
    sink.count = static_cast<int>(op.shape.size() + op.dests.size());
    sink.shape = std::move(op.shape);
    sink.dests = std::move(op.dests);
    sink.op.push_back(std::move(op.op));
  }
  return sinks;
}

std::vector<Sink> take_sinks(Scatter& scatter) {
  std::vector<Sink> sinks;
  for (ScatterDest& dest : scatter.dests) {
    Sink& sink = sinks.emplace_back();
    sink.kind = Sink::kScatter;
    sink.count = static_cast<int>(dest.shape.size() + 1);
    sink.shape = std::move(dest.shape);
    sink.dests = {dest.dest};
  }
  return sinks;
}

std::vector<Sink> take_sinks(Partition& partition) {
  std::vector<Sink> sinks;
  sinks.push_back({Sink::kPartition, static_cast<int>(partition.fn.results.size())});
  sinks.back().classes = partition.classes;
  return sinks;
}

void group_by_sink(Lambda& fn, const std::vector<Sink>& sinks) {
  size_t index = 0, value = 0;
  for (const Sink& sink : sinks) value += indices_of(sink);
  std::vector<Operand> values;
  std::vector<Ret> results;
  const auto take = [&](size_t from) {
    values.push_back(fn.body.result[from]);
    results.push_back(fn.results[from]);
  };
  for (const Sink& sink : sinks) {
    const size_t indices = indices_of(sink);
    for (size_t k = 0; k < indices; ++k) take(index++);
    for (size_t k = indices; k < static_cast<size_t>(sink.count); ++k) take(value++);
  }
  fn.body.result = std::move(values);
  fn.results = std::move(results);
}

}  // namespace skald::passes
