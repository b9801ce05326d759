// SPDX-License-Identifier: Apache-2.0
// Texts of helpers.cpp for what a thread of a device has: its memory and heap, its stack, and how
// it says that something failed.
#pragma once

#include <string_view>

namespace skald::clike {

inline constexpr std::string_view kCopy = R"(
SK_FN void sk_move(SK_GLOBAL u8* dest, SK_GLOBAL u8* src, i64 bytes) {
  if (dest == src) return;
  if (((u64)dest | (u64)src | (u64)bytes) % 8 == 0) {
    SK_GLOBAL u64* d = (SK_GLOBAL u64*)dest;
    SK_GLOBAL u64* s = (SK_GLOBAL u64*)src;
    if (d < s) for (i64 k = 0; k < bytes / 8; ++k) d[k] = s[k];
    else for (i64 k = bytes / 8; k-- > 0;) d[k] = s[k];
    return;
  }
  if (((u64)dest | (u64)src | (u64)bytes) % 4 == 0) {
    SK_GLOBAL u32* d = (SK_GLOBAL u32*)dest;
    SK_GLOBAL u32* s = (SK_GLOBAL u32*)src;
    if (d < s) for (i64 k = 0; k < bytes / 4; ++k) d[k] = s[k];
    else for (i64 k = bytes / 4; k-- > 0;) d[k] = s[k];
    return;
  }
  if (dest < src) for (i64 k = 0; k < bytes; ++k) dest[k] = src[k];
  else for (i64 k = bytes; k-- > 0;) dest[k] = src[k];
}
)";

// The heap of a group.  What a thread keeps about its own heap in variables is here in the heap's
// first bytes, because barriers lie between the calls.
inline constexpr std::string_view kGroupHeap = R"(
SK_FN void skg_start(SK_GLOBAL u8* heap) {
  ((SK_GLOBAL i32*)heap)[0] = 0;
  ((SK_GLOBAL i32*)heap)[1] = 0;
}
SK_FN sk_thread skg_open(const sk_thread* sk, SK_GLOBAL u8* heap) {
  sk_thread group = {sk->record, sk->launch, sk->position, heap + 16, sk->heap_bytes - 16,
                     ((SK_GLOBAL i32*)heap)[0], ((SK_GLOBAL i32*)heap)[1], 0};
  return group;
}
SK_FN void skg_close(const sk_thread* group) {
  ((SK_GLOBAL i32*)group->heap)[-4] = group->top;
  ((SK_GLOBAL i32*)group->heap)[-3] = group->last;
}
SK_FN SK_GLOBAL u8* skg_alloc(const sk_thread* sk, SK_GLOBAL u8* heap, i64 bytes) {
  sk_thread group = skg_open(sk, heap);
  SK_GLOBAL u8* data = sk_alloc(&group, bytes);
  skg_close(&group);
  return data;
}
SK_FN void skg_retain(const sk_thread* sk, SK_GLOBAL u8* heap, SK_GLOBAL u8* data) {
  sk_thread group = skg_open(sk, heap);
  sk_retain(&group, data);
}
SK_FN void skg_release(const sk_thread* sk, SK_GLOBAL u8* heap, SK_GLOBAL u8* data) {
  sk_thread group = skg_open(sk, heap);
  sk_release(&group, data);
  skg_close(&group);
}
)";

// The record of failures is runtime/device/failure_record.h's; sk_thread is what a thread knows
// about itself.  Its heap lies in its own piece of the arena: blocks with a header of 16 bytes, of
// which the last ones are taken off when they are free, and free ones in between are used again.
// `top` and `last` count pieces of 16 bytes; the last `stack` bytes are frames of functions that
// call themselves.
inline constexpr std::string_view kThread = R"(
typedef struct {
  volatile SK_GLOBAL i64* record;
  i64 launch, position;
  SK_GLOBAL u8* heap;
  i64 heap_bytes;
  i32 top, last, stack;
} sk_thread;
)";

inline constexpr std::string_view kFail = R"(
// What is kept of a position: more than nothing, and more for an earlier one.
#define SK_RANK(position) (((i64)1 << 62) - (position))

// Thousands of threads may fail at once.  Only those that are the first so far wait for the lock,
// and give up when an earlier one comes.
SK_FN void sk_fail(sk_thread* sk, i64 position, i64 id, i32 n, const i64* values) {
  volatile SK_GLOBAL i32* lock = (volatile SK_GLOBAL i32*)sk->record;
  i64 rank = SK_RANK(position);
  bool first = sk->record[2] < rank && SK_ATOM64(max, sk->record + 2, rank) < rank;
  sk->position = position;
  while (first && sk->record[2] == rank) {
    if (*lock == 0 && SK_ATOM32(xchg, lock, 1) == 0) {
      SK_FENCE();
      if (sk->record[2] == rank && (sk->record[1] == 0 || sk->record[1] == sk->launch)) {
        sk->record[1] = sk->launch;
        sk->record[3] = id;
        sk->record[4] = n;
        for (i32 k = 0; k < n; ++k) sk->record[5 + k] = values[k];
        sk->record[21] = 0;
      }
      SK_FENCE();
      SK_ATOM32(xchg, lock, 0);
      first = false;
    }
  }
}
)";

inline constexpr std::string_view kFrame = R"(
SK_FN void sk_frame(sk_thread* sk, i32 loc) {
  volatile SK_GLOBAL i32* lock = (volatile SK_GLOBAL i32*)sk->record;
  i64 rank = SK_RANK(sk->position);
  bool done = false;
  while (!done && sk->record[2] == rank) {
    if (*lock == 0 && SK_ATOM32(xchg, lock, 1) == 0) {
      SK_FENCE();
      i64 n = sk->record[21];
      if (sk->record[1] == sk->launch && sk->record[2] == rank && n < 64) {
        sk->record[22 + n] = loc;
        sk->record[21] = n + 1;
      }
      SK_FENCE();
      SK_ATOM32(xchg, lock, 0);
      done = true;
    }
  }
}
)";

inline constexpr std::string_view kHeap = R"(
typedef struct { i32 size, before, refs, unused; } sk_header;

SK_FN SK_GLOBAL u8* sk_alloc(sk_thread* sk, i64 bytes) {
  if (bytes < 0 || bytes > ((i64)1 << 34)) {
    sk_fail(sk, sk->position, -1, 1, &bytes);
    return 0;
  }
  i32 size = (i32)((bytes + 15) / 16) + 1;
  for (i32 at = 0; at < sk->top;) {
    SK_GLOBAL sk_header* block = (SK_GLOBAL sk_header*)(sk->heap + (i64)at * 16);
    if (block->refs == 0 && block->size >= size) {
      block->refs = 1;
      return (SK_GLOBAL u8*)(block + 1);
    }
    at += block->size;
  }
  i64 end = ((i64)sk->top + size) * 16;
  if (end + sk->stack > sk->heap_bytes) {
    SK_ATOM64(max, (volatile SK_GLOBAL i64*)(sk->record + 86), end + sk->stack);
    return 0;
  }
  SK_GLOBAL sk_header* block = (SK_GLOBAL sk_header*)(sk->heap + (i64)sk->top * 16);
  block->size = size;
  block->before = sk->last;
  block->refs = 1;
  sk->top += size;
  sk->last = size;
  return (SK_GLOBAL u8*)(block + 1);
}

// Blocks outside the thread's heap belong to the host and are not counted.
SK_FN bool sk_owns(const sk_thread* sk, SK_GLOBAL u8* data) {
  return data != 0 && data >= sk->heap && data < sk->heap + sk->heap_bytes;
}

SK_FN SK_GLOBAL u8* sk_retain(const sk_thread* sk, SK_GLOBAL u8* data) {
  if (sk_owns(sk, data)) ((SK_GLOBAL sk_header*)data)[-1].refs += 1;
  return data;
}

SK_FN void sk_release(sk_thread* sk, SK_GLOBAL u8* data) {
  if (!sk_owns(sk, data)) return;
  SK_GLOBAL sk_header* block = (SK_GLOBAL sk_header*)data - 1;
  block->refs -= 1;
  if (block->refs != 0) return;
  i32 at = (i32)(((SK_GLOBAL u8*)block - sk->heap) / 16);
  if (at + block->size != sk->top) return;
  for (;;) {
    sk->top = at;
    sk->last = block->before;
    if (at == 0) return;
    at -= sk->last;
    block = (SK_GLOBAL sk_header*)(sk->heap + (i64)at * 16);
    if (block->refs != 0) return;
  }
}
)";

// Frames grow from the end of the heap to its beginning; a heap's size is a multiple of 8.  What is
// too little for one call is made twice as large, since many may follow.
inline constexpr std::string_view kStack = R"(
#define SK_MOST_STACK (1 << 22)

SK_FN SK_GLOBAL u64* sk_top(const sk_thread* sk) {
  return (SK_GLOBAL u64*)(sk->heap + sk->heap_bytes - sk->stack);
}
SK_FN SK_GLOBAL u64* sk_push(sk_thread* sk, i32 words) {
  i32 stack = sk->stack + 8 * words;
  i64 end = (i64)sk->top * 16 + stack;
  if (stack > SK_MOST_STACK) {
    sk_fail(sk, sk->position, -2, 0, 0);
    return 0;
  }
  if (end > sk->heap_bytes) {
    SK_ATOM64(max, (volatile SK_GLOBAL i64*)(sk->record + 86), end + stack);
    return 0;
  }
  sk->stack = stack;
  return sk_top(sk);
}
)";

}  // namespace skald::clike
