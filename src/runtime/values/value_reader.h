// SPDX-License-Identifier: Apache-2.0
// Reads values in Futhark's text and binary formats, mixed freely in one stream.
//
//   text     12  -3i8  0xff_u8  1.5e3f32  f32.nan  true  [[1, 2], [3, 4]]  empty([0][2]f64)  "abc"
//            `--` starts a comment; commas may trail; a string is an array of u8
//   binary   'b', 2, rank, type in four characters, dimensions as 8 bytes each, data; little endian
//
// With an expected type, an unsuffixed number takes that type if it fits; without one it is an i32,
// or an f64 if it has a fraction or exponent, and the first element of an array decides for all.
// Memory is only taken for data that is really there, whatever a header claims.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/values/input.h"
#include "runtime/values/value.h"

namespace skald::runtime {

struct ReadError {
  InputPosition at;
  std::string what;  // "expected a value of type i32, but found `1.5`"

  // With the position in front: "line 3, column 7 (byte 45): …"
  std::string text() const;
};

class ValueReader {
 public:
  explicit ValueReader(int fd) : input_(fd) {}
  // `text` must outlive the reader.
  explicit ValueReader(std::string_view text) : input_(text) {}

  // The next value, of any type.
  Result<Value, ReadError> read();
  // The next value, which must have this type and rank.
  Result<Value, ReadError> read(Prim type, int rank);

  // True if nothing but white space and comments is left.
  bool at_end();
  // "expected the end of the input, but found `…`", for callers that want at_end().
  ReadError excess();
  // Where the next value starts.
  InputPosition position();
  // The next character that is not white space or comment, without consuming it; -1 at the end.
  int next_char();

 private:
  struct Expected;
  Result<Value, ReadError> read_any(const Expected& expected);
  Result<Value, ReadError> read_binary(const Expected& expected);

  Input input_;
};

}  // namespace skald::runtime
