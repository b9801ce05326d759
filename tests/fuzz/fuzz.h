// SPDX-License-Identifier: Apache-2.0
// What the fuzz targets share.  A target is a function from bytes to nothing; it fails by crashing,
// by a sanitizer's finding, by an internal error (an exception nobody catches) or by taking long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <semaphore>
#include <string>
#include <string_view>
#include <thread>

#include "source/diagnostic.h"
#include "source/render.h"
#include "source/source.h"
#include "support/bug.h"
#include "support/stack.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace skald::fuzz {

inline std::string_view text_of(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Draws everything that was reported, because drawing must not fail either.
inline void draw_all(const source::Diagnostics& diagnostics, const source::SourceMap& sources) {
  for (const source::Diagnostic& d : diagnostics.all()) {
    (void)source::render(d, sources, source::Colour::kNever);
    (void)source::render_json(d, sources);
  }
}

// Calls f on a large stack that is made once: AddressSanitizer takes a quarter of a second to make
// one (the front ends do so for every program, unless they are on one already).
inline void on_one_large_stack(const std::function<void()>& f) {
  struct Worker {
    std::binary_semaphore begin{0}, end{0};
    const std::function<void()>* job = nullptr;
    Worker() {
      std::thread([this] {
        on_large_stack([this] {
          for (;;) {
            begin.acquire();
            (*job)();
            end.release();
          }
        });
      }).detach();
    }
  };
  static auto* const worker = new Worker;  // never ends
  worker->job = &f;
  worker->begin.release();
  worker->end.acquire();
}

}  // namespace skald::fuzz
