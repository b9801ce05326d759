// SPDX-License-Identifier: Apache-2.0
#include "driver/test/worker.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <exception>

#include "support/bug.h"

namespace skald::driver {

namespace {

// Instead of an outcome: the program is done.
constexpr char kDone = 127;

bool write_all(int fd, const std::string& bytes) {
  size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t count = ::write(fd, bytes.data() + sent, bytes.size() - sent);
    if (count <= 0) return false;
    sent += static_cast<size_t>(count);
  }
  return true;
}

bool read_all(int fd, char* to, size_t bytes) {
  while (bytes > 0) {
    const ssize_t count = ::read(fd, to, bytes);
    if (count <= 0) return false;
    to += count;
    bytes -= static_cast<size_t>(count);
  }
  return true;
}

std::string length_bytes(const std::string& text) {
  const auto length = static_cast<uint32_t>(text.size());
  return {reinterpret_cast<const char*>(&length), 4};
}

// A report on the pipe: outcome, then the lengths and bytes of name and detail.
void send(int fd, char outcome, const std::string& name, const std::string& detail) {
  write_all(fd,
            std::string(1, outcome) + length_bytes(name) + length_bytes(detail) + name + detail);
}

// The name of the next program; empty: there is none.
std::string next_program(int fd) {
  uint32_t length = 0;
  if (!read_all(fd, reinterpret_cast<char*>(&length), 4)) return {};
  std::string name(length, '\0');
  return read_all(fd, name.data(), length) ? name : std::string();
}

// What the child does.
void run_programs(std::string file, const compile::Backend* backend, const CommonOptions& common,
                  const TestOptions& options, int from_parent, int out) {
  // Other programs open the device again, which is quick while somebody holds it.
  std::shared_ptr<compile::Engine> held;
  const bool hold = programs_together(*backend, options) > 1;
  for (; !file.empty(); file = next_program(from_parent)) {
    try {
      run_program_tests(file, backend, common, options, hold ? &held : nullptr,
                        [out](const CaseReport& report) {
                          send(out, static_cast<char>(report.outcome), report.name, report.detail);
                        });
    } catch (const std::exception& bug) {
      send(out, static_cast<char>(CaseReport::kFailed), "internal error", bug.what());
    }
    send(out, kDone, {}, {});
  }
}

}  // namespace

int programs_together(const compile::Backend& backend, const TestOptions& options) {
  return options.together > 0 ? options.together : backend.tests_together;
}

Worker::Worker(std::string file, const compile::Backend* backend, const CommonOptions& common,
               const TestOptions& options)
    : file_(std::move(file)), backend_(backend), options_(options) {
  int ends[2], jobs[2];
  SKALD_CHECK(::pipe(ends) == 0 && ::pipe(jobs) == 0, "cannot make a pipe");
  start_clock();
  const pid_t tester = ::getpid();
  pid_ = ::fork();
  SKALD_CHECK(pid_ >= 0, "cannot start a process");
  if (pid_ == 0) {
    ::close(ends[0]);
    ::close(jobs[1]);
    // Whoever ends the tester, and however, ends the tests.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) ::signal(signal, SIG_DFL);
    if (::getppid() != tester) ::_exit(0);
    run_programs(file_, backend_, common, options, jobs[0], ends[1]);
    ::close(ends[1]);
    ::_exit(0);
  }
  ::close(ends[1]);
  ::close(jobs[0]);
  fd_ = ends[0];
  to_child_ = jobs[1];
}

Worker::~Worker() {
  if (fd_ >= 0) ::close(fd_);
  if (to_child_ >= 0) ::close(to_child_);
  if (pid_ > 0) end();
}

// A process may sit in a driver where no signal reaches it; the tests do not wait for that long.
void Worker::end() {
  constexpr int kMostWaits = 200;
  constexpr useconds_t kWait = 10000;
  ::kill(pid_, SIGKILL);
  for (int k = 0; k < kMostWaits && ::waitpid(pid_, nullptr, WNOHANG) == 0; ++k) ::usleep(kWait);
  pid_ = -1;
}

void Worker::start_clock() {
  deadline_ = std::chrono::steady_clock::now() +
              std::chrono::milliseconds(static_cast<int64_t>(options_.time_limit * 1000));
}

bool Worker::can_go_on() const {
  return programs_ < programs_together(*backend_, options_) &&
         std::ranges::none_of(
             reports_,
             [](const CaseReport& report) { return report.outcome == CaseReport::kFailed; });
}

void Worker::give(std::string file) {
  file_ = std::move(file);
  reports_.clear();
  ++programs_;
  start_clock();
  // A child that is gone shows when something is read from it.
  write_all(to_child_, length_bytes(file_) + file_);
}

void Worker::tell_to_end() {
  write_all(to_child_, length_bytes({}));
}

Worker::State Worker::receive() {
  char chunk[1 << 14];
  const ssize_t count = ::read(fd_, chunk, sizeof chunk);
  if (count > 0) {
    bytes_.append(chunk, static_cast<size_t>(count));
    return decode();
  }
  reap();
  return State::kEnded;
}

Worker::State Worker::decode() {
  while (bytes_.size() >= 9) {
    uint32_t name = 0, detail = 0;
    std::memcpy(&name, bytes_.data() + 1, 4);
    std::memcpy(&detail, bytes_.data() + 5, 4);
    const size_t length = 9 + size_t{name} + detail;
    if (bytes_.size() < length) return State::kWorking;
    const char outcome = bytes_[0];
    if (outcome != kDone)
      reports_.push_back({static_cast<CaseReport::Outcome>(outcome), bytes_.substr(9, name),
                          bytes_.substr(9 + name, detail)});
    bytes_.erase(0, length);
    if (outcome == kDone) return State::kReady;
  }
  return State::kWorking;
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

void Worker::kill_late() {
  end();
  reports_.push_back({CaseReport::kFailed, "time",
                      fmt::format("not finished after {:.0f} seconds", options_.time_limit)});
}

}  // namespace skald::driver
