// What passes ask of ops, so that no pass lists op names.
#ifndef TILEC_TILE_INTERFACES
#define TILEC_TILE_INTERFACES

include "mlir/IR/OpBase.td"

def Tile_AccessOpInterface : OpInterface<"AccessOpInterface"> {
  let cppNamespace = "::tilec::tile";
  let description = [{
    An access to one tile of a buffer, on this rank or another. The footprint in dimension d is
    [first(d), first(d) + size(d)) clipped to the view, with first = index * size for tile coordinates and
    first = index for element offsets. In the dimension of `getEachDim` it is all of the view.
  }];
  let methods = [
    InterfaceMethod<"The buffer or view.", "::mlir::Value", "getAccessedBuffer">,
    InterfaceMethod<"Tile coordinates or element offsets, one per dimension of the buffer; a tile of indices in that of "
                    "`getEachDim`.",
                    "::mlir::OperandRange", "getAccessIndices">,
    InterfaceMethod<"True when the indices are element offsets.", "bool", "hasElementOffsets">,
    InterfaceMethod<"Rank whose copy is addressed; null for this rank's.", "::mlir::Value", "getAccessRank">,
    InterfaceMethod<"Extent of the tile in each dimension of the buffer; 1 in leading dimensions that the tile lacks, "
                    "`kWholeDimension` in that of `getEachDim`, kDynamic before `specialize`.",
                    "::llvm::SmallVector<int64_t>", "getFootprintShape">,
    InterfaceMethod<"True for loads and atomics.", "bool", "readsBuffer">,
    InterfaceMethod<"True for stores and atomics.", "bool", "writesBuffer">,
    InterfaceMethod<"What two accesses to one element share if they commute, as atomics of one kind; null where it commutes with none.",
                    "::mlir::Attribute", "getCommutation", (ins), "", "return {};">,
    InterfaceMethod<"Tokens this access comes after.", "::mlir::MutableOperandRange", "getAfterTokensMutable">,
    InterfaceMethod<"The dimension of the buffer whose elements a tile of indices names; none of most accesses.",
                    "::std::optional<unsigned>", "getEachDim", (ins), "", "return ::std::nullopt;">,
  ];
  let extraClassDeclaration = [{
    /// More than any dimension has: the part of a footprint that lies in the view is all of it.
    static constexpr int64_t kWholeDimension = ::std::numeric_limits<int32_t>::max();
    /// Whether a tile of indices names the elements of a dimension.
    bool isEach(size_t dim) { return getEachDim() && *getEachDim() == dim; }
    /// Whether it makes no difference which of two accesses to one element comes first.
    bool commutesWith(AccessOpInterface other) {
      ::mlir::Attribute shared = getCommutation();
      return shared && shared == other.getCommutation();
    }
    /// Extent in each dimension of the buffer of the tile that is moved.
    ::llvm::SmallVector<int64_t> getMovedShape();
  }];
}

def Tile_ShapedOpInterface : OpInterface<"ShapedOpInterface"> {
  let cppNamespace = "::tilec::tile";
  let description = "An operation whose attribute `tile` says the sizes of the tile that it makes.";
  let methods = [
    InterfaceMethod<"Integers or parameters, one per dimension.", "::mlir::ArrayAttr", "getTileAttr">,
    InterfaceMethod<"Other sizes; the type of the result is the caller's.", "void", "setTileAttr",
                    (ins "::mlir::ArrayAttr":$tile)>,
  ];
}

def Tile_ScheduledOpInterface : OpInterface<"ScheduledOpInterface"> {
  let cppNamespace = "::tilec::tile";
  let description = [{
    What may have a schedule: a program, or a statement or role of it, whose keys take the place of the program's. `scheduleOf`
    asks for an operation inside.
  }];
  let methods = [
    InterfaceMethod<"What is said or decided of the loops here; null where nothing is.", "::tilec::tile::ScheduleAttr", "getScheduleAttr">,
    InterfaceMethod<"Another one, or none.", "void", "setScheduleAttr", (ins "::tilec::tile::ScheduleAttr":$schedule)>,
  ];
}

def Tile_CollectiveOpInterface : OpInterface<"CollectiveOpInterface"> {
  let cppNamespace = "::tilec::tile";
  let description = [{
    A statement that moves whole buffers between ranks, perhaps adding them up. An end that has parts holds one part for
    each rank, side by side along one dimension; the other end is then such a part, or has parts too.
  }];
  let methods = [
    InterfaceMethod<"What every rank gives.", "::mlir::Value", "getSource">,
    InterfaceMethod<"What every rank receives.", "::mlir::Value", "getDestination">,
    InterfaceMethod<"Sizes of the tiles that tasks move, where the author gave them.", "::std::optional<::mlir::ArrayAttr>",
                    "getTiles">,
    InterfaceMethod<"The dimension along which parts lie; none where neither end has any.", "::std::optional<uint64_t>",
                    "getPartsDim">,
    InterfaceMethod<"True when the source has a part for each rank.", "bool", "hasPartsInSource">,
    InterfaceMethod<"True when the destination has a part of each rank.", "bool", "hasPartsInDestination">,
    InterfaceMethod<"True when what several ranks give is added up.", "bool", "reduces">,
    InterfaceMethod<"True when an end may lie in the other: the whole of it, or this rank's part of an end with parts.",
                    "bool", "worksInPlace">,
  ];
  let verify = "return ::llvm::cast<::tilec::tile::CollectiveOpInterface>($_op).verifyEnds();";
  let extraClassDeclaration = [{
    /// What holds for the ends of every collective: ranks, element types, extents that agree, and how they may overlap.
    ::llvm::LogicalResult verifyEnds();
  }];
}

#endif
