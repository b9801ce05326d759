// SPDX-License-Identifier: Apache-2.0
#include "driver/test/spec.h"

#include <algorithm>
#include <charconv>

namespace skald::driver {

namespace {

// The lines of one block without their dashes.
struct Block {
  std::string text;
  size_t first_line = 1;
};

std::vector<Block> find_blocks(std::string_view program) {
  std::vector<Block> blocks;
  bool inside = false;
  bool in_percent = false;  // until the next %
  size_t line_number = 0;
  while (!program.empty()) {
    ++line_number;
    const size_t end = std::min(program.find('\n'), program.size());
    std::string_view line = program.substr(0, end);
    program.remove_prefix(std::min(end + 1, program.size()));
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
    if (line == "% ==") {
      blocks.push_back({"", line_number + 1});
      in_percent = true;
    } else if (in_percent) {
      in_percent = !line.ends_with('%');
      if (!in_percent) line.remove_suffix(1);
      blocks.back().text.append(line).push_back('\n');
    } else if (line == "-- ==") {
      blocks.push_back({"", line_number + 1});
      inside = true;
    } else if (inside && line.starts_with("--")) {
      blocks.back().text.append(line.substr(2)).push_back('\n');
    } else {
      inside = false;
    }
  }
  return blocks;
}

bool is_word_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '\'';
}

class BlockParser {
 public:
  explicit BlockParser(const Block& block) : text_(block.text), line_(block.first_line) {}

  Result<Unit> first_block(TestSpec& spec) {
    if (accept_word("tags")) {
      Result<std::string> body = braces();
      if (!body) return body.failure();
      std::string word;
      for (const char c : *body + " ") {
        if (is_word_char(c)) word += c;
        if (!is_word_char(c) && !word.empty()) spec.tags.push_back(std::exchange(word, ""));
      }
    }
    if (accept_text("error:")) {
      spec.compile_error = rest_of_line();
      return end();
    }
    if (Result<Unit> group = later_block(spec); !group) return group;
    return Unit{};
  }

  Result<Unit> later_block(TestSpec& spec) {
    TestGroup group;
    if (peek_text("property:")) {
      while (accept_text("property:"))
        for (std::string& name : words(rest_of_line())) spec.properties.push_back(std::move(name));
      return end();
    }
    if (accept_text("entry:")) {
      group.entries = words(rest_of_line());
    } else {
      group.entries.push_back("main");
    }
    for (;;) {
      skip_space();
      if (done()) break;
      if (accept_word("structure")) {
        if (Result<Unit> ok = structure(spec); !ok) return ok;
        continue;
      }
      if (accept_text("warning:")) {
        spec.warnings.push_back(rest_of_line());
        continue;
      }
      Result<TestCase> test = test_case();
      if (!test) return test.failure();
      if (test->name.empty()) test->name = fmt::format("#{}", group.cases.size());
      group.cases.push_back(std::move(*test));
    }
    if (!group.cases.empty()) spec.groups.push_back(std::move(group));
    return Unit{};
  }

 private:
  Failure<std::string> failure(std::string_view what) const {
    const auto lines = static_cast<size_t>(std::count(
        text_.begin(), text_.begin() + static_cast<ptrdiff_t>(std::min(at_, text_.size())), '\n'));
    return Failure(fmt::format("line {}: {}", line_ + lines, what));
  }
  bool done() const { return at_ >= text_.size(); }
  void skip_space() {
    while (!done() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool peek_text(std::string_view text) {
    skip_space();
    return std::string_view(text_).substr(at_).starts_with(text);
  }
  bool accept_text(std::string_view text) {
    if (!peek_text(text)) return false;
    at_ += text.size();
    return true;
  }
  // Like accept_text, but a longer word does not count.
  bool accept_word(std::string_view word) {
    if (!peek_text(word)) return false;
    const size_t after = at_ + word.size();
    if (after < text_.size() && is_word_char(text_[after])) return false;
    at_ = after;
    return true;
  }
  std::string rest_of_line() {
    while (!done() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    const size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string line = text_.substr(at_, end - at_);
    at_ = end;
    return line;
  }
  static std::vector<std::string> words(const std::string& line) {
    std::vector<std::string> found;
    std::string word;
    for (const char c : line + " ") {
      if (c != ' ' && c != '\t')
        word += c;
      else if (!word.empty())
        found.push_back(std::exchange(word, ""));
    }
    return found;
  }
  Result<Unit> end() {
    skip_space();
    if (!done())
      return failure(
          fmt::format("expected the end of the test block, but found `{}`", rest_of_line()));
    return Unit{};
  }
  // What is between matching braces; strings may contain any character.
  Result<std::string> braces() {
    if (!accept_text("{")) return failure("expected `{`");
    const size_t begin = at_;
    int depth = 1;
    bool in_string = false;
    for (; !done(); ++at_) {
      const char c = text_[at_];
      if (c == '"') in_string = !in_string;
      if (in_string) continue;
      if (c == '{') ++depth;
      if (c == '}' && --depth == 0) {
        std::string body = text_.substr(begin, at_ - begin);
        ++at_;
        return body;
      }
    }
    return failure("the brace is not closed");
  }
  std::string file_name() {
    skip_space();
    const size_t begin = at_;
    while (!done() && std::isspace(static_cast<unsigned char>(text_[at_])) == 0) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  Result<TestCase> test_case() {
    TestCase test;
    skip_space();
    if (!done() && text_[at_] == '"') {
      const size_t close = text_.find('"', at_ + 1);
      if (close == std::string::npos) return failure("the name of the case is not closed");
      test.name = text_.substr(at_ + 1, close - at_ - 1);
      at_ = close + 1;
    }
    while (!accept_word("input")) {
      skip_space();
      std::string word;
      while (!done() && is_word_char(text_[at_])) word += text_[at_++];
      if (word.empty())
        return failure(
            fmt::format("expected a test case (`input …`), but found `{}`", rest_of_line()));
      test.tags.push_back(std::move(word));
    }
    if (accept_text("@")) {
      test.input = {CaseInput::kFile, file_name()};
      if (test.name.empty()) test.name = test.input.text;
    } else {
      Result<std::string> body = braces();
      if (!body) return body.failure();
      test.input = {CaseInput::kValues, std::move(*body)};
    }
    if (has_tag(test.tags, "random")) test.input.kind = CaseInput::kRandom;
    if (has_tag(test.tags, "script"))
      test.input.kind =
          test.input.kind == CaseInput::kFile ? CaseInput::kScriptFile : CaseInput::kScript;
    return expectation(std::move(test));
  }

  Result<TestCase> expectation(TestCase test) {
    if (accept_word("auto")) {
      if (!accept_word("output")) return failure("expected `output` after `auto`");
      test.result.kind = CaseResult::kAuto;
    } else if (accept_text("error:")) {
      test.result = {CaseResult::kError, rest_of_line()};
    } else if (accept_word("output")) {
      if (accept_text("@")) {
        test.result = {CaseResult::kFile, file_name()};
      } else {
        Result<std::string> body = braces();
        if (!body) return body.failure();
        test.result = {CaseResult::kValues, std::move(*body)};
      }
    }
    return test;
  }

  // structure [kind] { name count … }.  A kind, a path, or a name in capitals is about the IR of
  // another compiler and is skipped.
  Result<Unit> structure(TestSpec& spec) {
    skip_space();
    const bool ours = !done() && text_[at_] == '{';
    while (!done() && text_[at_] != '{') ++at_;
    Result<std::string> body = braces();
    if (!body) return body.failure();
    std::string_view rest = *body;
    while (ours) {
      const size_t begin = rest.find_first_not_of(" \t\n");
      if (begin == std::string_view::npos) break;
      rest.remove_prefix(begin);
      const size_t word_end = std::min(rest.find_first_of(" \t\n"), rest.size());
      StructureCount count{std::string(rest.substr(0, word_end))};
      rest.remove_prefix(word_end);
      rest.remove_prefix(std::min(rest.find_first_not_of(" \t\n"), rest.size()));
      const auto [end, error] =
          std::from_chars(rest.data(), rest.data() + rest.size(), count.count);
      if (error != std::errc())
        return failure(fmt::format("expected a number after `{}`", count.node));
      rest.remove_prefix(static_cast<size_t>(end - rest.data()));
      if (count.node[0] == '/' || std::isupper(static_cast<unsigned char>(count.node[0])) != 0)
        continue;
      spec.structure.push_back(std::move(count));
    }
    return Unit{};
  }

  const std::string& text_;
  size_t line_;
  size_t at_ = 0;
};

}  // namespace

bool has_tag(const std::vector<std::string>& tags, std::string_view tag) {
  return std::find(tags.begin(), tags.end(), tag) != tags.end();
}

Result<TestSpec> parse_test_spec(std::string_view program) {
  TestSpec spec;
  bool first = true;
  for (const Block& block : find_blocks(program)) {
    BlockParser parser(block);
    const Result<Unit> ok = first ? parser.first_block(spec) : parser.later_block(spec);
    if (!ok) return ok.failure();
    first = false;
  }
  return spec;
}

}  // namespace skald::driver
