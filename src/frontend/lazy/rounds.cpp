// SPDX-License-Identifier: Apache-2.0
// Loops of the host language: rounds of nodes that do the same become a plan of one round, and how
// often it is run.
//
// An array that a round needs is the same in each round, or it is what the round before made of it.
// Numbers (positions, sizes, constants) that differ from round to round come from tables.
#include <algorithm>
#include <bit>
#include <functional>

#include "frontend/lazy/plan.h"

namespace skald::lazy {

namespace {

constexpr int64_t kOpenNumber = -5;  // in the code
constexpr int64_t kLongestRound = 400, kFewestRounds = 4;

uint32_t look_of(const Node* node) {
  uint64_t look = static_cast<uint64_t>(node->kind) | static_cast<uint64_t>(node->op) << 8 |
                  static_cast<uint64_t>(node->type) << 24 |
                  static_cast<uint64_t>(node->input_count) << 32 |
                  static_cast<uint64_t>(node->shape.size()) << 40 | node->axes << 48;
  for (int i = 0; i < node->input_count; ++i) {
    const Input& input = node->inputs[i];
    const auto rank = static_cast<uint64_t>(input.node ? input.view.rank() + 1 : 0);
    look = (look ^ rank) * 0x9fb21c651e98df25ULL;
  }
  look *= 0x9fb21c651e98df25ULL;
  return static_cast<uint32_t>(look >> 32);
}

// For each place, the next one that looks the same for a few nodes; or -1.
std::vector<int32_t> next_alike(const std::vector<uint32_t>& looks) {
  constexpr size_t kRow = 4;
  std::vector<int32_t> next(looks.size(), -1);
  if (looks.size() < kRow) return next;
  // The last place seen with a hash; another one with the same hash may hide it.
  std::vector<int32_t> seen(std::bit_ceil(2 * looks.size()), -1);
  const auto row_at = [&](size_t i) {
    uint64_t row = 0;
    for (size_t k = 0; k < kRow; ++k) row = (row ^ looks[i + k]) * 0x9fb21c651e98df25ULL;
    return row;
  };
  for (size_t i = looks.size() - kRow + 1; i-- > 0;) {
    int32_t& place = seen[(row_at(i) >> 32) & (seen.size() - 1)];
    const bool same =
        place >= 0 &&
        std::equal(looks.begin() + static_cast<std::ptrdiff_t>(i),
                   looks.begin() + static_cast<std::ptrdiff_t>(i + kRow), looks.begin() + place);
    if (same) next[i] = place;
    place = static_cast<int32_t>(i);
  }
  return next;
}

// How many values go from each place of a round to what comes after it: the fewest cross the place
// where a round begins.  The nodes are numbered from `first` on.
int64_t best_beginning(Node* first, int64_t period, uint64_t stamp) {
  const int64_t count = 3 * period;
  std::vector<int64_t> last_use(static_cast<size_t>(count), -1);
  int64_t at = 0;
  for (Node* node = first; node && at < count; node = node->next, ++at) {
    for (int i = 0; i < node->input_count; ++i) {
      const Node* from = node->inputs[i].node;
      if (from && from->plan_stamp == stamp) last_use[static_cast<size_t>(from->plan_index)] = at;
    }
    node->plan_stamp = stamp;
    node->plan_index = static_cast<int32_t>(at);
  }
  int64_t best = 0, fewest = count;
  for (int64_t begin = 0; begin < period; ++begin) {
    // In the second round, which has one before it and one after.
    const int64_t border = begin + period;
    int64_t crossing = 0;
    for (int64_t i = border - period; i < border; ++i)
      crossing += last_use[static_cast<size_t>(i)] >= border ? 1 : 0;
    if (crossing < fewest) {
      fewest = crossing;
      best = begin;
    }
  }
  return best;
}

// Rounds that only compute element by element are one kernel when they are written out, which reads
// and stores less than a loop does.
bool is_better_written_out(const Node* first, const Repetition& loop) {
  constexpr int64_t kMostWrittenOut = 64;
  if (loop.rounds * loop.period > kMostWrittenOut) return false;
  const Node* node = first;
  for (int64_t i = 0; i < loop.period; ++i, node = node->next) {
    const bool is_elementwise = node->kind == NodeKind::kElementwise ||
                                node->kind == NodeKind::kCast || node->kind == NodeKind::kFill;
    if (!is_elementwise) return false;
    for (int k = 0; k < node->input_count; ++k) {
      const Input& input = node->inputs[k];
      const bool is_whole = input.view.offset == 0 && input.view.shape == node->shape;
      if (input.node && input.node->is_pending() && !(is_whole && input.view.is_dense()))
        return false;
    }
  }
  return true;
}

// Rounds that add up much and leave little, such as the sums of many choices from one array, read
// what they need from memory each time.  So many together read it once.
constexpr int64_t kTogether = 4;

bool sums_up_much(const Node* first, int64_t period) {
  constexpr int64_t kMuch = int64_t{1} << 16;
  const Node* node = first;
  for (int64_t i = 0; i < period; ++i, node = node->next) {
    if (node->kind == NodeKind::kReduce && node->inputs[0].view.count() >= kMuch) return true;
  }
  return false;
}

}  // namespace

// After `repeats` has found what rounds need of each other.
void PlanWriter::put_together(Node* first, Repetition& loop) {
  constexpr int64_t kLittle = int64_t{1} << 13;
  if (loop.rounds < kFewestRounds * kTogether || loop.period * kTogether > kLongestRound ||
      !sums_up_much(first, loop.period))
    return;
  std::vector<const Node*> round;
  const Node* node = first;
  for (int64_t i = 0; i < loop.period; ++i, node = node->next) round.push_back(node);
  for (const int from : carried_) {
    if (from >= 0 && round[static_cast<size_t>(from)]->count() > kLittle) return;
  }
  const Repetition wide{loop.start, loop.period * kTogether, loop.rounds / kTogether};
  if (repeats(first, wide)) loop = wide;
}

bool PlanWriter::find_loop(Node* first, int64_t count, Repetition& loop) {
  constexpr size_t kMostKnown = 4096;
  looks_.clear();
  looks_.reserve(static_cast<size_t>(count));
  uint64_t hash = static_cast<uint64_t>(count);
  for (Node* node = first; count > 0; --count, node = node->next) {
    looks_.push_back(look_of(node));
    hash = (hash ^ looks_.back()) * 0x9fb21c651e98df25ULL;
    hash ^= hash >> 32;
  }
  last_looks_ = hash;
  const auto known = known_loops_.find(hash);
  if (known != known_loops_.end()) {
    loop = known->second;
    return loop.rounds > 0;
  }
  const bool found = look_for_loop(first, loop);
  if (known_loops_.size() >= kMostKnown) known_loops_.clear();
  known_loops_[hash] = found ? loop : Repetition();
  return found;
}

bool PlanWriter::look_for_loop(Node* first, Repetition& loop) {
  constexpr int kMostTries = 6, kMostDisappointments = 16;
  const std::vector<uint32_t>& looks = looks_;
  const auto count = static_cast<int64_t>(looks.size());
  const std::vector<int32_t> next = next_alike(looks);
  int disappointments = 0;
  Node* node = first;
  for (int64_t i = 0, wait = 0; i < count; ++i, node = node->next) {
    if (i < wait) continue;
    int64_t j = next[static_cast<size_t>(i)], turned = -1;
    for (int tries = 0; j >= 0 && tries < kMostTries; ++tries) {
      const int64_t period = j - i;
      if (period > kLongestRound || i + kFewestRounds * period > count) break;
      int64_t same = 0;
      while (j + same < count &&
             looks[static_cast<size_t>(i + same)] == looks[static_cast<size_t>(j + same)])
        ++same;
      if (same / period + 1 >= kFewestRounds) {
        if (turned < 0) turned = best_beginning(node, period, ++last_stamp);
        Node* begin = node;
        for (int64_t k = 0; k < turned; ++k) begin = begin->next;
        loop = {i + turned, period, (same + period - turned) / period};
        if (repeats(begin, loop)) {
          if (is_better_written_out(begin, loop)) return false;
          put_together(begin, loop);
          return true;
        }
        if (wait <= i) wait = i + period;
        if (++disappointments == kMostDisappointments) return false;
      }
      j = next[static_cast<size_t>(j)];
    }
  }
  return false;
}

// What was written for one round.
struct PlanWriter::Round {
  std::vector<int64_t> code;
  std::vector<Node*> nodes, externals;
  std::vector<int32_t> uses, external_uses;  // by the round itself
  std::vector<int> origins;
  size_t externals_at = 0;
};

int64_t PlanWriter::leave_open(Open what, int64_t value, DType type) {
  if (is_first_round_) open_.push_back({code.size(), what, type});
  values_.push_back(value);
  return kOpenNumber;
}

Node* PlanWriter::write_round(Node* next, int64_t period, Round& round) {
  stamp_ = ++last_stamp;
  code.clear(), origins_.clear(), externals.clear(), nodes.clear();
  for (int64_t i = 0; i < period; ++i, next = next->next) write_node(next);
  code.push_back(-1);
  code.insert(code.end(), nodes.size(), 0);
  round.externals_at = code.size();
  write_externals();
  std::swap(round.code, code);
  std::swap(round.nodes, nodes);
  std::swap(round.externals, externals);
  std::swap(round.origins, origins_);
  round.uses.clear(), round.external_uses.clear();
  for (const Node* node : round.nodes) round.uses.push_back(node->plan_uses);
  for (const Node* node : round.externals) round.external_uses.push_back(node->plan_uses);
  return next;
}

// Does `round` do the same as the first one, with what came out of the one before?
bool PlanWriter::follows(const Round& first, const Round& before, const Round& round) {
  if (round.code != first.code) return false;
  const bool is_second = carried_.empty();
  for (size_t e = 0; e < round.externals.size(); ++e) {
    const int origin = round.origins[e];
    if (origin < 0 && round.externals[e] != before.externals[e]) return false;
    if (is_second) {
      carried_.push_back(origin);
    } else if (carried_[e] != origin) {
      return false;
    }
  }
  // Nobody else may need what the round before made.
  std::vector<int32_t>& uses = next_uses_;
  uses = before.uses;
  for (size_t e = 0; e < round.externals.size(); ++e) {
    if (round.origins[e] >= 0)
      uses[static_cast<size_t>(round.origins[e])] += round.external_uses[e];
  }
  for (size_t i = 0; i < uses.size(); ++i) {
    if (before.nodes[i]->refs != uses[i]) return false;
  }
  return true;
}

// Which nodes of a round the next one needs, and which arrays from outside they become.
bool PlanWriter::find_outputs(const Round& first, int64_t rounds) {
  const size_t period = first.nodes.size(), last = static_cast<size_t>(rounds - 1) * period;
  std::vector<int64_t> number(period, -1);
  int64_t outputs_so_far = 0;
  for (size_t i = 0; i < period; ++i) {
    const bool is_carried =
        std::find(carried_.begin(), carried_.end(), static_cast<int>(i)) != carried_.end();
    if (!is_carried) continue;
    for (int64_t round = 1; round < rounds; ++round) {
      if (!(nodes[static_cast<size_t>(round) * period + i]->shape == nodes[i]->shape)) return false;
    }
    number[i] = outputs_so_far++;
    outputs.push_back(nodes[last + i]);
    code[externals_at_ - period + i] = 1;
  }
  size_t at = externals_at_;
  std::vector<int64_t> tail{-2};
  for (size_t e = 0; e < externals.size(); ++e) {
    const Node* node = externals[e];
    const int from = carried_[e];
    const bool ours = node->refs == first.external_uses[e] && node->buffer->refs == 1 &&
                      node->buffer->exports == 0 && node->buffer->writable &&
                      node->byte_offset == 0;
    must_copy.push_back(from >= 0 && !ours);
    if (from >= 0 && !(node->shape == nodes[static_cast<size_t>(from)]->shape)) return false;
    if (from >= 0 && !node->shape.empty()) code[at] |= 1;
    at += 2 + static_cast<size_t>(node->shape.size());
    tail.push_back(from < 0 ? -1 : number[static_cast<size_t>(from)]);
  }
  code.insert(code.end(), tail.begin(), tail.end());
  return true;
}

void PlanWriter::close_scalar(const OpenNumber& number, const int64_t* column, int64_t rounds,
                              bool same) {
  const auto scalar_of = [&](int64_t bits) {
    Scalar scalar = {};
    if (number.type == DType::kBool) {
      scalar.b = bits != 0;
    } else {
      scalar.i = bits;
    }
    return scalar;
  };
  const Scalar first = scalar_of(column[0]);
  if (same && number.what == Open::kScalar && is_literal(number.type, first)) {
    code[number.at - 2] = static_cast<int64_t>(SourceKind::kLiteral);
    code[number.at] = column[0];
    return;
  }
  code[number.at] = static_cast<int64_t>(scalars.size());
  if (!same) {
    changing_scalars_.push_back(static_cast<int64_t>(scalars.size()));
    auto& table = scalar_tables.emplace_back();
    for (int64_t i = 0; i < rounds; ++i) table.push_back(scalar_of(column[i]));
  }
  scalars.push_back(first);
}

// Numbers that are the same in all rounds become what they are in other plans.
bool PlanWriter::close_numbers(int64_t rounds) {
  const size_t count = open_.size();
  std::vector<int64_t> column(static_cast<size_t>(rounds));
  for (size_t k = 0; k < count; ++k) {
    const OpenNumber& number = open_[k];
    bool same = true;
    for (size_t i = 0; i < column.size(); ++i) {
      column[i] = values_[i * count + k];
      same = same && column[i] == column[0];
    }
    if (number.what == Open::kScalar || number.what == Open::kSeed) {
      close_scalar(number, column.data(), rounds, same);
    } else if (same) {
      code[number.at] =
          number.what == Open::kSize ? size_number(column[0]) : position_number(column[0]);
    } else {
      // A roll by a number that is not known goes forwards.
      if (number.what == Open::kShift) return false;
      auto known = std::find(symbol_tables.begin(), symbol_tables.end(), column);
      if (known == symbol_tables.end()) {
        changing_symbols_.push_back(static_cast<int64_t>(symbols.size()));
        symbols.push_back(column[0]);
        symbol_tables.push_back(column);
        known = symbol_tables.end() - 1;
      }
      code[number.at] =
          symbol_code(changing_symbols_[static_cast<size_t>(known - symbol_tables.begin())]);
    }
  }
  return true;
}

// Positions that stay apart: what is written at one of them is not read at the other.
void PlanWriter::write_distinct() {
  constexpr size_t kMostTables = 8;
  const size_t at = code.size(), count = std::min(kMostTables, symbol_tables.size());
  code.push_back(0);
  for (size_t i = 0; i < count; ++i) {
    for (size_t k = i + 1; k < count; ++k) {
      const std::vector<int64_t>&a = symbol_tables[i], &b = symbol_tables[k];
      if (!std::equal(a.begin(), a.end(), b.begin(), std::not_equal_to<>())) continue;
      ++code[at];
      code.insert(code.end(), {changing_symbols_[i], changing_symbols_[k]});
    }
  }
}

// Writes rounds as long as they do the same, with their numbers left open; gives how many.
int64_t PlanWriter::write_alike(Node* first, int64_t period, int64_t most, Round& one,
                                Round& last) {
  begin();
  Node* called = first;
  for (int64_t i = 0; i < period; ++i, called = called->next) {
    if (called->kind == NodeKind::kCall || called->kind == NodeKind::kPart) return 0;
  }
  values_.clear(), carried_.clear(), changing_symbols_.clear(), changing_scalars_.clear();
  open_.clear();
  is_open_ = is_first_round_ = true;
  Node* next = write_round(first, period, one);
  is_first_round_ = false;
  values_.reserve(open_.size() * static_cast<size_t>(most + 1));
  Round round;
  last = one;
  std::vector<Node*> all = one.nodes;
  all.reserve(static_cast<size_t>(period * most));
  int64_t rounds = 1;
  for (; rounds < most; ++rounds) {
    next = write_round(next, period, round);
    if (!follows(one, last, round)) break;
    all.insert(all.end(), round.nodes.begin(), round.nodes.end());
    std::swap(last, round);
  }
  is_open_ = false;
  nodes = std::move(all);
  return rounds;
}

bool PlanWriter::repeats(Node* first, const Repetition& loop) {
  Round one, last;
  const int64_t enough = std::min(loop.rounds, kFewestRounds);
  return write_alike(first, loop.period, enough, one, last) >= kFewestRounds;
}

int64_t PlanWriter::write_rounds(Node* first, int64_t period, int64_t most) {
  const int64_t rounds = try_rounds(first, period, most);
  // What looked like a row that was met is another one: the next time it is looked at again.
  if (rounds == 0) known_loops_.erase(last_looks_);
  return rounds;
}

int64_t PlanWriter::try_rounds(Node* first, int64_t period, int64_t most) {
  Round one, last;
  int64_t rounds = write_alike(first, period, most, one, last);
  if (rounds < kFewestRounds) return 0;
  code = one.code;
  externals = one.externals;
  // Somebody may need more of the last round than the next one would: then it is none of the loop.
  for (size_t i = 0; i < last.nodes.size(); ++i) {
    const bool is_carried =
        std::find(carried_.begin(), carried_.end(), static_cast<int>(i)) != carried_.end();
    if (is_carried || last.nodes[i]->refs == last.uses[i]) continue;
    nodes.resize(nodes.size() - last.nodes.size());
    --rounds;
    break;
  }
  externals_at_ = one.externals_at;
  if (!find_outputs(one, rounds) || !close_numbers(rounds)) return 0;
  for (const auto* list : {&changing_symbols_, &changing_scalars_}) {
    code.push_back(static_cast<int64_t>(list->size()));
    code.insert(code.end(), list->begin(), list->end());
  }
  write_distinct();
  symbols.push_back(rounds);
  hash_code();
  return rounds;
}

}  // namespace skald::lazy
