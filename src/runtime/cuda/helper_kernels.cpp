// SPDX-License-Identifier: Apache-2.0
#include "runtime/cuda/helper_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace skald::runtime::cuda {

namespace {

// Word 1 of the record is kFailLaunch (runtime/device/failure_record.h).
constexpr const char* kSeal = R"(
.version 7.0
.target sm_75
.address_size 64

.visible .entry skald_seal(.param .u64 record)
{
  .reg .pred %none;
  .reg .b64 %at, %failed, %first;
  ld.param.u64 %at, [record];
  ld.volatile.u64 %failed, [%at+8];
  setp.eq.u64 %none, %failed, 0;
  @%none ret;
  mov.u64 %first, 1;
  st.volatile.u64 [%at+8], %first;
  ret;
}
)";

// A thread has a byte and a word.  All have been written when the ticket is.
constexpr const char* kReport = R"(
.visible .entry skald_report(.param .u64 to, .param .u64 bytes, .param .u64 byte_count,
                             .param .u64 words, .param .u64 word_count, .param .u64 counter)
{
  .reg .pred %has_byte, %has_word, %first;
  .reg .b16 %byte;
  .reg .b32 %thread;
  .reg .b64 %i, %count, %from, %to, %at, %word, %ticket;
  ld.param.u64 %to, [to];
  mov.u32 %thread, %tid.x;
  cvt.u64.u32 %i, %thread;
  ld.param.u64 %count, [byte_count];
  setp.lt.u64 %has_byte, %i, %count;
  ld.param.u64 %from, [bytes];
  add.u64 %from, %from, %i;
  @%has_byte ld.volatile.u8 %byte, [%from];
  add.u64 %at, %to, %i;
  @%has_byte st.volatile.u8 [%at+BYTES], %byte;
  ld.param.u64 %count, [word_count];
  setp.lt.u64 %has_word, %i, %count;
  shl.b64 %i, %i, 3;
  ld.param.u64 %from, [words];
  add.u64 %from, %from, %i;
  @%has_word ld.volatile.u64 %word, [%from];
  add.u64 %at, %to, %i;
  @%has_word st.volatile.u64 [%at+WORDS], %word;
  membar.sys;
  bar.sync 0;
  setp.eq.u32 %first, %thread, 0;
  @!%first ret;
  ld.param.u64 %at, [counter];
  ld.volatile.u64 %ticket, [%at];
  add.u64 %ticket, %ticket, 1;
  st.volatile.u64 [%at], %ticket;
  st.volatile.u64 [%to+TICKET], %ticket;
  ret;
}
)";

// Every thread takes each element whose number is its own, or larger by a multiple of all threads.
// WIDTH is in bits, LOG the logarithm of bytes, LOAD what makes %x an element.
constexpr const char* kWalk = R"(
.visible .entry NAME(.param .u64 to, .param .u64 count, .param .u64 other)
{
  .reg .pred %over;
  .reg .b32 %group, %size, %thread, %groups;
  .reg .b64 %to, %count, %other, %i, %t, %step, %at, %x;
  ld.param.u64 %to, [to];
  ld.param.u64 %count, [count];
  ld.param.u64 %other, [other];
  mov.u32 %group, %ctaid.x;
  mov.u32 %size, %ntid.x;
  mov.u32 %thread, %tid.x;
  mov.u32 %groups, %nctaid.x;
  mul.wide.u32 %i, %group, %size;
  cvt.u64.u32 %t, %thread;
  add.u64 %i, %i, %t;
  mul.wide.u32 %step, %groups, %size;
next:
  setp.ge.u64 %over, %i, %count;
  @%over ret;
  shl.b64 %t, %i, LOG;
  LOAD
  add.u64 %at, %to, %t;
  st.uWIDTH [%at], %x;
  add.u64 %i, %i, %step;
  bra next;
}
)";

void replace(std::string& text, std::string_view name, std::string_view by) {
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + by.size()))
    text.replace(at, name.size(), by);
}

std::string walk(std::string_view name, int log, std::string_view load) {
  std::string text = kWalk;
  replace(text, "LOAD", load);
  replace(text, "NAME", name);
  replace(text, "WIDTH", std::to_string(8 << log));
  replace(text, "LOG", std::to_string(log));
  return text;
}

std::string name_of(std::string_view what, int log) {
  return fmt::format("skald_{}{}", what, 8 << log);
}

}  // namespace

std::string helper_ptx() {
  std::string text = kReport;
  replace(text, "BYTES", std::to_string(kReportBytes));
  replace(text, "WORDS", std::to_string(kReportWords));
  replace(text, "TICKET", std::to_string(kReportTicket));
  text = kSeal + text;
  for (int log = 0; log < 4; ++log) {
    text += walk(name_of("fill", log), log, "mov.u64 %x, %other;");
    text += walk(name_of("copy", log), log, "add.u64 %at, %other, %t;\n  ld.uWIDTH %x, [%at];");
  }
  return text;
}

Status load_helpers(const Api& api, HelperKernels& helpers) {
  Status code = api.load_module(&helpers.module, helper_ptx().c_str());
  const auto find = [&](Function& function, const std::string& name) {
    if (code == kSuccess) code = api.get_function(&function, helpers.module, name.c_str());
  };
  find(helpers.seal, "skald_seal");
  find(helpers.report, "skald_report");
  for (int log = 0; log < 4; ++log) {
    find(helpers.fill[static_cast<size_t>(log)], name_of("fill", log));
    find(helpers.copy[static_cast<size_t>(log)], name_of("copy", log));
  }
  return code;
}

unsigned helper_groups(uint64_t count) {
  constexpr uint64_t kMostGroups = 4096;
  return static_cast<unsigned>(
      std::min((count + kHelperThreads - 1) / kHelperThreads, kMostGroups));
}

int helper_number(int size) {
  return std::countr_zero(static_cast<unsigned>(size));
}

}  // namespace skald::runtime::cuda
