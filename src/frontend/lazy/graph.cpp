// SPDX-License-Identifier: Apache-2.0
#include "frontend/lazy/graph.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>
#include <vector>

namespace skald::lazy {

namespace {

// Nodes and bases come and go by the hundred thousand: freed ones are kept.
constexpr size_t kKeptNodes = 4096;
constexpr int kKeptInputs = 3;

struct NodePool {
  std::vector<Node*> nodes;
  std::vector<Input*> inputs[kKeptInputs + 1];
  std::vector<Base*> bases;
  std::vector<Buffer*> buffers;
};
NodePool& pool() {
  static auto* const kept = new NodePool;
  return *kept;
}

Input* take_inputs(int count) {
  if (count == 0) return nullptr;
  if (count <= kKeptInputs) {
    auto& kept = pool().inputs[count];
    if (!kept.empty()) {
      Input* inputs = kept.back();
      kept.pop_back();
      return inputs;
    }
  }
  return new Input[static_cast<size_t>(count)];
}

void give_inputs(Input* inputs, int count) {
  if (count == 0) return;
  if (count <= kKeptInputs && pool().inputs[count].size() < kKeptNodes) {
    pool().inputs[count].push_back(inputs);
  } else {
    delete[] inputs;
  }
}

}  // namespace

int64_t& compressed_nodes() {
  static int64_t count = 0;
  return count;
}

void Buffer::drop() {
  if (--refs > 0) return;
  forget_device();
  if (release) release(data, argument);
  if (pool().buffers.size() < kKeptNodes) {
    pool().buffers.push_back(this);
  } else {
    delete this;
  }
}

static Pending* common_list() {
  static Pending list;
  return &list;
}
// Of a thread that records a function; null in all others.
static thread_local Pending* own_list = nullptr;
static uint64_t last_node_id = 0;

Pending& pending() {
  return own_lists > 0 && own_list ? *own_list : *common_list();
}

Pending* set_pending(Pending* list) {
  Pending* const before = std::exchange(own_list, list == common_list() ? nullptr : list);
  own_lists += (own_list ? 1 : 0) - (before ? 1 : 0);
  return before ? before : common_list();
}

uint64_t Pending::recorded() {
  return last_node_id;
}

// A write costs what it writes, mostly little.
static bool is_large(const Node* node) {
  return node->kind != NodeKind::kAssign && node->count() > kFewElements;
}

void Pending::append(Node* node) {
  node->id = ++last_node_id;
  node->list = this;
  node->previous = last_;
  node->next = nullptr;
  (last_ ? last_->next : first_) = node;
  last_ = node;
  ++size_;
  if (is_large(node)) ++large_;
  if (node->count() > kMostAtOnce) ++more_;
  if (node->kind == NodeKind::kProduct) ++products_;
}

void Pending::remove(Node* node) {
  (node->previous ? node->previous->next : first_) = node->next;
  (node->next ? node->next->previous : last_) = node->previous;
  node->previous = node->next = nullptr;
  node->list = nullptr;
  --size_;
  if (is_large(node)) --large_;
  if (node->count() > kMostAtOnce) --more_;
  if (node->kind == NodeKind::kProduct) --products_;
}

// In no list.
static Node* take_node(NodeKind kind, DType type, const Dims& shape) {
  Node* node = nullptr;
  auto& kept = pool().nodes;
  if (kept.empty()) {
    node = new Node;
  } else {
    node = kept.back();
    kept.pop_back();
    node->refs = 1;
    node->holders = 0;
    node->op = 0;
    node->keeps_axes = false;
    node->is_plain = true;
    node->is_masked = node->is_compressed = false;
    node->plan_stamp = 0;
    node->work = 0;
    node->axes = 0;
    node->byte_offset = 0;
    node->is_refused = false;
    node->replaces = 0;
  }
  node->kind = kind;
  node->type = node->compute_type = type;
  node->shape = shape;
  return node;
}

Node* new_node(NodeKind kind, DType type, const Dims& shape, int inputs) {
  Node* node = take_node(kind, type, shape);
  node->input_count = static_cast<uint16_t>(inputs);
  node->inputs = take_inputs(inputs);
  for (int i = 0; i < inputs; ++i) node->inputs[i].node = nullptr;
  node->place = place_of_new_nodes ? place_of_new_nodes() : 0;
  pending().append(node);
  return node;
}

Node* new_value(DType type, const Dims& shape, Buffer* buffer, int64_t byte_offset) {
  Node* node = take_node(NodeKind::kValue, type, shape);
  node->id = ++last_node_id;
  node->place = 0;
  node->buffer = buffer;
  node->byte_offset = byte_offset;
  return node;
}

void Node::release_inputs() {
  Input* const released = inputs;
  const int count = input_count;
  inputs = nullptr;
  input_count = 0;
  is_masked = false;
  for (int i = 0; i < count; ++i) {
    if (Node* from = released[i].node) from->drop();
  }
  give_inputs(released, count);
  if (drop_payload) drop_payload(payload);
  payload = nullptr;
  drop_payload = nullptr;
}

void set_value(Node* node, Buffer* buffer, int64_t byte_offset) {
  if (node->list) node->list->remove(node);
  node->kind = NodeKind::kValue;
  node->buffer = buffer;
  node->byte_offset = byte_offset;
  node->release_inputs();
}

static void free_node(Node* node) {
  if (node->is_compressed) --compressed_nodes();
  if (node->buffer) node->buffer->drop();
  node->buffer = nullptr;
  if (pool().nodes.size() < kKeptNodes) {
    pool().nodes.push_back(node);
  } else {
    delete node;
  }
}

void Node::destroy() {
  if (!list && input_count == 0 && !drop_payload) return free_node(this);
  // Chains of nodes may be long: those that die with this one wait here.
  static std::vector<Node*> dying;
  static bool busy = false;
  dying.push_back(this);
  if (busy) return;
  busy = true;
  while (!dying.empty()) {
    Node* node = dying.back();
    dying.pop_back();
    if (node->list) node->list->remove(node);
    node->release_inputs();
    free_node(node);
  }
  busy = false;
}

void Base::drop() {
  if (--refs > 0) return;
  --current->holders;
  current->drop();
  if (part) {
    --part->whole->parts;
    part->whole->drop();
    delete part;
  }
  if (pool().bases.size() < kKeptNodes) {
    pool().bases.push_back(this);
  } else {
    delete this;
  }
}

void Base::show_part(Base* whole, bool is_imaginary) {
  whole->retain();
  ++whole->parts;
  part = new PartOf{whole, is_imaginary, whole->current->id, whole->shown};
}

Base* new_base(Node* node) {
  auto& kept = pool().bases;
  Base* base = nullptr;
  if (kept.empty()) {
    base = new Base;
  } else {
    base = kept.back();
    kept.pop_back();
    *base = Base();
  }
  base->current = node;
  ++node->holders;
  return base;
}

namespace {

// Large blocks that were freed, the latest last: getting new pages from the system costs more than
// most operations on them.
constexpr size_t kLarge = size_t{1} << 16, kMostKept = size_t{1} << 28;
// From here on, large pages are asked for, as NumPy does.
constexpr size_t kHuge = size_t{1} << 22, kHugePage = size_t{1} << 21;
struct Blocks {
  struct Block {
    void* data;
    size_t bytes;
  };
  std::vector<Block> free;
  size_t bytes = 0;
};
Blocks& blocks() {
  static auto* const kept = new Blocks;
  return *kept;
}

// Small blocks that were freed, by their size, the latest last: up to a kilobyte of each number of
// lines of the cache, then of eight sizes between powers of two.
constexpr size_t kLine = 64, kFewLines = 16, kEighths = 8, kSmallSizes = 64;

size_t small_size(size_t bytes) {
  size_t lines = (bytes + kLine - 1) / kLine;
  if (lines > kFewLines) {
    const size_t step = std::bit_floor(lines) / kEighths;
    lines = (lines + step - 1) / step * step;
  }
  return lines * kLine;
}

size_t small_number(size_t bytes) {
  const size_t lines = bytes / kLine;
  if (lines <= kFewLines) return lines;
  const auto power = static_cast<size_t>(std::bit_width(lines) - 1);
  return kFewLines + (power - std::bit_width(kFewLines) + 1) * kEighths +
         (lines >> (power - 3)) % kEighths;
}

std::vector<void*>& small_blocks(size_t bytes) {
  static auto* const kept = new std::vector<void*>[kSmallSizes];
  return kept[small_number(bytes)];
}

void* take_small(size_t bytes) {
  auto& free = small_blocks(bytes);
  if (free.empty()) return std::aligned_alloc(kLine, bytes);
  void* data = free.back();
  free.pop_back();
  return data;
}

void give_small(void* data, size_t bytes) {
  auto& free = small_blocks(bytes);
  const size_t most = bytes <= kFewLines * kLine ? 32 : 8;
  if (free.size() < most) {
    free.push_back(data);
  } else {
    std::free(data);
  }
}

Buffer* take_buffer() {
  auto& kept = pool().buffers;
  if (kept.empty()) return new Buffer;
  Buffer* buffer = kept.back();
  kept.pop_back();
  *buffer = Buffer();
  return buffer;
}

// Sizes that differ little share blocks: an eighth is wasted at most.
size_t block_size(size_t bytes) {
  const size_t step = std::bit_floor(bytes) / 8;
  return (bytes + step - 1) / step * step;
}

// The smallest free block that is not much larger will do: `bytes` becomes its size.
void* take_block(size_t& bytes) {
  auto& free = blocks().free;
  size_t best = free.size();
  for (size_t i = free.size(); i-- > 0;) {
    if (free[i].bytes < bytes || free[i].bytes > bytes + bytes / 2) continue;
    if (best == free.size() || free[i].bytes < free[best].bytes) best = i;
    if (free[best].bytes == bytes) break;
  }
  if (best < free.size()) {
    void* data = free[best].data;
    bytes = free[best].bytes;
    free.erase(free.begin() + static_cast<std::ptrdiff_t>(best));
    blocks().bytes -= bytes;
    return data;
  }
  if (bytes < kHuge) return std::aligned_alloc(64, bytes);
  void* data = std::aligned_alloc(kHugePage, (bytes + kHugePage - 1) / kHugePage * kHugePage);
  if (data) madvise(data, bytes, MADV_HUGEPAGE);
  return data;
}

void give_block(void* data, size_t bytes) {
  if (bytes < kLarge || bytes > kMostKept / 4) {
    std::free(data);
    return;
  }
  Blocks& kept = blocks();
  kept.free.push_back({data, bytes});
  kept.bytes += bytes;
  while (kept.bytes > kMostKept || kept.free.size() > 64) {
    std::free(kept.free.front().data);
    kept.bytes -= kept.free.front().bytes;
    kept.free.erase(kept.free.begin());
  }
}

}  // namespace

void free_kept_blocks() {
  for (const Blocks::Block& block : blocks().free) std::free(block.data);
  blocks().free.clear();
  blocks().bytes = 0;
}

Buffer* new_buffer(int64_t bytes) {
  Buffer* buffer = take_buffer();
  buffer->bytes = bytes;
  size_t rounded = (static_cast<size_t>(bytes) + 127) / 64 * 64;
  if (small_size(rounded) < kLarge) {
    rounded = small_size(rounded);
    buffer->data = take_small(rounded);
    buffer->argument = reinterpret_cast<void*>(rounded);
    buffer->release = [](void* data, void* size) {
      give_small(data, reinterpret_cast<size_t>(size));
    };
    if (buffer->data) return buffer;
  }
  rounded = block_size(std::max(rounded, kLarge));
  buffer->data = take_block(rounded);
  if (!buffer->data && blocks().bytes > 0) {
    free_kept_blocks();
    buffer->data = take_block(rounded);
  }
  buffer->argument = reinterpret_cast<void*>(rounded);
  buffer->release = [](void* data, void* size) {
    give_block(data, reinterpret_cast<size_t>(size));
  };
  if (!buffer->data) {
    buffer->release = nullptr;
    buffer->drop();
    return nullptr;
  }
  return buffer;
}

void set_input(Node* node, int at, Node* from, const View& view) {
  from->retain();
  Input& input = node->inputs[at];
  input.node = from;
  input.type = from->type;
  input.view = view;
}

void set_scalar(Node* node, int at, DType type, Scalar scalar) {
  Input& input = node->inputs[at];
  input.node = nullptr;
  input.type = type;
  input.scalar = scalar;
}

}  // namespace skald::lazy
