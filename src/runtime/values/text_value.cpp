// SPDX-License-Identifier: Apache-2.0
// The careful parser of text values: every form of every literal, nested arrays, regularity, and a
// message for each mistake.  Rows of plain numbers go to read_row (text_rows.h) first.
#include "runtime/values/text_value.h"

#include <charconv>
#include <cstring>
#include <limits>
#include <vector>

#include "runtime/values/element_sink.h"
#include "runtime/values/literal.h"
#include "runtime/values/text_rows.h"
#include "runtime/values/text_scanner.h"

namespace skald::runtime {

namespace {

// As many dimensions as the binary format can write.
constexpr int kHighestRank = 255;
constexpr int64_t kUnknown = -1;

// `depth` is always the number of brackets around the thing being parsed.  Functions return false
// after setting error_.
class TextValueParser {
 public:
  TextValueParser(Input& input, std::optional<Prim> type, int rank)
      : input_(input), type_(type), rank_(rank), expected_(type.has_value()) {
    if (rank_ > 0) shape_.assign(static_cast<size_t>(rank_), kUnknown);
  }

  Result<Value, ReadError> parse();

 private:
  bool element(int depth);
  bool scalar(int depth);
  bool array(int depth);
  bool array_elements(int depth, int64_t& count);
  bool string(int depth);
  bool string_escape(char& c);
  bool empty_array(int depth);
  bool dimension(int64_t& dim);

  bool expect(char c);
  bool set_rank(int rank);
  bool set_dim(int depth, int64_t count, const InputPosition& at);
  bool append(uint64_t bits, Prim type);

  bool fail(ReadError error) {
    if (!error_) error_ = std::move(error);
    return false;
  }
  bool fail_here(std::string what) { return fail(error_here(input_, std::move(what))); }
  bool fail_expected(std::string_view what) { return fail(expected_here(input_, what)); }
  // What may stand at `depth`: "a value of type [][]i32", "an array", "a value".
  std::string wanted(int depth) const;

  Input& input_;
  std::optional<Prim> type_;
  int rank_;
  bool expected_;  // the type was given by the caller
  std::vector<int64_t> shape_;
  ElementSink sink_;
  std::optional<ReadError> error_;
};

std::string TextValueParser::wanted(int depth) const {
  if (type_ && rank_ >= depth) {
    const std::string type = type_text(*type_, rank_ - depth);
    return fmt::format("{} of type {}", depth == 0 ? "a value" : "an element", type);
  }
  return depth == 0 ? "a value" : "an element";
}

bool TextValueParser::expect(char c) {
  if (!skip_space(input_) || *input_.cursor() != c) return fail_expected(fmt::format("`{}`", c));
  input_.move_to(input_.cursor() + 1);
  return true;
}

bool TextValueParser::set_rank(int rank) {
  if (rank_ < 0) {
    rank_ = rank;
    shape_.resize(static_cast<size_t>(rank), kUnknown);
  }
  return rank_ == rank;
}

bool TextValueParser::set_dim(int depth, int64_t count, const InputPosition& at) {
  int64_t& dim = shape_[static_cast<size_t>(depth)];
  if (dim == kUnknown) dim = count;
  if (dim == count) return true;
  return fail(
      {at, fmt::format("the array is irregular: this row has length {}, but the rows before "
                       "it have length {}",
                       count, dim)});
}

bool TextValueParser::append(uint64_t bits, Prim type) {
  const auto size = static_cast<size_t>(prim_size(type));
  if (!sink_.reserve(size)) return fail_here("out of memory while reading an array");
  std::memcpy(sink_.end(), &bits, size);
  sink_.add(size);
  return true;
}

bool TextValueParser::element(int depth) {
  if (!skip_space(input_)) return fail_expected(wanted(depth));
  switch (*input_.cursor()) {
    case '[': return array(depth);
    case '"': return string(depth);
    case 'e': return empty_array(depth);
    default: return scalar(depth);
  }
}

bool TextValueParser::scalar(int depth) {
  const InputPosition at = input_.position();
  const std::string_view token = scan_token(input_);
  if (token.empty()) return fail_expected(wanted(depth));
  if (token.size() >= kLongestToken)
    return fail_here(fmt::format("a literal is longer than {} characters", kLongestToken));
  const Result<Literal> literal = parse_literal(token);
  if (!literal) {
    const std::string found = describe_next(input_);
    return fail(
        {at, fmt::format("expected {}, but found {}: {}", wanted(depth), found, literal.error())});
  }
  if (rank_ >= 0 && rank_ != depth) {
    if (expected_ || depth == 0) return fail_expected(wanted(depth));
    return fail_here(
        fmt::format("the array is irregular: expected an array here, as before, but "
                    "found {}",
                    describe_next(input_)));
  }
  const Prim type = type_.value_or(literal->natural_type());
  const Result<uint64_t> bits = convert_literal(*literal, type);
  if (!bits) {
    std::string what = fmt::format("expected {} of type {}, but found {}: {}",
                                   depth == 0 ? "a value" : "an element", prim_name(type),
                                   describe_next(input_), bits.error());
    if (!type_ && !literal->suffix) what += "; write a suffix, such as i64, to give its type";
    return fail({at, std::move(what)});
  }
  type_ = type;
  set_rank(depth);
  input_.move_to(input_.cursor() + token.size());
  return append(*bits, type);
}

bool TextValueParser::array(int depth) {
  if (rank_ >= 0 && depth >= rank_) return fail_expected(wanted(depth));
  if (depth >= kHighestRank)
    return fail_here(fmt::format("an array has more than {} dimensions", kHighestRank));
  const InputPosition at = input_.position();
  input_.move_to(input_.cursor() + 1);
  int64_t count = 0;
  if (!array_elements(depth, count)) return false;
  input_.move_to(input_.cursor() + 1);
  if (rank_ < 0)
    return fail({at,
                 "the element type of `[]` is not known; write empty([0]t), where t is the "
                 "element type"});
  return set_dim(depth, count, at);
}

// Up to, but not including, the closing bracket.
bool TextValueParser::array_elements(int depth, int64_t& count) {
  while (true) {
    if (!skip_space(input_)) return fail_expected("an element or `]`");
    if (*input_.cursor() == ']') return true;
    RowResult row;
    if (type_ && rank_ == depth + 1) row = read_row(input_, *type_, sink_);
    count += row.count;
    if (row.count == 0) {
      if (!element(depth + 1)) return false;
      ++count;
    }
    if (row.after_comma) continue;
    if (!skip_space(input_)) return fail_expected("`,` or `]`");
    if (*input_.cursor() == ',')
      input_.move_to(input_.cursor() + 1);
    else if (*input_.cursor() != ']')
      return fail_expected("`,` or `]`");
  }
}

bool TextValueParser::string(int depth) {
  const InputPosition at = input_.position();
  if ((type_ && *type_ != Prim::kU8) || (rank_ >= 0 && rank_ != depth + 1))
    return fail_expected(wanted(depth));
  type_ = Prim::kU8;
  set_rank(depth + 1);
  input_.move_to(input_.cursor() + 1);
  int64_t count = 0;
  while (true) {
    if (!input_.want(1)) return fail({at, "a string that starts here has no closing `\"`"});
    char c = *input_.cursor();
    input_.move_to(input_.cursor() + 1);
    if (c == '"') break;
    if (c == '\\' && !string_escape(c)) return false;
    if (!append(static_cast<unsigned char>(c), Prim::kU8)) return false;
    ++count;
  }
  return set_dim(depth, count, at);
}

// The cursor is after the backslash.
bool TextValueParser::string_escape(char& c) {
  constexpr std::string_view kLetters = "abfnrtv\\\"'0", kMeanings = "\a\b\f\n\r\t\v\\\"'";
  if (!input_.want(1)) return fail_expected("the rest of a string");
  c = *input_.cursor();
  if (c == 'x') {
    input_.want(3);
    const char* p = input_.cursor();
    unsigned byte = 0;
    const std::from_chars_result end =
        std::from_chars(p + 1, std::min(p + 3, input_.limit()), byte, 16);
    if (end.ptr != p + 3) return fail_here("`\\x` in a string needs two hexadecimal digits");
    c = static_cast<char>(byte);
    input_.move_to(p + 3);
    return true;
  }
  const size_t i = kLetters.find(c);
  if (i == std::string_view::npos) return fail_here("no such escape sequence in a string");
  c = i < kMeanings.size() ? kMeanings[i] : '\0';
  input_.move_to(input_.cursor() + 1);
  return true;
}

bool TextValueParser::dimension(int64_t& dim) {
  if (!skip_space(input_)) return fail_expected("a dimension");
  const std::string_view token = scan_token(input_);
  const Result<Literal> literal = parse_literal(token);
  if (!literal) return fail_expected("a dimension");
  const Result<uint64_t> bits = convert_literal(*literal, Prim::kI64);
  if (!bits || static_cast<int64_t>(*bits) < 0) return fail_expected("a dimension");
  dim = static_cast<int64_t>(*bits);
  input_.move_to(input_.cursor() + token.size());
  return true;
}

// empty([2][0]i32)
bool TextValueParser::empty_array(int depth) {
  const InputPosition at = input_.position();
  const std::string_view word = scan_token(input_);
  if (word != "empty") return scalar(depth);
  input_.move_to(input_.cursor() + word.size());
  if (!expect('(')) return false;
  std::vector<int64_t> dims;
  bool has_zero = false;
  while (skip_space(input_) && *input_.cursor() == '[') {
    if (depth + static_cast<int>(dims.size()) >= kHighestRank)
      return fail_here(fmt::format("an array has more than {} dimensions", kHighestRank));
    input_.move_to(input_.cursor() + 1);
    int64_t dim = 0;
    if (!dimension(dim) || !expect(']')) return false;
    has_zero = has_zero || dim == 0;
    dims.push_back(dim);
  }
  const std::string_view name = scan_token(input_);
  const std::optional<Prim> type = prim_from_name(name);
  if (!type) return fail_expected("a primitive type");
  input_.move_to(input_.cursor() + name.size());
  if (!expect(')')) return false;
  const int rank = depth + static_cast<int>(dims.size());
  const std::string found = fmt::format("empty({})", type_text(*type, dims));
  if ((type_ && *type_ != *type) || (rank_ >= 0 && rank_ != rank))
    return fail({at, fmt::format("expected {}, but found `{}`", wanted(depth), found)});
  if (!has_zero) return fail({at, fmt::format("`{}` is not empty: no dimension is 0", found)});
  type_ = type;
  set_rank(rank);
  for (size_t i = 0; i < dims.size(); ++i)
    if (!set_dim(depth + static_cast<int>(i), dims[i], at)) return false;
  return true;
}

Result<Value, ReadError> TextValueParser::parse() {
  const InputPosition at = input_.position();
  if (!element(0)) return Failure(std::move(*error_));
  // Dimensions inside an empty outer array, as in `[]` where [][]i32 is expected.
  for (int64_t& dim : shape_)
    if (dim == kUnknown) dim = 0;
  Result<Buffer> data = sink_.finish();
  if (!data) return Failure(ReadError{at, data.error()});
  return Value{*type_, std::move(shape_), std::move(*data)};
}

}  // namespace

Result<Value, ReadError> parse_text_value(Input& input, std::optional<Prim> type, int rank) {
  return TextValueParser(input, type, rank).parse();
}

}  // namespace skald::runtime
