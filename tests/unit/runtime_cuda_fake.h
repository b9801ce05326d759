// SPDX-License-Identifier: Apache-2.0
// CUDA without a GPU: the functions of its driver, on the host's memory.  Commands run at once, and
// what a kernel does is a function of the test.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "runtime/cuda/cuda_driver.h"

namespace skald::runtime::cuda {

struct FakeNode {
  KernelNode launch;
  std::vector<uint64_t> args;
  MemsetNode fill = {};  // if there is no function
};
struct FakeGraph {
  std::vector<FakeNode*> nodes;
};

// One at a time.
struct FakeCuda {
  using Kernel = std::function<void(const std::string& name, const std::vector<uint64_t>& args)>;

  Kernel on_kernel;
  std::map<std::string, size_t> arg_counts;  // of kernels, by name
  int waits = 0, queries = 0, graph_launches = 0, plain_launches = 0, attributes = 0, contexts = 0;
  int live_graphs = 0, live_allocations = 0;
  Status on_load = kSuccess;
  bool endless = false;
  // Never unloaded: handles of functions are their names.
  std::map<std::string, std::string*> names;
};

inline FakeCuda& fake() {
  static FakeCuda state;
  return state;
}

inline std::vector<uint64_t> fake_args(Function function, void** args) {
  std::vector<uint64_t> values;
  const std::string& name = *reinterpret_cast<std::string*>(function);
  // Helpers have three, and so has every kernel of a test that says nothing else.
  const auto said = fake().arg_counts.find(name);
  const size_t count = name == "skald_seal"              ? 1
                       : name == "skald_report"          ? 6
                       : said == fake().arg_counts.end() ? 3
                                                         : said->second;
  for (size_t k = 0; k < count; ++k) {
    uint64_t value = 0;
    std::memcpy(&value, args[k], sizeof value);
    values.push_back(value);
  }
  return values;
}

inline void fake_run(Function function, const std::vector<uint64_t>& args) {
  const std::string& name = *reinterpret_cast<std::string*>(function);
  if (name == "skald_seal") {
    auto* record = reinterpret_cast<int64_t*>(args[0]);
    if (record[1] != 0) record[1] = 1;
  } else if (name == "skald_report") {
    auto* to = reinterpret_cast<char*>(args[0]);
    std::memcpy(to + kReportBytes, reinterpret_cast<const void*>(args[1]), args[2]);
    std::memcpy(to + kReportWords, reinterpret_cast<const void*>(args[3]), 8 * args[4]);
    if (!fake().endless)
      std::memcpy(to + kReportTicket, &++*reinterpret_cast<uint64_t*>(args[5]), 8);
  } else if (name.starts_with("skald_fill") || name.starts_with("skald_copy")) {
    const auto size = static_cast<size_t>(std::stoi(name.substr(10))) / 8;
    auto* to = reinterpret_cast<char*>(args[0]);
    for (size_t k = 0; k < args[1]; ++k)
      std::memcpy(to + k * size,
                  name[6] == 'f' ? reinterpret_cast<const char*>(&args[2])
                                 : reinterpret_cast<const char*>(args[2]) + k * size,
                  size);
  } else if (fake().on_kernel) {
    fake().on_kernel(name, args);
  }
}

inline void add_fake_commands(Api& api) {
  api.create_stream = [](Stream* stream, unsigned) {
    *stream = reinterpret_cast<Stream>(&fake());
    return kSuccess;
  };
  api.destroy_stream = [](Stream) { return kSuccess; };
  api.wait_for_stream = [](Stream) {
    ++fake().waits;
    return kSuccess;
  };
  api.query_stream = [](Stream) {
    ++fake().queries;
    return fake().endless ? kNotReady : kSuccess;
  };
  api.allocate = [](Address* memory, size_t bytes) {
    ++fake().live_allocations;
    *memory = reinterpret_cast<Address>(std::malloc(bytes));
    return kSuccess;
  };
  api.free = [](Address memory) {
    --fake().live_allocations;
    std::free(reinterpret_cast<void*>(memory));
    return kSuccess;
  };
  api.allocate_host = [](void** memory, size_t bytes, unsigned) {
    *memory = std::malloc(bytes);
    return kSuccess;
  };
  api.free_host = [](void* memory) {
    std::free(memory);
    return kSuccess;
  };
  api.write = [](Address to, const void* from, size_t bytes, Stream) {
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);
    return kSuccess;
  };
  api.read = [](void* to, Address from, size_t bytes, Stream) {
    std::memcpy(to, reinterpret_cast<void*>(from), bytes);
    return kSuccess;
  };
  api.copy = [](Address to, Address from, size_t bytes, Stream) {
    std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes);
    return kSuccess;
  };
  api.fill32 = [](Address to, unsigned bits, size_t count, Stream) {
    std::fill_n(reinterpret_cast<unsigned*>(to), count, bits);
    return kSuccess;
  };
  // Ordinary memory of the host.
  api.pointer_attribute = [](void*, int, Address) { return Status{1}; };
  api.create_event = [](Event* event, unsigned) {
    *event = reinterpret_cast<Event>(&fake());
    return kSuccess;
  };
  api.record_event = [](Event, Stream) { return kSuccess; };
  api.wait_for_event = [](Event) { return kSuccess; };
  api.destroy_event = [](Event) { return kSuccess; };
}

inline void add_fake_kernels(Api& api) {
  api.load_module = [](Module* module, const void*) {
    *module = reinterpret_cast<Module>(&fake());
    return fake().on_load;
  };
  api.unload_module = [](Module) { return kSuccess; };
  api.get_function = [](Function* function, Module, const char* name) {
    std::string*& kept = fake().names[name];
    if (kept == nullptr) kept = new std::string(name);
    *function = reinterpret_cast<Function>(kept);
    return kSuccess;
  };
  api.set_function_attribute = [](Function, int, int) {
    ++fake().attributes;
    return kSuccess;
  };
  api.launch = [](Function function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                  unsigned, Stream, void** args, void**) {
    ++fake().plain_launches;
    fake_run(function, fake_args(function, args));
    return kSuccess;
  };
  api.create_graph = [](Graph* graph, unsigned) {
    ++fake().live_graphs;
    *graph = reinterpret_cast<Graph>(new FakeGraph);
    return kSuccess;
  };
  api.destroy_graph = [](Graph graph) {
    --fake().live_graphs;
    auto* own = reinterpret_cast<FakeGraph*>(graph);
    for (const FakeNode* node : own->nodes) delete node;
    delete own;
    return kSuccess;
  };
  api.add_kernel_node = [](GraphNode* made, Graph graph, const GraphNode* before, size_t count,
                           const KernelNode* launch) {
    auto* own = reinterpret_cast<FakeGraph*>(graph);
    // Each must depend on the one before.
    const bool first = own->nodes.empty();
    if (count != (first ? 0U : 1U)) return Status{1};
    if (!first && before[0] != reinterpret_cast<GraphNode>(own->nodes.back())) return Status{1};
    own->nodes.push_back(new FakeNode{*launch, fake_args(launch->function, launch->args)});
    *made = reinterpret_cast<GraphNode>(own->nodes.back());
    return kSuccess;
  };
  api.add_memset_node = [](GraphNode* made, Graph graph, const GraphNode*, size_t,
                           const MemsetNode* fill, Context) {
    auto* own = reinterpret_cast<FakeGraph*>(graph);
    own->nodes.push_back(new FakeNode{{}, {}, *fill});
    *made = reinterpret_cast<GraphNode>(own->nodes.back());
    return kSuccess;
  };
  api.instantiate_graph = [](GraphExec* exec, Graph graph, unsigned long long) {
    *exec = reinterpret_cast<GraphExec>(graph);
    return kSuccess;
  };
  api.set_kernel_node = [](GraphExec, GraphNode node, const KernelNode* launch) {
    *reinterpret_cast<FakeNode*>(node) = {*launch, fake_args(launch->function, launch->args)};
    return kSuccess;
  };
  api.launch_graph = [](GraphExec exec, Stream) {
    ++fake().graph_launches;
    for (const FakeNode* node : reinterpret_cast<FakeGraph*>(exec)->nodes) {
      if (node->launch.function != nullptr)
        fake_run(node->launch.function, node->args);
      else
        std::fill_n(reinterpret_cast<unsigned*>(node->fill.to), node->fill.count, node->fill.value);
    }
    return kSuccess;
  };
  api.destroy_graph_exec = [](GraphExec) { return kSuccess; };
}

inline Api fake_api() {
  Api api;
  api.driver_version = [](int* version) {
    *version = 12040;
    return kSuccess;
  };
  api.error_string = [](Status, const char** text) {
    *text = "it does not fit";
    return kSuccess;
  };
  api.device_attribute = [](int* number, int, Ordinal) {
    *number = 9;
    return kSuccess;
  };
  api.device_count = [](int* count) {
    *count = 2;
    return kSuccess;
  };
  api.device_name = [](char* name, int size, Ordinal device) {
    std::snprintf(name, static_cast<size_t>(size), "Fake %c", 'A' + device);
    return kSuccess;
  };
  api.device_memory = [](size_t* bytes, Ordinal) {
    *bytes = size_t{1} << 30;
    return kSuccess;
  };
  api.retain_context = [](Context* context, Ordinal) {
    *context = reinterpret_cast<Context>(&fake());
    return kSuccess;
  };
  api.release_context = [](Ordinal) { return kSuccess; };
  api.set_context = [](Context) {
    ++fake().contexts;
    return kSuccess;
  };
  add_fake_commands(api);
  add_fake_kernels(api);
  return api;
}

}  // namespace skald::runtime::cuda
