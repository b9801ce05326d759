// SPDX-License-Identifier: Apache-2.0
// libskald for C++17 and later: skald.h with owners, typed elements and errors as values.
//
//   skald::Context context = skald::Context::open().value();
//   skald::Program program = context.program_from_file("sum.fut").value();
//   skald::Array xs = skald::Array::from(context, std::vector<float>{1, 2, 3}).value();
//   std::vector<skald::Array> results = program.call("main", {xs}).value();
//
// Every step gives a Result: a value, or an Error.  value() throws the Error if there is one; ask
// first
// (`if (result)`) where that must not happen.
#ifndef SKALD_SKALD_HPP
#define SKALD_SKALD_HPP

#include <cstdint>
#include <exception>
#include <functional>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "skald/skald.h"

namespace skald {

// What went wrong.  The members are those of skald_error.
class Error : public std::exception {
 public:
  Error(skald_status status, std::string text, std::string code, std::string place)
      : status_(status), text_(std::move(text)), code_(std::move(code)), place_(std::move(place)) {}
  // Of the last call in this thread.
  static Error last() {
    const skald_error* error = skald_last_error();
    return {error->status, error->text, error->code, error->place};
  }

  skald_status status() const { return status_; }
  const std::string& text() const { return text_; }
  const std::string& code() const { return code_; }
  const std::string& place() const { return place_; }
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  skald_status status_;
  std::string text_, code_, place_;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state_.index() == 0; }
  T& value() & {
    if (const Error* error = std::get_if<1>(&state_)) throw *error;
    return *std::get_if<0>(&state_);
  }
  // Of a temporary the value itself.
  T value() && { return std::move(value()); }
  // Only if there is one.
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

namespace detail {

// The skald_type of a C++ type; there is none for others.
template <class T>
struct TypeOf;
template <>
struct TypeOf<bool> : std::integral_constant<skald_type, SKALD_BOOL> {};
template <>
struct TypeOf<int8_t> : std::integral_constant<skald_type, SKALD_I8> {};
template <>
struct TypeOf<int16_t> : std::integral_constant<skald_type, SKALD_I16> {};
template <>
struct TypeOf<int32_t> : std::integral_constant<skald_type, SKALD_I32> {};
template <>
struct TypeOf<int64_t> : std::integral_constant<skald_type, SKALD_I64> {};
template <>
struct TypeOf<uint8_t> : std::integral_constant<skald_type, SKALD_U8> {};
template <>
struct TypeOf<uint16_t> : std::integral_constant<skald_type, SKALD_U16> {};
template <>
struct TypeOf<uint32_t> : std::integral_constant<skald_type, SKALD_U32> {};
template <>
struct TypeOf<uint64_t> : std::integral_constant<skald_type, SKALD_U64> {};
template <>
struct TypeOf<float> : std::integral_constant<skald_type, SKALD_F32> {};
template <>
struct TypeOf<double> : std::integral_constant<skald_type, SKALD_F64> {};

// Owns a handle: frees it at the end.
template <class Handle, skald_status (*free_handle)(Handle)>
class Owner {
 public:
  explicit Owner(Handle handle) : handle_(handle) {}
  Owner(Owner&& other) noexcept : handle_(std::exchange(other.handle_, Handle{0})) {}
  Owner& operator=(Owner&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  ~Owner() {
    if (handle_.id != 0) free_handle(handle_);
  }
  Handle get() const { return handle_; }

 private:
  Handle handle_;
};

}  // namespace detail

class Program;

class Context {
 public:
  static Result<Context> open(const skald_context_options& options = skald_context_defaults()) {
    skald_context handle{};
    if (skald_context_new(&options, &handle) != SKALD_OK) return Error::last();
    return Context(handle);
  }

  Result<Program> program_from_file(const std::string& path) const;
  Result<Program> program_from_text(const std::string& language, const std::string& name,
                                    const std::string& text) const;
  Result<Program> program_from_image(const std::vector<unsigned char>& image) const;

  Result<std::monostate> finish() const {
    if (skald_context_finish(get()) != SKALD_OK) return Error::last();
    return std::monostate{};
  }
  // The events since the last call; the options must have asked for them.
  Result<std::vector<skald_event>> events() const {
    std::vector<skald_event> all;
    for (;;) {
      constexpr size_t kMany = 256;
      const size_t before = all.size();
      all.resize(before + kMany);
      size_t count = 0;
      if (skald_profile_read(get(), all.data() + before, kMany, &count) != SKALD_OK)
        return Error::last();
      all.resize(before + count);
      if (count < kMany) return all;
    }
  }
  skald_context get() const { return owner_.get(); }

 private:
  explicit Context(skald_context handle) : owner_(handle) {}
  detail::Owner<skald_context, skald_context_free> owner_;
};

// Elements in row-major order; a scalar has no dimensions.
class Array {
 public:
  // Takes over a handle.
  explicit Array(skald_array handle) : owner_(handle) {}

  // Copies elements to where the context wants them.
  template <class T>
  static Result<Array> from(const Context& context, const T* data,
                            const std::vector<int64_t>& shape) {
    skald_array handle{};
    if (skald_array_from_host(context.get(), detail::TypeOf<T>::value,
                              static_cast<int>(shape.size()), shape.data(), data,
                              &handle) != SKALD_OK)
      return Error::last();
    return Array(handle);
  }
  template <class T>
  static Result<Array> from(const Context& context, const std::vector<T>& elements) {
    return from(context, elements.data(), {static_cast<int64_t>(elements.size())});
  }
  template <class T>
  static Result<Array> scalar(const Context& context, T value) {
    return from(context, &value, {});
  }

  // Copies the elements to the host.
  template <class T>
  Result<std::vector<T>> to_vector() const {
    skald_array_info info{};
    if (skald_array_describe(get(), &info) != SKALD_OK) return Error::last();
    if (info.type != detail::TypeOf<T>::value)
      return Error(SKALD_BAD_TYPE,
                   std::string("the array has elements of type ") + skald_type_name(info.type), "",
                   "");
    std::vector<T> elements(static_cast<size_t>(info.bytes) / sizeof(T));
    if (skald_array_read(get(), elements.data(), static_cast<size_t>(info.bytes)) != SKALD_OK)
      return Error::last();
    return elements;
  }
  template <class T>
  Result<T> to_scalar() const {
    Result<std::vector<T>> elements = to_vector<T>();
    if (!elements) return elements.error();
    if (elements.value().size() != 1) return Error(SKALD_BAD_SHAPE, "this is not a scalar", "", "");
    return elements.value()[0];
  }
  Result<std::vector<int64_t>> shape() const {
    skald_array_info info{};
    if (skald_array_describe(get(), &info) != SKALD_OK) return Error::last();
    return std::vector<int64_t>(info.shape, info.shape + info.rank);
  }
  Result<Array> copy(skald_space space) const {
    skald_array handle{};
    if (skald_array_copy(get(), space, &handle) != SKALD_OK) return Error::last();
    return Array(handle);
  }
  Result<Array> rows(int64_t first, int64_t count) const {
    skald_array handle{};
    if (skald_array_rows(get(), first, count, &handle) != SKALD_OK) return Error::last();
    return Array(handle);
  }
  Result<Array> reshape(const std::vector<int64_t>& shape) const {
    skald_array handle{};
    if (skald_array_reshape(get(), static_cast<int>(shape.size()), shape.data(), &handle) !=
        SKALD_OK)
      return Error::last();
    return Array(handle);
  }
  // The next call that takes this array may overwrite it, and frees it.
  Result<std::monostate> give() const {
    if (skald_array_give(get()) != SKALD_OK) return Error::last();
    return std::monostate{};
  }
  skald_array get() const { return owner_.get(); }

 private:
  detail::Owner<skald_array, skald_array_free> owner_;
};

class Program {
 public:
  explicit Program(skald_program handle) : owner_(handle) {}

  // Arguments must belong to the context of the program.
  Result<std::vector<Array>> call(
      const std::string& entry,
      std::initializer_list<std::reference_wrapper<const Array>> args) const {
    std::vector<skald_array> inputs;
    for (const Array& arg : args) inputs.push_back(arg.get());
    return call(entry, inputs);
  }
  Result<std::vector<Array>> call(const std::string& entry,
                                  const std::vector<skald_array>& inputs) const {
    Result<size_t> outputs = output_count(entry);
    if (!outputs) return outputs.error();
    std::vector<skald_array> results(outputs.value());
    if (skald_call(get(), entry.c_str(), inputs.data(), inputs.size(), results.data(),
                   results.size()) != SKALD_OK)
      return Error::last();
    std::vector<Array> arrays;
    for (const skald_array result : results) arrays.emplace_back(result);
    return arrays;
  }
  Result<std::vector<unsigned char>> image() const {
    const void* bytes = nullptr;
    size_t count = 0;
    if (skald_program_image(get(), &bytes, &count) != SKALD_OK) return Error::last();
    const auto* begin = static_cast<const unsigned char*>(bytes);
    return std::vector<unsigned char>(begin, begin + count);
  }
  skald_program get() const { return owner_.get(); }

 private:
  Result<size_t> output_count(const std::string& entry) const {
    size_t count = 0;
    if (skald_program_entry_count(get(), &count) != SKALD_OK) return Error::last();
    for (size_t k = 0; k < count; ++k) {
      skald_entry_info info{};
      if (skald_program_entry(get(), k, &info) != SKALD_OK) return Error::last();
      if (entry == info.name) return info.outputs;
    }
    return Error(SKALD_BAD_ARGUMENT, "the program has no entry point `" + entry + "`", "", "");
  }

  detail::Owner<skald_program, skald_program_free> owner_;
};

inline Result<Program> Context::program_from_file(const std::string& path) const {
  skald_program handle{};
  if (skald_program_from_file(get(), path.c_str(), &handle) != SKALD_OK) return Error::last();
  return Program(handle);
}

inline Result<Program> Context::program_from_text(const std::string& language,
                                                  const std::string& name,
                                                  const std::string& text) const {
  skald_program handle{};
  if (skald_program_from_text(get(), language.c_str(), name.c_str(), text.c_str(), &handle) !=
      SKALD_OK)
    return Error::last();
  return Program(handle);
}

inline Result<Program> Context::program_from_image(const std::vector<unsigned char>& image) const {
  skald_program handle{};
  if (skald_program_from_image(get(), image.data(), image.size(), &handle) != SKALD_OK)
    return Error::last();
  return Program(handle);
}

}  // namespace skald

#endif  // SKALD_SKALD_HPP
