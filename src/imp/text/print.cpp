// SPDX-License-Identifier: Apache-2.0
// The printed form of each node stands in the comment above it in imp.h.
#include "imp/text/print.h"

#include "imp/ir/visit.h"
#include "imp/text/constant.h"
#include "support/writer.h"

namespace skald::imp {

namespace {

std::string_view space_name(Space space) {
  constexpr std::string_view kNames[] = {"heap",   "scratch", "view",   "shared",
                                         "device", "group",   "private"};
  return kNames[static_cast<size_t>(space)];
}

std::string_view type_name(const Type& type) {
  return type.is_block() ? space_name(type.space) : prim_name(type.prim);
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string_view shape_prefix(Shape shape) {
  constexpr std::string_view kNames[] = {"", "linear ", "vector ", "border "};
  return kNames[static_cast<size_t>(shape)];
}

std::string_view access_suffix(LaneAccess access) {
  constexpr std::string_view kNames[] = {"",        " contiguous", " strided", " gather",
                                         " shared", " each",       " own",     " own each"};
  return kNames[static_cast<size_t>(access)];
}

std::string_view branch_prefix(Branch branch) {
  constexpr std::string_view kNames[] = {"", "mask ", "taken ", "choose "};
  return kNames[static_cast<size_t>(branch)];
}

class Printer {
 public:
  Printer(const Program& prog, bool heads_only) : prog_(prog), heads_only_(heads_only) {}

  void function(const Function& fn);
  void body(const Body& body);
  void stmt(const Stmt& stmt) {
    visit(stmt.node, [&](const auto& n) { node(n); });
    out_.newline();
  }
  void loc_table();
  std::string take() { return out_.take(); }

 private:
  std::string text(Name name) const { return prog_.names.text(name); }
  std::string text(const Operand& o) const {
    if (const Name* name = core::as_name(o)) return text(*name);
    return constant_text(*core::as_const(o));
  }
  std::string text(const std::vector<Operand>& operands) const {
    std::string out;
    for (const Operand& o : operands) out += (out.empty() ? "" : ", ") + text(o);
    return out;
  }
  std::string element(Name block, const Operand& index) const {
    return fmt::format("{}[{}]", text(block), text(index));
  }
  void block_of(const Body& inner) {
    if (heads_only_) {
      out_ << "{ … }";
      return;
    }
    out_ << '{';
    out_.newline();
    {
      const Indented indented(out_);
      body(inner);
    }
    out_ << '}';
  }

  std::string exp(const Exp& exp) const;
  void alone(Stragglers lanes) {
    if (lanes != Stragglers{}) out_.print("alone {}, {} ", lanes.whole, lanes.few);
  }
  void loop_mark(LoopMark at) {
    if (at.polls) out_ << "poll ";
    if (at.loc.index != 0) out_.print("@{} ", at.loc.index);
  }
  void plan(const LanePlan& plan);
  void node(const Let& n) {
    out_.print("{}{} {} = {};", shape_prefix(n.shape), prim_name(n.type), text(n.name), exp(n.exp));
  }
  void node(const Var& n) {
    out_.print("{}var {} {} = {};", shape_prefix(n.shape), prim_name(n.type), text(n.name),
               text(n.init));
  }
  void node(const Assign& n) { out_.print("{} = {};", text(n.var), text(n.value)); }
  void node(const Tunable& n) {
    out_.print("i64 {} = tunable({}, {}, {});", text(n.name), quoted(n.param),
               quoted(n.param_class), text(n.fallback));
  }
  void node(const Load& n) {
    out_.print("{}{}{} {} = {}{};",
               n.fresh  ? "fresh "
               : n.near ? "near "
                        : "",
               n.access == LaneAccess::kScalar ? "" : "vector ", prim_name(n.type), text(n.name),
               element(n.block, n.index), access_suffix(n.access));
  }
  void node(const Store& n) {
    out_.print("{}{} {} = {}{};", n.fresh ? "fresh " : "", prim_name(n.type),
               element(n.block, n.index), text(n.value), access_suffix(n.access));
  }
  void node(const Alloc& n) {
    out_.print("{} {} = alloc({}){};", space_name(n.space), text(n.name), text(n.bytes),
               place(n.loc));
  }
  void node(const BlockVar& n) {
    out_.print("{} {} = {};", space_name(n.space), text(n.name), n.init ? text(n.init) : "null");
  }
  void node(const BlockAssign& n) { out_.print("block {} = {};", text(n.var), text(n.value)); }
  void node(const Free& n) { out_.print("free({});", text(n.block)); }
  void node(const CopyBytes& n) {
    const char* how = n.overlap ? "move" : n.stream ? "stream" : "copy";
    out_.print("{}({} + {}, {} + {}, {}){}{};", how, text(n.dest), text(n.dest_offset), text(n.src),
               text(n.src_offset), text(n.bytes), n.elements ? " by " : "",
               n.elements ? prim_name(*n.elements) : "");
  }
  void node(const Misaligned& n) {
    out_.print("i64 {} = misaligned({} {});", text(n.name), prim_name(n.type), text(n.block));
  }
  void node(const Fill& n) {
    out_.print("fill({} {}, {}, {});", prim_name(n.type), element(n.block, n.start), text(n.count),
               text(n.value));
  }
  void node(const Trace& n) {
    out_.print("trace({}, {} {}{}{});", quoted(n.tag), prim_name(n.type), element(n.block, n.index),
               n.shape.empty() ? "" : ", ", text(n.shape));
  }
  void node(const If& n) {
    out_.print("{}{}if ({}) {}", branch_prefix(n.branch), n.maybe ? "maybe " : "", text(n.cond),
               n.skips_then ? "any " : "");
    block_of(n.then_body);
    if (n.else_body.stmts.empty()) return;
    out_.print(" else {}", n.skips_else ? "any " : "");
    block_of(n.else_body);
  }
  void node(const For& n) {
    constexpr std::string_view kHints[] = {"", "simd ", "short ", "unroll "};
    const std::string var = text(n.var);
    out_.print("{}{}for ({} {} = {}; {} < {}; {} += {}) ", n.masked ? "mask " : "",
               kHints[static_cast<size_t>(n.hint)], prim_name(n.type), var, text(n.begin), var,
               text(n.end), var, text(n.step));
    out_ << shape_prefix(n.counter);
    if (n.until) out_.print("until {} ", text(n.until));
    alone(n.alone);
    if (n.lanes != nullptr) plan(*n.lanes);
    if (n.beside > 0) out_.print("beside {} ", n.beside);
    if (n.ahead > 0) out_.print("ahead {} ", n.ahead);
    loop_mark(n.mark);
    block_of(n.body);
  }
  void node(const While& n) {
    out_.print("{}while ({}) ", n.masked ? "mask " : "", text(n.cond));
    alone(n.alone);
    loop_mark(n.mark);
    block_of(n.body);
  }
  void node(const Call& n) {
    std::string results;
    for (const Decl& d : n.results)
      results +=
          fmt::format("{}{} {}", results.empty() ? "" : ", ", type_name(d.type), text(d.name));
    const std::string beside = n.may_fork() ? fmt::format("beside {} ", text(n.beside)) : "";
    out_.print("call {}({}) = {}({}){};", beside, results, quoted(n.fn), text(n.args),
               place(n.loc));
  }
  void node(const Check& n) {
    out_.print("check({}", text(n.cond));
    for (const MessagePart& part : n.message) {
      out_ << ", ";
      if (const auto* literal = std::get_if<std::string>(&part))
        out_ << quoted(*literal);
      else
        out_ << text(*std::get_if<Operand>(&part));
    }
    out_.print("){};", place(n.loc));
  }
  void node(const ParallelFor& n) {
    out_.print("parallel for ({} < {}; grain {}) ", text(n.var), text(n.count), text(n.grain));
    loop_mark(n.mark);
    block_of(n.body);
  }
  void node(const ParallelRange& n) {
    out_.print("parallel range ({}, {} < {}; grain {}) ", text(n.begin), text(n.end), text(n.count),
               text(n.grain));
    block_of(n.body);
  }
  void node(const ParallelChunks& n) {
    out_.print("parallel chunks ({}, {}, {} < {}; size {}) ", text(n.begin), text(n.end),
               text(n.chunk), text(n.count), text(n.size));
    block_of(n.body);
  }
  void node(const TransposeBlock& n) {
    out_.print("transpose({} {}, {}, {}, {}, {}, {});", prim_name(n.type),
               element(n.dest, n.dest_start), text(n.dest_stride), element(n.src, n.src_start),
               text(n.src_stride), text(n.rows), text(n.columns));
  }
  void node(const ScanBlock& n) {
    out_.print("{}scan {}_{}({}, {}, {}, {});", n.stream ? "stream " : "", core::mnemonic(n.op),
               prim_name(n.type), element(n.dest, n.start), element(n.src, n.src_start),
               text(n.count), text(n.carry));
  }
  void node(const ScanRows& n) {
    out_.print("scan rows {}_{}({}, {}, {}, {});", core::mnemonic(n.op), prim_name(n.type),
               element(n.dest, n.start), element(n.src, n.src_start), text(n.count),
               text(n.length));
  }
  void node(const Earlier& n) {
    out_.print("{} {} = earlier({}, {}, {}, {});", prim_name(n.type), text(n.name),
               element(n.block, n.index), text(n.value), text(n.by), text(n.none));
  }
  void node(const Collect& n) {
    out_.print("collect{}({}, {}", n.again ? " again" : "", text(n.cond), text(n.next));
    for (const Collected& each : n.members)
      out_.print(", {} {} = {}", prim_name(each.type), text(each.block), text(each.value));
    out_ << ");";
  }
  void node(const Ordered& n) {
    out_ << "ordered ";
    block_of(n.body);
  }
  void node(const MyTurn& n) { out_.print("bool {} = my_turn();", text(n.name)); }
  void node(const ChunkSize& n) {
    out_.print("i64 {} = chunk_size({}, {});", text(n.name), text(n.count), text(n.least));
  }
  void node(const Workers& n) { out_.print("i64 {} = workers();", text(n.name)); }
  void node(const Atomic& n) {
    out_.print("atomic {}_{}({}, {}", core::mnemonic(n.op), prim_name(n.type),
               element(n.block, n.index), text(n.value));
    for (const Operand& value : n.further) out_.print(", {}", text(value));
    out_ << ");";
  }
  void node(const AtomicUpdate& n) {
    out_.print("atomic ({} {} as {}", prim_name(n.type), element(n.block, n.index), text(n.old));
    if (n.given) out_.print(" with {} = {}", text(n.given), text(n.value));
    for (const Operand& neutral : n.neutral) out_.print(" or {}", text(neutral));
    out_ << ") ";
    block_of(n.body);
    out_.print(" yield {};", text(n.result));
  }
  void node(const FetchAdd& n) {
    out_.print("{} {} = fetch_add({}, {});", prim_name(n.type), text(n.name),
               element(n.block, n.index), text(n.value));
  }
  void node(const Locked& n) {
    out_.print("lock ({}) ", element(n.block, n.index));
    block_of(n.body);
    if (n.meetings.empty()) return;
    out_ << " meet (";
    for (size_t k = 0; k < n.meetings.size(); ++k) {
      const Meeting& each = n.meetings[k];
      out_.print("{}{} {} with {}", k == 0 ? "" : ", ", prim_name(each.type), text(each.own),
                 text(each.other));
    }
    out_ << ") ";
    block_of(n.meet_body);
  }
  void node(const Launch& n) {
    out_.print("launch ({} < {}; {} < {}; scratch {}", text(n.group), text(n.groups),
               text(n.thread), text(n.threads), text(n.scratch));
    if (!(n.shared == Operand{const_i64(0)})) out_.print("; shared {}", text(n.shared));
    if (n.at_once > 0) out_.print("; at_once {}", text(const_i64(n.at_once)));
    out_ << ") ";
    loop_mark({.loc = n.loc});
    block_of(n.body);
  }
  void node(const Barrier&) { out_ << "barrier;"; }
  void node(const WarpMeet&) { out_ << "warp_meet;"; }
  void node(const Shuffle& n) {
    out_.print("{} {} = {}({}, {});", prim_name(n.type), text(n.name), shuffle_name(n.kind),
               text(n.value), text(n.lane));
  }
  void node(const QuickQuotient& n) {
    if (!n.usual)
      return (void)out_.print("f64 {} = slow_div({}, {});", text(n.name), text(n.lhs), text(n.rhs));
    out_.print("f64 {}, {} = quick_div({}, {});", text(n.name), text(n.usual), text(n.lhs),
               text(n.rhs));
  }
  void node(const Ballot& n) { out_.print("u32 {} = ballot({});", text(n.name), text(n.value)); }
  void node(const Fence&) { out_ << "fence;"; }
  void node(const MatrixSum& n) {
    out_.print("matrix({}, {}, {});", text(n.c), text(n.a), text(n.b));
  }
  void node(const Stop&) { out_ << "stop;"; }
  void node(const Attempt& n) {
    out_.print("attempt ({}) ", text(n.position));
    block_of(n.body);
  }
  static std::string place(Loc loc) {
    return loc.index == 0 ? std::string() : fmt::format(" @{}", loc.index);
  }

  const Program& prog_;
  bool heads_only_;
  Writer out_;
};

std::string Printer::exp(const Exp& exp) const {
  struct Visitor {
    const Printer& p;
    std::string operator()(const core::Value& e) const { return p.text(e.arg); }
    std::string operator()(const core::UnOp& e) const {
      return fmt::format("{}_{}({})", core::mnemonic(e.op), prim_name(e.type), p.text(e.arg));
    }
    std::string operator()(const core::BinOp& e) const {
      return binary(core::mnemonic(e.op), e.type, e.lhs, e.rhs);
    }
    std::string operator()(const core::CmpOp& e) const {
      return binary(core::mnemonic(e.op), e.type, e.lhs, e.rhs);
    }
    std::string operator()(const core::TernOp& e) const {
      return fmt::format("{}_{}({}, {}, {})", core::mnemonic(e.op), prim_name(e.type), p.text(e.a),
                         p.text(e.b), p.text(e.c));
    }
    std::string operator()(const core::Convert& e) const {
      return fmt::format("convert({}, {}, {})", prim_name(e.from), prim_name(e.to), p.text(e.arg));
    }
    std::string operator()(const core::Bitcast& e) const {
      return fmt::format("bitcast({}, {}, {})", prim_name(e.from), prim_name(e.to), p.text(e.arg));
    }
    std::string operator()(const core::Select& e) const {
      return fmt::format("select({}, {}, {})", p.text(e.cond), p.text(e.then), p.text(e.otherwise));
    }
    std::string binary(std::string_view op, Prim type, const Operand& a, const Operand& b) const {
      return fmt::format("{}_{}({}, {})", op, prim_name(type), p.text(a), p.text(b));
    }
  };
  return visit_exp(exp, Visitor{*this});
}

void Printer::plan(const LanePlan& plan) {
  constexpr std::string_view kLast[] = {"", "again ", "masked ", "once "};
  std::string_view comma = "";
  out_ << "lanes (";
  for (const LaneGroups& groups : plan.groups) {
    out_.print("{}{}{}", comma, kLast[static_cast<size_t>(groups.last)], groups.lanes);
    comma = ", ";
  }
  out_.print("; registers {}; masks {}", plan.register_bytes, plan.mask_bytes);
  if (plan.inexact) out_ << "; inexact";
  if (plan.first_stage > 0) out_.print("; stage {}", plan.first_stage);
  if (plan.align_store >= 0) out_.print("; align {} by {}", plan.align_store, plan.align_lanes);
  if (plan.fetch_ahead) out_ << "; fetch";
  comma = "; stream ";
  for (const Name block : plan.streamed) {
    out_.print("{}{}", comma, text(block));
    comma = ", ";
  }
  comma = "; borders ";
  for (const LaneBorder& border : plan.borders) {
    out_.print("{}{} {}", comma, border.linear_left ? "left" : "right", text(border.name));
    comma = ", ";
  }
  out_ << ") ";
}

void Printer::body(const Body& body) {
  for (const Stmt& s : body.stmts) stmt(s);
}

void Printer::function(const Function& fn) {
  std::string params, results;
  for (const Decl& d : fn.params)
    params += fmt::format("{}{} {}", params.empty() ? "" : ", ", type_name(d.type), text(d.name));
  for (const Type& t : fn.results)
    results += fmt::format("{}{}", results.empty() ? "" : ", ", type_name(t));
  if (fn.entry) out_.print("entry {} ", quoted(*fn.entry));
  if (fn.once) out_ << "once ";
  if (fn.kind == FunctionKind::kDevice) out_ << "device ";
  out_.print("fn {}({}) -> ({}) ", quoted(fn.name), params, results);
  std::string arrays;
  for (const std::vector<Operand>& shape : fn.arrays)
    arrays += fmt::format("{}[{}]", arrays.empty() ? "" : ", ", text(shape));
  if (!arrays.empty()) out_.print("arrays ({}) ", arrays);
  out_ << '{';
  out_.newline();
  {
    const Indented indented(out_);
    body(fn.body);
    out_.print("return ({});", text(fn.ret)).newline();
  }
  out_ << '}';
  out_.newline();
}

void Printer::loc_table() {
  for (uint32_t i = 1; i < prog_.locs.size(); ++i) {
    const core::LocTable::Entry& entry = prog_.locs[Loc{i}];
    out_.print("loc {} {}", i, quoted(entry.text));
    if (!entry.function.empty()) out_.print(" within {}", quoted(entry.function));
    if (entry.caller.index != 0) out_.print(" from {}", entry.caller.index);
    out_ << ';';
    out_.newline();
  }
}

}  // namespace

std::string print(const Program& prog) {
  Printer p(prog, false);
  p.loc_table();
  for (const Function& fn : prog.functions) p.function(fn);
  return p.take();
}

std::string print(const Function& fn, const Program& prog) {
  Printer p(prog, false);
  p.function(fn);
  return p.take();
}

std::string print_head(const Stmt& stmt, const Program& prog) {
  Printer p(prog, true);
  p.stmt(stmt);
  std::string text = p.take();
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace skald::imp
