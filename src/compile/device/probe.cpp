// SPDX-License-Identifier: Apache-2.0
#include "compile/device/probe.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

namespace skald::compile {

bool works_elsewhere(std::string_view name, const std::function<Result<std::string>()>& find,
                     std::string& why_not) {
  int ends[2];
  if (::pipe(ends) != 0) return true;
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    const Result<std::string> found = find();
    const std::string text = found ? std::string() : found.error();
    const bool written = ::write(ends[1], text.data(), text.size()) >= 0;
    ::_exit(found && written ? 0 : 1);
  }
  ::close(ends[1]);
  std::array<char, 1024> buffer{};
  for (ssize_t n = 0; (n = ::read(ends[0], buffer.data(), buffer.size())) > 0;)
    why_not.append(buffer.data(), static_cast<size_t>(n));
  ::close(ends[0]);
  int status = 1;
  if (child > 0) ::waitpid(child, &status, 0);
  if (status == 0) return true;
  if (why_not.empty()) why_not = fmt::format("the {} driver of this machine does not work", name);
  return false;
}

}  // namespace skald::compile
