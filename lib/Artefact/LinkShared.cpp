//===- LinkShared.cpp - From objects to shared libraries ------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Artefact/LinkShared.h"

#include "dietcode/Support/File.h"
#include "dietcode/Support/TemporaryFolder.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::Expected;
using ::dietcode::fail;

static Expected<std::string> findDriver(const std::string &wanted) {
  // The C++ drivers: the runtime needs the library of C++.
  SmallVector<std::string> candidates = {"c++", "clang++", "g++"};
  if (!wanted.empty())
    candidates = {wanted};
  for (const std::string &candidate : candidates)
    // A path is returned as it is.
    if (auto found = llvm::sys::findProgramByName(candidate);
        found && llvm::sys::fs::can_execute(*found))
      return *found;
  return fail(
      "cannot link: there is no " + llvm::join(candidates, ", ") +
      " that can be run; install a C++ compiler, name another linker, or link "
      "an object file yourself");
}

/// What the library shows: a runtime in it is its own business.
static std::string printExports(ArrayRef<EntrySignature> entries) {
  std::string text = "{\nglobal:\n";
  for (const EntrySignature &entry : entries)
    text += "  " + entry.name + ";\n";
  return text + "  dietcode_last_error;\n  dietcode_status_name;\n"
                "  dietcode_abi_version;\n  dietcode_device_name;\n"
                "  dietcode_set_device;\n  dietcode_synchronize;\n"
                "local:\n  *;\n};\n";
}

static SmallVector<std::string> makeCommand(const std::string &driver,
                                            const std::string &folder,
                                            const LinkOptions &options) {
  SmallVector<std::string> command = {driver,
                                      "-shared",
                                      "-o",
                                      folder + "/library.so",
                                      folder + "/artefact.o",
                                      "-Wl,--version-script=" + folder +
                                          "/exports",
                                      "-Wl,-soname," + options.soname,
                                      "-Wl,-z,defs",
                                      "-Wl,--build-id=none",
                                      "-s"};
  if (options.useSharedRuntime)
    command.append({"-L" + options.runtimeFolder, "-ldietcode_runtime",
                    "-Wl,-rpath," + options.runtimeFolder});
  else
    command.push_back(options.runtimeFolder + "/libdietcode_runtime.a");
  command.append({"-lm", "-ldl", "-lpthread"});
  return command;
}

/// Runs a command; what it prints is part of the error.
static Expected<void> runCommand(ArrayRef<std::string> command,
                                 const std::string &log) {
  SmallVector<StringRef> arguments(command.begin(), command.end());
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(log),
                                          StringRef(log)};
  std::string message;
  int status = llvm::sys::ExecuteAndWait(command.front(), arguments,
                                         /*Env=*/std::nullopt, redirects,
                                         /*SecondsToWait=*/0,
                                         /*MemoryLimit=*/0, &message);
  if (status == 0)
    return {};
  if (message.empty())
    message = ::dietcode::readFile(log).value_or("");
  return fail("cannot link: " + command.front() + " ended with status " +
              std::to_string(status) + ": " + StringRef(message).trim().str());
}

Expected<std::string>
mlir::dietcode::linkShared(const std::string &object,
                           ArrayRef<EntrySignature> entries,
                           const LinkOptions &options) {
  std::string runtime = options.runtimeFolder +
                        (options.useSharedRuntime ? "/libdietcode_runtime.so"
                                                  : "/libdietcode_runtime.a");
  if (!llvm::sys::fs::exists(runtime))
    return fail("cannot link: there is no '" + runtime +
                "'; name the folder that the runtime is in");
  Expected<std::string> driver = findDriver(options.driver);
  if (!driver)
    return driver;
  auto folder = ::dietcode::TemporaryFolder::create("dietcode-link");
  if (!folder)
    return tl::unexpected(folder.error());
  std::pair<StringRef, std::string> inputs[] = {
      {"/artefact.o", object}, {"/exports", printExports(entries)}};
  for (auto &[name, contents] : inputs)
    if (auto written = ::dietcode::writeFileAtomically(
            folder->path() + name.str(), contents,
            ::dietcode::Durability::Process);
        !written)
      return tl::unexpected(written.error());
  Expected<void> linked = runCommand(
      makeCommand(*driver, folder->path(), options), folder->path() + "/log");
  if (!linked)
    return tl::unexpected(linked.error());
  return ::dietcode::readFile(folder->path() + "/library.so");
}
