// SPDX-License-Identifier: Apache-2.0
// Dispatch between the formats, and the binary one.  Text: text_value.cpp.
#include "runtime/values/value_reader.h"

#include <algorithm>
#include <cstring>

#include "runtime/values/element_sink.h"
#include "runtime/values/text_scanner.h"
#include "runtime/values/text_value.h"

namespace skald::runtime {

namespace {

constexpr char kBinaryVersion = 2;

struct BinaryHeader {
  Prim type;
  std::vector<int64_t> shape;
};

Result<BinaryHeader, ReadError> read_header(Input& input) {
  constexpr size_t kFixedBytes = 7;  // 'b', version, rank, type
  if (input.want(2) && input.cursor()[1] != kBinaryVersion)
    return Failure(error_here(
        input, fmt::format("expected a value, but found {}, which is neither a text value nor a "
                           "binary value of version {}",
                           describe_next(input), static_cast<int>(kBinaryVersion))));
  if (!input.want(kFixedBytes))
    return Failure(error_here(input, "the input ends inside the header of a binary value"));
  input.saw_binary();
  const auto rank = static_cast<size_t>(static_cast<unsigned char>(input.cursor()[2]));
  std::string_view name(input.cursor() + 3, 4);
  name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
  const std::optional<Prim> type = prim_from_name(name);
  if (!type) {
    input.move_to(input.cursor() + 3);
    return Failure(expected_here(input, "the name of a primitive type, in four characters,"));
  }
  input.move_to(input.cursor() + kFixedBytes);
  if (!input.want(8 * rank))
    return Failure(error_here(input, "the input ends inside the header of a binary value"));
  std::vector<int64_t> shape(rank);
  if (rank != 0) std::memcpy(shape.data(), input.cursor(), 8 * rank);
  input.move_to(input.cursor() + 8 * rank);
  return BinaryHeader{*type, std::move(shape)};
}

ReadError truncated(Input& input, const BinaryHeader& header, int64_t bytes, int64_t got) {
  return error_here(input, fmt::format("the input ends inside a binary value: {} needs {} bytes of "
                                       "data, but there are only {}",
                                       type_text(header.type, header.shape), bytes, got));
}

// Data whose size is known to be there, or small: read to its final place at once.
Result<Buffer, ReadError> read_known(Input& input, const BinaryHeader& header, int64_t bytes) {
  Result<Buffer> buffer = Buffer::allocate(bytes);
  if (!buffer) return Failure(error_here(input, buffer.error()));
  const size_t got = input.read_into(buffer->data(), static_cast<size_t>(bytes));
  if (static_cast<int64_t>(got) != bytes)
    return Failure(truncated(input, header, bytes, static_cast<int64_t>(got)));
  return std::move(*buffer);
}

// Data from a pipe: memory grows as the data comes.
Result<Buffer, ReadError> read_growing(Input& input, const BinaryHeader& header, int64_t bytes) {
  ElementSink sink;
  while (static_cast<int64_t>(sink.used()) < bytes) {
    const auto left = static_cast<size_t>(bytes) - sink.used();
    constexpr size_t kFirst = 16 << 20;
    const size_t step = std::min(left, std::max(kFirst, sink.used()));
    if (!sink.reserve_total(sink.used() + step))
      return Failure(error_here(
          input, fmt::format("out of memory: cannot allocate {} bytes", sink.used() + step)));
    const size_t got = input.read_into(sink.end(), step);
    sink.add(got);
    if (got != step)
      return Failure(truncated(input, header, bytes, static_cast<int64_t>(sink.used())));
  }
  Result<Buffer> buffer = sink.finish();
  if (!buffer) return Failure(error_here(input, buffer.error()));
  return std::move(*buffer);
}

}  // namespace

std::string ReadError::text() const {
  if (at.line == 0) return fmt::format("byte {}: {}", at.offset, what);
  return fmt::format("line {}, column {} (byte {}): {}", at.line, at.column, at.offset, what);
}

struct ValueReader::Expected {
  std::optional<Prim> type;
  int rank = -1;

  bool accepts(const BinaryHeader& header) const {
    return !type || (*type == header.type && rank == static_cast<int>(header.shape.size()));
  }
  std::string text() const {
    return type ? fmt::format("a value of type {}", type_text(*type, rank)) : "a value";
  }
};

Result<Value, ReadError> ValueReader::read() {
  return read_any({});
}

Result<Value, ReadError> ValueReader::read(Prim type, int rank) {
  return read_any({type, rank});
}

Result<Value, ReadError> ValueReader::read_any(const Expected& expected) {
  if (!skip_space(input_)) return Failure(expected_here(input_, expected.text()));
  if (*input_.cursor() == 'b') return read_binary(expected);
  return parse_text_value(input_, expected.type, expected.rank);
}

Result<Value, ReadError> ValueReader::read_binary(const Expected& expected) {
  const InputPosition at = input_.position();
  Result<BinaryHeader, ReadError> header = read_header(input_);
  if (!header) return header.failure();
  if (!expected.accepts(*header))
    return Failure(
        ReadError{at, fmt::format("expected {}, but found a binary value of type {}",
                                  expected.text(), type_text(header->type, header->shape))});
  const Result<int64_t> bytes = byte_size(header->type, header->shape);
  if (!bytes) return Failure(ReadError{at, "in a binary value: " + bytes.error()});

  const std::optional<int64_t> left = input_.bytes_left();
  if (left && *left < *bytes) return Failure(truncated(input_, *header, *bytes, *left));
  constexpr int64_t kSmall = 1 << 20;
  Result<Buffer, ReadError> data = left || *bytes <= kSmall ? read_known(input_, *header, *bytes)
                                                            : read_growing(input_, *header, *bytes);
  if (!data) return data.failure();
  Value value{header->type, std::move(header->shape), std::move(*data)};
  if (value.type == Prim::kBool) {
    const auto bools = value.elements<uint8_t>();
    const auto bad = std::ranges::find_if(bools, [](uint8_t b) { return b > 1; });
    if (bad != bools.end())
      return Failure(ReadError{at, fmt::format("in a binary value: element {} is a bool, but its "
                                               "byte is {} instead of 0 or 1",
                                               bad - bools.begin(), *bad)});
  }
  return value;
}

bool ValueReader::at_end() {
  return !skip_space(input_) && input_.error().empty();
}

ReadError ValueReader::excess() {
  skip_space(input_);
  return expected_here(input_, "the end of the input");
}

InputPosition ValueReader::position() {
  skip_space(input_);
  return input_.position();
}

int ValueReader::next_char() {
  return skip_space(input_) ? static_cast<unsigned char>(*input_.cursor()) : -1;
}

}  // namespace skald::runtime
