// SPDX-License-Identifier: Apache-2.0
// Rows that are added to rows of the destination, as the sums of the points of each cluster:
//
//   kernel(grid(n, d), \{i, j} -> … {key, j, value}, hist 3 to [k][d] …)
//
// where the key is the same for the whole row.  Threads of a warp have different elements of a row,
// so nobody meets, and the elements of a thread are neighbours, which the device's memory adds four
// at a time.
#include <algorithm>

#include "core/edit/free_names.h"
#include "imp/lower/gpu/hist/hist.h"
#include "imp/lower/gpu/hist/own_bins.h"
#include "imp/lower/gpu/launch.h"
#include "imp/lower/gpu/tile_points.h"
#include "imp/lower/gpu/wide_loads.h"
#include "imp/lower/kernel/hist_notes.h"

namespace skald::imp {

using core::Sink;
using machine::HistWay;

namespace {

constexpr int64_t kRowNeighbours = 4;  // elements of a thread
// A warp then has elements of four rows at most.
constexpr int64_t kShortestRow = 32;

std::optional<BinOpKind> row_operator(const core::Operator& op) {
  if (is_float_sum(op)) return BinOpKind::kAdd;
  return atomic_operator(op);
}

class RowSums {
 public:
  explicit RowSums(GpuKernel& gpu)
      : kernel_(gpu.kernel), loads_(gpu, kernel_.facts.dims.size() - 1) {}
  void write(Code& host);

 private:
  using Values = std::vector<std::vector<Operand>>;  // of each neighbour
  std::vector<Operand> values_at(Code& code, const std::vector<Operand>& indices);
  Values values(Code& code, const std::vector<Operand>& first);
  void add(Code& code, const SinkInfo& write, const Values& values) const;
  void add_all(Code& code, const Values& values) const;
  void thread(Code& code, const std::vector<Operand>& first);

  KernelWriter& kernel_;
  WideLoads loads_;
};

std::vector<Operand> RowSums::values_at(Code& code, const std::vector<Operand>& indices) {
  return kernel_.values_with(code, indices, [](size_t) { return std::optional<Operand>(); });
}

RowSums::Values RowSums::values(Code& code, const std::vector<Operand>& first) {
  const bool wide = loads_.points() == kRowNeighbours;
  if (wide) {
    loads_.make_room(code, 1);
    code.branch(
        loads_.aligned(code, first), [&](Code& at) { loads_.load(at, const_i64(0), first); },
        [&](Code& at) { loads_.load_singly(at, const_i64(0), first); });
  }
  Values found;
  for (int64_t k = 0; k < kRowNeighbours; ++k) {
    std::vector<Operand> indices = first;
    indices.back() = code.add_i64(indices.back(), const_i64(k));
    found.push_back(wide ? loads_.values(code, const_i64(0), const_i64(k), indices)
                         : values_at(code, indices));
  }
  return found;
}

void RowSums::add(Code& code, const SinkInfo& write, const Values& values) const {
  const auto rank = static_cast<ptrdiff_t>(write.sink->shape.size());
  const std::vector<Operand> all = kernel_.sink_values(write, values[0]);
  const std::vector<Operand> place(all.begin(), all.begin() + rank);
  code.branch(kernel_.in_bounds(code, place, write), [&](Code& at) {
    const ArrayPlace dest = kernel_.result_place(write.results);
    const core::Operator& op = write.sink->op[0];
    Atomic sum{*row_operator(op), op.fn.params[0].type.elem, dest.loc.block,
               address(at, dest, place), all.back()};
    for (size_t k = 1; k < values.size(); ++k)
      sum.further.push_back(kernel_.sink_values(write, values[k]).back());
    at.add(std::move(sum));
  });
}

void RowSums::add_all(Code& code, const Values& values) const {
  for (const SinkInfo& info : kernel_.facts.sinks)
    for (const SinkInfo& write : writes_of(info)) add(code, write, values);
}

// The end of a row may have fewer.
void RowSums::thread(Code& code, const std::vector<Operand>& first) {
  const Operand end = code.add_i64(first.back(), const_i64(kRowNeighbours));
  const Operand& length = kernel_.facts.dims.back();
  code.branch(
      code.less_i64(length, end),
      [&](Code& at) {
        at.loop(first.back(), length, [&](Code& loop, const Operand& j) {
          std::vector<Operand> indices = first;
          indices.back() = j;
          add_all(loop, {values_at(loop, indices)});
        });
      },
      [&](Code& at) { add_all(at, values(at, first)); });
}

void RowSums::write(Code& host) {
  std::vector<Operand> shape = kernel_.facts.dims;
  shape.back() = pieces(host, shape.back(), const_i64(kRowNeighbours));
  Operand all = const_i64(1);
  for (const Operand& dim : shape) all = host.mul_i64(all, dim);
  const Operand threads = const_i64(kGroupThreads);
  Launch launch{host.fresh("group"),
                host.fresh("thread"),
                pieces(host, all, threads),
                threads,
                const_i64(0),
                {}};
  {
    const InKernel inside(kernel_.fn);
    Code code(host.program());
    const Operand begin = code.mul_i64(launch.group, threads);
    const TilePoints points(code, begin, shape);
    code.branch(code.less_i64(code.add_i64(begin, launch.thread), all), [&](Code& at) {
      std::vector<Operand> first = points.at(at, launch.thread);
      first.back() = at.mul_i64(first.back(), const_i64(kRowNeighbours));
      thread(at, first);
    });
    launch.body = code.finish();
  }
  add_launch(host, std::move(launch));
}

// Does this result of the thunk depend on the element of the row?
bool is_of_row(const core::Lambda& pull, const Operand& result) {
  core::NameSet changing = {pull.params.back().name};
  for (const core::Stmt& stmt : pull.body.stmts) {
    const core::NameSet needs = core::free_names(stmt);
    if (std::ranges::none_of(needs, [&](Name name) { return changing.contains(name); })) continue;
    for (const core::Param& p : stmt.pat) changing.insert(p.name);
  }
  const Name* name = core::as_name(result);
  return name == nullptr || !changing.contains(*name);
}

bool is_row(const GpuKernel& gpu, const SinkInfo& info) {
  const core::Lambda& pull = gpu.kernel.node.pull;
  const std::vector<Operand>& shape = info.sink->shape;
  if (shape.size() < 2 || !(shape.back() == gpu.kernel.node.domain.dims.back())) return false;
  const size_t last = shape.size() - 1;
  return std::ranges::all_of(writes_of(info), [&](const SinkInfo& write) {
    const Operand* place = &pull.body.result[write.values];
    return place[last] == Operand{pull.params.back().name} &&
           std::all_of(place, place + last,
                       [&](const Operand& index) { return is_of_row(pull, index); });
  });
}

bool has_rows(const GpuKernel& gpu) {
  const KernelFacts& facts = gpu.kernel.facts;
  if (facts.is_seg || facts.dims.size() < 2 || !has_cheap_points(gpu.kernel)) return false;
  Code elsewhere(gpu.kernel.fn.prog);
  return std::ranges::all_of(facts.sinks, [&](const SinkInfo& info) {
    if (info.sink->kind != Sink::kHist || info.sink->late || !row_operator(info.sink->op[0]))
      return false;
    const ArrayPlace dest = gpu.kernel.result_place(info.results);
    return strides(elsewhere, dest).back() == Operand{const_i64(1)} && is_row(gpu, info);
  });
}

Operand are_rows_long(Code& code, const GpuKernel& gpu) {
  return code.less_i64(const_i64(kShortestRow - 1), gpu.kernel.facts.dims.back());
}

}  // namespace

Operand adds_rows(Code& code, const GpuKernel& gpu) {
  return has_rows(gpu) ? are_rows_long(code, gpu) : core::const_bool(false);
}

WhyNot why_no_row_sums(GpuKernel& gpu) {
  if (!gpu.kernel.facts.has(Sink::kHist)) return "it is no histogram";
  if (!has_rows(gpu)) return "it does more than add rows to rows";
  return std::nullopt;
}

// What is asked of the device's memory is this, where it fits.
void write_row_sums(GpuKernel& gpu, Code& code, const Otherwise& otherwise) {
  gpu.count_points(code);
  Operand fits = are_rows_long(code, gpu);
  std::vector<const core::Operator*> ops;
  for (const SinkInfo& info : gpu.kernel.facts.sinks) ops.push_back(&info.sink->op[0]);
  if (are_float_sums(ops))
    fits = code.both(fits, code.less_i64(const_i64(0), device_limits(code).float_sums), "fits");
  const HistWay wanted = gpu.kernel.fn.options.hist.way;
  if (wanted >= HistWay::kGroupBins && wanted != HistWay::kPoints) fits = core::const_bool(false);
  const std::vector<HistNumber> numbers = {{"points", gpu.total},
                                           {"length of a row", gpu.kernel.facts.dims.back()}};
  const auto take = [&](Code& host) {
    report_taken(gpu.kernel, host, "gpu/row-sums", numbers, [] { return const_i64(0); });
    RowSums(gpu).write(host);
  };
  code.branch(fits, take, [&](Code& host) {
    report_hist(gpu.kernel, host, "not gpu/row-sums", numbers);
    otherwise(host);
  });
}

}  // namespace skald::imp
