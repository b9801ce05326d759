// SPDX-License-Identifier: Apache-2.0
// Limits of containers, in folders that look like the kernel's.
#include "fake_root_util.h"
#include "support/machine.h"

namespace skald {
namespace {

using Machine = FakeRoot;

TEST_F(Machine, NobodySays) {
  EXPECT_EQ(available_memory(root_), std::nullopt);
  EXPECT_EQ(granted_cores(root_), std::nullopt);
}

TEST_F(Machine, WithoutLimits) {
  file("/proc/meminfo", "MemTotal: 900 kB\nMemFree: 1 kB\nMemAvailable:     800 kB\n");
  file("/proc/self/cgroup", "0::/user.slice\n");
  file("/sys/fs/cgroup/user.slice/memory.max", "max\n");
  file("/sys/fs/cgroup/user.slice/memory.current", "4096\n");
  file("/sys/fs/cgroup/user.slice/cpu.max", "max 100000\n");
  EXPECT_EQ(available_memory(root_), 800 * 1024);
  EXPECT_EQ(granted_cores(root_), std::nullopt);
}

TEST_F(Machine, OfThisGroupAndThoseAround) {
  file("/proc/meminfo", "MemAvailable: 800 kB\n");
  file("/proc/self/cgroup", "0::/pod/job\n");
  file("/sys/fs/cgroup/pod/memory.max", "500000\n");
  file("/sys/fs/cgroup/pod/memory.current", "300000\n");
  file("/sys/fs/cgroup/pod/memory.stat", "anon 7\ninactive_file 50000\n");
  file("/sys/fs/cgroup/pod/job/memory.max", "max\n");
  file("/sys/fs/cgroup/pod/job/memory.current", "1\n");
  file("/sys/fs/cgroup/pod/cpu.max", "400000 100000\n");
  file("/sys/fs/cgroup/pod/job/cpu.max", "150000 100000\n");
  EXPECT_EQ(available_memory(root_), 250000);
  EXPECT_EQ(granted_cores(root_), 2);
}

TEST_F(Machine, OfAContainerThatIsTheRoot) {
  file("/proc/self/cgroup", "0::/\n");
  file("/sys/fs/cgroup/memory.max", "1000\n");
  file("/sys/fs/cgroup/memory.current", "1500\n");
  file("/sys/fs/cgroup/cpu.max", "50000 100000\n");
  EXPECT_EQ(available_memory(root_), 0);
  EXPECT_EQ(granted_cores(root_), 1);
}

TEST_F(Machine, OfVersion1) {
  file("/proc/self/cgroup", "4:memory:/docker/abc\n3:cpuacct,cpu:/docker/abc\n0::/\n");
  file("/sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "9000\n");
  file("/sys/fs/cgroup/memory/docker/abc/memory.usage_in_bytes", "5000\n");
  file("/sys/fs/cgroup/cpu/docker/abc/cpu.cfs_quota_us", "300000\n");
  file("/sys/fs/cgroup/cpu/docker/abc/cpu.cfs_period_us", "100000\n");
  file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  file("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(available_memory(root_), 4000);
  EXPECT_EQ(granted_cores(root_), 3);
}

TEST_F(Machine, MayAllocate) {
  EXPECT_TRUE(may_allocate(1 << 20));
  EXPECT_FALSE(may_allocate(int64_t{1} << 60));
}

}  // namespace
}  // namespace skald
