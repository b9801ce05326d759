// SPDX-License-Identifier: Apache-2.0
// Representations and values: leaves, slots of sums, keys.
#include "frontend/futhark/elaborate/values/values.h"

#include "support/bug.h"

namespace skald::futhark::elab {

RepPtr prim_rep(Prim p) {
  static const std::vector<RepPtr> kReps = [] {
    std::vector<RepPtr> reps;
    for (Prim q : kAllPrims) {
      Rep r;
      r.prim = q;
      reps.push_back(std::make_shared<const Rep>(std::move(r)));
    }
    return reps;
  }();
  return kReps[static_cast<size_t>(p)];
}

RepPtr array_rep(Dim dim, RepPtr elem) {
  Rep r;
  r.kind = Rep::kArray;
  r.dim = std::move(dim);
  r.elem = std::move(elem);
  return std::make_shared<const Rep>(std::move(r));
}

RepPtr array_rep(Operand dim, RepPtr elem) {
  Dim d;
  d.op = dim;
  return array_rep(std::move(d), std::move(elem));
}

RepPtr record_rep(std::vector<std::pair<std::string, RepPtr>> fields) {
  Rep r;
  r.kind = Rep::kRecord;
  r.fields = std::move(fields);
  return std::make_shared<const Rep>(std::move(r));
}

RepPtr tuple_rep(std::vector<RepPtr> elems) {
  std::vector<std::pair<std::string, RepPtr>> fields;
  for (size_t i = 0; i < elems.size(); ++i)
    fields.emplace_back(std::to_string(i), std::move(elems[i]));
  return record_rep(std::move(fields));
}

RepPtr unknown_rep() {
  static const RepPtr kRep = [] {
    Rep r;
    r.kind = Rep::kUnknown;
    return std::make_shared<const Rep>(std::move(r));
  }();
  return kRep;
}

static void collect_leaf_types(const Rep& rep, std::vector<Operand>& prefix,
                               std::vector<core::Type>& out);

SumLayout sum_layout(const Rep& sum) {
  SumLayout layout;
  for (const auto& [name, payload] : sum.constrs) {
    std::vector<core::Type> types;
    std::vector<Operand> prefix;
    for (const auto& p : payload) collect_leaf_types(*p, prefix, types);
    std::vector<int> slots;
    std::vector<bool> taken(layout.slots.size(), false);
    for (auto& type : types) {
      int slot = -1;
      if (type.is_scalar())
        for (size_t i = 0; i < taken.size() && slot < 0; ++i)
          if (!taken[i] && layout.slots[i] == type) slot = static_cast<int>(i);
      if (slot < 0) {
        slot = static_cast<int>(layout.slots.size());
        layout.slots.push_back(type);
        taken.push_back(true);
      }
      taken[static_cast<size_t>(slot)] = true;
      slots.push_back(slot);
    }
    layout.leaves.push_back(std::move(slots));
  }
  return layout;
}

static void collect_leaf_types(const Rep& rep, std::vector<Operand>& prefix,
                               std::vector<core::Type>& out) {
  switch (rep.kind) {
    case Rep::kPrim: out.push_back({core::Type::kArray, rep.prim, prefix}); return;
    case Rep::kArray:
      SKALD_CHECK(rep.dim.op.has_value(), "a size is not known");
      prefix.push_back(*rep.dim.op);
      collect_leaf_types(*rep.elem, prefix, out);
      prefix.pop_back();
      return;
    case Rep::kRecord:
      for (const auto& field : rep.fields) collect_leaf_types(*field.second, prefix, out);
      return;
    case Rep::kSum: {
      out.push_back({core::Type::kArray, Prim::kI8, prefix});
      for (auto& slot : sum_layout(rep).slots) out.push_back(core::array_of(prefix, slot));
      return;
    }
    case Rep::kAcc: out.push_back(rep.acc); return;
    case Rep::kFunc: return;
    case Rep::kUnknown: SKALD_BUG("the representation of a type is not known");
  }
}

std::vector<core::Type> leaf_types(const Rep& rep) {
  std::vector<core::Type> out;
  std::vector<Operand> prefix;
  collect_leaf_types(rep, prefix, out);
  return out;
}

// Layouts do not depend on sizes, so unknown ones are no obstacle here.
static RepPtr without_sizes(const Rep& rep) {
  return map_dims(std::make_shared<const Rep>(rep), [](const Dim&) {
    Dim d;
    d.op = core::const_i64(0);
    return d;
  });
}

int leaf_count(const Rep& rep) {
  switch (rep.kind) {
    case Rep::kPrim:
    case Rep::kAcc: return 1;
    case Rep::kArray: return leaf_count(*rep.elem);
    case Rep::kRecord: {
      int n = 0;
      for (const auto& field : rep.fields) n += leaf_count(*field.second);
      return n;
    }
    case Rep::kSum: return 1 + static_cast<int>(sum_layout(*without_sizes(rep)).slots.size());
    case Rep::kFunc: return 0;
    case Rep::kUnknown: SKALD_BUG("the representation of a type is not known");
  }
  return 0;
}

bool is_first_order(const Rep& rep) {
  switch (rep.kind) {
    case Rep::kPrim:
    case Rep::kAcc: return true;
    case Rep::kArray: return is_first_order(*rep.elem);
    case Rep::kRecord:
      for (const auto& field : rep.fields)
        if (!is_first_order(*field.second)) return false;
      return true;
    case Rep::kSum:
      for (const auto& constr : rep.constrs)
        for (const auto& payload : constr.second)
          if (!is_first_order(*payload)) return false;
      return true;
    case Rep::kFunc:
    case Rep::kUnknown: return false;
  }
  return false;
}

std::string rep_key(const Rep& rep, std::vector<Operand>& dims, bool generic) {
  switch (rep.kind) {
    case Rep::kPrim: return std::string(prim_name(rep.prim));
    case Rep::kArray: {
      std::string dim = "?";
      if (rep.dim.op) {
        if (const auto* c = core::as_const(*rep.dim.op); c && !generic) {
          dim = "=" + std::to_string(core::int_value(*c));
        } else {
          size_t i = 0;
          while (i < dims.size() && !(dims[i] == *rep.dim.op)) ++i;
          if (i == dims.size()) dims.push_back(*rep.dim.op);
          dim = std::to_string(i);
        }
      }
      return "[" + dim + "]" + rep_key(*rep.elem, dims, generic);
    }
    case Rep::kRecord: {
      std::string out = "{";
      for (const auto& field : rep.fields)
        out += field.first + ":" + rep_key(*field.second, dims, generic) + ",";
      return out + "}";
    }
    case Rep::kSum: {
      std::string out = "<";
      for (const auto& constr : rep.constrs) {
        out += "#" + constr.first;
        for (const auto& payload : constr.second) out += " " + rep_key(*payload, dims, generic);
      }
      return out + ">";
    }
    case Rep::kAcc: {
      // The sizes of accumulators always vary.
      std::string out = "acc";
      const auto add = [&](const core::Type& type) {
        for (const Operand& dim : type.shape) {
          size_t i = 0;
          while (i < dims.size() && !(dims[i] == dim)) ++i;
          if (i == dims.size()) dims.push_back(dim);
          out += "[" + std::to_string(i) + "]";
        }
      };
      add(rep.acc);
      for (const core::Type& elem : rep.acc.acc_elems) {
        add(elem);
        out += std::string(prim_name(elem.elem)) + ",";
      }
      return out;
    }
    case Rep::kFunc: return "->";
    case Rep::kUnknown: return "_";
  }
  return "";
}

static ValuePtr take_value(const RepPtr& rep, const std::vector<Operand>& leaves, size_t& next) {
  Value v;
  if (rep->kind == Rep::kRecord) {
    v.kind = Value::kRecord;
    for (const auto& field : rep->fields)
      v.fields.emplace_back(field.first, take_value(field.second, leaves, next));
  } else {
    v.rep = rep;
    auto count = static_cast<size_t>(leaf_count(*rep));
    SKALD_CHECK(next + count <= leaves.size(), "too few leaves for a value");
    v.leaves.assign(leaves.begin() + static_cast<std::ptrdiff_t>(next),
                    leaves.begin() + static_cast<std::ptrdiff_t>(next + count));
    next += count;
  }
  return std::make_shared<const Value>(std::move(v));
}

ValuePtr make_value(const RepPtr& rep, const std::vector<Operand>& leaves) {
  size_t next = 0;
  ValuePtr v = take_value(rep, leaves, next);
  SKALD_CHECK(next == leaves.size(), "too many leaves for a value");
  return v;
}

ValuePtr scalar_value(Prim p, Operand op) {
  Value v;
  v.rep = prim_rep(p);
  v.leaves = {op};
  return std::make_shared<const Value>(std::move(v));
}

ValuePtr record_value(std::vector<std::pair<std::string, ValuePtr>> fields) {
  Value v;
  v.kind = Value::kRecord;
  v.fields = std::move(fields);
  return std::make_shared<const Value>(std::move(v));
}

ValuePtr tuple_value(std::vector<ValuePtr> elems) {
  std::vector<std::pair<std::string, ValuePtr>> fields;
  for (size_t i = 0; i < elems.size(); ++i)
    fields.emplace_back(std::to_string(i), std::move(elems[i]));
  return record_value(std::move(fields));
}

ValuePtr closure_value(Closure c) {
  Value v;
  v.kind = Value::kClosure;
  v.closure = std::make_shared<const Closure>(std::move(c));
  return std::make_shared<const Value>(std::move(v));
}

ValuePtr module_value(std::shared_ptr<const Module> module) {
  Value v;
  v.kind = Value::kModule;
  v.module = std::move(module);
  return std::make_shared<const Value>(std::move(v));
}

ValuePtr functor_value(Functor f) {
  Value v;
  v.kind = Value::kFunctor;
  v.functor = std::make_shared<const Functor>(std::move(f));
  return std::make_shared<const Value>(std::move(v));
}

RepPtr rep_of(const Value& v) {
  switch (v.kind) {
    case Value::kDyn:
    case Value::kSum: return v.rep;
    case Value::kRecord: {
      std::vector<std::pair<std::string, RepPtr>> fields;
      for (const auto& field : v.fields) fields.emplace_back(field.first, rep_of(*field.second));
      return record_rep(std::move(fields));
    }
    default: {
      static const RepPtr kFunc = [] {
        Rep r;
        r.kind = Rep::kFunc;
        return std::make_shared<const Rep>(std::move(r));
      }();
      return kFunc;
    }
  }
}

void append_leaves(const Value& v, std::vector<Operand>& out) {
  if (v.kind == Value::kDyn) {
    out.insert(out.end(), v.leaves.begin(), v.leaves.end());
  } else if (v.kind == Value::kRecord) {
    for (const auto& field : v.fields) append_leaves(*field.second, out);
  }
}

std::vector<Operand> leaves_of(const Value& v) {
  std::vector<Operand> out;
  append_leaves(v, out);
  return out;
}

Operand scalar_of(const Value& v) {
  SKALD_CHECK(v.kind == Value::kDyn && v.leaves.size() == 1, "a scalar was expected");
  return v.leaves[0];
}

const ValuePtr* find_field(const Value& record, std::string_view name) {
  for (const auto& field : record.fields)
    if (field.first == name) return &field.second;
  return nullptr;
}

}  // namespace skald::futhark::elab
