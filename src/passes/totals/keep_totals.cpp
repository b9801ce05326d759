// SPDX-License-Identifier: Apache-2.0
// Totals that only kernels need stay on the device (rule 7 of fusion: REDUCE → ONCE → anything).
//
//   before   let {s_2 : f32} = kernel(flat(n_0), … reduce 1 …)              a launch, and a wait
//   for it
//            let {r_3 : f32} = sqrt_f32(s_2)                                scalar code on the host
//            let {ys_4 : [n_0]f32} = kernel(flat(n_0), \{i_5} -> … r_3 …)   a launch
//
//   after    let {s_2 : [1]f32} = kernel(grid(1, n_0), … reduce 1 …)        a launch
//            let {ys_4 : [n_0]f32} = kernel(flat(n_0), \{i_5} ->            a launch
//                let {s_6 : f32} = s_2[0]
//                let {r_7 : f32} = sqrt_f32(s_6) …
//
// The host need not wait for a device only to hand a number back to it.  Scalar code between a
// reduction and the kernels that need its result is repeated at every point if it is short;
// otherwise it becomes a kernel of one point, which runs once.
//
// Stage    KERNELS, and only for devices with groups of threads: a processor has its totals at
// hand. Needs    unique names; best after fuse-kernels, which joins reductions. Gives    no scalar
// result of a reduction goes to the host for kernels alone. Keeps    types of all but the totals;
// nothing that the host asks for (sizes, conditions, checks,
//          results, what loops carry) changes.
// Cost     linear in the size of the program times the number of its reductions in one block.
// Tests    tests/golden/passes/keep_totals/*.core, tests/golden/explain/totals*.fut,
//          tests/programs/fusion/totals.fut
//
// Known limits: scalars that loops carry from round to round, and neutral elements.
#include <algorithm>
#include <optional>

#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/sinks.h"
#include "core/ir/visit.h"
#include "passes/passes.h"

namespace skald::passes {

using namespace core;

namespace {

// Longer scalar code runs once.
constexpr size_t kRepeated = 6;

bool is_scalar_code(const Stmt& stmt) {
  return stmt.tokens.empty() && is_scalar_operator(stmt.exp) &&
         std::ranges::all_of(stmt.pat, [](const Param& p) { return p.type.is_scalar(); });
}

// A kernel over one dimension that gives scalars and can as well run over a grid of one row.
bool has_totals(const Stmt& stmt) {
  const Kernel* e = as<Kernel>(stmt.exp);
  if (e == nullptr || e->domain.kind != Domain::kFlat || e->guarded || !e->post.empty() ||
      holds_kernels(*e))
    return false;
  bool any = false;
  for (const Sink& sink : e->sinks) {
    if (sink.kind == Sink::kReduce) {
      for (const Param& p : sink.op[0].fn.params)
        if (!p.type.is_scalar()) return false;
      any = true;
    } else if (sink.kind != Sink::kOut && (sink.kind != Sink::kScatter || writes_rows(sink))) {
      return false;
    }
  }
  return any;
}

// What follows from the totals of one kernel, in one block.
struct Chain {
  std::unordered_set<Name> totals;
  // Scalar code that follows from them, by what it gives; copies, so that the blocks may change.
  std::unordered_map<Name, Stmt> code;
  size_t kernels = 0;    // that need something of it
  std::string why_host;  // who else does

  bool has(Name name) const { return totals.contains(name) || code.contains(name); }
  bool uses(const Operand& o) const {
    const Name* name = as_name(o);
    return name != nullptr && has(*name);
  }
};

class KeepTotals {
 public:
  KeepTotals(Program& prog, PassContext& ctx) : prog_(prog), ctx_(ctx) {}

  void body(Body& block) {
    for (size_t s = 0; s < block.stmts.size(); ++s) {
      if (as<Kernel>(block.stmts[s].exp) == nullptr) {
        for_each_body(block.stmts[s].exp, [&](Body& inner) { body(inner); });
      } else if (has_totals(block.stmts[s])) {
        s = keep(block, s);
      }
    }
  }

 private:
  // Gives the place of the last statement that takes the place of number `s`.
  size_t keep(Body& block, size_t s) {
    Chain chain;
    size_t result = 0;
    const Kernel& kernel = *as<Kernel>(block.stmts[s].exp);
    for (const Sink& sink : kernel.sinks) {
      const size_t count = sink.dests.empty() ? static_cast<size_t>(sink.count) : sink.dests.size();
      for (size_t k = 0; k < count; ++k, ++result)
        if (sink.kind == Sink::kReduce) {
          const Param& p = block.stmts[s].pat[result];
          chain.totals.insert(p.name);
          types_[p.name] = p.type;
        }
    }
    const std::string name = prog_.names.text(*std::ranges::min_element(chain.totals));
    follow(block, s + 1, chain);
    if (!chain.why_host.empty()) {
      ctx_.explain(fmt::format("the host gets {}: {}", name, chain.why_host));
      return s;
    }
    if (chain.kernels == 0 || !ctx_.may_rewrite("keep")) return s;
    ctx_.explain(fmt::format("stays on the device: {}", name));
    use(block, s + 1, chain);
    return lay_out(block, s);
  }

  // ---- who needs the totals

  void follow(const Body& block, size_t from, Chain& chain) {
    const auto host = [&](const char* why) {
      if (chain.why_host.empty()) chain.why_host = why;
    };
    for (size_t s = from; s < block.stmts.size() && chain.why_host.empty(); ++s) {
      const Stmt& stmt = block.stmts[s];
      for (const Param& p : stmt.pat)
        for (const Operand& dim : p.type.shape)
          if (chain.uses(dim)) host("it is a size");
      bool used = false;
      const auto look = [&](const Operand& o) { used = used || chain.uses(o); };
      if (const Kernel* kernel = as<Kernel>(stmt.exp)) {
        follow_kernel(*kernel, chain);
        continue;
      }
      for_each_operand(stmt.exp, look);
      if (used && is_scalar_code(stmt)) {
        for (const Param& p : stmt.pat) chain.code.emplace(p.name, copy_keeping_names(stmt));
      } else if (used) {
        host("host code between the kernels needs it");
      }
      for_each_body(stmt.exp, [&](const Body& inner) { follow(inner, 0, chain); });
    }
    for (const Operand& o : block.result)
      if (chain.uses(o)) host("it is a result, or a loop carries it on");
  }

  void follow_kernel(const Kernel& kernel, Chain& chain) {
    const auto any_of = [&](const std::unordered_set<Name>& names) {
      return std::ranges::any_of(names, [&](Name name) { return chain.has(name); });
    };
    const auto fixed = [&](const std::vector<Operand>& list) {
      return std::ranges::any_of(list, [&](const Operand& o) { return chain.uses(o); });
    };
    bool host = fixed(kernel.domain.dims);
    for (const Sink& sink : kernel.sinks) {
      host = host || fixed(sink.shape);
      for (const Operator& op : sink.op)
        host = host || fixed(op.neutral) || any_of(free_names(op.fn));
    }
    for (const Lambda& post : kernel.post) host = host || any_of(free_names(post));
    for (const Ret& r : kernel.pull.results) host = host || fixed(r.type.shape);
    if (host) chain.why_host = "a kernel needs it for more than its points";
    chain.kernels += any_of(free_names(kernel.pull.body)) ? 1 : 0;
  }

  static Stmt copy_keeping_names(const Stmt& stmt) {
    Stmt copy{{}, Value{const_i64(0)}, {}, stmt.hints, stmt.loc};
    copy.pat = stmt.pat;
    visit(stmt.exp, [&](const auto& node) {
      using Node = std::remove_cvref_t<decltype(node)>;
      if constexpr (std::is_copy_constructible_v<Node>) copy.exp = Node(node);
    });
    return copy;
  }

  // ---- they get them

  void use(Body& block, size_t from, const Chain& chain) {
    for (size_t s = from; s < block.stmts.size(); ++s) {
      if (Kernel* kernel = as<Kernel>(block.stmts[s].exp)) {
        std::vector<Stmt> once;
        read_in(*kernel, chain, once);
        const size_t more = once.size();
        block.stmts.insert(block.stmts.begin() + static_cast<ptrdiff_t>(s),
                           std::make_move_iterator(once.begin()),
                           std::make_move_iterator(once.end()));
        s += more;
      } else {
        for_each_body(block.stmts[s].exp, [&](Body& inner) { use(inner, 0, chain); });
      }
    }
    // The host has none of this any more.
    std::erase_if(block.stmts, [&](const Stmt& stmt) {
      return !stmt.pat.empty() && chain.code.contains(stmt.pat[0].name);
    });
  }

  // Code for `name` and all it follows from, at the end of `out`.
  Operand make(Name name, const Chain& chain, Substitution& made, std::vector<Stmt>& out) {
    const auto known = made.find(name);
    if (known != made.end()) return known->second;
    if (chain.totals.contains(name)) return made[name] = read(name, types_.at(name), out);
    const Stmt& code = chain.code.at(name);
    Stmt copy = copy_keeping_names(code);
    std::vector<Name> needed;
    for_each_operand(copy.exp, [&](const Operand& o) {
      if (chain.uses(o)) needed.push_back(*as_name(o));
    });
    for (const Name need : needed) make(need, chain, made, out);
    substitute(copy.exp, made);
    for (Param& p : copy.pat) {
      const Name fresh = prog_.names.fresh_like(p.name);
      made[p.name] = fresh;
      p.name = fresh;
    }
    out.push_back(std::move(copy));
    return made.at(name);
  }

  Name read(Name array, const Type& type, std::vector<Stmt>& out) {
    const Name value = prog_.names.fresh_like(array);
    Stmt stmt{{}, Index{array, {DimSlice{}}}, {}, {}, {}};
    stmt.pat.push_back({value, type});
    out.push_back(std::move(stmt));
    return value;
  }

  void read_in(Kernel& kernel, const Chain& chain, std::vector<Stmt>& once) {
    std::vector<Name> needed;
    for (const Name name : free_names(kernel.pull.body))
      if (chain.has(name)) needed.push_back(name);
    if (needed.empty()) return;
    std::ranges::sort(needed);
    Substitution made;
    std::vector<Stmt> code;
    for (const Name name : needed) make(name, chain, made, code);
    const auto is_read = [](const Stmt& stmt) { return as<Index>(stmt.exp) != nullptr; };
    if (code.size() - static_cast<size_t>(std::ranges::count_if(code, is_read)) > kRepeated) {
      once.push_back(once_for(needed, chain, std::move(code), made));
      const Stmt& stmt = once.back();
      code.clear();
      for (size_t k = 0; k < needed.size(); ++k)
        made[needed[k]] = read(stmt.pat[k].name, row_type(stmt.pat[k].type), code);
    }
    substitute(kernel.pull.body, made);
    kernel.pull.body.stmts.insert(kernel.pull.body.stmts.begin(),
                                  std::make_move_iterator(code.begin()),
                                  std::make_move_iterator(code.end()));
  }

  // A kernel of one point that gives `needed`.
  Stmt once_for(const std::vector<Name>& needed, const Chain& chain, std::vector<Stmt> code,
                const Substitution& made) {
    Kernel kernel;
    kernel.domain.dims = {const_i64(1)};
    kernel.pull.params = {{prog_.names.fresh("i"), scalar_type(Prim::kI64)}};
    kernel.pull.body.stmts = std::move(code);
    Stmt stmt{{}, Value{const_i64(0)}, {}, {}, {}};
    for (const Name name : needed) {
      Type type = scalar_type(Prim::kI64);
      if (chain.totals.contains(name)) {
        type = types_.at(name);
      } else {
        for (const Param& p : chain.code.at(name).pat)
          if (p.name == name) type = p.type;
      }
      kernel.pull.results.push_back({{}, type});
      kernel.pull.body.result.push_back(made.at(name));
      kernel.sinks.push_back({Sink::kOut, 1});
      stmt.pat.push_back({prog_.names.fresh_like(name), array_of(const_i64(1), type)});
    }
    stmt.exp = std::move(kernel);
    return stmt;
  }

  // ---- the reduction itself

  size_t lay_out(Body& block, size_t s) {
    Stmt& stmt = block.stmts[s];
    Kernel& kernel = *as<Kernel>(stmt.exp);
    const Operand one = const_i64(1);
    kernel.domain = {Domain::kGrid, {one, kernel.domain.dims[0]}};
    kernel.pull.params.insert(kernel.pull.params.begin(),
                              {prog_.names.fresh("row"), scalar_type(Prim::kI64)});
    std::vector<Stmt> views;
    size_t result = 0;
    for (const Sink& sink : kernel.sinks) {
      const size_t count = sink.dests.empty() ? static_cast<size_t>(sink.count) : sink.dests.size();
      for (size_t k = 0; k < count; ++k, ++result) {
        Param& p = stmt.pat[result];
        if (!sink.dests.empty()) continue;
        if (sink.kind == Sink::kReduce) {
          p.type = array_of(one, p.type);
          continue;
        }
        const Name row = prog_.names.fresh_like(p.name);
        Stmt view{{}, Reshape{row, p.type.shape}, {}, {}, stmt.loc};
        view.pat.push_back(p);
        p = {row, array_of(one, p.type)};
        views.push_back(std::move(view));
      }
    }
    const size_t more = views.size();
    block.stmts.insert(block.stmts.begin() + static_cast<ptrdiff_t>(s) + 1,
                       std::make_move_iterator(views.begin()),
                       std::make_move_iterator(views.end()));
    return s + more;
  }

  Program& prog_;
  PassContext& ctx_;
  std::unordered_map<Name, Type> types_;  // of totals
};

}  // namespace

Program keep_totals(Program prog, PassContext& ctx) {
  if (!ctx.device().groups) return prog;
  for (Function& fn : prog.functions) KeepTotals(prog, ctx).body(fn.body);
  return prog;
}

}  // namespace skald::passes
