//===- CostModel.h - Costs from the device table, training and records *- C++
//-*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cost(shape, kernel) = f_MK(kernel) adapted to the shape. This is where f_MK
// comes from: measured if the micro-kernel was, else predicted by a model
// trained on those that were, else from the device table.
//
// Two numbers of a micro-kernel are learnt, both as what the analytical model
// has to be multiplied with: the seconds per k tile of one block on each SM,
// and of as many blocks as fit. Both are measured: the first by a grid of as
// many blocks as there are SMs, the second by one that fills all SMs once.
// Their difference is what a partial wave costs.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_COSTMODEL_COSTMODEL_H
#define DIETCODE_COSTMODEL_COSTMODEL_H

#include "dietcode/CostModel/Features.h"
#include "dietcode/CostModel/ModelFile.h"
#include "dietcode/Support/Expected.h"

#include <memory>
#include <string>
#include <vector>

namespace dietcode {

/// A timed launch of a micro-kernel.
struct KernelRun {
  ContractionShape shape;
  int64_t blocks = 0; ///< Of the grid; fewer than the shape has tiles if cut.
  double seconds = 0; ///< Launch included.
};

/// What was measured of a micro-kernel.
struct MeasuredKernel {
  OperatorTraits traits;
  Schedule schedule;
  int registers = 0; ///< Per thread, by the assembler; 0: unknown.
  std::vector<KernelRun> runs;
};

/// The cost model of one device. Const member functions may be called from many
/// threads at once.
class CostModel {
public:
  explicit CostModel(const DeviceSpec &device)
      : device(device), analytical(device), adaption(device) {}

  const Adaption &getAdaption() const { return adaption; }
  bool isTrained() const { return !boosters.empty(); }

  /// f_MK of a micro-kernel that was not measured.
  MicroKernelCost predict(const Schedule &schedule,
                          const OperatorTraits &traits) const;
  /// The same of many, which is faster.
  std::vector<MicroKernelCost> predict(const std::vector<Schedule> &schedules,
                                       const OperatorTraits &traits) const;

  /// f_MK of a micro-kernel that was. Of several runs of the same kind those
  /// nearest to `reference` count. Without a run on one block per SM or on a
  /// full device, the prediction stands in for it.
  MicroKernelCost measured(const MeasuredKernel &kernel,
                           const ContractionShape &reference) const;

  /// Learns from measured kernels of any shapes, those of each family apart;
  /// replaces what was learnt. A family of fewer than `kFewestToTrain` kernels
  /// is not learnt; without any other, the model stays as it is.
  Expected<void> train(const std::vector<MeasuredKernel> &kernels,
                       uint64_t seed = 0);
  static constexpr size_t kFewestToTrain = 16;

  /// A model file, see ModelFile.h. `deviceName` is e.g. "virtual:t4".
  Expected<void> save(const std::string &path,
                      const std::string &deviceName) const;
  Expected<void> load(const std::string &path, const std::string &deviceName);

private:
  void fitToWholeGrid(MicroKernelCost &cost, const MeasuredKernel &kernel,
                      const ContractionShape &reference) const;
  void correct(std::vector<MicroKernelCost> &costs,
               const OperatorTraits &traits) const;

  DeviceSpec device;
  AnalyticalModel analytical;
  Adaption adaption;
  NamedBoosters boosters; ///< Two for each family that was trained.
};

} // namespace dietcode

#endif // DIETCODE_COSTMODEL_COSTMODEL_H
