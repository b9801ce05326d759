// SPDX-License-Identifier: Apache-2.0
// Apply-to-each: one map; with a filter, a partition before it.
#include "frontend/nesl/elaborate/elaborator.h"
#include "support/bug.h"

namespace skald::nesl {

// All sources as one sequence of tuples.
Value Elaborator::sources(const Each& each, Span span) {
  std::vector<Value> sequences;
  for (const Source& source : each.sources) sequences.push_back(exp(*source.sequence));
  const Operand width = length_of(sequences.front());
  for (size_t k = 1; k < sequences.size(); ++k) {
    const Operand other = length_of(sequences[k]);
    if (other == width) continue;
    const core::Loc before = code_.set_place(span);
    const std::vector<Name> tokens =
        code_.check(code_.equal(width, other),
                    {std::string("the sequences of this apply-to-each have different lengths: "),
                     width, std::string(" and "), other});
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

Value Elaborator::each(const Exp& exp, const Each& each) {
  Effects inside = effects_.of(*each.body);
  if (each.filter != nullptr) inside.add(effects_.of(*each.filter));
  for (const auto& [name, value] : locals_) inside.add(effects_.of_shape(*value.shape));
  Value all = sources(each, exp.span);
  inside.add(effects_.of_shape(*all.shape));
  const std::optional<Value> output = output_;
  output_.reset();  // printing inside is refused where it happens
  const std::optional<Operand> seed = seed_;
  if (each.filter != nullptr) {
    seed_.reset();
    all = filtered(code_, all, [&](const std::vector<Operand>& entries) {
      return scoped([&] {
               bind_sources(each, row_element(code_, all, entries));
               return this->exp(*each.filter);
             })
          .parts[0];
    });
  }
  std::vector<Operand> arrays = row_arrays(all);
  std::vector<Prim> prims = row_prims(*element_of(all));
  // Every element has random numbers of its own.
  const bool takes_random = inside.random && seed.has_value();
  if (takes_random || arrays.empty()) {
    arrays.push_back(code_.iota(length_of(all)));
    prims.push_back(Prim::kI64);
  }
  Value result =
      collected(code_, length_of(all), arrays, prims, [&](const std::vector<Operand>& x) {
        return scoped([&] {
          seed_.reset();
          if (takes_random) seed_ = mixed_seed(builder(), *seed, x.back());
          bind_sources(each, row_element(code_, all, x));
          return this->exp(*each.body);
        });
      });
  seed_ = seed;
  if (takes_random) seed_ = mixed_seed(builder(), *seed, core::const_i64(-1));
  output_ = output;
  return result;
}

}  // namespace skald::nesl
