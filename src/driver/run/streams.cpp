// SPDX-License-Identifier: Apache-2.0
#include "driver/run/streams.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>

namespace skald::driver {

Streams::~Streams() {
  for (const auto& [number, file] : files_) std::fclose(file);
  for (const int program : programs_) ::waitpid(program, nullptr, 0);
}

Result<std::FILE*> Streams::file(int64_t stream) const {
  if (stream == 0) return stdin;
  if (stream == 1) return stdout;
  if (stream == 2) return stderr;
  const auto found = files_.find(stream);
  if (found == files_.end())
    return Failure<std::string>{fmt::format("there is no stream {}", stream)};
  return found->second;
}

Result<int64_t> Streams::open(const std::string& name, int64_t mode) {
  std::FILE* file = std::fopen(name.c_str(), mode == 1 ? "rbe" : mode == 2 ? "wbe" : "abe");
  if (file == nullptr)
    return Failure<std::string>{
        fmt::format("ERROR: while trying to open {}: {}", name, std::strerror(errno))};
  files_[next_] = file;
  return next_++;
}

Result<Unit> Streams::close(int64_t stream) {
  const Result<std::FILE*> found = file(stream);
  if (!found) return found.failure();
  if (stream < 3) return Unit{};
  files_.erase(stream);
  if (std::fclose(*found) != 0) return Failure<std::string>{std::string(std::strerror(errno))};
  return Unit{};
}

Result<Streams::Read> Streams::read(const std::string& delimiters, int64_t most, int64_t stream) {
  const Result<std::FILE*> found = file(stream);
  if (!found) return found.failure();
  Read result;
  for (;;) {
    if (most >= 0 && static_cast<int64_t>(result.text.size()) >= most) {
      result.last = -2;
      return result;
    }
    const int c = std::getc(*found);
    if (c == EOF) {
      if (std::ferror(*found) != 0) return Failure<std::string>{std::string(std::strerror(errno))};
      return result;
    }
    if (delimiters.find(static_cast<char>(c)) != std::string::npos) {
      result.last = c;
      return result;
    }
    result.text += static_cast<char>(c);
  }
}

Result<Unit> Streams::write(const std::string& text, int64_t stream) {
  const Result<std::FILE*> found = file(stream);
  if (!found) return found.failure();
  const size_t written = std::fwrite(text.data(), 1, text.size(), *found);
  // Another program may wait for it.
  if (written != text.size() || std::fflush(*found) != 0)
    return Failure<std::string>{std::string(std::strerror(errno))};
  return Unit{};
}

namespace {

// Runs the command with these as its standard streams; gives its process.
Result<int> start(const std::string& command, const std::array<int, 3>& descriptors) {
  std::fflush(nullptr);
  const int child = ::fork();
  if (child < 0) return Failure<std::string>{std::string(std::strerror(errno))};
  if (child > 0) return child;
  for (int k = 0; k < 3; ++k)
    if (descriptors[static_cast<size_t>(k)] != k) ::dup2(descriptors[static_cast<size_t>(k)], k);
  ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
  ::_exit(127);
}

}  // namespace

Result<Streams::Ends> Streams::spawn(const std::string& command, const Ends& given) {
  std::array<int64_t, 3> streams = {given.input, given.output, given.errors};
  std::array<int, 3> child{};
  std::array<int, 3> ours = {-1, -1, -1};
  for (size_t k = 0; k < 3; ++k) {
    if (streams[k] >= 0) {
      const Result<std::FILE*> found = file(streams[k]);
      if (!found) return found.failure();
      child[k] = ::fileno(*found);
      continue;
    }
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
      return Failure<std::string>{std::string(std::strerror(errno))};
    child[k] = ends[k == 0 ? 0 : 1];
    ours[k] = ends[k == 0 ? 1 : 0];
  }
  const Result<int> process = start(command, child);
  if (!process) return process.failure();
  programs_.push_back(*process);
  // Writing to a program that has ended is an error, not the end.
  std::signal(SIGPIPE, SIG_IGN);
  for (size_t k = 0; k < 3; ++k)
    if (ours[k] >= 0) {
      ::close(child[k]);
      files_[next_] = ::fdopen(ours[k], k == 0 ? "wb" : "rb");
      streams[k] = next_++;
    }
  return Ends{streams[0], streams[1], streams[2]};
}

Result<std::string> Streams::shell(const std::string& command, const std::string& input) {
  // From a file, so that neither waits for the other.
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> text(std::tmpfile(), &std::fclose);
  if (text == nullptr) return Failure<std::string>{std::string(std::strerror(errno))};
  std::fwrite(input.data(), 1, input.size(), text.get());
  std::rewind(text.get());
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    return Failure<std::string>{std::string(std::strerror(errno))};
  const Result<int> process = start(command, {::fileno(text.get()), ends[1], 2});
  ::close(ends[1]);
  std::string output;
  std::array<char, 4096> piece{};
  for (ssize_t got = 0; process && (got = ::read(ends[0], piece.data(), piece.size())) > 0;)
    output.append(piece.data(), static_cast<size_t>(got));
  ::close(ends[0]);
  if (!process) return process.failure();
  ::waitpid(*process, nullptr, 0);
  return output;
}

}  // namespace skald::driver
