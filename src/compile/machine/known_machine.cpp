// SPDX-License-Identifier: Apache-2.0
#include "compile/machine/known_machine.h"

#include <bit>
#include <optional>

#include "compile/registry/backends.h"
#include "machine/measure.h"
#include "runtime/disk_cache.h"
#include "support/bytes.h"

namespace skald::compile {

namespace {

constexpr std::string_view kMeasuredKind = "measured";
// Another number when something else is measured.
constexpr std::string_view kMeasuredVersion = "1";

Hash128 measured_key(const std::string& what) {
  return hash128(fmt::format("measured {}\n{}", kMeasuredVersion, what));
}

// All that the bandwidth depends on, as far as it is known.
std::string identity_of(const machine::Processor& processor) {
  const machine::Caches& caches = processor.caches;
  return fmt::format("processor\n{}\n{}\n{}\n{} {} {}", processor.name, processor.architecture,
                     processor.cores, caches.l1d.bytes, caches.l2.bytes, caches.l3.bytes);
}

// So many numbers that were kept, or nothing.
std::optional<std::vector<double>> kept_numbers(const std::string& what, size_t count) {
  const std::optional<std::string> bytes =
      runtime::DiskCache::standard().read(measured_key(what), kMeasuredKind);
  if (!bytes) return std::nullopt;
  ByteReader in(*bytes);
  std::vector<double> numbers(count);
  for (double& number : numbers) number = std::bit_cast<double>(in.number());
  return in.done() ? std::optional(std::move(numbers)) : std::nullopt;
}

void keep_numbers(const std::string& what, const std::vector<double>& numbers) {
  ByteWriter out;
  for (const double number : numbers) out.number(std::bit_cast<uint64_t>(number));
  runtime::DiskCache::standard().write(measured_key(what), kMeasuredKind, out.take());
}

}  // namespace

machine::Processor known_processor() {
  machine::Processor processor = machine::this_processor();
  if (const auto kept = kept_numbers(identity_of(processor), 2))
    processor.bandwidth = {(*kept)[0], (*kept)[1]};
  return processor;
}

Result<machine::Processor> measured_processor() {
  machine::Processor processor = machine::this_processor();
  const Result<machine::Bandwidth> found = machine::measure_bandwidth(processor);
  if (!found) return found.failure();
  processor.bandwidth = *found;
  keep_numbers(identity_of(processor), {found->one_core, found->all_cores});
  return processor;
}

KnownDevices known_devices() {
  KnownDevices known;
  for (const Backend* backend : backends()) {
    if (backend->devices == nullptr) continue;
    Result<std::vector<machine::DeviceModel>> found = backend->devices();
    if (!found) {
      known.problems.push_back(fmt::format("{}: {}", backend->name, found.error()));
      continue;
    }
    for (machine::DeviceModel& model : *found) {
      if (const auto kept = kept_numbers(model.identity, 3))
        model.times = {(*kept)[0], (*kept)[1], (*kept)[2]};
      known.devices.push_back({backend, std::move(model)});
    }
  }
  return known;
}

Result<machine::DeviceModel> measured_device(const KnownDevice& device) {
  const Result<machine::DeviceTimes> found = device.backend->measure(device.model);
  if (!found) return found.failure();
  machine::DeviceModel model = device.model;
  model.times = *found;
  keep_numbers(model.identity, {found->bandwidth, found->launch_us, found->round_trip_us});
  return model;
}

}  // namespace skald::compile
