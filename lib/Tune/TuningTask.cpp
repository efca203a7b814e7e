//===- TuningTask.cpp - The operators of a module as tuning problems ------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Tune/TuningTask.h"

#include "dietcode/Dialect/DietCode/Transforms/Selection.h"
#include "dietcode/Search/ScheduleSpace.h"
#include "dietcode/Tune/KernelLaunch.h"

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::ContractionShape;
using ::dietcode::describe;
using ::dietcode::Expected;
using ::dietcode::SamplePoint;
using ::dietcode::TuneInstance;

/// Shapes of the range that launches are picked from, and instances where a
/// workload names none.
static constexpr size_t kRangePoints = 64;
static constexpr size_t kDefaultInstances = 8;

namespace {

/// Collects the operators of functions into tasks.
class Collector {
public:
  explicit Collector(std::vector<std::string> &notes) : notes(notes) {}

  LogicalResult collect(FunctionOpInterface function);

  std::vector<TuningTask> tasks;
  OperatorOpInterface empty; ///< The first operator without any work.

private:
  LogicalResult add(OperatorOpInterface op,
                    std::shared_ptr<ShapeAnalysis> analysis);
  /// A task without instances if there is nothing to compute.
  FailureOr<TuningTask> makeTask(OperatorOpInterface op,
                                 std::shared_ptr<ShapeAnalysis> analysis);
  void addInstances(TuningTask &task, ArrayRef<SamplePoint> points);

  std::vector<std::string> &notes;
  llvm::StringMap<size_t> known; ///< Task by source and shapes.
};

} // namespace

/// Weights of what is left sum up to one.
void Collector::addInstances(TuningTask &task, ArrayRef<SamplePoint> points) {
  double total = 0;
  for (const SamplePoint &point : points) {
    ContractionShape shape =
        task.ops.front().getContractionShape(task.shapes.complete(point.dims));
    if (isEmpty(shape) || point.weight <= 0) {
      notes.push_back(task.name + ": skipped the instance " + describe(shape) +
                      (isEmpty(shape) ? ", which has nothing to compute"
                                      : ", which has no weight"));
      continue;
    }
    task.instances.push_back({shape, point.weight});
    total += point.weight;
  }
  for (TuneInstance &instance : task.instances)
    instance.weight /= total;
}

/// Extents of the problem in the middle of the range, by magnitude.
static SmallVector<int64_t> chooseSizes(OperatorOpInterface op,
                                        ShapeAnalysis &analysis,
                                        const OperatorShapes &shapes) {
  SmallVector<int64_t> vars;
  for (auto [range, multiple] :
       llvm::zip_equal(shapes.varRanges, shapes.varMultiples)) {
    double lower = std::max<double>(range.lower, 1);
    auto middle = static_cast<int64_t>(std::sqrt(lower * range.upper));
    vars.push_back(llvm::divideCeil(middle, multiple) * multiple);
  }
  SmallVector<int64_t> sizes;
  for (AffineExpr extent : analysis.getProblemShape(op))
    sizes.push_back(std::max<int64_t>(1, evaluateAt(extent, vars)));
  return sizes;
}

/// The largest divisor of `value` up to `most`.
static int64_t findDivisor(int64_t value, int64_t most) {
  int64_t divisor = std::clamp<int64_t>(most, 1, std::max<int64_t>(value, 1));
  while (value % divisor)
    --divisor;
  return divisor;
}

SmallVector<int64_t>
TuningTask::problemShape(const ContractionShape &shape) const {
  OperatorOpInterface op = ops.front();
  SmallVector<int64_t> problem = op.getStaticProblemShape();
  for (auto [group, extent] :
       llvm::zip_equal(op.getTiledDimGroups(), op.getTiledShape(shape))) {
    SmallVector<unsigned> dynamic;
    int64_t rest = extent;
    for (unsigned dim : group)
      if (ShapedType::isDynamic(problem[dim]))
        dynamic.push_back(dim);
      else
        rest = llvm::divideCeil(rest, std::max<int64_t>(problem[dim], 1));
    // What is left is the extent of the outermost one.
    for (size_t i = dynamic.size(); i-- > 0;) {
      unsigned dim = dynamic[i];
      problem[dim] = i == 0 ? rest : findDivisor(rest, sizes[dim]);
      rest /= problem[dim];
    }
  }
  return problem;
}

ContractionShape TuningTask::measurable(const ContractionShape &shape) const {
  OperatorOpInterface op = ops.front();
  if (twin == "general")
    return shape;
  return op.getContractionShape(
      op.getTiledShape(alignShape(op, problemShape(shape))));
}

/// The first schedule with which the operator fits on the device; the first of
/// all if it never does.
static ::dietcode::Schedule findSchedule(OperatorOpInterface op) {
  const ::dietcode::DeviceSpec &device = getDevice(op).getSpec();
  ::dietcode::AnalyticalModel model(device);
  std::vector<::dietcode::Schedule> space =
      ::dietcode::enumerateSchedules(device, {}, getInstructions(op));
  ::dietcode::OperatorTraits traits = op.getTraits();
  auto fitting =
      llvm::find_if(space, [&](const ::dietcode::Schedule &schedule) {
        return model.cost(schedule, traits).valid;
      });
  return fitting == space.end() ? space.front() : *fitting;
}

/// Which twin of a product is measured depends on the operator alone, and so
/// does whether it can be compiled at all: any schedule tells. On rows, it
/// depends on the vectors of the schedule, too.
static LogicalResult setTwin(TuningTask &task) {
  OperatorOpInterface op = task.ops.front();
  Expected<CompiledCandidate> code = task.compiler->compile(findSchedule(op));
  if (!code)
    return op->emitError() << code.error().message;
  if (!op.getTraits().rows)
    task.twin = code->aligned.empty() ? "general" : "aligned";
  return success();
}

FailureOr<TuningTask>
Collector::makeTask(OperatorOpInterface op,
                    std::shared_ptr<ShapeAnalysis> analysis) {
  TuningTask task;
  auto function = op->getParentOfType<FunctionOpInterface>();
  task.name =
      ("@" + function.getName() + " " + op->getName().stripDialect()).str();
  task.ops.push_back(op);
  task.analysis = std::move(analysis);
  FailureOr<OperatorShapes> shapes = getOperatorShapes(op, *task.analysis);
  if (failed(shapes))
    return failure();
  task.shapes = *shapes;
  FailureOr<std::vector<SamplePoint>> range =
      sampleRange(op, *shapes, kRangePoints);
  FailureOr<std::vector<SamplePoint>> instances =
      getInstances(op, *task.analysis, *shapes);
  if (failed(range) || failed(instances))
    return failure();
  for (const SamplePoint &point : *range) {
    ContractionShape shape =
        op.getContractionShape(shapes->complete(point.dims));
    if (!isEmpty(shape))
      task.points.push_back(shape);
  }
  if (instances->empty())
    instances = sampleRange(op, *shapes, kDefaultInstances);
  addInstances(task, *instances);
  if (task.instances.empty() || task.points.empty()) {
    task.instances.clear();
    return task;
  }
  // Instances may lie where the samples of the range do not.
  for (const TuneInstance &instance : task.instances)
    task.points.push_back(instance.shape);
  task.compiler = std::make_shared<CandidateCompiler>(op);
  task.sizes = chooseSizes(op, *task.analysis, *shapes);
  return task;
}

LogicalResult Collector::add(OperatorOpInterface op,
                             std::shared_ptr<ShapeAnalysis> analysis) {
  FailureOr<TuningTask> task = makeTask(op, std::move(analysis));
  if (failed(task))
    return failure();
  if (task->instances.empty()) {
    notes.push_back(task->name + ": skipped, since it has nothing to compute");
    if (!empty)
      empty = op;
    return success();
  }
  std::string key = task->compiler->getSource();
  llvm::raw_string_ostream os(key);
  for (const ContractionShape &shape : task->points)
    os << describe(shape) << ';';
  for (const TuneInstance &instance : task->instances)
    os << describe(instance.shape) << '*' << instance.weight << ';';
  auto [at, isNew] = known.try_emplace(key, tasks.size());
  if (!isNew) {
    tasks[at->second].ops.push_back(op);
    return success();
  }
  if (failed(setTwin(*task)))
    return failure();
  tasks.push_back(std::move(*task));
  return success();
}

LogicalResult Collector::collect(FunctionOpInterface function) {
  SmallVector<OperatorOpInterface> ops;
  function->walk([&](OperatorOpInterface op) { ops.push_back(op); });
  if (ops.empty())
    return success();
  auto analysis = std::make_shared<ShapeAnalysis>(function);
  for (OperatorOpInterface op : ops)
    if (failed(add(op, analysis)))
      return failure();
  return success();
}

template <typename OpT>
static void eraseUnused(ModuleOp module) {
  for (OpT op : llvm::make_early_inc_range(module.getOps<OpT>()))
    if (SymbolTable::symbolKnownUseEmpty(op, module))
      op.erase();
}

/// What a former selection has left of the operators of `tasks`.
static void removeDispatches(ModuleOp module, ArrayRef<TuningTask> tasks) {
  for (const TuningTask &task : tasks)
    for (OperatorOpInterface op : task.ops)
      op.setDispatchAttr(nullptr);
  eraseUnused<DispatchOp>(module);
  eraseUnused<MicroKernelOp>(module);
}

FailureOr<std::vector<TuningTask>>
mlir::dietcode::collectTasks(ModuleOp module, StringRef entry,
                             std::vector<std::string> &notes) {
  Collector collector(notes);
  bool found = entry.empty();
  for (auto function : module.getOps<FunctionOpInterface>()) {
    if (!entry.empty() && function.getName() != entry)
      continue;
    found = true;
    if (!function.isExternal() && failed(collector.collect(function)))
      return failure();
  }
  if (!found)
    return emitError(module.getLoc())
           << "there is no function @" << entry << " to tune";
  if (collector.tasks.empty() && collector.empty)
    return collector.empty->emitOpError(
        "has no shape to tune for: every instance of its workload is empty");
  if (collector.tasks.empty())
    return emitError(module.getLoc())
           << "there is no operator to tune; dietcode-tune tunes what "
              "convert-linalg-to-dietcode recognises, such as linalg.matmul "
              "on f32";
  removeDispatches(module, collector.tasks);
  return std::move(collector.tasks);
}
