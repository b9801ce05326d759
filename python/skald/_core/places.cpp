// SPDX-License-Identifier: Apache-2.0
// A place is a code object and an instruction in it, found when a node is recorded; which line that
// is, is only asked when something goes wrong.
#include "places.h"

#include <string_view>
#include <vector>

namespace skald::python {

namespace {

struct Place {
  PyCodeObject* code = nullptr;  // owned: an address is not used again for other code
  int instruction = 0;
  bool is_own = false;  // in this package, or in NumPy
};

// Numbers of places by what they are; never more than half full.
class Places {
 public:
  // 0: there are too many.
  uint32_t number_of(PyCodeObject* code, int instruction) {
    uint64_t hash = (reinterpret_cast<uint64_t>(code) >> 4 ^ static_cast<uint64_t>(instruction)) *
                    0x9fb21c651e98df25ULL;
    for (size_t at = hash >> kShift;; at = (at + 1) % kSlots) {
      const uint32_t number = slots_[at];
      if (number == 0) return add(at, code, instruction);
      const Place& known = places_[number];
      if (known.code == code && known.instruction == instruction) return number;
    }
  }
  const Place& operator[](uint32_t number) const { return places_[number]; }
  void set_folder(std::string folder) { folder_ = std::move(folder); }

 private:
  static constexpr int kShift = 50;
  static constexpr size_t kSlots = size_t{1} << (64 - kShift);

  uint32_t add(size_t slot, PyCodeObject* code, int instruction) {
    if (places_.size() > kSlots / 2) return 0;
    Place& place = places_.emplace_back();
    place.code =
        reinterpret_cast<PyCodeObject*>(Ref::borrowed(reinterpret_cast<PyObject*>(code)).release());
    place.instruction = instruction;
    const char* file = PyUnicode_AsUTF8(code->co_filename);
    if (!file) PyErr_Clear();
    const std::string_view path = file ? file : "";
    place.is_own = path.starts_with(folder_) || path.find("numpy/_core") != path.npos;
    slots_[slot] = static_cast<uint32_t>(places_.size() - 1);
    return slots_[slot];
  }

  std::vector<uint32_t> slots_ = std::vector<uint32_t>(kSlots);
  std::vector<Place> places_{1};
  std::string folder_;
};
Places& places() {
  static auto* const all = new Places;
  return *all;
}

uint32_t number_of(PyFrameObject* frame) {
  PyCodeObject* code = PyFrame_GetCode(frame);
  const uint32_t number = places().number_of(code, PyFrame_GetLasti(frame));
  Py_DECREF(code);
  return number;
}

uint32_t place_now() {
  PyFrameObject* frame = PyEval_GetFrame();
  if (!frame) return 0;
  uint32_t number = number_of(frame);
  if (!places()[number].is_own) return number;
  Py_INCREF(frame);
  while (frame && places()[number].is_own) {
    PyFrameObject* const caller = PyFrame_GetBack(frame);
    Py_DECREF(frame);
    frame = caller;
    number = frame ? number_of(frame) : 0;
  }
  Py_XDECREF(reinterpret_cast<PyObject*>(frame));
  return number;
}

int line_of(const Place& place) {
  return PyCode_Addr2Line(place.code, place.instruction);
}

PyObject* text_of(const Place& place) {
  return PyUnicode_FromFormat("File \"%U\", line %d, in %U", place.code->co_filename,
                              line_of(place), place.code->co_name);
}

}  // namespace

uint32_t place_in_script() {
  return place_now();
}

PyObject* file_of(uint32_t place) {
  const Place& known = places()[place];
  return known.code ? Ref::borrowed(known.code->co_filename).release() : PyUnicode_FromString("?");
}

int line_of(uint32_t place) {
  const Place& known = places()[place];
  return known.code ? line_of(known) : 0;
}

void note_places(const std::string& folder) {
  places().set_folder(folder);
  lazy::place_of_new_nodes = place_now;
}

void tell_places(const Node* node) {
  const uint32_t here = place_now();
  if (node->place == 0 || node->place == here) return;
  const Place& recorded = places()[node->place];
  const Place& run = places()[here];
  if (run.code == recorded.code && line_of(run) == line_of(recorded)) return;
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  if (trace) PyException_SetTraceback(value, trace);
  Ref was(text_of(recorded)), is(here == 0 ? PyUnicode_FromString("the end") : text_of(run));
  Ref text(was && is ? PyUnicode_FromFormat("recorded at %U\nrun at %U", was.get(), is.get())
                     : nullptr);
  Ref done(text ? PyObject_CallMethod(value, "add_note", "O", text.get()) : nullptr);
  PyErr_Clear();
  PyErr_Restore(type, value, trace);
}

}  // namespace skald::python
