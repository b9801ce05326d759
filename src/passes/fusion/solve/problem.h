// SPDX-License-Identifier: Apache-2.0
// The fusion problem, free of any IR: which nodes share a cluster?
//
// Nodes are the parallel operations of one block.  A solution gives every node a cluster; each
// cluster becomes one operation.  Formulation C of Robinson, Lippmeier and Chakravarty's scheme:
// variables exist only for pairs where fusing saves something, so that the memory traffic is
// minimised exactly and the number of variables stays linear in practice.
//
//   minimise   Σ pairs  weight · [different clusters]  +  Σ arrays  weight · [written to memory]
//
// An array is written to memory if somebody outside of its producer's cluster reads it.
//
// Read next: greedy.cpp, ilp.cpp (two solvers), solve.cpp (components, choice), region.h (how a
// block of the core IR becomes a problem).
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <vector>

namespace skald::passes::fusion {

// Nodes are numbered in an order in which they may run: an edge goes from a lower to a higher one.
using Node = int;
using Cluster = std::vector<Node>;  // ascending

// Two nodes that may share a cluster.  `vertical`: `a` gives something that `b` reads, so `a` must
// not come after `b`.
struct Pair {
  Node a = 0, b = 0;
  double weight = 0;
  bool vertical = false;
};

// Something a node gives that may have to be stored.
struct StoredArray {
  Node producer = 0;
  double weight = 0;
  std::vector<Node> readers = {};
  bool escapes = false;  // read by something that is no node, or in a way that needs it whole
};

struct Problem {
  int nodes = 0;
  // `first` must be in an earlier cluster than `second`.
  std::vector<std::pair<Node, Node>> before = {};
  std::vector<Pair> pairs = {};
  std::vector<StoredArray> arrays = {};
  // Indices of pairs: if `first` is cut, so is `second` (two nodes of different sizes may only be
  // together if the filters that relate their sizes are there too).
  std::vector<std::pair<size_t, size_t>> implies = {};
  // May these nodes be one operation?  Called for clusters of two and more.
  std::function<bool(const Cluster&)> legal = {};
};

struct Solution {
  std::vector<int> cluster = {};  // by node: the smallest node of its cluster
  double cost = 0;
  bool optimal = false;
  // The emergency limit of time was met: another run might decide otherwise.
  bool timed_out = false;
  int64_t work = 0;  // what the exact solver took of its effort
};

// Integer programs, as numbers, with what the exact solver found.  A function that exists for
// several types gives the same program again and again.
struct SolvedProgram {
  std::vector<double> values = {};
  bool optimal = false;
  int search_nodes = 0;  // that were visited
};
using SolvedPrograms = std::map<std::vector<double>, SolvedProgram>;

// What the exact solver may do for one problem, all components and repetitions together.  Work is
// counted in columns of the program times nodes of the search tree, so that the answer depends on
// the problem alone and not on how busy the machine is; it is meant to last less than 100 ms.
struct Effort {
  int64_t work = 3000;
  // Only against surprises.
  std::chrono::milliseconds emergency{20'000};
  // Where solved programs are kept, if anywhere.
  SolvedPrograms* solved = nullptr;
};

struct SolveOptions {
  bool use_ilp = true;
  Effort effort = {};
  // Larger components are left to the greedy engine.
  int max_exact_nodes = 50;
};

// What `cluster` costs; the cost of pairs and arrays that nothing can save is included.
double cost_of(const Problem& problem, const std::vector<int>& cluster);
// True if the clusters can be put in an order.
bool is_acyclic(const Problem& problem, const std::vector<int>& cluster);
std::vector<Cluster> clusters_of(const std::vector<int>& cluster);

// Contracts the heaviest pair that may be, again and again.
Solution solve_greedy(const Problem& problem);
// Is the exact solver part of this build?
bool has_ilp();
// Starts from `start` and gives something at least as good; takes from `effort` what it needs.
Solution solve_ilp(const Problem& problem, const Solution& start, Effort& effort);
// Splits the problem into components, solves each greedily and, where that may not be the best,
// exactly.
Solution solve(const Problem& problem, const SolveOptions& options = {});

}  // namespace skald::passes::fusion
