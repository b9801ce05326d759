// SPDX-License-Identifier: Apache-2.0
// What the elaborator computes with: representations, values, environments.
//
// A Rep is a type brought down to what core needs: primitives, arrays, records, sums, with sizes as
// operands (or as expressions not evaluated yet).  A Value is what an expression stands for while
// we elaborate: core operands in the structure of its source type, or something static that never
// reaches core (closures, modules).  An array of records is a structure of arrays: its leaves are
// the arrays of the fields, in the order of the fields.
//
// Read next: env.cpp (lookup), values.cpp (leaves and slots), ../code/code.h (what values are
// computed by).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/ir/exp.h"
#include "frontend/futhark/ast/ast.h"
#include "frontend/futhark/ast/types.h"

namespace skald::futhark::elab {

using core::Name;
using core::Operand;

struct Rep;
struct Value;
struct EnvNode;
using RepPtr = std::shared_ptr<const Rep>;
using ValuePtr = std::shared_ptr<const Value>;
using Env = std::shared_ptr<const EnvNode>;

// ---- representations ----------------------------------------------------------------------------

// A size: known as an operand, or an expression to be evaluated in `env` when somebody needs it, or
// unknown.
struct Dim {
  std::optional<Operand> op = {};
  const Exp* exp = nullptr;
  Env env = {};
};

struct Rep {
  enum Kind : uint8_t { kPrim, kArray, kRecord, kSum, kAcc, kFunc, kUnknown } kind = kPrim;
  Prim prim = Prim::kI32;
  Dim dim = {};                                                           // kArray
  RepPtr elem = {};                                                       // kArray
  std::vector<std::pair<std::string, RepPtr>> fields = {};                // kRecord
  std::vector<std::pair<std::string, std::vector<RepPtr>>> constrs = {};  // kSum
  core::Type acc = {};                                                    // kAcc
};

RepPtr prim_rep(Prim p);
RepPtr array_rep(Dim dim, RepPtr elem);
RepPtr array_rep(Operand dim, RepPtr elem);
RepPtr record_rep(std::vector<std::pair<std::string, RepPtr>> fields);
RepPtr tuple_rep(std::vector<RepPtr> elems);
RepPtr unknown_rep();

// How a sum is stored: an i8 tag, then slots.  Scalars of one type share slots over constructors;
// arrays never share, because their shapes may differ.
struct SumLayout {
  std::vector<core::Type> slots;         // types of the slots, tag not included
  std::vector<std::vector<int>> leaves;  // for every constructor: the slot of each payload leaf
};
SumLayout sum_layout(const Rep& sum);

// The core types of the leaves of a value; every dimension must be known.
std::vector<core::Type> leaf_types(const Rep& rep);
int leaf_count(const Rep& rep);
// True if nothing static (functions) is inside.
bool is_first_order(const Rep& rep);
// Structure without sizes, and with the sizes numbered by `dims` in order of first appearance.
// `generic`: constant sizes count as sizes, too.
std::string rep_key(const Rep& rep, std::vector<Operand>& dims, bool generic = false);
// Applies `f` to every dimension, outermost first; arrays inside sums included.
template <class F>
RepPtr map_dims(const RepPtr& rep, const F& f);

// ---- static values ------------------------------------------------------------------------------

// A type as bound in an environment: a representation, or a type over parameters with the
// environment that its sizes and names belong to.
struct TypeBinding {
  std::vector<TypeParam const*> params = {};
  const Type* type = nullptr;
  Env env = {};
  RepPtr rep = {};
  explicit operator bool() const { return type || rep; }
};

struct Module {
  std::unordered_map<std::string, ValuePtr> terms;
  std::unordered_map<std::string, TypeBinding> types;
  std::unordered_map<std::string, std::pair<const ModTypeExp*, Env>> mod_types;
};

// A function value.
struct Closure {
  enum Code : uint8_t {
    kDef,        // def
    kLetFun,     // let f x = …
    kLambda,     // \x -> …
    kBuiltin,    // an overloaded operator: `name`
    kIntrinsic,  // intrinsics.`name`
    kRight,      // (op e): args = {op, e}
    kPath,       // (.f[i]): path
    kHole,       // ??? of function type `use_type`
  } code = kLambda;
  const DVal* def = nullptr;
  const Dec* dec = nullptr;  // of `def`: attributes
  const ELetFun* let_fun = nullptr;
  const ELambda* lambda = nullptr;
  const std::vector<PathStep>* path = nullptr;
  std::string name = {};
  Env env = {};
  // Arguments given so far.
  std::vector<ValuePtr> args = {};
  // Where and at which types the name was used.
  const std::vector<TypeInst>* inst = nullptr;
  const Type* use_type = nullptr;
  Env use_env = {};
};

// A constant of the top level, or a module, not evaluated yet.
struct Lazy {
  const DVal* constant = nullptr;
  const Dec* dec = nullptr;
  const ModExp* module = nullptr;
  const DModule* module_dec = nullptr;
  Env env = {};
  std::string file = {};         // modules only: the import path of the file around
  mutable ValuePtr forced = {};  // modules only
  mutable bool running = false;
};
// A parametric module.
struct Functor {
  const ModParam* param = nullptr;
  // Either the rest of a `module m p q … = body`, or a lambda.
  const DModule* module_dec = nullptr;
  size_t next_param = 0;
  const MLambda* lambda = nullptr;
  Env env = {};
  std::string file = {};
};
// A size not evaluated yet.
struct SizeThunk {
  const Exp* exp = nullptr;
  Env env = {};
};

struct Value {
  enum Kind : uint8_t {
    kDyn,     // leaves: a scalar, array, sum or accumulator
    kRecord,  // fields
    kSum,     // a sum with a static payload: constructor `constr` of `rep`, payload in `fields`
    kClosure,
    kModule,
    kFunctor,
    kLazy,
    kSize,
  } kind = kDyn;
  RepPtr rep = {};
  std::vector<Operand> leaves = {};
  std::vector<std::pair<std::string, ValuePtr>> fields = {};
  std::string constr = {};
  std::shared_ptr<const Closure> closure = {};
  std::shared_ptr<const Module> module = {};
  // Of a module seen through a module type: only its names may be opened.
  const ModTypeExp* restricted = nullptr;
  Env restricted_env = {};
  std::shared_ptr<const Functor> functor = {};
  std::shared_ptr<const Lazy> lazy = {};
  SizeThunk size = {};
};

ValuePtr make_value(const RepPtr& rep, const std::vector<Operand>& leaves);
ValuePtr scalar_value(Prim p, Operand op);
ValuePtr record_value(std::vector<std::pair<std::string, ValuePtr>> fields);
ValuePtr tuple_value(std::vector<ValuePtr> elems);
ValuePtr closure_value(Closure c);
ValuePtr module_value(std::shared_ptr<const Module> module);
ValuePtr functor_value(Functor f);
RepPtr rep_of(const Value& v);
void append_leaves(const Value& v, std::vector<Operand>& out);
std::vector<Operand> leaves_of(const Value& v);
// The one operand of a scalar.
Operand scalar_of(const Value& v);
const ValuePtr* find_field(const Value& record, std::string_view name);

// ---- environments -------------------------------------------------------------------------------

// The declarations of a module, in order.  Environments look at a frame as of some moment (`seq`),
// so a definition sees what was declared before it and nothing later.
struct Frame {
  template <class T>
  using Versions = std::unordered_map<std::string, std::vector<std::pair<uint32_t, T>>>;
  Versions<ValuePtr> terms;
  Versions<TypeBinding> types;
  Versions<std::pair<const ModTypeExp*, Env>> mod_types;
  std::unordered_map<uint32_t, ValuePtr> term_ids;
  std::unordered_map<uint32_t, TypeBinding> type_ids;
  uint32_t seq = 0;
};

// A linked list of local bindings and frames, innermost first.
struct EnvNode {
  enum Kind : uint8_t { kTerm, kType, kFrame } kind = kTerm;
  Env parent = {};
  std::string_view name = {};
  uint32_t id = 0;
  ValuePtr value = {};
  TypeBinding type = {};
  std::shared_ptr<Frame> frame = {};
  uint32_t seq = 0;
  ~EnvNode();
};

Env bind_term(const Env& env, std::string_view name, uint32_t id, ValuePtr value);
Env bind_type(const Env& env, std::string_view name, uint32_t id, TypeBinding type);
Env enter_frame(const Env& parent, std::shared_ptr<Frame> frame, uint32_t seq);

ValuePtr lookup_term_id(const Env& env, uint32_t id);
ValuePtr lookup_term(const Env& env, std::string_view name);
const TypeBinding* lookup_type_id(const Env& env, uint32_t id);
const TypeBinding* lookup_type(const Env& env, std::string_view name);
const std::pair<const ModTypeExp*, Env>* lookup_mod_type(const Env& env, std::string_view name);

// ---- templates ----------------------------------------------------------------------------------

template <class F>
RepPtr map_dims(const RepPtr& rep, const F& f) {
  switch (rep->kind) {
    case Rep::kArray: {
      Dim dim = f(rep->dim);
      return array_rep(std::move(dim), map_dims(rep->elem, f));
    }
    case Rep::kRecord: {
      auto fields = rep->fields;
      for (auto& field : fields) field.second = map_dims(field.second, f);
      return record_rep(std::move(fields));
    }
    case Rep::kSum: {
      Rep out = *rep;
      for (auto& constr : out.constrs)
        for (auto& payload : constr.second) payload = map_dims(payload, f);
      return std::make_shared<const Rep>(std::move(out));
    }
    default: return rep;
  }
}

}  // namespace skald::futhark::elab
