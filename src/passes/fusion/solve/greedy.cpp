// SPDX-License-Identifier: Apache-2.0
// The greedy engine: contracts pairs in order of the bytes they save, as long as the cluster that
// results is legal and the clusters can still be put in an order.
//
// A cheap test comes before the expensive ones: contracting two clusters makes a cycle exactly if
// one reaches the other through a third one, and since edges go from lower to higher nodes the
// search stays near the two.
#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "passes/fusion/solve/problem.h"

namespace skald::passes::fusion {

namespace {

class Greedy {
 public:
  explicit Greedy(const Problem& problem)
      : problem_(problem), members_(static_cast<size_t>(problem.nodes)) {
    const auto n = static_cast<size_t>(problem.nodes);
    cluster_.resize(n);
    std::iota(cluster_.begin(), cluster_.end(), 0);
    for (size_t k = 0; k < n; ++k) members_[k] = {static_cast<Node>(k)};
    next_.resize(n);
    for (const auto& [a, b] : problem.before) next_[static_cast<size_t>(a)].push_back(b);
    for (const Pair& p : problem.pairs)
      if (p.vertical) next_[static_cast<size_t>(p.a)].push_back(p.b);
  }

  std::vector<int> run() {
    // What a pair saves: its own weight, and for a producer and its reader a part of the store.
    std::vector<double> gain;
    for (const Pair& p : problem_.pairs) gain.push_back(p.weight);
    std::unordered_map<uint64_t, size_t> vertical;
    const auto key = [](Node a, Node b) {
      return (static_cast<uint64_t>(a) << 32) | static_cast<uint32_t>(b);
    };
    for (size_t k = 0; k < problem_.pairs.size(); ++k)
      if (problem_.pairs[k].vertical)
        vertical.emplace(key(problem_.pairs[k].a, problem_.pairs[k].b), k);
    for (const StoredArray& array : problem_.arrays) {
      if (array.escapes || array.readers.empty()) continue;
      for (const Node reader : array.readers) {
        const auto found = vertical.find(key(array.producer, reader));
        if (found != vertical.end())
          gain[found->second] += array.weight / static_cast<double>(array.readers.size());
      }
    }
    std::vector<size_t> order(problem_.pairs.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return gain[a] > gain[b]; });
    // A pair may become legal once another one is contracted (a filter joins first).
    for (bool again = true; again;) {
      again = false;
      for (const size_t k : order) again = contract(problem_.pairs[k]) || again;
      if (problem_.pairs.size() > 2000) break;
    }
    return cluster_;
  }

 private:
  bool contract(const Pair& pair) {
    const int a = cluster_[static_cast<size_t>(pair.a)], b = cluster_[static_cast<size_t>(pair.b)];
    if (a == b) return false;
    Cluster merged;
    const Cluster &left = members_[static_cast<size_t>(a)],
                  &right = members_[static_cast<size_t>(b)];
    std::ranges::merge(left, right, std::back_inserter(merged));
    if (strictly_before(left, right) || strictly_before(right, left)) return false;
    const Node last = last_that_comes_back(merged.back());
    if (reaches_through_others(a, b, last) || reaches_through_others(b, a, last)) return false;
    if (problem_.legal && !problem_.legal(merged)) return false;
    const int to = std::min(a, b), from = std::max(a, b);
    for (const Node node : members_[static_cast<size_t>(from)])
      cluster_[static_cast<size_t>(node)] = to;
    members_[static_cast<size_t>(to)] = std::move(merged);
    members_[static_cast<size_t>(from)].clear();
    return true;
  }

  bool strictly_before(const Cluster& left, const Cluster& right) {
    if (before_.empty())
      for (const auto& [a, b] : problem_.before) before_.emplace(pair_key(a, b), true);
    for (const Node a : left)
      for (const Node b : right)
        if (before_.contains(pair_key(a, b))) return true;
    return false;
  }
  static uint64_t pair_key(Node a, Node b) {
    return (static_cast<uint64_t>(a) << 32) | static_cast<uint32_t>(b);
  }

  // Clusters that begin after this node lead to such clusters only, so not back to `node` or lower
  // ones.  (A cluster's name is its first member.)
  Node last_that_comes_back(Node node) const {
    for (Node k = 0; k <= node; ++k)
      if (const Cluster& members = members_[static_cast<size_t>(k)]; !members.empty())
        node = std::max(node, members.back());
    return node;
  }

  // Is there a way from cluster `from` to cluster `to` with another cluster in between?
  bool reaches_through_others(int from, int to, Node last) {
    std::vector<int> work;
    std::vector<bool> seen(static_cast<size_t>(problem_.nodes), false);
    const auto push_next = [&](int cluster, bool direct) {
      for (const Node node : members_[static_cast<size_t>(cluster)])
        for (const Node next : next_[static_cast<size_t>(node)]) {
          const int target = cluster_[static_cast<size_t>(next)];
          if (target == from || (direct && target == to)) continue;
          if (target == to) return true;
          if (target > last || seen[static_cast<size_t>(target)]) continue;
          seen[static_cast<size_t>(target)] = true;
          work.push_back(target);
        }
      return false;
    };
    if (push_next(from, true)) return true;
    while (!work.empty()) {
      const int cluster = work.back();
      work.pop_back();
      if (push_next(cluster, false)) return true;
    }
    return false;
  }

  const Problem& problem_;
  std::vector<int> cluster_;
  std::vector<Cluster> members_;
  std::vector<std::vector<Node>> next_;
  std::unordered_map<uint64_t, bool> before_;
};

}  // namespace

Solution solve_greedy(const Problem& problem) {
  Solution solution;
  solution.cluster = Greedy(problem).run();
  solution.cost = cost_of(problem, solution.cluster);
  return solution;
}

}  // namespace skald::passes::fusion
