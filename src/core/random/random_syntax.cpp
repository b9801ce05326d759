// SPDX-License-Identifier: Apache-2.0
// Random programs that only need to be printable: the fields of every node are filled by kind, so a
// new node or field takes part by itself.
#include "core/ir/visit.h"
#include "core/random/random.h"
#include "core/random/random_program.h"

namespace skald::core {

namespace {

class Filler {
 public:
  Filler(Random& random, Program& prog) : random_(random), prog_(prog) {
    constexpr std::string_view kBases[] = {"x", "xs", "let", "map", "f32",
                                           "_", "",   "a'",  "x_1", "E5"};
    for (int i = 0; i < 30; ++i) names_.push_back(prog.names.fresh(kBases[random_.below(10)]));
  }

  void function(Function& fn, int size) {
    budget_ = size;
    fill(fn.name);
    fn.hints = {static_cast<Inlining>(random_.below(3)), random_.chance(50)};
    fill(fn.params);
    fill(fn.results);
    fill(fn.body);
    fill(fn.loc);
    if (!random_.chance(50)) return;
    EntryPoint& entry = fn.entry.emplace();
    fill(entry.name);
    fill(entry.sizes);
    fill(entry.result_sizes);
    if (random_.chance(20)) {
      PropertyTest& property = entry.property.emplace();
      fill(property.generator);
      fill(property.shrinker);
      if (random_.chance(50)) property.size = random_.below(100);
    }
    for (auto* values : {&entry.params, &entry.results}) {
      values->resize(static_cast<size_t>(random_.below(4)));
      for (EntryValue& value : *values) {
        fill(value.name);
        fill(value.type);
        fill(value.unique);
        fill(value.count);
        if (random_.chance(30)) fill(value.layout);
      }
    }
  }

 private:
  void fill(bool& x) { x = random_.chance(50); }
  void fill(int& x) { x = random_.below(5); }
  void fill(Prim& x) { x = kAllPrims[static_cast<size_t>(random_.below(12))]; }
  void fill(BinOpKind& x) { x = static_cast<BinOpKind>(random_.below(24)); }
  void fill(UnOpKind& x) { x = static_cast<UnOpKind>(random_.below(43)); }
  void fill(CmpOpKind& x) { x = static_cast<CmpOpKind>(random_.below(4)); }
  void fill(TernOpKind& x) { x = static_cast<TernOpKind>(random_.below(4)); }
  void fill(Type::Kind& x) { x = static_cast<Type::Kind>(random_.below(4)); }
  void fill(Loop::Form& x) { x = static_cast<Loop::Form>(random_.below(2)); }
  void fill(Domain::Kind& x) { x = static_cast<Domain::Kind>(random_.below(3)); }
  void fill(Space& x) { x = random_.chance(80) ? Space::kHost : device_space(random_.below(3)); }
  void fill(Sink::Kind& x) { x = static_cast<Sink::Kind>(random_.below(6)); }
  void fill(Name& x) { x = random_.pick(names_); }
  void fill(Const& x) {
    fill(x.type);
    const int bits = prim_bits(x.type);
    x.bits = random_.next() >> random_.below(64);
    if (random_.chance(30)) x.bits = ~x.bits;
    if (bits < 64) x.bits &= (uint64_t{1} << bits) - 1;
  }
  void fill(Operand& x) {
    if (random_.chance(60))
      fill(x.emplace<Name>());
    else
      fill(x.emplace<Const>());
  }
  void fill(MessagePart& x) {
    if (random_.chance(50))
      fill(x.emplace<std::string>());
    else
      fill(x.emplace<Operand>());
  }
  void fill(std::string& x) {
    x.clear();
    const int kind = random_.below(3);
    for (int i = random_.below(8); i > 0; --i) {
      if (kind == 0)
        x += static_cast<char>(random_.below(256));
      else if (kind == 1)
        x += static_cast<char>('a' + random_.below(26));
      else
        x += std::string_view("é\"\\\n\t]→").substr(0, static_cast<size_t>(random_.below(10)));
    }
  }
  void fill(Loc& x) {
    x = {};
    for (int i = random_.below(3); i > 0; --i) {
      std::string text, function;
      fill(text);
      if (random_.chance(50)) fill(function);
      x = prog_.locs.add(text, x, function);
    }
  }
  void fill(Type& x) {
    x = {};
    fill(x.kind);
    if (random_.chance(60)) x.kind = Type::kArray;
    if (x.kind == Type::kArray) fill(x.elem);
    if (x.kind == Type::kArray || x.kind == Type::kAcc) fill(x.shape);
    if (x.kind == Type::kAcc && random_.chance(40)) fill(x.acc_elems);
    if (x.kind == Type::kArray || x.kind == Type::kMem) fill(x.space);
  }
  void fill(Param& x) {
    fill(x.name);
    fill(x.type);
    fill(x.unique);
    if (random_.chance(30)) fill(x.mem.emplace_back());
  }
  void fill(Ret& x) {
    if (random_.chance(30)) fill(x.name);
    fill(x.type);
    fill(x.unique);
  }
  void fill(DimSlice& x) {
    fill_fields(x);
    if (x.is_index) x = {.start = x.start};
  }
  void fill(Body& x) {
    for (int i = random_.below(depth_ == 0 ? 12 : 3); i > 0 && budget_ > 0; --i)
      fill(x.stmts.emplace_back());
    fill(x.result);
  }
  void fill(Stmt& x) {
    --budget_;
    ++depth_;
    fill(x.pat);
    fill(x.exp);
    if (random_.chance(20)) fill(x.tokens);
    if (random_.chance(20)) fill(x.hints);
    if (random_.chance(30)) fill(x.loc);
    --depth_;
  }
  void fill(Hints& x) { fill_fields(x); }
  void fill(Trace& x) {
    fill(x.wanted);
    if (x.wanted) fill(x.tag);
  }
  void fill(Exp& x) {
    int at = random_.below(static_cast<int>(std::variant_size_v<Exp>));
#define X(node) \
  if (at-- == 0) fill_fields(x.emplace<node>(node{}));
    SKALD_CORE_NODES(X)
#undef X
    // What there is none or one of.
    const auto at_most_one = [](auto& list) {
      if (list.size() > 1) list.erase(list.begin() + 1, list.end());
    };
    if (auto* e = as<Soac>(x)) at_most_one(e->post);
    if (auto* e = as<WithAcc>(x))
      for (AccInput& input : e->inputs) at_most_one(input.op);
    if (auto* e = as<Kernel>(x)) {
      at_most_one(e->post);
      for (Sink& sink : e->sinks) at_most_one(sink.op);
    }
    if (auto* e = as<Loop>(x)) {
      if (e->form == Loop::kFor) {
        e->cond = {};
      } else {
        e->var = {};
        e->bound = const_i64(0);
      }
    }
  }
  template <class T>
  void fill(std::vector<T>& x) {
    x.clear();
    for (int i = random_.below(4); i > 0; --i) fill(x.emplace_back());
  }
  template <class T>
  void fill(T& x) {
    fill_fields(x);
  }
  template <class T>
  void fill_fields(T& x) {
    std::apply([&](auto&... field) { (fill(field), ...); }, T::fields(x));
  }

  Random& random_;
  Program& prog_;
  std::vector<Name> names_;
  int budget_ = 0;
  int depth_ = 0;
};

}  // namespace

Program random_syntax(uint64_t seed, int size) {
  Random random(seed);
  Program prog;
  prog.stage = static_cast<Stage>(random.below(3));
  Filler filler(random, prog);
  for (int i = random.between(1, 3); i > 0; --i)
    filler.function(prog.functions.emplace_back(), size);
  return prog;
}

}  // namespace skald::core
