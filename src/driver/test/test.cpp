// SPDX-License-Identifier: Apache-2.0
// skald test PATH…: runs the test blocks of programs, in parallel.
#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <deque>
#include <random>

#include "compile/registry/backends.h"
#include "driver/commands.h"
#include "driver/session.h"
#include "driver/test/worker.h"
#include "support/machine.h"

namespace skald::driver {

namespace {

// All .fut and .nesl files below a path, sorted.  Hidden folders are left out.
void collect_programs(const std::string& path, std::vector<std::string>& out) {
  struct stat info = {};
  if (::stat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) {
    out.push_back(path);
    return;
  }
  std::vector<std::string> names;
  if (DIR* folder = ::opendir(path.c_str())) {
    while (const dirent* item = ::readdir(folder)) names.emplace_back(item->d_name);
    ::closedir(folder);
  }
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    if (name.starts_with(".")) continue;
    const std::string full = path.ends_with("/") ? path + name : path + "/" + name;
    if (::stat(full.c_str(), &info) != 0) continue;
    if (S_ISDIR(info.st_mode) || name.ends_with(".fut") || name.ends_with(".nesl"))
      collect_programs(full, out);
  }
}

// "1 case", "2 cases".
std::string counted(size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// Where no terminal shows a line of progress, one line so often says how far the tests are.
constexpr std::chrono::seconds kBetweenLines{15};

// A signal that asks the tests to end.
volatile sig_atomic_t asked_to_end = 0;

// Counts outcomes, shows progress and prints failures as they come.
class Scoreboard {
 public:
  Scoreboard(size_t programs, bool many_backends, bool verbose, bool progress)
      : programs_(programs),
        many_backends_(many_backends),
        verbose_(verbose),
        terminal_(progress && ::isatty(STDERR_FILENO) != 0) {}

  // Called now and then.
  void still_running(const std::vector<std::unique_ptr<Worker>>& running) {
    const auto now = std::chrono::steady_clock::now();
    if (terminal_ || now - last_line_ < kBetweenLines) return;
    last_line_ = now;
    fmt::print(stderr, "[{}/{}] {} failed; running: {}\n", done_, programs_, failed_,
               names(running));
  }

  // What is known when the tests are told to end before they are done.
  int interrupted(const std::vector<std::unique_ptr<Worker>>& running) {
    summary();
    fmt::print("stopped by a signal: {} of {} done; running: {}\n", done_,
               counted(programs_, "program"), names(running));
    return 128 + asked_to_end;
  }

  void finished(const Worker& worker) {
    ++done_;
    bool failed = false;
    for (const CaseReport& report : worker.reports()) {
      passed_ += report.outcome == CaseReport::kPassed ? 1 : 0;
      weak_ += report.outcome == CaseReport::kPassed && !report.detail.empty() ? 1 : 0;
      skipped_ += report.outcome == CaseReport::kSkipped ? 1 : 0;
      if (report.outcome != CaseReport::kFailed) {
        if (verbose_) show_quiet(worker, report);
        continue;
      }
      ++failed_;
      failed = true;
      clear_line();
      std::printf("%s%s: %s failed\n", worker.file().c_str(),
                  backend_suffix(worker.backend()).c_str(), report.name.c_str());
      print_indented(report.detail);
    }
    failed_programs_ += failed ? 1 : 0;
    // Whoever ends the tests has what was found until then.
    std::fflush(stdout);
    show_progress();
  }

  // Programs that were not started in time.
  void leave_out(size_t count) { left_out_ += count; }

  int summary() {
    clear_line();
    fmt::print("{}, {} passed, {} failed, {} skipped\n", counted(done_, "program"),
               counted(passed_, "case"), failed_, skipped_);
    if (left_out_ > 0)
      fmt::print("{} of {} left out: the time for starting them was over\n", left_out_,
                 counted(programs_, "program"));
    if (weak_ > 0)
      fmt::print(
          "{} with `auto output` took the interpreter too long and agreed with another run of the "
          "cpu back end instead\n",
          counted(weak_, "case"));
    if (failed_programs_ > 0) fmt::print("{} failed\n", counted(failed_programs_, "program"));
    return failed_ == 0 ? kOk : kUserError;
  }

 private:
  std::string names(const std::vector<std::unique_ptr<Worker>>& running) const {
    std::vector<std::string> all;
    for (const auto& worker : running)
      all.push_back(worker->file() + backend_suffix(worker->backend()));
    return fmt::format("{}", fmt::join(all, ", "));
  }
  std::string backend_suffix(const compile::Backend* kind) const {
    return many_backends_ ? fmt::format(" ({})", kind->name) : "";
  }
  void show_quiet(const Worker& worker, const CaseReport& report) {
    clear_line();
    fmt::print("{}{}: {} {}{}\n", worker.file(), backend_suffix(worker.backend()), report.name,
               report.outcome == CaseReport::kPassed ? "passed" : "skipped",
               report.detail.empty() ? "" : ": " + report.detail);
  }
  static void print_indented(const std::string& text) {
    std::string line;
    for (const char c : text) {
      if (c != '\n') {
        line += c;
        continue;
      }
      std::printf("    %s\n", line.c_str());
      line.clear();
    }
    if (!line.empty()) std::printf("    %s\n", line.c_str());
  }
  void clear_line() {
    if (terminal_) std::fputs("\r\033[K", stderr);
  }
  void show_progress() {
    if (terminal_) std::fprintf(stderr, "\r\033[K[%zu/%zu] %zu failed", done_, programs_, failed_);
  }

  size_t programs_;
  std::chrono::steady_clock::time_point last_line_ = std::chrono::steady_clock::now();
  bool many_backends_, verbose_;
  bool terminal_;
  size_t done_ = 0, passed_ = 0, weak_ = 0, failed_ = 0, skipped_ = 0, failed_programs_ = 0;
  size_t left_out_ = 0;
};

struct Job {
  std::string file;
  const compile::Backend* backend;
};

// Those that are left out when time is over should be others every time.
void mix(std::deque<Job>& jobs, const std::optional<uint64_t>& seed) {
  std::mt19937_64 random(seed ? *seed : std::random_device()());
  std::shuffle(jobs.begin(), jobs.end(), random);
}

// The next program for a worker that has done one; none: it is told to end.
void go_on(Worker& worker, std::deque<Job>& jobs, Scoreboard& board) {
  const auto next = std::ranges::find(jobs, worker.backend(), &Job::backend);
  if (!worker.can_go_on() || next == jobs.end()) return worker.tell_to_end();
  board.finished(worker);
  worker.give(next->file);
  jobs.erase(next);
}

void wait_for_workers(std::vector<std::unique_ptr<Worker>>& running, std::deque<Job>& jobs,
                      Scoreboard& board) {
  std::vector<pollfd> fds;
  for (const auto& worker : running) fds.push_back({worker->fd(), POLLIN, 0});
  ::poll(fds.data(), fds.size(), 200);
  // The signal may have ended the workers too, which is no failure of their programs.
  if (asked_to_end != 0) return;
  const auto now = std::chrono::steady_clock::now();
  for (size_t k = running.size(); k-- > 0;) {
    Worker& worker = *running[k];
    Worker::State state = Worker::State::kWorking;
    if (fds[k].revents != 0) state = worker.receive();
    if (state == Worker::State::kReady) go_on(worker, jobs, board);
    if (state == Worker::State::kWorking && now > worker.deadline()) {
      worker.kill_late();
      state = Worker::State::kEnded;
    }
    if (state != Worker::State::kEnded) continue;
    board.finished(worker);
    running.erase(running.begin() + static_cast<ptrdiff_t>(k));
  }
}

}  // namespace

int run_test(const CommonOptions& common, const TestOptions& options) {
  std::vector<std::string> files;
  for (const std::string& path : options.paths) collect_programs(path, files);
  if (files.empty()) {
    Session(common).error(fmt::format("there are no programs (*.fut, *.nesl) under {}",
                                      fmt::join(options.paths, ", ")));
    return kUserError;
  }
  std::vector<const compile::Backend*> backends = options.backends;
  if (backends.empty()) backends = {&compile::default_backend()};
  for (const compile::Backend* kind : backends) {
    std::string why_not;
    if (kind->is_available(why_not)) continue;
    Session(common).error(why_not);
    return kUserError;
  }
  std::deque<Job> jobs;
  for (const std::string& file : files)
    for (const compile::Backend* kind : backends) jobs.push_back({file, kind});
  if (options.start_until > 0) mix(jobs, options.seed);
  const auto limit = static_cast<size_t>(options.jobs > 0 ? options.jobs : usable_cores());
  Scoreboard board(jobs.size(), backends.size() > 1, common.verbose, options.progress);
  std::vector<std::unique_ptr<Worker>> running;
  // A worker that is gone is found by reading.
  ::signal(SIGPIPE, SIG_IGN);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP})
    ::signal(signal, [](int number) { asked_to_end = number; });
  while (!jobs.empty() || !running.empty()) {
    if (asked_to_end != 0) return board.interrupted(running);
    board.still_running(running);
    if (options.start_until > 0 && std::time(nullptr) > options.start_until) {
      board.leave_out(jobs.size());
      jobs.clear();
    }
    while (!jobs.empty() && running.size() < limit) {
      std::fflush(nullptr);
      running.push_back(
          std::make_unique<Worker>(jobs.front().file, jobs.front().backend, common, options));
      jobs.pop_front();
    }
    wait_for_workers(running, jobs, board);
  }
  return board.summary();
}

}  // namespace skald::driver
