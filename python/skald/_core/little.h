// SPDX-License-Identifier: Apache-2.0
// Operations on so few elements that recording them costs more than computing them.
#pragma once

#include "common.h"

namespace skald::python {

// Memory for the time that something is computed; stacks of threads may be small.
class Scratch {
 public:
  explicit Scratch(int64_t bytes) : buffer_(lazy::new_buffer(bytes)) {}
  ~Scratch() {
    if (buffer_) buffer_->drop();
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  // Null: there is none.
  std::byte* data() const { return buffer_ ? static_cast<std::byte*>(buffer_->data) : nullptr; }

 private:
  Buffer* buffer_;
};

// The array of a base, which is at hand, may be written: nobody else needs it as it is, or it is
// small, and a copy takes its place.
bool make_own(Base* base);
// Computes a node that was just made, if that is little and needs nothing that is pending.  Else,
// and where NumPy would warn, it stays as it is.
void run_if_little(Node* node);
// Writes a few elements, those of a node or a number: into the array itself if nobody else needs it
// as it is, else, if it is small, into a copy.  False: it must be recorded.
bool write_if_little(Base* base, const View& target, const Node* value, const View& value_view);
bool write_if_little(Base* base, const View& target, const Input& value);

}  // namespace skald::python
