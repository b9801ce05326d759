// SPDX-License-Identifier: Apache-2.0
// One function per command; each returns the exit code.
#pragma once

#include <string>

#include "driver/options.h"

namespace skald::driver {

int run_check(const CommonOptions& common, const CheckOptions& options);    // check.cpp
int run_run(const CommonOptions& common, const RunOptions& options);        // run.cpp
int run_test(const CommonOptions& common, const TestOptions& options);      // test/test.cpp
int run_dump(const CommonOptions& common, const DumpOptions& options);      // dump.cpp
int run_build(const CommonOptions& common, const BuildOptions& options);    // build.cpp
int run_cache(const CommonOptions& common, const CacheOptions& options);    // cache.cpp
int run_device(const CommonOptions& common, const DeviceOptions& options);  // device.cpp
int run_explain(const CommonOptions& common, const std::string& code);      // explain.cpp

}  // namespace skald::driver
