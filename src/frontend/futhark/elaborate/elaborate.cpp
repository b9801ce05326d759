// SPDX-License-Identifier: Apache-2.0
// The rooms put together: who asks whom.
#include "frontend/futhark/elaborate/elaborate.h"

#include "frontend/futhark/elaborate/exps/exps.h"
#include "frontend/futhark/elaborate/functions/calls.h"
#include "frontend/futhark/elaborate/functions/entry.h"
#include "support/stack.h"

namespace skald::futhark::elab {

namespace {

// Owns all rooms, and leads from those below back to the walk over expressions.
class Elaborator final : public Evaluator {
 public:
  Elaborator(const CheckedProgram& checked, const source::SourceMap& sources,
             source::Diagnostics& diagnostics, const ElaborateOptions& options, core::Program& out)
      : checked_(checked),
        options_(options),
        code_(out, sources, diagnostics, ids_),
        exps_(code_, ids_, types_, *this, operators_, modules_, names_,
              options.safe ? Unsafe::kIgnored : Unsafe::kObeyed) {}

  void run() {
    const auto found = modules_.load_files(checked_, options_.entry_points);
    for (const auto& entry : found) functions_.reserve_name("entry_" + entry.def->name.name);
    for (const auto& entry : found) entries_.add(*entry.def, *entry.dec, entry.env);
  }
  ValuePtr exp(const Exp& e, const Env& env) override { return exps_.exp(e, env); }
  ValuePtr apply(const ValuePtr& fn, std::vector<ValuePtr> args, const Use& use) override {
    return calls_.apply(fn, std::move(args), use);
  }

 private:
  const CheckedProgram& checked_;
  const ElaborateOptions& options_;
  KnownIds ids_;
  Code code_;
  Types types_{ids_, code_, *this};
  Operators operators_{code_, types_};
  Intrinsics intrinsics_{code_, types_, *this, operators_};
  Modules modules_{ids_};
  CoreFunctions functions_{code_, ids_, types_, *this};
  Names names_{ids_, types_, modules_, functions_};
  Calls calls_{code_, types_, *this, operators_, intrinsics_, functions_};
  Exps exps_;
  EntryPoints entries_{code_, ids_, types_, *this};
};

}  // namespace

}  // namespace skald::futhark::elab

namespace skald::futhark {

bool elaborate(const CheckedProgram& checked, const source::SourceMap& sources,
               source::Diagnostics& diagnostics, const ElaborateOptions& options,
               core::Program& out) {
  size_t errors = diagnostics.error_count();
  on_large_stack([&] {
    elab::Elaborator elaborator(checked, sources, diagnostics, options, out);
    try {
      elaborator.run();
    } catch (const InternalError&) {
      // After a limitation the rest may fail in any way; the limitation is what counts.
      if (diagnostics.error_count() == errors) throw;
    }
  });
  return diagnostics.error_count() == errors;
}

}  // namespace skald::futhark
