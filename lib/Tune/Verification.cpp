//===- Verification.cpp - What candidates of an operator must compute -----===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Tune/Verification.h"

#include "dietcode/Run/Runner.h"
#include "dietcode/Tune/KernelLaunch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::ContractionShape;
using ::dietcode::Expected;
using ::dietcode::fail;
using ::dietcode::Job;
using ::dietcode::JobBuffer;
using ::dietcode::JobFolder;
using ::dietcode::JobOutput;
using ::dietcode::JobVerify;
using ::dietcode::Schedule;

/// Relative to the sum of the magnitudes of all terms; that of dietcode-run.
static constexpr double kTolerance = 1e-5;

/// Half of the last place of a half, to which outputs are rounded.
static constexpr double kHalfRounding = 0x1p-11;

/// What sums of halves may be off by: their roundings add up.
static constexpr double kHalfSums = 2e-2;

/// Larger than any tile, so that more than one is needed.
static constexpr int64_t kBeyondTiles = 256;

/// Multiplications below which all tiles are computed: it takes no longer.
static constexpr double kSmallWork = 0x1p21;

/// Columns of tiles that are computed, or rows if tiles lie along n first or in
/// bands.
static constexpr int64_t kTileStrips = 2;

static double workOf(const ContractionShape &shape) {
  return double(shape.m) * double(shape.n) * double(shape.k) *
         double(shape.batch);
}

/// The least work with more than one tile in each dimension that allows it.
static ContractionShape
chooseShape(const std::vector<ContractionShape> &points) {
  int64_t mostM = 0, mostN = 0;
  for (const ContractionShape &point : points) {
    mostM = std::max(mostM, point.m);
    mostN = std::max(mostN, point.n);
  }
  auto work = [&](const ContractionShape &point) {
    bool isLarge = point.m >= std::min(mostM, kBeyondTiles + 1) &&
                   point.n >= std::min(mostN, kBeyondTiles + 1);
    return std::pair(!isLarge, workOf(point));
  };
  return *std::min_element(points.begin(), points.end(),
                           [&](auto &a, auto &b) { return work(a) < work(b); });
}

static std::string_view bytesOf(const void *data, size_t size) {
  return {static_cast<const char *>(data), size};
}

Expected<std::unique_ptr<Verification>>
Verification::create(const TuningTask &task, JobFolder &folder,
                     const std::string &prefix) {
  std::unique_ptr<Verification> result(new Verification(task, folder, prefix));
  if (Expected<bool> done = result->evaluate(); !done)
    return tl::unexpected(done.error());
  return result;
}

Expected<bool> Verification::evaluate() {
  OperatorOpInterface op = task.ops.front();
  shape = alignShape(op, task.problemShape(chooseShape(task.points)));
  DialectRegistry registry;
  registerRunDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (message.empty())
      message = diagnostic.str();
    return success();
  });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      task.compiler->getSource(), ParserConfig(&context));
  if (!module)
    return fail(message);
  auto entry = *module->getOps<func::FuncOp>().begin();
  RunRequest request;
  request.shapes.emplace();
  for (unsigned operand : llvm::seq<unsigned>(0, op->getNumOperands())) {
    SmallVector<int64_t> sizes = getOperandSizes(op, operand, shape);
    request.shapes->shapes.push_back(
        {std::vector<int64_t>(sizes.begin(), sizes.end()), {}, {}});
  }
  FailureOr<std::vector<RunArgument>> arguments = makeArguments(entry, request);
  if (failed(arguments))
    return fail(message);
  FailureOr<Reference> reference = Reference::create(entry);
  if (failed(reference))
    return fail(message);
  Expected<ReferenceInputs> inputs = Reference::prepare(*arguments);
  if (!inputs)
    return tl::unexpected(inputs.error());

  auto destinations = cast<DestinationStyleOpInterface>(op.getOperation());
  for (auto [index, argument] : llvm::enumerate(*arguments)) {
    JobBuffer buffer;
    buffer.bytes = getOperandBytes(op, index, shape);
    // A destination that is only written starts without a value.
    bool isWritten = destinations.isDpsInit(&op->getOpOperand(index));
    if (!isWritten || op.getTraits().accumulate) {
      buffer.init = ::dietcode::BufferInit::File;
      buffer.file = "data/" + prefix + "-operand" + std::to_string(index);
      Expected<bool> done = folder.addFile(
          buffer.file, bytesOf(argument.tensor->first(), buffer.bytes));
      if (!done)
        return done;
    }
    buffers.push_back(buffer);
  }
  std::vector<ReferenceOutput> evaluated =
      reference->evaluate(std::move(*inputs));
  bool onTensors = op->getNumResults() > 0;
  for (auto [index, init] :
       llvm::enumerate(destinations.getDpsInitsMutable())) {
    unsigned operand = init.getOperandNumber();
    outputs.push_back(
        {operand, std::move(evaluated[onTensors ? index : operand])});
  }
  return true;
}

/// Writes the first columns of the first rows of a row-major result as doubles,
/// once.
Expected<std::string> Verification::writeCorner(const Output &output,
                                                StringRef what,
                                                ArrayRef<double> values,
                                                int64_t rows, int64_t columns) {
  std::string name = "data/" + prefix + "-" + what.str() +
                     std::to_string(output.operand) + "-" +
                     std::to_string(rows) + "x" + std::to_string(columns);
  std::lock_guard<std::mutex> lock(mutex);
  if (!written.insert(name).second)
    return name;
  int64_t width = columns;
  if (!output.expected.sizes.empty())
    width = output.expected.sizes.back();
  std::vector<double> part;
  part.reserve(rows * columns);
  for (int64_t row = 0; row < rows; ++row)
    part.insert(part.end(), values.begin() + row * width,
                values.begin() + row * width + columns);
  Expected<bool> done =
      folder.addFile(name, bytesOf(part.data(), part.size() * sizeof(double)));
  if (!done)
    return tl::unexpected(done.error());
  return name;
}

namespace {
/// The tiles that are computed, and what part of the output they make up.
struct Coverage {
  int64_t tiles, rows, columns;
};
} // namespace

/// Whether tiles are laid over the rows and columns of the output itself.
static bool isTiledAsIs(OperatorOpInterface op) {
  return llvm::all_of(
             op.getTiledDimGroups(),
             [](ArrayRef<unsigned> group) { return group.size() == 1; }) &&
         op.getTiledDimNames().size() == 3;
}

/// Some strips of tiles where the rest is more of the same; of a small output,
/// and of one with other dimensions than rows and columns, all of it.
static Coverage cover(OperatorOpInterface op, const Schedule &schedule,
                      const ContractionShape &problem,
                      ArrayRef<int64_t> outputSizes) {
  int64_t all = blocksOf(schedule, problem) / schedule.split;
  if (!isTiledAsIs(op) || workOf(problem) <= kSmallWork) {
    int64_t columns = outputSizes.empty() ? 1 : outputSizes.back();
    int64_t rows = 1;
    for (int64_t size : outputSizes.drop_back(outputSizes.empty() ? 0 : 1))
      rows *= size;
    return {all, rows, columns};
  }
  bool isMFirst = schedule.order == ::dietcode::TileOrder::MFirst;
  int64_t strip = isMFirst ? ::dietcode::tilesOf(schedule, problem.m, 1)
                           : ::dietcode::tilesOf(schedule, 1, problem.n);
  // Of a whole band, all rows are complete.
  if (schedule.order == ::dietcode::TileOrder::Bands)
    strip = std::min(all, strip * ::dietcode::bandTiles(schedule));
  int64_t tiles = std::min(all, kTileStrips * strip);
  int64_t strips = tiles / strip;
  int64_t rowsPerStrip = schedule.blockM;
  if (schedule.order == ::dietcode::TileOrder::Bands)
    rowsPerStrip *= ::dietcode::bandTiles(schedule);
  if (isMFirst)
    return {tiles, problem.m, std::min(problem.n, strips * schedule.blockN)};
  return {tiles, std::min(problem.m, strips * rowsPerStrip), problem.n};
}

/// Of results of `type`. Sums of halves, and arithmetic on them, are rounded
/// each time.
static double toleranceOf(const ::dietcode::OperatorTraits &traits, Type type) {
  if (!traits.rows && traits.getSumType() == "f16")
    return kHalfSums;
  if (!type.isF16())
    return kTolerance;
  if (!traits.rows)
    return kTolerance + kHalfRounding;
  return traits.rows->reductions
             ? kHalfSums
             : kHalfRounding * double(traits.rows->operations + 1);
}

Expected<bool> Verification::addTo(Job &job, const Schedule &schedule) {
  OperatorOpInterface op = task.ops.front();
  ContractionShape problem = op.getContractionShape(op.getTiledShape(shape));
  ::dietcode::OperatorTraits traits = op.getTraits();
  job.buffers = buffers;
  JobBuffer workspace;
  workspace.bytes = getWorkspaceBytes(op, schedule, shape);
  workspace.isScratch = true;
  job.buffers.push_back(workspace);
  JobVerify run;
  int64_t computed = 0;
  for (const Output &output : outputs) {
    SmallVector<int64_t> sizes(output.expected.sizes.begin(),
                               output.expected.sizes.end());
    auto [tiles, rows, columns] = cover(op, schedule, problem, sizes);
    computed = tiles;
    Type type = getElementTypeOrSelf(op->getOperand(output.operand));
    JobOutput region;
    region.buffer = output.operand;
    region.sizes = {rows, columns};
    region.strides = {sizes.empty() ? 1 : sizes.back(), 1};
    region.type.clear();
    llvm::raw_string_ostream(region.type) << type;
    region.tolerance = toleranceOf(traits, type);
    Expected<std::string> values =
        writeCorner(output, "expected", output.expected.values, rows, columns);
    Expected<std::string> magnitudes = writeCorner(
        output, "magnitudes", output.expected.magnitudes, rows, columns);
    if (!values || !magnitudes)
      return tl::unexpected((values ? magnitudes : values).error());
    region.expected = *values;
    region.magnitudes = *magnitudes;
    run.outputs.push_back(std::move(region));
  }
  run.launches = makeLaunches(op, schedule, shape, computed, /*firstBuffer=*/0);
  job.verify.push_back(std::move(run));
  return true;
}
