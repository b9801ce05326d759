// SPDX-License-Identifier: Apache-2.0
// Computing nodes row by row: with exactly NumPy's results and warnings, but without its calls,
// which cost as much as a thousand additions.
#include "direct.h"

#include <algorithm>
#include <cstring>

#include "masks.h"
#include "no_flags.h"
#include "plan_cache.h"
#include "rows.h"
#include "sums.h"
#include "ufunc.h"

namespace skald::python {

namespace {

// How the rows of a node are computed.
struct Loops {
  Kernel ours = nullptr;
  NumpyLoop numpys;
  const char* name = nullptr;
  // NumPy has another loop for elements that lie apart, and copies these together first.
  bool wants_neighbours = false;
  explicit operator bool() const { return ours || numpys.function; }
};

Loops loops_of(const Node* node) {
  Loops loops;
  if (node->kind == NodeKind::kCast) {
    if (node->op == 0) loops.ours = converting(node->inputs[0].type, node->type);
    return loops;
  }
  if (is_with_part(node->op) || node->input_count > kMostInputs) return loops;
  const bool chooses = node->op == kWhereOp;
  if (!chooses && !node->is_plain) return loops;
  const DType type = chooses ? node->type : node->compute_type;
  for (int i = 0; i < node->input_count; ++i) {
    if (node->inputs[i].type != (chooses && i == 0 ? DType::kBool : type)) return loops;
  }
  if (chooses) {
    loops.ours = choosing(lazy::item_size(type));
    return loops;
  }
  loops.ours = kernel_of(node->op, type);
  // This one may fail half way.
  const bool may_fail = node->op == ops.power && lazy::is_integer(type);
  if (!may_fail) loops.numpys = numpy_loop(node->op, type, node->type);
  loops.wants_neighbours = !loops.ours && !kernel_of(node->op, DType::kF64);
  loops.name = reinterpret_cast<const PyUFuncObject*>(ufuncs()[node->op].real)->name;
  return loops;
}

// Our loops are better than NumPy's for few elements, and for short rows.
constexpr int64_t kShortRow = 128;

Walk walk_of(const Node* node, std::byte* to, const View& target) {
  Walk walk(target.shape);
  for (int i = 0; i < node->input_count; ++i) walk.add(node->inputs[i]);
  walk.add(to, &target, lazy::item_size(node->type));
  return walk;
}

// `twice`: it may be computed once more, as no input lies where the result goes.
Done run_loops(const Node* node, const Loops& loops, std::byte* to, const View& target, bool twice,
               bool quietly) {
  Walk walk = walk_of(node, to, target);
  if (!walk.begin()) return Done::kNo;
  const int64_t count = node->count();
  const bool many = count >= kManyElements;
  const bool has_numpys =
      loops.numpys.function && (!loops.wants_neighbours || walk.is_one_row() || walk.is_dense());
  const int result = walk.result();
  const bool dense = walk.step(result) == lazy::item_size(node->type) || walk.length() == 1;
  const bool better = twice && (count <= lazy::kFewElements || walk.length() <= kShortRow);
  const NoFlags flags;
  if (loops.ours && dense && (better || !has_numpys)) {
    while_others_go_on(many, [&] {
      walk.rows([&](std::byte* const* at, const int64_t* steps, int64_t n) {
        loops.ours(at, steps, at[result], n);
      });
    });
    // What ours raise means nothing.
    if (flags.hold()) return Done::kYes;
    walk = walk_of(node, to, target);
    walk.begin();
  }
  if (!has_numpys) return Done::kNo;
  const NoFlags fresh;
  while_others_go_on(many, [&] {
    walk.rows(
        [&](std::byte* const* at, const int64_t* steps, int64_t n) { loops.numpys(at, steps, n); });
  });
  return tell_flags(fresh, loops.name, quietly);
}

// The elements of an array without gaps or their like; `quietly`: only if there is nothing to tell.
Done compute(Node* node, bool quietly) {
  const Loops loops = loops_of(node);
  if (!loops) return Done::kNo;
  const int64_t count = node->count();
  const bool few = count <= lazy::kFewElements;
  Buffer* reused = few || !loops.numpys.function ? nullptr : memory_to_reuse(node);
  if (reused) reused->retain();
  Buffer* buffer = reused ? reused : lazy::new_buffer(count * lazy::item_size(node->type));
  if (!buffer) return Done::kNo;
  const Done done = run_loops(node, loops, static_cast<std::byte*>(buffer->data),
                              View::dense(node->shape), !reused, quietly);
  if (done == Done::kYes) {
    lazy::set_value(node, buffer);
  } else {
    buffer->drop();
  }
  return done;
}

bool fill(Node* node) {
  if (lazy::is_complex(node->type)) return false;
  const int size = lazy::item_size(node->type);
  Buffer* buffer = lazy::new_buffer(node->count() * size);
  if (!buffer) return false;
  const uint64_t bits = scalar_bits(node->type, node->scalar);
  if (bits == 0 && node->op != lazy::kUndefined) {
    std::memset(buffer->data, 0, static_cast<size_t>(buffer->bytes));
  } else if (node->op != lazy::kUndefined || node->count() <= lazy::kFewElements) {
    const auto* from = reinterpret_cast<const std::byte*>(&bits);
    const int64_t stride = 0;
    copying(node->type)(&from, &stride, static_cast<std::byte*>(buffer->data), node->count());
  }
  lazy::set_value(node, buffer);
  return true;
}

}  // namespace

Done tell_flags(const NoFlags& flags, const char* name, bool quietly) {
  const int raised = flags.raised();
  if (PyErr_Occurred()) return Done::kFailed;
  if (raised == 0) return Done::kYes;
  if (quietly) return Done::kNo;
  const int told = ((raised & FE_DIVBYZERO) != 0 ? NPY_FPE_DIVIDEBYZERO : 0) |
                   ((raised & FE_OVERFLOW) != 0 ? NPY_FPE_OVERFLOW : 0) |
                   ((raised & FE_UNDERFLOW) != 0 ? NPY_FPE_UNDERFLOW : 0) |
                   ((raised & FE_INVALID) != 0 ? NPY_FPE_INVALID : 0);
  return PyUFunc_GiveFloatingpointErrors(name, told) < 0 ? Done::kFailed : Done::kYes;
}

// From the first operand to the second one.
static bool copy_rows(Walk& walk, DType type) {
  if (!walk.begin()) return false;
  const int size = lazy::item_size(type);
  if (walk.step(1) == size || walk.length() == 1) {
    const Kernel kernel = copying(type);
    walk.rows([&](std::byte* const* at, const int64_t* steps, int64_t n) {
      kernel(at, steps, at[1], n);
    });
  } else {
    walk.rows([&](std::byte* const* at, const int64_t* steps, int64_t n) {
      copy_apart(size, at[0], steps[0], at[1], steps[1], n);
    });
  }
  return true;
}

bool copy_directly(std::byte* to, DType type, const View& target, const Input& value) {
  constexpr int64_t kMostRows = 2;
  if (value.type != type || target.count() > kManyElements ||
      (target.count() > lazy::kMostAtOnce && target.rank() > kMostRows))
    return false;
  Walk walk(target.shape);
  walk.add(value);
  walk.add(to, &target, lazy::item_size(type));
  return copy_rows(walk, type);
}

bool copy_elements(DType type, const std::byte* from, const View& source, std::byte* to,
                   const View& target) {
  const int size = lazy::item_size(type);
  Walk walk(target.shape);
  walk.add(from, &source, size);
  walk.add(to, &target, size);
  return copy_rows(walk, type);
}

Done compute_directly_into(const Node* node, std::byte* to, const View& target, bool reads) {
  const Loops loops = loops_of(node);
  if (!loops.numpys.function) return Done::kNo;
  return run_loops(node, loops, to, target, !reads, false);
}

Buffer* memory_to_reuse(const Node* node) {
  const auto is_whole = [&](const Input& input) {
    return input.view.offset == 0 && input.view.shape == node->shape && input.view.is_dense() &&
           input.node->shape == node->shape;
  };
  for (int i = 0; i < node->input_count; ++i) {
    const Node* from = node->inputs[i].node;
    if (!from || from->type != node->type || from->byte_offset != 0) continue;
    const Buffer* buffer = from->buffer;
    if (buffer->refs != 1 || buffer->exports > 0 || !buffer->writable || buffer->device) continue;
    int own = 0;
    bool whole = true;
    for (int k = 0; k < node->input_count; ++k) {
      if (node->inputs[k].node != from) continue;
      ++own;
      whole = whole && is_whole(node->inputs[k]);
    }
    if (whole && from->refs == own) return from->buffer;
  }
  return nullptr;
}

static Done evaluate(Node* node, bool quietly) {
  if (node->count() == 0) return Done::kNo;
  switch (node->kind) {
    case NodeKind::kElementwise:
    case NodeKind::kCast: return compute(node, quietly);
    case NodeKind::kFill: return fill(node) ? Done::kYes : Done::kNo;
    case NodeKind::kReduce: return reduce_directly(node, quietly);
    default: return Done::kNo;
  }
}

Done evaluate_directly(Node* node) {
  return evaluate(node, false);
}

bool evaluate_quietly(Node* node) {
  return evaluate(node, true) == Done::kYes;
}

}  // namespace skald::python
