// SPDX-License-Identifier: Apache-2.0
#include "polish/polish.h"

#include <charconv>

#include "core/edit/builder.h"

namespace skald::polish {

namespace {

using core::Operand;

struct Word {
  std::string_view text;
  source::Span span;
};

std::vector<Word> words_of(source::FileId file, const source::SourceMap& sources) {
  const std::string_view text = sources.file(file).text();
  std::vector<Word> words;
  for (size_t begin = text.find_first_not_of(" \n"); begin != std::string_view::npos;) {
    const size_t end = std::min(text.find_first_of(" \n", begin), text.size());
    words.push_back({text.substr(begin, end - begin),
                     {file, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)}});
    begin = text.find_first_not_of(" \n", end);
  }
  return words;
}

std::optional<core::BinOpKind> operator_of(std::string_view word) {
  if (word == "+") return core::BinOpKind::kAdd;
  if (word == "-") return core::BinOpKind::kSub;
  if (word == "*") return core::BinOpKind::kMul;
  return std::nullopt;
}

// The formula as code that ends in its value; nothing after an error.
std::optional<Operand> formula(const std::vector<Word>& words, core::Name x, core::Builder& code,
                               source::Diagnostics& diagnostics) {
  std::vector<Operand> stack;
  for (const Word& word : words) {
    double number = 0;
    const char* end = word.text.data() + word.text.size();
    if (word.text == "x") {
      stack.emplace_back(x);
    } else if (const std::optional<core::BinOpKind> op = operator_of(word.text)) {
      if (stack.size() < 2) {
        diagnostics.error("polish-stack", word.span, "There are fewer than two values here");
        return std::nullopt;
      }
      const Operand right = stack.back();
      stack.pop_back();
      stack.back() = code.binop(*op, Prim::kF64, stack.back(), right);
    } else if (std::from_chars(word.text.data(), end, number).ptr == end) {
      stack.emplace_back(core::Const{Prim::kF64, std::bit_cast<uint64_t>(number)});
    } else {
      diagnostics.error("polish-word", word.span, "This is neither a number, x, nor an operator");
      return std::nullopt;
    }
  }
  if (stack.size() == 1) return stack[0];
  diagnostics.error("polish-stack", words.empty() ? source::Span{} : words.back().span,
                    "A formula must leave one value");
  return std::nullopt;
}

std::optional<core::Program> load(const std::string& path, source::SourceMap& sources,
                                  source::Diagnostics& diagnostics, const frontend::Options&) {
  const Result<source::FileId> file = sources.load(path);
  if (!file) {
    diagnostics.add({source::Severity::kError, "", file.error()});
    return std::nullopt;
  }
  core::Program prog;
  const core::Name n = prog.names.fresh("n"), xs = prog.names.fresh("xs"),
                   x = prog.names.fresh("x");
  const core::Type number = core::scalar_type(Prim::kF64);
  core::Builder point(prog);
  const std::optional<Operand> value = formula(words_of(*file, sources), x, point, diagnostics);
  if (!value) return std::nullopt;
  core::Soac map{.width = n, .inputs = {xs}};
  map.fn.params = {{x, number}};
  map.fn.results = {{.type = number}};
  map.fn.body = point.finish({*value});

  core::Builder body(prog);
  const core::Type array = core::array_of(n, number);
  const core::Name ys = body.let1(array, std::move(map), "ys");
  core::Function main;
  main.name = "main";
  main.params = {{n, core::scalar_type(Prim::kI64)}, {xs, array}};
  main.results = {{.type = array}};
  main.body = body.finish({ys});
  main.entry = core::EntryPoint{.name = "main",
                                .sizes = 1,
                                .params = {{.name = "xs", .type = "[n]f64"}},
                                .results = {{.type = "[n]f64"}}};
  prog.functions.push_back(std::move(main));
  return prog;
}

bool check(const std::string& path, source::SourceMap& sources, source::Diagnostics& diagnostics,
           const frontend::Options& options) {
  return load(path, sources, diagnostics, options).has_value();
}

}  // namespace

const frontend::Frontend kFrontend = {
    .name = "polish", .extensions = {".rpn"}, .check = check, .load = load};

}  // namespace skald::polish
