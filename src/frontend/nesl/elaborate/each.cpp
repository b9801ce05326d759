// SPDX-License-Identifier: Apache-2.0
// Apply-to-each: one map; with a filter, a partition before it.
#include <algorithm>
#include <utility>

#include "frontend/nesl/elaborate/elaborator.h"
#include "support/bug.h"

namespace skald::nesl {

// All sources as one sequence of tuples.
Value Elaborator::sources(const Each& each, Span span) {
  std::vector<Value> sequences;
  for (const Source& source : each.sources) sequences.push_back(exp(*source.sequence));
  // The loop that computes one of them can become one with this one if both have one width.
  const auto is_mapped = [&](const Value& sequence) {
    return std::ranges::any_of(row_arrays(sequence),
                               [&](const Operand& array) { return code_.is_mapped(array); });
  };
  const auto mapped = std::ranges::find_if(sequences, is_mapped);
  const size_t base =
      mapped == sequences.end() ? 0 : static_cast<size_t>(mapped - sequences.begin());
  const Operand width = length_of(sequences[base]);
  for (size_t k = 0; k < sequences.size(); ++k) {
    const Operand other = length_of(sequences[k]);
    if (other == width) continue;
    const core::Loc before = code_.set_place(span);
    const std::vector<Name> tokens =
        code_.check(code_.equal(width, other),
                    {std::string("the sequences of this apply-to-each have different lengths: "),
                     k < base ? other : width, std::string(" and "), k < base ? width : other});
    sequences[k] = with_length(code_, sequences[k], width, tokens);
    code_.set_loc(before);
  }
  Value all = sequences.back();
  for (size_t k = sequences.size() - 1; k-- > 0;) {
    Value both{sequence_shape(pair_shape(element_of(sequences[k]), element_of(all))),
               sequences[k].parts};
    both.parts.insert(both.parts.end(), all.parts.begin() + 1, all.parts.end());
    all = std::move(both);
  }
  return all;
}

void Elaborator::bind_sources(const Each& each, const Value& element) {
  Value rest = element;
  for (size_t k = 0; k < each.sources.size(); ++k) {
    const bool is_last = k + 1 == each.sources.size();
    bind(*each.sources[k].pattern, is_last ? rest : first_of(rest));
    if (!is_last) rest = second_of(rest);
  }
}

namespace {

// So few elements are written out one by one.  Calls of a function for each of them are then calls
// of their own, which the passes gather into one batch.
constexpr int64_t kFewElements = 4;

// The number of elements, if all sources are written out as [a, b, c] and that short.
std::optional<size_t> few_listed(const Each& each) {
  std::optional<size_t> count;
  for (const Source& source : each.sources) {
    const auto* list = std::get_if<SequenceLit>(&source.sequence->node);
    if (list == nullptr || list->elements.size() > kFewElements) return std::nullopt;
    if (count && *count != list->elements.size()) return std::nullopt;
    count = list->elements.size();
  }
  return each.filter == nullptr ? count : std::nullopt;
}

}  // namespace

// Elements of which each is one tuple of what the sources have.
Value Elaborator::one_by_one(const Each& each, const std::vector<Value>& elements) {
  std::vector<Value> results;
  for (const Value& element : elements)
    results.push_back(scoped([&] {
      bind_sources(each, element);
      return exp(*each.body);
    }));
  for (const Value& result : results)
    if (!same_shape(*results.front().shape, *result.shape))
      refuse(each.body->span, "this gives different functions, which cannot be told apart");
  return listed(code_, results);
}

std::vector<Value> Elaborator::listed_elements(const Each& each, size_t count) {
  std::vector<std::vector<Value>> sources;
  for (const Source& source : each.sources) {
    sources.emplace_back();
    for (const ExpPtr& element : std::get<SequenceLit>(source.sequence->node).elements)
      sources.back().push_back(exp(*element));
  }
  std::vector<Value> elements = sources.back();
  for (size_t source = sources.size() - 1; source-- > 0;)
    for (size_t k = 0; k < count; ++k) elements[k] = pair_of(sources[source][k], elements[k]);
  return elements;
}

namespace {

// Both parts of a sequence of pairs.
std::pair<Value, Value> both_sequences(const Value& pairs) {
  const ShapeRef& element = element_of(pairs);
  const auto middle =
      pairs.parts.begin() + 1 + static_cast<std::ptrdiff_t>(column_count(*element->args[0]));
  Value firsts{sequence_shape(element->args[0]), {pairs.parts.begin(), middle}};
  Value seconds{sequence_shape(element->args[1]), {length_of(pairs)}};
  seconds.parts.insert(seconds.parts.end(), middle, pairs.parts.end());
  return {firsts, seconds};
}

}  // namespace

// What the conditions print comes before what the bodies do.
Value Elaborator::kept_printing(const Each& each, const Value& all, bool takes_random,
                                Value& output) {
  const std::optional<Operand> seed = std::exchange(seed_, std::nullopt);
  takes_random = takes_random && seed.has_value();
  std::vector<Operand> arrays = row_arrays(all);
  std::vector<Prim> prims = row_prims(*element_of(all));
  arrays.push_back(code_.iota(length_of(all)));
  prims.push_back(Prim::kI64);
  const Value flagged =
      collected(code_, length_of(all), arrays, prims, [&](const std::vector<Operand>& x) {
        return scoped([&] {
          seed_.reset();
          if (takes_random) seed_ = mixed_seed(builder(), *seed, x.back());
          output_ = string_constant("");
          bind_sources(each, row_element(code_, all, x));
          const Value flag = this->exp(*each.filter);
          return pair_of(flag, *output_);
        });
      });
  seed_ = seed;
  if (takes_random) seed_ = mixed_seed(builder(), *seed, core::const_i64(-2));
  output_.reset();
  const auto [flags, texts] = both_sequences(flagged);
  output = appended(code_, output, flattened(code_, texts));
  Value elements{sequence_shape(pair_shape(element_of(all), scalar_shape(Shape::kBool))),
                 all.parts};
  elements.parts.push_back(flags.parts[1]);
  const Value result =
      filtered(code_, elements, [](const std::vector<Operand>& entries) { return entries.back(); });
  return both_sequences(result).first;
}

// The elements for which the condition holds.
Value Elaborator::kept(const Each& each, const Value& all, bool takes_random) {
  const std::optional<Operand> seed = std::exchange(seed_, std::nullopt);
  takes_random = takes_random && seed.has_value();
  Value elements = all;
  if (takes_random) {
    elements.shape = sequence_shape(pair_shape(element_of(all), scalar_shape(Shape::kInt)));
    elements.parts.push_back(code_.iota(length_of(all)));
  }
  Value result = filtered(code_, elements, [&](const std::vector<Operand>& entries) {
    return scoped([&] {
             const Value element = row_element(code_, elements, entries);
             if (takes_random) seed_ = mixed_seed(builder(), *seed, second_of(element).parts[0]);
             bind_sources(each, takes_random ? first_of(element) : element);
             return this->exp(*each.filter);
           })
        .parts[0];
  });
  seed_ = seed;
  if (!takes_random) return result;
  seed_ = mixed_seed(builder(), *seed, core::const_i64(-2));
  return both_sequences(result).first;
}

Value Elaborator::each(const Exp& exp, const Each& each) {
  if (const std::optional<size_t> count = few_listed(each))
    return one_by_one(each, listed_elements(each, *count));
  Effects inside = effects_.of(*each.body), around;
  for (const auto& [name, value] : locals_) around.add(effects_.of_shape(*value.shape));
  Value all = sources(each, exp.span);
  around.add(effects_.of_shape(*all.shape));
  inside.add(around);
  if (each.filter != nullptr) {
    around.add(effects_.of(*each.filter));
    inside.add(around);
  }
  const Operand& width = length_of(all);
  const core::Const* known = core::as_const(width);
  if (known != nullptr && each.filter == nullptr && known->bits >= 1 &&
      known->bits <= kFewElements) {
    std::vector<Value> elements;
    for (int64_t k = 0; k < core::int_value(*known); ++k)
      elements.push_back(element_at(code_, all, core::const_i64(k), {}));
    return one_by_one(each, elements);
  }
  std::optional<Value> output = output_;
  output_.reset();
  if (each.filter != nullptr && output.has_value() && around.prints)
    all = kept_printing(each, all, inside.random, *output);
  else if (each.filter != nullptr)
    all = kept(each, all, inside.random);
  const std::optional<Operand> seed = seed_;
  std::vector<Operand> arrays = row_arrays(all);
  std::vector<Prim> prims = row_prims(*element_of(all));
  // Every element has random numbers of its own, and a text of its own if it prints.
  const bool takes_random = inside.random && seed.has_value();
  const bool prints = output.has_value() && inside.prints;
  if (takes_random || arrays.empty()) {
    arrays.push_back(code_.iota(length_of(all)));
    prims.push_back(Prim::kI64);
  }
  Value result =
      collected(code_, length_of(all), arrays, prims, [&](const std::vector<Operand>& x) {
        return scoped([&] {
          seed_.reset();
          if (takes_random) seed_ = mixed_seed(builder(), *seed, x.back());
          if (prints) output_ = string_constant("");
          bind_sources(each, row_element(code_, all, x));
          const Value value = this->exp(*each.body);
          return prints ? pair_of(value, *output_) : value;
        });
      });
  seed_ = seed;
  if (takes_random) seed_ = mixed_seed(builder(), *seed, core::const_i64(-1));
  output_ = output;
  if (prints) {
    const auto [values, texts] = both_sequences(result);
    output_ = appended(code_, *output, flattened(code_, texts));
    return values;
  }
  return result;
}

}  // namespace skald::nesl
