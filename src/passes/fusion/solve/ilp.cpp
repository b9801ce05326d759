// SPDX-License-Identifier: Apache-2.0
// The exact solver: an integer linear program given to CBC.
//
//   x_k ∈ {0,1}   for every pair (i, j): 0 if they share a cluster
//   π_i ∈ [0, N]  the position of node i
//   c_a ∈ {0,1}   for every array: 1 if it is stored
//
//   vertical pair            x ≤ π_j − π_i ≤ N·x
//   other pair            −N·x ≤ π_j − π_i ≤ N·x
//   i strictly before j       1 ≤ π_j − π_i
//   array a, reader pair k   x_k ≤ c_a
//   pair k implies pair l    x_k ≤ x_l
//
// Which nodes may be one operation is more than a question of pairs, so clusters are looked at
// afterwards: one that is not legal — sinks that do not go together, or more values than there are
// registers — gives a no-good cut "not all of these pairs", and the solver runs again within the
// same effort.
#include <algorithm>
#include <map>
#include <mutex>
#include <numeric>

#include "passes/fusion/solve/problem.h"

#ifdef SKALD_CBC_LIBRARY
#include "passes/fusion/solve/cbc.h"
#endif

namespace skald::passes::fusion {

#ifndef SKALD_CBC_LIBRARY

bool has_ilp() {
  return false;
}
Solution solve_ilp(const Problem& /*problem*/, const Solution& start, Effort& /*effort*/) {
  return start;
}

#else

bool has_ilp() {
  return cbc_library() != nullptr;
}

namespace {

constexpr int kMaxCuts = 8;
constexpr int kMaxSearchNodes = 100;
// The root of the search tree, with its cutting planes, takes as long as so many other nodes.
constexpr int kRootNodes = 10;

// A row of the program: low ≤ Σ value·column ≤ high.
struct Row {
  double low, high;
  std::vector<std::pair<int, double>> terms;
};

class Model {
 public:
  explicit Model(const Problem& problem)
      : problem_(problem),
        pairs_(static_cast<int>(problem.pairs.size())),
        n_(problem.nodes),
        arrays_(static_cast<int>(problem.arrays.size())) {
    build();
  }

  int columns() const { return pairs_ + n_ + arrays_; }
  int x(size_t pair) const { return static_cast<int>(pair); }
  int pi(Node node) const { return pairs_ + node; }
  int c(size_t array) const { return pairs_ + n_ + static_cast<int>(array); }

  void forbid(const std::vector<size_t>& pairs) {
    Row cut{1, kInfinity, {}};
    for (const size_t k : pairs) cut.terms.emplace_back(x(k), 1);
    rows_.push_back(std::move(cut));
  }

  // Values of all columns, or nothing if no solution was found.
  std::vector<double> solve(const std::vector<double>& start, int search_nodes, double seconds,
                            bool& optimal, bool& timed_out, int& used) const {
    std::vector<std::vector<std::pair<int, double>>> by_column(static_cast<size_t>(columns()));
    std::vector<double> low, high;
    for (size_t r = 0; r < rows_.size(); ++r) {
      low.push_back(rows_[r].low);
      high.push_back(rows_[r].high);
      for (const auto& [column, value] : rows_[r].terms)
        by_column[static_cast<size_t>(column)].emplace_back(static_cast<int>(r), value);
    }
    std::vector<CoinBigIndex> starts = {0};
    std::vector<int> index;
    std::vector<double> value, column_low, column_high;
    for (int k = 0; k < columns(); ++k) {
      for (const auto& [row, v] : by_column[static_cast<size_t>(k)]) {
        index.push_back(row);
        value.push_back(v);
      }
      starts.push_back(static_cast<CoinBigIndex>(index.size()));
      const bool position = k >= pairs_ && k < pairs_ + n_;
      column_low.push_back(0);
      column_high.push_back(position ? n_ : 1);
    }
    for (size_t a = 0; a < problem_.arrays.size(); ++a)
      if (problem_.arrays[a].escapes) column_low[static_cast<size_t>(c(a))] = 1;

    // CBC keeps state of its own between calls.
    static std::mutex one_at_a_time;
    const std::lock_guard<std::mutex> lock(one_at_a_time);
    const CbcLibrary& cbc = *cbc_library();
    Cbc_Model* model = cbc.newModel();
    cbc.setLogLevel(model, 0);
    cbc.loadProblem(model, columns(), static_cast<int>(rows_.size()), starts.data(), index.data(),
                    value.data(), column_low.data(), column_high.data(), objective_.data(),
                    low.data(), high.data());
    cbc.setObjSense(model, 1);
    for (int k = 0; k < columns(); ++k)
      if (k < pairs_ || k >= pairs_ + n_) cbc.setInteger(model, k);
    // CBC 2.10 crashes when its time runs out inside preprocessing, and its heuristics and many
    // rounds of cuts cost more than they give here.  The number of nodes bounds the search, so that
    // what is found does not depend on the machine.
    cbc.setParameter(model, "preprocess", "off");
    cbc.setParameter(model, "heuristicsOnOff", "off");
    cbc.setParameter(model, "passCuts", "2");
    cbc.setMaximumNodes(model, search_nodes);
    cbc.setMaximumSeconds(model, seconds);
    if (!start.empty()) {
      std::vector<int> columns_set(start.size());
      std::iota(columns_set.begin(), columns_set.end(), 0);
      cbc.setMIPStartI(model, static_cast<int>(start.size()), columns_set.data(), start.data());
    }
    cbc.solve(model);
    optimal = cbc.isProvenOptimal(model) != 0;
    timed_out = cbc.isSecondsLimitReached(model) != 0;
    used = cbc.getNodeCount(model);
    std::vector<double> result;
    const double* solution = cbc.getColSolution(model);
    if (solution != nullptr && !cbc.isProvenInfeasible(model))
      result.assign(solution, solution + columns());
    cbc.deleteModel(model);
    return result;
  }

  // Everything that the answer depends on.
  std::vector<double> as_numbers(const std::vector<double>& start, int64_t search_nodes) const {
    std::vector<double> numbers = {static_cast<double>(pairs_), static_cast<double>(n_),
                                   static_cast<double>(arrays_), static_cast<double>(search_nodes)};
    numbers.insert(numbers.end(), objective_.begin(), objective_.end());
    numbers.insert(numbers.end(), start.begin(), start.end());
    for (const StoredArray& array : problem_.arrays) numbers.push_back(array.escapes ? 1 : 0);
    for (const Row& row : rows_) {
      numbers.insert(numbers.end(), {row.low, row.high, static_cast<double>(row.terms.size())});
      for (const auto& [column, value] : row.terms)
        numbers.insert(numbers.end(), {static_cast<double>(column), value});
    }
    return numbers;
  }

  // The columns' values for given clusters.
  std::vector<double> values_of(const std::vector<int>& cluster) const {
    std::vector<double> values(static_cast<size_t>(columns()), 0);
    const auto at = [&](Node node) { return cluster[static_cast<size_t>(node)]; };
    for (size_t k = 0; k < problem_.pairs.size(); ++k)
      values[k] = at(problem_.pairs[k].a) == at(problem_.pairs[k].b) ? 0 : 1;
    for (size_t a = 0; a < problem_.arrays.size(); ++a) {
      bool stored = problem_.arrays[a].escapes;
      for (const Node reader : problem_.arrays[a].readers)
        stored = stored || at(reader) != at(problem_.arrays[a].producer);
      values[static_cast<size_t>(c(a))] = stored ? 1 : 0;
    }
    // Longest paths over the clusters are positions.
    std::map<int, double> position;
    for (const int name : cluster) position[name] = 0;
    for (int round = 0; round < n_; ++round) {
      bool changed = false;
      const auto push = [&](Node a, Node b) {
        if (at(a) == at(b)) return;
        double& to = position[at(b)];
        if (to < position[at(a)] + 1) {
          to = position[at(a)] + 1;
          changed = true;
        }
      };
      for (const auto& [a, b] : problem_.before) push(a, b);
      for (const Pair& p : problem_.pairs)
        if (p.vertical) push(p.a, p.b);
      if (!changed) break;
    }
    for (Node node = 0; node < n_; ++node)
      values[static_cast<size_t>(pi(node))] = position[at(node)];
    return values;
  }

 private:
  static constexpr double kInfinity = 1e30;

  void build() {
    objective_.assign(static_cast<size_t>(columns()), 0);
    std::map<std::pair<Node, Node>, size_t> vertical;
    for (size_t k = 0; k < problem_.pairs.size(); ++k) {
      const Pair& p = problem_.pairs[k];
      objective_[k] = p.weight;
      const double n = n_;
      rows_.push_back({-kInfinity, 0, {{pi(p.b), 1}, {pi(p.a), -1}, {x(k), -n}}});
      if (p.vertical) {
        rows_.push_back({0, kInfinity, {{pi(p.b), 1}, {pi(p.a), -1}, {x(k), -1}}});
        vertical.emplace(std::pair(p.a, p.b), k);
      } else {
        rows_.push_back({0, kInfinity, {{pi(p.b), 1}, {pi(p.a), -1}, {x(k), n}}});
      }
    }
    for (const auto& [a, b] : problem_.before)
      rows_.push_back({1, kInfinity, {{pi(b), 1}, {pi(a), -1}}});
    for (const auto& [a, b] : problem_.implies)
      rows_.push_back({-kInfinity, 0, {{x(a), 1}, {x(b), -1}}});
    for (size_t a = 0; a < problem_.arrays.size(); ++a) {
      const StoredArray& array = problem_.arrays[a];
      objective_[static_cast<size_t>(c(a))] = array.weight;
      for (const Node reader : array.readers) {
        const auto pair = vertical.find({array.producer, reader});
        if (pair == vertical.end())
          rows_.push_back({1, kInfinity, {{c(a), 1}}});
        else
          rows_.push_back({-kInfinity, 0, {{x(pair->second), 1}, {c(a), -1}}});
      }
    }
  }

  const Problem& problem_;
  int pairs_, n_, arrays_;
  std::vector<double> objective_;
  std::vector<Row> rows_;
};

std::vector<int> clusters_from(const Problem& problem, const std::vector<double>& values) {
  std::vector<int> cluster(static_cast<size_t>(problem.nodes));
  std::iota(cluster.begin(), cluster.end(), 0);
  const auto find = [&](int node) {
    while (cluster[static_cast<size_t>(node)] != node) node = cluster[static_cast<size_t>(node)];
    return node;
  };
  for (size_t k = 0; k < problem.pairs.size(); ++k) {
    if (values[k] > 0.5) continue;
    const int a = find(problem.pairs[k].a), b = find(problem.pairs[k].b);
    cluster[static_cast<size_t>(std::max(a, b))] = std::min(a, b);
  }
  for (Node node = 0; node < problem.nodes; ++node) cluster[static_cast<size_t>(node)] = find(node);
  return cluster;
}

// Asks the solver, unless it was asked before.
SolvedProgram solve_once(const Model& model, const std::vector<double>& start, int64_t search_nodes,
                         bool& timed_out, Effort& effort) {
  std::vector<double> numbers;
  if (effort.solved != nullptr) {
    numbers = model.as_numbers(start, search_nodes);
    if (const auto found = effort.solved->find(numbers); found != effort.solved->end())
      return found->second;
  }
  SolvedProgram solved;
  const auto begin = std::chrono::steady_clock::now();
  solved.values = model.solve(start, static_cast<int>(search_nodes),
                              std::chrono::duration<double>(effort.emergency).count(),
                              solved.optimal, timed_out, solved.search_nodes);
  effort.emergency -= std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - begin);
  if (effort.solved != nullptr && !timed_out) effort.solved->emplace(std::move(numbers), solved);
  return solved;
}

// The pairs inside one cluster.
std::vector<size_t> pairs_inside(const Problem& problem, const Cluster& cluster) {
  const auto inside = [&](Node node) { return std::ranges::binary_search(cluster, node); };
  std::vector<size_t> pairs;
  for (size_t k = 0; k < problem.pairs.size(); ++k)
    if (inside(problem.pairs[k].a) && inside(problem.pairs[k].b)) pairs.push_back(k);
  return pairs;
}

}  // namespace

Solution solve_ilp(const Problem& problem, const Solution& start, Effort& effort) {
  Model model(problem);
  Solution best = start;
  best.optimal = false;
  const std::vector<double> first = model.values_of(start.cluster);
  for (int cuts = 0; cuts < kMaxCuts;) {
    const int64_t search_nodes =
        std::min<int64_t>(kMaxSearchNodes, effort.work / model.columns() - kRootNodes);
    if (search_nodes < 1) return best;
    if (effort.emergency.count() <= 0) {
      best.timed_out = true;
      return best;
    }
    bool timed_out = false;
    const SolvedProgram solved = solve_once(model, first, search_nodes, timed_out, effort);
    const std::vector<double>& values = solved.values;
    const bool optimal = solved.optimal;
    effort.work -= model.columns() * (kRootNodes + static_cast<int64_t>(solved.search_nodes));
    // What was found in time is good, but another run might find more.
    best.timed_out = timed_out;
    if (values.empty()) return best;
    const std::vector<int> cluster = clusters_from(problem, values);
    bool legal = true;
    for (const Cluster& c : clusters_of(cluster)) {
      if (c.size() < 2 || !problem.legal || problem.legal(c)) continue;
      legal = false;
      // Forbidding exactly these pairs; smaller clusters of the same nodes stay possible.
      model.forbid(pairs_inside(problem, c));
      ++cuts;
    }
    if (!legal) continue;
    if (!is_acyclic(problem, cluster)) return best;
    const double cost = cost_of(problem, cluster);
    if (cost < best.cost || optimal) {
      if (cost <= best.cost)
        best = {cluster, cost, optimal, timed_out};
      else
        best.optimal = optimal;
    }
    return best;
  }
  return best;
}

#endif

}  // namespace skald::passes::fusion
