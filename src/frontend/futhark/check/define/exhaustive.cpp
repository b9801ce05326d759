// SPDX-License-Identifier: Apache-2.0
// A matrix of patterns is taken apart column by column.  For each constructor that the first column
// mentions, the rows that may match it are looked at with its arguments as new columns; for those
// that it does not mention, the rows with a wildcard.
#include "frontend/futhark/check/define/exhaustive.h"

#include <algorithm>
#include <set>

#include "frontend/futhark/check/base/literal.h"
#include "frontend/futhark/check/base/type_ops.h"

namespace skald::futhark {

namespace {

constexpr size_t kMaxExamples = 8;

using Row = std::vector<const Pat*>;  // null: matches everything
using Example = std::vector<std::string>;

const Pat* strip(const Pat* p) {
  for (;;) {
    if (!p) return p;
    if (auto* x = std::get_if<PParens>(&p->node))
      p = x->inner.get();
    else if (auto* a = std::get_if<PAscript>(&p->node))
      p = a->inner.get();
    else if (auto* t = std::get_if<PAttr>(&p->node))
      p = t->inner.get();
    else if (std::holds_alternative<PVar>(p->node) || std::holds_alternative<PWild>(p->node))
      return nullptr;
    else
      return p;
  }
}

// Literals that mean the same value have the same key.
std::string literal_key(const Literal& lit) {
  std::string key = lit.text;
  if (lit.kind == Literal::kInt || lit.kind == Literal::kChar) {
    if (auto v = int_literal_value(lit.text); v && *v <= INT64_MAX)
      key = std::to_string(static_cast<int64_t>(*v));
  }
  return (lit.negative ? "-" : "") + key;
}

std::string constr_text(const std::string& name, const std::vector<std::string>& args) {
  std::string out = "#" + name;
  for (const std::string& a : args)
    out += a.starts_with('#') && a.find(' ') != std::string::npos ? " (" + a + ")" : " " + a;
  return out;
}

class Matrix {
 public:
  std::vector<Example> missing(const std::vector<Row>& rows,
                               const std::vector<const Type*>& types) {
    if (++steps_ > 100000) return {};
    if (types.empty()) return rows.empty() ? std::vector<Example>{{}} : std::vector<Example>{};
    if (rows.empty()) return {Example(types.size(), "_")};
    const Type* t = types[0];
    const bool all_wild =
        std::ranges::all_of(rows, [](const Row& r) { return strip(r[0]) == nullptr; });
    if (all_wild) return with_default(rows, types, {"_"});
    if (t->kind == Type::kRecord) return record(rows, types);
    if (t->kind == Type::kSum) return sum(rows, types);
    return literals(rows, types);
  }

 private:
  std::vector<Example> with_default(const std::vector<Row>& rows,
                                    const std::vector<const Type*>& types,
                                    const std::vector<std::string>& heads) {
    std::vector<Row> rest;
    for (const Row& r : rows)
      if (!strip(r[0])) rest.emplace_back(r.begin() + 1, r.end());
    std::vector<Example> out;
    const auto inner = missing(rest, {types.begin() + 1, types.end()});
    for (const std::string& head : heads)
      for (Example e : inner) {
        e.insert(e.begin(), head);
        if (out.size() < kMaxExamples) out.push_back(std::move(e));
      }
    return out;
  }

  std::vector<Example> record(const std::vector<Row>& rows, const std::vector<const Type*>& types) {
    const Type* t = types[0];
    const size_t n = t->fields.size();
    std::vector<const Type*> columns;
    for (const auto& [name, field] : t->fields) columns.push_back(field);
    columns.insert(columns.end(), types.begin() + 1, types.end());
    std::vector<Row> inner;
    for (const Row& r : rows) {
      Row row(n, nullptr);
      const Pat* p = strip(r[0]);
      if (p) {
        if (auto* tup = std::get_if<PTuple>(&p->node))
          for (size_t i = 0; i < n && i < tup->elems.size(); ++i) row[i] = tup->elems[i].get();
        if (auto* rec = std::get_if<PRecord>(&p->node))
          for (const auto& f : rec->fields)
            for (size_t i = 0; i < n; ++i)
              if (t->fields[i].first == f.name.name) row[i] = f.pat.get();
      }
      row.insert(row.end(), r.begin() + 1, r.end());
      inner.push_back(std::move(row));
    }
    std::vector<Example> out;
    for (Example e : missing(inner, columns)) {
      std::string text = is_tuple(*t) ? "(" : "{";
      for (size_t i = 0; i < n; ++i) {
        text += i ? ", " : "";
        if (!is_tuple(*t)) text += t->fields[i].first + "=";
        text += e[i];
      }
      Example whole{text + (is_tuple(*t) ? ")" : "}")};
      whole.insert(whole.end(), e.begin() + static_cast<std::ptrdiff_t>(n), e.end());
      out.push_back(std::move(whole));
    }
    return out;
  }

  std::vector<Example> sum(const std::vector<Row>& rows, const std::vector<const Type*>& types) {
    const Type* t = types[0];
    std::vector<Example> out;
    std::vector<std::string> unmentioned;
    for (const auto& [name, payload] : t->constrs) {
      bool mentioned = false;
      std::vector<Row> inner;
      for (const Row& r : rows) {
        Row row(payload.size(), nullptr);
        if (const Pat* p = strip(r[0])) {
          auto* c = std::get_if<PConstr>(&p->node);
          if (!c || c->name.name != name) continue;
          mentioned = true;
          for (size_t i = 0; i < payload.size() && i < c->args.size(); ++i)
            row[i] = c->args[i].get();
        }
        row.insert(row.end(), r.begin() + 1, r.end());
        inner.push_back(std::move(row));
      }
      if (!mentioned) {
        unmentioned.push_back(constr_text(name, std::vector<std::string>(payload.size(), "_")));
        continue;
      }
      std::vector<const Type*> columns = payload;
      columns.insert(columns.end(), types.begin() + 1, types.end());
      for (const Example& e : missing(inner, columns)) {
        const auto split = e.begin() + static_cast<std::ptrdiff_t>(payload.size());
        Example whole{constr_text(name, {e.begin(), split})};
        whole.insert(whole.end(), split, e.end());
        if (out.size() < kMaxExamples) out.push_back(std::move(whole));
      }
    }
    if (!unmentioned.empty())
      for (Example& e : with_default(rows, types, unmentioned)) out.push_back(std::move(e));
    return out;
  }

  std::vector<Example> literals(const std::vector<Row>& rows,
                                const std::vector<const Type*>& types) {
    std::set<std::string> seen;
    for (const Row& r : rows)
      if (const Pat* p = strip(r[0]))
        if (auto* l = std::get_if<PLiteral>(&p->node)) seen.insert(literal_key(l->lit));
    std::vector<Example> out;
    for (const std::string& key : seen) {
      std::vector<Row> inner;
      for (const Row& r : rows) {
        if (const Pat* p = strip(r[0])) {
          auto* l = std::get_if<PLiteral>(&p->node);
          if (!l || literal_key(l->lit) != key) continue;
        }
        inner.emplace_back(r.begin() + 1, r.end());
      }
      for (Example e : missing(inner, {types.begin() + 1, types.end()})) {
        e.insert(e.begin(), key);
        if (out.size() < kMaxExamples) out.push_back(std::move(e));
      }
    }
    std::vector<std::string> others;
    if (types[0]->kind == Type::kPrim && types[0]->prim == Prim::kBool) {
      for (const char* b : {"true", "false"})
        if (!seen.contains(b)) others.push_back(b);
    } else {
      others.push_back("_");
    }
    if (!others.empty())
      for (Example& e : with_default(rows, types, others)) out.push_back(std::move(e));
    return out;
  }

  int steps_ = 0;
};

}  // namespace

std::vector<std::string> unmatched_cases(const std::vector<const Pat*>& patterns) {
  if (patterns.empty()) return {"_"};
  std::vector<Row> rows;
  for (const Pat* p : patterns) rows.push_back({p});
  std::vector<std::string> out;
  for (const Example& e : Matrix().missing(rows, {patterns[0]->type}))
    if (std::ranges::find(out, e[0]) == out.end()) out.push_back(e[0]);
  return out;
}

}  // namespace skald::futhark
