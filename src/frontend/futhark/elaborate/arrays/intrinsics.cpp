// SPDX-License-Identifier: Apache-2.0
// The functions of the module `intrinsics` by name.
#include "frontend/futhark/elaborate/arrays/intrinsics.h"

#include "frontend/futhark/elaborate/arrays/arrays.h"
#include "frontend/futhark/elaborate/scalars/primitive_names.h"

namespace skald::futhark::elab {

namespace {

struct ArrayFunction {
  std::string_view name;
  size_t arity;
};
constexpr ArrayFunction kArrayFunctions[] = {{"map", 2},
                                             {"reduce", 3},
                                             {"reduce_comm", 3},
                                             {"scan", 3},
                                             {"hist_1d", 6},
                                             {"hist_2d", 6},
                                             {"hist_3d", 6},
                                             {"scatter", 3},
                                             {"scatter_1d", 3},
                                             {"scatter_2d", 3},
                                             {"scatter_3d", 3},
                                             {"zip", 2},
                                             {"unzip", 1},
                                             {"concat", 2},
                                             {"transpose", 1},
                                             {"flatten", 1},
                                             {"unflatten", 3},
                                             {"manifest", 1},
                                             {"partition", 3},
                                             {"filter", 2},
                                             {"partition_2", 2},
                                             {"partition_3", 3},
                                             {"flatmap", 2},
                                             {"replicate", 2},
                                             {"rotate", 2},
                                             {"acc_write", 3},
                                             {"scatter_stream", 3},
                                             {"hist_stream", 5},
                                             {"flat_index_2d", 6},
                                             {"flat_index_3d", 8},
                                             {"flat_index_4d", 10},
                                             {"flat_update_2d", 5},
                                             {"flat_update_3d", 6},
                                             {"flat_update_4d", 7},
                                             {"jvp2", 3},
                                             {"vjp2", 3},
                                             {"jmp2", 3},
                                             {"mjp2", 3},
                                             {"with_vjp", 3},
                                             {"length", 1}};

}  // namespace

std::optional<size_t> intrinsic_arity(const std::string& name) {
  for (const ArrayFunction& fn : kArrayFunctions)
    if (fn.name == name) return fn.arity;
  if (auto fn = primitive_of_name(name)) return fn->arity();
  return std::nullopt;
}

static ValuePtr acc_write(Code& code, const std::vector<ValuePtr>& args) {
  const ValuePtr& acc = args.at(0);
  core::UpdateAcc node{
      std::get<Name>(acc->leaves.at(0)), {scalar_of(*args.at(1))}, leaves_of(*args.at(2))};
  return make_value(acc->rep, {code.emit1(acc->rep->acc, std::move(node), "acc")});
}

ValuePtr Intrinsics::apply(const Closure& c, const std::vector<ValuePtr>& args, const Use& use_at) {
  const std::string& name = c.name;
  // Applied through another function, the type of the result is that of the intrinsic's own use.
  Use use = use_at;
  if (!use.type && c.use_type) {
    const Type* t = c.use_type;
    const size_t n = intrinsic_arity(name).value_or(1);
    for (size_t i = 0; i < n && t && t->kind == Type::kArrow; ++i) t = t->to;
    use.type = t;
    use.env = c.use_env;
  }
  if (ValuePtr v = soac(name, args, use)) return v;
  if (name == "acc_write") return acc_write(code_, args);
  if (ValuePtr v = array_intrinsic(code_, name, args)) return v;
  if (ValuePtr v = flat_intrinsic(code_, name, args)) return v;
  if (ValuePtr v = operators_.primitive(name, args)) return v;
  SKALD_BUG("unknown intrinsic {}", name);
}

ValuePtr Intrinsics::soac(const std::string& name, const std::vector<ValuePtr>& args,
                          const Use& use) {
  if (name == "map") return soacs_.map(args, use);
  if (name == "reduce") return soacs_.reduce(args, Commutative::kNo, use);
  if (name == "reduce_comm") return soacs_.reduce(args, Commutative::kYes, use);
  if (name == "scan") return soacs_.scan(args, use);
  if (name == "hist_1d") return soacs_.hist(1, args, use);
  if (name == "hist_2d") return soacs_.hist(2, args, use);
  if (name == "hist_3d") return soacs_.hist(3, args, use);
  if (name == "scatter" || name == "scatter_1d") return soacs_.scatter(1, args);
  if (name == "scatter_2d") return soacs_.scatter(2, args);
  if (name == "scatter_3d") return soacs_.scatter(3, args);
  if (name == "filter") return soacs_.filter(args, use);
  if (name == "partition") return soacs_.partition_by_number(args, use);
  if (name == "partition_2") return soacs_.partition(2, args, use);
  if (name == "partition_3") return soacs_.partition(3, args, use);
  if (name == "flatmap") return soacs_.flatmap(args, use);
  if (name == "scatter_stream") return soacs_.scatter_stream(args, use);
  if (name == "hist_stream") return soacs_.hist_stream(args, use);
  if (name == "jvp2") return soacs_.jvp(args, use);
  if (name == "vjp2") return soacs_.vjp(args, use);
  if (name == "jmp2") return soacs_.jmp(args, use);
  if (name == "mjp2") return soacs_.mjp(args, use);
  if (name == "with_vjp") return soacs_.with_vjp(args, use);
  return nullptr;
}

}  // namespace skald::futhark::elab
