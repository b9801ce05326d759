// SPDX-License-Identifier: Apache-2.0
// Numbers and strings as bytes, for files that only this build on this machine reads (caches).
//
// A reader never goes past its end: after the first thing that does not fit it gives zeros and
// empty strings, and ok() is false.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace skald {

class ByteWriter {
 public:
  void number(uint64_t n) {
    const size_t at = out_.size();
    out_.resize(at + sizeof n);
    std::memcpy(out_.data() + at, &n, sizeof n);
  }
  void text(std::string_view s) {
    number(s.size());
    out_.append(s);
  }
  // Bytes without their number.
  void raw(std::string_view s) { out_.append(s); }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  uint64_t number() {
    uint64_t n = 0;
    const std::string_view bytes = cut(sizeof n);
    if (ok_) std::memcpy(&n, bytes.data(), sizeof n);
    return n;
  }
  std::string_view text() { return cut(number()); }
  // How many things follow, each of which takes at least `size` bytes.
  size_t count(size_t size = 8) {
    const uint64_t n = number();
    if (n > rest_.size() / size) ok_ = false;
    return ok_ ? n : 0;
  }
  bool ok() const { return ok_; }
  // How many bytes are left.
  size_t left() const { return rest_.size(); }
  // All was read, and all of it fitted.
  bool done() const { return ok_ && rest_.empty(); }

 private:
  std::string_view cut(uint64_t n) {
    if (!ok_ || n > rest_.size()) {
      ok_ = false;
      return {};
    }
    const std::string_view part = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return part;
  }

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace skald
