// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/target.h"

#include "imp/lower/gpu/group.h"
#include "imp/lower/gpu/launch.h"

namespace skald::imp {

void DeviceTarget::kernel(FunctionLowering& fn, Code& code, const core::Stmt& stmt,
                          const core::Kernel& kernel) {
  write_for_device(fn, *this, code, stmt, kernel);
}

bool DeviceTarget::loop(FunctionLowering& fn, Code& code, const core::Stmt& stmt,
                        const core::Loop& loop) {
  return is_host(fn) && write_loop_for_device(fn, *this, code, stmt, loop);
}

Space DeviceTarget::owned(const FunctionLowering& fn, core::Space space) const {
  if (group != nullptr) return Space::kGroup;
  return is_thread(fn) || space == core::Space::kHost ? Space::kHeap : Space::kDevice;
}

bool DeviceTarget::spreads(const FunctionLowering& fn, core::Space space) const {
  return group != nullptr || (is_host(fn) && space != core::Space::kHost);
}

void DeviceTarget::spread(FunctionLowering& fn, Code& code, const Operand& count,
                          const Code::LoopBody& body) {
  if (group != nullptr) return imp::in_group(*this, code, count, body);
  launch_for(fn, code, count, body);
}

void DeviceTarget::once(FunctionLowering&, Code& code, const std::function<void(Code&)>& body) {
  if (group == nullptr) return body(code);
  once_in_group(*this, code, body);
}

bool DeviceTarget::copy(FunctionLowering& fn, Code& code, const ArrayPlace& dest,
                        const ArrayPlace& src) {
  return is_host(fn) && dest.type.space != core::Space::kHost && copy_in_tiles(fn, code, dest, src);
}

bool DeviceTarget::has_whole_copies(const FunctionLowering& fn) const {
  return is_host(fn);
}

std::string DeviceTarget::callee(const FunctionLowering& fn, const std::string& name) const {
  return is_thread(fn) ? device_name(name) : name;
}

bool DeviceTarget::can_print(const FunctionLowering& fn) const {
  return !is_thread(fn);
}

}  // namespace skald::imp
