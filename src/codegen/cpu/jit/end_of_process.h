// SPDX-License-Identifier: Apache-2.0
// Threads that compile, when they or the process end.
#pragma once

#include <thread>

namespace skald::cpu {

// At the end of the process a thread that compiles would use what is torn down: the end waits for
// those that have begun, and nothing more is begun.
class WorkOfProcess {
 public:
  WorkOfProcess();
  ~WorkOfProcess();
  WorkOfProcess(const WorkOfProcess&) = delete;
  WorkOfProcess& operator=(const WorkOfProcess&) = delete;

  // False if the process ends.
  explicit operator bool() const { return may_begin_; }

 private:
  bool may_begin_ = false;
};

// A thread that ends by itself is joined by the next one, whichever program that belongs to: until
// then its stack stays.
void join_later(std::thread thread);

}  // namespace skald::cpu
