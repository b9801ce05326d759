// SPDX-License-Identifier: Apache-2.0
// What the host reads by CUDA, and how it waits.
//
// A scalar and the record of failures are reported by a kernel of our own, which writes them and
// then a ticket to the host's memory.  The host looks there until the ticket has come: on an H200
// that takes some ten microseconds less than two copies and a wait by the driver.
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <optional>

#include "runtime/cuda/cuda_driver.h"
#include "runtime/cuda/handles.h"
#include "runtime/device/patience.h"

namespace skald::runtime::cuda {

namespace {

// A report has one part of some bytes, and one of words.
struct Report {
  ReadPart bytes, words;
};

bool is_words(const ReadPart& part) {
  return address(part.src, part.offset) % 8 == 0 && part.bytes % 8 == 0 &&
         part.bytes <= int64_t{8} * kReportThreads;
}

std::optional<Report> report_of(std::span<const ReadPart> parts) {
  Report report;
  for (const ReadPart& part : parts) {
    if (part.bytes <= int64_t{kReportThreads} && report.bytes.bytes == 0)
      report.bytes = part;
    else if (is_words(part) && report.words.bytes == 0)
      report.words = part;
    else
      return std::nullopt;
  }
  return report;
}

// The processor may do something else for some nanoseconds.
void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

Result<Unit> CudaDriver::read(std::span<const ReadPart> parts, DeviceEvent* event) {
  size_t all = 0;
  for (const ReadPart& part : parts) all += size_of(part.bytes);
  const bool small = all <= Staging::kSmallBytes;
  if (small && may_report(parts)) return read_by_report(parts);
  // Pieces of large ones are waited for without looking whether somebody says stop.
  if (!small && stop_ != nullptr)
    if (Result<Unit> waited = wait(); !waited) return waited;
  if (!small) {
    launches_since_wait_ = 0;
    return timed(event, "give data", [&] {
      Status code = kSuccess;
      for (const ReadPart& part : parts)
        if (code == kSuccess)
          code = staging_->read(static_cast<char*>(part.to), address(part.src, part.offset),
                                size_of(part.bytes), stream_);
      return code;
    });
  }
  if (Result<Unit> given = timed(event, "give data", [&] { return read_parts(parts); }); !given)
    return given;
  if (Result<Unit> waited = wait(); !waited) return waited;
  const char* from = staging_->small();
  for (const ReadPart& part : parts) {
    std::memcpy(part.to, from, size_of(part.bytes));
    from += part.bytes;
  }
  return Unit{};
}

// To the memory for small reads, one after the other.
Status CudaDriver::read_parts(std::span<const ReadPart> parts) {
  char* to = staging_->small();
  Status code = kSuccess;
  for (const ReadPart& part : parts) {
    if (code == kSuccess)
      code = api_.read(to, address(part.src, part.offset), size_of(part.bytes), stream_);
    to += part.bytes;
  }
  return code;
}

// ---- reports

bool is_report(std::span<const ReadPart> parts) {
  return report_of(parts).has_value();
}

bool CudaDriver::may_report(std::span<const ReadPart> parts) {
  if (profiling_ || !has_reports_ || !is_report(parts)) return false;
  if (++small_reads_ <= kCopiedReads) return false;
  if (ticket_counter_ != nullptr) return true;
  // A driver that cannot load them copies.
  has_reports_ = static_cast<bool>(open_helpers());
  if (has_reports_) ticket_counter_ = allocate(sizeof(uint64_t));
  has_reports_ = ticket_counter_ != nullptr &&
                 api_.fill32(address(ticket_counter_), 0, 2, stream_) == kSuccess;
  return has_reports_;
}

Result<Unit> CudaDriver::read_by_report(std::span<const ReadPart> parts) {
  const Report report = *report_of(parts);
  char* const to = staging_->report();
  const auto number = [](uint64_t bits) {
    return KernelArg{KernelArg::Kind::kNumber, nullptr, static_cast<int64_t>(bits)};
  };
  const std::array<KernelArg, 6> args = {number(reinterpret_cast<uint64_t>(to)),
                                         number(address(report.bytes.src, report.bytes.offset)),
                                         number(static_cast<uint64_t>(report.bytes.bytes)),
                                         number(address(report.words.src, report.words.offset)),
                                         number(static_cast<uint64_t>(report.words.bytes / 8)),
                                         number(address(ticket_counter_))};
  ++tickets_;
  if (Result<Unit> given = give({helpers_.report, 1, kReportThreads, 0}, args, nullptr); !given)
    return given;
  if (Result<Unit> given = flush(); !given) return given;
  if (Result<Unit> waited = wait_for_ticket(tickets_); !waited) return waited;
  if (report.bytes.bytes > 0)
    std::memcpy(report.bytes.to, to + kReportBytes, size_of(report.bytes.bytes));
  if (report.words.bytes > 0)
    std::memcpy(report.words.to, to + kReportWords, size_of(report.words.bytes));
  return Unit{};
}

// The ticket comes after all that was given before.  Only the driver knows that something broke, so
// it is asked now and then; and who waits long waits as for everything else.
Result<Unit> CudaDriver::wait_for_ticket(uint64_t ticket) {
  using Clock = std::chrono::steady_clock;
  constexpr int kLooks = 400;
  constexpr std::chrono::milliseconds kBusy{2};
  const std::atomic_ref<uint64_t> place(
      *reinterpret_cast<uint64_t*>(staging_->report() + kReportTicket));
  const Clock::time_point began = Clock::now();
  for (;;) {
    for (int k = 0; k < kLooks; ++k) {
      if (place.load(std::memory_order_acquire) == ticket) {
        launches_since_wait_ = 0;
        idle_ = true;
        return Unit{};
      }
      pause();
    }
    if (given_up_ || Clock::now() - began > kBusy) return wait();
    const Status code = api_.query_stream(stream_);
    if (code == kNotReady) continue;
    // With success the ticket is there.
    idle_ = code == kSuccess;
    launches_since_wait_ = 0;
    return done(code, "finish");
  }
}

// ---- waiting

Result<Unit> CudaDriver::finish() {
  return wait();
}

Result<Unit> CudaDriver::wait() {
  if (given_up_) return Failure("the CUDA device is still at work");
  if (Result<Unit> given = flush(); !given) return given;
  launches_since_wait_ = 0;
  if (idle_) return Unit{};
  Status code = kNotReady;
  if (stop_ == nullptr) {
    code = api_.wait_for_stream(stream_);
  } else {
    given_up_ = !wait_with_patience(*stop_, [&] {
      code = api_.query_stream(stream_);
      return code != kNotReady;
    });
    if (given_up_) return Failure("the CUDA device did not end in time");
  }
  idle_ = code == kSuccess;
  return done(code, "finish");
}

}  // namespace skald::runtime::cuda
