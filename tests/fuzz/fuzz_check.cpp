// SPDX-License-Identifier: Apache-2.0
// Any bytes → a checked program or messages.  The checker reads files, so the bytes go into one.
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "frontend/futhark/check/check.h"
#include "fuzz/fuzz.h"

using namespace skald;

namespace {

// A file of this process in an empty folder, so that there is nothing to import.
const std::string& scratch_file() {
  static const std::string path = [] {
    std::string folder = std::filesystem::temp_directory_path() / "skald-fuzz-XXXXXX";
    SKALD_CHECK(::mkdtemp(folder.data()) != nullptr, "cannot make a temporary folder");
    static std::string kept = folder;
    std::atexit([] { std::filesystem::remove_all(kept); });
    return folder + "/fuzz.fut";
  }();
  return path;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string& path = scratch_file();
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  SKALD_CHECK(fd >= 0 && ::write(fd, data, size) == static_cast<ssize_t>(size), "cannot write {}",
              path);
  ::close(fd);
  source::SourceMap sources;
  source::Diagnostics diagnostics;
  const auto checked = futhark::check_program(path, sources, diagnostics);
  SKALD_CHECK((checked == nullptr) == diagnostics.has_errors(),
              "a program is rejected without a message, or accepted with one");
  fuzz::draw_all(diagnostics, sources);
  return 0;
}
