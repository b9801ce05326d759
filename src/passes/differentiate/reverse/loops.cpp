// SPDX-License-Identifier: Apache-2.0
// Loops in reverse mode.
//
//   y = loop x = a for i < n do f(x)
//
//   y, xs = loop x = a, xs = scratch for i < n do f(x), xs with [i] = x      the tape xs
//   ā = loop x̄ = ȳ for k < n do
//         let i = n-1-k ;  let x = xs[i]
//         run f(x) again, then its rules, from x̄ of the round after to x̄ of this one
//
// Only parameters that the rules read are stored; of arrays that a round updates in place, only
// what it reads of them (kept_reads.h).  The cotangents of names from outside are carried along.  A
// `while` loop counts its rounds when it runs; then it is run again as a `for` loop with tapes,
// because nobody knows how long they are before.
#include <algorithm>
#include <ranges>
#include <span>

#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/differentiate/base/kept_reads.h"
#include "passes/differentiate/reverse/keep_alive.h"
#include "passes/differentiate/reverse/reverse.h"

namespace skald::passes::ad {

namespace {

// Sizes that change from round to round.
bool is_irregular(const Loop& e) {
  return std::ranges::any_of(e.params, [&](const LoopParam& p) {
    return std::ranges::any_of(p.param.type.shape, [&](const Operand& dim) {
      return std::ranges::any_of(e.params,
                                 [&](const LoopParam& q) { return dim == Operand(q.param.name); });
    });
  });
}

// What has an influence on the results k of the loop with wanted[k], after any number of rounds;
// `wanted` grows by what these need of the round before.  Other results get no cotangents, not even
// zeros: zero times the derivative of a root at zero is no number.
NameSet needed_names(const Loop& e, std::vector<bool>& wanted) {
  NameSet needed;
  for (bool more = true; more;) {
    more = false;
    for (size_t k = 0; k < wanted.size(); ++k)
      if (const Name* result = as_name(e.body.result[k]); wanted[k] && result != nullptr)
        needed.insert(*result);
    for (auto stmt = e.body.stmts.rbegin(); stmt != e.body.stmts.rend(); ++stmt)
      if (std::ranges::any_of(stmt->pat, [&](const Param& p) { return needed.contains(p.name); }))
        needed.merge(free_names(*stmt));
    for (size_t k = 0; k < wanted.size(); ++k) {
      if (wanted[k] || !needed.contains(e.params[k].param.name)) continue;
      wanted[k] = true;
      more = true;
    }
  }
  return needed;
}

// Stores values of each round, parameters or what its statements give: tape k gets `stored[k]`.
void add_tapes(Loop& loop, std::vector<Param>& pat, const std::vector<KeptValue>& stored,
               const std::vector<Name>& blank, Emit& out) {
  Session& session = out.session();
  Emit in(session, out.loc());
  const Operand at = in.convert(loop.var.type.elem, Prim::kI64, loop.var.name);
  std::vector<Operand> results = loop.body.result;
  const auto store = [&](size_t k) {
    const Type type = session.type_of(stored[k].tape);
    const Name name = out.fresh("tape");
    session.types.insert_or_assign(name, type);
    loop.params.push_back(
        {.param = {.name = name, .type = type, .unique = true}, .init = blank[k]});
    results.emplace_back(in.let1(type, Update{name, {at_index(at)}, stored[k].value}, "tape"));
    pat.push_back({.name = stored[k].tape, .type = type});
  };
  const auto store_all = [&](const auto& made) {
    for (size_t k = 0; k < stored.size(); ++k)
      if (std::ranges::any_of(made, [&](Name name) { return name == stored[k].value; })) store(k);
  };
  std::vector<Name> params;
  for (const LoopParam& p : loop.params) params.push_back(p.param.name);
  store_all(params);
  for (Stmt& s : loop.body.stmts) {
    std::vector<Name> made;
    for (const Param& p : s.pat) made.push_back(p.name);
    in.append(std::move(s));
    store_all(made);
  }
  loop.body = in.b().finish(std::move(results));
}

// Makes the loop that ran forward store what has a tape that is used: the loop at `at`, in which
// `copied` says what names are called, or, if it counted its rounds, another one.  `again` is a
// copy of it.
void store_tapes(size_t at, const Substitution& copied, Stmt again,
                 const Substitution& copied_again, const Operand& rounds, const Tapes& tapes,
                 const NameSet& used, Emit& out) {
  Session& session = out.session();
  const bool counted = as<Loop>(again.exp)->form != Loop::kFor;
  if (counted) {
    session.learn(again);
    for (Param& p : again.pat) p.name = out.fresh("again");
    strip_accumulators(session, again);
    keep_alive(again, out);
  }
  const Loop& source = counted ? *as<Loop>(again.exp) : *as<Loop>(out.b().stmts()[at].exp);
  std::vector<KeptValue> stored;
  std::vector<Name> blank;
  std::vector<Stmt> blanks;
  const auto add = [&](Name value, Name tape) {
    const Type type = session.type_of(tape);
    stored.push_back({value, tape});
    blank.push_back(out.fresh("blank"));
    session.types.insert_or_assign(blank.back(), type);
    blanks.push_back({.pat = {{.name = blank.back(), .type = type}},
                      .exp = Scratch{type.elem, type.shape},
                      .loc = out.loc()});
  };
  size_t accs = 0;  // are taken out of the loop
  for (size_t p = 0; p < tapes.of_params.size(); ++p) {
    const Name tape = tapes.of_params[p];
    if (!tape) ++accs;
    if (tape && used.contains(tape)) add(source.params[p - accs].param.name, tape);
  }
  for (const auto& [value, tape] : tapes.of_values)
    if (used.contains(tape)) add(std::get<Name>((counted ? copied_again : copied).at(value)), tape);
  if (stored.empty()) return;
  if (!counted) {
    Stmt& primal = out.b().stmts()[at];
    add_tapes(*as<Loop>(primal.exp), primal.pat, stored, blank, out);
    out.b().insert(at, std::move(blanks));
    return;
  }
  Loop& copy = *as<Loop>(again.exp);
  copy.form = Loop::kFor;
  copy.cond = {};
  copy.var = {.name = out.fresh("i"), .type = scalar_type(Prim::kI64)};
  session.types.insert_or_assign(copy.var.name, copy.var.type);
  copy.bound = rounds;
  for (Stmt& s : blanks) out.append(std::move(s));
  add_tapes(copy, again.pat, stored, blank, out);
  out.append(std::move(again));
}

// What rounds read of arrays that they update, with tapes for it.
std::vector<Param> keep_reads(const Loop& e, Session& session, const Operand& rounds,
                              NameMap<Name>& tapes) {
  std::vector<Param> reads = kept_reads(e);
  for (const Param& read : reads) {
    const Name tape = session.prog.names.fresh("tape");
    session.types.insert_or_assign(tape, array_of(rounds, read.type));
    tapes.insert_or_assign(read.name, tape);
  }
  return reads;
}

// The number of the round and the parameters, as they were in the round `at`.
void bind_start(const Loop& e, const std::vector<LoopParam>& params, const std::vector<Name>& tapes,
                const Operand& at, Emit& in) {
  if (e.form == Loop::kFor)
    in.bind(e.var.name, e.var.type, in.convert(Prim::kI64, e.var.type.elem, at));
  for (size_t p = 0; p < params.size(); ++p)
    if (tapes[p]) in.bind(params[p].param.name, params[p].param.type, in.row(tapes[p], at));
}

// The products of the loop, with tapes for what they give and need.
std::vector<KeptProduct> keep_products(const Loop& e, Session& session, const Operand& rounds,
                                       const std::function<bool(Name)>& is_active,
                                       NameMap<Name>& tapes) {
  // What they store is not counted by the limit.
  if (session.tape_memory > 0) return {};
  std::vector<KeptProduct> products = find_products(e, session, is_active);
  const auto tape_of = [&](Name value) {
    if (const auto known = tapes.find(value); known != tapes.end()) return known->second;
    const Name tape = session.prog.names.fresh("tape");
    session.types.insert_or_assign(tape, array_of(rounds, session.type_of(value)));
    tapes.insert_or_assign(value, tape);
    return tape;
  };
  for (KeptProduct& product : products) {
    product.tape = tape_of(product.value);
    if (!product.is_summed_later) continue;
    for (const RoundInput& input : product.inputs)
      if (input.kind == RoundInput::Kind::kValue) tape_of(input.name);
  }
  return products;
}

// `bars`: what the loop carries, from number `first` on for products.
void begin_round(std::vector<KeptProduct>& products, const Operand& round,
                 const std::vector<Name>& bars, size_t first) {
  for (KeptProduct& product : products) {
    product.round = round;
    if (product.is_summed_later) product.bars = bars[first++];
  }
}

// What the body needs of the code around the loop.
NameSet names_from_outside(const Loop& e) {
  NameSet outside = free_names(e.body);
  for (const LoopParam& p : e.params) outside.erase(p.param.name);
  outside.erase(e.var.name);
  return outside;
}

// Accumulators are the same in every round.
void spread_sources(const Loop& e, const std::vector<Param>& pat,
                    NameMap<std::vector<Operand>>& sources) {
  for (size_t k = 0; k < pat.size(); ++k) {
    const auto source = sources.find(pat[k].name);
    if (source == sources.end()) continue;
    const std::vector<Operand> arrays = source->second;
    for (const Operand& o : {e.body.result[k], Operand(e.params[k].param.name), e.params[k].init})
      sources.insert_or_assign(std::get<Name>(o), arrays);
  }
}

}  // namespace

void Reverse::product_after_loop(KeptProduct& product, const Operand& rounds, const Tapes& tapes,
                                 Name bars, Emit& out) {
  out.set_loc(product.copy.back().loc);
  const auto all_of = [&](const RoundInput& input) {
    if (input.kind == RoundInput::Kind::kRow) return input.array;
    return input.kind == RoundInput::Kind::kParam ? tapes.of_params[input.param]
                                                  : tapes.of_values.at(input.name);
  };
  WholeProduct whole = whole_product(product, rounds, all_of, out);
  activity_.spread(whole.body);
  const Operand seed = out.coerce(bars, whole.type);
  run(whole.body, [&](Emit&) { return Seeds{seed}; }, out);
}

std::vector<Name> Reverse::free_of_wanted(const Loop& e, const std::vector<Param>& pat,
                                          std::vector<bool>& wanted) const {
  for (const Param& p : pat)
    wanted.push_back(find(p.name).has_value() || p.type.kind == Type::kAcc);
  const NameSet needed = needed_names(e, wanted);
  std::vector<Name> free = active_free(names_from_outside(e));
  std::erase_if(free, [&](Name name) { return !needed.contains(name); });
  return free;
}

void Reverse::loop(Step& step, Loop& e, Emit& out) {
  const std::vector<Param> pat = step.stmt.pat;
  if (is_irregular(e)) {
    session_.report(step.stmt.loc, "reverse mode for a loop whose arrays change their sizes");
    return;
  }
  spread_sources(e, pat, acc_sources_);
  std::vector<bool> wanted;
  const std::vector<Name> free = free_of_wanted(e, pat, wanted);

  std::vector<size_t> carried;  // parameters with cotangents
  std::vector<Carry> carries;
  Tapes all;
  std::vector<Name>& tapes = all.of_params;
  for (size_t k = 0; k < e.params.size(); ++k) {
    const Param& p = e.params[k].param;
    tapes.push_back(p.type.kind == Type::kAcc ? Name{} : out.fresh("tape"));
    if (tapes.back()) session_.types.insert_or_assign(tapes.back(), array_of(step.rounds, p.type));
    if (!wanted[k] || !active(p.name) || p.type.kind == Type::kAcc) continue;
    carried.push_back(k);
    const Operand bar = out.coerce(seed(pat[k].name, out), p.type);
    const bool owned = !find(pat[k].name) || owns(pat[k].name);
    carries.push_back({p.type, p.type.is_array() ? Operand(own_copy(bar, owned, out)) : bar});
  }
  const std::vector<LoopParam> params = e.params;
  // What the forward loop is made of, if it must run once more.
  Substitution copied_again;
  Stmt again = copy_with_fresh_names(step.stmt, session_.prog.names, copied_again);
  again.pat = pat;

  const auto is_active = [&](Name name) { return active(name); };
  std::vector<KeptProduct> products =
      keep_products(e, session_, step.rounds, is_active, all.of_values);
  for (KeptProduct& product : products) {
    products_.insert_or_assign(product.value, &product);
    if (!product.is_summed_later) continue;
    const Type type = session_.type_of(product.tape);
    carries.push_back({type, out.let1(type, Scratch{type.elem, type.shape}, "blank")});
  }

  const std::vector<Param> reads = keep_reads(e, session_, step.rounds, all.of_values);

  Emit later(session_, out.loc());
  const Round round = [&](Emit& in, const Operand& k, const std::vector<Name>& bars) {
    const Operand last = in.bin(BinOpKind::kSub, Prim::kI64, step.rounds, const_i64(1));
    const Operand at = in.bin(BinOpKind::kSub, Prim::kI64, last, k);
    bind_start(e, params, tapes, at, in);
    for (const Param& read : reads)
      kept_.insert_or_assign(read.name, std::get<Name>(in.row(all.of_values.at(read.name), at)));
    Seeds seeds(params.size());
    for (size_t j = 0; j < carried.size(); ++j) seeds[carried[j]] = bars[j];
    begin_round(products, at, bars, carried.size());
    run(e.body, [&](Emit&) { return seeds; }, in, Own::kYes);
    for (const Param& read : reads) kept_.erase(read.name);
    std::vector<Operand> results;
    for (const size_t p : carried) {
      const Name name = params[p].param.name;
      results.push_back(params[p].param.type.is_array() ? Operand(own_array(name, in))
                                                        : seed(name, in));
    }
    for (const KeptProduct& product : products)
      if (product.is_summed_later) results.emplace_back(product.bars);
    return results;
  };
  const std::vector<Name> bars = loop_with(step.rounds, free, carries, round, later);
  size_t next = carried.size();
  for (KeptProduct& product : products) {
    products_.erase(product.value);
    if (!product.is_summed_later) continue;
    const Name all_bars = bars[next++];
    if (product.is_stored) product_after_loop(product, step.rounds, all, all_bars, later);
  }
  Body backward = later.b().finish({});
  const NameSet used = free_names(backward);

  store_tapes(step.at, step.copied, std::move(again), copied_again, step.rounds, all, used, out);
  for (Stmt& s : backward.stmts) out.append(std::move(s));
  for (size_t j = 0; j < carried.size(); ++j) add(params[carried[j]].init, bars[j], out, Own::kYes);
}

}  // namespace skald::passes::ad
