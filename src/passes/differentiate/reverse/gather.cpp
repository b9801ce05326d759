// SPDX-License-Identifier: Apache-2.0
#include "passes/differentiate/reverse/gather.h"

namespace skald::passes::ad {

Operand in_bounds(const std::vector<Operand>& indices, const std::vector<Operand>& shape,
                  Emit& out) {
  Operand inside = const_bool(true);
  for (size_t d = 0; d < indices.size(); ++d) {
    inside = out.both(inside, out.cmp(CmpOpKind::kLe, Prim::kI64, const_i64(0), indices[d]));
    inside = out.both(inside, out.cmp(CmpOpKind::kLt, Prim::kI64, indices[d], shape[d]));
  }
  return inside;
}

Operand gather(Name array, const std::vector<Operand>& indices, const std::vector<Operand>& shape,
               Emit& out) {
  std::vector<DimSlice> slice;
  for (const Operand& index : indices) slice.push_back(at_index(index));
  Session& session = out.session();
  Type part = session.type_of(array);
  part.shape = slice_shape(part, slice);
  If node;
  node.cond = in_bounds(indices, shape, out);
  Emit yes(session, out.loc()), no(session, out.loc());
  Name found = yes.index(array, slice);
  if (part.is_array()) found = yes.let1(part, Copy{found}, "copied");
  node.then_body = yes.finish({found});
  const Operand none = no.zero(part);
  node.else_body = no.finish({none});
  return out.let1(part, std::move(node), "got");
}

}  // namespace skald::passes::ad
