// SPDX-License-Identifier: Apache-2.0
// Costs, components, and which solver is asked.
#include <algorithm>
#include <map>
#include <numeric>

#include "passes/fusion/solve/problem.h"

namespace skald::passes::fusion {

namespace {

int cluster_at(const std::vector<int>& cluster, Node node) {
  return cluster[static_cast<size_t>(node)];
}

// Below every solution: what is stored whatever happens.
double least_cost(const Problem& problem) {
  double cost = 0;
  for (const StoredArray& array : problem.arrays)
    if (array.escapes) cost += array.weight;
  return cost;
}

// Were two nodes kept apart that alone could be together, or a node and all its readers (a
// partition whose classes are all reduced is legal only with all of them)?  If not, the exact
// solver would only find out at length what the greedy one has found.
bool may_be_better(const Problem& problem, const std::vector<int>& cluster) {
  std::map<Node, Cluster> with_readers;
  for (const Pair& p : problem.pairs) {
    if (p.vertical) with_readers[p.a].push_back(p.b);
    if (cluster_at(cluster, p.a) != cluster_at(cluster, p.b) &&
        (!problem.legal || problem.legal({std::min(p.a, p.b), std::max(p.a, p.b)})))
      return true;
  }
  for (auto& [node, together] : with_readers) {
    together.push_back(node);
    std::ranges::sort(together);
    const bool apart = std::ranges::any_of(together, [&](Node other) {
      return cluster_at(cluster, other) != cluster_at(cluster, node);
    });
    if (apart && together.size() > 2 && problem.legal(together)) return true;
  }
  return false;
}

// One connected component as a problem of its own, with the way back.
struct Component {
  Problem problem;
  std::vector<Node> original;
};

std::vector<Component> components_of(const Problem& problem) {
  std::vector<Node> root(static_cast<size_t>(problem.nodes));
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](Node node) {
    while (root[static_cast<size_t>(node)] != node) {
      Node& up = root[static_cast<size_t>(node)];
      up = root[static_cast<size_t>(up)];
      node = up;
    }
    return node;
  };
  // Only pairs connect: an order between two nodes that cannot be together is kept as an edge of
  // the component if both are in it.
  for (const Pair& p : problem.pairs) root[static_cast<size_t>(find(p.a))] = find(p.b);
  // A way out of a component and back would let its parts close a cycle that it cannot see.
  for (const auto& [a, b] : problem.before) root[static_cast<size_t>(find(a))] = find(b);

  std::map<Node, size_t> index;
  std::vector<Component> components;
  std::vector<std::pair<size_t, Node>> place(static_cast<size_t>(problem.nodes));
  for (Node node = 0; node < problem.nodes; ++node) {
    const auto [found, is_new] = index.emplace(find(node), components.size());
    if (is_new) components.emplace_back();
    Component& c = components[found->second];
    place[static_cast<size_t>(node)] = {found->second, c.problem.nodes++};
    c.original.push_back(node);
  }
  const auto at = [&](Node node) { return place[static_cast<size_t>(node)]; };
  for (const auto& [a, b] : problem.before)
    components[at(a).first].problem.before.emplace_back(at(a).second, at(b).second);
  std::vector<size_t> pair_index(problem.pairs.size());
  for (size_t k = 0; k < problem.pairs.size(); ++k) {
    Pair pair = problem.pairs[k];
    Problem& p = components[at(pair.a).first].problem;
    pair.a = at(pair.a).second;
    pair.b = at(pair.b).second;
    pair_index[k] = p.pairs.size();
    p.pairs.push_back(pair);
  }
  for (const auto& [a, b] : problem.implies)
    components[at(problem.pairs[a].a).first].problem.implies.emplace_back(pair_index[a],
                                                                          pair_index[b]);
  for (StoredArray array : problem.arrays) {
    const size_t c = at(array.producer).first;
    array.producer = at(array.producer).second;
    std::vector<Node> readers;
    for (const Node reader : array.readers) {
      if (at(reader).first == c)
        readers.push_back(at(reader).second);
      else
        array.escapes = true;
    }
    array.readers = std::move(readers);
    components[c].problem.arrays.push_back(std::move(array));
  }
  return components;
}

}  // namespace

double cost_of(const Problem& problem, const std::vector<int>& cluster) {
  double cost = 0;
  for (const Pair& p : problem.pairs)
    if (cluster_at(cluster, p.a) != cluster_at(cluster, p.b)) cost += p.weight;
  for (const StoredArray& array : problem.arrays) {
    bool stored = array.escapes;
    for (const Node reader : array.readers)
      stored = stored || cluster_at(cluster, reader) != cluster_at(cluster, array.producer);
    if (stored) cost += array.weight;
  }
  return cost;
}

bool is_acyclic(const Problem& problem, const std::vector<int>& cluster) {
  std::map<int, std::vector<int>> next;
  std::map<int, int> incoming;
  for (const int c : cluster) incoming[c] = 0;
  const auto edge = [&](Node a, Node b, bool strict) {
    const int from = cluster_at(cluster, a), to = cluster_at(cluster, b);
    if (from == to) return !strict;
    next[from].push_back(to);
    ++incoming[to];
    return true;
  };
  for (const auto& [a, b] : problem.before)
    if (!edge(a, b, true)) return false;
  for (const Pair& p : problem.pairs)
    if (p.vertical && !edge(p.a, p.b, false)) return false;
  std::vector<int> ready;
  for (const auto& [c, count] : incoming)
    if (count == 0) ready.push_back(c);
  size_t done = 0;
  while (!ready.empty()) {
    const int c = ready.back();
    ready.pop_back();
    ++done;
    for (const int to : next[c])
      if (--incoming[to] == 0) ready.push_back(to);
  }
  return done == incoming.size();
}

std::vector<Cluster> clusters_of(const std::vector<int>& cluster) {
  std::map<int, Cluster> members;
  for (size_t k = 0; k < cluster.size(); ++k) members[cluster[k]].push_back(static_cast<Node>(k));
  std::vector<Cluster> result;
  for (auto& [name, nodes] : members) result.push_back(std::move(nodes));
  return result;
}

Solution solve(const Problem& problem, const SolveOptions& options) {
  Solution whole;
  whole.cluster.resize(static_cast<size_t>(problem.nodes));
  whole.optimal = true;
  Effort effort = options.effort;
  for (Component& component : components_of(problem)) {
    Problem& p = component.problem;
    if (problem.legal)
      p.legal = [&](const Cluster& cluster) {
        Cluster original;
        for (const Node node : cluster)
          original.push_back(component.original[static_cast<size_t>(node)]);
        return problem.legal(original);
      };
    Solution solution = solve_greedy(p);
    constexpr double kTiny = 1e-9;
    solution.optimal = solution.cost <= least_cost(p) + kTiny || p.pairs.size() <= 1;
    if (!solution.optimal && options.use_ilp && p.nodes <= options.max_exact_nodes &&
        may_be_better(p, solution.cluster) && has_ilp())
      solution = solve_ilp(p, solution, effort);
    whole.optimal = whole.optimal && solution.optimal;
    whole.timed_out = whole.timed_out || solution.timed_out;
    for (size_t k = 0; k < component.original.size(); ++k)
      whole.cluster[static_cast<size_t>(component.original[k])] =
          component.original[static_cast<size_t>(solution.cluster[k])];
  }
  whole.cost = cost_of(problem, whole.cluster);
  whole.work = options.effort.work - effort.work;
  return whole;
}

}  // namespace skald::passes::fusion
