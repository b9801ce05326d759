// SPDX-License-Identifier: Apache-2.0
// Arguments in, results out.
#include "core/interp/machine.h"

#include <algorithm>

#include "support/bug.h"

namespace skald::core::interp {

Machine::Machine(const Program& prog, const InterpOptions& options)
    : prog_(prog), options_(options), store_(prog, options), slots_(prog.names.size()) {
  for (const Function& fn : prog.functions) by_name_.emplace(fn.name, &fn);
}

bool Machine::pass_args(FunctionCode& fn, std::vector<ArrayValue> args, Frame& f) {
  size_t next = 0;
  for (size_t k = 0; k < fn.params.size(); ++k) {
    const Binding& param = fn.params[k];
    // The block of an array is passed by passing the array.
    if (param.kind == Kind::kMem || param.kind == Kind::kNone) continue;
    SKALD_CHECK(next < args.size(), "interpreter: too few arguments for {}", fn.fn->name);
    ArrayValue& arg = args[next++];
    SKALD_CHECK(arg.elem == param.elem && arg.shape.size() == param.dims.size() && arg.data,
                "interpreter: argument {} of {} has the wrong type", next - 1, fn.fn->name);
    const int64_t size = prim_size(arg.elem);
    Dims shape(static_cast<int>(arg.shape.size()));
    std::copy(arg.shape.begin(), arg.shape.end(), shape.data());
    const int64_t count = element_count(shape);
    SKALD_CHECK(count >= 0 && static_cast<int64_t>(arg.data->size()) >= count * size,
                "interpreter: argument {} of {} has too few bytes", next - 1, fn.fn->name);
    if (param.kind == Kind::kScalar) {
      f.scalars[param.slot] = load_bits(arg.data->data(), static_cast<int>(size));
      continue;
    }
    BlockRef block = borrow_block(std::move(arg.data), store_.budget());
    if (!block) return store_.fail("Out of memory: no room for the arguments.");
    Array array{block, block->data, arg.elem, shape, dense_strides(shape)};
    if (param.place) {
      // Blocks of stage MEMORY are written in place, so this one must be our own.
      Array copy;
      if (!store_.allocate(array.elem, shape, copy)) return false;
      copy_elements(copy, array);
      copy.block->planned = true;
      Array holder;
      holder.block = copy.block;
      f.arrays[param.place->block] = std::move(holder);
      array = std::move(copy);
    }
    f.arrays[param.slot] = std::move(array);
  }
  SKALD_CHECK(next == args.size(), "interpreter: too many arguments for {}", fn.fn->name);
  for (const Binding& param : fn.params)
    if (param.kind == Kind::kArray && !store_.bound(param, f)) {
      store_.error().message = "entry point arguments have invalid sizes.";
      return false;
    }
  return true;
}

std::vector<ArrayValue> Machine::results_of(const FunctionCode& fn, Frame& f) {
  std::vector<ArrayValue> values;
  for (size_t k = 0; k < fn.results.size(); ++k) {
    const Binding& type = fn.results[k];
    const Use& use = fn.code.results[k];
    if (type.kind != Kind::kScalar && type.kind != Kind::kArray) continue;
    ArrayValue& value = values.emplace_back();
    value.elem = type.elem;
    const int size = prim_size(type.elem);
    if (type.kind == Kind::kScalar) {
      value.data = std::make_shared<std::vector<std::byte>>(static_cast<size_t>(size));
      store_bits(value.data->data(), size, f.scalars[use.slot]);
      continue;
    }
    const Array& array = f.arrays[use.slot];
    value.shape.assign(array.shape.begin(), array.shape.end());
    const auto bytes = static_cast<size_t>(element_count(array.shape) * size);
    value.data = std::make_shared<std::vector<std::byte>>(bytes);
    if (bytes == 0) continue;
    const BlockRef block = borrow_block(value.data, store_.budget());
    // The header of a borrowed block is a few bytes; without them there is no result at all.
    SKALD_CHECK(static_cast<bool>(block), "interpreter: no memory for results");
    copy_elements({block, block->data, array.elem, array.shape, dense_strides(array.shape)}, array);
  }
  return values;
}

Result<std::vector<ArrayValue>, RuntimeError> Machine::interpret(std::string_view name,
                                                                 std::vector<ArrayValue> args,
                                                                 int64_t stack_bytes) {
  has_stack_limit_ = options_.stack_limit > 0 && options_.stack_limit < stack_bytes;
  stack_end_ = static_cast<const char*>(__builtin_frame_address(0)) -
               (has_stack_limit_ ? options_.stack_limit : stack_bytes);
  LoadedFunction& fn = *load(name);
  const std::unique_ptr<Frame> frame = new_frame(fn);
  if (!pass_args(fn.code, std::move(args), *frame)) return Failure(store_.error());
  if (!run(fn.code.code, *frame)) return Failure(store_.error());
  return results_of(fn.code, *frame);
}

}  // namespace skald::core::interp
