// The command line of `tilec`.
#include "codegen/tilec/Options.h"
#include "dialect/Suggestion.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/WithColor.h"

using namespace tilec;
using llvm::StringRef;
using llvm::Twine;
namespace cl = llvm::cl;

static cl::SubCommand runCommand("run",
                                 "Run a program on the CPU and compare it with the oracle. Exit status: 0 right, 1 "
                                 "wrong or an error, 2 too weak a bound to judge, 3 not comparable, 4 "
                                 "undetermined");
static cl::SubCommand verifyCommand("verify", "Check a program: races, deadlock, waits that nothing satisfies, bounds");
static cl::SubCommand explainCommand("explain", "Say which pattern, waits and order are chosen, and why");
static cl::SubCommand launchCommand("launch",
                                    "Start n processes of an application, with TILEC_RANK and TILEC_WORLD set");
static cl::SubCommand tuneCommand("tune",
                                  "Time the best candidates of a program on a GPU and keep the fastest in a file");

static cl::SubCommand traceCommand("trace", "Make a timeline for Perfetto of what launches recorded");
static cl::SubCommand doctorCommand("doctor", "Say what this machine lacks for ranks on its GPUs");

static cl::OptionCategory category("tilec options");

// Options of every subcommand that reads a program.
#define TILEC_PROGRAM_COMMANDS                                                                                         \
  cl::cat(category), cl::sub(cl::SubCommand::getTopLevel()), cl::sub(runCommand), cl::sub(verifyCommand),              \
      cl::sub(explainCommand), cl::sub(tuneCommand)
static cl::opt<std::string> input(cl::Positional, cl::desc("<program.mlir>"), cl::init("-"), TILEC_PROGRAM_COMMANDS);
static cl::opt<std::string> target("target", cl::desc("Machine to compile for (default gfx942)"),
                                   cl::value_desc("name"), cl::init(kDefaultTarget), TILEC_PROGRAM_COMMANDS);
static cl::opt<int64_t> world("world",
                              cl::desc("Number of ranks (default: the program's; 2 in run and explain if it has none)"),
                              cl::value_desc("n"), cl::init(0), TILEC_PROGRAM_COMMANDS);
static cl::opt<std::string>
    pattern("pattern",
            cl::desc("Overlap pattern: bulk, sequential, specialized or producer-consumer, then optionally -pull, "
                     "-push, -staged or -copy-engine, then "
                     "-one-shot or -two-shot, then -credits, as in specialized-push-two-shot (default: chosen)"),
            cl::value_desc("name"), TILEC_PROGRAM_COMMANDS);
static cl::opt<std::string> granularity(
    "granularity",
    cl::desc("What one wait covers: tile, group-<n> or shard of a loop, task or statement (default: chosen)"),
    cl::value_desc("name"), TILEC_PROGRAM_COMMANDS);
static cl::opt<std::string> order(
    "order",
    cl::desc(
        "Order of tiles: auto, none, remap, chunked, grouped, diagonal, rank-first or head-first, with a size as in "
        "grouped-8, or several, as in remap+grouped-8 (default auto)"),
    cl::value_desc("name"), TILEC_PROGRAM_COMMANDS);
static cl::opt<std::string>
    schedule("schedule",
             cl::desc("How products run, as in --schedule=waves=8,slots=2: waves, slots, depth, instruction, dealing, "
                      "split, swapped, behind, halves or pairs of their loops over K (default: chosen)"),
             cl::value_desc("KEY=VALUE,.."), TILEC_PROGRAM_COMMANDS);
static cl::list<Binding> parameters("param",
                                    cl::desc("Value of a tile parameter, as in --param BM=128,BN=64 (default: chosen)"),
                                    cl::value_desc("NAME=VALUE"), cl::CommaSeparated, TILEC_PROGRAM_COMMANDS);
static cl::list<Binding>
    extents("extent", cl::desc("Extent fixed when compiling, as in --extent M=4096,N=512 (default: known at launch)"),
            cl::value_desc("NAME=VALUE"), cl::CommaSeparated, TILEC_PROGRAM_COMMANDS);
static cl::opt<bool> timing("timing", cl::desc("Print the time of each stage"), TILEC_PROGRAM_COMMANDS);

static cl::opt<std::string> tuned("tuned",
                                  cl::desc("File of `tilec tune`: what was fastest on the target's device with these "
                                           "extents is chosen"),
                                  cl::value_desc("file.json"), TILEC_PROGRAM_COMMANDS);

// Options of compilation alone.
static cl::opt<std::string> output("o", cl::desc("Folder for <program>.hip, .h and .json (default: this one)"),
                                   cl::value_desc("folder"), cl::init("."), cl::cat(category),
                                   cl::sub(cl::SubCommand::getTopLevel()), cl::sub(runCommand));
static cl::opt<std::string> package("package",
                                    cl::desc("Folder to which the programs are added, with code for the GPU of the "
                                             "target, and where all in it become a Python wheel (docs/python.md)"),
                                    cl::value_desc("folder"), cl::cat(category));
static cl::opt<bool> emulated("emulated", cl::desc("With --package: code for the emulator"), cl::cat(category));
static cl::opt<std::string> until("until", cl::desc("Stop after this stage and print the program"),
                                  cl::value_desc("stage"), cl::cat(category));
static cl::opt<std::string>
    from("from",
         cl::desc("Begin with this stage: the program is what --until of the one before prints. Its waits are checked "
                  "again. 'print' is behind the last, and asks for --no-verify"),
         cl::value_desc("stage"), cl::cat(category));
static cl::opt<std::string> emit("emit",
                                 cl::desc("Print one output instead of writing files: hip, header, manifest or mlir"),
                                 cl::value_desc("kind"), cl::cat(category));
static cl::opt<bool> locations("locations", cl::desc("End each statement of the text with its place in the program"),
                               cl::cat(category));

static cl::opt<bool> trace("trace", cl::desc("Launches record their tasks, waits and signals (docs/trace.md)"),
                           cl::cat(category));

static cl::opt<bool> noVerify("no-verify", cl::desc("Skip the checker: for experiments with programs that it rejects"),
                              cl::cat(category), cl::sub(cl::SubCommand::getTopLevel()), cl::sub(runCommand));

// Options of `verify`.
static cl::opt<bool> minimal("minimal", cl::desc("Report waits, signals and published tokens that are not needed"),
                             cl::cat(category), cl::sub(verifyCommand));
static cl::opt<std::string> manifest("manifest",
                                     cl::desc("Repeat the proof of a manifest from the kernel form that it holds"),
                                     cl::value_desc("file.json"), cl::cat(category), cl::sub(verifyCommand));

// Options of `run`.
static cl::opt<uint64_t>
    seed("seed", cl::desc("Seed of inputs, drawn extents and, with --shuffle, of the order of workgroups (default 1)"),
         cl::init(1), cl::cat(category), cl::sub(runCommand));
static cl::opt<unsigned> seeds("seeds",
                               cl::desc("Run with this many seeds, one after the other, until one fails (default 1)"),
                               cl::value_desc("n"), cl::init(1), cl::cat(category), cl::sub(runCommand));
static cl::opt<bool> race("race",
                          cl::desc("Report conflicting accesses that no signal, barrier or kernel boundary orders"),
                          cl::cat(category), cl::sub(runCommand));
static cl::opt<bool> shuffle("shuffle", cl::desc("Run workgroups in a random order that the seed repeats"),
                             cl::cat(category), cl::sub(runCommand));
static cl::opt<unsigned> launches("launches", cl::desc("Number of launches (default 1)"), cl::value_desc("n"),
                                  cl::init(1), cl::cat(category), cl::sub(runCommand));
static cl::opt<bool> queued("queued", cl::desc("Queue all launches before waiting for any"), cl::cat(category),
                            cl::sub(runCommand));
static cl::opt<bool> skewed("skewed", cl::desc("Let one rank run ahead of the others by whole launches"),
                            cl::cat(category), cl::sub(runCommand));
static cl::opt<std::string>
    memory("memory",
           cl::desc("Memory of the emulator: strong (the default), or weak, which needs every release and acquire"),
           cl::value_desc("strong|weak"), cl::init("strong"), cl::cat(category), cl::sub(runCommand));
static cl::opt<std::string>
    landing("landing",
            cl::desc("When copies to LDS that pass no register land: latest (the default), where they are awaited; "
                     "earliest, where they are issued; or seeded, as --seed says"),
            cl::value_desc("latest|earliest|seeded"), cl::init("latest"), cl::cat(category), cl::sub(runCommand));
static cl::list<std::string> extentsFrom("extents-from",
                                         cl::desc("Draw extents that are not given from these at each launch"),
                                         cl::value_desc("n,n,.."), cl::CommaSeparated, cl::cat(category),
                                         cl::sub(runCommand));
static cl::list<std::string> inputs(
    "input",
    cl::desc("Argument from a file, as in --input a=x.npy; {rank} and {launch} are replaced by their numbers. Its "
             "shape gives extents that --extent does not"),
    cl::value_desc("NAME=FILE"), cl::cat(category), cl::sub(runCommand));
static cl::list<std::string> outputs("save",
                                     cl::desc("Argument to a file after the last launch, as in --save c=y-{rank}.npy"),
                                     cl::value_desc("NAME=FILE"), cl::cat(category), cl::sub(runCommand));
static cl::opt<bool>
    device("device",
           cl::desc("Run on the GPUs of this machine, one process for each rank of --world (1), instead "
                    "of emulated ranks: takes nvcc, and makes sm_90a the default target (docs/device.md)"),
           cl::cat(category), cl::sub(runCommand));
static cl::opt<std::string> kit("prepare",
                                cl::desc("Folder for all that a run on the GPU of another machine takes, which needs "
                                         "no tilec; programs are added to those that are there"),
                                cl::value_desc("folder"), cl::cat(category), cl::sub(runCommand), cl::sub(tuneCommand));
static cl::opt<std::string>
    judged("judge",
           cl::desc("Kit that has run there: the oracle follows what its launches left. With the "
                    "options it was prepared with"),
           cl::value_desc("folder"), cl::cat(category), cl::sub(runCommand));
static cl::opt<unsigned> relaunches("relaunches",
                                    cl::desc("With --device: launches and replays in a random order of their extents, "
                                             "after one of each (default 100)"),
                                    cl::value_desc("n"), cl::init(100), cl::cat(category), cl::sub(runCommand));
static cl::opt<unsigned> deadline("deadline",
                                  cl::desc("With --device: seconds after which a wait in a kernel fails (default 60); "
                                           "0 lets it wait for ever"),
                                  cl::value_desc("s"), cl::init(60), cl::cat(category), cl::sub(runCommand));

// Options of `tune`.
static cl::opt<std::string> tuneFrom("from", cl::desc("Read the times of a kit that ran on the machine with the GPU"),
                                     cl::value_desc("folder"), cl::cat(category), cl::sub(tuneCommand));
static cl::opt<unsigned> candidates("candidates", cl::desc("Candidates that are timed, at most (default 12)"),
                                    cl::value_desc("n"), cl::init(12), cl::cat(category), cl::sub(tuneCommand));

static cl::opt<std::string> text("text", cl::desc("Run this HIP text, an edited copy of the generated one"),
                                 cl::value_desc("file.hip"), cl::cat(category), cl::sub(runCommand));
static cl::opt<double>
    tolerance("tolerance",
              cl::desc("Judge floats by this part of the largest magnitude of their argument (default: by the oracle's "
                       "bounds)"),
              cl::value_desc("x"), cl::cat(category), cl::sub(runCommand));
static cl::opt<int> computeUnits("units",
                                 cl::desc("Compute units of an emulated device (default 4, or more where a "
                                          "kernel needs them)"),
                                 cl::value_desc("n"), cl::init(4), cl::cat(category), cl::sub(runCommand));
static cl::opt<int> resident("resident", cl::desc("Workgroups that a compute unit holds (default 1)"),
                             cl::value_desc("n"), cl::init(1), cl::cat(category), cl::sub(runCommand));
static cl::opt<int> workgroups("workgroups", cl::desc("Workgroups of a launch (default: as many as are resident)"),
                               cl::value_desc("n"), cl::init(0), cl::cat(category), cl::sub(runCommand));

static cl::opt<std::string>
    timeline("trace", cl::desc("Record tasks, waits and signals of the launches, and write a timeline for Perfetto"),
             cl::value_desc("file.json"), cl::cat(category), cl::sub(runCommand));

// Options of `trace`.
static cl::list<std::string> traces(cl::Positional, cl::desc("<rank.json>..."), cl::cat(category),
                                    cl::sub(traceCommand));
static cl::opt<std::string> traceOutput("o", cl::desc("The timeline (default: trace.json)"),
                                        cl::value_desc("file.json"), cl::init("trace.json"), cl::cat(category),
                                        cl::sub(traceCommand));

/// Ends the program: values that llvm::cl cannot check.
[[noreturn]] static void reject(const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), "tilec") << message << "\n";
  std::exit(1);
}

/// One value for each name: two could only contradict.
static void rejectTwice(StringRef what, const cl::list<Binding> &given) {
  llvm::StringSet<> names;
  for (const Binding &binding : given)
    if (!names.insert(binding.name).second)
      reject(what + " '" + binding.name + "' is given twice");
}

/// What only emulated ranks have, or only a GPU, must not be taken for the other's.
static void rejectOthersMachine() {
  if (tuneCommand)
    return;
  if (int(device) + !kit.empty() + !judged.empty() > 1)
    reject(
        "--device runs on this machine, --prepare writes what another one runs, --judge reads what it left: give one "
        "of them");
  if (!device && kit.empty() && judged.empty()) {
    if (relaunches.getNumOccurrences())
      reject("--relaunches is an option of --device");
    if (deadline.getNumOccurrences())
      reject("--deadline is an option of --device: on emulated ranks a wait ends when nothing can satisfy it");
    return;
  }
  const cl::Option *emulated[] = {&race,    &shuffle,  &queued,       &skewed,     &memory,
                                  &landing, &resident, &computeUnits, &workgroups, std::addressof(outputs),
                                  &timing,  &timeline};
  for (const cl::Option *option : emulated)
    if (option->getNumOccurrences())
      reject("--" + option->ArgStr + " is an option of emulated ranks: a run on a GPU does nothing with it");
}

/// A kit is prepared, or its times are read; else the GPU is here.
static void rejectTune() {
  if (!tuneCommand)
    return;
  if (!kit.empty() && !tuneFrom.empty())
    reject("--prepare writes a kit, --from reads what it timed: give one of them");
  if (!kit.empty() && !tuned.empty())
    reject("--prepare times nothing yet: --tuned has no meaning with it");
  if (kit.empty() && tuned.empty())
    reject("no --tuned: the fastest choices would be lost");
  if (candidates == 0)
    reject("0 candidates, expected at least 1");
}

static std::vector<int64_t> drawnExtents() {
  std::vector<int64_t> numbers;
  for (StringRef text : extentsFrom)
    if (text.getAsInteger(10, numbers.emplace_back()))
      reject("--extents-from: '" + text + "' is no number, expected extents of 0 or more, as in --extents-from 1,7,40");
  return numbers;
}

static RunOptions runOptions() {
  constexpr unsigned mostLaunches = 1000000, mostUnits = 4096;
  if (launches == 0 || launches > mostLaunches)
    reject(Twine(launches) + " launches, expected at least 1 and at most " + Twine(mostLaunches));
  if (seeds == 0)
    reject("0 seeds, expected at least 1");
  if (resident < 1 || computeUnits < 1 || resident > int(mostUnits) || computeUnits > int(mostUnits))
    reject("an emulated device has at least 1 compute unit, which holds at least 1 workgroup, and at most " +
           Twine(mostUnits) + " of either");
  if (workgroups < 0)
    reject("a launch of " + Twine(workgroups) + " workgroups, expected 0 or more");
  if (tolerance.getNumOccurrences() && !(tolerance >= 0 && std::isfinite(tolerance.getValue())))
    reject("a tolerance of " + Twine(std::to_string(tolerance.getValue())) + ", expected a number of at least 0");
  RunOptions run;
  if (tolerance.getNumOccurrences())
    run.tolerance = tolerance;
  run.seed = seed;
  run.launches = launches;
  run.queued = queued;
  run.timing = timing;
  run.text = text;
  run.device = device || !kit.empty() || !judged.empty();
  run.kit = kit;
  run.judged = judged;
  run.relaunches = relaunches;
  run.deadline = deadline;
  run.extentsFrom = drawnExtents();
  run.inputs.assign(inputs.begin(), inputs.end());
  run.outputs.assign(outputs.begin(), outputs.end());
  run.machine.orderSeed = shuffle ? seed.getValue() : 0;
  run.machine.computeUnits = computeUnits;
  run.machine.grows = !computeUnits.getNumOccurrences() && !resident.getNumOccurrences();
  run.machine.resident = resident;
  run.machine.workgroups = workgroups;
  run.machine.skewed = skewed;
  run.machine.race = race;
  run.machine.weak = memory == "weak";
  if (memory != "weak" && memory != "strong")
    reject("unknown memory '" + memory + "', expected strong or weak" + didYouMean(memory, {"strong", "weak"}));
  if (landing != "latest" && landing != "earliest" && landing != "seeded")
    reject("unknown landing '" + landing + "', expected latest, earliest or seeded" +
           didYouMean(landing, {"latest", "earliest", "seeded"}));
  run.machine.landing = landing == "latest"     ? CopyLanding::Latest
                        : landing == "earliest" ? CopyLanding::Earliest
                                                : CopyLanding::Seeded;
  return run;
}

static cl::opt<int> ranks("n", cl::desc("Number of ranks (default 1)"), cl::value_desc("n"), cl::init(1),
                          cl::cat(category), cl::sub(launchCommand));
// No cl::Positional: with it the application's own options would be taken for tilec's.
static cl::list<std::string> application(cl::desc("[arguments...]"), cl::ConsumeAfter, cl::cat(category),
                                         cl::sub(launchCommand));
static cl::opt<std::string> applicationName(cl::Positional, cl::desc("<application>"), cl::cat(category),
                                            cl::sub(launchCommand));

static std::string stageNames() {
  std::string names;
  for (const PipelineStage &stage : getStages())
    names += (names.empty() ? "" : ", ") + stage.name.str();
  return names;
}

// What the help of a command begins with: what it does, and lines to start from.

static constexpr llvm::StringLiteral kRunOverview =
    R"(tilec run: compiles the text of a program for the CPU, runs it on emulated devices, and compares every argument of every
rank with the oracle, which executes the program itself and computes an error bound for each element.

  tilec run prog.mlir --world 4 --extent M=200                              inputs drawn from the seed
  tilec run prog.mlir --input a=x-{rank}.npy --save c=y-{rank}.npy          inputs and results in files
  tilec run prog.mlir --launches 5 --extents-from 1,7,40                    other extents at each launch
  tilec run prog.mlir --race --memory weak --skewed --shuffle --launches 4 --seeds 10    the strictest test
  tilec run prog.mlir --text edited.hip                                     an edited text of the program
  tilec run prog.mlir --device --extent M=4000                              on this machine's GPU, in a world of one
  tilec run prog.mlir --device --world 2                                    on two GPUs of it, a process for each
  tilec run prog.mlir --prepare kit                                         for another machine's: sh kit/run, there

A failure prints the command that repeats it.
)";

static constexpr llvm::StringLiteral kVerifyOverview =
    R"(tilec verify: proves that no launch of a program has a race, a deadlock, a wait that nothing satisfies, a scope that is too
narrow or an access out of bounds. Compiling runs the same checks.

  tilec verify prog.mlir --world 8                       the program with derived or hand-written synchronisation
  tilec verify prog.mlir --world 8 --minimal             also reports synchronisation that is not needed
  tilec verify prog.mlir --world 8 --extent M=4096       for this extent instead of samples
  tilec verify --manifest out/prog.json                  repeats the proof of a compiled program
)";

static constexpr llvm::StringLiteral kExplainOverview =
    R"(tilec explain: prints the overlap patterns and granularities that were compared for a program with their predicted times, what
is chosen, the work of each role, and what a launch costs at its edges.

  tilec explain prog.mlir --world 8 --target gfx950
  tilec explain prog.mlir --world 8 --extent M=4096,N=4096,K=8192      for these extents
  tilec explain prog.mlir --world 8 --pattern bulk                     what this pattern would cost
)";

static constexpr llvm::StringLiteral kTuneOverview =
    R"(tilec tune: times what the model finds best for a program with these extents, on a GPU, and keeps the fastest in a file that
compiling reads.

  tilec tune prog.mlir --extent M=4096,N=4096,K=4096 --tuned tuned.json         on this machine's GPU
  tilec tune prog.mlir --extent M=4096,N=4096,K=4096 --prepare kit              for another machine's: sh kit/run --tune, there
  tilec tune --from kit --tuned tuned.json                                      and its times, here
  tilec prog.mlir --target sm_90a --extent M=4096,N=4096,K=4096 --tuned tuned.json -o out/
)";

static constexpr llvm::StringLiteral kLaunchOverview =
    R"(tilec launch: starts n processes of an application and waits for them. Each finds its number in TILEC_RANK and n in
TILEC_WORLD; tilec_world_join reads them. The exit code is that of the first process that fails.

  tilec launch -n 4 ./app --its-own --options
)";

static constexpr llvm::StringLiteral kTraceOverview =
    R"(tilec trace: makes one timeline of what the launches of each rank recorded, for ui.perfetto.dev: a track for each
workgroup, tasks and waits on it, and an arrow to each wait from the signal that ended it. Prints how long roles worked
and waited.

  tilec run prog.mlir --world 4 --trace trace.json                          on emulated ranks
  tilec prog.mlir --world 4 --trace -o out/                                 for an application: tilec_trace_start,
  tilec trace rank0.json rank1.json rank2.json rank3.json -o trace.json     and what tilec_trace_save wrote
)";

static constexpr llvm::StringLiteral kDoctorOverview =
    R"(tilec doctor: builds the runtime for the GPUs of this machine, starts a process for each and lets every one write into the
memory of every other. Says what is missing: nvcc, a GPU, memory that processes can share, a way from one GPU to another.

  tilec doctor
  sh kit/run --doctor                                                       on a machine that has a kit and no tilec
)";

static constexpr llvm::StringLiteral kOverview = R"(tilec: tile programs over several GPUs to HIP

  tilec prog.mlir --target gfx942 --world 8 -o out/    write .hip, .h and .json, named after the program
  tilec prog.mlir --world 8 --until=waits              print the program after a stage
  tilec run prog.mlir --world 4 --extent M=200         run on the CPU, compare with the oracle
  tilec verify prog.mlir --world 8                     check for races, deadlock and bounds
  tilec explain prog.mlir --target gfx950              say what is chosen and why
  tilec tune prog.mlir --extent M=200 --tuned t.json   time candidates on a GPU
  tilec trace rank0.json rank1.json -o trace.json      a timeline of what launches recorded
  tilec launch -n 4 ./app                              start 4 processes, told their ranks by the environment
  tilec doctor                                         say what this machine lacks for ranks on its GPUs

Stages: )";

static std::string overview(StringRef command) {
  const std::pair<const cl::SubCommand *, StringRef> overviews[] = {
      {&runCommand, kRunOverview},    {&verifyCommand, kVerifyOverview}, {&explainCommand, kExplainOverview},
      {&tuneCommand, kTuneOverview},  {&launchCommand, kLaunchOverview}, {&doctorCommand, kDoctorOverview},
      {&traceCommand, kTraceOverview}};
  for (auto [sub, text] : overviews)
    if (command == sub->getName())
      return text.str();
  return kOverview.str() + stageNames() + "\n";
}

/// Values that mean something else when they are empty than when they are not given.
static void rejectEmpty() {
  for (const cl::opt<std::string> *option : {&until, &from, &emit, &package, &schedule})
    if (option->getNumOccurrences() && option->empty())
      reject("--" + option->ArgStr + " is empty, expected a " + option->ValueStr);
}

/// llvm::cl takes options of compilation behind any subcommand.
static void rejectBehindSubcommand() {
  const cl::SubCommand *commands[] = {&runCommand,  &verifyCommand, &explainCommand, &launchCommand,
                                      &tuneCommand, &traceCommand,  &doctorCommand};
  const auto *given = llvm::find_if(commands, [](const cl::SubCommand *command) { return bool(*command); });
  if (given == std::end(commands))
    return;
  for (const cl::Option *option :
       {static_cast<cl::Option *>(&until), static_cast<cl::Option *>(&from), static_cast<cl::Option *>(&emit),
        static_cast<cl::Option *>(&locations), static_cast<cl::Option *>(&trace), static_cast<cl::Option *>(&package),
        static_cast<cl::Option *>(&emulated)})
    if (option->getNumOccurrences())
      reject("--" + option->ArgStr + " is an option of compilation: 'tilec " + (*given)->getName() +
             "' does nothing with it");
}

/// A manifest has its program, and what that was compiled with.
static void rejectBesideManifest() {
  if (!manifest.empty() && input.getNumOccurrences())
    reject(input + " is not read: --manifest has its program");
  for (const auto &[name, option] : cl::getRegisteredOptions(verifyCommand))
    if (!manifest.empty() && option != &manifest && option->getNumOccurrences())
      reject("--" + name + " does nothing beside --manifest, which has its program and the options of that");
}

/// llvm::cl takes a misspelt command for the program's file.
static void rejectMisspeltCommand(llvm::ArrayRef<char *> arguments) {
  StringRef word = arguments.size() > 1 ? StringRef(arguments[1]) : StringRef();
  llvm::SmallVector<StringRef> known;
  for (const cl::SubCommand *command :
       {&runCommand, &verifyCommand, &explainCommand, &launchCommand, &tuneCommand, &traceCommand, &doctorCommand})
    known.push_back(command->getName());
  // A file may have any name: only one that is no file and no path is a command.
  if (word.empty() || word.contains('-') || word.contains('.') || word.contains('/') ||
      llvm::is_contained(known, word) || llvm::sys::fs::exists(word))
    return;
  // `tilec compile prog.mlir`: compiling has no command.
  std::string meant = didYouMean(word, known);
  if (!meant.empty() || (arguments.size() > 2 && llvm::sys::fs::exists(arguments[2])))
    reject("unknown command '" + word + "', expected " + listNames(known) + ", or the file of a program to compile" +
           meant);
}

/// Nobody types a program: who gives no file on a terminal wants to know what to give.
static void rejectTerminal() {
  bool reads = !launchCommand && !doctorCommand && !traceCommand && manifest.empty() && tuneFrom.empty() &&
               !input.getNumOccurrences();
  if (reads && llvm::sys::Process::StandardInIsUserInput())
    reject("no program is given, expected <program.mlir>, or - to read it from the terminal; --help shows how tilec is "
           "used");
}

/// The command line as a shell takes it, without the options that say seeds.
static std::string wordsWithoutSeeds(llvm::ArrayRef<char *> arguments) {
  std::string line;
  for (size_t i = 0; i < arguments.size(); ++i) {
    llvm::StringRef word = arguments[i], option = word.ltrim('-');
    if (word.starts_with("-") && (option == "seed" || option == "seeds")) {
      ++i;
      continue;
    }
    if (word.starts_with("-") && (option.starts_with("seed=") || option.starts_with("seeds=")))
      continue;
    bool plain = !word.empty() && llvm::all_of(word, [](char c) {
      return llvm::isAlnum(c) || llvm::StringRef("-_./=,:+%@").contains(c);
    });
    std::string quoted = word.str();
    for (size_t at = 0; (at = quoted.find('\'', at)) != std::string::npos; at += 4)
      quoted.replace(at, 1, "'\\''");
    line += (line.empty() ? "" : " ") + (plain ? quoted : "'" + quoted + "'");
  }
  return line;
}

/// Inputs and outputs that exclude one another.
static void rejectOutputs() {
  rejectBesideManifest();
  if (!until.empty() && !emit.empty() && emit != "mlir")
    reject("--emit=" + emit + " prints what the last stage makes, --until=" + until +
           " stops before: give one of them");
  if (!from.empty() && until.empty() && emit != "hip" && emit != "mlir")
    reject("--from=" + from + " is for programs between two stages: --until, --emit=hip or --emit=mlir prints them");
  if (!until.empty() && output.getNumOccurrences())
    reject("--until=" + until + " prints the program and writes no files: -o has no meaning with it");
  if (!emit.empty() && output.getNumOccurrences())
    reject("--emit=" + emit + " prints its output and writes no files: -o has no meaning with it");
  if (emulated && package.empty())
    reject("--emulated says what the code of --package is for: give both");
  for (const cl::Option *other : {static_cast<cl::Option *>(&until), static_cast<cl::Option *>(&from),
                                  static_cast<cl::Option *>(&emit), static_cast<cl::Option *>(&output)})
    if (!package.empty() && other->getNumOccurrences())
      reject("--package writes the files of a wheel: " + Twine(other == &output ? "-" : "--") + other->ArgStr +
             " has no meaning with it");
}

/// What `launch` starts: the application and its arguments.
static std::vector<std::string> applicationWords() {
  std::vector<std::string> words(application.begin(), application.end());
  if (!applicationName.empty())
    words.insert(words.begin(), applicationName);
  return words;
}

static void takeTuning(Options &options) {
  options.tuned = tuned;
  options.tuneFrom = tuneFrom;
  options.candidates = candidates;
}

Options tilec::parseOptions(int argc, char **argv) {
  mlir::registerPassManagerCLOptions();
  // LLVM's own options are for those who know them: --help-hidden.
  cl::HideUnrelatedOptions(category);
  rejectMisspeltCommand(llvm::ArrayRef(argv, argc));
  cl::ParseCommandLineOptions(argc, argv, overview(argc > 1 ? argv[1] : ""));
  Options options;
  options.command = runCommand       ? Command::Run
                    : verifyCommand  ? Command::Verify
                    : explainCommand ? Command::Explain
                    : launchCommand  ? Command::Launch
                    : doctorCommand  ? Command::Doctor
                    : tuneCommand    ? Command::Tune
                    : traceCommand   ? Command::Trace
                                     : Command::Compile;
  options.input = input;
  options.output = output;
  options.outputGiven = output.getNumOccurrences() > 0;
  options.run = runOptions();
  options.seeds = seeds;
  options.words = wordsWithoutSeeds(llvm::ArrayRef(argv, argc));
  options.package = package;
  options.emulated = emulated;
  options.until = until;
  options.from = from;
  options.emit = emit;
  options.locations = locations;
  options.timing = timing;
  options.worldGiven = world.getNumOccurrences() > 0;
  options.targetGiven = target.getNumOccurrences() > 0;
  rejectEmpty();
  rejectBehindSubcommand();
  rejectOthersMachine();
  rejectTune();
  rejectTerminal();
  rejectTwice("extent", extents);
  rejectTwice("parameter", parameters);
  rejectOutputs();
  options.minimal = minimal;
  options.manifest = manifest;
  options.pipeline.verify = !noVerify;
  options.pipeline.explainLimits = options.command == Command::Compile || options.command == Command::Verify;
  options.pipeline.trace = trace || !timeline.empty();
  options.traces.assign(traces.begin(), traces.end());
  options.timeline = traceCommand ? traceOutput.getValue() : timeline.getValue();
  options.pipeline.world = world;
  takeTuning(options);
  const bool onDevice = options.run.device || options.command == Command::Tune;
  options.pipeline.target = onDevice && !options.targetGiven ? std::string(kDefaultDeviceTarget) : target.getValue();
  options.pattern = pattern;
  options.granularity = granularity;
  options.order = order;
  options.schedule = schedule;
  options.pipeline.parameters.assign(parameters.begin(), parameters.end());
  options.pipeline.extents.assign(extents.begin(), extents.end());
  options.ranks = ranks;
  options.program = applicationWords();
  return options;
}
