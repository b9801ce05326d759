// SPDX-License-Identifier: Apache-2.0
// Rule 2 for rearranged arrays: parts of one array in another order, such as a rotation, are not
// copied; whoever reads them computes the place in the array itself.
//
//   before   let {a} = xs[k for d]    let {b} = xs[0 for k]    let {r} = concat(0, n, {a, b})
//            let {ys} = map(n, {r, zs}, \{x, z} -> …)
//
//   after    let {is} = iota(n)
//            let {ys} = map(n, {is, zs}, \{i, z} ->
//              let {inside} = lt_i64(i, d)      let {away} = select(inside, k, -d)
//              let {x} = xs[i + away] …)
//
// ArrayParts are slices of the array, the array, and its single elements (a border that is
// repeated). The comparison is with something known before the kernel, which vector code tests once
// for many points.  All readers must be operations of the block or subscripts in their functions,
// so that every element is read a few times; otherwise one copy is cheaper.  Neither array may be
// consumed in the block.
#include "passes/fusion/rotation.h"

#include <algorithm>

#include "core/ir/visit.h"

namespace skald::passes::fusion {

using namespace core;

namespace {

constexpr size_t kMaxParts = 3;
constexpr size_t kMaxPlaces = 8;
// More operations that read the same array are better merged than freed of a copy.
constexpr size_t kMaxReaders = 3;

struct ArrayPart {
  Operand start, count, stride;
};

struct ArrayParts {
  Name source;
  std::vector<ArrayPart> parts;
  std::vector<Name> tokens;
  Type row;
  size_t uses = 0, reads = 0, readers = 0;
};
using Rearranged = std::unordered_map<Name, ArrayParts>;

struct SoacInputs {
  std::vector<Name>* inputs = nullptr;
  Lambda* fn = nullptr;
  const Operand* width = nullptr;
};

SoacInputs soac_inputs(Exp& exp) {
  if (Soac* e = as<Soac>(exp)) return {&e->inputs, &e->fn, &e->width};
  if (Hist* e = as<Hist>(exp)) return {&e->inputs, &e->fn, &e->width};
  if (Scatter* e = as<Scatter>(exp)) return {&e->inputs, &e->fn, &e->width};
  if (Partition* e = as<Partition>(exp)) return {&e->inputs, &e->fn, &e->width};
  if (FlatMap* e = as<FlatMap>(exp)) return {&e->inputs, &e->fn, &e->width};
  return {};
}

using BlockDefinitions = std::unordered_map<Name, const Stmt*>;

// The part that the statement takes from an array along its first dimension.
std::optional<ArrayPart> slice_of(const Stmt& stmt, Name& source) {
  const Index* e = as<Index>(stmt.exp);
  if (e == nullptr || e->slice.size() != 1) return std::nullopt;
  source = e->array;
  const DimSlice& dim = e->slice[0];
  if (dim.is_index) return ArrayPart{dim.start, const_i64(1), const_i64(1)};
  return ArrayPart{dim.start, dim.count, dim.stride};
}

std::optional<ArrayParts> parts_of(const Stmt& stmt, const BlockDefinitions& defs) {
  const Concat* concat = as<Concat>(stmt.exp);
  if (concat == nullptr || concat->dim != 0 || concat->arrays.size() < 2 ||
      concat->arrays.size() > kMaxParts || !stmt.hints.empty())
    return std::nullopt;
  ArrayParts result;
  result.tokens = stmt.tokens;
  result.row = stmt.pat[0].type;
  result.row.shape.erase(result.row.shape.begin());
  const auto add_tokens = [&](const Stmt& from) {
    result.tokens.insert(result.tokens.end(), from.tokens.begin(), from.tokens.end());
  };
  for (const Name array : concat->arrays) {
    auto found = defs.find(array);
    if (found == defs.end()) return std::nullopt;
    const ArrayLit* lit = as<ArrayLit>(found->second->exp);
    if (lit != nullptr) {
      // A single element, or a single row.
      const Name* elem = lit->elems.size() == 1 ? as_name(lit->elems[0]) : nullptr;
      add_tokens(*found->second);
      found = elem == nullptr ? defs.end() : defs.find(*elem);
      if (found == defs.end()) return std::nullopt;
    }
    Name source;
    std::optional<ArrayPart> part = slice_of(*found->second, source);
    if (!part || (lit != nullptr) != as<Index>(found->second->exp)->slice[0].is_index ||
        (!result.parts.empty() && !(source == result.source)))
      return std::nullopt;
    // A single element has any stride.
    if (lit != nullptr && !result.parts.empty()) part->stride = result.parts[0].stride;
    if (!result.parts.empty() && !(part->stride == result.parts[0].stride)) return std::nullopt;
    result.source = source;
    result.parts.push_back(*part);
    add_tokens(*found->second);
  }
  return result;
}

bool has_concat(const Body& body) {
  return std::ranges::any_of(body.stmts,
                             [](const Stmt& stmt) { return as<Concat>(stmt.exp) != nullptr; });
}

Rearranged find_rearranged(const Body& body) {
  BlockDefinitions defs;
  for (const Stmt& stmt : body.stmts)
    if (stmt.pat.size() == 1) defs[stmt.pat[0].name] = &stmt;
  Rearranged candidates;
  for (const Stmt& stmt : body.stmts)
    if (std::optional<ArrayParts> parts = parts_of(stmt, defs))
      candidates.emplace(stmt.pat[0].name, std::move(*parts));
  return candidates;
}

// `depth`: how many bodies are around us, counted from the block; branches do not count.
void count_reads(Body& body, Rearranged& candidates, int depth) {
  for (Stmt& stmt : body.stmts) {
    for_each_operand(stmt.exp, [&](const Operand& o) {
      const Name* name = as_name(o);
      const auto found = name == nullptr ? candidates.end() : candidates.find(*name);
      if (found != candidates.end()) ++found->second.uses;
    });
    if (const Index* e = as<Index>(stmt.exp); e != nullptr && depth <= 1) {
      const auto found = candidates.find(e->array);
      if (found != candidates.end() && e->slice[0].is_index) ++found->second.reads;
    }
    if (const SoacInputs in = soac_inputs(stmt.exp); in.fn != nullptr && depth == 0)
      for (const Name input : *in.inputs)
        if (const auto found = candidates.find(input); found != candidates.end()) {
          ++found->second.reads;
          ++found->second.readers;
        }
    const bool is_branch = as<If>(stmt.exp) != nullptr;
    const bool is_soac = soac_inputs(stmt.exp).fn != nullptr;
    // Code that runs over and over again is far away.
    const int inside = depth + (is_branch ? 0 : is_soac ? 1 : 2);
    for_each_body(stmt.exp, [&](Body& inner) { count_reads(inner, candidates, inside); });
  }
  for (const Operand& o : body.result)
    if (const Name* name = as_name(o))
      if (const auto found = candidates.find(*name); found != candidates.end())
        ++found->second.uses;
}

class InlineRotations {
 public:
  InlineRotations(Program& prog, const Rearranged& chosen) : prog_(prog), chosen_(chosen) {}

  void in(Body& body) {
    std::vector<Stmt> out;
    for (Stmt& stmt : body.stmts) {
      for_each_body(stmt.exp, [&](Body& inner) { in(inner); });
      if (Index* e = as<Index>(stmt.exp); e != nullptr) {
        const auto found = chosen_.find(e->array);
        if (found != chosen_.end()) {
          e->slice[0].start = place(out, e->slice[0].start, found->second, stmt.loc);
          e->array = found->second.source;
          add_tokens(stmt, found->second);
        }
      }
      rows(out, stmt);
      out.push_back(std::move(stmt));
    }
    body.stmts = std::move(out);
  }

 private:
  void rows(std::vector<Stmt>& out, Stmt& stmt) {
    const SoacInputs in = soac_inputs(stmt.exp);
    if (in.fn == nullptr) return;
    Name indices, index;
    std::vector<Stmt> reads;
    for (size_t k = 0; k < in.inputs->size(); ++k) {
      const auto found = chosen_.find((*in.inputs)[k]);
      if (found == chosen_.end()) continue;
      const Param row = in.fn->params[k];
      if (!indices) {
        Type type = scalar_type(Prim::kI64);
        type.shape = {*in.width};
        indices = let(out, std::move(type), Iota{Prim::kI64, *in.width, const_i64(0), const_i64(1)},
                      "is", stmt.loc);
        index = prog_.names.fresh("i");
        (*in.inputs)[k] = indices;
        in.fn->params[k] = {index, scalar_type(Prim::kI64)};
      } else {
        in.inputs->erase(in.inputs->begin() + static_cast<ptrdiff_t>(k));
        in.fn->params.erase(in.fn->params.begin() + static_cast<ptrdiff_t>(k));
        --k;
      }
      const Operand at = place(reads, index, found->second, stmt.loc);
      Stmt read{{}, Index{found->second.source, {{true, at}}}, {}, {}, stmt.loc};
      read.pat.push_back({row.name, row.type});
      add_tokens(read, found->second);
      // The width may be right only because the array could be made.
      add_tokens(stmt, found->second);
      reads.push_back(std::move(read));
    }
    std::vector<Stmt>& body = in.fn->body.stmts;
    body.insert(body.begin(), std::make_move_iterator(reads.begin()),
                std::make_move_iterator(reads.end()));
  }

  // Where element `i` of the concatenation is in the array.  What is chosen is the distance, so
  // that places follow each other where all lanes of a vector choose the same.
  Operand place(std::vector<Stmt>& out, const Operand& i, const ArrayParts& array, Loc loc) {
    const Operand& stride = array.parts[0].stride;
    Operand before = const_i64(0);  // elements of the parts before
    std::vector<Operand> distances, ends;
    for (const ArrayPart& part : array.parts) {
      distances.push_back(
          op(out, BinOpKind::kSub, part.start, op(out, BinOpKind::kMul, before, stride, loc), loc));
      if (distances.size() == array.parts.size()) break;
      before = before == Operand{const_i64(0)} ? part.count
                                               : op(out, BinOpKind::kAdd, before, part.count, loc);
      ends.push_back(before);
    }
    Operand distance = distances.back();
    for (size_t k = distances.size() - 1; k-- > 0;) {
      const Operand inside = let(out, scalar_type(Prim::kBool),
                                 CmpOp{CmpOpKind::kLt, Prim::kI64, i, ends[k]}, "inside", loc);
      distance =
          let(out, scalar_type(Prim::kI64), Select{inside, distances[k], distance}, "away", loc);
    }
    return op(out, BinOpKind::kAdd, op(out, BinOpKind::kMul, i, stride, loc), distance, loc);
  }
  Operand op(std::vector<Stmt>& out, BinOpKind kind, const Operand& a, const Operand& b, Loc loc) {
    if (kind == BinOpKind::kMul && b == Operand{const_i64(1)}) return a;
    if (kind != BinOpKind::kMul && b == Operand{const_i64(0)}) return a;
    return let(out, scalar_type(Prim::kI64), BinOp{kind, Prim::kI64, a, b}, "at", loc);
  }
  Name let(std::vector<Stmt>& out, Type type, Exp exp, std::string_view base, Loc loc) {
    const Name name = prog_.names.fresh(base);
    Stmt stmt{{}, std::move(exp), {}, {}, loc};
    stmt.pat.push_back({name, std::move(type)});
    out.push_back(std::move(stmt));
    return name;
  }
  static void add_tokens(Stmt& stmt, const ArrayParts& array) {
    stmt.tokens.insert(stmt.tokens.end(), array.tokens.begin(), array.tokens.end());
    std::ranges::sort(stmt.tokens);
    stmt.tokens.erase(std::ranges::unique(stmt.tokens).begin(), stmt.tokens.end());
  }

  Program& prog_;
  const Rearranged& chosen_;
};

}  // namespace

std::unordered_set<Name> rearranged_parts(const Body& body) {
  std::unordered_set<Name> found;
  if (has_concat(body))
    for (const auto& [name, parts] : find_rearranged(body)) found.insert(name);
  return found;
}

void inline_rotations(Body& body, Program& prog, analysis::Aliases& aliases, PassContext& ctx) {
  if (!has_concat(body)) return;
  Rearranged candidates = find_rearranged(body);
  if (candidates.empty()) return;
  count_reads(body, candidates, 0);
  std::unordered_set<Name> consumed;
  for (const Stmt& stmt : body.stmts) consumed.merge(aliases.consumed(stmt));
  Rearranged chosen;
  for (const Stmt& stmt : body.stmts) {
    if (stmt.pat.size() != 1) continue;
    const auto found = candidates.find(stmt.pat[0].name);
    if (found == candidates.end()) continue;
    const ArrayParts& parts = found->second;
    bool fine = parts.uses > 0 && parts.uses == parts.reads && parts.reads <= kMaxPlaces &&
                parts.readers <= kMaxReaders &&
                // One at a time: the source is read as it is.
                !chosen.contains(parts.source);
    for (const Name array : {found->first, parts.source})
      for (const Name root : aliases.roots(array)) fine = fine && !consumed.contains(root);
    if (fine && ctx.may_rewrite("rotation")) chosen.emplace(found->first, parts);
  }
  if (!chosen.empty()) InlineRotations(prog, chosen).in(body);
}

}  // namespace skald::passes::fusion
