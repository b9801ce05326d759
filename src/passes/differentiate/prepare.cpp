// SPDX-License-Identifier: Apache-2.0
#include "passes/differentiate/prepare.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

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
      const Function* fn = call == nullptr ? nullptr : session_.prog.find(call->fn);
      if (fn == nullptr || fn->hints.once || calls_itself(*fn))
        body.stmts.push_back(std::move(stmt));
      else
        splice(body, stmt, *fn);
    }
  }

 private:
  void splice(Body& body, Stmt& stmt, const Function& fn) {
    Function copy = copy_with_fresh_names(fn, session_.prog.names);
    session_.learn(copy.params);
    session_.learn(copy.body);
    visit(copy.body);
    Emit out(session_, stmt.loc);
    const auto args = as<Call>(stmt.exp)->args;
    for (size_t k = 0; k < args.size(); ++k) {
      std::vector<Param> pat = {{.name = copy.params[k].name, .type = copy.params[k].type}};
      const Operand arg = out.coerce(args[k], copy.params[k].type);
      out.let_pat(std::move(pat), Value{arg}, stmt.tokens);
    }
    for (Stmt& inner : copy.body.stmts) out.append(std::move(inner));
    for (size_t k = 0; k < stmt.pat.size(); ++k)
      out.bind(stmt.pat[k].name, stmt.pat[k].type, copy.body.result[k]);
    Body made = out.b().finish({});
    std::ranges::move(made.stmts, std::back_inserter(body.stmts));
  }

  bool calls_itself(const Function& fn) {
    const auto known = recursive_.find(fn.name);
    if (known != recursive_.end()) return known->second;
    std::unordered_set<std::string> reached;
    std::vector<const Function*> work = {&fn};
    while (!work.empty()) {
      const Function* next = work.back();
      work.pop_back();
      std::vector<std::string> calls;
      collect(next->body, calls);
      for (const std::string& name : calls)
        if (reached.insert(name).second)
          if (const Function* callee = session_.prog.find(name)) work.push_back(callee);
    }
    return recursive_[fn.name] = reached.contains(fn.name);
  }

  static void collect(const Body& body, std::vector<std::string>& calls) {
    for (const Stmt& stmt : body.stmts) {
      if (const auto* call = as<Call>(stmt.exp)) calls.push_back(call->fn);
      for_each_body(stmt.exp, [&](const Body& inner) { collect(inner, calls); });
    }
  }

  Session& session_;
  std::unordered_map<std::string, bool> recursive_;
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

  // The arrays of what the function gives for each row.
  std::vector<Name> rows_of(const Operand& width, std::vector<Name> inputs, Lambda fn,
                            std::vector<Name> tokens, const Hints& hints, Emit& out) {
    std::vector<Name> arrays;
    if (fn.body.stmts.empty()) {
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
    for (const Ret& ret : fn.results) {
      const Type type = ret.type.kind == Type::kAcc ? ret.type : array_of(width, ret.type);
      pat.push_back({.name = out.fresh("values"), .type = type});
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
    const std::vector<Name> values =
        rows_of(e.width, e.inputs, std::move(e.fn), stmt.tokens, stmt.hints, out);
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
      out.append({std::move(pat), std::move(one), stmt.tokens, stmt.hints, stmt.loc});
    };
    for (Operator& op : e.scans) fold(std::move(op), true);
    for (Operator& op : e.reduces) fold(std::move(op), false);
    outputs.insert(outputs.end(), values.begin() + static_cast<ptrdiff_t>(at), values.end());
    for (Lambda& post : e.post)
      outputs = rows_of(e.width, outputs, std::move(post), stmt.tokens, stmt.hints, out);
    for (const Name output : outputs) {
      const Param& p = stmt.pat[result++];
      out.append({.pat = {p}, .exp = Value{output}, .loc = stmt.loc});
    }
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
      out.append({std::move(pat), std::move(one), stmt.tokens, stmt.hints, stmt.loc});
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
