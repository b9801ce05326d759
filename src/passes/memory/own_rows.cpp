// SPDX-License-Identifier: Apache-2.0
// A kernel may write over an array that it reads, if its points do not disturb each other:
//
//   kernel(flat(n), \{i} ->                 reads xs[i], writes ys[i]: ys may be xs
//     let {row @ from[i*m]} = xs[i]
//     let {p} = xs[i, k]                    before anything is written: any element of the own row
//     if c then copy(row) @ to[i*m]         the row as it is: nothing to do
//     else loop {r @ to[i*m]} for j < m     element by element: reads element j, then writes it
//            … xs[i, j] …  r with [j] = …
//
// Both arrays are dense, at the beginning of their blocks and of the same shape, so that equal
// indices are equal places.  Statements that this file does not know make the answer no.
#include "passes/memory/own_rows.h"

#include <algorithm>

#include "core/ir/visit.h"

namespace skald::passes {

using namespace core;

namespace {

bool starts_block(const MemLoc& loc) {
  return loc.strides.empty() && loc.offset == Operand{const_i64(0)};
}

class OwnRows {
 public:
  OwnRows(const Stmt& stmt, const WriteOver& question)
      : stmt_(stmt), kernel_(*as<Kernel>(stmt.exp)), q_(question) {}

  bool run() {
    if (kernel_.guarded || !kernel_.post.empty() || kernel_.domain.kind == Domain::kSeg)
      return false;
    for (const Sink& sink : kernel_.sinks)
      if (sink.kind != Sink::kOut) return false;
    for (const Param& p : stmt_.pat) {
      if (p.mem.empty() || !(p.mem[0].block == q_.to)) continue;
      if (out_ != nullptr || !starts_block(p.mem[0])) return false;
      out_ = &p;
    }
    const size_t dims = kernel_.domain.dims.size();
    if (out_ == nullptr || out_->type.shape.size() < dims) return false;
    for (size_t k = 0; k < dims; ++k)
      if (!q_.values.same(out_->type.shape[k], kernel_.domain.dims[k])) return false;
    bool written = false;
    return body(kernel_.pull.body, written, nullptr);
  }

 private:
  // The loop that goes through the row element by element.
  struct Elements {
    Name index;
    bool written = false;  // in this round
  };

  // ---- what names stand for

  bool is_read_array(const Operand& o) const {
    const Name* name = as_name(o);
    const Name block = name == nullptr ? Name{} : q_.block_of(*name);
    return block && q_.may_be_from(block);
  }
  bool is_in_row(const Param& p) const { return !p.mem.empty() && p.mem[0].block == q_.to; }

  size_t row_rank() const { return out_->type.shape.size() - kernel_.domain.dims.size(); }

  // The same places as the result.
  bool is_like_result(Name array) const {
    const Param* p = q_.outside(array);
    if (p == nullptr || p->mem.empty() || !q_.is_from(p->mem[0].block) ||
        !starts_block(p->mem[0]) || prim_size(p->type.elem) != prim_size(out_->type.elem))
      return false;
    return std::equal(p->type.shape.begin(), p->type.shape.end(), out_->type.shape.begin(),
                      out_->type.shape.end(),
                      [&](const Operand& a, const Operand& b) { return q_.values.same(a, b); });
  }

  // The indices into the own row, if the subscript stays in it.
  std::optional<std::vector<DimSlice>> in_own_row(const Index& e) const {
    if (rows_.contains(e.array)) return e.slice;
    if (!is_like_result(e.array)) return std::nullopt;
    const std::vector<Param>& own = kernel_.pull.params;
    if (e.slice.size() < own.size()) return std::nullopt;
    for (size_t k = 0; k < own.size(); ++k)
      if (!e.slice[k].is_index || !(e.slice[k].start == Operand{own[k].name})) return std::nullopt;
    return std::vector<DimSlice>(e.slice.begin() + static_cast<ptrdiff_t>(own.size()),
                                 e.slice.end());
  }

  // ---- the walk: `written` says whether the row may have changed already

  bool body(const Body& body, bool& written, Elements* elements) {
    for (const Stmt& each : body.stmts)
      if (!stmt(each, written, elements)) return false;
    return std::ranges::none_of(body.result, [&](const Operand& o) { return is_read_array(o); });
  }

  bool stmt(const Stmt& stmt, bool& written, Elements* elements) {
    const Exp& exp = stmt.exp;
    // What needs scratch memory may be run again with more of it; a check that fails may run the
    // point again to say why.
    if (as<Alloc>(exp) != nullptr || as<Call>(exp) != nullptr) return false;
    if (as<Assert>(exp) != nullptr) return !written && elements == nullptr;
    if (const auto* e = as<If>(exp)) {
      bool then = written, otherwise = written;
      Elements inner = elements == nullptr ? Elements{} : *elements;
      Elements other = inner;
      if (!body(e->then_body, then, elements == nullptr ? nullptr : &inner) ||
          !body(e->else_body, otherwise, elements == nullptr ? nullptr : &other))
        return false;
      written = then || otherwise;
      if (elements != nullptr) elements->written = inner.written || other.written;
      return true;
    }
    if (const auto* e = as<Loop>(exp)) return loop(*e, written, elements);
    bool has_body = false;
    for_each_body(exp, [&](const Body&) { has_body = true; });
    if (has_body) return false;
    const bool writes = std::ranges::any_of(stmt.pat, [&](const Param& p) { return is_in_row(p); });
    if (const auto* e = as<Index>(exp); e != nullptr && is_read_array(Operand{e->array})) {
      const std::optional<std::vector<DimSlice>> own = in_own_row(*e);
      if (!own) return false;
      if (stmt.pat[0].type.is_scalar()) return may_read(*own, written, elements);
      // A view: the whole row, or a part that is only read before the row changes.
      if (!rows_.contains(e->array) && own->empty()) {
        rows_.insert(stmt.pat[0].name);
        return true;
      }
      return false;
    }
    bool reads = false;
    for_each_operand(exp, [&](const Operand& o) { reads = reads || is_read_array(o); });
    if (reads) {
      const Copy* copy = as<Copy>(exp);
      if (copy == nullptr || !rows_.contains(copy->array)) return false;
      if (!writes) return !written && elements == nullptr;
      // The whole row, to where it is.
      return !written && elements == nullptr && is_whole_row(stmt.pat[0]);
    }
    if (!writes || as<Scratch>(exp) != nullptr) return true;
    return write(stmt, written, elements);
  }

  bool is_whole_row(const Param& p) const {
    return p.type.shape.size() == row_rank() && p.mem[0].strides.empty() &&
           std::equal(p.type.shape.rbegin(), p.type.shape.rend(), out_->type.shape.rbegin(),
                      [&](const Operand& a, const Operand& b) { return q_.values.same(a, b); });
  }

  bool may_read(const std::vector<DimSlice>& at, bool written, const Elements* elements) const {
    if (elements == nullptr) return !written;
    return !written && !elements->written && row_rank() == 1 && at.size() == 1 &&
           at[0].start == Operand{elements->index};
  }

  bool write(const Stmt& stmt, bool& written, Elements* elements) const {
    if (elements == nullptr) {
      written = true;
      return true;
    }
    const Update* update = as<Update>(stmt.exp);
    if (update == nullptr || row_rank() != 1 || update->slice.size() != 1 ||
        !update->slice[0].is_index || !(update->slice[0].start == Operand{elements->index}) ||
        !is_whole_row(stmt.pat[0]))
      return false;
    elements->written = true;
    return true;
  }

  bool loop(const Loop& loop, bool& written, Elements* elements) {
    for (const LoopParam& p : loop.params)
      if (is_read_array(p.init) || (!p.param.mem.empty() && q_.may_be_from(p.param.mem[0].block)))
        return false;
    // A loop that reads only, or writes only, has no element to keep apart.
    bool reads = false, writes = false;
    touched(loop.body, reads, writes);
    if (elements != nullptr && (reads || writes)) return false;
    if (!(reads && writes)) {
      bool inside = written;
      if (!body(loop.body, inside, nullptr)) return false;
      written = written || inside;
      return true;
    }
    if (written || loop.form != Loop::kFor || loop.var.type.elem != Prim::kI64) return false;
    Elements own{loop.var.name};
    bool before = false;
    if (!body(loop.body, before, &own)) return false;
    written = true;
    return true;
  }

  void touched(const Body& body, bool& reads, bool& writes) const {
    for (const Stmt& each : body.stmts) {
      for_each_operand(each.exp, [&](const Operand& o) { reads = reads || is_read_array(o); });
      for (const Param& p : each.pat)
        writes = writes || (is_in_row(p) && as<Scratch>(each.exp) == nullptr);
      for_each_body(each.exp, [&](const Body& inner) { touched(inner, reads, writes); });
    }
  }

  const Stmt& stmt_;
  const Kernel& kernel_;
  const WriteOver& q_;
  const Param* out_ = nullptr;
  std::unordered_set<Name> rows_ = {};  // views of the own row
};

void remove_self_copies_in(Body& body, Name block, const analysis::ScalarValues& values,
                           std::unordered_map<Name, const MemLoc*>& places) {
  for (Stmt& stmt : body.stmts) {
    for (const Param& p : stmt.pat)
      if (!p.mem.empty() && p.mem[0].block == block) places[p.name] = &p.mem[0];
    if (const Copy* copy = as<Copy>(stmt.exp)) {
      const auto from = places.find(copy->array), to = places.find(stmt.pat[0].name);
      if (from != places.end() && to != places.end() &&
          values.same(from->second->offset, to->second->offset) &&
          from->second->strides == to->second->strides)
        stmt.exp = Scratch{stmt.pat[0].type.elem, stmt.pat[0].type.shape};
    }
    for_each_body(stmt.exp,
                  [&](Body& inner) { remove_self_copies_in(inner, block, values, places); });
  }
}

}  // namespace

bool can_write_over(const Stmt& kernel, const WriteOver& question) {
  return as<Kernel>(kernel.exp) != nullptr && OwnRows(kernel, question).run();
}

void remove_self_copies(Stmt& kernel, Name block, const analysis::ScalarValues& values) {
  std::unordered_map<Name, const MemLoc*> places;
  remove_self_copies_in(as<Kernel>(kernel.exp)->pull.body, block, values, places);
}

}  // namespace skald::passes
