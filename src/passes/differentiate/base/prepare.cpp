// SPDX-License-Identifier: Apache-2.0
#include "passes/differentiate/base/prepare.h"

#include <algorithm>

#include "core/edit/rename.h"
#include "core/ir/visit.h"

namespace skald::passes::ad {

// ---- calls --------------------------------------------------------------------------------------

namespace {

class CallInliner {
 public:
  explicit CallInliner(Session& session) : session_(session) {}

  void visit(Body& body) {
    std::vector<Stmt> old = std::move(body.stmts);
    body.stmts.clear();
    for (Stmt& stmt : old) {
      for_each_body(stmt.exp, [&](Body& inner) { visit(inner); });
      const auto* call = as<Call>(stmt.exp);
      const Function* fn = call == nullptr ? nullptr : session_.find(call->fn);
      if (fn == nullptr || fn->hints.once || session_.recursive.contains(fn->name))
        body.stmts.push_back(std::move(stmt));
      else
        splice(body, stmt, *fn);
    }
  }

 private:
  void splice(Body& body, Stmt& stmt, const Function& fn) {
    Function copy = copy_with_fresh_names(fn, session_.prog.names);
    Emit out(session_, stmt.loc);
    const auto args = as<Call>(stmt.exp)->args;
    // An array from outside keeps its name: what is added to its cotangent then goes to one array,
    // not to one of each call.
    Substitution same;
    for (size_t k = 0; k < args.size(); ++k) {
      Param& p = copy.params[k];
      substitute(p.type, same);
      const Operand arg = out.coerce(args[k], p.type);
      if (stmt.tokens.empty()) {
        same.emplace(p.name, arg);
        continue;
      }
      session_.learn(std::vector{p});
      out.let_pat({{.name = p.name, .type = p.type}}, Value{arg}, stmt.tokens);
    }
    substitute(copy.body, same);
    session_.learn(copy.body);
    visit(copy.body);
    for (Stmt& inner : copy.body.stmts) out.append(std::move(inner));
    for (size_t k = 0; k < stmt.pat.size(); ++k)
      out.bind(stmt.pat[k].name, stmt.pat[k].type, copy.body.result[k]);
    Body made = out.b().finish({});
    std::ranges::move(made.stmts, std::back_inserter(body.stmts));
  }

  Session& session_;
};

// ---- combinators --------------------------------------------------------------------------------

class Splitter {
 public:
  explicit Splitter(Session& session) : session_(session) {}

  void visit(Body& body) {
    std::vector<Stmt> old = std::move(body.stmts);
    Emit out(session_);
    for (Stmt& stmt : old) {
      for_each_body(stmt.exp, [&](Body& inner) { visit(inner); });
      out.set_loc(stmt.loc);
      split(std::move(stmt), out);
    }
    body.stmts = out.b().finish({}).stmts;
  }

 private:
  void split(Stmt stmt, Emit& out) {
    if (auto* e = as<Soac>(stmt.exp); e != nullptr && !e->is_map())
      return soac(std::move(stmt), out);
    if (as<Hist>(stmt.exp) != nullptr) return hist(std::move(stmt), out);
    if (as<Scatter>(stmt.exp) != nullptr) return scatter(std::move(stmt), out);
    if (as<Partition>(stmt.exp) != nullptr) return partition(std::move(stmt), out);
    out.append(std::move(stmt));
  }

  // The arrays of what the function gives for each row.  The last ones are results of the
  // statement, under these names.
  std::vector<Name> rows_of(const Operand& width, std::vector<Name> inputs, Lambda fn,
                            std::vector<Name> tokens, const Hints& hints, Emit& out,
                            const std::vector<Param>& last = {}) {
    std::vector<Name> arrays;
    const bool writes =
        std::ranges::any_of(fn.results, [](const Ret& ret) { return ret.type.kind == Type::kAcc; });
    if (fn.body.stmts.empty() && !writes) {
      for (const Operand& result : fn.body.result) {
        size_t k = 0;
        while (k < fn.params.size() && !(result == Operand(fn.params[k].name))) ++k;
        if (k == fn.params.size()) break;
        arrays.push_back(inputs[k]);
      }
      if (arrays.size() == fn.body.result.size()) return arrays;
    }
    std::vector<Param> pat;
    arrays.clear();
    const size_t first_last = fn.results.size() - last.size();
    for (size_t k = 0; k < fn.results.size(); ++k) {
      const Type& each = fn.results[k].type;
      const Type type = each.kind == Type::kAcc ? each : array_of(width, each);
      if (k < first_last)
        pat.push_back({.name = out.fresh("values"), .type = type});
      else
        pat.push_back(last[k - first_last]);
      arrays.push_back(pat.back().name);
    }
    Soac map;
    map.width = width;
    map.inputs = std::move(inputs);
    map.fn = std::move(fn);
    out.append({.pat = std::move(pat),
                .exp = std::move(map),
                .tokens = std::move(tokens),
                .hints = hints,
                .loc = out.loc()});
    return arrays;
  }

  Lambda identity(const std::vector<Name>& arrays) {
    Lambda fn;
    for (const Name array : arrays) {
      const Type row = row_type(session_.type_of(array));
      fn.params.push_back({.name = session_.prog.names.fresh("x"), .type = row});
      fn.results.push_back({.type = row});
      fn.body.result.emplace_back(fn.params.back().name);
    }
    session_.learn(fn.params);
    return fn;
  }

  void soac(Stmt stmt, Emit& out) {
    Soac e = std::move(*as<Soac>(stmt.exp));
    size_t scanned = 0, reduced = 0;
    for (const Operator& op : e.scans) scanned += op.neutral.size();
    for (const Operator& op : e.reduces) reduced += op.neutral.size();
    std::vector<Param> last;
    if (e.post.empty())
      last.assign(stmt.pat.begin() + static_cast<ptrdiff_t>(reduced + scanned), stmt.pat.end());
    const std::vector<Name> values =
        rows_of(e.width, e.inputs, std::move(e.fn), stmt.tokens, stmt.hints, out, last);
    size_t at = 0, result = 0;
    std::vector<Name> outputs;
    const auto fold = [&](Operator op, bool scans) {
      const size_t n = op.neutral.size();
      Soac one;
      one.width = e.width;
      one.inputs.assign(values.begin() + static_cast<ptrdiff_t>(at),
                        values.begin() + static_cast<ptrdiff_t>(at + n));
      at += n;
      one.fn = identity(one.inputs);
      std::vector<Param> pat;
      for (size_t k = 0; k < n; ++k) {
        if (!scans) {
          pat.push_back(stmt.pat[result++]);
          continue;
        }
        pat.push_back({.name = out.fresh("scanned"), .type = session_.type_of(one.inputs[k])});
        outputs.push_back(pat.back().name);
      }
      (scans ? one.scans : one.reduces).push_back(std::move(op));
      fold_or_turn({std::move(pat), std::move(one), stmt.tokens, stmt.hints, stmt.loc}, out);
    };
    for (Operator& op : e.scans) fold(std::move(op), true);
    for (Operator& op : e.reduces) fold(std::move(op), false);
    outputs.insert(outputs.end(), values.begin() + static_cast<ptrdiff_t>(at), values.end());
    for (Lambda& post : e.post) {
      last.assign(stmt.pat.begin() + static_cast<ptrdiff_t>(reduced), stmt.pat.end());
      outputs = rows_of(e.width, outputs, std::move(post), stmt.tokens, stmt.hints, out, last);
    }
    // Results share no memory with inputs or with each other.
    NameSet taken(e.inputs.begin(), e.inputs.end());
    for (const Name output : outputs) {
      const Param& p = stmt.pat[result++];
      const bool own = taken.insert(output).second;
      if (p.name == output) continue;
      out.append(
          {.pat = {p}, .exp = own ? Exp(Value{output}) : Exp(Copy{output}), .loc = stmt.loc});
    }
  }

  // An operator that works on each position of rows for itself is one on elements, and the rules
  // for elements are better:
  //
  //   scan (map2 ⊕) xss   →   transpose (map (scan ⊕) (transpose xss))
  void fold_or_turn(Stmt stmt, Emit& out) {
    Soac& e = *as<Soac>(stmt.exp);
    const bool scans = !e.scans.empty();
    Operator& op = scans ? e.scans[0] : e.reduces[0];
    Soac* each = elementwise(op);
    if (each == nullptr || is_addition(op.fn)) return out.append(std::move(stmt));
    const size_t n = op.neutral.size();
    Soac outer;
    outer.width = each->width;
    std::vector<Type> turned;
    for (const Name input : e.inputs) {
      turned.push_back(swapped(session_.type_of(input)));
      outer.inputs.push_back(
          out.let1(turned.back(), Rearrange{input, swap(turned.back())}, "turned"));
    }
    for (const Operand& neutral : op.neutral) outer.inputs.push_back(std::get<Name>(neutral));
    Soac inner;
    inner.width = e.width;
    Operator scalar{std::move(each->fn), {}, op.commutative};
    for (const Name input : outer.inputs) {
      const Name row = out.fresh("x");
      outer.fn.params.push_back({.name = row, .type = row_type(session_.type_of(input))});
      if (inner.inputs.size() < n)
        inner.inputs.push_back(row);
      else
        scalar.neutral.emplace_back(row);
    }
    session_.learn(outer.fn.params);
    inner.fn = identity(inner.inputs);
    (scans ? inner.scans : inner.reduces).push_back(std::move(scalar));
    std::vector<Param> inside;
    std::vector<Operand> results;
    for (size_t k = 0; k < n; ++k) {
      const Type column = row_type(turned[k]);
      const Type type = scans ? column : row_type(column);
      inside.push_back({.name = out.fresh("folded"), .type = type});
      results.emplace_back(inside.back().name);
      outer.fn.results.push_back({.type = type});
    }
    Emit in(session_, stmt.loc);
    fold_or_turn({std::move(inside), std::move(inner), {}, {}, stmt.loc}, in);
    outer.fn.body = in.b().finish(std::move(results));
    if (!scans) return out.append({stmt.pat, std::move(outer), stmt.tokens, stmt.hints, stmt.loc});
    const std::vector<Name> columns = out.let(turned, std::move(outer), "columns", stmt.tokens);
    for (size_t k = 0; k < n; ++k)
      out.let_pat({stmt.pat[k]}, Rearrange{columns[k], swap(turned[k])});
  }

  // The map that is all of an operator, over its left and then its right operands.
  static Soac* elementwise(Operator& op) {
    Body& body = op.fn.body;
    Soac* soac = body.stmts.size() == 1 ? as<Soac>(body.stmts[0].exp) : nullptr;
    if (soac == nullptr || !soac->is_map() || soac->inputs.size() != op.fn.params.size() ||
        body.result.size() != body.stmts[0].pat.size())
      return nullptr;
    for (size_t k = 0; k < soac->inputs.size(); ++k)
      if (soac->inputs[k] != op.fn.params[k].name) return nullptr;
    for (size_t k = 0; k < body.result.size(); ++k)
      if (body.result[k] != Operand(body.stmts[0].pat[k].name)) return nullptr;
    return soac;
  }
  static Type swapped(Type type) {
    std::swap(type.shape[0], type.shape[1]);
    return type;
  }
  // The first two dimensions change places.
  static std::vector<int> swap(const Type& type) {
    std::vector<int> perm = {1, 0};
    for (int d = 2; d < type.rank(); ++d) perm.push_back(d);
    return perm;
  }

  // The same for histograms of rows:
  //
  //   hist xss (map2 ⊕) is vss   →   transpose (map2 (\xs vs -> hist xs ⊕ is vs)
  //                                              (transpose xss) (transpose vss))
  void hist_or_turn(Stmt stmt, Emit& out) {
    Hist& e = *as<Hist>(stmt.exp);
    HistOp& op = e.ops[0];
    Soac* each = op.shape.size() == 1 ? elementwise(op.op) : nullptr;
    if (each == nullptr || is_addition(op.op.fn)) return out.append(std::move(stmt));
    const size_t n = op.dests.size();
    Soac outer;
    outer.width = each->width;
    Hist inner;
    inner.width = e.width;
    inner.inputs = {e.inputs[0]};
    HistOp one;
    one.shape = op.shape;
    one.op.commutative = op.op.commutative;
    const auto column = [&](Name array) {
      const Type turned = swapped(session_.type_of(array));
      outer.inputs.push_back(out.let1(turned, Rearrange{array, swap(turned)}, "turned"));
      outer.fn.params.push_back({.name = out.fresh("x"), .type = row_type(turned)});
      return outer.fn.params.back().name;
    };
    std::vector<Name> dests;
    for (const Name dest : op.dests) dests.push_back(column(dest));
    for (size_t k = 0; k < n; ++k) inner.inputs.push_back(column(e.inputs[1 + k]));
    for (const Operand& neutral : op.op.neutral) {
      outer.inputs.push_back(std::get<Name>(neutral));
      outer.fn.params.push_back(
          {.name = out.fresh("x"), .type = row_type(session_.type_of(neutral))});
      one.op.neutral.emplace_back(outer.fn.params.back().name);
    }
    session_.learn(outer.fn.params);
    one.op.fn = std::move(each->fn);
    inner.fn = identity(inner.inputs);
    Emit in(session_, stmt.loc);
    std::vector<Param> inside;
    std::vector<Operand> results;
    std::vector<Type> turned;
    for (size_t k = 0; k < n; ++k) {
      const Type type = session_.type_of(dests[k]);
      one.dests.push_back(in.let1(type, Copy{dests[k]}, "bins"));
      inside.push_back({.name = out.fresh("folded"), .type = type});
      results.emplace_back(inside.back().name);
      outer.fn.results.push_back({.type = type});
      turned.push_back(swapped(stmt.pat[k].type));
    }
    inner.ops.push_back(std::move(one));
    in.append({std::move(inside), std::move(inner), {}, {}, stmt.loc});
    outer.fn.body = in.b().finish(std::move(results));
    const std::vector<Name> columns = out.let(turned, std::move(outer), "columns", stmt.tokens);
    for (size_t k = 0; k < n; ++k)
      out.let_pat({stmt.pat[k]}, Rearrange{columns[k], swap(turned[k])});
  }

  void hist(Stmt stmt, Emit& out) {
    Hist e = std::move(*as<Hist>(stmt.exp));
    const std::vector<Name> rows =
        rows_of(e.width, e.inputs, std::move(e.fn), stmt.tokens, stmt.hints, out);
    size_t index = 0, value = 0, result = 0;
    for (const HistOp& op : e.ops) value += op.shape.size();
    for (HistOp& op : e.ops) {
      Hist one;
      one.width = e.width;
      std::vector<Param> pat;
      for (size_t k = 0; k < op.shape.size(); ++k) one.inputs.push_back(rows[index++]);
      for (size_t k = 0; k < op.dests.size(); ++k) {
        one.inputs.push_back(rows[value++]);
        pat.push_back(stmt.pat[result++]);
      }
      one.fn = identity(one.inputs);
      one.ops.push_back(std::move(op));
      hist_or_turn({std::move(pat), std::move(one), stmt.tokens, stmt.hints, stmt.loc}, out);
    }
  }

  void scatter(Stmt stmt, Emit& out) {
    Scatter e = std::move(*as<Scatter>(stmt.exp));
    const std::vector<Name> rows =
        rows_of(e.width, e.inputs, std::move(e.fn), stmt.tokens, stmt.hints, out);
    size_t index = 0, value = 0;
    for (const ScatterDest& dest : e.dests) value += dest.shape.size();
    for (size_t k = 0; k < e.dests.size(); ++k) {
      Scatter one;
      one.width = e.width;
      for (size_t d = 0; d < e.dests[k].shape.size(); ++d) one.inputs.push_back(rows[index++]);
      one.inputs.push_back(rows[value++]);
      one.fn = identity(one.inputs);
      one.dests.push_back(std::move(e.dests[k]));
      out.append({{stmt.pat[k]}, std::move(one), stmt.tokens, stmt.hints, stmt.loc});
    }
  }

  void partition(Stmt stmt, Emit& out) {
    auto& e = *as<Partition>(stmt.exp);
    e.inputs = rows_of(e.width, e.inputs, std::move(e.fn), stmt.tokens, stmt.hints, out);
    e.fn = identity(e.inputs);
    out.append(std::move(stmt));
  }

  Session& session_;
};

}  // namespace

void inline_calls(Session& session, Body& body) {
  CallInliner(session).visit(body);
}

void split_combinators(Session& session, Body& body) {
  Splitter(session).visit(body);
}

}  // namespace skald::passes::ad
