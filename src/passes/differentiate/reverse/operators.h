// SPDX-License-Identifier: Apache-2.0
// Operators of reductions, scans and histograms that have rules of their own.
#pragma once

#include "passes/differentiate/base/session.h"

namespace skald::passes::ad {

// *, min or max of two numbers.
std::optional<BinOpKind> simple_operator(const Operator& op);

// ȳ times the product of all other elements, for each element of an array of `width` numbers.
Name product_cotangents(const Operand& width, Name array, const Operand& bar, Emit& out);

// A number and what the rules for products must know of it.
struct ProductPart {
  Operand nonzero;  // itself, or 1 for 0
  Operand zeros;    // 1 for 0, or 0
};
ProductPart product_part(const Operand& x, Prim type, Emit& out);
// The derivative of a product by one factor.
Operand product_slope(const ProductPart& factor, const Operand& nonzero_product,
                      const Operand& zeros, Prim type, Emit& out);
// (p, z) of products without zeros and numbers of zeros.
Operator product_operator(Session& session, Prim type);

// ȳ for the first element that is the minimum or maximum, 0 for the others.
Name extreme_cotangents(const Operand& width, Name array, const Operator& op, BinOpKind kind,
                        const Operand& bar, Emit& out);
// min or max of pairs of a value and its number; of equal values the one with the smaller number.
Operator extreme_operator(Session& session, const Operator& op, BinOpKind kind, Prim type);

}  // namespace skald::passes::ad
