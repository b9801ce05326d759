// SPDX-License-Identifier: Apache-2.0
#include "driver/values/layout.h"

#include <cctype>

namespace skald::driver {

namespace {

constexpr int kDeepestValue = 200;

class LayoutParser {
 public:
  explicit LayoutParser(std::string_view text) : text_(text) {}

  Result<Layout> whole() {
    Layout layout;
    if (!type(layout, 0) || (skip(), at_ != text_.size()))
      return Failure(fmt::format("`{}` is not the layout of a value", text_));
    return layout;
  }

 private:
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool accept(std::string_view what) {
    skip();
    if (!text_.substr(at_).starts_with(what)) return false;
    at_ += what.size();
    return true;
  }
  std::string word() {
    skip();
    const size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
                                  text_[at_] == '_' || text_[at_] == '\'' || text_[at_] == '.'))
      ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  bool type(Layout& out, int depth) {
    if (depth > kDeepestValue) return false;
    if (accept("[]")) {
      out.kind = Layout::kArray;
      return type(out.parts.emplace_back("", Layout{}).second, depth + 1);
    }
    if (accept("(")) return accept("#") ? sum(out, depth) : fields(out, ")", false, depth);
    if (accept("{")) return fields(out, "}", true, depth);
    const std::string name = word();
    if (name.empty()) return false;
    if (accept("/")) {
      out.kind = Layout::kAbstract;
      out.name = name;
      const std::string count = word();
      if (count.empty() || count.size() > 6 ||
          count.find_first_not_of("0123456789") != std::string::npos)
        return false;
      out.count = std::stoi(count);
      return true;
    }
    const std::optional<Prim> prim = prim_from_name(name);
    out.kind = Layout::kPrim;
    out.prim = prim.value_or(Prim::kI32);
    return prim.has_value();
  }

  bool fields(Layout& out, std::string_view close, bool named, int depth) {
    out.kind = Layout::kRecord;
    while (!accept(close)) {
      if (!out.parts.empty() && !accept(",")) return false;
      std::string name = named ? word() : std::to_string(out.parts.size());
      if (named && !accept(":")) return false;
      if (!type(out.parts.emplace_back(std::move(name), Layout{}).second, depth + 1)) return false;
    }
    return true;
  }

  // The first `#` is read.
  bool sum(Layout& out, int depth) {
    out.kind = Layout::kSum;
    do {
      Layout& payload = out.parts.emplace_back(word(), Layout{}).second;
      for (skip(); at_ < text_.size() && text_[at_] != '|' && text_[at_] != ')'; skip()) {
        std::string index = std::to_string(payload.parts.size());
        if (!type(payload.parts.emplace_back(std::move(index), Layout{}).second, depth + 1))
          return false;
      }
    } while (accept("|") && accept("#"));
    return accept(")");
  }

  std::string_view text_;
  size_t at_ = 0;
};

// As the elaborator's sum_layout: scalars of one type share slots over constructors.
struct Slots {
  std::vector<compile::PlainType> types;
  std::vector<std::vector<size_t>> of_constructor;
};

Slots slots_of(const Layout& sum) {
  Slots slots;
  for (const auto& [name, payload] : sum.parts) {
    std::vector<size_t>& mine = slots.of_constructor.emplace_back();
    std::vector<bool> taken(slots.types.size(), false);
    for (const compile::PlainType& leaf : leaf_types(payload)) {
      size_t slot = 0;
      while (slot < taken.size() && (taken[slot] || leaf.rank != 0 || slots.types[slot].rank != 0 ||
                                     slots.types[slot].type != leaf.type))
        ++slot;
      if (slot == taken.size()) {
        slots.types.push_back(leaf);
        taken.push_back(true);
      }
      taken[slot] = true;
      mine.push_back(slot);
    }
  }
  return slots;
}

void collect(const Layout& layout, int rank, std::vector<compile::PlainType>& out) {
  switch (layout.kind) {
    case Layout::kPrim: out.push_back({layout.prim, rank}); return;
    case Layout::kArray: collect(layout.parts[0].second, rank + 1, out); return;
    case Layout::kRecord:
      for (const auto& [name, part] : layout.parts) collect(part, rank, out);
      return;
    case Layout::kSum:
      out.push_back({Prim::kI8, rank});
      for (const compile::PlainType& slot : slots_of(layout).types)
        out.push_back({slot.type, slot.rank + rank});
      return;
    case Layout::kAbstract:
      for (int i = 0; i < layout.count; ++i) out.push_back({Prim::kI32, rank});
      return;
  }
}

Layout layout_of(const core::EntryValue& value, const core::Type* first) {
  if (value.layout.empty())
    return first == nullptr ? tuple_layout({}) : plain_layout(first->elem, first->rank());
  Result<Layout> layout = parse_layout(value.layout);
  SKALD_CHECK(bool(layout), "{}", layout.error());
  return std::move(*layout);
}

}  // namespace

bool is_tuple(const Layout& layout) {
  if (layout.kind != Layout::kRecord || layout.parts.size() == 1) return false;
  for (size_t i = 0; i < layout.parts.size(); ++i)
    if (layout.parts[i].first != std::to_string(i)) return false;
  return true;
}

Layout tuple_layout(std::vector<Layout> parts) {
  Layout layout;
  for (Layout& part : parts) {
    std::string name = std::to_string(layout.parts.size());
    layout.parts.emplace_back(std::move(name), std::move(part));
  }
  return layout;
}

Layout plain_layout(Prim type, int rank) {
  Layout layout{Layout::kPrim, type};
  for (; rank > 0; --rank) {
    Layout outer{Layout::kArray};
    outer.parts.emplace_back("", std::move(layout));
    layout = std::move(outer);
  }
  return layout;
}

Result<Layout> parse_layout(std::string_view text) {
  return LayoutParser(text).whole();
}

std::string layout_text(const Layout& layout) {
  std::string text;
  switch (layout.kind) {
    case Layout::kPrim: return std::string(prim_name(layout.prim));
    case Layout::kArray: return "[]" + layout_text(layout.parts[0].second);
    case Layout::kAbstract: return layout.name;
    case Layout::kRecord: {
      const bool tuple = is_tuple(layout);
      for (const auto& [name, part] : layout.parts)
        text += (text.empty() ? "" : ", ") + (tuple ? "" : name + ": ") + layout_text(part);
      return tuple ? "(" + text + ")" : "{" + text + "}";
    }
    case Layout::kSum:
      for (const auto& [name, payload] : layout.parts) {
        text += (text.empty() ? "#" : " | #") + name;
        for (const auto& [index, part] : payload.parts) text += " " + layout_text(part);
      }
      return "(" + text + ")";
  }
  return text;
}

std::vector<compile::PlainType> leaf_types(const Layout& layout) {
  std::vector<compile::PlainType> types;
  collect(layout, 0, types);
  return types;
}

size_t leaf_count(const Layout& layout) {
  return leaf_types(layout).size();
}

std::vector<int> tag_bounds(const Layout& layout) {
  std::vector<int> bounds;
  switch (layout.kind) {
    case Layout::kPrim: return {0};
    case Layout::kArray: return tag_bounds(layout.parts[0].second);
    case Layout::kAbstract: return std::vector<int>(static_cast<size_t>(layout.count), 0);
    case Layout::kRecord:
      for (const auto& [name, part] : layout.parts)
        for (const int bound : tag_bounds(part)) bounds.push_back(bound);
      return bounds;
    case Layout::kSum: break;
  }
  // A slot may be the tag of one constructor's payload and a plain value of another's.
  const Slots slots = slots_of(layout);
  bounds.assign(slots.types.size() + 1, 0);
  bounds[0] = static_cast<int>(layout.parts.size());
  for (size_t k = 0; k < layout.parts.size(); ++k) {
    const std::vector<int> inner = tag_bounds(layout.parts[k].second);
    for (size_t i = 0; i < inner.size(); ++i) {
      int& bound = bounds[1 + slots.of_constructor[k][i]];
      if (inner[i] != 0) bound = bound == 0 ? inner[i] : std::min(bound, inner[i]);
    }
  }
  return bounds;
}

bool has_abstract_part(const Layout& layout) {
  if (layout.kind == Layout::kAbstract) return true;
  for (const auto& [name, part] : layout.parts)
    if (has_abstract_part(part)) return true;
  return false;
}

std::vector<size_t> payload_leaves(const Layout& sum, size_t constructor) {
  return slots_of(sum).of_constructor.at(constructor);
}

std::vector<Layout> parameter_layouts(const core::Function& entry) {
  std::vector<Layout> layouts;
  auto next = static_cast<size_t>(entry.entry->sizes);
  for (const core::EntryValue& value : entry.entry->params) {
    layouts.push_back(layout_of(value, value.count == 0 ? nullptr : &entry.params.at(next).type));
    next += static_cast<size_t>(value.count);
  }
  return layouts;
}

Layout result_layout(const core::Function& entry) {
  std::vector<Layout> layouts;
  auto next = static_cast<size_t>(entry.entry->result_sizes);
  for (const core::EntryValue& value : entry.entry->results) {
    layouts.push_back(layout_of(value, value.count == 0 ? nullptr : &entry.results.at(next).type));
    next += static_cast<size_t>(value.count);
  }
  return layouts.size() == 1 ? std::move(layouts[0]) : tuple_layout(std::move(layouts));
}

}  // namespace skald::driver
