// Waves that do nothing but fill the slots of a kernel's stream.
// Belongs here: whether a kernel may have them. Does not: what the stream becomes (StreamLoop).
#pragma once

#include "dialect/Tile.h"
#include "passes/machine/Target.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilec::schedule {

/// The producer that a kernel may have for one of its loops: it runs ahead into later tasks, so that nobody writes what
/// it copies but those it waits for, and waves meet where the text says so alone. Null where it may have none.
tile::ProducerAttr producerFor(mlir::scf::ForOp loop, mlir::ArrayRef<mlir::Value> copied, const Target &target);

/// The same with registers for waits, where the waves of a kernel give each other theirs; null where consumers have
/// none left then.
tile::ProducerAttr withWaits(tile::ProducerAttr producer, tile::KernelOp kernel, const Target &target);

/// Registers of 32 bits that a lane has for a tile; none for what is no tile.
int64_t registersOf(mlir::Type type);

/// Registers that a lane of a kernel's consumers has.
int64_t consumerRegisters(tile::KernelOp kernel, const Target &target);

/// How workgroups with a producer get their tasks: by number where no task tells or waits, and none does what the last
/// of several does; else drawn by the producer.
tile::Dealing dealingFor(tile::KernelOp kernel, const Target &target);

} // namespace tilec::schedule
