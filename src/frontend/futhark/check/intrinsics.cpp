// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/check/intrinsics.h"

#include <array>

#include "frontend/futhark/check/define/define.h"
#include "frontend/futhark/parse/parse.h"

namespace skald::futhark {

namespace {

// Polymorphic intrinsics, as specifications in the language itself.
constexpr const char* kPolymorphic = R"(
module type intrinsics = {
  val manifest 'a : a -> *a
  val flatten 'a [n] [m] : [n][m]a -> [n*m]a
  val unflatten 'a [n] [m] : i64 -> i64 -> [n*m]a -> [n][m]a
  val concat 'a [n] [m] : [n]a -> [m]a -> *[n+m]a
  val transpose 'a [n] [m] : [n][m]a -> [m][n]a
  val rotate 'a [n] : i64 -> [n]a -> *[n]a
  val replicate 'a : (n: i64) -> a -> *[n]a
  val scatter 'a [n] [l] : *[n]a -> [l]i64 -> [l]a -> *[n]a
  val scatter_2d 'a [n] [m] [l] : *[n][m]a -> [l](i64, i64) -> [l]a -> *[n][m]a
  val scatter_3d 'a [n] [m] [k] [l] : *[n][m][k]a -> [l](i64, i64, i64) -> [l]a -> *[n][m][k]a
  val zip 'a 'b [n] : [n]a -> [n]b -> *[n](a, b)
  val unzip 'a 'b [n] : [n](a, b) -> (*[n]a, *[n]b)
  val hist_1d 'a [n] [m] : i64 -> *[m]a -> (a -> a -> a) -> a -> [n]i64 -> [n]a -> *[m]a
  val hist_2d 'a [n] [m] [k] :
    i64 -> *[m][k]a -> (a -> a -> a) -> a -> [n](i64, i64) -> [n]a -> *[m][k]a
  val hist_3d 'a [n] [m] [k] [l] :
    i64 -> *[m][k][l]a -> (a -> a -> a) -> a -> [n](i64, i64, i64) -> [n]a -> *[m][k][l]a
  val map 'a 'b [n] : (a -> b) -> [n]a -> *[n]b
  val reduce 'a [n] : (a -> a -> a) -> a -> [n]a -> *a
  val reduce_comm 'a [n] : (a -> a -> a) -> a -> [n]a -> *a
  val scan 'a [n] : (a -> a -> a) -> a -> [n]a -> *[n]a
  val filter 'a [n] : (a -> bool) -> [n]a -> ?[m].*[m]a
  val partition 'a [n] : i32 -> (a -> i64) -> [n]a -> ?[k].(*[n]a, *[k]i64)
  val partition_2 'a [n] : (a -> bool) -> [n]a -> ?[k][l].(*[k]a, *[l]a)
  val partition_3 'a [n] : (a -> bool) -> (a -> bool) -> [n]a -> ?[k][l][m].(*[k]a, *[l]a, *[m]a)
  val flatmap 'a 'b 'c [n] :
    (a -> ?[k].([k]b, c)) -> [n]a -> ?[m].(*[n]i64, *[m]bool, *[n]i64, *[m]b, *[n]c)
  val acc_write [k] 'a : *acc ([k]a) -> i64 -> a -> *acc ([k]a)
  val scatter_stream 'a 'b [k] [n] :
    *[k]a -> (*acc ([k]a) -> b -> acc ([k]a)) -> [n]b -> *[k]a
  val hist_stream 'a 'b [k] [n] :
    *[k]a -> (a -> a -> a) -> a -> (*acc ([k]a) -> b -> acc ([k]a)) -> [n]b -> *[k]a
  val jvp2 'a 'b : (a -> b) -> a -> a -> (b, b)
  val vjp2 'a 'b : (a -> b) -> a -> b -> (b, a)
  val jmp2 'a 'b [n] : (a -> b) -> a -> [n]a -> (b, *[n]b)
  val mjp2 'a 'b [n] : (a -> b) -> a -> [n]b -> (b, *[n]a)
  val with_vjp 'a 'b : (a -> b) -> (b -> b -> a) -> a -> b
  val flat_index_2d 'a [n] : [n]a -> i64 -> i64 -> i64 -> i64 -> i64 -> ?[m][k].[m][k]a
  val flat_update_2d 'a [n] [k] [l] : *[n]a -> i64 -> i64 -> i64 -> [k][l]a -> *[n]a
  val flat_index_3d 'a [n] :
    [n]a -> i64 -> i64 -> i64 -> i64 -> i64 -> i64 -> i64 -> ?[m][k][l].[m][k][l]a
  val flat_update_3d 'a [n] [k] [l] [p] :
    *[n]a -> i64 -> i64 -> i64 -> i64 -> [k][l][p]a -> *[n]a
  val flat_index_4d 'a [n] :
    [n]a -> i64 -> i64 -> i64 -> i64 -> i64 -> i64 -> i64 -> i64 -> i64
    -> ?[m][k][l][p].[m][k][l][p]a
  val flat_update_4d 'a [n] [k] [l] [p] [q] :
    *[n]a -> i64 -> i64 -> i64 -> i64 -> i64 -> [k][l][p][q]a -> *[n]a
}
)";

constexpr std::array kWidths = {8, 16, 32, 64};
constexpr std::array kFloatWidths = {16, 32, 64};
constexpr std::array kInts = {Prim::kI8, Prim::kI16, Prim::kI32, Prim::kI64};
constexpr std::array kUnsigned = {Prim::kU8, Prim::kU16, Prim::kU32, Prim::kU64};
constexpr std::array kFloats = {Prim::kF16, Prim::kF32, Prim::kF64};

class Builder {
 public:
  explicit Builder(Context& ctx) : ctx_(ctx), f_(ctx.f) {}

  void value(Env& env, const std::string& name, const Type* type) {
    ValEntry e;
    e.name = {name, f_.fresh_id()};
    e.type = e.erased = type;
    e.intrinsic = true;
    Env::Item item{name};
    item.term.val = ctx_.new_val(std::move(e));
    env.add(std::move(item));
  }
  const Type* unary(Prim a, Prim r) { return f_.arrow(f_.prim(a), f_.prim(r)); }
  // Operands come as one tuple.
  const Type* tupled(int n, Prim a, Prim r) {
    const Type*& slot =
        tupled_[static_cast<size_t>(n - 2)][static_cast<size_t>(a)][static_cast<size_t>(r)];
    if (!slot)
      slot = f_.arrow(f_.tuple(std::vector<const Type*>(static_cast<size_t>(n), f_.prim(a))),
                      f_.prim(r));
    return slot;
  }

  void integers(Env& env) {
    for (size_t i = 0; i < kWidths.size(); ++i) {
      const std::string w = std::to_string(kWidths[i]);
      const Prim t = kInts[i];
      for (const char* op :
           {"add",  "sub",       "mul",       "udiv",      "udiv_up",   "sdiv",       "sdiv_up",
            "umod", "smod",      "squot",     "srem",      "smin",      "umin",       "smax",
            "umax", "shl",       "lshr",      "ashr",      "and",       "or",         "xor",
            "pow",  "udiv_safe", "sdiv_safe", "smod_safe", "umod_safe", "squot_safe", "srem_safe",
            "upow", "umul_hi",   "smul_hi"})
        value(env, op + w, tupled(2, t, t));
      for (const char* op : {"umad_hi", "smad_hi"}) value(env, op + w, tupled(3, t, t));
      for (const char* op : {"slt", "sle", "ult", "ule"})
        value(env, op + w, tupled(2, t, Prim::kBool));
      for (const char* op : {"complement", "abs", "ssignum", "usignum", "neg"})
        value(env, op + w, unary(t, t));
      for (const char* op : {"popc", "clz", "ctz"}) value(env, op + w, unary(t, Prim::kI32));
      const std::string name(prim_name(t)), uname(prim_name(kUnsigned[i]));
      value(env, "eq_" + name, tupled(2, t, Prim::kBool));
      value(env, "sign_" + name, unary(kUnsigned[i], t));
      value(env, "unsign_" + name, unary(t, kUnsigned[i]));
      value(env, "itob_" + name + "_bool", unary(t, Prim::kBool));
      value(env, "btoi_bool_" + name, unary(Prim::kBool, t));
      for (Prim to : kInts) {
        const std::string other(prim_name(to));
        value(env, "sext_" + name + "_" + other, unary(t, to));
        value(env, "zext_" + name + "_" + other, unary(t, to));
      }
      for (Prim to : kFloats) {
        const std::string other(prim_name(to));
        value(env, "sitofp_" + name + "_" + other, unary(t, to));
        value(env, "uitofp_" + name + "_" + other, unary(t, to));
        value(env, "fptosi_" + other + "_" + name, unary(to, t));
        value(env, "fptoui_" + other + "_" + name, unary(to, t));
      }
    }
  }

  void floats(Env& env) {
    for (size_t i = 0; i < kFloatWidths.size(); ++i) {
      const std::string w = std::to_string(kFloatWidths[i]);
      const Prim t = kFloats[i];
      const Prim bits = kInts[i + 1];
      for (const char* op : {"fadd", "fsub", "fmul", "fdiv", "fmod", "fmin", "fmax", "fpow"})
        value(env, op + w, tupled(2, t, t));
      for (const char* op : {"lt", "le", "flt", "fle"})
        value(env, op + w, tupled(2, t, Prim::kBool));
      for (const char* op : {"fabs", "fsignum", "fneg"}) value(env, op + w, unary(t, t));
      for (const char* op :
           {"sqrt",  "rsqrt",  "cbrt",   "exp",   "sin",    "cos",    "tan",    "sinpi", "cospi",
            "tanpi", "asin",   "acos",   "atan",  "asinpi", "acospi", "atanpi", "sinh",  "cosh",
            "tanh",  "asinh",  "acosh",  "atanh", "gamma",  "lgamma", "erf",    "erfc",  "log",
            "log2_", "log10_", "log1p_", "ceil",  "floor",  "trunc",  "round"})
        value(env, op + w, unary(t, t));
      for (const char* op : {"log2", "log10", "log1p"})
        value(env, std::string(op) + "_" + w, unary(t, t));
      for (const char* op : {"atan2_", "atan2pi_", "hypot", "nextafter", "copysign"})
        value(env, op + w, tupled(2, t, t));
      for (const char* op : {"lerp", "mad", "fma"}) value(env, op + w, tupled(3, t, t));
      for (const char* op : {"isinf", "isnan"}) value(env, op + w, unary(t, Prim::kBool));
      value(env, "ldexp" + w, f_.arrow(f_.tuple({f_.prim(t), f_.prim(Prim::kI32)}), f_.prim(t)));
      value(env, "to_bits" + w, unary(t, bits));
      value(env, "from_bits" + w, unary(bits, t));
      const std::string name(prim_name(t));
      value(env, "fptobits_" + name + "_" + std::string(prim_name(bits)), unary(t, bits));
      value(env, "bitstofp_" + std::string(prim_name(bits)) + "_" + name, unary(bits, t));
      value(env, "eq_" + name, tupled(2, t, Prim::kBool));
      value(env, "ftob_" + name + "_bool", unary(t, Prim::kBool));
      value(env, "btof_bool_" + name, unary(Prim::kBool, t));
      for (Prim to : kFloats)
        value(env, "fpconv_" + name + "_" + std::string(prim_name(to)), unary(t, to));
    }
    value(env, "eq_bool", tupled(2, Prim::kBool, Prim::kBool));
    value(env, "logand", tupled(2, Prim::kBool, Prim::kBool));
    value(env, "logor", tupled(2, Prim::kBool, Prim::kBool));
    value(env, "llt", tupled(2, Prim::kBool, Prim::kBool));
    value(env, "lle", tupled(2, Prim::kBool, Prim::kBool));
    value(env, "not", unary(Prim::kBool, Prim::kBool));
  }

  void operators(Env& env) {
    auto overloaded = [&](const char* name, PrimSet set, bool result_bool) {
      ValEntry e;
      e.kind = ValEntry::kOverloaded;
      e.name = {name, f_.fresh_id()};
      e.overload = set;
      e.result_bool = result_bool;
      e.intrinsic = true;
      add(env, name, std::move(e));
    };
    for (const char* op : {"+", "-", "*", "/", "%", "**"}) overloaded(op, kNumberPrims, false);
    for (const char* op : {"//", "%%", "&", "|", "^", "<<", ">>", ">>>"})
      overloaded(op, kIntPrims, false);
    for (const char* op : {"<", "<=", ">", ">="}) overloaded(op, kEveryPrim, true);
    for (const char* op : {"==", "!="}) {
      ValEntry e;
      e.kind = ValEntry::kEquality;
      e.name = {op, f_.fresh_id()};
      e.intrinsic = true;
      add(env, op, std::move(e));
    }
    const Type* b = f_.boolean();
    for (const char* op : {"&&", "||"}) value(env, op, f_.arrow(b, f_.arrow(b, b)));
  }

  void types(Env& env) {
    for (Prim p : kAllPrims) {
      TypeEntry e;
      e.name = {std::string(prim_name(p)), 0};
      e.def.type = f_.prim(p);
      Env::Item item{e.name.base};
      item.type = &ctx_.types.emplace_back(std::move(e));
      env.add(std::move(item));
    }
    // Accumulators: acc t.
    TypeEntry acc;
    acc.name = f_.fresh("acc");
    const VName a = f_.fresh("a");
    acc.def.params = {{a, false, Liftedness::kUnlifted}};
    acc.def.type =
        f_.named(acc.name, Liftedness::kSizeLifted, {{f_.named(a, Liftedness::kUnlifted)}});
    Env::Item item{"acc"};
    item.type = &ctx_.types.emplace_back(std::move(acc));
    env.add(std::move(item));
  }

  void polymorphic(Env& env, const ScopePtr& scope) {
    const source::FileId file = ctx_.sources.add("<intrinsics>", kPolymorphic);
    Program& program = ctx_.prog.intrinsics;
    program = parse_program(file, ctx_.sources, ctx_.diagnostics);
    for (auto& d : program.decs) {
      auto* mt = std::get_if<DModType>(&d->node);
      auto* specs = mt ? std::get_if<MTSpecs>(&mt->body->node) : nullptr;
      if (!specs) continue;
      for (auto& spec : specs->specs) {
        auto* v = std::get_if<SpecVal>(&spec->node);
        if (!v) continue;
        CheckedType t = check_type(ctx_, *v->type, v->tparams, scope);
        ValEntry e;
        e.name = {v->name.name, f_.fresh_id()};
        e.params = std::move(t.params);
        e.type = t.type;
        e.intrinsic = true;
        add(env, v->name.name, std::move(e));
      }
    }
  }

 private:
  void add(Env& env, const std::string& name, ValEntry e) {
    Env::Item item{name};
    item.term.val = ctx_.new_val(std::move(e));
    env.add(std::move(item));
  }

  Context& ctx_;
  TypeFactory& f_;
  const Type* tupled_[2][12][12] = {};
};

}  // namespace

ScopePtr intrinsics_scope(Context& ctx) {
  Builder b(ctx);
  Env* outer = ctx.new_env();
  b.types(*outer);
  b.operators(*outer);
  auto scope = std::make_shared<const Scope>(Scope{outer, SIZE_MAX, nullptr});
  Env* intrinsics = ctx.new_env();
  intrinsics->add_all(*outer);
  b.integers(*intrinsics);
  b.floats(*intrinsics);
  b.polymorphic(*intrinsics, scope);
  Mod mod;
  mod.env = intrinsics;
  Env::Item item{"intrinsics"};
  item.term.mod =
      &ctx.mods.emplace_back(ModEntry{{"intrinsics", 0}, {}, ctx.new_mod(std::move(mod))});
  // The type acc is reached as intrinsics.acc only.
  outer->add(std::move(item));
  return scope;
}

}  // namespace skald::futhark
