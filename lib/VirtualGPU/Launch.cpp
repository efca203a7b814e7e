//===- Launch.cpp - Checking and running launches -------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Timing.h"
#include "Timing/Estimate.h"
#include "dietcode/Target/LaunchLimits.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <set>
#include <thread>

namespace dietcode::vgpu {
namespace {

unsigned hostThreads() {
  if (const char *text = std::getenv("DIETCODE_VGPU_THREADS")) {
    char *end = nullptr;
    long n = std::strtol(text, &end, 10);
    if (end != text && !*end && n >= 1 && n <= 1024)
      return static_cast<unsigned>(n);
  }
  return std::max(1u, std::thread::hardware_concurrency());
}

/// When a launch that starts now has to end, if ever.
Expected<std::optional<std::chrono::steady_clock::time_point>>
deadlineOf(const LaunchConfig &config) {
  double seconds = config.maxSeconds;
  const char *text = std::getenv("DIETCODE_VGPU_MAX_SECONDS");
  if (seconds == 0 && text && *text) {
    char *end = nullptr;
    seconds = std::strtod(text, &end);
    if (*end || !(seconds > 0))
      return fail("DIETCODE_VGPU_MAX_SECONDS=" + std::string(text) +
                  ": expected a positive number of seconds");
  }
  // Years are as good as for ever, and do not overflow.
  if (seconds == 0 || seconds > 1e8)
    return std::nullopt;
  return std::chrono::steady_clock::now() +
         std::chrono::microseconds(static_cast<int64_t>(seconds * 1e6));
}

/// The checkers and reports number blocks with 32 bits. Hours of host time.
constexpr int64_t mostBlocks = 0xffffffff;

/// The launch limits of the device; an empty string if all hold.
std::string checkShape(const DeviceSpec &spec, const LaunchConfig &config) {
  std::string problem =
      checkLaunchShape(spec, std::string(spec.name), config.grid, config.block);
  if (!problem.empty())
    return problem;
  // Each dimension being within its limit, 2^63 at most.
  int64_t blocks = config.grid[0] * config.grid[1] * config.grid[2];
  if (blocks > mostBlocks)
    return "grid " + printTriple(config.grid) + " has " +
           std::to_string(blocks) + " blocks; the virtual GPU counts up to " +
           std::to_string(mostBlocks);
  return "";
}

std::string checkKernelLimits(const DeviceSpec &spec, const Program &program,
                              const LaunchConfig &config) {
  std::string device(spec.name);
  int64_t threads = config.block[0] * config.block[1] * config.block[2];
  if (program.requiredThreads[0] != 0)
    for (unsigned i = 0; i < 3; ++i)
      if (config.block[i] != program.requiredThreads[i])
        return "block " + printTriple(config.block) +
               " is not the one that the kernel requires (.reqntid)";
  if (program.maxThreads[0] != 0) {
    int64_t most = int64_t(program.maxThreads[0]) * program.maxThreads[1] *
                   program.maxThreads[2];
    if (threads > most)
      return "block " + printTriple(config.block) + " has " +
             std::to_string(threads) + " threads; the kernel allows " +
             std::to_string(most) + " (.maxntid)";
  }
  if (int64_t(program.staticSharedBytes) > spec.staticSharedPerBlock)
    return "the kernel declares " + std::to_string(program.staticSharedBytes) +
           " bytes of shared memory; " + device + " allows " +
           std::to_string(spec.staticSharedPerBlock) + " bytes statically";
  int64_t most = spec.optInSharedPerBlock - program.staticSharedBytes;
  if (config.dynamicSharedBytes < 0 || config.dynamicSharedBytes > most)
    return "the block asks for " +
           std::to_string(static_cast<uint64_t>(config.dynamicSharedBytes) +
                          program.staticSharedBytes) +
           " bytes of shared memory (" +
           std::to_string(program.staticSharedBytes) + " static, " +
           std::to_string(config.dynamicSharedBytes) + " dynamic); " + device +
           " allows " + std::to_string(spec.optInSharedPerBlock);
  if (program.localBytes > 512 * 1024)
    return "the kernel needs " + std::to_string(program.localBytes) +
           " bytes of local memory per thread; the limit is 524288";
  return "";
}

std::vector<MemoryRange> moduleRanges(const Module &module) {
  std::vector<MemoryRange> ranges;
  for (const GlobalVariable &global : module.impl().globals)
    ranges.push_back({reinterpret_cast<uint64_t>(global.data), global.size,
                      global.name, RangeKind::ModuleGlobal, nullptr});
  return ranges;
}

/// A few blocks spread over the grid; the same ones in every run.
std::set<uint64_t> blocksToSample(uint64_t blocks) {
  return {0, blocks / 3, 2 * blocks / 3, blocks - 1};
}

/// Runs all blocks of a launch on some host threads.
class Grid {
public:
  Grid(const LaunchState &launch, uint64_t blocks, const LaunchConfig &config)
      : launch(launch), blocks(blocks), estimates(!config.functionalOnly),
        map(launch.program) {
    if (estimates) {
      replayed = blocksToTrace(launch);
      std::set<uint64_t> all(replayed.begin(), replayed.end());
      neighbours = neighboursToTrace(launch);
      all.insert(neighbours.begin(), neighbours.end());
      traced.assign(all.begin(), all.end());
    }
    traces.resize(traced.size());
    if (config.timeOnly) {
      order = traced;
      this->blocks = order.size();
      sampled.insert(traced.begin(), traced.end());
    } else {
      sampled = blocksToSample(blocks);
    }
    firstFailed = this->blocks;
  }

  /// Null after a finding, which `finding` then holds.
  std::optional<LaunchReport> run() {
    if (blocks * launch.threads >= manyThreads)
      recruit();
    work(/*mayRecruit=*/true);
    for (std::thread &thread : threads)
      thread.join();
    if (thrown)
      std::rethrow_exception(thrown);
    // A race first: what the racing block does after it may depend on it.
    if (launch.global && launch.global->lowestRacing() <= firstFailed) {
      finding = raceFinding(launch, launch.global->race());
      return std::nullopt;
    }
    if (firstFailed < blocks)
      return std::nullopt;
    return report();
  }

  Finding finding;

private:
  /// Starting a host thread costs as much as running some small grids, so these
  /// get help only once they have taken a while.
  static constexpr uint64_t manyThreads = 1 << 15;
  static constexpr std::chrono::microseconds aWhile{100};

  /// As many as the host has room for; fewer take longer, and no more.
  void recruit() {
    uint64_t n = launch.program.needsBlockOrder ? 1 : hostThreads();
    n = std::min(n, blocks);
    try {
      for (uint64_t i = 1; i < n; ++i)
        threads.emplace_back([this] { work(/*mayRecruit=*/false); });
    } catch (const std::exception &) {
    }
  }

  /// Exceptions of any thread, of which std::bad_alloc is the only one, end the
  /// launch, but not before all threads have ended.
  void work(bool mayRecruit) noexcept {
    try {
      takeBlocks(mayRecruit);
    } catch (...) {
      std::lock_guard<std::mutex> lock(mutex);
      thrown = std::current_exception();
      next = blocks;
    }
  }

  /// Blocks before a failed one still run: theirs may be the first failure,
  /// and the first is what gets reported whatever the number of threads.
  void takeBlocks(bool mayRecruit) {
    Executor executor(launch);
    auto start = std::chrono::steady_clock::now();
    while (true) {
      if (mayRecruit && threads.empty() &&
          std::chrono::steady_clock::now() - start > aWhile) {
        recruit();
        mayRecruit = false;
      }
      uint64_t block = next.fetch_add(1, std::memory_order_relaxed);
      if (block >= firstFailed.load(std::memory_order_relaxed) ||
          (launch.global && block > launch.global->lowestRacing()))
        break;
      if (runBlock(executor, order.empty() ? block : order[block]))
        continue;
      std::lock_guard<std::mutex> lock(mutex);
      if (block < firstFailed) {
        firstFailed = block;
        finding = executor.finding;
      }
    }
    std::vector<uint64_t> counts = executor.executionCounts();
    std::lock_guard<std::mutex> lock(mutex);
    sample.add(executor.sample());
    executions.resize(counts.size());
    for (size_t i = 0; i < counts.size(); ++i)
      executions[i] += counts[i];
  }

  bool runBlock(Executor &executor, uint64_t block) {
    auto at = std::lower_bound(traced.begin(), traced.end(), block);
    bool isTraced = at != traced.end() && *at == block;
    bool isSampled = sampled.count(block) != 0;
    if (!isTraced)
      return executor.runBlock(block, isSampled);
    Tracer tracer(map, (launch.threads + 31) / 32,
                  static_cast<unsigned>(launch.spec.sharedBanks),
                  mostTraceRecords);
    executor.tracer = &tracer;
    bool ok = executor.runBlock(block, true);
    executor.tracer = nullptr;
    traces[static_cast<size_t>(at - traced.begin())] = tracer.take();
    return ok;
  }

  LaunchReport report() const {
    std::set<uint64_t> seen = sampled;
    seen.insert(traced.begin(), traced.end());
    std::vector<uint64_t> counts = executions;
    uint64_t all = launch.gridBlocks();
    if (!order.empty())
      for (uint64_t &count : counts)
        count = count * all / blocks;
    LaunchReport result = makeReport(launch, counts, sample, seen.size());
    if (!estimates) {
      result.timing = {};
      result.virtualSeconds = 0;
      noteWritten(result);
      return result;
    }
    TracedLaunch input{{}, {}, sample, seen.size()};
    for (size_t i = 0; i < traced.size(); ++i) {
      if (std::binary_search(replayed.begin(), replayed.end(), traced[i]))
        input.blocks.push_back(&traces[i]);
      if (!traces[i].overflow &&
          std::binary_search(neighbours.begin(), neighbours.end(), traced[i]))
        input.neighbours.push_back({traced[i], &traces[i]});
    }
    result.replay = estimateTime(launch, map, input);
    if (result.replay.valid) {
      result.virtualSeconds = result.replay.microseconds * 1e-6;
      result.dramBytes =
          static_cast<uint64_t>(std::llround(result.replay.dramBytes));
    }
    noteWritten(result);
    return result;
  }

  /// Everything that came into L2 has pushed out what was least recently used:
  /// results that were written all along are there as the rest of it is.
  void noteWritten(LaunchReport &result) const {
    double moved = std::max(1.0, double(result.dramBytes));
    double kept = std::min(1.0, double(launch.spec.l2Bytes) / moved);
    for (uint32_t index : sample.rangesWritten)
      result.written.push_back({launch.memory.ranges()[index].base, kept});
  }

  const LaunchState &launch;
  uint64_t blocks; ///< How many are run.
  bool estimates;  ///< Whether a time is asked for.
  BlockMap map;
  std::vector<uint64_t> traced;     ///< Ascending.
  std::vector<uint64_t> replayed;   ///< Of these; ascending.
  std::vector<uint64_t> neighbours; ///< Of these; ascending.
  std::vector<BlockTrace> traces;
  std::vector<uint64_t> order; ///< The blocks to run; empty: all.
  std::set<uint64_t> sampled;
  std::atomic<uint64_t> next{0};
  std::atomic<uint64_t> firstFailed;
  std::vector<std::thread> threads;
  std::mutex mutex;
  std::exception_ptr thrown; ///< By a thread.
  std::vector<uint64_t> executions;
  Sample sample;
};

/// The shadows of global memory that the checkers need for a launch, if any.
std::unique_ptr<GlobalChecks> makeGlobalChecks(const LaunchConfig &config,
                                               const Program &program,
                                               const RangeTable &memory,
                                               uint64_t blocks) {
  const CheckOptions &options = config.checks;
  // The blocks that do not run would have written who knows what.
  bool races = options.globalRaces && blocks > 1 && !config.timeOnly;
  bool unwritten = false;
  for (const MemoryRange &range : memory.ranges()) {
    if (!range.written || range.written->complete())
      continue;
    // Without the checker nobody knows what this launch writes.
    if (options.uninitializedGlobal && !config.timeOnly)
      unwritten = true;
    else
      range.written->mark(0, range.size);
  }
  if (!races && !unwritten)
    return nullptr;
  return std::make_unique<GlobalChecks>(memory, program.log2Granule, races,
                                        options.shadowBytes);
}

std::vector<uint8_t> packParams(const Program &program, void **params) {
  std::vector<uint8_t> bytes(program.paramBytes);
  for (size_t i = 0; i < program.params.size(); ++i)
    std::memcpy(bytes.data() + program.params[i].offset, params[i],
                program.params[i].size);
  return bytes;
}

std::array<uint32_t, 3> narrow(const std::array<int64_t, 3> &v) {
  return {static_cast<uint32_t>(v[0]), static_cast<uint32_t>(v[1]),
          static_cast<uint32_t>(v[2])};
}

/// Runs a launch that nothing speaks against.
Expected<LaunchReport> runChecked(LaunchState &state,
                                  const LaunchConfig &config, FailureKind *kind,
                                  Finding *finding) {
  uint64_t blocks = state.gridBlocks();
  std::unique_ptr<GlobalChecks> global =
      makeGlobalChecks(config, state.program, state.memory, blocks);
  state.global = global.get();
  Grid grid(state, blocks, config);
  std::optional<LaunchReport> report = grid.run();
  if (global)
    global->finish(state.memory);
  if (report) {
    report->uncheckedPages = global ? global->untrackedPages() : 0;
    return std::move(*report);
  }
  if (kind)
    *kind = FailureKind::Finding;
  std::string text = toText(grid.finding);
  if (finding)
    *finding = std::move(grid.finding);
  return fail(std::move(text));
}

} // namespace

VirtualGPU::VirtualGPU(const DeviceSpec &spec) : deviceSpec(spec) {}

Expected<LaunchReport> VirtualGPU::launch(const Module &module,
                                          std::string_view kernel,
                                          const LaunchConfig &config,
                                          void **params, size_t paramCount,
                                          FailureKind *kind, Finding *finding) {
  if (kind)
    *kind = FailureKind::Refused;
  const Module::Impl &impl = module.impl();
  auto it = impl.programs.find(kernel);
  if (it == impl.programs.end()) {
    std::string known;
    for (const KernelInfo &info : impl.kernels)
      known += (known.empty() ? "" : ", ") + info.name;
    return fail(impl.name + ": there is no kernel '" + std::string(kernel) +
                "'; the module has " + (known.empty() ? "none" : known));
  }
  const Program &program = it->second;
  auto refuse = [&](const std::string &why) {
    return fail(impl.name + ":" + std::to_string(program.line) +
                ": cannot launch kernel '" + program.name + "': " + why);
  };
  if (paramCount != program.params.size())
    return refuse(std::to_string(paramCount) +
                  " parameters were given; the kernel has " +
                  std::to_string(program.params.size()));
  const ChipSpec *chip = lookupChip(deviceSpec.chip);
  if (chip && impl.chip > static_cast<unsigned>(chip->computeCapability))
    return refuse("the module is for sm_" + std::to_string(impl.chip) + "; " +
                  std::string(deviceSpec.name) + " is " +
                  std::string(deviceSpec.chip));
  std::string why = checkShape(deviceSpec, config);
  if (why.empty())
    why = checkKernelLimits(deviceSpec, program, config);
  if (why.empty() && config.timeOnly && config.functionalOnly)
    why = "a launch cannot be both for the time only and for the results only";
  if (!why.empty())
    return refuse(why);
  auto deadline = deadlineOf(config);
  if (!deadline)
    return tl::unexpected(deadline.error());
  RangeTable memory = deviceMemory.snapshot(moduleRanges(module));
  LaunchState state = {program,
                       impl.name,
                       deviceSpec,
                       memory,
                       narrow(config.grid),
                       narrow(config.block),
                       static_cast<uint32_t>(config.block[0] * config.block[1] *
                                             config.block[2]),
                       static_cast<uint32_t>(program.staticSharedBytes +
                                             config.dynamicSharedBytes),
                       static_cast<uint32_t>(config.dynamicSharedBytes),
                       packParams(program, params),
                       config.maxWarpInstructionsPerBlock,
                       config.checks,
                       nullptr,
                       countRegisters(impl, program, deviceSpec, config),
                       *deadline,
                       config.recent};
  return runChecked(state, config, kind, finding);
}

} // namespace dietcode::vgpu
