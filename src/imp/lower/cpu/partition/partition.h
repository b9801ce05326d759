// SPDX-License-Identifier: Apache-2.0
// Partitions: what the ways to make them share.
#pragma once

#include <vector>

#include "imp/lower/kernel/strategy.h"

namespace skald::imp {

// A class of a partition: its values and results.
struct PartitionClass {
  const SinkInfo* info;
  size_t number, first_result, row_values;
};

// Does a row belong to class c?
Operand is_member(Code& code, const Operand& row_class, size_t c);
// Advances `next` if it does.
void count_member(Code& code, const Operand& row_class, size_t c, Name next);

// ---- pack.cpp
// Is there something to pack for every class?
bool can_pack(const KernelFacts& facts, const std::vector<PartitionClass>& classes);
// Collects the members among the points begin … end-1 in `buffers`, from `next` on.
void pack_members(KernelWriter& kernel, Code& code, const Operand& begin, const Operand& end,
                  const std::vector<PartitionClass>& classes, const std::vector<Name>& next,
                  const std::vector<std::vector<Name>>& buffers, bool again = false);
// True if points are chosen and made by so little code that they need not be kept until it is known
// where they belong.
bool is_cheap_choice(const core::Body& body);
// Adds to `next` how many of the points begin … end-1 are members.
void count_members(KernelWriter& kernel, Code& code, const Operand& begin, const Operand& end,
                   const PartitionClass& each, Name next);
// Packs them and writes them past the caches, from `place` on.
void stream_members(KernelWriter& kernel, Code& code, const Operand& begin, const Operand& end,
                    const PartitionClass& each, Name place, const std::vector<Name>& buffers);
// The first `count` members in the buffers go to `place` of the results of their class.
void copy_members(KernelWriter& kernel, Code& code, const PartitionClass& each,
                  const Operand& place, const Operand& count, const std::vector<Name>& buffers,
                  bool stream);

// ---- rows.cpp
// If the row is a member of class c, it goes to place `next` of the class's results.
void collect_member(KernelWriter& kernel, Code& code, const SinkInfo& info, size_t c, Name next,
                    const std::vector<Operand>& values);
// The members that a chunk collected from place `begin` on go behind those of the chunks before it.
void move_together(KernelWriter& kernel, Code& code, const SinkInfo& info, const Operand& begin,
                   const std::vector<Name>& counts, const Operand& chunk,
                   const std::vector<Name>& totals);
void write_partition_of_rows(KernelWriter& kernel, Code& code, const Otherwise&);

}  // namespace skald::imp
