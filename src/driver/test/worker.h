// SPDX-License-Identifier: Apache-2.0
// One child process per program: a crash or hang of one test is that test's failure.
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
  // Starts the tests of `file`.  Must be called while the process has one thread.
  Worker(std::string file, const compile::Backend* backend, const CommonOptions& common,
         const TestOptions& options);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  const std::string& file() const { return file_; }
  const compile::Backend* backend() const { return backend_; }
  int fd() const { return fd_; }
  std::chrono::steady_clock::time_point deadline() const { return deadline_; }
  // Reads what the child sent.  False when it is finished.
  bool receive();
  // Ends the child because it took too long.
  void kill_late(double limit);
  const std::vector<CaseReport>& reports() const { return reports_; }

 private:
  void decode();
  void reap();

  std::string file_;
  const compile::Backend* backend_;
  pid_t pid_ = -1;
  int fd_ = -1;
  std::chrono::steady_clock::time_point deadline_;
  std::string bytes_;
  std::vector<CaseReport> reports_;
};

}  // namespace skald::driver
