// SPDX-License-Identifier: Apache-2.0
#include "driver/test/worker.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <exception>

#include "support/bug.h"

namespace skald::driver {

namespace {

// A report on the pipe: outcome, then the lengths and bytes of name and detail.
void send(int fd, const CaseReport& report) {
  const uint32_t name = static_cast<uint32_t>(report.name.size()),
                 detail = static_cast<uint32_t>(report.detail.size());
  std::string bytes(1, static_cast<char>(report.outcome));
  bytes.append(reinterpret_cast<const char*>(&name), 4)
      .append(reinterpret_cast<const char*>(&detail), 4);
  bytes += report.name + report.detail;
  size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t count = ::write(fd, bytes.data() + sent, bytes.size() - sent);
    if (count <= 0) return;
    sent += static_cast<size_t>(count);
  }
}

}  // namespace

Worker::Worker(std::string file, const compile::Backend* backend, const CommonOptions& common,
               const TestOptions& options)
    : file_(std::move(file)), backend_(backend) {
  int ends[2];
  SKALD_CHECK(::pipe(ends) == 0, "cannot make a pipe");
  deadline_ = std::chrono::steady_clock::now() +
              std::chrono::milliseconds(static_cast<int64_t>(options.time_limit * 1000));
  const pid_t tester = ::getpid();
  pid_ = ::fork();
  SKALD_CHECK(pid_ >= 0, "cannot start a process");
  if (pid_ == 0) {
    ::close(ends[0]);
    // Whoever ends the tester, and however, ends the tests.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != tester) ::_exit(0);
    const int out = ends[1];
    try {
      run_program_tests(file_, backend_, common, options,
                        [out](const CaseReport& report) { send(out, report); });
    } catch (const std::exception& bug) {
      send(out, {CaseReport::kFailed, "internal error", bug.what()});
    }
    ::close(out);
    ::_exit(0);
  }
  ::close(ends[1]);
  fd_ = ends[0];
}

Worker::~Worker() {
  if (fd_ >= 0) ::close(fd_);
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
}

bool Worker::receive() {
  char chunk[1 << 14];
  const ssize_t count = ::read(fd_, chunk, sizeof chunk);
  if (count > 0) {
    bytes_.append(chunk, static_cast<size_t>(count));
    decode();
    return true;
  }
  reap();
  return false;
}

void Worker::decode() {
  while (bytes_.size() >= 9) {
    uint32_t name = 0, detail = 0;
    std::memcpy(&name, bytes_.data() + 1, 4);
    std::memcpy(&detail, bytes_.data() + 5, 4);
    const size_t length = 9 + size_t{name} + detail;
    if (bytes_.size() < length) return;
    reports_.push_back({static_cast<CaseReport::Outcome>(bytes_[0]), bytes_.substr(9, name),
                        bytes_.substr(9 + name, detail)});
    bytes_.erase(0, length);
  }
}

void Worker::reap() {
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  if (WIFSIGNALED(status))
    reports_.push_back(
        {CaseReport::kFailed, "crash",
         fmt::format("the compiler or the program died: {}", strsignal(WTERMSIG(status)))});
  if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
    reports_.push_back({CaseReport::kFailed, "crash",
                        fmt::format("the test process ended with status {}", WEXITSTATUS(status))});
}

void Worker::kill_late(double limit) {
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
  reports_.push_back(
      {CaseReport::kFailed, "time", fmt::format("not finished after {:.0f} seconds", limit)});
}

}  // namespace skald::driver
