//===- MathKernel.cpp - Functions of f32 on the virtual GPU ---------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MathKernel.h"

#include "dietcode/Dialect/DietCode/Pipelines/Pipelines.h"
#include "dietcode/Dialect/DietCode/Transforms/Passes.h"
#include "dietcode/Target/DeviceSpec.h"
#include "dietcode/VirtualGPU/VirtualGPU.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"

#include <algorithm>
#include <cstring>

using namespace dietcode;

// Buffers are padded to whole blocks.
static constexpr size_t kThreads = 256;

static constexpr char kHead[] = R"mlir(
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @f(%as: memref<?xf32>, %bs: memref<?xf32>, %ys: memref<?xf32>)
        kernel {
      %i = gpu.global_id x
      %a = memref.load %as[%i] : memref<?xf32>
      %b = memref.load %bs[%i] : memref<?xf32>
)mlir";

static constexpr char kTail[] = R"mlir(
      memref.store %y, %ys[%i] : memref<?xf32>
      gpu.return
    }
  }
}
)mlir";

std::optional<MathKernel> MathKernel::compile(mlir::MLIRContext &context,
                                              std::string_view body) {
  std::string text = kHead + std::string(body) + kTail;
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return std::nullopt;
  mlir::PassManager pm(&context);
  mlir::dietcode::DietCodeAttachDevicePassOptions device;
  device.device = "t4";
  pm.addPass(mlir::dietcode::createDietCodeAttachDevicePass(device));
  mlir::dietcode::buildLowerToLLVMPipeline(pm, {});
  if (failed(pm.run(*module)))
    return std::nullopt;
  std::string ptx;
  module->walk([&](mlir::gpu::BinaryOp binary) {
    auto object = mlir::cast<mlir::gpu::ObjectAttr>(binary.getObjects()[0]);
    ptx = object.getObject().getValue().str();
  });
  // The virtual GPU has some of libdevice's functions, GPUs have none.
  if (ptx.find("call") != std::string::npos)
    return std::nullopt;
  while (!ptx.empty() && ptx.back() == '\0')
    ptx.pop_back();
  return MathKernel(std::move(ptx));
}

MathKernel MathKernel::perturbed(float factor) const {
  uint32_t bits;
  std::memcpy(&bits, &factor, sizeof(bits));
  std::string text;
  for (llvm::StringRef line : llvm::split(ptx, '\n')) {
    text += (line + "\n").str();
    llvm::StringRef code = line.trim();
    if (!code.contains(".approx"))
      continue;
    llvm::StringRef result = code.split('\t').second.split(',').first.trim();
    text += ("mul.rn.f32 " + result + ", " + result + ", 0f" +
             llvm::utohexstr(bits) + ";\n")
                .str();
  }
  return MathKernel(std::move(text));
}

unsigned MathKernel::countInstructions() const {
  unsigned count = 0;
  for (llvm::StringRef line : llvm::split(ptx, '\n')) {
    llvm::StringRef code = line.split("//").first.trim();
    count += code.ends_with(";") && !code.starts_with(".");
  }
  return count;
}

std::vector<float> MathKernel::run(const std::vector<float> &a,
                                   const std::vector<float> &b) const {
  auto module = vgpu::parseModule(ptx, "math.ptx");
  if (!module)
    llvm::report_fatal_error(llvm::Twine(module.error().message));
  vgpu::VirtualGPU gpu(*lookupDevice("t4"));
  size_t blocks = (a.size() + kThreads - 1) / kThreads;
  size_t bytes = blocks * kThreads * sizeof(float);
  std::vector<float *> buffers;
  for (const std::vector<float> *values :
       {&a, &b, static_cast<decltype(&a)>(nullptr)}) {
    buffers.push_back(
        static_cast<float *>(gpu.memory().allocate(bytes).value()));
    if (!values)
      continue;
    std::copy(values->begin(), values->end(), buffers.back());
    gpu.memory().markWritten(buffers.back(), bytes);
  }
  // A memref is five parameters: twice the pointer, offset, size and stride.
  std::vector<uint64_t> words;
  for (float *buffer : buffers)
    for (uint64_t word : {reinterpret_cast<uint64_t>(buffer),
                          reinterpret_cast<uint64_t>(buffer), uint64_t(0),
                          uint64_t(a.size()), uint64_t(1)})
      words.push_back(word);
  std::vector<void *> params;
  for (uint64_t &word : words)
    params.push_back(&word);
  vgpu::LaunchConfig config;
  config.grid = {int64_t(blocks), 1, 1};
  config.block = {kThreads, 1, 1};
  config.functionalOnly = true;
  auto report =
      gpu.launch(*module.value(), "f", config, params.data(), params.size());
  if (!report)
    llvm::report_fatal_error(llvm::Twine(report.error().message));
  return std::vector<float>(buffers[2], buffers[2] + a.size());
}
