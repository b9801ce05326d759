// SPDX-License-Identifier: Apache-2.0
// Nests like matrix products.  A group has a square of results, whose accumulators are in registers
// of its threads, each of which has some rows and some columns.  It takes k in pieces, whose values
// lie in the memory of the group:
//
//   fetch the first piece, put it into copy 0
//   for each piece:  fetch the next one into registers
//                    for k:  take the values of own rows and columns from the copy of this piece
//                            acc[r][c] = f(acc[r][c], rows[r], columns[c])
//                    put what was fetched into the other copy
//
// Every accumulator takes its values in the order of k, as a plain loop would.
#include <algorithm>
#include <unordered_map>

#include "imp/ir/visit.h"
#include "imp/lower/gpu/launch.h"
#include "imp/lower/gpu/nest/nest.h"
#include "imp/lower/gpu/nest/panel.h"

namespace skald::imp {

namespace {

constexpr TileShape kLarge = {128, 8, 1, 8}, kMiddle = {64, 4, 1, 16}, kSmall = {16, 2, 4, 16};
// Memory of a group that every device has, nearly.
constexpr int64_t kProductBytes = 40 << 10;
// Accumulators of a result, if a thread has so many results as in a large tile.
constexpr int64_t kLargeAccumulators = 8;
// Longer code of a point is not written out for every k.
constexpr size_t kShortProductPoint = 4;
// Below this, other ways are as good.
constexpr int64_t kLeastProductSide = 12, kLeastProductDepth = 8;
// So many groups keep a large device busy.
constexpr int64_t kManyGroups = 128;
// With fewer tiles than this, long sums are better shared among groups.
constexpr int64_t kFewProductTiles = 16, kLongSum = 256;

// Names that are these constants become them.
void set_sizes(Body& body, const std::unordered_map<Name, int64_t>& sizes) {
  const auto use = [&](Operand& operand) {
    const Name* name = core::as_name(operand);
    if (const auto found = name == nullptr ? sizes.end() : sizes.find(*name); found != sizes.end())
      operand = const_i64(found->second);
  };
  for (Stmt& stmt : body.stmts) {
    visit(stmt.node, [&](auto& node) {
      using N = std::remove_cvref_t<decltype(node)>;
      std::apply([&](auto&... field) { (detail::operands_of(field, use), ...); }, N::fields(node));
    });
    for_each_body(stmt, [&](Body& inner) { set_sizes(inner, sizes); });
  }
}

class Product {
 public:
  Product(GpuKernel& gpu, const TilePlan& plan, const TileShape& shape)
      : shape_(shape),
        nest_(gpu.kernel, plan),
        rows_(nest_, true, shape_),
        columns_(nest_, false, shape_) {}

  int64_t bytes() const { return rows_.bytes() + columns_.bytes(); }
  // Nests have exactly one tile and one piece of k: their sizes are constants.
  void make_exact() { exact_ = true; }
  Operand is_exact(Code& code, const Operand& depth) const;
  // The tiles of all results; `depth` is how many values of k there are.
  Operand count_tiles(Code& code);
  void write(Code& code, const Operand& depth);

 private:
  void body(Code& code, Name group, Name thread);
  // The place of this thread's tile, and of the thread in it.
  void find_place(Code& code, Name group, Name thread);
  void start(Code& code);
  void all_pieces(Code& code);
  void round(Code& code, const Operand& copy, const Operand& first, const Operand& k);
  void finish(Code& code);
  void each_result(Code& code, const std::function<void(Code&, const Operand& r, const Operand& c,
                                                        const Operand& place)>& visit);

  const TileShape shape_;
  bool exact_ = false;
  NestWriter nest_;
  Panel rows_, columns_;
  Operand row_tiles_ = const_i64(0), column_tiles_ = const_i64(0), tiles_ = const_i64(0);
  std::vector<Name> accs_;
  Operand first_row_ = const_i64(0), first_column_ = const_i64(0);
  Operand active_ = core::const_bool(true);
};

Operand Product::is_exact(Code& code, const Operand& depth) const {
  const auto is = [&](const Operand& size, int64_t wanted) {
    return code.let(Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI64, size, const_i64(wanted)},
                    "is");
  };
  return code.both(code.both(is(nest_.n, shape_.side), is(nest_.m, shape_.side), "one"),
                   is(depth, shape_.depth), "exact");
}

Operand Product::count_tiles(Code& code) {
  row_tiles_ = exact_ ? const_i64(1) : pieces(code, nest_.n, const_i64(shape_.side));
  column_tiles_ = exact_ ? const_i64(1) : pieces(code, nest_.m, const_i64(shape_.side));
  tiles_ = code.mul_i64(row_tiles_, column_tiles_);
  for (size_t d = 0; d < nest_.outer; ++d)
    tiles_ = code.mul_i64(tiles_, nest_.kernel.facts.dims[d]);
  return tiles_;
}

void Product::find_place(Code& code, Name group, Name thread) {
  const auto bits = [&](int64_t from, int64_t count) {
    const Operand high = code.binop(BinOpKind::kLshr, thread, const_i64(from), "high");
    return code.binop(BinOpKind::kAnd, high, const_i64((1 << count) - 1), "bits");
  };
  static_assert(kGroupThreads == 256);
  // Neighbouring threads have a block of 8 x 4.
  Operand x = bits(0, 3), y = bits(3, 3), tile = const_i64(0), within = thread;
  if (shape_.tiles == 1) {
    x = code.add_i64(x, code.mul_i64(bits(5, 1), const_i64(8)));
    y = code.add_i64(bits(3, 2), code.mul_i64(bits(6, 2), const_i64(4)));
  } else {
    tile = bits(6, 2);
    within = bits(0, 6);
  }
  Operand number = code.add_i64(code.mul_i64(group, const_i64(shape_.tiles)), tile);
  if (shape_.tiles > 1) {
    active_ = code.less_i64(number, tiles_);
    number = code.min_i64(number, code.sub_i64(tiles_, const_i64(1)));
  }
  Operand rest = number;
  first_column_ =
      code.mul_i64(NestWriter::split(code, rest, column_tiles_), const_i64(shape_.side));
  first_row_ = code.mul_i64(NestWriter::split(code, rest, row_tiles_), const_i64(shape_.side));
  const std::vector<Operand>& dims = nest_.kernel.facts.dims;
  nest_.outer_indices = unflatten(
      code, rest,
      std::vector<Operand>(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(nest_.outer)));
  rows_.start(code, tile, within, y, first_row_);
  columns_.start(code, tile, within, x, first_column_);
}

void Product::each_result(Code& code,
                          const std::function<void(Code&, const Operand& r, const Operand& c,
                                                   const Operand& place)>& visit) {
  const Operand each = const_i64(shape_.each);
  code.loop(
      const_i64(0), each,
      [&](Code& of_row, const Operand& r) {
        of_row.loop(
            const_i64(0), each,
            [&](Code& at, const Operand& c) {
              visit(at, r, c, at.add_i64(at.mul_i64(r, each), c));
            },
            1, LoopHint::kUnroll);
      },
      1, LoopHint::kUnroll);
}

void Product::start(Code& code) {
  for (const TilePlan::Accumulator& acc : nest_.plan.accs)
    accs_.push_back(code.alloc(Space::kPrivate,
                               const_i64(shape_.each * shape_.each * prim_size(acc.type)), "acc"));
  each_result(code, [&](Code& at, const Operand& r, const Operand& c, const Operand& place) {
    core::Substitution subst;
    if (!nest_.plan.before.empty()) {
      const Operand row = at.add_i64(first_row_, rows_.line_of(at, r));
      const Operand column = at.add_i64(first_column_, columns_.line_of(at, c));
      const Operand last_row = at.sub_i64(nest_.n, const_i64(1));
      const Operand inside_row = at.min_i64(row, last_row);
      const Operand last_column = at.sub_i64(nest_.m, const_i64(1));
      const Operand inside_column = at.min_i64(column, last_column);
      subst = nest_.indices(at, inside_row, inside_column, const_i64(0));
      nest_.eval(at, nest_.plan.before, subst);
    }
    for (size_t v = 0; v < accs_.size(); ++v)
      at.add(Store{nest_.plan.accs[v].type, accs_[v], place,
                   nest_.look_up(nest_.plan.accs[v].init, subst)});
  });
}

void Product::round(Code& code, const Operand& copy, const Operand& first, const Operand& k) {
  rows_.take(code, copy, k);
  columns_.take(code, copy, k);
  const core::Substitution at_k =
      nest_.indices(code, const_i64(0), const_i64(0), code.add_i64(first, k));
  each_result(code, [&](Code& at, const Operand& r, const Operand& c, const Operand& place) {
    core::Substitution subst = at_k;
    rows_.give(at, r, subst);
    columns_.give(at, c, subst);
    for (size_t v = 0; v < accs_.size(); ++v)
      subst[nest_.plan.accs[v].param] = at.load(nest_.plan.accs[v].type, accs_[v], place, "before");
    nest_.eval(at, nest_.plan.point_stmts, subst);
    for (size_t v = 0; v < accs_.size(); ++v)
      at.add(Store{nest_.plan.accs[v].type, accs_[v], place, next_of(nest_, at, v, subst)});
  });
}

void Product::all_pieces(Code& code) {
  const Operand depth = const_i64(shape_.depth);
  const auto put = [&](Code& at, const Operand& copy) {
    rows_.put(at, copy);
    columns_.put(at, copy);
  };
  const auto fetch = [&](Code& at, const Operand& first) {
    rows_.fetch(at, first);
    columns_.fetch(at, first);
  };
  const auto copy_of = [](Code& at, const Operand& piece) {
    return at.binop(BinOpKind::kAnd, piece, const_i64(1), "copy");
  };
  fetch(code, const_i64(0));
  put(code, const_i64(0));
  code.add(Barrier{});
  const Operand whole = code.binop(BinOpKind::kQuot, nest_.q, depth, "whole");
  code.loop(const_i64(0), whole, [&](Code& at, const Operand& piece) {
    const Operand first = at.mul_i64(piece, depth);
    const Operand next = at.add_i64(piece, const_i64(1)), after = at.add_i64(first, depth);
    const Operand more = at.less_i64(after, nest_.q);
    at.branch(more, [&](Code& here) { fetch(here, after); });
    const Operand copy = copy_of(at, piece);
    const bool is_short = nest_.plan.point_stmts.size() <= kShortProductPoint;
    at.loop(
        const_i64(0), depth, [&](Code& inner, const Operand& k) { round(inner, copy, first, k); },
        1, is_short ? LoopHint::kUnroll : LoopHint::kNone);
    at.branch(more, [&](Code& here) { put(here, copy_of(here, next)); });
    at.add(Barrier{});
  });
  const Operand first = code.mul_i64(whole, depth);
  const Operand copy = copy_of(code, whole);
  code.short_loop(const_i64(0), code.sub_i64(nest_.q, first),
                  [&](Code& at, const Operand& k) { round(at, copy, first, k); });
}

void Product::finish(Code& code) {
  each_result(code, [&](Code& at, const Operand& r, const Operand& c, const Operand& place) {
    const Operand row = at.add_i64(first_row_, rows_.line_of(at, r));
    const Operand column = at.add_i64(first_column_, columns_.line_of(at, c));
    const Operand is_row = at.less_i64(row, nest_.n);
    Operand inside = at.both(is_row, at.less_i64(column, nest_.m), "inside");
    if (shape_.tiles > 1) inside = at.both(inside, active_, "inside");
    at.branch(inside, [&](Code& here) {
      std::vector<Operand> values;
      for (size_t v = 0; v < accs_.size(); ++v)
        values.push_back(here.load(nest_.plan.accs[v].type, accs_[v], place, "result"));
      nest_.store(here, row, column, values);
    });
  });
}

void Product::body(Code& code, Name group, Name thread) {
  rows_.make_room(code);
  columns_.make_room(code);
  find_place(code, group, thread);
  start(code);
  all_pieces(code);
  finish(code);
}

void Product::write(Code& code, const Operand& depth) {
  nest_.q = depth;
  Code inner(code.program());
  const Name group = code.fresh("group"), thread = code.fresh("thread");
  {
    const InKernel inside(nest_.fn);
    body(inner, group, thread);
  }
  Body finished = inner.finish();
  if (exact_) {
    std::unordered_map<Name, int64_t> sizes;
    for (const auto& [size, value] :
         {std::pair(nest_.n, shape_.side), {nest_.m, shape_.side}, {nest_.q, shape_.depth}})
      if (const Name* name = core::as_name(size)) sizes.emplace(*name, value);
    set_sizes(finished, sizes);
  }
  const Operand groups = pieces(code, tiles_, const_i64(shape_.tiles));
  add_launch(code,
             {group, thread, groups, const_i64(kGroupThreads), const_i64(0), std::move(finished)});
}

// Has a result so much that a thread cannot have those of a large tile?
bool has_large_tiles(const TilePlan& plan) {
  int64_t bytes = 0;
  for (const TilePlan::Accumulator& acc : plan.accs) bytes += prim_size(acc.type);
  return bytes <= kLargeAccumulators && plan.point_stmts.size() <= 2 * kShortProductPoint;
}

}  // namespace

WhyNot why_no_product(GpuKernel& gpu) {
  const std::optional<TilePlan> plan = plan_tiles(gpu.kernel.node);
  if (!plan) return "it is no nest like a matrix product";
  if (std::max(Product(gpu, *plan, kMiddle).bytes(), Product(gpu, *plan, kSmall).bytes()) >
      kProductBytes)
    return "its values are too large for the memory of a group";
  return std::nullopt;
}

void write_product(GpuKernel& gpu, Code& code, const Otherwise& otherwise) {
  const std::optional<TilePlan> plan = plan_tiles(gpu.kernel.node);
  const NestWriter nest(gpu.kernel, *plan);
  Operand depth = gpu.kernel.fn.value(plan->bound);
  if (plan->k_type != Prim::kI64)
    depth = code.let(Prim::kI64, core::Convert{plan->k_type, Prim::kI64, depth}, "depth");
  Product large(gpu, *plan, kLarge), middle(gpu, *plan, kMiddle), small(gpu, *plan, kSmall);
  Product exact(gpu, *plan, kSmall);
  exact.make_exact();
  const auto at_least = [&](const Operand& size, int64_t least) {
    return code.less_i64(const_i64(least - 1), size);
  };
  const Operand side = code.min_i64(nest.n, nest.m);
  const Operand tiles = middle.count_tiles(code);
  const Operand many = code.either(at_least(tiles, kFewProductTiles),
                                   code.less_i64(depth, const_i64(kLongSum)), "many");
  const Operand fits =
      code.both(at_least(side, kLeastProductSide), at_least(depth, kLeastProductDepth), "fits");
  code.branch(
      code.both(fits, many, "tiled"),
      [&](Code& tiled) {
        const auto others = [&](Code& at) {
          at.branch(
              at.less_i64(side, const_i64(2 * kSmall.side + 1)),
              [&](Code& here) {
                here.branch(
                    small.is_exact(here, depth),
                    [&](Code& one) {
                      exact.count_tiles(one);
                      exact.write(one, depth);
                    },
                    [&](Code& any) {
                      small.count_tiles(any);
                      small.write(any, depth);
                    });
              },
              [&](Code& here) { middle.write(here, depth); });
        };
        if (gpu.kernel.fn.options.matrix_sums && is_matrix_product(*plan))
          return write_matrix_product(gpu, *plan, tiled, depth, others);
        if (!has_large_tiles(*plan) || large.bytes() > kProductBytes) return others(tiled);
        const Operand groups = large.count_tiles(tiled);
        const Operand wide = tiled.less_i64(const_i64(kLarge.side - 1), side);
        tiled.branch(
            tiled.both(wide, tiled.less_i64(const_i64(kManyGroups - 1), groups), "large"),
            [&](Code& here) { large.write(here, depth); }, others);
      },
      otherwise);
}

}  // namespace skald::imp
