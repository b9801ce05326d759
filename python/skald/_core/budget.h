// SPDX-License-Identifier: Apache-2.0
// What compiling may cost the process: not much more than what it could save so far.
#pragma once

#include <atomic>

namespace skald::python {

// Seconds of this process, of all plans together.
class CompileBudget {
 public:
  static CompileBudget& of_process();

  // May a plan be compiled that takes so long?
  bool allows(double seconds) const;
  void note_compiled(double seconds) { compiling_ += seconds; }
  // It took longer than was thought.  From any thread.
  void note_late(double seconds);
  // NumPy ran what a program might save.
  void note_savable(double seconds) { savable_ += seconds; }
  // A program ran, and NumPy would have needed `numpy`.
  void note_run(double seconds, double numpy);

 private:
  std::atomic<double> compiling_ = 0;
  double savable_ = 0, saved_ = 0;
};

}  // namespace skald::python
