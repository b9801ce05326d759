// SPDX-License-Identifier: Apache-2.0
// Where names are bound, by id.
#pragma once

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "source/source.h"

namespace skald::futhark {

// As a map from ids to spans.  Ids are dense, so it is a table, in pages: large blocks of ids are
// reserved and never used.
class Places {
 public:
  struct Entry {
    bool known = false;
    source::Span second = {};
  };

  source::Span& operator[](uint32_t id) {
    if (id / kInPage >= pages_.size()) pages_.resize(id / kInPage + 1);
    auto& page = pages_[id / kInPage];
    if (!page) page = std::make_unique<Page>();
    Entry& entry = (*page)[id % kInPage];
    entry.known = true;
    return entry.second;
  }
  const Entry* find(uint32_t id) const {
    if (id / kInPage >= pages_.size() || !pages_[id / kInPage]) return end();
    const Entry& entry = (*pages_[id / kInPage])[id % kInPage];
    return entry.known ? &entry : end();
  }
  static const Entry* end() { return nullptr; }

 private:
  static constexpr uint32_t kInPage = 256;
  using Page = std::array<Entry, kInPage>;
  std::vector<std::unique_ptr<Page>> pages_;
};

}  // namespace skald::futhark
