// SPDX-License-Identifier: Apache-2.0
// Files and other programs, by numbers: 0 standard input, 1 output, 2 errors, -1 none.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "support/result.h"

namespace skald::driver {

class Streams {
 public:
  Streams() = default;
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;
  ~Streams();  // closes all, and waits for the programs

  // mode 1 reads, 2 writes, 3 appends.
  Result<int64_t> open(const std::string& name, int64_t mode);
  Result<Unit> close(int64_t stream);

  struct Read {
    std::string text;
    int64_t last = -1;  // the delimiter; -1: the end; -2: as much as was asked for
  };
  // A negative `most` is no limit.
  Result<Read> read(const std::string& delimiters, int64_t most, int64_t stream);
  Result<Unit> write(const std::string& text, int64_t stream);

  struct Ends {
    int64_t input, output, errors;
  };
  // Where a stream is -1, a new one leads to the program.
  Result<Ends> spawn(const std::string& command, const Ends& given);
  // What a program writes that gets this input.
  static Result<std::string> shell(const std::string& command, const std::string& input);

 private:
  Result<std::FILE*> file(int64_t stream) const;
  std::map<int64_t, std::FILE*> files_;
  std::vector<int> programs_;
  int64_t next_ = 3;
};

}  // namespace skald::driver
