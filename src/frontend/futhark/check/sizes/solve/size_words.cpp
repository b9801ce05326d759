// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/check/sizes/solve/size_words.h"

#include <algorithm>

namespace skald::futhark {

std::string SizeWords::show(const Exp* e) {
  return pretty(*strip_size(as_shown(table_.norm(e))));
}

const Exp* SizeWords::as_shown(const Exp* e) {
  return subst_size(f_, e, [this](uint32_t id) -> const Exp* {
    const SizeVar* v = table_.find(id);
    if (v && v->kind == SizeVar::kCopy) v = table_.find(v->canon);
    if (!v) return nullptr;
    if (!v->array.empty()) return f_.size_var(f_.fresh("length " + v->array));
    // Somebody else's name must not look like one of the program.
    auto is_namesake = [&](const auto& entry) {
      return entry.second.kind == SizeVar::kParam && entry.second.name.base == v->name.base;
    };
    const bool clashes = !v->is_rigid() && std::ranges::any_of(table_.all(), is_namesake);
    return clashes ? f_.size_var(f_.fresh(v->name.base + "'")) : nullptr;
  });
}

// Sizes of a function that are part of `e` and still open.
std::string SizeWords::note_open(const Exp* e) {
  IdSet vars;
  free_in_size(*table_.norm(e), vars);
  std::vector<uint32_t> in_order(vars.begin(), vars.end());
  std::ranges::sort(in_order);
  constexpr std::string_view kUsage = "instantiated size parameter of ";
  std::string names, function;
  size_t count = 0;
  for (uint32_t id : in_order) {
    const SizeVar* v = table_.find(id);
    if (!v || v->is_rigid() || !v->usage.starts_with(kUsage)) continue;
    names += (count++ ? " and " : "") + quote(show(f_.size_var(v->name)));
    const size_t end = v->usage.find('"', kUsage.size() + 1);
    function = v->usage.substr(kUsage.size(), end + 1 - kUsage.size());
  }
  if (count == 0) return {};
  return "\n\nNote: " + names + (count > 1 ? " are sizes of " : " is a size of ") + function +
         " that nothing here tells.";
}

std::string SizeWords::notes_for(const Exp* e) {
  if (!size_var_id(e)) return note_open(e);
  SizeVar* v = table_.find(size_var_id(e));
  if (!v || v->kind != SizeVar::kUnknown || v->note.empty()) return "";
  return "\n\nNote: " + (is_invented(e) ? "the size" : quote(v->name.base)) + " " + v->note;
}

// A size that is computed somewhere and that nobody has given a name.
bool SizeWords::is_invented(const Exp* e) {
  const SizeVar* v = table_.find(size_var_id(e));
  if (!v || v->kind != SizeVar::kUnknown || v->plain.empty()) return false;
  const std::string& name = v->name.base;
  return name == "d" || name == "loop" || name == "range_dim";
}

// A type as people would write it: sizes without a name are left out.
std::string SizeWords::show(const Type* t) {
  TypeMapper m;
  m.on_size = [this](const Exp* e) -> const Exp* {
    e = table_.norm(e);
    SizeVar* v = table_.find(size_var_id(e));
    const bool nameless = v && (v->name.base == "d" || v->name.base.starts_with("loop"));
    const bool open = v && ((!v->is_rigid() && nameless) || v->kind == SizeVar::kWrong);
    return open || is_invented(e) ? nullptr : as_shown(e);
  };
  // Types of different modules may have the same name.
  m.on_leaf = [this](const Type* leaf) -> const Type* {
    auto it = leaf->kind == Type::kNamed ? ctx_.abstract_names.find(leaf->name.id)
                                         : ctx_.abstract_names.end();
    if (it == ctx_.abstract_names.end()) return leaf;
    Type qualified = *leaf;
    qualified.name.base = it->second;
    return f_.make(std::move(qualified));
  };
  return pretty(*map_type(f_, t, m));
}

// The same with `[]` for sizes that are known only when the program runs.
std::string SizeWords::show_open(const Type* t) {
  TypeMapper m;
  m.on_size = [this](const Exp* e) -> const Exp* {
    IdSet vars;
    e = table_.norm(e);
    free_in_size(*e, vars);
    const bool written = std::ranges::all_of(vars, [&](uint32_t id) {
      const SizeVar* v = table_.find(id);
      return !v || (v->kind == SizeVar::kParam && !v->of_type);
    });
    return written ? e : nullptr;
  };
  return pretty(*map_type(f_, t, m));
}

// Whether all its sizes have names, or are numbers.
bool SizeWords::can_be_written(const Type* t) {
  return std::ranges::all_of(free_sizes(table_.norm(t)), [&](uint32_t id) {
    const SizeVar* v = table_.find(id);
    return !v || (v->kind == SizeVar::kParam && !v->of_type);
  });
}

// "\"n\"", or in words if nobody has given it a name.
std::string SizeWords::of(const Exp* e) {
  e = table_.norm(e);
  const SizeVar* v = table_.find(size_var_id(e));
  if (v && v->kind == SizeVar::kUnknown && !v->plain.empty()) return v->plain;
  return quote(show(e));
}

void SizeWords::label_origins(const Exp* e, std::vector<source::Label>& labels) {
  IdSet vars;
  free_in_size(*table_.norm(e), vars);
  std::vector<uint32_t> in_order(vars.begin(), vars.end());
  std::ranges::sort(in_order);
  for (uint32_t id : in_order) {
    const SizeVar* v = table_.find(id);
    if (!v || !v->span.known() || v->span.file.index < ctx_.first_user_file) continue;
    if (std::ranges::any_of(labels, [&](const source::Label& l) { return l.span == v->span; }))
      continue;
    if (v->kind == SizeVar::kParam)
      labels.push_back({v->span, "`" + v->name.base + "` comes from here"});
    if (v->kind == SizeVar::kUnknown && v->span.end > v->span.begin)
      labels.push_back(
          {v->span, v->plain.empty() ? "its size is known only here" : "its size is " + v->plain});
  }
}

}  // namespace skald::futhark
