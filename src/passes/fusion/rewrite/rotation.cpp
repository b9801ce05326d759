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
// The comparison is with something known before the kernel, which vector code tests once
// for many points.  All readers must be operations of the block or subscripts in their functions,
// so that every element is read a few times; otherwise one copy is cheaper.  Neither array may be
// consumed in the block.
#include "passes/fusion/rewrite/rotation.h"

#include <algorithm>

#include "analysis/rearranged.h"
#include "core/ir/visit.h"

namespace skald::passes::fusion {

using namespace core;

namespace {

constexpr size_t kMaxPlaces = 8;
// More operations that read the same array are better merged than freed of a copy.
constexpr size_t kMaxReaders = 3;

using analysis::ArrayPart;
using analysis::ArrayParts;
using ChosenParts = std::unordered_map<Name, ArrayParts>;

struct PartReads {
  ArrayParts parts;
  size_t uses = 0, reads = 0, readers = 0;
};
using Rearranged = std::unordered_map<Name, PartReads>;

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
  InlineRotations(Program& prog, const ChosenParts& chosen) : prog_(prog), chosen_(chosen) {}

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
  const ChosenParts& chosen_;
};

}  // namespace

void inline_rotations(Body& body, Program& prog, analysis::Aliases& aliases, PassContext& ctx) {
  Rearranged candidates;
  for (auto& [name, parts] : analysis::find_rearranged(body))
    candidates.emplace(name, PartReads{std::move(parts)});
  if (candidates.empty()) return;
  count_reads(body, candidates, 0);
  std::unordered_set<Name> consumed;
  for (const Stmt& stmt : body.stmts) consumed.merge(aliases.consumed(stmt));
  ChosenParts chosen;
  for (const Stmt& stmt : body.stmts) {
    if (stmt.pat.size() != 1) continue;
    const auto found = candidates.find(stmt.pat[0].name);
    if (found == candidates.end()) continue;
    const auto& [parts, uses, reads, readers] = found->second;
    bool fine = uses > 0 && uses == reads && reads <= kMaxPlaces && readers <= kMaxReaders &&
                // One at a time: the source is read as it is.
                !chosen.contains(parts.source);
    for (const Name array : {found->first, parts.source})
      for (const Name root : aliases.roots(array)) fine = fine && !consumed.contains(root);
    if (fine && ctx.may_rewrite("rotation")) chosen.emplace(found->first, parts);
  }
  if (!chosen.empty()) InlineRotations(prog, chosen).in(body);
}

}  // namespace skald::passes::fusion
