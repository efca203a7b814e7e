//===- PluginTest.cpp - Tests of the plugin's handshake -------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This program is a host that says it has whatever LLVM a test wants.
//
//===----------------------------------------------------------------------===//

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Config/llvm-config.h"

#include "gtest/gtest.h"

static unsigned hostMajor, hostMinor;

extern "C" void LLVMGetVersion(unsigned *major, unsigned *minor,
                               unsigned *patch) {
  *major = hostMajor;
  *minor = hostMinor;
  *patch = 0;
}

namespace {

/// Whether a host of that version can load both kinds of plugin.
void load(unsigned major, unsigned minor, bool &dialects, bool &passes) {
  hostMajor = major;
  hostMinor = minor;
  llvm::Expected<mlir::DialectPlugin> dialectPlugin =
      mlir::DialectPlugin::load(DIETCODE_PLUGIN);
  dialects = bool(dialectPlugin);
  llvm::consumeError(dialectPlugin.takeError());
  llvm::Expected<mlir::PassPlugin> passPlugin =
      mlir::PassPlugin::load(DIETCODE_PLUGIN);
  passes = bool(passPlugin);
  llvm::consumeError(passPlugin.takeError());
}

TEST(PluginTest, LoadsIntoItsOwnLLVM) {
  bool dialects = false, passes = false;
  testing::internal::CaptureStderr();
  load(LLVM_VERSION_MAJOR, LLVM_VERSION_MINOR, dialects, passes);
  EXPECT_TRUE(dialects);
  EXPECT_TRUE(passes);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(PluginTest, TellsAnotherLLVM) {
  bool dialects = true, passes = true;
  testing::internal::CaptureStderr();
  load(LLVM_VERSION_MAJOR + 1, 0, dialects, passes);
  EXPECT_FALSE(dialects);
  EXPECT_FALSE(passes);
  std::string ours = std::to_string(LLVM_VERSION_MAJOR) + "." +
                     std::to_string(LLVM_VERSION_MINOR);
  std::string theirs = std::to_string(LLVM_VERSION_MAJOR + 1) + ".0";
  EXPECT_NE(testing::internal::GetCapturedStderr().find(
                "error: the DietCode plugin is built for LLVM " + ours +
                ", and this program uses LLVM " + theirs + "; use mlir-opt"),
            std::string::npos);
}

} // namespace
