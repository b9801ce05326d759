// SPDX-License-Identifier: Apache-2.0
// Turns the parts of a program into code that can be called, each when it is asked for, and on
// threads of its own those that will surely be asked for.  ORC places and links, and knows which
// parts others wait for.
#pragma once

#include <llvm/ExecutionEngine/Orc/LLJIT.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>
#include <unordered_set>

#include "codegen/cpu/image/foresight.h"
#include "codegen/cpu/image/image.h"
#include "codegen/cpu/image/kernel.h"
#include "support/result.h"

namespace skald::cpu {

class KernelLoader {
 public:
  explicit KernelLoader(ProgramImage image);
  ~KernelLoader();
  KernelLoader(const KernelLoader&) = delete;
  KernelLoader& operator=(const KernelLoader&) = delete;

  // Before anything else.
  Result<Unit> start();
  // Compiles what it takes.  Throws an InternalError of the compiler.
  Result<void*> address(const std::string& symbol);
  // Begins to compile a group of kernels on other threads.
  void expect(uint32_t group);
  // The same for what a call will run, as far as that can be foreseen.
  void expect_call(std::string_view entry, std::span<const int64_t> args,
                   std::span<const int64_t> tuning, int64_t threads);
  // For generated code; while somebody waits here, cores that would be idle compile the kernels
  // that come next in the program.  Ends the process if there is no code: it cannot go on without.
  void* prepare(KernelRow& row);

  const ProgramImage& image() const { return image_; }
  // The image with all that is compiled so far.
  ProgramImage image_so_far();
  // Was anything compiled since start()?
  bool has_compiled();

 private:
  class PartUnit;
  // The code of a part, compiled if it has to be.  Empty after an error.
  const std::string* object(size_t part);
  // Says what is wrong if a part cannot be had.
  std::string settle();
  Result<void*> find(const std::string& symbol);
  void work();
  // A part with kernels that are wanted, now or perhaps later, and that nobody has begun with.
  std::optional<uint32_t> take_work();
  bool take(size_t kernel);
  // The kernel that comes next, most likely, after the one asked for last.
  std::optional<size_t> likely_next();
  // How many branches would have to lead to a group, after the kernel asked for last; those to the
  // first arm count twice.  Empty if they have led elsewhere.
  std::optional<int> branches_to(uint32_t group) const;
  bool is_left_out(uint32_t group) const;
  void load_kernels(uint32_t part);
  void start_threads(size_t jobs);
  void stop();

  ProgramImage image_;
  std::vector<KernelRow> rows_;
  std::vector<uint32_t> kernel_parts_;  // of each kernel
  bool from_cache_ = false;             // some parts are compiled already
  std::unique_ptr<llvm::orc::LLJIT> jit_;

  // Of the parts that others call directly: is it asked for, is it executable or known to fail?
  enum class PartState : uint8_t { kUntouched, kStarted, kDone };

  std::mutex mutex_;
  std::vector<PartState> states_;
  std::condition_variable changed_;
  std::deque<size_t> queue_;  // numbers of kernels
  std::vector<bool> taken_;   // parts that a thread has begun with
  std::vector<std::thread> threads_;
  std::vector<bool> expected_;  // by group
  bool stopping_ = false;
  size_t waiting_ = 0;           // calls of prepare
  size_t next_ = 0;              // the kernel after the one asked for last
  std::vector<bool> reached_;    // the groups that one is in
  std::vector<Reach> foreseen_;  // by group: of the call that began last; empty: unknown
  // Has anything happened that was not foreseen, since the last call?
  std::atomic<bool> surprised_ = true;
  size_t busy_ = 0;     // threads of ours that compile
  size_t callers_ = 0;  // calls of address
  size_t compiled_ = 0;
  std::unordered_map<std::string, void*> addresses_;  // handed out, by symbol
  std::unordered_set<size_t> failed_;                 // numbers of kernels
  std::exception_ptr error_;
  std::string failure_;
  std::string lost_;  // why a part that others call directly cannot be had
};

}  // namespace skald::cpu
