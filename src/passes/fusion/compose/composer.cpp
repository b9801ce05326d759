// SPDX-License-Identifier: Apache-2.0
// Stringing parts together.
#include "passes/fusion/compose/composer.h"

#include <algorithm>
#include <utility>

#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/fusion/graph/shape.h"
#include "support/bug.h"

namespace skald::passes::fusion {

using namespace core;

Composer::Composer(Program& prog, Space space) : prog_(prog), space_(std::move(space)) {
  const auto* domain = std::get_if<Domain>(&space_);
  if (domain == nullptr) return;
  const size_t params = domain->kind == Domain::kSeg ? 3 : domain->dims.size();
  for (size_t k = 0; k < params; ++k)
    params_.push_back({prog.names.fresh("i"), scalar_type(Prim::kI64)});
}

void Composer::note(const Stmt& stmt) {
  for (const Name token : stmt.tokens)
    if (std::ranges::find(tokens_, token) == tokens_.end()) tokens_.push_back(token);
  join_hints(hints_, stmt.hints);
}

void Composer::add(Stmt stmt, std::optional<Name> guard) {
  note(stmt);
  loc_ = stmt.loc;
  if (as<WithAcc>(stmt.exp) != nullptr) {
    stmt = open_accumulators(std::move(stmt));
    note(stmt);
  }
  add(part_of(std::move(stmt)), guard);
}

void Composer::add(Part part, std::optional<Name> guard) {
  connect(part);
  SKALD_CHECK(!guard || !late_, "a guard after a scan");
  std::vector<const Sink*> early;
  for (const Sink& sink : part.sinks)
    if (!sink.late) early.push_back(&sink);
  const std::vector<Operand> values =
      run(part.code, guard, values_of_dropped(early, part.code.results.size()));
  if (part.flat) {
    part.flat->fn.results = std::move(part.code.results);
    part.flat->fn.body.result = values;
    flatmap_ = std::move(part.flat);
    flatmap_pat_ = std::move(part.pat);
    return;
  }
  Given given;
  std::vector<Fed> late;
  distribute(part, values, given, late);
  if (!part.post.empty()) run_post(part, given, std::move(late), guard);
  for (size_t k = 0; k < given.values.size(); ++k)
    give(given.pat[k], given.values[k], given.types[k], guard);
  late_ = false;
}

// The part's code uses the values that were made before, and the parameters of the whole.
void Composer::connect(Part& part) {
  Substitution subst;
  if (part.domain) {
    std::vector<Name> own;
    const bool seg = part.domain->kind == Domain::kSeg;
    for (size_t k = seg ? 2 : 0; k < part.code.params.size(); ++k)
      own.push_back(part.code.params[k].name);
    replace_own_reads(part.code.body, own);
    // Under a guard the index serves for nothing but these reads.  A flat kernel over the elements
    // of segments knows only their flat position.
    const size_t skip = params_.size() > part.code.params.size() ? 2 : 0;
    for (size_t k = 0; k < part.code.params.size(); ++k)
      subst.emplace(part.code.params[k].name, params_[k + skip].name);
  }
  for (size_t k = 0; k < part.inputs.size(); ++k) {
    Param& param = part.code.params[k];
    const Name input = part.inputs[k], name = param.name;
    if (const auto made = rows_.find(input); made != rows_.end()) {
      late_ = late_ || made->second.late;
      subst.emplace(name, made->second.value);
      continue;
    }
    // The same array is read once, whoever asks for it.
    const auto [known, is_new] = param_of_.emplace(input, name);
    if (is_new) {
      inputs_.push_back(input);
      params_.push_back(std::move(param));
    } else {
      subst.emplace(name, known->second);
    }
  }
  substitute(part.code, subst);
}

void Composer::replace_own_reads(Body& body, const std::vector<Name>& index) {
  for (Stmt& stmt : body.stmts) {
    for_each_body(stmt.exp, [&](Body& inner) { replace_own_reads(inner, index); });
    if (!is_own_read(stmt, index)) continue;
    const auto made = rows_.find(as<Index>(stmt.exp)->array);
    if (made != rows_.end()) stmt.exp = Value{made->second.value};
  }
}

// Values go to their sinks; `given` gets those of scans and kOut sinks, `late` the sinks that wait
// for the post-function.
void Composer::distribute(Part& part, const std::vector<Operand>& values, Given& given,
                          std::vector<Fed>& late) {
  const bool has_post = !part.post.empty();
  Given plain;
  size_t at = 0, result = 0;
  for (Sink& sink : part.sinks) {
    Fed fed;
    if (!sink.late)
      for (int k = 0; k < sink.count; ++k, ++at) {
        fed.values.push_back(values[at]);
        fed.types.push_back(part.code.results[at].type);
      }
    const auto count = static_cast<size_t>(sink.count);
    size_t gives = sink.dests.empty() ? count : sink.dests.size();
    if (sink.kind == Sink::kPartition) gives = static_cast<size_t>(sink.classes) * count;
    const bool is_row = sink.kind == Sink::kOut || sink.kind == Sink::kScan;
    if (is_row && has_post) gives = 0;
    for (size_t k = 0; k < gives; ++k) fed.pat.push_back(std::move(part.pat[result++]));
    if (is_row) {
      Given& rows = sink.kind == Sink::kOut ? plain : given;
      rows.types.insert(rows.types.end(), fed.types.begin(), fed.types.end());
      rows.pat.insert(rows.pat.end(), fed.pat.begin(), fed.pat.end());
      if (sink.kind == Sink::kOut) {
        rows.values.insert(rows.values.end(), fed.values.begin(), fed.values.end());
        continue;
      }
      SKALD_CHECK(!late_, "a scan of scanned values");
      for (const Type& type : fed.types) {
        scanned_.push_back({prog_.names.fresh("scanned"), type});
        post_names_.insert(scanned_.back().name);
        rows.values.emplace_back(scanned_.back().name);
      }
      fed.sink = std::move(sink);
      scans_.push_back(std::move(fed));
      continue;
    }
    const bool waits = std::exchange(sink.late, false);
    fed.sink = std::move(sink);
    if (waits)
      late.push_back(std::move(fed));
    else
      feed(std::move(fed));
  }
  given.values.insert(given.values.end(), plain.values.begin(), plain.values.end());
  given.types.insert(given.types.end(), plain.types.begin(), plain.types.end());
  given.pat.insert(given.pat.end(), plain.pat.begin(), plain.pat.end());
  // What is left of the results is the post-function's.
  if (has_post) given.pat.assign(part.pat.begin() + static_cast<ptrdiff_t>(result), part.pat.end());
}

void Composer::run_post(Part& part, Given& given, std::vector<Fed> late,
                        std::optional<Name> guard) {
  Lambda& post = part.post[0];
  Substitution handed;
  for (size_t k = 0; k < given.values.size(); ++k)
    handed.emplace(post.params[k].name, given.values[k]);
  substitute(post, handed);
  std::vector<const Sink*> sinks;
  for (const Fed& fed : late) sinks.push_back(&fed.sink);
  late_ =
      !is_kernel() &&
      (late_ || std::ranges::any_of(given.values, [&](const Operand& o) { return is_late(o); }));
  const std::vector<Operand> values =
      run(post, guard, values_of_dropped(sinks, post.results.size()));
  size_t from = 0;
  for (Fed& fed : late) {
    for (int k = 0; k < fed.sink.count; ++k, ++from) {
      fed.values.push_back(values[from]);
      fed.types.push_back(post.results[from].type);
    }
    feed(std::move(fed));
  }
  given.values.assign(values.begin() + static_cast<ptrdiff_t>(from), values.end());
  given.types.clear();
  for (; from < post.results.size(); ++from) given.types.push_back(post.results[from].type);
}

void Composer::feed(Fed fed) {
  SKALD_CHECK(!late_, "a sink after the scans of a SOAC");
  // The rows of a partition are values too; under its guard they are those that are kept.
  if (fed.sink.kind == Sink::kPartition) {
    const auto classes = static_cast<size_t>(fed.sink.classes);
    const size_t per_class = fed.values.size() - 1;
    for (size_t c = 0; c < classes; ++c)
      for (size_t v = 0; v < per_class; ++v)
        rows_[fed.pat[classes + c * per_class + v].name] = {fed.values[1 + v]};
  }
  sinks_.push_back(std::move(fed));
}

void Composer::give(const Param& param, const Operand& value, const Type& type,
                    std::optional<Name> guard) {
  rows_[param.name] = {value, late_ || is_late(value)};
  outs_.push_back({param, value, type, guard});
}

void Composer::append(Stmt stmt) {
  const auto is_post = [&](Name name) { return post_names_.contains(name); };
  const bool late = is_kernel()
                        ? !post_names_.empty() && (std::ranges::any_of(free_names(stmt), is_post) ||
                                                   std::ranges::any_of(stmt.tokens, is_post))
                        : late_;
  if (late)
    for (const Param& p : stmt.pat) post_names_.insert(p.name);
  (late ? post_ : pre_).push_back(std::move(stmt));
}

Name Composer::let(Type type, Exp exp, std::string_view base) {
  const Name name = prog_.names.fresh(base);
  Stmt stmt{{}, std::move(exp), {}, {}, loc_};
  stmt.pat.push_back({name, std::move(type)});
  append(std::move(stmt));
  return name;
}

bool Composer::is_late(const Operand& operand) const {
  const Name* name = as_name(operand);
  return name != nullptr && post_names_.contains(*name);
}

bool Composer::is_late(const Fed& fed) const {
  return std::ranges::any_of(fed.values, [&](const Operand& o) { return is_late(o); });
}

}  // namespace skald::passes::fusion
