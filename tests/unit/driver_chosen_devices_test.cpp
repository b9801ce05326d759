// SPDX-License-Identifier: Apache-2.0
// Names of devices, on a machine with one GPU that two back ends know.
#include <gtest/gtest.h>

#include "driver/device/chosen_devices.h"

namespace skald::driver {
namespace {

Result<ChosenDevices> choose(const std::string& wanted) {
  machine::Processor processor;
  processor.name = "Some Processor";
  compile::KnownDevices known;
  const auto add = [&](const char* backend, const char* name) {
    machine::DeviceModel model;
    model.backend = backend;
    model.name = name;
    known.devices.push_back({nullptr, std::move(model)});
  };
  add("opencl", "NVIDIA CUDA: NVIDIA H200");
  add("opencl", "PoCL: Some Processor");
  add("cuda", "NVIDIA H200");
  add("cuda", "NVIDIA H200");
  known.problems.emplace_back("other: there is no driver");
  return choose_devices(wanted, std::move(processor), std::move(known));
}

std::string names(const Result<ChosenDevices>& chosen) {
  if (!chosen) return "error: " + chosen.error();
  std::string all = chosen->processor ? "processor " : "";
  for (const compile::KnownDevice& device : chosen->devices)
    all += device.model.backend + "/" + device.model.name + " ";
  return all;
}

std::string one(const std::string& wanted) {
  Result<ChosenDevices> chosen = choose(wanted);
  const Result<Unit> done = choose_one(wanted, *chosen);
  return done ? names(chosen) : "error: " + done.error();
}

TEST(ChosenDevices, ByBackEnd) {
  EXPECT_EQ(names(choose("cpu")), "processor ");
  EXPECT_EQ(names(choose("processor")), "processor ");
  EXPECT_EQ(names(choose("cuda")), "cuda/NVIDIA H200 cuda/NVIDIA H200 ");
  EXPECT_EQ(names(choose("OpenCL")),
            "opencl/NVIDIA CUDA: NVIDIA H200 opencl/PoCL: Some Processor ");
  EXPECT_NE(names(choose("other")).find("`other` has no device here"), std::string::npos);
}

TEST(ChosenDevices, ByPartOfAName) {
  EXPECT_EQ(names(choose("pocl")), "opencl/PoCL: Some Processor ");
  EXPECT_EQ(names(choose("NVIDIA CUDA: N")), "opencl/NVIDIA CUDA: NVIDIA H200 ");
  EXPECT_EQ(names(choose("some")), "processor opencl/PoCL: Some Processor ");
  EXPECT_EQ(names(choose("opencl:some")), "opencl/PoCL: Some Processor ");
  const std::string error = names(choose("H100"));
  EXPECT_NE(error.find("no back end is called `H100`"), std::string::npos) << error;
  EXPECT_NE(error.find("cuda:NVIDIA H200"), std::string::npos) << error;
}

TEST(ChosenDevices, OneToMeasure) {
  EXPECT_EQ(one("cuda"), "cuda/NVIDIA H200 ") << "devices of one name are measured once";
  EXPECT_EQ(one("cuda:h200"), "cuda/NVIDIA H200 ");
  const std::string error = one("H200");
  EXPECT_NE(error.find("`H200` names 2"), std::string::npos) << error;
  EXPECT_NE(error.find("opencl:NVIDIA CUDA: NVIDIA H200"), std::string::npos) << error;
  // Who names nothing means all.
  EXPECT_EQ(
      one(""),
      "processor opencl/NVIDIA CUDA: NVIDIA H200 opencl/PoCL: Some Processor cuda/NVIDIA H200 ");
}

}  // namespace
}  // namespace skald::driver
