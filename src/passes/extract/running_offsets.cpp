// SPDX-License-Identifier: Apache-2.0
// Rows that lie one after another in memory are one long row: where an array tells where rows begin
// and the next one's beginning is the end of each, elements need not ask for their row.
//
//   before   let {ends_2 : [n_0]i64} = kernel(flat(n_0), \{i_3} -> A[i_3 + 1] - A[i_3], scan (+))
//            let {offsets_4 : [m_1]i64} = concat(0, m_1, {zero_5, ends_2})
//            … kernel(seg(n_0, total_6; offsets_4), \{s_7, j_8, p_9} -> xs[j_8 + A[s_7]], …)
//
//   after    let {ends_2 : [n_0]i64} = kernel(flat(n_0), \{i_3} -> A[i_3 + 1] - A[0], out 1)
//            let {offsets_4 : [m_1]i64} = concat(0, m_1, {zero_5, ends_2})
//            … kernel(seg(n_0, total_6; offsets_4), \{s_7, j_8, p_9} -> xs[p_9 + A[0]], …)
//
// The lengths are differences of neighbours, so their sums are differences from the first one, in
// wrapping arithmetic always: offsets[s] = A[s] - A[0], and j = p - offsets[s].
//
// The same where the program itself has added up the lengths, so that A[i] = L[0] + … + L[i - 1]:
//
//   before   let {A_1 : [n_0]i64} = kernel(flat(n_0), \{i_3} -> L[i_3], L[i_3], scan (+), out 1,
//                                          post \{sum_4, x_5} -> sum_4 - x_5)
//            let {ends_2 : [n_0]i64} = kernel(flat(n_0), \{i_3} -> L[i_3], scan (+))
//            … kernel(seg(n_0, total_6; offsets_4), \{s_7, j_8, p_9} -> xs[j_8 + A[s_7]], …)
//
//   after    let {ends_2 : [n_0]i64} = kernel(flat(n_0), \{i_3} -> A[i_3] + L[i_3], out 1)
//            … kernel(seg(n_0, total_6; offsets_4), \{s_7, j_8, p_9} -> xs[p_9], …)
//
// Stage    KERNELS, and only for devices that reduce such rows by segments.
// Needs    simplified subscripts: it knows sums and differences as they are written then.
// Gives    no scan of differences, none that was there already, and no element that asks for its
//          row's beginning to find itself.
// Keeps    types, checks, results.
// Cost     linear in the size of the program.
// Tests    tests/golden/passes/running_offsets/*.core, tests/programs/nested/ragged_rows.fut
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "core/edit/builder.h"
#include "core/edit/free_names.h"
#include "core/ir/visit.h"
#include "passes/passes.h"

namespace skald::passes {

using namespace core;

namespace {

using Definitions = std::unordered_map<Name, Stmt*>;

// Values of the post-function for sinks, which come before the arrays.
size_t values_for_late_sinks(const Kernel& kernel) {
  size_t count = 0;
  for (const Sink& sink : kernel.sinks)
    if (sink.late) count += static_cast<size_t>(sink.count);
  return count;
}

const Exp* definition(const Definitions& known, const Operand& operand) {
  const Name* name = as_name(operand);
  if (name == nullptr) return nullptr;
  const auto found = known.find(*name);
  return found == known.end() ? nullptr : &found->second->exp;
}

// What a name is a copy of.
Operand original(const Definitions& known, Operand operand) {
  for (const Exp* exp = definition(known, operand); exp != nullptr;
       exp = definition(known, operand)) {
    const Value* value = as<Value>(*exp);
    if (value == nullptr) break;
    operand = value->arg;
  }
  return operand;
}

// The operation that gives the value, if it is this one.
const BinOp* arithmetic(const Definitions& known, const Operand& operand, BinOpKind op) {
  const Exp* exp = definition(known, original(known, operand));
  const BinOp* found = exp == nullptr ? nullptr : as<BinOp>(*exp);
  return found != nullptr && found->op == op && found->type == Prim::kI64 ? found : nullptr;
}

// Reads of single elements of arrays with one dimension.
const Index* read(const Definitions& known, const Operand& operand) {
  const Exp* exp = definition(known, original(known, operand));
  const Index* index = exp == nullptr ? nullptr : as<Index>(*exp);
  const bool one = index != nullptr && index->slice.size() == 1 && index->slice[0].is_index;
  return one ? index : nullptr;
}

Definitions definitions_of(Body& body) {
  Definitions known;
  for (Stmt& stmt : body.stmts)
    if (stmt.pat.size() == 1) known.emplace(stmt.pat[0].name, &stmt);
  return known;
}

bool is_running_sum(const Sink& sink) {
  if (sink.kind != Sink::kScan || sink.count != 1 || sink.op[0].neutral[0] != Operand{const_i64(0)})
    return false;
  const Lambda& fn = sink.op[0].fn;
  if (fn.body.stmts.size() != 1 || fn.body.result[0] != Operand{fn.body.stmts[0].pat[0].name})
    return false;
  const BinOp* sum = as<BinOp>(fn.body.stmts[0].exp);
  const Operand a = fn.params[0].name, b = fn.params[1].name;
  return sum != nullptr && sum->op == BinOpKind::kAdd && sum->type == Prim::kI64 &&
         ((sum->lhs == a && sum->rhs == b) || (sum->lhs == b && sum->rhs == a));
}

// The array whose element at the kernel's own index a value is.
std::optional<Name> own_element(Kernel& kernel, const Operand& value) {
  const Definitions inside = definitions_of(kernel.pull.body);
  const Index* from = read(inside, value);
  if (from == nullptr || inside.contains(from->array) ||
      original(inside, from->slice[0].start) != Operand{kernel.pull.params[0].name})
    return std::nullopt;
  return from->array;
}

// Is array[i], which the statement gives, the sum of the first i of so many lengths?
bool has_sums_before(Stmt& stmt, Name array, Name lengths, const Operand& width) {
  Kernel* kernel = as<Kernel>(stmt.exp);
  if (kernel == nullptr || kernel->domain.kind != Domain::kFlat || kernel->guarded ||
      kernel->post.empty() || kernel->domain.dims[0] != width)
    return false;
  Lambda& post = kernel->post[0];
  const size_t late = values_for_late_sinks(*kernel);
  const size_t others = stmt.pat.size() - (post.results.size() - late);
  const auto place =
      static_cast<size_t>(std::ranges::find(stmt.pat, array, &Param::name) - stmt.pat.begin());
  if (place < others) return false;
  const Operand result = post.body.result[late + place - others];
  const BinOp* difference = arithmetic(definitions_of(post.body), result, BinOpKind::kSub);
  if (difference == nullptr) return false;
  // What each parameter of the post-function is of the thunk.
  size_t value = 0, param = 0;
  bool sums = false, subtracts = false;
  for (const Sink& sink : kernel->sinks) {
    const bool handed = sink.kind == Sink::kScan || sink.kind == Sink::kOut;
    for (int k = 0; k < sink.count && !sink.late; ++k, ++value) {
      if (!handed) continue;
      const Operand is = post.params[param++].name;
      if (own_element(*kernel, kernel->pull.body.result[value]) != lengths) continue;
      sums = sums || (is_running_sum(sink) && is == difference->lhs);
      subtracts = subtracts || (sink.kind == Sink::kOut && is == difference->rhs);
    }
  }
  return sums && subtracts;
}

bool is_next(const Definitions& known, const Operand& operand, Name i) {
  const BinOp* sum = arithmetic(known, operand, BinOpKind::kAdd);
  if (sum == nullptr) return false;
  const Operand one = const_i64(1);
  return (sum->rhs == one && original(known, sum->lhs) == Operand{i}) ||
         (sum->lhs == one && original(known, sum->rhs) == Operand{i});
}

class RunningOffsets {
 public:
  RunningOffsets(Program& prog, PassContext& ctx) : prog_(prog), ctx_(ctx) {}

  void body(Body& block) {
    for (Stmt& stmt : block.stmts) {
      ++seen_;
      for (const Param& p : stmt.pat) {
        known_[p.name] = &stmt;
        order_[p.name] = seen_;
      }
      Kernel* kernel = as<Kernel>(stmt.exp);
      if (kernel == nullptr)
        for_each_body(stmt.exp, [&](Body& inner) { body(inner); });
      else if (kernel->domain.kind == Domain::kSeg)
        segments(*kernel);
    }
  }

 private:
  // The kernel that makes the offsets, and the array whose neighbours it subtracts.
  struct Source {
    Kernel* kernel;
    Name array;
    bool has_sums = false;  // of the lengths: the array begins with 0
  };

  void segments(Kernel& kernel) {
    Stmt* ends = find_ends(kernel.domain.offsets[0]);
    if (ends == nullptr) return;
    std::optional<Source> source = find_differences(*ends);
    if (!source) source = find_sums(kernel, *ends);
    if (!source || !asks_for_beginning(kernel, source->array) || !ctx_.may_rewrite("join")) return;
    ctx_.explain(fmt::format("rows of {} follow each other", prog_.names.text(source->array)));
    join_elements(kernel, *source);
    if (source->kernel->sinks[0].kind != Sink::kScan) return;
    if (source->has_sums)
      add_lengths(*source);
    else
      subtract_first(*source);
  }

  // The statement of the kernel that gives the ends of segments.
  Stmt* find_ends(Name offsets) {
    const Exp* exp = definition(known_, offsets);
    const Concat* concat = exp == nullptr ? nullptr : as<Concat>(*exp);
    if (concat == nullptr || concat->arrays.size() != 2) return nullptr;
    const Exp* first = definition(known_, concat->arrays[0]);
    const Replicate* zero = first == nullptr ? nullptr : as<Replicate>(*first);
    if (zero == nullptr || zero->shape != std::vector<Operand>{const_i64(1)} ||
        zero->value != Operand{const_i64(0)})
      return nullptr;
    const auto ends = known_.find(concat->arrays[1]);
    if (ends == known_.end()) return nullptr;
    Stmt& stmt = *ends->second;
    Kernel* kernel = as<Kernel>(stmt.exp);
    if (kernel == nullptr || kernel->domain.kind != Domain::kFlat || kernel->guarded ||
        !kernel->post.empty() || kernel->sinks.empty() || stmt.pat[0].name != ends->first)
      return nullptr;
    return &stmt;
  }

  std::optional<Source> find_differences(Stmt& ends) {
    Kernel* kernel = as<Kernel>(ends.exp);
    const Name name = ends.pat[0].name;
    if (const auto joined = joined_.find(name); joined != joined_.end()) return joined->second;
    if (!is_running_sum(kernel->sinks[0])) return std::nullopt;
    const Definitions inside = definitions_of(kernel->pull.body);
    const Name i = kernel->pull.params[0].name;
    const BinOp* length = arithmetic(inside, kernel->pull.body.result[0], BinOpKind::kSub);
    if (length == nullptr) return std::nullopt;
    const Index *to = read(inside, length->lhs), *from = read(inside, length->rhs);
    if (to == nullptr || from == nullptr || to->array != from->array ||
        inside.contains(to->array) || original(inside, from->slice[0].start) != Operand{i} ||
        !is_next(inside, to->slice[0].start, i))
      return std::nullopt;
    return joined_.emplace(name, Source{kernel, to->array}).first->second;
  }

  // Sums that the rows of this kernel begin with, of the lengths that the ends are sums of.
  std::optional<Source> find_sums(Kernel& kernel, Stmt& ends) {
    Kernel* lengths = as<Kernel>(ends.exp);
    if (!is_running_sum(lengths->sinks[0])) return std::nullopt;
    const std::optional<Name> added = own_element(*lengths, lengths->pull.body.result[0]);
    if (!added) return std::nullopt;
    for (const Stmt& stmt : kernel.pull.body.stmts) {
      const Index* from = as<Index>(stmt.exp);
      if (from == nullptr || !order_.contains(from->array) ||
          order_.at(from->array) >= order_.at(ends.pat[0].name) ||
          !has_sums_before(*known_.at(from->array), from->array, *added, lengths->domain.dims[0]))
        continue;
      return joined_.emplace(ends.pat[0].name, Source{lengths, from->array, true}).first->second;
    }
    return std::nullopt;
  }

  // j + A[s] or A[s] + j
  static bool is_place(const Definitions& inside, const Exp& exp, const Kernel& kernel,
                       Name array) {
    const BinOp* sum = as<BinOp>(exp);
    if (sum == nullptr || sum->op != BinOpKind::kAdd || sum->type != Prim::kI64) return false;
    const Operand s = kernel.pull.params[0].name, j = kernel.pull.params[1].name;
    const auto fits = [&](const Operand& number, const Operand& beginning) {
      const Index* from = read(inside, beginning);
      return original(inside, number) == j && from != nullptr && from->array == array &&
             original(inside, from->slice[0].start) == s;
    };
    return fits(sum->lhs, sum->rhs) || fits(sum->rhs, sum->lhs);
  }

  static bool asks_for_beginning(Kernel& kernel, Name array) {
    const Definitions inside = definitions_of(kernel.pull.body);
    return std::ranges::any_of(kernel.pull.body.stmts, [&](const Stmt& stmt) {
      return is_place(inside, stmt.exp, kernel, array);
    });
  }

  Stmt first_of(Name array, Name name) {
    return {{{name, scalar_type(Prim::kI64)}}, Index{array, {DimSlice{true, const_i64(0)}}}};
  }

  void join_elements(Kernel& kernel, const Source& source) {
    Body& pull = kernel.pull.body;
    const Definitions inside = definitions_of(pull);
    const Name first = prog_.names.fresh("first");
    const Name p = kernel.pull.params[2].name;
    for (Stmt& stmt : pull.stmts) {
      if (!is_place(inside, stmt.exp, kernel, source.array)) continue;
      if (source.has_sums)
        stmt.exp = Value{p};
      else
        stmt.exp = BinOp{BinOpKind::kAdd, Prim::kI64, p, first};
    }
    if (!source.has_sums) pull.stmts.insert(pull.stmts.begin(), first_of(source.array, first));
    remove_unread(pull);
  }

  // What the row's number was read for.
  static void remove_unread(Body& pull) {
    NameSet used;
    const auto use = [&](const Operand& o) {
      if (const Name* name = as_name(o)) used.insert(*name);
    };
    for (const Operand& o : pull.result) use(o);
    for (size_t k = pull.stmts.size(); k-- > 0;) {
      const Stmt& stmt = pull.stmts[k];
      const bool plain = is_scalar_operator(stmt.exp) || as<Index>(stmt.exp) != nullptr;
      const bool is_used =
          std::ranges::any_of(stmt.pat, [&](const Param& p) { return used.contains(p.name); });
      if (plain && !is_used) {
        pull.stmts.erase(pull.stmts.begin() + static_cast<ptrdiff_t>(k));
        continue;
      }
      for (const Name name : free_names(stmt)) used.insert(name);
    }
  }

  void subtract_first(const Source& source) {
    Body& pull = source.kernel->pull.body;
    const Definitions inside = definitions_of(pull);
    const BinOp* length = arithmetic(inside, pull.result[0], BinOpKind::kSub);
    const Operand to = length->lhs;
    // The checks that the length waited for.
    std::vector<Name> tokens;
    for (Operand at = pull.result[0];;) {
      const auto found = inside.find(*as_name(at));
      const std::vector<Name>& own = found->second->tokens;
      tokens.insert(tokens.end(), own.begin(), own.end());
      const Value* value = as<Value>(found->second->exp);
      if (value == nullptr) break;
      at = value->arg;
    }
    const Name first = prog_.names.fresh("first"), end = prog_.names.fresh("end");
    pull.stmts.push_back(first_of(source.array, first));
    Stmt last{{{end, scalar_type(Prim::kI64)}},
              BinOp{BinOpKind::kSub, Prim::kI64, to, first},
              std::move(tokens)};
    pull.stmts.push_back(std::move(last));
    pull.result[0] = end;
    source.kernel->sinks[0] = {Sink::kOut, 1};
  }

  // Each row ends so much after it begins.
  void add_lengths(const Source& source) {
    Kernel& kernel = *source.kernel;
    Body& pull = kernel.pull.body;
    const Type i64 = scalar_type(Prim::kI64);
    const Name begin = prog_.names.fresh("begin"), end = prog_.names.fresh("end");
    pull.stmts.push_back(
        {{{begin, i64}}, Index{source.array, {DimSlice{true, kernel.pull.params[0].name}}}});
    pull.stmts.push_back({{{end, i64}}, BinOp{BinOpKind::kAdd, Prim::kI64, begin, pull.result[0]}});
    pull.result[0] = end;
    kernel.sinks[0] = {Sink::kOut, 1};
  }

  Program& prog_;
  PassContext& ctx_;
  Definitions known_;
  std::unordered_map<Name, size_t> order_;  // in which names were bound
  size_t seen_ = 0;
  // Ends that are differences of neighbours, or sums that were there before, or were.
  std::unordered_map<Name, Source> joined_;
};

}  // namespace

Program join_rows(Program prog, PassContext& ctx) {
  if (!ctx.device().reduces_by_segments) return prog;
  for (Function& fn : prog.functions) RunningOffsets(prog, ctx).body(fn.body);
  return prog;
}

}  // namespace skald::passes
