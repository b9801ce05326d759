// SPDX-License-Identifier: Apache-2.0
#include "driver/values/data_file.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include "driver/words.h"
#include "runtime/values/value_writer.h"

namespace skald::driver {

using runtime::Value;
using runtime::ValueReader;

namespace {

class OpenFile {
 public:
  explicit OpenFile(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~OpenFile() {
    if (fd_ >= 0) ::close(fd_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

Failure<std::string> cannot_open(const std::string& path) {
  return Failure(fmt::format("cannot open the data file `{}`", path));
}

// zlib's reader takes files that are not compressed as they are, so they must be told apart here.
Result<std::string> decompress(const std::string& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return cannot_open(path);
  std::string bytes;
  char chunk[1 << 16];
  int got = 0;
  bool compressed = true;
  while ((got = gzread(file, chunk, sizeof chunk)) > 0) {
    compressed = compressed && gzdirect(file) == 0;
    bytes.append(chunk, static_cast<size_t>(got));
  }
  int status = Z_OK;
  const char* text = gzerror(file, &status);
  std::string problem = got < 0 || status != Z_OK ? std::string(text) : "";
  // A file that ends too early is noticed only here.
  if (gzclose_r(file) == Z_BUF_ERROR && problem.empty()) problem = "it ends too early";
  if (problem.empty() && !compressed) problem = "it is not compressed with gzip";
  if (!problem.empty()) return Failure(fmt::format("cannot decompress `{}`: {}", path, problem));
  return bytes;
}

// Calls `read` with a reader of the file.
template <class Read>
Result<std::vector<Value>> with_reader(const std::string& path, const Read& read) {
  if (path.ends_with(".gz")) {
    const Result<std::string> bytes = decompress(path);
    if (!bytes) return bytes.failure();
    return read(ValueReader(std::string_view(*bytes)));
  }
  const OpenFile file(path);
  if (file.fd() < 0) return cannot_open(path);
  return read(ValueReader(file.fd()));
}

}  // namespace

Result<std::string> read_bytes(const std::string& path) {
  if (path.ends_with(".gz")) return decompress(path);
  const OpenFile file(path);
  if (file.fd() < 0) return cannot_open(path);
  std::string bytes;
  char chunk[1 << 16];
  ssize_t got = 0;
  while ((got = ::read(file.fd(), chunk, sizeof chunk)) > 0)
    bytes.append(chunk, static_cast<size_t>(got));
  if (got < 0) return Failure(fmt::format("cannot read `{}`", path));
  return bytes;
}

Result<std::vector<Value>> read_values(ValueReader reader) {
  std::vector<Value> values;
  while (!reader.at_end()) {
    Result<Value, runtime::ReadError> value = reader.read();
    if (!value) return Failure(value.error().text());
    values.push_back(std::move(*value));
  }
  return values;
}

Result<std::vector<Value>> read_value_file(const std::string& path) {
  return with_reader(path, [](ValueReader reader) { return read_values(std::move(reader)); });
}

Result<std::vector<Value>> read_values(ValueReader reader,
                                       const std::vector<compile::PlainType>& types) {
  std::vector<Value> values;
  for (const compile::PlainType& type : types) {
    if (reader.at_end()) break;
    Result<Value, runtime::ReadError> value = reader.read(type.type, type.rank);
    if (!value) return Failure(value.error().text());
    values.push_back(std::move(*value));
  }
  if (values.size() != types.size() || !reader.at_end())
    return Failure(fmt::format("expected {}, but there {}", count_text(types.size(), "value"),
                               values.size() == types.size() ? "are more"
                               : values.size() == 1          ? "is only 1"
                                                    : fmt::format("are only {}", values.size())));
  return values;
}

Result<std::vector<Value>> read_value_file(const std::string& path,
                                           const std::vector<compile::PlainType>& types) {
  return with_reader(path,
                     [&](ValueReader reader) { return read_values(std::move(reader), types); });
}

Result<Unit> write_value_file(const std::string& path, const std::vector<Value>& values) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return Failure(fmt::format("cannot write the data file `{}`", path));
  runtime::Output out(fd);
  for (const Value& value : values) write_binary(out, value);
  Result<Unit> written = out.flush();
  ::close(fd);
  return written;
}

}  // namespace skald::driver
