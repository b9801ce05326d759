// SPDX-License-Identifier: Apache-2.0
// What a program does besides computing: steps that the caller of a program takes in order.
//
// Core has no effects.  A form that reads files or asks for the time is cut at these places: what
// lies between them are entry points, the order of all is a script.  Values between the steps lie
// in numbered slots, each of which holds one value of core.
//
// A script travels with its program as a text: the type of the first result of the entry point
// "form script".
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace skald::frontend {

struct ScriptStep {
  enum Kind : uint8_t {
    kEntry,      // calls the entry point `name`
    kOperation,  // does what `name` says: "read", "clock", …
    kCall,       // runs the script's function `name`
    kIf,         // args[0] says whether `then` or `otherwise` is run
    kCopy,       // from args to results
    kValue,      // gets the value of an earlier form, by its name
  };
  Kind kind = kEntry;
  std::string name = {};
  std::vector<int> args = {}, results = {};
  // kEntry: the first results are a length and a text to print; it takes the random seed as its
  // last argument and gives the next one as its last result.
  bool prints = false, takes_seed = false;
  std::vector<ScriptStep> then = {}, otherwise = {};
};

struct ScriptFunction {
  std::vector<int> params = {}, results = {};  // slots
  int slots = 0;
  std::vector<ScriptStep> steps = {};
  // Of a form: the names of its values, and how many slots each has.
  std::vector<std::pair<std::string, int>> values = {};
};

struct Script {
  std::map<std::string, ScriptFunction> functions = {};  // "form 3", and those that forms call
};

// Words and numbers between spaces; a space in a name is written ~.
class ScriptWriter {
 public:
  static std::string text(const Script& script) {
    ScriptWriter writer;
    writer.count(script.functions.size());
    for (const auto& [name, function] : script.functions) writer.function(name, function);
    return writer.text_;
  }

 private:
  void count(size_t number) { text_ += std::to_string(number) + ' '; }
  void word(std::string name) {
    for (char& c : name)
      if (c == ' ') c = '~';
    text_ += name + ' ';
  }
  void slots(const std::vector<int>& numbers) {
    count(numbers.size());
    for (const int number : numbers) count(static_cast<size_t>(number));
  }
  void function(const std::string& name, const ScriptFunction& function) {
    word(name);
    slots(function.params);
    slots(function.results);
    count(static_cast<size_t>(function.slots));
    steps(function.steps);
    count(function.values.size());
    for (const auto& [value, parts] : function.values) {
      word(value);
      count(static_cast<size_t>(parts));
    }
  }
  void steps(const std::vector<ScriptStep>& all) {
    count(all.size());
    for (const ScriptStep& step : all) {
      count(step.kind);
      word(step.name.empty() ? "-" : step.name);
      slots(step.args);
      slots(step.results);
      count(step.prints ? 1 : 0);
      count(step.takes_seed ? 1 : 0);
      steps(step.then);
      steps(step.otherwise);
    }
  }
  std::string text_;
};

// Reads what ScriptWriter wrote.
class ScriptReader {
 public:
  static Script script(const std::string& text) {
    ScriptReader reader(text);
    Script script;
    for (size_t k = reader.count(); k > 0; --k) {
      const std::string name = reader.word();
      script.functions[name] = reader.function();
    }
    return script;
  }

 private:
  explicit ScriptReader(const std::string& text) : text_(text) {}
  std::string word() {
    const size_t end = text_.find(' ', at_);
    std::string name = text_.substr(at_, end - at_);
    at_ = end + 1;
    for (char& c : name)
      if (c == '~') c = ' ';
    return name;
  }
  size_t count() { return std::stoul(word()); }
  int slot() { return static_cast<int>(count()); }
  std::vector<int> slots() {
    std::vector<int> numbers(count());
    for (int& number : numbers) number = slot();
    return numbers;
  }
  ScriptFunction function() {
    ScriptFunction function;
    function.params = slots();
    function.results = slots();
    function.slots = slot();
    function.steps = steps();
    for (size_t k = count(); k > 0; --k) {
      std::string value = word();
      function.values.emplace_back(std::move(value), slot());
    }
    return function;
  }
  std::vector<ScriptStep> steps() {
    std::vector<ScriptStep> all(count());
    for (ScriptStep& step : all) {
      step.kind = static_cast<ScriptStep::Kind>(count());
      step.name = word();
      step.args = slots();
      step.results = slots();
      step.prints = count() != 0;
      step.takes_seed = count() != 0;
      step.then = steps();
      step.otherwise = steps();
    }
    return all;
  }
  const std::string& text_;
  size_t at_ = 0;
};

}  // namespace skald::frontend
