// SPDX-License-Identifier: Apache-2.0
// A compiled program for a linker.
#pragma once

#include <string>
#include <vector>

namespace skald::compile {

struct ObjectCode {
  struct Entry {
    std::string name, symbol;
  };
  struct Message {
    std::string text;      // "{0}" stands for the first value given to skald_rt_fail
    std::string place;     // "x.fut:3:5-3:9", or empty
    std::string function;  // whose text it is in; or empty
  };
  std::string bytes;
  std::vector<Entry> entries;
  std::vector<Message> messages;  // by id
  std::vector<std::string> params;
};

}  // namespace skald::compile
