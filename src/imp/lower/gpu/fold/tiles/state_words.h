// SPDX-License-Identifier: Apache-2.0
// States that groups tell each other, as words of 64 bits in the device's memory.  Each word says
// by itself whether it is there, so nobody needs a fence between a value and a flag:
//
//   63        32        3   2   1 0
//   │ 32 bits of a value │ cut │kind│    longer values take two words
//   │ number of members       │cut│kind│
//
// Kind 0 is nothing yet.  The words of a state that is said a second time, of a greater kind, are
// taken only if all have the same kind.
#pragma once

#include "imp/lower/gpu/fold/tiles/tile_state.h"

namespace skald::imp {

class StateWords {
 public:
  // In host code: room for so many states, with nothing in them, and so many numbers.
  StateWords(Code& host, TileStates& states, const Operand& count, const Operand& numbers);
  void free(Code& host);
  // Gives 0, 1, 2, … to those who ask for one of the numbers.
  Name next_number(Code& code, const Operand& which);

  void say(Code& code, const Operand& at, const TileState& state, int64_t kind);
  // Waits for a state of this kind or a greater one; `state` becomes what was said.  Gives its
  // kind.
  Operand wait(Code& code, const Operand& at, const Operand& least, const TileState& state);

 private:
  // Words of a value.
  static int64_t words_of(const Monoid& monoid, size_t value);
  Operand index(Code& code, int64_t word, const Operand& at) const;

  TileStates& states_;
  Operand count_;
  int64_t words_ = 0;  // of a state
  Name block_ = {};
};

}  // namespace skald::imp
