// SPDX-License-Identifier: Apache-2.0
#include "runtime/cuda/toolkit.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <glob.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

extern char** environ;

namespace skald::runtime::cuda {

namespace {

void add_matches(const std::string& pattern, std::vector<std::string>& found) {
  glob_t matches{};
  if (::glob(pattern.c_str(), 0, nullptr, &matches) == 0)
    // The newest comes last.
    for (size_t k = matches.gl_pathc; k-- > 0;) found.emplace_back(matches.gl_pathv[k]);
  ::globfree(&matches);
}

// Programs that disassemble, with the options they need.
struct Disassembler {
  std::string path, option;
};

std::optional<Disassembler> find_disassembler() {
  const auto option_of = [](std::string_view path) {
    return path.find("cuobjdump") == std::string_view::npos ? "-c" : "-sass";
  };
  if (const char* chosen = std::getenv("SKALD_NVDISASM"))
    return Disassembler{chosen, option_of(chosen)};
  for (const std::string name : {"nvdisasm", "cuobjdump"}) {
    std::vector<std::string> found;
    std::string_view path = std::getenv("PATH") == nullptr ? "" : std::getenv("PATH");
    while (!path.empty()) {
      const size_t end = std::min(path.find(':'), path.size());
      found.push_back(fmt::format("{}/{}", path.substr(0, end), name));
      path.remove_prefix(std::min(end + 1, path.size()));
    }
    for (std::string& each : find_toolkit_files("bin", "bin", name))
      found.push_back(std::move(each));
    for (const std::string& each : found)
      if (::access(each.c_str(), X_OK) == 0) return Disassembler{each, option_of(each)};
  }
  return std::nullopt;
}

// A file that is gone with the object.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content) {
    const int fd = ::mkstemp(path_.data());
    if (fd < 0) return;
    written_ = ::write(fd, content.data(), content.size()) == static_cast<ssize_t>(content.size());
    ::close(fd);
  }
  ~TemporaryFile() { ::unlink(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  bool written() const { return written_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_ = std::filesystem::temp_directory_path() / "skald-kernels-XXXXXX";
  bool written_ = false;
};

// What a program prints.
Result<std::string> output_of(const std::vector<std::string>& words) {
  std::vector<char*> args;
  for (const std::string& word : words) args.push_back(const_cast<char*>(word.c_str()));
  args.push_back(nullptr);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return Failure("cannot make a pipe");
  posix_spawn_file_actions_t actions{};
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  pid_t child = 0;
  const int failed = ::posix_spawn(&child, args[0], &actions, nullptr, args.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::string text;
  std::array<char, 1 << 14> buffer{};
  for (ssize_t n = 0; failed == 0 && (n = ::read(ends[0], buffer.data(), buffer.size())) > 0;)
    text.append(buffer.data(), static_cast<size_t>(n));
  ::close(ends[0]);
  if (failed != 0)
    return Failure(fmt::format("`{}` cannot be run: {}", words[0], std::strerror(failed)));
  int status = 0;
  ::waitpid(child, &status, 0);
  if (status != 0) return Failure(fmt::format("`{}` does not accept our kernels", words[0]));
  return text;
}

}  // namespace

std::vector<std::string> find_toolkit_files(const std::string& toolkit_folder,
                                            const std::string& package_folder,
                                            const std::string& pattern) {
  std::vector<std::string> found;
  for (const char* root : {"/usr/local/cuda*/", "/opt/cuda*/"})
    add_matches(root + toolkit_folder + "/" + pattern, found);
  const auto add_python = [&](const std::string& root) {
    for (const char* packages : {"site-packages", "dist-packages"})
      add_matches(
          fmt::format("{}/lib/python3*/{}/nvidia/*/{}/{}", root, packages, package_folder, pattern),
          found);
  };
  if (const char* environment = std::getenv("VIRTUAL_ENV")) add_python(environment);
  if (const char* home = std::getenv("HOME")) add_python(std::string(home) + "/.local");
  add_python("/usr/local");
  return found;
}

Result<std::string> disassemble(const std::string& cubin) {
  const std::optional<Disassembler> tool = find_disassembler();
  if (!tool)
    return Failure(
        "there is no disassembler for CUDA on this machine (nvdisasm or cuobjdump); install CUDA's "
        "toolkit, or name one in $SKALD_NVDISASM");
  const TemporaryFile file(cubin);
  if (!file.written()) return Failure("cannot write a temporary file for the disassembler");
  return output_of({tool->path, tool->option, file.path()});
}

}  // namespace skald::runtime::cuda
