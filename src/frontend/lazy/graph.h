// SPDX-License-Identifier: Apache-2.0
// The recorded operations, in SSA form.
//
//   Buffer   memory on the host
//   Node     one version of a base: a value that is at hand (it has a buffer) or the operation that
//            will compute it.  A node never changes its value.
//   Base     what arrays share: names the version that is current.  Writing through a view makes a
//            new version (kAssign), which all arrays of the base see.
//
// All pending nodes lie in one list in the order they were recorded; a node that nobody needs any
// more leaves it.  Nothing here is thread-safe: the caller holds a lock (Python's).
//
// Read next: record.h (making nodes), ../../../python/skald/_core (who records and evaluates).
#pragma once

#include <cstdint>

#include "frontend/lazy/dims.h"
#include "frontend/lazy/dtype.h"

namespace skald::lazy {

struct Buffer {
  int64_t refs = 1;
  void* data = nullptr;  // null: only on a device, see below
  int64_t bytes = 0;
  // Others who may read and write the memory at any time.
  int64_t exports = 0;
  bool writable = true;
  void (*release)(void* data, void* argument) = nullptr;
  void* argument = nullptr;
  // A copy in a device's memory, if there is one; without `data` it is the only one.
  void* device = nullptr;
  void (*release_device)(void* device) = nullptr;
  void* owner = nullptr;  // the program that made it

  void forget_device() {
    if (device) release_device(device);
    device = nullptr;
  }
  void retain() { ++refs; }
  void drop();
};

enum class NodeKind : uint8_t {
  kValue,        // has a buffer
  kElementwise,  // op(inputs), all of the node's shape
  kCast,         // the input as another type; a copy if the type is the same; or a part
  kFill,         // the scalar everywhere
  kIota,         // scalar + i * step
  kReduce,       // inputs[0] combined by op over `axes`
  kScan,         // the same, all partial results, along one axis
  kAssign,       // inputs[0] with inputs[1] written at `target`; where inputs[2] is true, if given
  kRandom,       // philox(scalar + i, step)
  kRoll,         // inputs[0] moved by scalar.i along the axis of `axes`; what leaves comes in again
  kProduct,      // inputs[0] @ inputs[1]; `axes`: bit 0 if the left one has rows, 1 if the right
                 // one has columns, else it is a vector
  kOpaque,       // a function of the host gives all results
  kPart,         // result number `op` of inputs[0], which is opaque or a call
  kCall,         // core function number `axes`, given the sizes `target.shape` and the inputs
  kArgument,     // of a function that is recorded: has no value, and lies in no list
  kFailed,       // could not be computed: the payload says why; lies in no list
};

// The `op` of a kFill whose elements may be anything.
inline constexpr uint16_t kUndefined = 1;
// The `op` of a kCast of complex numbers that gives their parts.
inline constexpr uint16_t kImaginaryPart = 1, kRealPart = 2;

union Scalar {
  bool b;
  int64_t i;
  uint64_t u;
  double d;
  double c[2];
};

struct Node;
class Pending;

struct Input {
  Node* node = nullptr;  // null: the scalar
  DType type = DType::kF64;
  View view;
  Scalar scalar = {};
};

struct Node {
  // What is looked at when rows of nodes are gone through lies together.
  int32_t refs = 1;     // bases, inputs of other nodes, callers
  int32_t holders = 0;  // the bases among them
  NodeKind kind = NodeKind::kValue;
  DType type = DType::kF64;
  DType compute_type = DType::kF64;  // in which a reduction is done
  bool keeps_axes = false;
  uint16_t op = 0;
  uint16_t input_count = 0;
  bool is_plain = true;  // of an elementwise operation: all inputs are read as `compute_type`
  // Only the elements that the last input, a mask, names are of use: what else is computed is never
  // seen.  Of the value there may be no more than these, one after the other.
  bool is_masked = false, is_compressed = false;
  // Notes of PlanWriter, valid if the stamp is its own: number in the plan, readers inside the
  // plan.
  bool is_plan_external = false;
  int32_t plan_index = 0, plan_uses = 0;
  float work = 0;  // of one that a program can take, as if it added so many elements; 0: not known
  uint64_t plan_stamp = 0;
  uint64_t id = 0;
  Node *previous = nullptr, *next = nullptr;  // in the list of pending nodes
  Pending* list = nullptr;                    // the list it lies in
  Input* inputs = nullptr;
  Buffer* buffer = nullptr;
  int64_t byte_offset = 0;  // of the first element in the buffer
  uint64_t axes = 0;        // of a reduction or scan: bit i for axis i
  Dims shape;               // row-major and dense, always
  Scalar scalar = {}, step = {};
  View target;              // of an assignment; of a call only its shape is used
  void* payload = nullptr;  // of an opaque node
  void (*drop_payload)(void* payload) = nullptr;
  uint32_t place = 0;  // where it was recorded, as the recorder counts places; 0: not known
  // There is no memory for it: others may compute it on their way, nobody stores it.
  bool is_refused = false;
  // The input of which it is the next version, counted from 1, if it is an operation in place on
  // all of a base; 0: it is not.  (An assignment always is the next version of its first input.)
  uint8_t replaces = 0;

  bool is_pending() const { return buffer == nullptr; }
  // Will never have a value: it could not be computed, or depends on arguments of a function that
  // was recorded.
  bool is_orphan() const { return buffer == nullptr && list == nullptr; }
  int64_t count() const { return count_of(shape); }
  std::byte* data() const { return static_cast<std::byte*>(buffer->data) + byte_offset; }
  void retain() { ++refs; }
  void drop() {
    if (--refs == 0) destroy();
  }
  void release_inputs();

 private:
  void destroy();
};

// How many nodes have values of which only the chosen elements are there.
int64_t& compressed_nodes();

struct Base;

// That a base shows one part of the complex numbers of another one, the same elements.
struct PartOf {
  Base* whole = nullptr;
  bool is_imaginary = false;
  // The version whose part it is, and how often others had been shown the memory.
  uint64_t seen = 0, shown = 0;
};

struct Base {
  int64_t refs = 1;
  Node* current = nullptr;
  PartOf* part = nullptr;  // or null
  int64_t parts = 0;       // bases that show parts of this one
  uint64_t shown = 0;      // so often others could write the memory

  bool is_exported() const {
    return part ? part->whole->is_exported() : current->buffer && current->buffer->exports > 0;
  }
  // May its memory be written without a new version, if nobody else needs the old one?
  bool may_change() const { return !part && parts == 0; }
  // It has the part of the current version of `whole`.
  void show_part(Base* whole, bool is_imaginary);
  // Takes over the caller's reference to `node`.
  void set(Node* node) {
    ++node->holders;
    Node* old = current;
    current = node;
    if (old) {
      --old->holders;
      old->drop();
    }
  }
  void retain() { ++refs; }
  void drop();
};

// A call of NumPy costs about as much as so many additions: what has no more elements is not worth
// a plan.
inline constexpr int64_t kFewElements = 1024;
// Arithmetic on so many is done when it is met: recording and planning it would cost as much.
inline constexpr int64_t kMostAtOnce = 4 * kFewElements;

// The pending nodes, oldest first.
class Pending {
 public:
  void append(Node* node);
  void remove(Node* node);
  Node* first() const { return first_; }
  int64_t size() const { return size_; }
  // Those of more elements than are computed one by one.
  int64_t large() const { return large_; }
  // Those of more elements than are computed when they are met.
  int64_t more() const { return more_; }
  int64_t products() const { return products_; }
  // By all lists together.
  static uint64_t recorded();

 private:
  Node *first_ = nullptr, *last_ = nullptr;
  int64_t size_ = 0, large_ = 0, more_ = 0, products_ = 0;
};
// The list that this thread records into: a common one, or its own while it records a function.
Pending& pending();
// So many threads have lists of their own now.
inline int own_lists = 0;
// Asked for the `place` of each new node; null: nobody is.
inline uint32_t (*place_of_new_nodes)() = nullptr;
// Makes another list that of this thread; gives the one before.
Pending* set_pending(Pending* list);

// A node with room for inputs, pending, in the list; the caller owns a reference.
Node* new_node(NodeKind kind, DType type, const Dims& shape, int inputs);
// With a value; takes over the reference to `buffer`.
Node* new_value(DType type, const Dims& shape, Buffer* buffer, int64_t byte_offset = 0);
// Gives a pending node its value: takes over the reference, releases the inputs.
void set_value(Node* node, Buffer* buffer, int64_t byte_offset = 0);
Base* new_base(Node* node);
// Memory of the C library, large blocks aligned to 64 bytes; null if there is not enough.
Buffer* new_buffer(int64_t bytes);
// Gives blocks that are kept for the next array back to the system.
void free_kept_blocks();

void set_input(Node* node, int at, Node* from, const View& view);
void set_scalar(Node* node, int at, DType type, Scalar scalar);

}  // namespace skald::lazy
