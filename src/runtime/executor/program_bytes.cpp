// SPDX-License-Identifier: Apache-2.0
// One list of fields for each struct serves writing and reading.
#include "runtime/executor/program_bytes.h"

#include <type_traits>

#include "runtime/executor/check.h"
#include "support/bytes.h"

namespace skald::runtime {

namespace {

// Changes with everything below and with the meaning of every instruction.
constexpr std::string_view kFormat = "skald device program 3";

template <class Io>
void fields(Io& io, Instruction& i) {
  io.all(i.op, i.prim, i.dst, i.a, i.b, i.c, i.imm);
}
template <class Io>
void fields(Io& io, CopyCode& c) {
  io.all(c.dest, c.dest_offset, c.src, c.src_offset, c.bytes);
}
template <class Io>
void fields(Io& io, TraceCode& t) {
  io.all(t.tag, t.type, t.block, t.index, t.shape);
}
template <class Io>
void fields(Io& io, LaunchArg& a) {
  io.all(a.reg, a.is_block, a.updated);
}
template <class Io>
void fields(Io& io, LaunchCode& l) {
  io.all(l.kernel, l.groups, l.scratch, l.threads, l.shared, l.args);
}
template <class Io>
void fields(Io& io, CallCode& c) {
  io.all(c.function, c.args, c.results, c.loc);
}
template <class Io>
void fields(Io& io, FailCode& f) {
  io.all(f.id, f.values);
}
template <class Io>
void fields(Io& io, FunctionCode& f) {
  io.all(f.name, f.registers, f.params, f.param_is_block, f.results, f.result_is_block, f.owned,
         f.code, f.once);
}
template <class Io>
void fields(Io& io, EntryCode& e) {
  io.all(e.name, e.function);
}
template <class Io>
void fields(Io& io, KernelUnit& k) {
  io.all(k.name, k.pieces, k.text, k.uses_f64, k.may_fail, k.group_heap, k.same_as);
}
template <class Io>
void fields(Io& io, KernelTexts& k) {
  io.all(k.pieces, k.units);
}
template <class Io>
void fields(Io& io, DeviceProgram& p) {
  io.all(p.functions, p.entries, p.copies, p.traces, p.launches, p.calls, p.failures, p.operators,
         p.kernels);
}

template <class T>
constexpr bool is_plain_number = std::is_integral_v<T> || std::is_enum_v<T>;

// What has fields is the sum of them.
template <class Io>
struct ByFields {
  template <class... T>
  void all(T&... x) {
    (static_cast<Io*>(this)->one(x), ...);
  }
  template <class T>
  void one(T& x) {
    auto& io = static_cast<Io&>(*this);
    if constexpr (is_plain_number<T>)
      io.number(x);
    else
      fields(io, x);
  }
};

struct Writing : ByFields<Writing> {
  ByteWriter out;

  using ByFields::one;
  template <class T>
  void number(T& x) {
    out.number(static_cast<uint64_t>(x));
  }
  void one(std::string& x) { out.text(x); }
  template <class T>
  void one(std::vector<T>& x) {
    out.number(x.size());
    for (T& item : x) one(item);
  }
  void one(std::vector<bool>& x) {
    out.number(x.size());
    for (const bool item : x) out.number(item ? 1 : 0);
  }
};

struct Reading : ByFields<Reading> {
  ByteReader in;

  explicit Reading(std::string_view bytes) : in(bytes) {}
  using ByFields::one;
  template <class T>
  void number(T& x) {
    x = static_cast<T>(in.number());
  }
  void one(std::string& x) { x = in.text(); }
  template <class T>
  void one(std::vector<T>& x) {
    x.resize(in.count());
    for (T& item : x) one(item);
  }
  void one(std::vector<bool>& x) {
    x.resize(in.count());
    for (size_t k = 0; k < x.size(); ++k) x[k] = in.number() != 0;
  }
};

}  // namespace

std::string to_bytes(const DeviceProgram& program) {
  Writing io;
  io.out.text(kFormat);
  // Fields are listed once, for reading too; writing changes none of them.
  fields(io, const_cast<DeviceProgram&>(program));
  return io.out.take();
}

Result<DeviceProgram> device_program_from_bytes(std::string_view bytes) {
  Reading io(bytes);
  if (io.in.text() != kFormat) return Failure("a device program of another version");
  DeviceProgram program;
  fields(io, program);
  if (!io.in.done()) return Failure("not a device program");
  if (Result<Unit> fine = check_program(program); !fine) return fine.failure();
  return program;
}

}  // namespace skald::runtime
