//===- Finding.cpp - What the checkers report -----------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/VirtualGPU/Finding.h"
#include <cerrno>
#include <cstdlib>
#include <nlohmann/json.hpp>

namespace dietcode::vgpu {
namespace {

std::string triple(const std::array<uint32_t, 3> &v) {
  return "(" + std::to_string(v[0]) + ", " + std::to_string(v[1]) + ", " +
         std::to_string(v[2]) + ")";
}

nlohmann::ordered_json siteJson(const FindingSite &site) {
  nlohmann::ordered_json json;
  json["line"] = site.line;
  json["source"] = site.source;
  json["block"] = site.block;
  if (site.hasThread)
    json["thread"] = site.thread;
  return json;
}

} // namespace

std::string_view nameOf(FindingKind kind) {
  switch (kind) {
  case FindingKind::OutOfBounds:
    return "out-of-bounds";
  case FindingKind::Misaligned:
    return "misaligned";
  case FindingKind::UseAfterFree:
    return "use-after-free";
  case FindingKind::UninitializedRegister:
    return "uninitialized-register";
  case FindingKind::UninitializedShared:
    return "uninitialized-shared";
  case FindingKind::UninitializedGlobal:
    return "uninitialized-global";
  case FindingKind::SharedRace:
    return "shared-race";
  case FindingKind::GlobalRace:
    return "global-race";
  case FindingKind::DivergentBarrier:
    return "divergent-barrier";
  case FindingKind::InvalidBarrier:
    return "invalid-barrier";
  case FindingKind::Deadlock:
    return "deadlock";
  case FindingKind::InvalidMembers:
    return "invalid-members";
  case FindingKind::Limit:
    return "limit";
  case FindingKind::Trap:
    return "trap";
  case FindingKind::Assertion:
    return "assertion";
  }
  return "unknown";
}

std::string toText(const Finding &finding) {
  const FindingSite &site = finding.site;
  return finding.file + ":" + std::to_string(site.line) + ": kernel '" +
         finding.kernel + "': " + finding.message + "; block " +
         triple(site.block) + ", thread " + triple(site.thread) + ", in '" +
         site.source + "'";
}

std::string toJson(const Finding &finding) {
  nlohmann::ordered_json json;
  json["kind"] = nameOf(finding.kind);
  json["kernel"] = finding.kernel;
  json["file"] = finding.file;
  json.update(siteJson(finding.site));
  if (finding.address) {
    json["address"] = *finding.address;
    json["accessBytes"] = finding.accessBytes;
  }
  if (!finding.allocation.empty()) {
    json["allocation"] = finding.allocation;
    json["allocationOffset"] = finding.allocationOffset;
  }
  json["message"] = finding.message;
  if (finding.other)
    json["other"] = siteJson(*finding.other);
  // PTX may hold any bytes.
  return json.dump(-1, ' ', false,
                   nlohmann::ordered_json::error_handler_t::replace);
}

CheckOptions CheckOptions::memory() {
  CheckOptions options;
  options.uninitializedShared = false;
  options.sharedRaces = false;
  options.globalRaces = false;
  return options;
}

CheckOptions CheckOptions::none() {
  CheckOptions options = memory();
  options.alignment = false;
  options.barriers = false;
  options.uninitializedRegisters = false;
  options.uninitializedGlobal = false;
  return options;
}

Expected<CheckOptions> parseCheckOptions(std::string_view text) {
  if (text == "all")
    return CheckOptions::all();
  if (text == "memory")
    return CheckOptions::memory();
  if (text == "none")
    return CheckOptions::none();
  return fail("'" + std::string(text) +
              "' names no set of checkers; use all, memory or none");
}

Expected<CheckOptions> checkOptionsFromEnvironment() {
  const char *env = std::getenv("DIETCODE_VGPU_CHECK");
  if (!env || !*env)
    return CheckOptions::memory();
  Expected<CheckOptions> options = parseCheckOptions(env);
  if (!options)
    return fail("DIETCODE_VGPU_CHECK: " + options.error().message);
  return options;
}

Expected<uint64_t> instructionLimitFromEnvironment() {
  const char *env = std::getenv("DIETCODE_VGPU_MAX_INSTRUCTIONS");
  if (!env || !*env)
    return defaultInstructionLimit;
  char *end = nullptr;
  errno = 0;
  unsigned long long limit = std::strtoull(env, &end, 10);
  if (*env < '0' || *env > '9' || *end || errno)
    return fail("DIETCODE_VGPU_MAX_INSTRUCTIONS=" + std::string(env) +
                ": expected a number of warp instructions; 0 is no limit");
  return static_cast<uint64_t>(limit);
}

} // namespace dietcode::vgpu
