// SPDX-License-Identifier: Apache-2.0
// Which names depend on what is differentiated: all others have no tangent and need no cotangent.
#pragma once

#include "passes/differentiate/base/session.h"

namespace skald::passes::ad {

class Activity {
 public:
  explicit Activity(const Session& session) : session_(session) {}

  bool has(const Operand& operand) const {
    const Name* name = as_name(operand);
    return name != nullptr && active_.contains(*name);
  }
  bool any(const std::vector<Param>& params) const;
  // Nothing happens to names whose type has no tangents.
  void mark(Name name);
  void mark(const std::vector<Param>& params);
  // Marks what depends on marked names, until nothing changes.
  void spread(const Body& body);

 private:
  void visit(const Body& body);
  void visit(const Stmt& stmt);
  void visit(const Stmt& stmt, const If& e);
  void visit(const Stmt& stmt, const Loop& e);
  void visit(const Stmt& stmt, const Soac& e);
  void visit(const Stmt& stmt, const Hist& e);
  void visit(const Stmt& stmt, const Scatter& e);
  void visit(const Stmt& stmt, const Partition& e);
  void visit(const Stmt& stmt, const FlatMap& e);
  void visit(const Stmt& stmt, const WithAcc& e);
  void visit(const Stmt& stmt, const WithVjp& e);
  void rows(const std::vector<Name>& inputs, const Lambda& fn);
  // Components that depend on each other through the operator.
  void combine(const Operator& op, const std::vector<Operand>& values);
  void mark_if(bool active, Name name) {
    if (active) mark(name);
  }

  const Session& session_;
  NameSet active_;
  bool changed_ = false;
};

}  // namespace skald::passes::ad
