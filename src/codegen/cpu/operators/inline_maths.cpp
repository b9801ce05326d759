// SPDX-License-Identifier: Apache-2.0
#include "codegen/cpu/operators/inline_maths.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "codegen/cpu/operators/inline_functions.h"
#include "codegen/cpu/target/options.h"

namespace skald::cpu {

namespace {

constexpr std::string_view kSingles[] = {"sinf", "cosf", "expf", "logf", "log2f", "log10f", "powf"};
constexpr std::string_view kDoubles[] = {"sin", "cos",  "exp",  "log",  "log2", "log10", "log1p",
                                         "pow", "sinh", "cosh", "tanh", "atan", "atan2"};

constexpr const char* kInlineMaths = "skald-inline-maths";

template <size_t n>
bool contains(const std::string_view (&names)[n], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool has_two_arguments(std::string_view name) {
  return name.starts_with("pow") || name.starts_with("atan2");
}

}  // namespace

llvm::Function* inline_maths(llvm::Module& module, std::string_view name, unsigned lanes) {
  if (!has_fused_multiply_add()) return nullptr;
  const bool single = contains(kSingles, name);
  if (!single && !contains(kDoubles, name)) return nullptr;
  const std::string symbol = fmt::format("inline_{}_{}", name, lanes);
  if (llvm::Function* known = module.getFunction(symbol)) return known;
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* type = llvm::FixedVectorType::get(
      single ? llvm::Type::getFloatTy(context) : llvm::Type::getDoubleTy(context), lanes);
  const std::vector<llvm::Type*> params(has_two_arguments(name) ? 2 : 1, type);
  auto* fn = llvm::Function::Create(llvm::FunctionType::get(type, params, false),
                                    llvm::Function::InternalLinkage, symbol, module);
  if (single)
    emit_singles(module, fn, lanes, name.substr(0, name.size() - 1));
  else
    emit_doubles(module, fn, lanes, name);
  fn->addFnAttr(llvm::Attribute::AlwaysInline);
  fn->addFnAttr(kInlineMaths);
  return fn;
}

bool is_inline_maths(const llvm::Function& fn) {
  return fn.hasFnAttribute(kInlineMaths);
}

}  // namespace skald::cpu
