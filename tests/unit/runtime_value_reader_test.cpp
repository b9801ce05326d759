// SPDX-License-Identifier: Apache-2.0
// Reading values: every form of the text and binary formats, and what happens to bad input.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "runtime/block.h"
#include "runtime/values/value_reader.h"
#include "runtime/values/value_writer.h"

namespace skald::runtime {
namespace {

// The value as the writer prints it, or "error: …".
std::string shown(const Result<Value, ReadError>& value) {
  return value ? value_text(*value) : "error: " + value.error().text();
}

std::string read_one(std::string_view text) {
  ValueReader reader(text);
  return shown(reader.read());
}

std::string read_as(std::string_view text, Prim type, int rank) {
  ValueReader reader(text);
  return shown(reader.read(type, rank));
}

// Reads everything there is.
std::string read_all(std::string_view text) {
  ValueReader reader(text);
  std::string all;
  while (!reader.at_end()) {
    const Result<Value, ReadError> value = reader.read();
    all += (all.empty() ? "" : " ") + shown(value);
    if (!value) break;
  }
  return all;
}

std::string binary(std::string_view type, std::initializer_list<int64_t> dims,
                   std::string_view data) {
  std::string bytes = {'b', 2, static_cast<char>(dims.size())};
  bytes.append(4 - type.size(), ' ').append(type);
  for (int64_t dim : dims) bytes.append(reinterpret_cast<const char*>(&dim), 8);
  return bytes.append(data);
}

// A file descriptor that gives `bytes`, a pipe or a file.
class TestFile {
 public:
  TestFile(std::string bytes, bool pipe) : bytes_(std::move(bytes)) {
    if (pipe) {
      int ends[2];
      if (::pipe(ends) != 0) return;
      fd_ = ends[0];
      writer_ = std::thread([this, out = ends[1]] {
        size_t done = 0;
        while (done < bytes_.size()) {
          const ssize_t n = ::write(out, bytes_.data() + done, bytes_.size() - done);
          if (n <= 0) break;
          done += static_cast<size_t>(n);
        }
        close(out);
      });
    } else {
      std::string name = testing::TempDir() + "skald_test_XXXXXX";
      fd_ = mkstemp(name.data());
      unlink(name.c_str());
      EXPECT_EQ(::write(fd_, bytes_.data(), bytes_.size()), static_cast<ssize_t>(bytes_.size()));
      lseek(fd_, 0, SEEK_SET);
    }
  }
  ~TestFile() {
    if (writer_.joinable()) writer_.join();
    close(fd_);
  }
  int fd() const { return fd_; }

 private:
  std::string bytes_;
  int fd_ = -1;
  std::thread writer_;
};

TEST(ReadText, Integers) {
  EXPECT_EQ(read_one("12"), "12i32");
  EXPECT_EQ(read_one("-12"), "-12i32");
  EXPECT_EQ(read_one("+7i8"), "7i8");
  EXPECT_EQ(read_one("1_000_000i64"), "1000000i64");
  EXPECT_EQ(read_one("0xFFu8"), "255u8");
  EXPECT_EQ(read_one("0xdead_beefu32"), "3735928559u32");
  EXPECT_EQ(read_one("0b101"), "5i32");
  EXPECT_EQ(read_one("-0b1000_0000i8"), "-128i8");
  EXPECT_EQ(read_one("0xffi8"), "-1i8");
  EXPECT_EQ(read_one("255i8"), "-1i8");
  EXPECT_EQ(read_one("-1u32"), "4294967295u32");
  EXPECT_EQ(read_one("[0i8, 32767i8]"), "[0i8, -1i8]");
  EXPECT_EQ(read_one("-128i8"), "-128i8");
  EXPECT_EQ(read_one("18446744073709551615u64"), "18446744073709551615u64");
  EXPECT_EQ(read_one("-9223372036854775808i64"), "-9223372036854775808i64");
  EXPECT_EQ(read_one("007"), "7i32");
}

TEST(ReadText, Floats) {
  EXPECT_EQ(read_one("1.5"), "1.5f64");
  EXPECT_EQ(read_one("1e3"), "1000f64");
  EXPECT_EQ(read_one("1f32"), "1f32");
  EXPECT_EQ(read_one("-1.5E-2f32"), "-0.0149999997f32");
  EXPECT_EQ(read_one("1_0.2_5f64"), "10.25f64");
  EXPECT_EQ(read_one("0x1.8p3f32"), "12f32");
  EXPECT_EQ(read_one("1.5f16"), "1.5f16");
  EXPECT_EQ(read_one("0.1f16"), "0.0999755859f16");
  EXPECT_EQ(read_one("f32.nan"), "f32.nan");
  EXPECT_EQ(read_one("f64.inf"), "f64.inf");
  EXPECT_EQ(read_one("-f16.inf"), "-f16.inf");
  EXPECT_EQ(read_one("1e400"), "f64.inf");
  EXPECT_EQ(read_one("-1e39f32"), "-f32.inf");
  EXPECT_EQ(read_one("1e-400"), "0f64");
  EXPECT_EQ(read_one("-0.0"), "-0f64");
  EXPECT_EQ(read_one(".5"), "0.5f64");
  EXPECT_EQ(read_one("5."), "5f64");
}

TEST(ReadText, BoolsAndStrings) {
  EXPECT_EQ(read_one("true"), "true");
  EXPECT_EQ(read_one("[true, false]"), "[true, false]");
  EXPECT_EQ(read_one("\"abc\""), "[97u8, 98u8, 99u8]");
  EXPECT_EQ(read_one(R"("a\n\"\x41\\")"), "[97u8, 10u8, 34u8, 65u8, 92u8]");
  EXPECT_EQ(read_one("\"\""), "empty([0]u8)");
  EXPECT_EQ(read_one("[\"ab\", \"cd\"]"), "[[97u8, 98u8], [99u8, 100u8]]");
}

TEST(ReadText, Arrays) {
  EXPECT_EQ(read_one("[1, 2, 3]"), "[1i32, 2i32, 3i32]");
  EXPECT_EQ(read_one("[1i64, 2, 3i64,]"), "[1i64, 2i64, 3i64]");
  EXPECT_EQ(read_one("[1u8,0x10,3]"), "[1u8, 16u8, 3u8]");
  EXPECT_EQ(read_one("[1.5f32, 2, f32.nan, -f32.inf, 1e1]"),
            "[1.5f32, 2f32, f32.nan, -f32.inf, 10f32]");
  EXPECT_EQ(read_one("[[1,2],[3,4],[5,6,],]"), "[[1i32, 2i32], [3i32, 4i32], [5i32, 6i32]]");
  EXPECT_EQ(read_one("[ [ [1] ] ]"), "[[[1i32]]]");
  EXPECT_EQ(read_one("[0.1f16, 1]"), "[0.0999755859f16, 1f16]");
  EXPECT_EQ(read_one("[1 -- one\n, 2 -- two\n]"), "[1i32, 2i32]");
  EXPECT_EQ(read_one("empty([2][0]i32)"), "empty([2][0]i32)");
  EXPECT_EQ(read_one("empty ( [0] [1_000] f64 )"), "empty([0][1000]f64)");
  EXPECT_EQ(read_one("[empty([0]i8), empty([0]i8)]"), "empty([2][0]i8)");
  EXPECT_EQ(read_one("empty([0][9223372036854775807][9223372036854775807]i64)"),
            "empty([0][9223372036854775807][9223372036854775807]i64)");
}

TEST(ReadText, LimitsInRows) {
  EXPECT_EQ(read_one("[0u64, 18446744073709551615, 10000000000000000000, 9999999999999999999]"),
            "[0u64, 18446744073709551615u64, 10000000000000000000u64, 9999999999999999999u64]");
  EXPECT_EQ(read_one("[0i64, -9223372036854775808, 9223372036854775807]"),
            "[0i64, -9223372036854775808i64, 9223372036854775807i64]");
  EXPECT_EQ(read_one("[0i8, -128, 127, 00000000000000000000000001]"), "[0i8, -128i8, 127i8, 1i8]");
  EXPECT_EQ(read_one("[0u8, 255, -0]"), "[0u8, 255u8, 0u8]");
  for (std::string_view bad :
       {"[0u64, 18446744073709551616]", "[0u64, 20000000000000000000]", "[0u64, -1]",
        "[0u64, 99999999999999999999]", "[0i64, 9223372036854775808]",
        "[0i64, -9223372036854775809]", "[0i8, 128]", "[0i8, -129]", "[0u8, 256]", "[0u8, -1]",
        "[0u64, 118446744073709551615]"})
    EXPECT_NE(read_one(bad).find("does not fit into"), std::string::npos) << bad;
  EXPECT_EQ(read_one("[true, false,true,false]"), "[true, false, true, false]");
  EXPECT_NE(read_one("[true, truefalse]").find("error"), std::string::npos);
  EXPECT_NE(read_one("[true, truebool]").find("error"), std::string::npos);
}

TEST(ReadText, ManyValues) {
  EXPECT_EQ(read_all(""), "");
  EXPECT_EQ(read_all("  -- nothing here"), "");
  EXPECT_EQ(read_all("1 2.5\n-- comment 3\n[4]true"), "1i32 2.5f64 [4i32] true");
  EXPECT_EQ(read_all("1--2\n3"), "1i32 3i32");
  EXPECT_EQ(read_all("true--2\n3"), "true 3i32");
  EXPECT_EQ(read_all("1 -1"), "1i32 -1i32");
}

TEST(ReadText, AnExpectedTypeDecides) {
  EXPECT_EQ(read_as("2", Prim::kF32, 0), "2f32");
  EXPECT_EQ(read_as("-0", Prim::kF64, 0), "-0f64");
  EXPECT_EQ(read_as("0x10", Prim::kF32, 0), "16f32");
  EXPECT_EQ(read_as("2", Prim::kU64, 0), "2u64");
  EXPECT_EQ(read_as("2.5", Prim::kF16, 0), "2.5f16");
  EXPECT_EQ(read_as("[[1, 2]]", Prim::kF32, 2), "[[1f32, 2f32]]");
  EXPECT_EQ(read_as("[]", Prim::kF32, 1), "empty([0]f32)");
  EXPECT_EQ(read_as("[]", Prim::kF32, 2), "empty([0][0]f32)");
  EXPECT_EQ(read_as("[[], []]", Prim::kF32, 2), "empty([2][0]f32)");
  EXPECT_EQ(read_as("\"hi\"", Prim::kU8, 1), "[104u8, 105u8]");
}

TEST(ReadText, MismatchesSayWhereAndWhat) {
  EXPECT_EQ(read_as("\n  2i64", Prim::kI32, 0),
            "error: line 2, column 3 (byte 3): expected a value of type i32, but found `2i64`: it "
            "has type i64");
  EXPECT_EQ(
      read_as("1.5", Prim::kI32, 0),
      "error: line 1, column 1 (byte 0): expected a value of type i32, but found `1.5`: it has "
      "type f64");
  EXPECT_EQ(read_as("300", Prim::kU8, 0),
            "error: line 1, column 1 (byte 0): expected a value of type u8, but found `300`: the "
            "number does not fit into u8");
  EXPECT_EQ(
      read_as("true", Prim::kI8, 0),
      "error: line 1, column 1 (byte 0): expected a value of type i8, but found `true`: it has "
      "type bool");
  EXPECT_EQ(
      read_as("1", Prim::kBool, 0),
      "error: line 1, column 1 (byte 0): expected a value of type bool, but found `1`: it has "
      "type i32");
  EXPECT_EQ(read_as("1", Prim::kI32, 1),
            "error: line 1, column 1 (byte 0): expected a value of type []i32, but found `1`");
  EXPECT_EQ(read_as("[1]", Prim::kI32, 0),
            "error: line 1, column 1 (byte 0): expected a value of type i32, but found `[1`");
  EXPECT_EQ(read_as("[1]", Prim::kI32, 2),
            "error: line 1, column 2 (byte 1): expected an element of type []i32, but found `1`");
  EXPECT_EQ(read_as("[[1]]", Prim::kI32, 1),
            "error: line 1, column 2 (byte 1): expected an element of type i32, but found `[1`");
  EXPECT_EQ(read_as("empty([0]f32)", Prim::kI32, 1),
            "error: line 1, column 1 (byte 0): expected a value of type []i32, but found "
            "`empty([0]f32)`");
  EXPECT_EQ(read_as("  ", Prim::kI32, 0),
            "error: line 1, column 3 (byte 2): expected a value of type i32, but found the end of "
            "the input");
  EXPECT_EQ(read_one("3000000000"),
            "error: line 1, column 1 (byte 0): expected a value of type i32, but found "
            "`3000000000`: the number does not fit into i32; write a suffix, such as i64, to give "
            "its type");
}

TEST(ReadText, BadText) {
  const auto is_error = [](std::string_view text, std::string_view part) {
    const std::string result = read_one(text);
    EXPECT_EQ(result.rfind("error: line ", 0), 0u) << text << " gave " << result;
    EXPECT_NE(result.find(part), std::string::npos) << text << " gave " << result;
  };
  is_error("foo", "this is not a value");
  is_error("1x", "`x` is not the name of a number type");
  is_error("1bool", "`bool` is not the name of a number type");
  is_error("1.5i32", "cannot have the type i32");
  is_error("-", "expected a value");
  is_error("0x", "`x` is not the name");
  is_error("_1", "expected a value");
  is_error("\x01\xff", "expected a value, but found `\\x01\\xff`");
  is_error("[1, 2", "expected `,` or `]`, but found the end of the input");
  is_error("[1, 2,", "expected an element or `]`, but found the end of the input");
  is_error("[1 2]", "expected `,` or `]`, but found `2`");
  is_error("[,]", "expected an element, but found `,`");
  is_error("[1,,2]", "expected an element of type i32, but found `,`");
  is_error("[1, 2i8]", "expected an element of type i32, but found `2i8`: it has type i8");
  is_error("[1, 2.5]", "it has type f64");
  is_error("[1, true]", "it has type bool");
  is_error("[[1, 2], [3]]", "this row has length 1, but the rows before it have length 2");
  is_error("[[1, 2], 3]", "expected an array here, as before, but found `3`");
  is_error("[1, [2]]", "expected an element of type i32, but found `[2`");
  is_error("[]", "write empty([0]t)");
  is_error("[[1], empty([0]i32)]", "length 0");
  is_error("[[], [1]]", "write empty([0]t)");
  is_error("empty([2][3]i32)", "is not empty");
  is_error("empty(i32)", "is not empty");
  is_error("empty([-1]i32)", "expected a dimension, but found `-1`");
  is_error("empty([99999999999999999999]i32)", "expected a dimension");
  is_error("empty([0]foo)", "expected a primitive type, but found `foo`");
  is_error("empty([0]i32", "expected `)`");
  is_error("\"abc", "no closing");
  is_error("\"\\q\"", "no such escape");
  is_error("\"\\x4\"", "two hexadecimal digits");
  is_error("[\"ab\", \"c\"]", "this row has length 1");
  is_error("banana", "neither a text value nor a binary value");
  is_error(std::string(300, '['), "more than 255 dimensions");
  is_error("99999999999999999999999999i64", "does not fit into i64");
}

TEST(ReadText, VeryLongLiterals) {
  const std::string nines(10000, '9');
  EXPECT_NE(read_one(nines).find("does not fit"), std::string::npos);
  EXPECT_EQ(read_one(nines + ".0"), "f64.inf");
  EXPECT_EQ(read_one("0." + std::string(300000, '0') + "1"), "0f64");
  EXPECT_EQ(read_one("1." + std::string(300000, '0')), "1f64");
  EXPECT_EQ(read_one("[1.0, 1." + std::string(300000, '0') + "]"), "[1f64, 1f64]");
  EXPECT_NE(read_one(std::string(3 << 20, '1')).find("longer than"), std::string::npos);
}

TEST(ReadText, AcrossWindows) {
  // Much longer than the reader's window, with elements of all lengths.
  std::string ints = "[", floats = "[";
  std::string want_ints, want_floats;
  for (int i = 0; i < 200000; ++i) {
    ints += fmt::format("{}{}", i * 7919 % 100003 - 50000, i % 3 ? "i32, " : ",\n ");
    floats += fmt::format("{}.5{}", i * 7919 % 100003, i % 3 ? "f32, " : "e0,");
  }
  const std::string text = ints + "] " + floats + "-- end\n]";
  for (bool pipe : {false, true}) {
    TestFile file(text, pipe);
    ValueReader reader(file.fd());
    const auto first = reader.read(Prim::kI32, 1), second = reader.read(Prim::kF32, 1);
    ASSERT_TRUE(first) << first.error().text();
    ASSERT_TRUE(second) << second.error().text();
    EXPECT_TRUE(reader.at_end());
    ASSERT_EQ(first->element_count(), 200000);
    ASSERT_EQ(second->element_count(), 200000);
    EXPECT_EQ(first->data.bytes(), 800000);
    for (int i = 0; i < 200000; ++i) {
      ASSERT_EQ(first->elements<int32_t>()[static_cast<size_t>(i)], i * 7919 % 100003 - 50000);
      ASSERT_EQ(second->elements<float>()[static_cast<size_t>(i)],
                static_cast<float>(i * 7919 % 100003) + 0.5f);
    }
  }
}

TEST(ReadText, PositionsFarIntoTheInput) {
  std::string text = "[";
  for (int i = 0; i < 200000; ++i) text += "12345,\n";
  TestFile file(text + "  x]", true);
  ValueReader reader(file.fd());
  const auto value = reader.read();
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().at.line, 200001);
  EXPECT_EQ(value.error().at.column, 3);
  EXPECT_EQ(value.error().at.offset, 1400003);
}

TEST(ReadBinary, Values) {
  EXPECT_EQ(read_one(binary("i32", {}, std::string_view("\x05\0\0\0", 4))), "5i32");
  EXPECT_EQ(read_one(binary("u8", {2}, "ab")), "[97u8, 98u8]");
  EXPECT_EQ(read_one(binary("bool", {2}, std::string_view("\1\0", 2))), "[true, false]");
  EXPECT_EQ(read_one(binary("f16", {1, 1}, std::string_view("\0\x3c", 2))), "[[1f16]]");
  EXPECT_EQ(read_one(binary("f64", {0, 7}, "")), "empty([0][7]f64)");
  EXPECT_EQ(read_all(" 1\n" + binary("i8", {1}, "\x7f") + " -- c\n[2]" + binary("i8", {}, "\xff")),
            "1i32 [127i8] [2i32] -1i8");
}

TEST(ReadBinary, BadHeaders) {
  const auto is_error = [](std::string_view text, std::string_view part) {
    const std::string result = read_one(text);
    EXPECT_EQ(result.rfind("error: ", 0), 0u) << result;
    EXPECT_NE(result.find(part), std::string::npos) << result;
  };
  is_error("b", "ends inside the header");
  is_error("b\x02\x01 i3", "ends inside the header");
  is_error(binary("i32", {5}, "").substr(0, 12), "ends inside the header");
  is_error("b\x03\x01 i32", "neither a text value nor a binary value of version 2");
  is_error(binary("i33", {}, "1234"), "expected the name of a primitive type");
  is_error(std::string("b\x02\x00    1234", 11), "expected the name of a primitive type");
  is_error(binary("i32", {-1}, ""), "the dimension -1 is negative");
  is_error(binary("i32", {int64_t{1} << 60}, ""), "needs 4611686018427387904 bytes of data, but");
  is_error(binary("i32", {int64_t{1} << 60, 16}, ""), "too large");
  is_error(binary("i32", {2}, "1234567"), "needs 8 bytes of data, but there are only 7");
  is_error(binary("bool", {3}, "\x01\x01\x02"), "element 2 is a bool, but its byte is 2");
  ValueReader reader(std::string_view("b\x02\x00 i32____", 11));
  EXPECT_EQ(shown(reader.read(Prim::kU32, 0)),
            "error: line 1, column 1 (byte 0): expected a value of type u32, but found a binary "
            "value of type i32");
}

TEST(ReadBinary, HugeClaimsTakeNoMemory) {
  const int64_t before = pool_statistics().peak_bytes;
  for (int64_t n : {int64_t{1} << 33, int64_t{1} << 45, int64_t{1} << 60}) {
    TestFile pipe(binary("i32", {n}, std::string(100000, 'x')), true);
    ValueReader reader(pipe.fd());
    const auto value = reader.read();
    ASSERT_FALSE(value);
    EXPECT_NE(value.error().what.find("but there are only 100000"), std::string::npos)
        << value.error().text();
  }
  EXPECT_LT(pool_statistics().peak_bytes, before + (64 << 20));
}

TEST(ReadBinary, LargeArraysFromFilesAndPipes) {
  std::string data;
  for (int i = 0; i < 10'000'000; ++i) data += static_cast<char>(i * 31 % 251);
  const std::string bytes = "[1, 2] " + binary("u8", {10'000'000}, data) + " 3";
  for (bool pipe : {false, true}) {
    TestFile file(bytes, pipe);
    ValueReader reader(file.fd());
    ASSERT_TRUE(reader.read());
    const auto value = reader.read(Prim::kU8, 1);
    ASSERT_TRUE(value) << value.error().text();
    ASSERT_EQ(value->data.bytes(), 10'000'000);
    EXPECT_EQ(std::memcmp(value->data.data(), data.data(), data.size()), 0);
    EXPECT_EQ(shown(reader.read()), "3i32");
    EXPECT_TRUE(reader.at_end());
  }
}

TEST(ValueReader, ExcessInput) {
  ValueReader reader(std::string_view("1\n  [2, 3] -- x"));
  ASSERT_TRUE(reader.read());
  EXPECT_FALSE(reader.at_end());
  EXPECT_EQ(reader.next_char(), '[');
  EXPECT_EQ(reader.excess().text(),
            "line 2, column 3 (byte 4): expected the end of the input, but found `[2`");
  ASSERT_TRUE(reader.read());
  EXPECT_TRUE(reader.at_end());
  EXPECT_EQ(reader.next_char(), -1);
}

TEST(ValueReader, UnreadableInput) {
  const int fd = open("/", O_RDONLY);
  ValueReader reader(fd);
  EXPECT_FALSE(reader.at_end());
  EXPECT_EQ(shown(reader.read()),
            "error: line 1, column 1 (byte 0): cannot read the input: Is a directory");
  close(fd);
}

}  // namespace
}  // namespace skald::runtime
