// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/check/consume/aliases.h"

#include <algorithm>

namespace skald::futhark {

AliasSet merge(const AliasSet& a, const AliasSet& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  AliasSet out;
  std::ranges::set_union(a, b, std::back_inserter(out));
  return out;
}

bool overlap(const AliasSet& a, const AliasSet& b) {
  for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
    if (*x == *y) return true;
    *x < *y ? ++x : ++y;
  }
  return false;
}

namespace {

std::string join_path(const std::string& path, const std::string& field) {
  return path + "." + field;
}

AliasesPtr make(Aliases a) {
  return std::make_shared<const Aliases>(std::move(a));
}

AliasesPtr build(const Type* t, const std::string& path,
                 const std::function<AliasSet(const Type*, const std::string&)>& at) {
  Aliases a;
  a.type = t;
  switch (t->kind) {
    case Type::kPrim:
    case Type::kMeta: return make(std::move(a));
    case Type::kArray:
    case Type::kNamed:
      a.kind = Aliases::kLeaf;
      a.opaque = t->kind == Type::kNamed;
      a.set = at(t, path);
      return make(std::move(a));
    case Type::kArrow:
      a.kind = Aliases::kFun;
      a.set = at(t, path);
      return make(std::move(a));
    case Type::kRecord:
      a.kind = Aliases::kRecord;
      for (const auto& [name, field] : t->fields)
        a.fields.emplace_back(name, build(field, join_path(path, name), at));
      return make(std::move(a));
    case Type::kSum:
      a.kind = Aliases::kSum;
      for (const auto& [name, payload] : t->constrs) {
        std::vector<AliasesPtr> ps;
        for (const Type* p : payload) ps.push_back(build(p, path, at));
        a.constrs.emplace_back(name, std::move(ps));
      }
      return make(std::move(a));
  }
  return make(std::move(a));
}

}  // namespace

AliasesPtr aliases_everywhere(const Type* t, const AliasSet& set) {
  return build(t, "", [&](const Type*, const std::string&) { return set; });
}

AliasesPtr self_aliases(const Type* t, uint32_t var, const std::string& path) {
  return build(t, path,
               [&](const Type*, const std::string& p) { return AliasSet{{var, p, false}}; });
}

AliasesPtr insert_self(const AliasesPtr& a, uint32_t var, const std::string& path) {
  Aliases out = *a;
  switch (a->kind) {
    case Aliases::kNone: return a;
    case Aliases::kLeaf:
    case Aliases::kFun: out.set = merge(a->set, {{var, path, false}}); break;
    case Aliases::kRecord:
      for (auto& [name, field] : out.fields) field = insert_self(field, var, join_path(path, name));
      break;
    case Aliases::kSum:
      for (auto& [name, payload] : out.constrs)
        for (auto& p : payload) p = insert_self(p, var, path);
      break;
  }
  return make(std::move(out));
}

AliasesPtr map_sets(const AliasesPtr& a, const std::function<AliasSet(const AliasSet&)>& f) {
  Aliases out = *a;
  switch (a->kind) {
    case Aliases::kNone: return a;
    case Aliases::kLeaf:
    case Aliases::kFun: out.set = f(a->set); break;
    case Aliases::kRecord:
      for (auto& [name, field] : out.fields) field = map_sets(field, f);
      break;
    case Aliases::kSum:
      for (auto& [name, payload] : out.constrs)
        for (auto& p : payload) p = map_sets(p, f);
      break;
  }
  return make(std::move(out));
}

AliasesPtr insert_everywhere(const AliasesPtr& a, const Alias& alias) {
  return map_sets(a, [&](const AliasSet& s) { return merge(s, {alias}); });
}

AliasSet all_aliases(const AliasesPtr& a, bool functions) {
  switch (a->kind) {
    case Aliases::kNone: return {};
    case Aliases::kLeaf: return a->set;
    case Aliases::kFun: return functions ? a->set : AliasSet{};
    case Aliases::kRecord: {
      AliasSet out;
      for (const auto& [name, field] : a->fields) out = merge(out, all_aliases(field, functions));
      return out;
    }
    case Aliases::kSum: {
      AliasSet out;
      for (const auto& [name, payload] : a->constrs)
        for (const auto& p : payload) out = merge(out, all_aliases(p, functions));
      return out;
    }
  }
  return {};
}

AliasesPtr combine(const AliasesPtr& a, const AliasesPtr& b) {
  if (a->kind == Aliases::kNone || b->kind == Aliases::kNone) return a;
  if (a->kind != b->kind) {
    if (a->kind == Aliases::kLeaf)
      return map_sets(a, [&](const AliasSet& s) { return merge(s, all_aliases(b)); });
    return b->kind == Aliases::kLeaf ? combine(b, a) : a;
  }
  Aliases out = *a;
  switch (a->kind) {
    case Aliases::kLeaf:
    case Aliases::kFun: out.set = merge(a->set, b->set); break;
    case Aliases::kRecord:
      for (size_t i = 0; i < out.fields.size() && i < b->fields.size(); ++i)
        out.fields[i].second = combine(out.fields[i].second, b->fields[i].second);
      break;
    case Aliases::kSum:
      for (size_t i = 0; i < out.constrs.size() && i < b->constrs.size(); ++i)
        for (size_t k = 0; k < out.constrs[i].second.size() && k < b->constrs[i].second.size(); ++k)
          out.constrs[i].second[k] = combine(out.constrs[i].second[k], b->constrs[i].second[k]);
      break;
    default: break;
  }
  return make(std::move(out));
}

AliasesPtr field_of(const AliasesPtr& a, const std::string& name) {
  for (const auto& [n, field] : a->fields)
    if (n == name) return field;
  return make({});
}

AliasesPtr result_aliases(const AliasSet& app, const Type* result, bool consumes,
                          const AliasesPtr& arg) {
  const AliasSet shared = consumes ? app : merge(app, all_aliases(arg));
  return build(result, "", [&](const Type* t, const std::string&) {
    if (t->kind != Type::kArrow && t->unique) return AliasSet{};
    return shared;
  });
}

AliasesPtr leave(const AliasesPtr& a, const std::vector<uint32_t>& names) {
  return map_sets(a, [&](const AliasSet& s) {
    AliasSet out = s;
    for (Alias& x : out)
      if (std::ranges::find(names, x.var) != names.end()) x.out_of_scope = true;
    std::ranges::sort(out);
    const auto [first, last] = std::ranges::unique(out);
    out.erase(first, last);
    return out;
  });
}

}  // namespace skald::futhark
