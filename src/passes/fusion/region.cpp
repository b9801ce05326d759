// SPDX-License-Identifier: Apache-2.0
// Nodes, dependences and pairs of one block.
#include "passes/fusion/region.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/edit/free_names.h"
#include "core/ir/visit.h"
#include "passes/fusion/shape.h"

namespace skald::passes::fusion {

using namespace core;

namespace {

// A pair is worth at least this, so that operations on arrays that cost nothing to read are still
// merged.
constexpr double kLaunch = 1;
// Blocks with more nodes do without the n² table of impossible pairs.
constexpr size_t kMaxReachability = 2000;
constexpr const char* kBetween =
    "something between them needs the first and is needed by the second";
// Of many readers of one array only near ones become pairs.
constexpr size_t kAllSiblings = 6;

void add_free(const Lambda& fn, std::vector<Name>& out) {
  const auto names = free_names(fn);
  out.insert(out.end(), names.begin(), names.end());
}
void add_free(const Operator& op, std::vector<Name>& out) {
  add_free(op.fn, out);
  for (const Operand& ne : op.neutral)
    if (const Name* name = as_name(ne)) out.push_back(*name);
}
void add_operands(const std::vector<Operand>& operands, std::vector<Name>& out) {
  for (const Operand& o : operands)
    if (const Name* name = as_name(o)) out.push_back(*name);
}

// What a SOAC reads other than by its inputs and width.
std::vector<Name> other_uses(const Exp& exp) {
  std::vector<Name> out;
  if (const Soac* e = as<Soac>(exp)) {
    for (size_t k = 0; k < e->inputs.size(); ++k)
      if (e->fn.params[k].type.kind == Type::kAcc) out.push_back(e->inputs[k]);
    add_free(e->fn, out);
    for (const Operator& op : e->scans) add_free(op, out);
    for (const Operator& op : e->reduces) add_free(op, out);
    for (const Lambda& post : e->post) add_free(post, out);
  } else if (const Hist* e = as<Hist>(exp)) {
    add_free(e->fn, out);
    for (const HistOp& op : e->ops) {
      add_free(op.op, out);
      add_operands(op.shape, out);
      out.insert(out.end(), op.dests.begin(), op.dests.end());
    }
  } else if (const Scatter* e = as<Scatter>(exp)) {
    add_free(e->fn, out);
    for (const ScatterDest& dest : e->dests) {
      add_operands(dest.shape, out);
      out.push_back(dest.dest);
    }
  } else if (const Partition* e = as<Partition>(exp)) {
    add_free(e->fn, out);
  } else if (const FlatMap* e = as<FlatMap>(exp)) {
    add_free(e->fn, out);
  } else if (const WithAcc* e = as<WithAcc>(exp)) {
    // Of the map inside.
    add_free(as<Soac>(e->fn.body.stmts[0].exp)->fn, out);
    for (const AccInput& input : e->inputs) {
      for (const Operator& op : input.op) add_free(op, out);
      add_operands(input.shape, out);
      out.insert(out.end(), input.arrays.begin(), input.arrays.end());
    }
  } else if (const Kernel* e = as<Kernel>(exp)) {
    add_free(e->pull, out);
    for (const Lambda& post : e->post) add_free(post, out);
    for (const Sink& sink : e->sinks) {
      for (const Operator& op : sink.op) add_free(op, out);
      add_operands(sink.shape, out);
      out.insert(out.end(), sink.dests.begin(), sink.dests.end());
    }
    // The size of a flat domain is the node's width.
    if (e->domain.kind != Domain::kFlat) add_operands(e->domain.dims, out);
    out.insert(out.end(), e->domain.offsets.begin(), e->domain.offsets.end());
  }
  return out;
}

}  // namespace

Region::Region(const Body& body, const Program& prog, analysis::Aliases& aliases,
               const Device& device)
    : body_(body), prog_(prog), device_(device) {
  find_nodes();
  if (nodes_.size() < 2) return;
  find_dependences(aliases);
  relate_nodes();
  add_pairs();
  problem_.legal = [this](const Cluster& cluster) { return !why_not(cluster).has_value(); };
}

void Region::find_nodes() {
  node_of_.assign(body_.stmts.size(), -1);
  for (size_t s = 0; s < body_.stmts.size(); ++s) {
    const Stmt& stmt = body_.stmts[s];
    std::optional<NodeInfo> info = describe(stmt);
    if (!info) continue;
    info->stmt = s;
    info->readers.resize(stmt.pat.size());
    info->used_otherwise.resize(stmt.pat.size(), false);
    node_of_[s] = static_cast<int>(nodes_.size());
    other_uses_.push_back(other_uses(stmt.exp));
    if (info->kernel != nullptr)
      std::erase_if(other_uses_.back(), [&](Name name) {
        return std::ranges::find(info->inputs, name) != info->inputs.end();
      });
    nodes_.push_back(std::move(*info));
  }
  problem_.nodes = static_cast<int>(nodes_.size());
  // Most blocks have nothing to merge.
  if (nodes_.size() < 2) return;
  for (size_t s = 0; s < body_.stmts.size(); ++s)
    for (size_t k = 0; k < body_.stmts[s].pat.size(); ++k)
      defs_[body_.stmts[s].pat[k].name] = {s, k};
}

void Region::find_dependences(analysis::Aliases& aliases) {
  const size_t n = body_.stmts.size();
  deps_.resize(n);
  order_deps_.resize(n);
  // By root: who has read it.
  NameMap<std::vector<size_t>> readers;
  for (size_t s = 0; s < n; ++s) {
    const Stmt& stmt = body_.stmts[s];
    const NameSet free = free_names(stmt);
    std::set<size_t> deps;
    for (const Name name : free) {
      const auto def = defs_.find(name);
      if (def != defs_.end() && def->second.first != s) deps.insert(def->second.first);
    }
    const std::unordered_set<Name> consumed = aliases.consumed(stmt);
    std::set<size_t> order;
    for (const Name root : consumed)
      for (const size_t reader : readers[root])
        if (reader != s) order.insert(reader);
    for (const Name name : free)
      for (const Name root : aliases.roots(name)) readers[root].push_back(s);
    if (const int node = node_of_[s]; node >= 0) {
      NodeInfo& info = nodes_[static_cast<size_t>(node)];
      for (const Name input : info.inputs)
        for (const Name root : aliases.roots(input))
          info.consumes = info.consumes || consumed.contains(root);
    }
    order_deps_[s].assign(order.begin(), order.end());
    deps.insert(order.begin(), order.end());
    deps_[s].assign(deps.begin(), deps.end());
  }
}

void Region::relate_nodes() {
  // Where the nodes' results go.
  NameMap<bool> known_result;
  const auto mark_other = [&](Name name) {
    const auto def = defs_.find(name);
    if (def == defs_.end()) return;
    const int node = node_of_[def->second.first];
    if (node >= 0) nodes_[static_cast<size_t>(node)].used_otherwise[def->second.second] = true;
  };
  for (size_t s = 0; s < body_.stmts.size(); ++s) {
    if (node_of_[s] >= 0) continue;
    for (const Name name : free_names(body_.stmts[s])) mark_other(name);
  }
  for (const Operand& o : body_.result)
    if (const Name* name = as_name(o)) mark_other(*name);

  for (Node j = 0; j < problem_.nodes; ++j) {
    NodeInfo& info = nodes_[static_cast<size_t>(j)];
    for (const Name name : other_uses_[static_cast<size_t>(j)]) mark_other(name);
    for (const Name token : body_.stmts[info.stmt].tokens) mark_other(token);
    const auto source_of = [&](Name name) -> ResultOf {
      const auto def = defs_.find(name);
      if (def == defs_.end()) return {};
      const int node = node_of_[def->second.first];
      return node < 0 ? ResultOf{} : ResultOf{node, def->second.second};
    };
    for (const Name input : info.inputs) {
      const ResultOf source = source_of(input);
      info.sources.push_back(source);
      if (source.node >= 0)
        nodes_[static_cast<size_t>(source.node)].readers[source.result].push_back(j);
    }
    if (const Name* width = as_name(info.width)) {
      const ResultOf source = source_of(*width);
      if (source.node >= 0) {
        NodeInfo& producer = nodes_[static_cast<size_t>(source.node)];
        const bool is_size = producer.kernel != nullptr
                                 ? producer.roles[source.result].kind == ResultRole::kSize
                                 : producer.kind == NodeKind::kPartition &&
                                       source.result < static_cast<size_t>(producer.classes);
        if (is_size) {
          info.size_of = source;
          producer.readers[source.result].push_back(j);
        } else {
          producer.used_otherwise[source.result] = true;
        }
      }
    }
  }
}

void Region::add_pairs() {
  const auto n = static_cast<size_t>(problem_.nodes);
  std::set<std::pair<Node, Node>> strict;
  std::map<std::pair<Node, Node>, std::string> reasons;
  std::map<std::pair<Node, Node>, double> vertical;
  // By statement that is no node: the nodes it depends on, through other such statements.
  std::vector<std::vector<Node>> behind(body_.stmts.size());
  for (size_t s = 0; s < body_.stmts.size(); ++s) {
    const int j = node_of_[s];
    std::set<Node> sources;
    for (const size_t d : deps_[s]) {
      if (node_of_[d] >= 0 && j < 0) sources.insert(node_of_[d]);
      if (node_of_[d] < 0) sources.insert(behind[d].begin(), behind[d].end());
    }
    if (j < 0) {
      behind[s].assign(sources.begin(), sources.end());
      continue;
    }
    const auto must_wait = [&](Node i, std::string why) {
      if (strict.emplace(i, j).second) reasons.emplace(std::pair(i, j), std::move(why));
    };
    for (const size_t d : order_deps_[s])
      if (node_of_[d] >= 0) must_wait(node_of_[d], "the second consumes what the first reads");
    for (const Node i : sources) must_wait(i, kBetween);
    // Direct reads of nodes.
    const std::vector<Name>& others = other_uses_[static_cast<size_t>(j)];
    for (const Name name : others) {
      const auto def = defs_.find(name);
      if (def == defs_.end() || node_of_[def->second.first] < 0) continue;
      must_wait(node_of_[def->second.first],
                fmt::format("{} is needed as a whole, not row by row", prog_.names.text(name)));
    }
    const NodeInfo& info = nodes_[static_cast<size_t>(j)];
    for (const ResultOf& source : info.sources) {
      if (source.node < 0) continue;
      if (source.result < nodes_[static_cast<size_t>(source.node)].updated)
        must_wait(source.node, "the producer's result is complete only when all of it has run");
      const Stmt& producer = body_.stmts[nodes_[static_cast<size_t>(source.node)].stmt];
      vertical[{source.node, j}] += bytes(producer.pat[source.result].type);
    }
    if (info.size_of.node >= 0) vertical[{info.size_of.node, j}] += 0;
    // Whatever else a pattern or type mentions.
    for (const size_t d : deps_[s])
      if (node_of_[d] >= 0 && !vertical.contains({node_of_[d], j}))
        must_wait(node_of_[d], "a size of the second is a result of the first");
  }

  // Rules that look at two nodes only.
  for (auto it = vertical.begin(); it != vertical.end();) {
    const auto [a, b] = it->first;
    std::optional<std::string> why;
    if (strict.contains({a, b}))
      why = "";
    else
      why = why_not_vertical(nodes_[static_cast<size_t>(a)], nodes_[static_cast<size_t>(b)]);
    if (why) {
      if (!why->empty()) refusals_.push_back({a, b, *why});
      strict.emplace(a, b);
      it = vertical.erase(it);
    } else {
      ++it;
    }
  }

  // Siblings.
  std::map<std::pair<Node, Node>, double> sibling;
  NameMap<std::vector<Node>> input_of;
  std::vector<Name> order;
  for (Node j = 0; j < problem_.nodes; ++j) {
    std::set<Name> seen;
    for (const Name input : nodes_[static_cast<size_t>(j)].arrays) {
      if (!seen.insert(input).second) continue;
      std::vector<Node>& list = input_of[input];
      if (list.empty()) order.push_back(input);
      list.push_back(j);
    }
  }
  for (const auto& [pair, why] : reasons) refusals_.push_back({pair.first, pair.second, why});
  std::set<std::pair<Node, Node>> refused;
  for (const Name input : order) {
    const std::vector<Node>& list = input_of[input];
    const size_t reach = list.size() <= kAllSiblings ? list.size() : 2;
    if (reach < list.size()) crowded_.emplace_back(input, list.size());
    const auto def = defs_.find(input);
    // An array from outside of the block: its size is that of any symbolic array.
    const double weight = def == defs_.end()
                              ? 8.0 * 1024
                              : bytes(body_.stmts[def->second.first].pat[def->second.second].type);
    for (size_t x = 0; x < list.size(); ++x)
      for (size_t y = x + 1; y < list.size() && y <= x + reach; ++y) {
        const std::pair<Node, Node> pair{list[x], list[y]};
        if (strict.contains(pair) || refused.contains(pair)) continue;
        if (!vertical.contains(pair)) {
          const auto why = why_not_siblings(nodes_[static_cast<size_t>(pair.first)],
                                            nodes_[static_cast<size_t>(pair.second)]);
          if (why) {
            refusals_.push_back({pair.first, pair.second, *why});
            refused.insert(pair);
            continue;
          }
        }
        sibling[pair] += weight;
      }
  }

  // Pairs with a strict way between them are impossible.
  std::vector<std::vector<bool>> reach(n), bad(n);
  const bool prune = n <= kMaxReachability;
  if (prune) {
    std::vector<std::vector<std::pair<Node, bool>>> in(n);
    for (const auto& [a, b] : strict) in[static_cast<size_t>(b)].emplace_back(a, true);
    for (const auto& [p, w] : vertical)
      in[static_cast<size_t>(p.second)].emplace_back(p.first, false);
    for (size_t j = 0; j < n; ++j) {
      reach[j].assign(n, false);
      bad[j].assign(n, false);
      for (const auto& [from, is_strict] : in[j]) {
        const auto i = static_cast<size_t>(from);
        reach[j][i] = true;
        if (is_strict) bad[j][i] = true;
        for (size_t k = 0; k < i; ++k) {
          if (reach[i][k]) reach[j][k] = true;
          if (bad[i][k] || (is_strict && reach[i][k])) bad[j][k] = true;
        }
      }
    }
  }
  const auto possible = [&](Node a, Node b) {
    return !prune || !bad[static_cast<size_t>(b)][static_cast<size_t>(a)];
  };
  for (const auto& [pair, weight] : vertical) {
    const auto common = sibling.find(pair);
    const double more = common == sibling.end() ? 0 : common->second;
    if (possible(pair.first, pair.second)) {
      problem_.pairs.push_back({pair.first, pair.second, weight + more + kLaunch, true});
      continue;
    }
    strict.insert(pair);
    refusals_.push_back({pair.first, pair.second, kBetween});
  }
  for (const auto& [pair, weight] : sibling) {
    if (vertical.contains(pair)) continue;
    if (possible(pair.first, pair.second))
      problem_.pairs.push_back({pair.first, pair.second, weight + kLaunch, false});
    else
      refusals_.push_back({pair.first, pair.second, kBetween});
  }
  problem_.before.assign(strict.begin(), strict.end());

  for (Node i = 0; i < problem_.nodes; ++i) {
    const NodeInfo& info = nodes_[static_cast<size_t>(i)];
    const Stmt& stmt = body_.stmts[info.stmt];
    for (size_t r = 0; r < stmt.pat.size(); ++r) {
      if (!stmt.pat[r].type.is_array()) continue;
      StoredArray array{i, bytes(stmt.pat[r].type), info.readers[r], info.used_otherwise[r]};
      std::ranges::sort(array.readers);
      array.readers.erase(std::ranges::unique(array.readers).begin(), array.readers.end());
      problem_.arrays.push_back(std::move(array));
    }
  }
}

// Sizes that are not constants count as 1024, those that a filter gives as half of that.
double Region::bytes(const Type& type) const {
  if (!type.is_array()) return 8;
  double result = static_cast<double>(prim_size(type.elem));
  for (const Operand& dim : type.shape) {
    const Const* c = as_const(dim);
    if (c != nullptr) {
      result *= std::max<double>(1, static_cast<double>(int_value(*c)));
      continue;
    }
    const auto def = defs_.find(*as_name(dim));
    const int maker = def == defs_.end() ? -1 : node_of_[def->second.first];
    const bool filtered =
        def != defs_.end() &&
        (as<Partition>(body_.stmts[def->second.first].exp) != nullptr ||
         (maker >= 0 && nodes_[static_cast<size_t>(maker)].kernel != nullptr &&
          nodes_[static_cast<size_t>(maker)].roles[def->second.second].kind == ResultRole::kSize));
    result *= filtered ? 512 : 1024;
  }
  // Computing an index is free, reading memory is not.
  return result;
}

bool Region::escapes(Node node, size_t result, const Cluster& cluster) const {
  const NodeInfo& info = nodes_[static_cast<size_t>(node)];
  if (info.used_otherwise[result]) return true;
  for (const Node reader : info.readers[result])
    if (!std::ranges::binary_search(cluster, reader)) return true;
  return false;
}

}  // namespace skald::passes::fusion
