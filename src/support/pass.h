// SPDX-License-Identifier: Apache-2.0
// What passes of all IRs have in common: counting rewrites, explaining, timing.
//
// A table of passes belongs to each IR (passes/pipelines.cpp, imp/passes/pipelines.cpp); what a
// pass may ask and how a runner treats it is the same everywhere.  `Device` is what passes of that
// IR know about the machine that will run the program.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace skald {

// What one run of a pass may use and must count.
template <class Device>
class BasicPassContext {
 public:
  explicit BasicPassContext(uint64_t limit = UINT64_MAX, Device device = {})
      : limit_(limit), device_(device) {}

  const Device& device() const { return device_; }

  // `--disable=PART` of a pass: a part that has a name of its own.
  bool leaves_out(const std::string& part) const {
    return disabled_ != nullptr && disabled_->contains(part);
  }
  // `disabled` must outlive the context.
  void set_disabled(const std::unordered_set<std::string>* disabled) { disabled_ = disabled; }
  const std::unordered_set<std::string>* disabled() const { return disabled_; }

  // Asks to do one rewrite.  False once `--limit=PASS:N` is used up: then leave the code as it is.
  // `rule` names the rewrite for `--explain`.
  bool may_rewrite(std::string_view rule = {}) {
    if (rewrites_ >= limit_) return false;
    ++rewrites_;
    if (!rule.empty()) ++counts_[rule];
    return true;
  }
  uint64_t rewrites() const { return rewrites_; }
  // How often each named rule was used, by name.
  const std::map<std::string_view, uint64_t>& counts() const { return counts_; }

  // `--explain=PASS`: what the pass did and did not do, one line each.  Ask before making a line.
  bool explains() const { return static_cast<bool>(on_explain_); }
  void explain(const std::string& line) const {
    if (on_explain_) on_explain_(line);
  }
  void set_on_explain(std::function<void(const std::string&)> f) { on_explain_ = std::move(f); }

  // `-v`: a limit that was met, so that the result is correct but less good than it could be.
  void report_limit(const std::string& line) const {
    if (on_limit_) on_limit_(line);
  }
  void set_on_limit(std::function<void(const std::string&)> f) { on_limit_ = std::move(f); }

  // The program asks for what cannot be done; the pipeline ends.
  void fail(const std::string& line) const {
    if (on_failure_) on_failure_(line);
  }
  void set_on_failure(std::function<void(const std::string&)> f) { on_failure_ = std::move(f); }

  // What whoever runs the program should know.
  void note(const std::string& line) const {
    if (on_note_) on_note_(line);
  }
  void set_on_note(std::function<void(const std::string&)> f) { on_note_ = std::move(f); }

 private:
  uint64_t limit_;
  Device device_;
  const std::unordered_set<std::string>* disabled_ = nullptr;
  uint64_t rewrites_ = 0;
  std::map<std::string_view, uint64_t> counts_;
  std::function<void(const std::string&)> on_explain_, on_limit_, on_note_, on_failure_;
};

// What a runner says after every pass.
struct PassEvent {
  std::string_view pass;
  double milliseconds = 0;
  uint64_t rewrites = 0;
};

template <class Device>
struct BasicPassOptions {
  bool verify = true;
  std::unordered_set<std::string> disabled = {};          // --disable=PASS, or a part of one
  std::unordered_map<std::string, uint64_t> limits = {};  // --limit=PASS:N
  std::string stop_after = {};                            // --after=PASS
  std::unordered_set<std::string> explained = {};         // --explain=PASS
  std::function<void(const std::string&)> on_explain = {};
  std::function<void(const std::string&)> on_limit = {};  // -v: limits that were met
  std::function<void(const PassEvent&)> on_pass = {};     // after every pass
  Device device = {};
  std::map<std::string, int64_t, std::less<>> numbers = {};  // chosen for the device
  std::function<void(const std::string&)> on_note = {};
  std::function<void(const std::string&)> on_failure = {};  // the runner's own

  // The same for the passes of another IR.
  template <class Other>
  BasicPassOptions<Other> with_device(Other other) const {
    return {verify,   disabled, limits,           stop_after, explained, on_explain,
            on_limit, on_pass,  std::move(other), numbers,    on_note,   {}};
  }
};

// Milliseconds of processor time that this thread has used: the same on a busy machine.
double thread_milliseconds();

// Runs one pass, a function Program → Program, with its limit, its clock and its explanations.
template <class Program, class Device>
Program run_pass(std::string_view name, Program (*pass)(Program, BasicPassContext<Device>&),
                 Program prog, const Device& device, const BasicPassOptions<Device>& options) {
  const std::string key(name);
  const auto limit = options.limits.find(key);
  BasicPassContext<Device> ctx(limit == options.limits.end() ? UINT64_MAX : limit->second, device);
  ctx.set_disabled(&options.disabled);
  const bool explained = options.on_explain && options.explained.contains(key);
  if (explained) ctx.set_on_explain(options.on_explain);
  if (options.on_limit)
    ctx.set_on_limit(
        [&](const std::string& line) { options.on_limit(fmt::format("{}: {}", name, line)); });
  if (options.on_note) ctx.set_on_note(options.on_note);
  if (options.on_failure) ctx.set_on_failure(options.on_failure);
  const double start = thread_milliseconds();
  prog = pass(std::move(prog), ctx);
  const double took = thread_milliseconds() - start;
  if (explained)
    for (const auto& [rule, count] : ctx.counts())
      ctx.explain(fmt::format("{}: {} × {}", name, count, rule));
  if (options.on_pass) options.on_pass({name, took, ctx.rewrites()});
  return prog;
}

}  // namespace skald
