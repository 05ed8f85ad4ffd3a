// What the instructions of RoleProgram.h compute. Wraps where int64_t ends.
#pragma once

#include "passes/checker/RoleProgram.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace tilec::checker {

/// Whether the right operand must not be 0.
inline bool dividesBy(Code code) { return code >= Code::DivSigned && code <= Code::FloorMod; }

inline int64_t wrap(uint64_t value) { return static_cast<int64_t>(value); }

/// `value` as a slot holds an integer of `bits` bits, fewer than 64.
inline int64_t narrow(int64_t value, uint8_t bits) { return bits == 1 ? value & 1 : llvm::SignExtend64(value, bits); }

/// Of one of the codes from DivSigned to FloorMod; `right` is not 0.
inline int64_t divide(Code code, int64_t left, int64_t right) {
  // The smallest number by -1 traps.
  if (right == -1)
    return code == Code::RemSigned || code == Code::FloorMod ? 0 : wrap(-uint64_t(left));
  switch (code) {
  case Code::DivSigned:
    return left / right;
  case Code::RemSigned:
    return left % right;
  case Code::FloorDiv:
    return llvm::divideFloorSigned(left, right);
  case Code::CeilDiv:
    return llvm::divideCeilSigned(left, right);
  default:
    return left - llvm::divideFloorSigned(left, right) * right;
  }
}

/// `left code right` for the codes with two operands and a result; where it divides, `right` is not 0.
inline int64_t compute(Code code, int64_t left, int64_t right) {
  switch (code) {
  case Code::Add:
    return wrap(uint64_t(left) + uint64_t(right));
  case Code::Sub:
    return wrap(uint64_t(left) - uint64_t(right));
  case Code::Mul:
    return wrap(uint64_t(left) * uint64_t(right));
  case Code::Max:
    return std::max(left, right);
  case Code::Min:
    return std::min(left, right);
  case Code::And:
    return left & right;
  case Code::Or:
    return left | right;
  case Code::Xor:
    return left ^ right;
  case Code::ShiftLeft:
    return wrap(uint64_t(left) << (right & 63));
  case Code::ShiftRight:
    return left >> (right & 63);
  case Code::Equal:
    return left == right;
  case Code::NotEqual:
    return left != right;
  case Code::Less:
    return left < right;
  case Code::LessEqual:
    return left <= right;
  default:
    return divide(code, left, right);
  }
}

} // namespace tilec::checker
