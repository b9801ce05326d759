// SPDX-License-Identifier: Apache-2.0
// Caches and names of processors, in folders that look like the kernel's.
#include "fake_root_util.h"
#include "machine/processor.h"

namespace skald::machine {
namespace {

class ProcessorTest : public FakeRoot {
 protected:
  void cache(int index, const std::string& level, const std::string& type, const std::string& size,
             const std::string& shared) {
    const std::string folder =
        "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    file(folder + "level", level + "\n");
    file(folder + "type", type + "\n");
    file(folder + "size", size + "\n");
    file(folder + "shared_cpu_list", shared + "\n");
    file(folder + "coherency_line_size", "128\n");
  }
};

TEST_F(ProcessorTest, PlainCachesWhereNobodySaysAnything) {
  EXPECT_EQ(find_caches(root_), kPlainCaches);
  EXPECT_EQ(find_processor(root_).name, "unknown");
}

TEST_F(ProcessorTest, CachesOfTheKernel) {
  cache(0, "1", "Data", "48K", "0,64");
  cache(1, "1", "Instruction", "32K", "0,64");
  cache(2, "2", "Unified", "2048K", "0,64");
  cache(3, "3", "Unified", "105M", "0-31,64-95");
  const Caches found = find_caches(root_);
  EXPECT_EQ(found.source, CacheSource::kKernel);
  EXPECT_EQ(found.line, 128);
  EXPECT_EQ(found.l1d, (Cache{48 << 10, 2}));
  EXPECT_EQ(found.l2, (Cache{2 << 20, 2}));
  EXPECT_EQ(found.l3, (Cache{105 << 20, 64}));
}

TEST_F(ProcessorTest, AProcessorMayHaveNoThirdLevel) {
  cache(0, "1", "Data", "32K", "0");
  cache(1, "2", "Unified", "512K", "0-3");
  EXPECT_EQ(find_caches(root_).l3, Cache{});
  EXPECT_EQ(find_caches(root_).l2, (Cache{512 << 10, 4}));
}

TEST_F(ProcessorTest, SizesThatMakeNoSenseCountAsUnknown) {
  cache(0, "1", "Data", "many", "0");
  cache(1, "2", "Unified", "-4K", "0");
  EXPECT_EQ(find_caches(root_), kPlainCaches);
}

TEST_F(ProcessorTest, NamesOfX86) {
  file("/proc/cpuinfo",
       "processor\t: 0\nmodel name\t: Some Xeon\nflags\t\t: ssse3 avx2 avx512vl avx512bw avx512dq "
       "avx512_vnni avx512_vbmi2 avx512_fp16\n\nprocessor\t: 1\nmodel name\t: Another\n");
  const Processor found = find_processor(root_);
  EXPECT_EQ(found.name, "Some Xeon");
  EXPECT_EQ(found.registers.bytes, 32);
  EXPECT_EQ(found.registers.wide_bytes, 64);
  EXPECT_EQ(found.registers.packed_bytes, 1);
  EXPECT_TRUE(found.registers.gathers);
}

// Registers of 512 bits are for functions only where they cost much of the clock.
TEST_F(ProcessorTest, X86WithTheFirstAvx512) {
  file("/proc/cpuinfo",
       "model name\t: Some Xeon\nflags\t\t: ssse3 avx2 avx512vl avx512bw avx512dq\n");
  const VectorRegisters found = find_processor(root_).registers;
  EXPECT_EQ(found.wide_bytes, 0);
  EXPECT_EQ(found.function_bytes, 64);
  EXPECT_FALSE(found.gathers);
}

TEST_F(ProcessorTest, X86WithoutAvx512) {
  file("/proc/cpuinfo", "model name\t: Some Epyc\nflags\t\t: ssse3 avx2\n");
  const VectorRegisters found = find_processor(root_).registers;
  EXPECT_EQ(found.bytes, 32);
  EXPECT_EQ(found.count, 16);
  EXPECT_EQ(found.wide_bytes, 0);
  EXPECT_EQ(found.masked_bytes, 4);
}

TEST_F(ProcessorTest, NamesOfArm64) {
  file("/proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n");
  EXPECT_EQ(find_processor(root_).name, "Neoverse N1");
  EXPECT_EQ(find_processor(root_).registers, arm64_registers());
  file("/proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0x999\n");
  EXPECT_EQ(find_processor(root_).name, "arm64 core 0x41, 0x999");
}

}  // namespace
}  // namespace skald::machine
