// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/ast/types.h"

namespace skald::futhark {

void TypeArena::clear() {
  types_.clear();
  exps_.clear();
  size_vars_.clear();
  too_large_ = false;
}

void TypeArena::note_parts(Type& t) {
  uint64_t parts = 1;
  uint8_t inside = t.unique ? Type::kUniques : 0;
  const auto add = [&](const Type* part) {
    if (!part) return;
    parts += part->parts;
    inside |= part->inside;
  };
  switch (t.kind) {
    case Type::kPrim: break;
    case Type::kMeta: inside |= Type::kMetas; break;
    case Type::kArray:
      inside |= Type::kDependent | (t.size.exp ? Type::kSizes : 0);
      add(t.elem);
      break;
    case Type::kRecord:
      for (const auto& [name, field] : t.fields) add(field);
      break;
    case Type::kSum:
      for (const auto& [name, payload] : t.constrs)
        for (const Type* p : payload) add(p);
      break;
    case Type::kArrow:
      inside |= Type::kArrows;
      if (t.param.id || !t.exts.empty()) inside |= Type::kDependent;
      add(t.from);
      add(t.to);
      break;
    case Type::kNamed:
      inside |= Type::kNames;
      if (!t.args.empty()) inside |= Type::kDependent;
      for (const TypeArg& a : t.args) {
        add(a.type);
        if (a.size.exp) inside |= Type::kSizes;
      }
      break;
  }
  t.inside = inside;
  t.parts = static_cast<uint32_t>(std::min<uint64_t>(parts, Type::kMostParts + 1));
  too_large_ |= t.parts > Type::kMostParts;
}

}  // namespace skald::futhark
