// SPDX-License-Identifier: Apache-2.0
#include "passes/differentiate/base/kept_reads.h"

#include <algorithm>

#include "core/edit/free_names.h"
#include "core/ir/visit.h"

namespace skald::passes::ad {

namespace {

// The reads of one parameter and of what its updates give, if nothing else is done with them.
class Reads {
 public:
  Reads(const Loop& loop, size_t param) : loop_(loop), param_(param) {
    versions_.insert(loop.params[param].param.name);
    inside_.insert(loop.var.name);
    for (const LoopParam& p : loop.params) inside_.insert(p.param.name);
    for (const Stmt& stmt : loop.body.stmts)
      for (const Param& p : stmt.pat) inside_.insert(p.name);
  }

  std::vector<Param> find() {
    for (const Stmt& stmt : loop_.body.stmts)
      if (!collect(stmt)) return {};
    for (size_t k = 0; k < loop_.params.size(); ++k)
      if (is_version(loop_.body.result[k]) != (k == param_)) return {};
    return versions_.size() > 1 && is_worth_it() ? reads_ : std::vector<Param>{};
  }

 private:
  bool is_version(const Operand& operand) const {
    const Name* name = as_name(operand);
    return name != nullptr && versions_.contains(*name);
  }

  bool collect(const Stmt& stmt) {
    if (const auto* read = as<Index>(stmt.exp);
        read != nullptr && versions_.contains(read->array)) {
      reads_.push_back(stmt.pat[0]);
      return is_part(*read) && has_one_size(stmt.pat[0].type);
    }
    if (const auto* update = as<Update>(stmt.exp);
        update != nullptr && versions_.contains(update->array)) {
      versions_.insert(stmt.pat[0].name);
      return !is_version(update->value);
    }
    return std::ranges::none_of(free_names(stmt),
                                [&](Name name) { return versions_.contains(name); });
  }

  static bool is_part(const Index& read) {
    return std::ranges::any_of(read.slice, [](const DimSlice& dim) { return dim.is_index; });
  }

  // In all rounds.
  bool has_one_size(const Type& type) const {
    return std::ranges::none_of(type.shape, [&](const Operand& dim) {
      const Name* name = as_name(dim);
      return name != nullptr && inside_.contains(*name);
    });
  }

  // Small arrays are no more than what is read of them.
  bool is_worth_it() const {
    int64_t elements = 1;
    for (const Operand& dim : loop_.params[param_].param.type.shape) {
      const Const* known = as_const(dim);
      if (known == nullptr) return true;
      elements *= int_value(*known);
    }
    return elements > static_cast<int64_t>(reads_.size());
  }

  const Loop& loop_;
  size_t param_;
  NameSet versions_, inside_;
  std::vector<Param> reads_;
};

}  // namespace

std::vector<Param> kept_reads(const Loop& loop) {
  std::vector<Param> all;
  for (size_t k = 0; k < loop.params.size(); ++k) {
    if (!loop.params[k].param.type.is_array()) continue;
    const std::vector<Param> reads = Reads(loop, k).find();
    all.insert(all.end(), reads.begin(), reads.end());
  }
  return all;
}

}  // namespace skald::passes::ad
