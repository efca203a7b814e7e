//===- DietCodePlugin.cpp - DietCode in a stock mlir-opt ------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `mlir-opt --load-dialect-plugin=` and `--load-pass-plugin=` load. Either
// brings all passes and pipelines; the former also brings the dialect.
//
//===----------------------------------------------------------------------===//

#include "dietcode/InitAllDietCode.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/raw_ostream.h"

#include <dlfcn.h>
#include <mutex>

using namespace mlir;

namespace {
constexpr const char *pluginName = "DietCode";
/// No version of the interface, for hosts to refuse.
constexpr uint32_t refused = 0;
} // namespace

/// Returns the interface version that the host is told. A host with another
/// LLVM has its own copy of MLIR, about which this plugin's code knows nothing:
/// such a host is told why, and refuses the plugin.
static uint32_t checkHost() {
  // Of all the program, the host and what it was linked with come first.
  auto *getVersion =
      reinterpret_cast<void (*)(unsigned *, unsigned *, unsigned *)>(
          dlsym(RTLD_DEFAULT, "LLVMGetVersion"));
  if (!getVersion)
    return MLIR_PLUGIN_API_VERSION;
  unsigned major = 0, minor = 0, patch = 0;
  getVersion(&major, &minor, &patch);
  if (major == LLVM_VERSION_MAJOR && minor == LLVM_VERSION_MINOR)
    return MLIR_PLUGIN_API_VERSION;
  llvm::errs() << "error: the DietCode plugin is built for LLVM "
               << LLVM_VERSION_MAJOR << "." << LLVM_VERSION_MINOR
               << ", and this program uses LLVM " << major << "." << minor
               << "; use mlir-opt of LLVM " << LLVM_VERSION_MAJOR << "."
               << LLVM_VERSION_MINOR
               << ", or build DietCode with MLIR_DIR set to the other one\n";
  return refused;
}

/// Both kinds of plugin may be loaded from one file.
static void registerPassesOnce() {
  static std::once_flag once;
  std::call_once(once, mlir::dietcode::registerAllDietCodePasses);
}

static void registerDialects(DialectRegistry *registry) {
  mlir::dietcode::registerAllDietCodeDialects(*registry);
  mlir::dietcode::registerAllDietCodeExtensions(*registry);
  registerPassesOnce();
}

extern "C" __attribute__((visibility("default"))) DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {checkHost(), pluginName, DIETCODE_VERSION, registerDialects};
}

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {checkHost(), pluginName, DIETCODE_VERSION, registerPassesOnce};
}
