// SPDX-License-Identifier: Apache-2.0
#include "driver/object.h"

#include "driver/words.h"
#include "support/bug.h"

namespace skald::driver {

namespace {

std::string plain_type_text(const core::Type& type) {
  std::string text;
  for (int d = 0; d < type.rank(); ++d) text += "[]";
  return text + std::string(prim_name(type.elem));
}

std::vector<std::string> slots_of(const std::string& name, const core::Type& type) {
  std::vector<std::string> slots;
  if (type.is_scalar()) return {fmt::format("{} : {}", name, prim_name(type.elem))};
  slots.push_back(fmt::format("{} : {}, a block", name, plain_type_text(type)));
  for (int d = 0; d < type.rank(); ++d) slots.push_back(fmt::format("{} : dimension {}", name, d));
  return slots;
}

std::string slot_comment(const core::Function& fn) {
  std::string text;
  const auto add = [&](std::string_view array, const std::vector<std::string>& slots) {
    for (size_t k = 0; k < slots.size(); ++k)
      text += fmt::format("//   {}[{}]  {}\n", array, k, slots[k]);
  };
  std::vector<std::string> in, out;
  for (size_t k = 0; k < fn.params.size(); ++k) {
    const bool size = k < static_cast<size_t>(fn.entry->sizes);
    for (std::string& slot :
         slots_of(fmt::format("{} {}", size ? "size" : "argument",
                              size ? k : k - static_cast<size_t>(fn.entry->sizes)),
                  fn.params[k].type))
      in.push_back(std::move(slot));
  }
  for (size_t k = 0; k < fn.results.size(); ++k)
    for (std::string& slot : slots_of(fmt::format("result {}", k), fn.results[k].type))
      out.push_back(std::move(slot));
  add("in", in);
  add("out", out);
  return text;
}

template <class Values>
std::string json_values(const Values& values, int skip) {
  std::string text;
  for (size_t k = static_cast<size_t>(skip); k < values.size(); ++k)
    text += fmt::format("{}{{\"type\": {}, \"unique\": {}}}", text.empty() ? "" : ", ",
                        json_text(plain_type_text(values[k].type)), values[k].unique);
  return "[" + text + "]";
}

}  // namespace

std::string header_text(const compile::ObjectCode& object, const core::Program& prog,
                        const std::string& name, const std::string& file) {
  std::string text = fmt::format(
      "// Made by skald from {}.  Every entry point is a SkaldEntry; see runtime/abi.h.\n"
      "#pragma once\n\n#include \"runtime/abi.h\"\n\n#ifdef __cplusplus\nextern \"C\" "
      "{{\n#endif\n\n",
      file);
  for (const compile::ObjectCode::Entry& entry : object.entries) {
    const core::Function* fn = prog.find_entry(entry.name);
    SKALD_CHECK(fn != nullptr, "code for the unknown entry point {}", entry.name);
    text += fmt::format("// Entry point `{}`:\n{}", entry.name, slot_comment(*fn));
    text += fmt::format("int32_t {}(SkaldContext* ctx, const int64_t* in, int64_t* out);\n\n",
                        entry.symbol);
  }
  text += fmt::format(
      "#ifdef __cplusplus\n}}\n#endif\n\n"
      "// What went wrong, by the id given to skald_rt_fail; {{0}} stands for the first value.\n"
      "static const char* const {}_messages[] = {{\n",
      name);
  for (const compile::ObjectCode::Message& message : object.messages)
    text += fmt::format("    {},\n", json_text(message.text));
  text += "    0,\n};\n";
  return text;
}

std::string manifest_text(const compile::ObjectCode& object, const core::Program& prog,
                          const std::string& name) {
  std::string text =
      fmt::format("{{\n  \"backend\": \"cpu\",\n  \"object\": {},\n  \"entry_points\": {{",
                  json_text(name + ".o"));
  const char* comma = "";
  for (const compile::ObjectCode::Entry& entry : object.entries) {
    const core::Function* fn = prog.find_entry(entry.name);
    text += fmt::format(
        "{}\n    {}: {{\"symbol\": {}, \"sizes\": {}, \"inputs\": {}, \"result_sizes\": {}, "
        "\"outputs\": {}}}",
        comma, json_text(entry.name), json_text(entry.symbol), fn->entry->sizes,
        json_values(fn->params, fn->entry->sizes), fn->entry->result_sizes,
        json_values(fn->results, fn->entry->result_sizes));
    comma = ",";
  }
  text += "\n  },\n  \"failures\": [";
  comma = "";
  for (const compile::ObjectCode::Message& message : object.messages) {
    text +=
        fmt::format("{}\n    {{\"text\": {}, \"at\": {}, \"in\": {}}}", comma,
                    json_text(message.text), json_text(message.place), json_text(message.function));
    comma = ",";
  }
  text += "\n  ],\n  \"params\": [";
  comma = "";
  for (const std::string& param : object.params) {
    text += comma + json_text(param);
    comma = ", ";
  }
  return text + "]\n}\n";
}

}  // namespace skald::driver
