// Tiles that are combined element by element run over dimensions that name one extent. What collectives and products
// need of whole buffers is theirs.
#pragma once

#include "llvm/Support/LogicalResult.h"

namespace tilec::tile {
class ForallOp;
class MatmulOp;

/// Reports tiles of one task that are combined, stored or contracted at one index, of dimensions that name different
/// extents which no condition relates. A tile reads zero beside its view, so that the sizes need not be equal: a
/// condition such as `%K <= %N` says that this is meant.
llvm::LogicalResult verifyAgreement(ForallOp statement);

/// The same of tiles that an epilogue loads at the rows and columns of its product.
llvm::LogicalResult verifyAgreement(MatmulOp product);

} // namespace tilec::tile
