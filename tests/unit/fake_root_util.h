// SPDX-License-Identifier: Apache-2.0
// A folder whose files look like the kernel's, for as long as a test takes.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace skald {

class FakeRoot : public testing::Test {
 protected:
  FakeRoot() {
    std::string pattern = std::filesystem::temp_directory_path() / "skald-root-XXXXXX";
    root_ = mkdtemp(pattern.data());
  }
  ~FakeRoot() override { std::filesystem::remove_all(root_); }

  void file(const std::string& path, const std::string& text) {
    const std::filesystem::path full = root_ + path;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full) << text;
  }
  std::string root_;
};

}  // namespace skald
