// SPDX-License-Identifier: Apache-2.0
#include "imp/analysis/same_blocks.h"

#include <algorithm>
#include <map>
#include <set>

#include "imp/ir/visit.h"

namespace skald::imp {

namespace {

// What may be the same at one place of a function.
class Related {
 public:
  void relate(Name a, Name b) {
    if (a == b) return;
    others_[a].insert(b);
    others_[b].insert(a);
  }
  void add_same(std::set<Name>& same, Name name) const {
    same.insert(name);
    if (const auto found = others_.find(name); found != others_.end())
      same.insert(found->second.begin(), found->second.end());
  }
  // From here on `name` is what `value` is.
  void assign(Name name, Name value) {
    if (name == value) return;
    std::set<Name> same;
    add_same(same, value);
    forget(name);
    for (const Name other : same) relate(name, other);
  }
  void forget(Name name) {
    const auto found = others_.find(name);
    if (found == others_.end()) return;
    for (const Name other : found->second) others_[other].erase(name);
    others_.erase(found);
  }
  // What holds on another way that leads here; true if that is news.
  bool join(const Related& other) {
    bool news = false;
    for (const auto& [name, same] : other.others_) {
      std::set<Name>& known = others_[name];
      const size_t before = known.size();
      known.insert(same.begin(), same.end());
      news = news || known.size() != before;
    }
    return news;
  }
  SameBlocks::Pairs pairs() const {
    SameBlocks::Pairs pairs;
    for (const auto& [name, same] : others_)
      for (auto other = same.upper_bound(name); other != same.end(); ++other)
        pairs.emplace_back(name, *other);
    return pairs;
  }

 private:
  std::map<Name, std::set<Name>> others_;
};

// Does a statement with bodies give names to blocks?  Most do not, and need no rounds.
class GivesNames {
 public:
  bool operator()(const Stmt& s) {
    if (as<Launch>(s) != nullptr) return false;
    bool gives = as<BlockVar>(s) != nullptr || as<BlockAssign>(s) != nullptr;
    if (const auto* n = as<Call>(s))
      gives = std::ranges::any_of(n->results, [](const Decl& d) { return d.type.is_block(); });
    for_each_body(s, [&](const Body& inner) { gives = in(inner) || gives; });
    return gives;
  }

 private:
  bool in(const Body& body) {
    if (const auto known = known_.find(&body); known != known_.end()) return known->second;
    bool gives = false;
    for (const Stmt& s : body.stmts) gives = (*this)(s) || gives;
    return known_[&body] = gives;
  }

  std::unordered_map<const Body*, bool> known_;
};

bool is_parallel(const Stmt& s) {
  return as<If>(s) == nullptr && as<For>(s) == nullptr && as<While>(s) == nullptr;
}

class Walk {
 public:
  explicit Walk(std::unordered_map<const Body*, SameBlocks::Pairs>& at) : at_(at) {}

  void body(const Body& body, Related& state) {
    for (const Stmt& s : body.stmts) stmt(s, state);
  }

 private:
  void stmt(const Stmt& s, Related& state) {
    if (const auto* n = as<BlockVar>(s)) {
      if (n->init) state.assign(n->name, n->init);
    } else if (const auto* n = as<BlockAssign>(s)) {
      state.assign(n->var, n->value);
    } else if (const auto* n = as<Free>(s)) {
      // Nobody uses it, or what else it is called, after this.
      state.forget(n->block);
    } else if (const auto* n = as<Call>(s)) {
      results(*n, state);
    } else if (const auto* n = as<Launch>(s)) {
      // Its threads give names to blocks of their own only.
      at_[&n->body] = state.pairs();
    } else if (!gives_names_(s)) {
      note(s, state);
    } else if (const auto* n = as<If>(s)) {
      Related other = state;
      body(n->then_body, state);
      leave(n->then_body, state);
      body(n->else_body, other);
      leave(n->else_body, other);
      state.join(other);
    } else if (!is_parallel(s)) {
      loop(s, state);
    } else {
      for_each_body(s, [&](const Body& inner) {
        at_[&inner] = state.pairs();
        loop(s, state);
      });
    }
  }

  // Whatever is parallel inside begins with what holds here.
  void note(const Stmt& s, const Related& state) {
    if (const auto* n = as<Launch>(s)) {
      at_[&n->body] = state.pairs();
      return;
    }
    for_each_body(s, [&](const Body& inner) {
      if (is_parallel(s)) at_[&inner] = state.pairs();
      for (const Stmt& t : inner.stmts) note(t, state);
    });
  }

  // Any number of rounds.  A name that is bound inside is another one in each round.
  void loop(const Stmt& s, Related& state) {
    for (bool news = true; news;) {
      Related after = state;
      for_each_body(s, [&](const Body& inner) { body(inner, after); });
      for_each_body(s, [&](const Body& inner) { leave(inner, after); });
      news = state.join(after);
    }
  }

  static void leave(const Body& body, Related& state) {
    for (const Stmt& s : body.stmts)
      for_each_binder(s, [&](Name name, const Type& type, BinderScope) {
        if (type.is_block()) state.forget(name);
      });
  }

  // A result may be any of the arguments (numbers among them do no harm), or share a block with
  // another result.
  static void results(const Call& call, Related& state) {
    std::set<Name> given;
    for (const Operand& arg : call.args)
      if (const Name* name = core::as_name(arg)) state.add_same(given, *name);
    for (const Decl& d : call.results) {
      if (!d.type.is_block()) continue;
      for (const Name other : given) state.relate(d.name, other);
      given.insert(d.name);
    }
  }

  std::unordered_map<const Body*, SameBlocks::Pairs>& at_;
  GivesNames gives_names_;
};

}  // namespace

SameBlocks::SameBlocks(const Function& fn) {
  Related state;
  Walk(at_).body(fn.body, state);
}

const SameBlocks::Pairs& SameBlocks::at(const Body& parallel_body) const {
  static const Pairs none;
  const auto found = at_.find(&parallel_body);
  return found == at_.end() ? none : found->second;
}

}  // namespace skald::imp
