// SPDX-License-Identifier: Apache-2.0
// A shared library that is loaded at run time and never unloaded, and the functions it has.
#pragma once

#include <dlfcn.h>

#include <string>

namespace skald::runtime {

class Library {
 public:
  // The first one that is there.
  template <class Names>
  explicit Library(const Names& names) {
    for (const auto& each : names) {
      name_ = each;
      handle_ = dlopen(name_.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (handle_ != nullptr) return;
    }
  }

  bool found() const { return handle_ != nullptr; }
  const std::string& name() const { return name_; }

  template <class Function>
  void get(const char* symbol, Function*& function) {
    function = reinterpret_cast<Function*>(dlsym(handle_, symbol));
    if (function == nullptr) missing_ = symbol;
  }
  // A function that it does not have though somebody wanted it; or null.
  const char* missing() const { return missing_; }

 private:
  void* handle_ = nullptr;
  std::string name_;
  const char* missing_ = nullptr;
};

}  // namespace skald::runtime
