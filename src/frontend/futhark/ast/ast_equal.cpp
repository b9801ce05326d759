// SPDX-License-Identifier: Apache-2.0
// Each node's fields are compared by `same`, overloaded for everything a node may hold.
#include "frontend/futhark/ast/ast_equal.h"

#include <type_traits>
#include <utility>

namespace skald::futhark {

namespace {

class Equality {
 public:
  template <class... Ts>
  bool operator()(const std::variant<Ts...>& a, const std::variant<Ts...>& b) const {
    return a.index() == b.index() && alternative(a, b, std::index_sequence_for<Ts...>());
  }

  // Everything of a node, in order: all(a.x, b.x, a.y, b.y, …).
  bool all() const { return true; }
  template <class T, class... Rest>
  bool all(const T& a, const T& b, const Rest&... rest) const {
    return same(a, b) && all(rest...);
  }

  bool same(const std::string& a, const std::string& b) const { return a == b; }
  bool same(bool a, bool b) const { return a == b; }
  template <class T>
    requires std::is_enum_v<T>
  bool same(T a, T b) const {
    return a == b;
  }
  template <class T>
  bool same(const Ptr<T>& a, const Ptr<T>& b) const {
    return (a == nullptr) == (b == nullptr) && (a == nullptr || same(*a, *b));
  }
  template <class T>
  bool same(const std::optional<T>& a, const std::optional<T>& b) const {
    return a.has_value() == b.has_value() && (!a || same(*a, *b));
  }
  template <class T>
  bool same(const std::vector<T>& a, const std::vector<T>& b) const {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i)
      if (!same(a[i], b[i])) return false;
    return true;
  }

  bool same(const Ident& a, const Ident& b) const { return a.name == b.name; }
  bool same(const QualName& a, const QualName& b) const {
    return a.quals == b.quals && a.name == b.name;
  }
  bool same(const Attr& a, const Attr& b) const {
    return all(a.name, b.name, a.is_int, b.is_int, a.args, b.args);
  }
  bool same(const TypeParam& a, const TypeParam& b) const {
    return all(a.kind, b.kind, a.lifted, b.lifted, a.name, b.name);
  }
  bool same(const Literal& a, const Literal& b) const {
    return all(a.kind, b.kind, a.text, b.text, a.suffix, b.suffix, a.negative, b.negative);
  }
  bool same(const TypeExp& a, const TypeExp& b) const { return (*this)(a.node, b.node); }
  bool same(const Pat& a, const Pat& b) const { return (*this)(a.node, b.node); }
  bool same(const Exp& a, const Exp& b) const { return (*this)(a.node, b.node); }
  bool same(const ModExp& a, const ModExp& b) const { return (*this)(a.node, b.node); }
  bool same(const ModTypeExp& a, const ModTypeExp& b) const { return (*this)(a.node, b.node); }
  bool same(const Spec& a, const Spec& b) const {
    return all(a.attrs, b.attrs, a.doc, b.doc) && (*this)(a.node, b.node);
  }
  bool same(const Dec& a, const Dec& b) const {
    return all(a.attrs, b.attrs, a.doc, b.doc) && (*this)(a.node, b.node);
  }

  // Types.
  bool same(const TEVar& a, const TEVar& b) const { return same(a.name, b.name); }
  bool same(const TEParens& a, const TEParens& b) const { return same(a.inner, b.inner); }
  bool same(const TETuple& a, const TETuple& b) const { return same(a.elems, b.elems); }
  bool same(const TERecord::Field& a, const TERecord::Field& b) const {
    return all(a.name, b.name, a.type, b.type);
  }
  bool same(const TERecord& a, const TERecord& b) const { return same(a.fields, b.fields); }
  bool same(const TEArray& a, const TEArray& b) const {
    return all(a.size, b.size, a.elem, b.elem);
  }
  bool same(const TEUnique& a, const TEUnique& b) const { return same(a.inner, b.inner); }
  bool same(const TEApply& a, const TEApply& b) const {
    return all(a.fn, b.fn, a.type_arg, b.type_arg, a.size_arg, b.size_arg);
  }
  bool same(const TEArrow& a, const TEArrow& b) const {
    return all(a.param, b.param, a.from, b.from, a.to, b.to);
  }
  bool same(const TESum::Constr& a, const TESum::Constr& b) const {
    return all(a.name, b.name, a.payload, b.payload);
  }
  bool same(const TESum& a, const TESum& b) const { return same(a.constrs, b.constrs); }
  bool same(const TEExists& a, const TEExists& b) const {
    return all(a.dims, b.dims, a.inner, b.inner);
  }

  // Patterns.
  bool same(const PVar& a, const PVar& b) const { return same(a.name, b.name); }
  bool same(const PWild&, const PWild&) const { return true; }
  bool same(const PParens& a, const PParens& b) const { return same(a.inner, b.inner); }
  bool same(const PTuple& a, const PTuple& b) const { return same(a.elems, b.elems); }
  bool same(const PRecord::Field& a, const PRecord::Field& b) const {
    return all(a.name, b.name, a.pat, b.pat);
  }
  bool same(const PRecord& a, const PRecord& b) const { return same(a.fields, b.fields); }
  bool same(const PLiteral& a, const PLiteral& b) const { return same(a.lit, b.lit); }
  bool same(const PConstr& a, const PConstr& b) const {
    return all(a.name, b.name, a.args, b.args);
  }
  bool same(const PAscript& a, const PAscript& b) const {
    return all(a.inner, b.inner, a.type, b.type);
  }
  bool same(const PAttr& a, const PAttr& b) const { return all(a.attr, b.attr, a.inner, b.inner); }

  // Expressions.
  bool same(const DimIndex& a, const DimIndex& b) const {
    return all(a.is_slice, b.is_slice, a.index, b.index, a.start, b.start, a.end, b.end, a.stride,
               b.stride);
  }
  bool same(const PathStep& a, const PathStep& b) const { return (*this)(a.step, b.step); }
  bool same(const ELiteral& a, const ELiteral& b) const { return same(a.lit, b.lit); }
  bool same(const EString& a, const EString& b) const { return a.bytes == b.bytes; }
  bool same(const EVar& a, const EVar& b) const { return same(a.name, b.name); }
  bool same(const EHole&, const EHole&) const { return true; }
  bool same(const EParens& a, const EParens& b) const { return same(a.inner, b.inner); }
  bool same(const ETuple& a, const ETuple& b) const { return same(a.elems, b.elems); }
  bool same(const ERecord::Field& a, const ERecord::Field& b) const {
    return all(a.name, b.name, a.value, b.value);
  }
  bool same(const ERecord& a, const ERecord& b) const { return same(a.fields, b.fields); }
  bool same(const EArray& a, const EArray& b) const { return same(a.elems, b.elems); }
  bool same(const EIndex& a, const EIndex& b) const {
    return all(a.array, b.array, a.dims, b.dims);
  }
  bool same(const EProject& a, const EProject& b) const {
    return all(a.record, b.record, a.field, b.field);
  }
  bool same(const ELocalOpen& a, const ELocalOpen& b) const {
    return all(a.module, b.module, a.inner, b.inner);
  }
  bool same(const EApply& a, const EApply& b) const { return all(a.fn, b.fn, a.args, b.args); }
  bool same(const EBinary& a, const EBinary& b) const {
    return all(a.lhs, b.lhs, a.rhs, b.rhs, a.op, b.op, a.backquoted, b.backquoted);
  }
  bool same(const ENegate& a, const ENegate& b) const { return same(a.arg, b.arg); }
  bool same(const ENot& a, const ENot& b) const { return same(a.arg, b.arg); }
  bool same(const EConstr& a, const EConstr& b) const {
    return all(a.name, b.name, a.args, b.args);
  }
  bool same(const EAscript& a, const EAscript& b) const {
    return all(a.inner, b.inner, a.type, b.type);
  }
  bool same(const ECoerce& a, const ECoerce& b) const {
    return all(a.inner, b.inner, a.type, b.type);
  }
  bool same(const ERange& a, const ERange& b) const {
    return all(a.kind, b.kind, a.start, b.start, a.step, b.step, a.end, b.end);
  }
  bool same(const EIf& a, const EIf& b) const {
    return all(a.cond, b.cond, a.then_branch, b.then_branch, a.else_branch, b.else_branch);
  }
  bool same(const ELet& a, const ELet& b) const {
    return all(a.sizes, b.sizes, a.pat, b.pat, a.value, b.value, a.body, b.body, a.has_in,
               b.has_in);
  }
  bool same(const ELetFun& a, const ELetFun& b) const {
    return all(a.name, b.name, a.tparams, b.tparams, a.params, b.params, a.result, b.result,
               a.value, b.value, a.body, b.body, a.has_in, b.has_in);
  }
  bool same(const ELetWith& a, const ELetWith& b) const {
    return all(a.dst, b.dst, a.src, b.src, a.path, b.path, a.value, b.value, a.body, b.body,
               a.has_in, b.has_in);
  }
  bool same(const EUpdate& a, const EUpdate& b) const {
    return all(a.src, b.src, a.path, b.path, a.value, b.value);
  }
  bool same(const ELambda& a, const ELambda& b) const {
    return all(a.params, b.params, a.result, b.result, a.body, b.body);
  }
  bool same(const ELoop& a, const ELoop& b) const {
    return all(a.sizes, b.sizes, a.pat, b.pat, a.init, b.init, a.form, b.form, a.var, b.var, a.elem,
               b.elem, a.bound, b.bound, a.body, b.body);
  }
  bool same(const EMatch::Case& a, const EMatch::Case& b) const {
    return all(a.pat, b.pat, a.body, b.body);
  }
  bool same(const EMatch& a, const EMatch& b) const {
    return all(a.scrutinee, b.scrutinee, a.cases, b.cases);
  }
  bool same(const EAttr& a, const EAttr& b) const { return all(a.attr, b.attr, a.inner, b.inner); }
  bool same(const EAssert& a, const EAssert& b) const {
    return all(a.cond, b.cond, a.inner, b.inner);
  }
  bool same(const EOpSection& a, const EOpSection& b) const { return same(a.op, b.op); }
  bool same(const ELeftSection& a, const ELeftSection& b) const {
    return all(a.lhs, b.lhs, a.op, b.op, a.backquoted, b.backquoted);
  }
  bool same(const ERightSection& a, const ERightSection& b) const {
    return all(a.op, b.op, a.rhs, b.rhs, a.backquoted, b.backquoted);
  }
  bool same(const EPathSection& a, const EPathSection& b) const { return same(a.path, b.path); }

  // Modules.
  bool same(const ModParam& a, const ModParam& b) const {
    return all(a.name, b.name, a.type, b.type);
  }
  bool same(const MVar& a, const MVar& b) const { return same(a.name, b.name); }
  bool same(const MParens& a, const MParens& b) const { return same(a.inner, b.inner); }
  bool same(const MDecs& a, const MDecs& b) const { return same(a.decs, b.decs); }
  bool same(const MAscript& a, const MAscript& b) const {
    return all(a.inner, b.inner, a.type, b.type);
  }
  bool same(const MLambda& a, const MLambda& b) const {
    return all(a.param, b.param, a.result, b.result, a.body, b.body);
  }
  bool same(const MApply& a, const MApply& b) const { return all(a.fn, b.fn, a.arg, b.arg); }
  bool same(const MImport& a, const MImport& b) const { return a.path == b.path; }
  bool same(const MTVar& a, const MTVar& b) const { return same(a.name, b.name); }
  bool same(const MTParens& a, const MTParens& b) const { return same(a.inner, b.inner); }
  bool same(const MTSpecs& a, const MTSpecs& b) const { return same(a.specs, b.specs); }
  bool same(const MTWith& a, const MTWith& b) const {
    return all(a.inner, b.inner, a.type, b.type, a.params, b.params, a.definition, b.definition);
  }
  bool same(const MTArrow& a, const MTArrow& b) const {
    return all(a.param, b.param, a.from, b.from, a.to, b.to);
  }
  bool same(const SpecVal& a, const SpecVal& b) const {
    return all(a.name, b.name, a.tparams, b.tparams, a.type, b.type);
  }
  bool same(const SpecType& a, const SpecType& b) const {
    return all(a.lifted, b.lifted, a.name, b.name, a.params, b.params, a.definition, b.definition);
  }
  bool same(const SpecModule& a, const SpecModule& b) const {
    return all(a.name, b.name, a.type, b.type);
  }
  bool same(const SpecInclude& a, const SpecInclude& b) const { return same(a.type, b.type); }

  // Declarations.
  bool same(const DVal& a, const DVal& b) const {
    return all(a.is_entry, b.is_entry, a.spelled_let, b.spelled_let, a.infix, b.infix, a.name,
               b.name, a.tparams, b.tparams, a.params, b.params, a.result, b.result, a.body,
               b.body);
  }
  bool same(const DType& a, const DType& b) const {
    return all(a.lifted, b.lifted, a.name, b.name, a.params, b.params, a.definition, b.definition);
  }
  bool same(const DModule& a, const DModule& b) const {
    return all(a.name, b.name, a.params, b.params, a.type, b.type, a.body, b.body);
  }
  bool same(const DModType& a, const DModType& b) const {
    return all(a.name, b.name, a.body, b.body);
  }
  bool same(const DOpen& a, const DOpen& b) const { return same(a.module, b.module); }
  bool same(const DImport& a, const DImport& b) const { return a.path == b.path; }
  bool same(const DLocal& a, const DLocal& b) const { return same(a.inner, b.inner); }

 private:
  // Both hold the same alternative: finds it by trying one after the other.
  template <class Variant, size_t... I>
  bool alternative(const Variant& a, const Variant& b, std::index_sequence<I...>) const {
    bool result = false;
    (void)((a.index() == I && (result = same(*std::get_if<I>(&a), *std::get_if<I>(&b)), true)) ||
           ...);
    return result;
  }
};

}  // namespace

bool equal(const Program& a, const Program& b) {
  return a.doc == b.doc && Equality().same(a.decs, b.decs);
}
bool equal(const Exp& a, const Exp& b) {
  return Equality().same(a, b);
}
bool equal(const Pat& a, const Pat& b) {
  return Equality().same(a, b);
}
bool equal(const TypeExp& a, const TypeExp& b) {
  return Equality().same(a, b);
}

}  // namespace skald::futhark
