// SPDX-License-Identifier: Apache-2.0
#include "compile/program/signature.h"

namespace skald::compile {

namespace {

void write_type(ByteWriter& out, const core::Type& type) {
  out.number(type.kind);
  out.number(static_cast<uint64_t>(type.elem));
  out.number(type.shape.size());
  for (const core::Operand& dim : type.shape) {
    const core::Const* constant = core::as_const(dim);
    out.number(constant != nullptr ? 1 : 0);
    out.number(constant != nullptr ? constant->bits : core::as_name(dim)->id);
  }
}

core::Type read_type(ByteReader& in) {
  core::Type type;
  type.kind = static_cast<core::Type::Kind>(in.number());
  type.elem = static_cast<Prim>(in.number());
  type.shape.resize(in.count());
  for (core::Operand& dim : type.shape) {
    const bool constant = in.number() != 0;
    const uint64_t bits = in.number();
    if (constant)
      dim = core::Const{Prim::kI64, bits};
    else
      dim = core::Name{static_cast<uint32_t>(bits)};
  }
  return type;
}

void write_values(ByteWriter& out, const std::vector<core::EntryValue>& values) {
  out.number(values.size());
  for (const core::EntryValue& value : values) {
    out.text(value.name);
    out.text(value.type);
    out.number(value.unique ? 1 : 0);
    out.number(static_cast<uint64_t>(value.count));
    out.text(value.layout);
  }
}

std::vector<core::EntryValue> read_values(ByteReader& in) {
  std::vector<core::EntryValue> values(in.count());
  for (core::EntryValue& value : values) {
    value.name = in.text();
    value.type = in.text();
    value.unique = in.number() != 0;
    value.count = static_cast<int>(in.number());
    value.layout = in.text();
  }
  return values;
}

}  // namespace

void write_signature(ByteWriter& out, const core::Function& fn) {
  out.text(fn.name);
  out.text(fn.entry->name);
  out.number(static_cast<uint64_t>(fn.entry->sizes));
  out.number(static_cast<uint64_t>(fn.entry->result_sizes));
  write_values(out, fn.entry->params);
  write_values(out, fn.entry->results);
  out.number(fn.params.size());
  for (const core::Param& param : fn.params) {
    out.number(param.name.id);
    out.number(param.unique ? 1 : 0);
    write_type(out, param.type);
  }
  out.number(fn.results.size());
  for (const core::Ret& ret : fn.results) write_type(out, ret.type);
}

core::Function read_signature(ByteReader& in) {
  core::Function fn;
  fn.name = in.text();
  fn.entry.emplace();
  fn.entry->name = in.text();
  fn.entry->sizes = static_cast<int>(in.number());
  fn.entry->result_sizes = static_cast<int>(in.number());
  fn.entry->params = read_values(in);
  fn.entry->results = read_values(in);
  fn.params.resize(in.count());
  for (core::Param& param : fn.params) {
    param.name.id = static_cast<uint32_t>(in.number());
    param.unique = in.number() != 0;
    param.type = read_type(in);
  }
  fn.results.resize(in.count());
  for (core::Ret& ret : fn.results) ret.type = read_type(in);
  return fn;
}

}  // namespace skald::compile
