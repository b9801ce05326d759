// SPDX-License-Identifier: Apache-2.0
// Names as they are written, and sentences about them.
#include "frontend/futhark/elaborate/code/notes.h"

#include <algorithm>

#include "frontend/futhark/pretty/pretty.h"

namespace skald::futhark::elab {

namespace {

constexpr size_t kLongestText = 40;
constexpr size_t kMostVariables = 4;

const Exp& without_parens(const Exp& e) {
  const auto* parens = std::get_if<EParens>(&e.node);
  return parens == nullptr ? e : without_parens(*parens->inner);
}

bool is_literal(const Exp& e) {
  if (const auto* negated = std::get_if<ENegate>(&e.node))
    return is_literal(without_parens(*negated->arg));
  return std::holds_alternative<ELiteral>(e.node);
}

void add_variables(const Exp& written, std::vector<const Exp*>& found) {
  const Exp& e = without_parens(written);
  if (found.size() == kMostVariables) return;
  if (const auto* var = std::get_if<EVar>(&e.node)) {
    const auto same = [&](const Exp* other) { return std::get<EVar>(other->node).id == var->id; };
    if (var->name.quals.empty() && var->fields.empty() && std::ranges::none_of(found, same))
      found.push_back(&e);
  } else if (const auto* binary = std::get_if<EBinary>(&e.node)) {
    add_variables(*binary->lhs, found);
    add_variables(*binary->rhs, found);
  } else if (const auto* negated = std::get_if<ENegate>(&e.node)) {
    add_variables(*negated->arg, found);
  } else if (const auto* inverted = std::get_if<ENot>(&e.node)) {
    add_variables(*inverted->arg, found);
  } else if (const auto* applied = std::get_if<EApply>(&e.node)) {
    for (const Ptr<Exp>& arg : applied->args) add_variables(*arg, found);
  }
}

}  // namespace

std::string short_text(const Exp& written) {
  const Exp& e = without_parens(written);
  if (is_literal(e)) return {};
  std::string text = pretty(e);
  return text.size() > kLongestText || text.find('\n') != std::string::npos ? std::string() : text;
}

std::vector<const Exp*> variables_in(const Exp& cond) {
  std::vector<const Exp*> found;
  add_variables(cond, found);
  return found;
}

void CheckNotes::begin(std::string_view separator) {
  parts_.emplace_back(std::string(parts_.empty() ? "\n" : separator));
}

void CheckNotes::value(const Exp& e, const core::Operand& value) {
  const std::string name = short_text(e);
  if (name.empty()) return;
  begin(", ");
  parts_.emplace_back("`" + name + "` is ");
  parts_.emplace_back(value);
}

void CheckNotes::shape(const std::string& name, const std::vector<core::MessagePart>& shape) {
  if (name.empty()) return;
  begin(", but ");
  parts_.emplace_back("`" + name + "` has shape [");
  parts_.insert(parts_.end(), shape.begin(), shape.end());
  parts_.emplace_back(std::string("]"));
}

void CheckNotes::product(const core::Operand& a, const core::Operand& b) {
  begin(", which is ");
  parts_.emplace_back(a);
  parts_.emplace_back(std::string(" * "));
  parts_.emplace_back(b);
  parts_.emplace_back(std::string(" in 64 bits"));
}

void CheckNotes::say(std::string words) {
  begin(", ");
  parts_.emplace_back(std::move(words));
}

void CheckNotes::add_to(std::vector<core::MessagePart>& message) const {
  for (const core::MessagePart& part : parts_) {
    const auto* words = std::get_if<std::string>(&part);
    auto* last = message.empty() ? nullptr : std::get_if<std::string>(&message.back());
    if (words != nullptr && last != nullptr)
      *last += *words;
    else
      message.push_back(part);
  }
}

}  // namespace skald::futhark::elab
