// Memory spaces, layouts, orders, what `choose` decides and the enums of the dialect. No types, no ops.
#ifndef TILEC_TILE_ATTRS
#define TILEC_TILE_ATTRS

include "dialect/TileDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"

// What the attributes of ops may hold.
def Tile_TileShape : TypedArrayAttrBase<AnyAttrOf<[I64Attr, FlatSymbolRefAttr]>, "tile sizes: integers or parameters">;
def Tile_Params : TypedArrayAttrBase<FlatSymbolRefAttr, "names of parameters">;

class Tile_Attr<string name, string attrMnemonic, list<Trait> traits = []> : AttrDef<Tile_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Tile_Symmetric : Tile_Attr<"Symmetric", "symmetric"> {
  let summary = "memory space of buffers that every rank has at the same heap offset";
}

def Tile_Shared : Tile_Attr<"Shared", "shared"> {
  let summary = "memory space of LDS buffers, with the swizzle of their last two dimensions";
  let description = [{
    Element (row, col) lies at `row * cols + ((col / vector) ^ ((row / per_phase) % phases)) * vector + col % vector`.
    `#tile.shared<1, 1, 1>` is the plain row-major placement. A fourth number `fold` XORs the row with row / fold before: rows far from each
    other then differ as neighbours do. With `panel` the columns come in panels of so many, each with all rows, behind the one before; the
    placement is that of a panel.
  }];
  let parameters = (ins "int64_t":$vector, "int64_t":$perPhase, "int64_t":$phases,
                        DefaultValuedParameter<"int64_t", "0">:$fold, DefaultValuedParameter<"int64_t", "0">:$panel);
  let genVerifyDecl = 1;
  let assemblyFormat = "`<` $vector `,` $perPhase `,` $phases (`,` $fold^)? (`panel` $panel^)? `>`";
}

def Tile_Layout : Tile_Attr<"Layout", "layout"> {
  let summary = "linear layout of a tile over the registers of the lanes of the waves of a workgroup";
  let description = [{
    A linear map over GF(2): each list holds one basis per bit of the register, lane or wave index, a basis being a point
    of the tile; the place of an element is the XOR of the bases of its set bits. A zero basis replicates.
    Source: Triton's "Linear Layouts" (arXiv 2505.23819).

        #tile.layout<registers = [[0, 1], [0, 2]], lanes = [[1, 0], [2, 0]], waves = []>
  }];
  let parameters = (ins "unsigned":$rank, ArrayRefParameter<"int32_t">:$registers, ArrayRefParameter<"int32_t">:$lanes,
                        ArrayRefParameter<"int32_t">:$waves);
  let hasCustomAssemblyFormat = 1;
  let genMnemonicAlias = 1;
}

def Tile_Producer : Tile_Attr<"Producer", "producer"> {
  let summary = "waves behind those of a kernel that fill slots, and how the registers of a workgroup are shared out";
  let description = [{
    So many registers of 32 bits for each lane of the `waves` producing ones, and of the others, the `consumers`. 0 and 0 leave all waves
    what the device compiler gave them.

        #tile.producer<waves = 4, registers = 40, consumers = 232>
  }];
  let parameters = (ins "int64_t":$waves, "int64_t":$registers, "int64_t":$consumers);
  let genVerifyDecl = 1;
  let assemblyFormat = "`<` struct(params) `>`";
}

def Tile_Verified : Tile_Attr<"Verified", "verified"> {
  let summary = "what `verify` has proven of a program, and for which launches";
  let description = [{
    So many launches with each of the `samples` of the extents were unrolled. Those of `skipped` are beyond its budget. The program does not
    depend on the extents `any`. Other launches are proven too, but for what stands in

    - `limits`: nothing is claimed of an extent beyond its number here; -1 is no limit;
    - `drawn`: of these arguments, numbers, and with `draws_data` of data that is read as a number, samples draw some values;
    - `bounds_sampled`: indices of so many operations are in bounds for the samples alone;
    - `written_once`: of so many scatters it is assumed that no element is written twice;
    - `least` and `greatest`: what indices of tasks may be, where 32 bits do not hold it at all extents; the runtime refuses launches where they do not;
    - `nonzero`: the proof does not bear launches in which all extents of one of these sets are 0, and with `works_without_tasks`
      something is done outside of tasks, which a launch without tasks would leave out.

        #tile.verified<launches = 3, samples = [[200, 40], [40, 200]], any = [1]>
  }];
  let parameters = (ins "int64_t":$launches, ArrayRefParameter<"::mlir::DenseI64ArrayAttr">:$samples,
                        OptionalArrayRefParameter<"::mlir::DenseI64ArrayAttr">:$skipped,
                        OptionalArrayRefParameter<"int64_t">:$any, OptionalArrayRefParameter<"int64_t">:$limits,
                        OptionalArrayRefParameter<"int64_t">:$drawn, DefaultValuedParameter<"bool", "false">:$drawsData,
                        DefaultValuedParameter<"int64_t", "0">:$boundsSampled,
                        DefaultValuedParameter<"int64_t", "0">:$writtenOnce,
                        OptionalArrayRefParameter<"::mlir::DenseI64ArrayAttr">:$nonzero,
                        DefaultValuedParameter<"bool", "false">:$worksWithoutTasks,
                        OptionalParameter<"::mlir::AffineMapAttr">:$least,
                        OptionalParameter<"::mlir::AffineMapAttr">:$greatest);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// An error where it is the note of a program with another number of extents or arguments.
    ::llvm::LogicalResult verifyFor(::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError, int64_t extents,
                                    int64_t arguments) const;
  }];
}

// Orders: a list of steps, each a bijection of the tasks by construction, except `map`, which `verify` must prove.
def Tile_Remap : Tile_Attr<"Remap", "remap"> {
  let summary = "deals consecutive tasks to one chiplet: exact for any number of tasks";
  let description = [{
    The dispatcher hands workgroup i to chiplet i mod `chiplets`; the remap gives each chiplet a contiguous range of
    tasks, the first `tasks mod chiplets` chiplets one more.
  }];
  let parameters = (ins "int64_t":$chiplets);
  let genVerifyDecl = 1;
  let assemblyFormat = "`<` $chiplets `>`";
}
def Tile_Chunked : Tile_Attr<"Chunked", "chunked"> {
  let summary = "deals chunks of consecutive tasks to the chiplets in turn; the remainder keeps its place";
  let parameters = (ins "int64_t":$chiplets, "int64_t":$chunk);
  let genVerifyDecl = 1;
  let assemblyFormat = "`<` $chiplets `,` $chunk `>`";
}
def Tile_Grouped : Tile_Attr<"Grouped", "grouped"> {
  let summary = "walks the last two grid dimensions column-major in windows of `height` rows";
  let parameters = (ins "int64_t":$height);
  let genVerifyDecl = 1;
  let assemblyFormat = "`<` $height `>`";
}
def Tile_Diagonal : Tile_Attr<"Diagonal", "diagonal"> {
  let summary = "walks the last two grid dimensions by anti-diagonals, each from its first row down";
  let description = [{
    Tile (m, n) of diagonal d = m + n comes behind all tiles of earlier diagonals, among them those above it and to its left. Planes of further
    dimensions come one after the other. Bijective for every grid: the place of a tile is the number of tiles on earlier diagonals and, on its
    own, in rows above.

        tile.forall (%m, %n) in [%M ceildiv 64, %N ceildiv 64] order [#tile.diagonal] { ... }
  }];
}
def Tile_RankFirst : Tile_Attr<"RankFirst", "rank_first"> {
  let summary = "walks grid dimension `dim` from the part of rank + ahead on, which begins at (rank + ahead) * extent floordiv world";
  let description = [{
    Without `ahead` it starts at this rank's part; with 1 at that of the next rank, and this rank's comes last. With `backward` it walks from the
    same place in the other direction: over ranks, the one before this rank comes first, and this rank last.

    A rank that reads the parts of all ranks from its own on needs those of rank r as the (r - rank)-th. So rank r sends to those before it
    first, backward: each part arrives in the order in which its reader comes to it.
  }];
  let parameters = (ins "int64_t":$dim, DefaultValuedParameter<"int64_t", "0">:$ahead,
                        DefaultValuedParameter<"bool", "false">:$backward);
  let genVerifyDecl = 1;
  let assemblyFormat = "`<` $dim `` custom<Walk>($ahead, $backward) `>`";
}
def Tile_Permuted : Tile_Attr<"Permuted", "permuted"> {
  let summary = "walks the dimensions of the grid in another order, the last of `dims` fastest";
  let description = [{
    `#tile.permuted<1, 0>` walks a grid of (blocks, heads) head by head: consecutive tasks are blocks of one head. Bijective for every grid.
    It stands behind what deals tasks to chiplets, and without `grouped` and `diagonal`.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$dims);
  let genVerifyDecl = 1;
  let assemblyFormat = "`<` $dims `>`";
}
def Tile_Mapped : Tile_Attr<"Mapped", "mapped"> {
  let summary = "an order written as a formula over the task number; `verify` must prove it a bijection";
  let parameters = (ins "::mlir::AffineMap":$map);
  let genVerifyDecl = 1;
  let assemblyFormat = "`<` $map `>`";
}

def Tile_Order : TypedArrayAttrBase<AnyAttrOf<[Tile_Remap, Tile_Chunked, Tile_Grouped, Tile_Diagonal, Tile_RankFirst,
                                                Tile_Permuted, Tile_Mapped]>,
                                    "steps of an order">;

class Tile_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tilec::tile";
  let genSpecializedAttr = 0;
}
/// Its summary, which is what the generated verifiers say was expected, names the spellings.
class Tile_EnumAttr<EnumInfo info, string attrMnemonic> : EnumAttr<Tile_Dialect, info, attrMnemonic> {
  let summary = info.summary # ": " #
                !interleave(!foreach(case, info.enumerants, "'#tile<" # attrMnemonic # " " # case.str # ">'"), ", ");
  let assemblyFormat = "custom<Keyword>($value)";
}

def Tile_PatternKindEnum : Tile_Enum<"PatternKind", "how communication and computation share kernels", [
  I32EnumAttrCase<"Bulk", 0, "bulk">, I32EnumAttrCase<"Sequential", 1, "sequential">,
  I32EnumAttrCase<"Specialized", 2, "specialized">, I32EnumAttrCase<"ProducerConsumer", 3, "producer_consumer">]>;
def Tile_RemoteEnum : Tile_Enum<"Remote", "who moves remote data", [
  I32EnumAttrCase<"Any", 0, "any">, I32EnumAttrCase<"Pull", 1, "pull">, I32EnumAttrCase<"Push", 2, "push">,
  I32EnumAttrCase<"Staged", 3, "staged">, I32EnumAttrCase<"CopyEngine", 4, "copy_engine">]>;
def Tile_ShotsEnum : Tile_Enum<"Shots", "steps of an all-reduce", [
  I32EnumAttrCase<"One", 0, "one_shot">, I32EnumAttrCase<"Two", 1, "two_shot">]>;
def Tile_CoverageEnum : Tile_Enum<"Coverage", "how much of what a loop reads one wait covers", [
  I32EnumAttrCase<"Task", 0, "task">, I32EnumAttrCase<"Shard", 1, "shard">, I32EnumAttrCase<"Group", 2, "group">,
  I32EnumAttrCase<"Statement", 3, "statement">]>;
def Tile_OrderKindEnum : Tile_Enum<"OrderKind", "in which order the loops of a program walk their tasks", [
  I32EnumAttrCase<"Auto", 0, "auto">, I32EnumAttrCase<"None", 1, "none">, I32EnumAttrCase<"Remap", 2, "remap">,
  I32EnumAttrCase<"Chunked", 3, "chunked">, I32EnumAttrCase<"Grouped", 4, "grouped">,
  I32EnumAttrCase<"RankFirst", 5, "rank_first">, I32EnumAttrCase<"HeadFirst", 6, "head_first">,
  I32EnumAttrCase<"Diagonal", 7, "diagonal">]>;

// What `choose` decides. The command line spells each as its parts joined by '-': `sequential-push-two-shot`, `group-4`.
class Tile_Choice<string name, string attrMnemonic, string more = ""> : Tile_Attr<name, attrMnemonic> {
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// As the command line spells it.
    std::string spell() const;
    /// The attribute of a spelling; null where there is none.
    static }] # name # [{Attr ofSpelling(::mlir::MLIRContext *context, ::llvm::StringRef spelling);
    /// Why a spelling is none, for messages: what there is, and what may have been meant.
    static std::string refuse(::llvm::StringRef spelling);
    /// What a program has that names none.
    static }] # name # [{Attr getDefault(::mlir::MLIRContext *context);
  }] # more;
}

def Tile_Pattern : Tile_Choice<"Pattern", "pattern"> {
  let summary = "the overlap pattern: how communication and computation share kernels, and who moves remote data";
  let description = [{
        #tile.pattern<sequential>
        #tile.pattern<specialized, push, two_shot, credits>

    `bulk`: one kernel for each statement, a barrier between. `sequential`: one kernel, whose workgroups send tiles from registers.
    `specialized`: communication has workgroups of its own. `producer_consumer`: the same in two kernels that run at once, on two streams, each with the waves,
    registers and LDS of its own. `pull`: the consumer loads from the peer, where it needs the data; `push`: the
    owner stores to the peers; `staged`: a copy task loads from the peer into local memory; `copy_engine` (of `specialized`): the device's copy engine pushes
    what it can, arguments that nothing before has written, and waits for nothing; without any of them, whichever the buffers
    allow, push first: stores reach twice the aggregate bandwidth of loads. `two_shot`: an all-reduce as a reduce-scatter
    and an all-gather. `credits`: scratch that peers write has one copy, and a credit frees it before each launch's first write; else it
    has two copies.
  }];
  let parameters = (ins "PatternKind":$kind, "Remote":$remote, "Shots":$shots, "bool":$credits);
}
def Tile_Granularity : Tile_Choice<"Granularity", "granularity"> {
  let summary = "how much of what a loop reads one wait covers";
  let description = [{
    `#tile.granularity<task>`: one wait before the loop. `<shard>`: one for the iterations that read what one rank has produced. `<group, 4>`:
    one for those that read 4 tiles of the producer; `<tile>` is a group of one. A wait stands where the loop first
    needs what it covers, with the loads it protects. `<statement>`: one before the loop, on targets with chiplets for all tasks of a statement of this rank, which
    then count by chiplet.
  }];
  let parameters = (ins "Coverage":$coverage, "int64_t":$tiles);
}
def Tile_OrderRule : Tile_Choice<"OrderRule", "order", [{
    /// The size of the piece of a kind; nothing where the rule has none.
    std::optional<int64_t> sizeOf(OrderKind kind) const;
    bool has(OrderKind kind) const { return sizeOf(kind).has_value(); }
  }]> {
  let summary = "which orders the tile loops of a program get";
  let description = [{
    `#tile.order<auto, 4>`: products in windows of 4 rows, loops over peers from this rank on, and `head_first` where the target has chiplets; tasks that wait for those above and to the left
    of them by anti-diagonals. `<none>`: as numbered. `<remap>` and
    `<chunked, 16>` deal tasks, or chunks of 16, to the target's chiplets. `<grouped, 4>`: every loop of two dimensions in windows. `<diagonal>`: every one by anti-diagonals.
    `<rank_first>`: loops over peers, and over rows of which each rank has its part, from this rank's on, nothing else. `<head_first>`: loops whose
    tasks read the same tiles in their inner loops, as the blocks of rows of an attention head read its keys and values, head by head, the heads of a chiplet one after the other.

    Pieces may follow one another: `<chunked, 16 + grouped, 4>` deals chunks of 16 tasks, of which each is a part of a window of 4 rows. One deals out numbers (`remap`, `chunked`), one
    turns numbers into tiles (`grouped`, `diagonal`), `rank_first` comes last. `head_first` does the work of the first two, `auto` and `none` stand alone.
  }];
  let parameters = (ins ArrayRefParameter<"::tilec::tile::OrderPiece">:$pieces);
  let builders = [AttrBuilder<(ins "OrderKind":$kind, "int64_t":$size), [{
    return $_get($_ctxt, ::llvm::ArrayRef<OrderPiece>(OrderPiece{kind, size}));
  }]>];
}

def Tile_ScopeEnum : Tile_Enum<"Scope", "who must see the published stores", [
  I32EnumAttrCase<"Agent", 0, "agent">, I32EnumAttrCase<"System", 1, "system">]>;
def Tile_Scope : Tile_EnumAttr<Tile_ScopeEnum, "scope">;

def Tile_ParticipantsEnum : Tile_Enum<"Participants", "which threads wait or signal together", [
  I32EnumAttrCase<"Workgroup", 0, "workgroup">, I32EnumAttrCase<"Wave", 1, "wave">]>;
def Tile_Participants : Tile_EnumAttr<Tile_ParticipantsEnum, "participants">;

def Tile_ReductionEnum : Tile_Enum<"Reduction", "how elements are combined", [
  I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Maximum", 1, "maximum">, I32EnumAttrCase<"Minimum", 2, "minimum">,
  I32EnumAttrCase<"Product", 3, "product">, I32EnumAttrCase<"And", 4, "and">, I32EnumAttrCase<"Or", 5, "or">,
  I32EnumAttrCase<"Xor", 6, "xor">]>;
def Tile_Reduction : Tile_EnumAttr<Tile_ReductionEnum, "reduction">;

def Tile_AccumulationEnum : Tile_Enum<"Accumulation", "precision of the sums inside a matrix instruction", [
  I32EnumAttrCase<"Exact", 0, "exact">, I32EnumAttrCase<"Promoted", 1, "promoted">, I32EnumAttrCase<"Fast", 2, "fast">]>;
def Tile_Accumulation : Tile_EnumAttr<Tile_AccumulationEnum, "accumulation">;

def Tile_TurnEnum : Tile_Enum<"Turn", "when a role runs within a launch", [
  I32EnumAttrCase<"Each", 0, "each">, I32EnumAttrCase<"First", 1, "first">, I32EnumAttrCase<"Last", 2, "last">]>;
def Tile_Turn : Tile_EnumAttr<Tile_TurnEnum, "turn">;

def Tile_DealingEnum : Tile_Enum<"Dealing", "how the tasks of a kernel come to its workgroups", [
  I32EnumAttrCase<"Ticketed", 0, "ticketed">, I32EnumAttrCase<"Strided", 1, "strided">]>;
def Tile_Dealing : Tile_EnumAttr<Tile_DealingEnum, "dealing">;

def Tile_HalvesEnum : Tile_Enum<"Halves", "what the two halves of a workgroup's waves do at a time", [
  I32EnumAttrCase<"Together", 0, "together">, I32EnumAttrCase<"Alternating", 1, "alternating">]>;
def Tile_Halves : Tile_EnumAttr<Tile_HalvesEnum, "halves">;

def Tile_SideEnum : Tile_Enum<"GroupSide", "which waves of a workgroup do the tasks of a group, where one of the producer's has some of its own", [
  I32EnumAttrCase<"Sender", 0, "sender">, I32EnumAttrCase<"Others", 1, "others">]>;
def Tile_Side : Tile_EnumAttr<Tile_SideEnum, "side">;

def Tile_ScheduleKeyEnum : Tile_Enum<"ScheduleKey", "what a schedule says", [
  I32EnumAttrCase<"Waves", 0, "waves">, I32EnumAttrCase<"Slots", 1, "slots">, I32EnumAttrCase<"Depth", 2, "depth">,
  I32EnumAttrCase<"Instruction", 3, "instruction">, I32EnumAttrCase<"Dealing", 4, "dealing">,
  I32EnumAttrCase<"Split", 5, "split">, I32EnumAttrCase<"Swapped", 6, "swapped">,
  I32EnumAttrCase<"Behind", 7, "behind">, I32EnumAttrCase<"Halves", 8, "halves">,
  I32EnumAttrCase<"Pairs", 9, "pairs">]>;

def Tile_Schedule : Tile_Attr<"Schedule", "schedule"> {
  let summary = "how products run: what is decided of their loops over K";
  let description = [{
        #tile.schedule<slots = 4, chosen waves = 8, depth = 32, instruction = Mfma32x32x8, dealing = ticketed>

    | key | of the loops |
    |---|---|
    | `waves` | that share a tile of a product, without those of a producer |
    | `slots` | of the ring in LDS that operands go through |
    | `depth` | columns of the operands in a step |
    | `instruction` | matrix instruction, as target files name it |
    | `dealing` | how tasks come to workgroups: `ticketed`, or `strided` by their numbers |
    | `split` | tasks that share a tile, each with a part of the depth; 1: none |
    | `swapped` | `true`: tiles are made as those of the transpose |
    | `behind` | of a split product, tiles that are one task's each: those behind them alone are shared |
    | `halves` | of the waves: `together`, each access beside products; or `alternating`, where one half computes while the other reads and copies |
    | `pairs` | `true`: two workgroups, of tiles one below the other, each copy half of what both read of the right operand |

    What stands before `chosen` was given, by the author or by `--schedule=slots=4`: a stage that cannot do it reports an error. What
    stands behind was taken by `choose`, by the model of the loop's clocks: a stage does as much of it as fits. What is absent is left
    to the stages.

    A program's is for all its products. A `tile.matmul`, `tile.forall` or `tile.role` may have one of its own, whose keys take the place of the program's; there
    `choose` writes what it takes. What was given counts before what was chosen, of the innermost first. For `split`, `behind` and `swapped` a product has words of the
    same names, which give way to the program's keys; `depth` is of a `tile.matmul` alone, and `instruction` of the whole program. Products that share a kernel
    have its waves and its dealing, whatever was chosen for each; where different ones were given, that is an error.

        tile.matmul %x, transpose %w into %y attributes {schedule = #tile.schedule<waves = 4, slots = 4>} : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::Attribute">:$values, "unsigned":$chosen);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// One that says nothing.
    static ScheduleAttr getEmpty(::mlir::MLIRContext *context);
    /// That of `KEY=VALUE,KEY=VALUE`, all of it given; null, and why, where it is none.
    static ScheduleAttr ofSpelling(::mlir::MLIRContext *context, ::llvm::StringRef spelling, std::string &why);
    /// As the command line spells what was given.
    std::string spellGiven() const;

    /// Null where the schedule leaves the key open.
    ::mlir::Attribute valueOf(ScheduleKey key) const { return getValues()[static_cast<unsigned>(key)]; }
    bool isChosen(ScheduleKey key) const { return getChosen() >> static_cast<unsigned>(key) & 1; }
    bool isGiven(ScheduleKey key) const { return valueOf(key) && !isChosen(key); }
    /// The value of a key whose values are numbers.
    std::optional<int64_t> numberOf(ScheduleKey key) const;
    std::optional<int64_t> givenNumber(ScheduleKey key) const;
    /// The instruction that was given; empty where none was.
    ::llvm::StringRef givenInstruction() const;

    /// Whether it was given that halves of waves alternate.
    bool alternatesHalves() const;

    bool hasGiven() const;
    /// The same where nothing was chosen.
    ScheduleAttr withoutChosen() const;
    /// The same with a value that is chosen for a key that is open.
    ScheduleAttr withChosen(ScheduleKey key, ::mlir::Attribute value) const;
    /// The same with what `other` was given in the place of what this has.
    ScheduleAttr withGivenOf(ScheduleAttr other) const;
    /// The same, open where `other` was given something.
    ScheduleAttr withoutGivenOf(ScheduleAttr other) const;
    /// The same, with what `other` says of keys that are open here.
    ScheduleAttr over(ScheduleAttr other) const;
  }];
}

def Tile_ProgressEnum : Tile_Enum<"Progress", "how many workgroups have to be resident for a kernel to end", [
  I32EnumAttrCase<"Any", 0, "any">, I32EnumAttrCase<"Resident", 1, "resident">, I32EnumAttrCase<"All", 2, "all">]>;
def Tile_Progress : Tile_EnumAttr<Tile_ProgressEnum, "progress">;

def Tile_HandshakeEnum : Tile_Enum<"Handshake", "what ranks tell each other at the edges of a launch", [
  I32EnumAttrCase<"Entered", 0, "entered">, I32EnumAttrCase<"Done", 1, "done">,
  I32EnumAttrCase<"Consumed", 2, "consumed">]>;
def Tile_Handshake : Tile_EnumAttr<Tile_HandshakeEnum, "handshake">;

def Tile_PeerUseEnum : Tile_Enum<"PeerUse", "what other ranks do with a buffer of this rank", [
  I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Read", 1, "read">, I32EnumAttrCase<"Write", 2, "write">,
  I32EnumAttrCase<"Both", 3, "both">]>;
def Tile_PeerUse : Tile_EnumAttr<Tile_PeerUseEnum, "peer_use">;

#endif
