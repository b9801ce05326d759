// SPDX-License-Identifier: Apache-2.0
// Nodes, dependences and pairs of one block.
#include "passes/fusion/graph/region.h"

#include <algorithm>
#include <set>

#include "core/edit/free_names.h"
#include "core/ir/visit.h"
#include "passes/fusion/graph/shape.h"

namespace skald::passes::fusion {

using namespace core;

namespace {

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
      NodeInfo& info = at(node);
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
  const auto mark_other = [&](Name name) {
    const ResultOf source = source_of(name);
    if (source.node >= 0) at(source.node).used_otherwise[source.result] = true;
  };
  for (size_t s = 0; s < body_.stmts.size(); ++s) {
    if (node_of_[s] >= 0) continue;
    for (const Name name : free_names(body_.stmts[s])) mark_other(name);
  }
  for (const Operand& o : body_.result)
    if (const Name* name = as_name(o)) mark_other(*name);

  for (Node j = 0; j < problem_.nodes; ++j) {
    NodeInfo& info = at(j);
    for (const Name name : other_uses_[static_cast<size_t>(j)]) mark_other(name);
    for (const Name token : body_.stmts[info.stmt].tokens) mark_other(token);
    for (const Name input : info.inputs) {
      const ResultOf source = source_of(input);
      info.sources.push_back(source);
      if (source.node >= 0) at(source.node).readers[source.result].push_back(j);
    }
    if (const Name* width = as_name(info.width)) {
      const ResultOf source = source_of(*width);
      if (source.node < 0) continue;
      NodeInfo& producer = at(source.node);
      if (producer.roles[source.result].kind == ResultRole::kSize) {
        info.size_of = source;
        producer.readers[source.result].push_back(j);
      } else {
        producer.used_otherwise[source.result] = true;
      }
    }
  }
}

ResultOf Region::source_of(Name name) const {
  const auto def = defs_.find(name);
  if (def == defs_.end()) return {};
  const int node = node_of_[def->second.first];
  return node < 0 ? ResultOf{} : ResultOf{node, def->second.second};
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
    const ResultOf source = source_of(*as_name(dim));
    const bool filtered =
        source.node >= 0 && at(source.node).roles[source.result].kind == ResultRole::kSize;
    result *= filtered ? 512 : 1024;
  }
  // Computing an index is free, reading memory is not.
  return result;
}

bool Region::escapes(Node node, size_t result, const Cluster& cluster) const {
  const NodeInfo& info = at(node);
  if (info.used_otherwise[result]) return true;
  for (const Node reader : info.readers[result])
    if (!std::ranges::binary_search(cluster, reader)) return true;
  return false;
}

}  // namespace skald::passes::fusion
