// SPDX-License-Identifier: Apache-2.0
#include "frontend/lazy/plan.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace skald::lazy {

// Numbers that are part of a plan.
static constexpr int64_t kShort = 16;

bool is_literal(DType type, const Scalar& scalar) {
  if (type == DType::kBool) return true;
  const double value = is_integer(type) ? static_cast<double>(scalar.i) : scalar.d;
  for (const double known : {0.0, 1.0, -1.0, 2.0, 0.5, 3.0, 4.0, 5.0, 6.0}) {
    if (value == known) return !std::signbit(value) || value == -1.0;
  }
  return false;
}

int64_t PlanWriter::known_number(std::vector<Known>& known, int64_t value) {
  for (const Known& each : known) {
    if (each.value == value) return symbol_code(each.number);
  }
  const auto number = static_cast<int64_t>(symbols.size());
  known.push_back({value, number});
  symbols.push_back(value);
  return symbol_code(number);
}

int64_t PlanWriter::size_number(int64_t value) {
  if (value == 1) return literal_code(1);
  if (is_open_) return leave_open(Open::kSize, value);
  // Short axes are what a program is made for: windows, coordinates, channels.
  return value <= kShort ? literal_code(value) : known_number(sizes_, value);
}

int64_t PlanWriter::position_number(int64_t value) {
  if (is_open_) return leave_open(Open::kPosition, value);
  // Small ones are worth a program of their own: stencils, and the parts of short axes.
  return value >= -kShort && value <= kShort ? literal_code(value)
                                             : known_number(positions_, value);
}

int64_t PlanWriter::external_of(Node* node) {
  if (node->plan_stamp != stamp_) {
    if (is_open_) {
      const bool is_before = node->plan_stamp + 1 == stamp_ && !node->is_plan_external;
      origins_.push_back(is_before ? node->plan_index : -1);
    }
    node->plan_stamp = stamp_;
    node->plan_uses = 0;
    node->is_plan_external = true;
    node->plan_index = static_cast<int32_t>(externals.size());
    externals.push_back(node);
  }
  ++node->plan_uses;
  return node->plan_index;
}

// Each axis of the view must be a step along one axis of the source, inside its bounds.
bool PlanWriter::write_axes(const View& view, const Dims& shape) {
  const int rank = shape.size(), view_rank = view.rank();
  if (rank > 8 || view_rank > 8) return false;
  int64_t base_strides[8], starts[8], steps[8];
  int axes[8];
  int64_t stride = 1;
  for (int i = rank - 1; i >= 0; --i) {
    base_strides[i] = stride;
    stride *= shape[i];
  }
  int64_t rest = view.offset;
  // Divisions are what this costs; mostly there is nothing to divide.
  for (int i = 0; i < rank; ++i) {
    const bool is_last = base_strides[i] == 1 || rest == 0;
    starts[i] = is_last ? rest : rest / base_strides[i];
    rest = is_last ? 0 : rest - starts[i] * base_strides[i];
  }
  uint32_t used = 0;
  for (int i = 0; i < view_rank; ++i) {
    axes[i] = -1;
    steps[i] = 0;
    if (view.strides[i] == 0 || view.shape[i] == 1) continue;
    for (int k = 0; k < rank; ++k) {
      if (shape[k] == 1 || (used >> k & 1)) continue;
      const int64_t wanted = view.strides[i], one = base_strides[k];
      const int64_t step = wanted == one ? 1 : one == 1 ? wanted : wanted / one;
      if (step * one != wanted) continue;
      const int64_t last = starts[k] + step * (view.shape[i] - 1);
      if (last < 0 || last >= shape[k]) continue;
      axes[i] = k;
      steps[i] = step;
      used |= 1U << k;
      break;
    }
    if (axes[i] < 0) return false;
  }
  code.push_back(static_cast<int64_t>(ViewForm::kAxes));
  for (int i = 0; i < view_rank; ++i) {
    code.push_back(axes[i]);
    code.push_back(position_number(steps[i]));
  }
  for (int k = 0; k < rank; ++k) code.push_back(position_number(starts[k]));
  return true;
}

void PlanWriter::write_view(const View& view, const Dims& shape) {
  code.push_back(view.rank());
  code.push_back(shape.size());
  if (view.offset == 0 && view.shape == shape && view.is_dense()) {
    code.push_back(static_cast<int64_t>(ViewForm::kWhole));
    return;
  }
  if (write_axes(view, shape)) return;
  if (view.rank() == 1 && shape.size() == 2 && view.strides[0] == shape[1] + 1) {
    const int64_t row = view.offset / shape[1], column = view.offset % shape[1];
    if (row + view.shape[0] <= shape[0] && column + view.shape[0] <= shape[1]) {
      code.push_back(static_cast<int64_t>(ViewForm::kDiagonal));
      code.push_back(position_number(row));
      code.push_back(position_number(column));
      return;
    }
  }
  code.push_back(static_cast<int64_t>(ViewForm::kFlat));
  for (int i = 0; i < view.rank(); ++i)
    code.push_back(position_number(view.shape[i] == 1 ? 0 : view.strides[i]));
  code.push_back(position_number(view.offset));
}

void PlanWriter::write_scalar(DType type, const Scalar& scalar, bool may_be_literal) {
  if (is_complex(type)) {
    code.push_back(static_cast<int64_t>(SourceKind::kComplex));
    code.push_back(static_cast<int64_t>(type));
    for (const double value : scalar.c) {
      Scalar part = {};
      part.d = value;
      write_scalar(part_type(type), part, may_be_literal);
    }
    return;
  }
  const int64_t bits = type == DType::kBool ? (scalar.b ? 1 : 0) : scalar.i;
  const bool fixed = !is_open_ && may_be_literal && is_literal(type, scalar);
  code.push_back(static_cast<int64_t>(fixed ? SourceKind::kLiteral : SourceKind::kScalar));
  code.push_back(static_cast<int64_t>(type));
  if (is_open_) {
    code.push_back(leave_open(may_be_literal ? Open::kScalar : Open::kSeed, bits, type));
  } else if (fixed) {
    code.push_back(bits);
  } else {
    code.push_back(may_be_literal ? scalar_number(type, scalar)
                                  : static_cast<int64_t>(scalars.size()));
    if (code.back() == static_cast<int64_t>(scalars.size())) scalars.push_back(scalar);
  }
}

// Equal constants have equal numbers, as sizes do, so that what is computed of both is computed
// once.
int64_t PlanWriter::scalar_number(DType type, const Scalar& scalar) {
  const int64_t bits = type == DType::kBool ? (scalar.b ? 1 : 0) : scalar.i;
  for (const KnownScalar& each : known_scalars_) {
    if (each.type == type && each.bits == bits) return each.number;
  }
  const auto number = static_cast<int64_t>(scalars.size());
  known_scalars_.push_back({type, bits, number});
  return number;
}

void PlanWriter::write_input(const Input& input) {
  if (!input.node) {
    write_scalar(input.type, input.scalar, true);
    return;
  }
  const bool inside = input.node->plan_stamp == stamp_ && !input.node->is_plan_external;
  const int64_t index = inside ? input.node->plan_index : external_of(input.node);
  if (inside) ++input.node->plan_uses;
  code.push_back(static_cast<int64_t>(inside ? SourceKind::kNode : SourceKind::kExternal));
  code.push_back(static_cast<int64_t>(input.type));
  code.push_back(index);
  write_view(input.view, input.node->shape);
}

// A mask that is not part of the code is needed by nobody else for this reason.
void PlanWriter::note_mask(Node* mask) const {
  if (mask->plan_stamp == stamp_) ++mask->plan_uses;
}

void PlanWriter::write_call(const Node* node) {
  // A call that fails must leave all arrays as they were.
  may_consume_ = false;
  code.push_back(node->target.shape.size());
  for (const int64_t n : node->target.shape) code.push_back(size_number(n));
  for (int i = 0; i < node->input_count; ++i) {
    const Input& input = node->inputs[i];
    const int rank = input.node ? input.view.rank() : 0;
    code.push_back(rank);
    for (int k = 0; k < rank; ++k) code.push_back(size_number(input.view.shape[k]));
  }
}

void PlanWriter::write_node(Node* node) {
  // Programs compute masked elements everywhere.
  const int count = node->input_count - (node->is_masked ? 1 : 0);
  code.push_back(static_cast<int64_t>(node->kind) | static_cast<int64_t>(node->op) << 8 |
                 static_cast<int64_t>(node->type) << 24 |
                 static_cast<int64_t>(node->compute_type) << 32 |
                 static_cast<int64_t>(node->keeps_axes) << 40 | static_cast<int64_t>(count) << 48);
  code.push_back(static_cast<int64_t>(node->axes));
  code.push_back(node->shape.size());
  for (const int64_t n : node->shape) code.push_back(size_number(n));
  if (node->kind == NodeKind::kFill || node->kind == NodeKind::kIota ||
      node->kind == NodeKind::kRandom) {
    const DType type = node->kind == NodeKind::kRandom ? DType::kU64 : node->type;
    write_scalar(type, node->scalar, node->kind != NodeKind::kRandom);
    if (node->kind != NodeKind::kFill)
      write_scalar(type, node->step, node->kind != NodeKind::kRandom);
  }
  for (int i = 0; i < count; ++i) write_input(node->inputs[i]);
  if (node->is_masked) note_mask(node->inputs[count].node);
  if (node->kind == NodeKind::kReduce) {
    code.push_back(node->inputs[0].view.rank());
    for (const int64_t n : node->inputs[0].view.shape) code.push_back(size_number(n));
  }
  if (node->kind == NodeKind::kProduct) code.push_back(size_number(node->inputs[1].view.shape[0]));
  if (node->kind == NodeKind::kRoll) {
    // Short ways round are numbers of the code.
    const int64_t extent = node->shape[__builtin_ctzll(node->axes)], shift = node->scalar.i;
    const int64_t way = extent - shift <= 16 && shift > 16 ? shift - extent : shift;
    code.push_back(is_open_ ? leave_open(Open::kShift, way) : position_number(way));
  }
  if (node->kind == NodeKind::kAssign) {
    code.push_back(node->target.rank());
    for (const int64_t n : node->target.shape) code.push_back(size_number(n));
    write_view(node->target, node->shape);
  }
  if (node->kind == NodeKind::kCall) write_call(node);
  node->plan_stamp = stamp_;
  node->plan_uses = 0;
  node->is_plan_external = false;
  node->plan_index = static_cast<int32_t>(nodes.size());
  nodes.push_back(node);
}

void PlanWriter::begin() {
  stamp_ = ++last_stamp;
  code.clear(), symbols.clear(), scalars.clear(), externals.clear(), nodes.clear(), outputs.clear();
  sizes_.clear(), positions_.clear(), known_scalars_.clear();
  symbol_tables.clear(), scalar_tables.clear(), must_copy.clear();
  may_consume_ = true;
}

void PlanWriter::write(Node* first, Node* end) {
  begin();
  for (Node* node = first; node != end; node = node->next) write_node(node);
  code.push_back(-1);
  for (Node* node : nodes) {
    const bool needed =
        node->refs > node->plan_uses && node->kind != NodeKind::kCall && !node->is_refused;
    code.push_back(needed ? 1 : 0);
    if (needed) outputs.push_back(node);
  }
  finish();
}

void PlanWriter::write_function(const std::vector<Node*>& function,
                                const std::vector<Node*>& results) {
  begin();
  may_consume_ = false;
  for (Node* node : function) write_node(node);
  code.push_back(-1);
  for (Node* node : nodes) {
    const bool needed = std::find(results.begin(), results.end(), node) != results.end();
    code.push_back(needed ? 1 : 0);
    if (needed) outputs.push_back(node);
  }
  finish();
}

void PlanWriter::finish() {
  write_externals();
  hash_code();
}

void PlanWriter::write_externals() {
  for (Node* node : externals) {
    const bool exclusive = may_consume_ && !is_open_ && node->refs == node->plan_uses &&
                           node->buffer->refs == 1 && node->buffer->exports == 0 &&
                           node->buffer->writable && node->byte_offset == 0;
    code.push_back(static_cast<int64_t>(node->type) << 8 | (exclusive ? 1 : 0));
    code.push_back(node->shape.size());
    for (const int64_t n : node->shape) code.push_back(size_number(n));
  }
}

void PlanWriter::hash_code() {
  hash = 0xcbf29ce484222325ULL;
  for (const int64_t word : code) {
    hash = (hash ^ static_cast<uint64_t>(word)) * 0x9fb21c651e98df25ULL;
    hash ^= hash >> 32;
  }
}

namespace {

class Reader {
 public:
  explicit Reader(const std::vector<int64_t>& code) : code_(code) {}

  Plan plan() {
    Plan plan;
    while (code_[at_] != -1) plan.nodes.push_back(node());
    ++at_;
    for (PlanNode& node : plan.nodes) node.is_output = next() != 0;
    while (at_ < code_.size() && code_[at_] != -2) {
      PlanExternal external;
      const int64_t word = next();
      external.type = static_cast<DType>(word >> 8);
      external.is_exclusive = (word & 1) != 0;
      external.shape = numbers(next());
      plan.externals.push_back(std::move(external));
    }
    plan.symbols = static_cast<int>(symbols_);
    plan.scalars = scalars_;
    if (at_ < code_.size()) {
      ++at_;
      plan.is_loop = true;
      for (size_t i = 0; i < plan.externals.size(); ++i)
        plan.carried.push_back(static_cast<int>(next()));
      for (std::vector<int>* list : {&plan.changing_symbols, &plan.changing_scalars}) {
        for (int64_t count = next(); count > 0; --count) list->push_back(static_cast<int>(next()));
      }
      for (int64_t count = next(); count > 0; --count) {
        const int first = static_cast<int>(next());
        plan.distinct.emplace_back(first, static_cast<int>(next()));
      }
    }
    return plan;
  }

 private:
  int64_t next() { return code_[at_++]; }
  PlanNumber number() {
    const int64_t word = next();
    const bool is_symbol = (word & 1) != 0;
    if (is_symbol) symbols_ = std::max(symbols_, (word >> 1) + 1);
    return {is_symbol, word >> 1};
  }
  std::vector<PlanNumber> numbers(int64_t count) {
    std::vector<PlanNumber> list;
    for (int64_t i = 0; i < count; ++i) list.push_back(number());
    return list;
  }
  void view(PlanInput& input) {
    const int64_t rank = next(), source_rank = next();
    input.form = static_cast<ViewForm>(next());
    if (input.form == ViewForm::kAxes) {
      for (int64_t i = 0; i < rank; ++i) {
        input.axes.push_back(static_cast<int>(next()));
        input.strides.push_back(number());
      }
      input.starts = numbers(source_rank);
    } else if (input.form == ViewForm::kDiagonal) {
      input.starts = numbers(2);
    } else if (input.form == ViewForm::kFlat) {
      input.strides = numbers(rank);
      input.starts = numbers(1);
    }
  }
  PlanInput input() {
    PlanInput input;
    input.source = static_cast<SourceKind>(next());
    input.type = static_cast<DType>(next());
    if (input.source == SourceKind::kComplex) {
      for (int part = 0; part < 2; ++part) input.parts.push_back(this->input());
      return input;
    }
    input.index = next();
    if (input.source == SourceKind::kScalar) {
      if (scalars_.size() <= static_cast<size_t>(input.index))
        scalars_.resize(static_cast<size_t>(input.index) + 1);
      scalars_[static_cast<size_t>(input.index)] = input.type;
    }
    if (input.source == SourceKind::kNode || input.source == SourceKind::kExternal) view(input);
    return input;
  }
  PlanNode node() {
    PlanNode node;
    const int64_t word = next();
    node.kind = static_cast<NodeKind>(word & 0xff);
    node.op = static_cast<uint16_t>(word >> 8);
    node.type = static_cast<DType>(word >> 24 & 0xff);
    node.compute_type = static_cast<DType>(word >> 32 & 0xff);
    node.keeps_axes = (word >> 40 & 1) != 0;
    int64_t inputs = word >> 48;
    node.axes = static_cast<uint64_t>(next());
    node.shape = numbers(next());
    if (node.kind == NodeKind::kFill) inputs = 1;
    if (node.kind == NodeKind::kIota || node.kind == NodeKind::kRandom) inputs = 2;
    for (int64_t i = 0; i < inputs; ++i) node.inputs.push_back(input());
    if (node.kind == NodeKind::kReduce) node.target_shape = numbers(next());
    if (node.kind == NodeKind::kProduct) node.target_shape = numbers(1);
    if (node.kind == NodeKind::kRoll) node.shift = number();
    if (node.kind == NodeKind::kAssign) {
      node.target_shape = numbers(next());
      view(node.target);
    }
    if (node.kind == NodeKind::kCall) {
      node.target_shape = numbers(next());
      for (int64_t i = 0; i < inputs; ++i) node.input_shapes.push_back(numbers(next()));
    }
    return node;
  }

  const std::vector<int64_t>& code_;
  size_t at_ = 0;
  int64_t symbols_ = 0;
  std::vector<DType> scalars_;
};

}  // namespace

Plan read_plan(const std::vector<int64_t>& code) {
  return Reader(code).plan();
}

}  // namespace skald::lazy
