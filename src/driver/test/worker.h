// SPDX-License-Identifier: Apache-2.0
// A child process that runs programs: a crash or hang of one test is that test's failure.
//
// Most back ends have one process for each program.  Where starting takes long, a process runs some
// programs one after the other; it ends after the first one that fails, so that what broke cannot
// be in the way of others.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "driver/test/run_program.h"

namespace skald::driver {

class Worker {
 public:
  // Starts a process with the tests of `file`.  Must be called while this one has one thread.
  Worker(std::string file, const compile::Backend* backend, const CommonOptions& common,
         const TestOptions& options);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  const std::string& file() const { return file_; }
  const compile::Backend* backend() const { return backend_; }
  int fd() const { return fd_; }
  std::chrono::steady_clock::time_point deadline() const { return deadline_; }
  enum class State : uint8_t { kWorking, kReady, kEnded };
  // Reads what the child sent.  kReady: all reports of the program are there, and it may be given
  // another one, or must be told to end.
  State receive();
  // May it have another program?
  bool can_go_on() const;
  void give(std::string file);
  // It ends; how it did that may be one more report.
  void tell_to_end();
  // Ends the child because it took too long.
  void kill_late();
  // Of the program at hand.
  const std::vector<CaseReport>& reports() const { return reports_; }

 private:
  void end();
  void start_clock();
  State decode();
  void reap();

  std::string file_;
  const compile::Backend* backend_;
  const TestOptions& options_;
  int programs_ = 1;
  pid_t pid_ = -1;
  int fd_ = -1, to_child_ = -1;
  std::chrono::steady_clock::time_point deadline_;
  std::string bytes_;
  std::vector<CaseReport> reports_;
};

// So many programs share a process.
int programs_together(const compile::Backend& backend, const TestOptions& options);

}  // namespace skald::driver
