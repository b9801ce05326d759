// SPDX-License-Identifier: Apache-2.0
// Two small kernels of our own, as PTX, which every driver turns into machine code by itself.
#pragma once

namespace skald::runtime::cuda {

// skald_seal(record): a failure that is recorded gets the number 1, which is less than that of any
// launch, so that launches may be numbered from 2 on again.  Word 1 is kFailLaunch
// (runtime/device/failure_record.h).
//
// skald_fill64(to, count, bits)
inline constexpr const char* kHelperKernels = R"(
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

.visible .entry skald_fill64(.param .u64 to, .param .u64 count, .param .u64 bits)
{
  .reg .pred %over;
  .reg .b32 %group, %size, %thread, %groups;
  .reg .b64 %to, %count, %bits, %i, %t, %step, %at;
  ld.param.u64 %to, [to];
  ld.param.u64 %count, [count];
  ld.param.u64 %bits, [bits];
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
  shl.b64 %at, %i, 3;
  add.u64 %at, %at, %to;
  st.u64 [%at], %bits;
  add.u64 %i, %i, %step;
  bra next;
}
)";

}  // namespace skald::runtime::cuda
