// SPDX-License-Identifier: Apache-2.0
// Which nodes of a block may be merged two by two, and what that saves.
#include <algorithm>
#include <map>
#include <set>

#include "core/ir/visit.h"
#include "passes/fusion/graph/region.h"
#include "passes/fusion/graph/shape.h"

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
// An array from outside of the block: its size is that of any symbolic array.
constexpr double kOutsideBytes = 8.0 * 1024;

using NodePair = std::pair<Node, Node>;

// Pairs with a strict way between them.
class Impossible {
 public:
  Impossible(size_t nodes, const std::set<NodePair>& strict,
             const std::map<NodePair, double>& vertical) {
    if (nodes > kMaxReachability) return;
    std::vector<std::vector<std::pair<Node, bool>>> in(nodes);
    for (const auto& [a, b] : strict) in[static_cast<size_t>(b)].emplace_back(a, true);
    for (const auto& [pair, weight] : vertical)
      in[static_cast<size_t>(pair.second)].emplace_back(pair.first, false);
    std::vector<std::vector<bool>> reach(nodes);
    strictly_.resize(nodes);
    for (size_t j = 0; j < nodes; ++j) {
      reach[j].assign(nodes, false);
      strictly_[j].assign(nodes, false);
      for (const auto& [from, is_strict] : in[j]) {
        const auto i = static_cast<size_t>(from);
        reach[j][i] = true;
        if (is_strict) strictly_[j][i] = true;
        for (size_t k = 0; k < i; ++k) {
          if (reach[i][k]) reach[j][k] = true;
          if (strictly_[i][k] || (is_strict && reach[i][k])) strictly_[j][k] = true;
        }
      }
    }
  }
  bool contains(const NodePair& pair) const {
    return !strictly_.empty() &&
           strictly_[static_cast<size_t>(pair.second)][static_cast<size_t>(pair.first)];
  }

 private:
  std::vector<std::vector<bool>> strictly_;  // by the later, then the earlier node
};

}  // namespace

struct Region::PairSearch {
  std::set<NodePair> strict;  // the first must come before the second
  std::map<NodePair, std::string> reasons;
  std::map<NodePair, double> vertical, sibling;  // with the bytes that merging saves
  std::set<NodePair> refused;

  void must_wait(Node first, Node second, std::string why) {
    if (strict.emplace(first, second).second)
      reasons.emplace(NodePair(first, second), std::move(why));
  }
};

void Region::add_pairs() {
  PairSearch search;
  order_nodes(search);
  refuse_vertical(search);
  find_siblings(search);
  choose_pairs(search);
  problem_.before.assign(search.strict.begin(), search.strict.end());
  add_arrays();
}

void Region::order_nodes(PairSearch& search) const {
  // By statement that is no node: the nodes it depends on, through other such statements.
  std::vector<std::vector<Node>> behind(body_.stmts.size());
  for (size_t s = 0; s < body_.stmts.size(); ++s) {
    const int j = node_of_[s];
    std::set<Node> sources;
    for (const size_t d : deps_[s]) {
      if (node_of_[d] >= 0 && j < 0) sources.insert(node_of_[d]);
      if (node_of_[d] < 0) sources.insert(behind[d].begin(), behind[d].end());
    }
    if (j < 0)
      behind[s].assign(sources.begin(), sources.end());
    else
      order_node(j, sources, search);
  }
}

// What node `j` waits for, and what it reads row by row.  `behind`: the nodes that it depends on
// through statements that are none.
void Region::order_node(Node j, const std::set<Node>& behind, PairSearch& search) const {
  const NodeInfo& info = at(j);
  const size_t s = info.stmt;
  for (const size_t d : order_deps_[s])
    if (node_of_[d] >= 0)
      search.must_wait(node_of_[d], j, "the second consumes what the first reads");
  for (const Node i : behind) search.must_wait(i, j, kBetween);
  for (const Name name : other_uses_[static_cast<size_t>(j)])
    if (const ResultOf source = source_of(name); source.node >= 0)
      search.must_wait(
          source.node, j,
          fmt::format("{} is needed as a whole, not row by row", prog_.names.text(name)));
  for (const ResultOf& source : info.sources) {
    if (source.node < 0) continue;
    const ResultRole::Kind role = at(source.node).roles[source.result].kind;
    const bool at_end = role == ResultRole::kTotal || role == ResultRole::kUpdated;
    if (at(source.node).kernel == nullptr && at_end)
      search.must_wait(source.node, j,
                       "the producer's result is complete only when all of it has run");
    const Stmt& producer = body_.stmts[at(source.node).stmt];
    search.vertical[{source.node, j}] += bytes(producer.pat[source.result].type);
  }
  if (info.size_of.node >= 0) search.vertical[{info.size_of.node, j}] += 0;
  // Whatever else a pattern or type mentions.
  for (const size_t d : deps_[s])
    if (node_of_[d] >= 0 && !search.vertical.contains({node_of_[d], j}))
      search.must_wait(node_of_[d], j, "a size of the second is a result of the first");
}

// Rules that look at two nodes only.
void Region::refuse_vertical(PairSearch& search) {
  std::erase_if(search.vertical, [&](const auto& entry) {
    const auto [a, b] = entry.first;
    if (search.strict.contains({a, b})) return true;
    const Why why = why_not_vertical(at(a), at(b));
    if (!why) return false;
    refusals_.push_back({a, b, *why});
    search.strict.emplace(a, b);
    return true;
  });
  for (const auto& [pair, why] : search.reasons)
    refusals_.push_back({pair.first, pair.second, why});
}

void Region::find_siblings(PairSearch& search) {
  NameMap<std::vector<Node>> readers;
  std::vector<Name> order;
  for (Node j = 0; j < problem_.nodes; ++j) {
    std::set<Name> seen;
    for (const Name input : at(j).arrays) {
      if (!seen.insert(input).second) continue;
      std::vector<Node>& list = readers[input];
      if (list.empty()) order.push_back(input);
      list.push_back(j);
    }
  }
  for (const Name array : order) compare_readers(array, readers[array], search);
}

void Region::compare_readers(Name array, const std::vector<Node>& readers, PairSearch& search) {
  const size_t reach = readers.size() <= kAllSiblings ? readers.size() : 2;
  if (reach < readers.size()) crowded_.emplace_back(array, readers.size());
  const auto def = defs_.find(array);
  const double weight = def == defs_.end()
                            ? kOutsideBytes
                            : bytes(body_.stmts[def->second.first].pat[def->second.second].type);
  for (size_t x = 0; x < readers.size(); ++x)
    for (size_t y = x + 1; y < readers.size() && y <= x + reach; ++y) {
      const NodePair pair{readers[x], readers[y]};
      if (search.strict.contains(pair) || search.refused.contains(pair)) continue;
      if (!search.vertical.contains(pair))
        if (const Why why = why_not_siblings(at(pair.first), at(pair.second))) {
          refusals_.push_back({pair.first, pair.second, *why});
          search.refused.insert(pair);
          continue;
        }
      search.sibling[pair] += weight;
    }
}

void Region::choose_pairs(PairSearch& search) {
  const Impossible impossible(nodes_.size(), search.strict, search.vertical);
  for (const auto& [pair, weight] : search.vertical) {
    const auto common = search.sibling.find(pair);
    const double more = common == search.sibling.end() ? 0 : common->second;
    if (!impossible.contains(pair)) {
      problem_.pairs.push_back({pair.first, pair.second, weight + more + kLaunch, true});
      continue;
    }
    search.strict.insert(pair);
    refusals_.push_back({pair.first, pair.second, kBetween});
  }
  for (const auto& [pair, weight] : search.sibling) {
    if (search.vertical.contains(pair)) continue;
    if (!impossible.contains(pair))
      problem_.pairs.push_back({pair.first, pair.second, weight + kLaunch, false});
    else
      refusals_.push_back({pair.first, pair.second, kBetween});
  }
}

void Region::add_arrays() {
  for (Node i = 0; i < problem_.nodes; ++i) {
    const NodeInfo& info = at(i);
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

}  // namespace skald::passes::fusion
