//===- Ptxas.cpp - What ptxas makes of PTX --------------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The PTX is handed over in a file that has no name, so that none is left
// behind however this process ends; ptxas reads it as /dev/fd/3.
//
//===----------------------------------------------------------------------===//

#include "dietcode/Target/Ptxas.h"
#include "Subprocess.h"
#include "dietcode/Support/File.h"
#include "dietcode/Support/TemporaryFolder.h"
#include <charconv>
#include <cstdlib>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <tuple>
#include <unistd.h>

namespace dietcode {
namespace {

constexpr std::string_view inputPath = "/dev/fd/3";
/// Outcomes that are kept: a report takes some hundred bytes.
constexpr size_t mostCached = 16384;

bool isExecutable(const std::string &path) {
  return access(path.c_str(), X_OK) == 0;
}

std::string variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

std::string searchPath(std::string_view path) {
  while (!path.empty()) {
    std::string_view directory = path.substr(0, path.find(':'));
    path.remove_prefix(std::min(path.size(), directory.size() + 1));
    std::string candidate = std::string(directory) + "/ptxas";
    if (!directory.empty() && isExecutable(candidate))
      return candidate;
  }
  return "";
}

/// The number that `text` starts with after blanks, or 0.
int64_t leadingNumber(std::string_view text) {
  size_t begin = text.find_first_not_of(" \t");
  int64_t value = 0;
  if (begin != std::string_view::npos)
    std::from_chars(text.data() + begin, text.data() + text.size(), value);
  return value;
}

/// The number in front of `words`, as in "16896 bytes smem"; 0 without them.
int64_t numberBefore(std::string_view line, std::string_view words) {
  size_t at = line.find(words);
  if (at == std::string_view::npos)
    return 0;
  size_t digits = at;
  while (digits > 0 && line[digits - 1] >= '0' && line[digits - 1] <= '9')
    --digits;
  return leadingNumber(line.substr(digits, at - digits));
}

/// What is between quotes, or between `before` and the end of the line.
std::string_view quoted(std::string_view line) {
  size_t begin = line.find('\'');
  size_t end = line.find('\'', begin + 1);
  if (end == std::string_view::npos)
    return {};
  return line.substr(begin + 1, end - begin - 1);
}

std::string replaceAll(std::string text, std::string_view from,
                       std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

/// The lines that say what is wrong, without the summary at the end and without
/// what ptxas says of each kernel.
std::string complaints(std::string_view output, std::string_view kind) {
  std::string result;
  while (!output.empty()) {
    std::string_view line = output.substr(0, output.find('\n'));
    output.remove_prefix(std::min(output.size(), line.size() + 1));
    if (line.find(kind) == std::string_view::npos ||
        line.find("aborted due to errors") != std::string_view::npos)
      continue;
    result += (result.empty() ? "" : "\n") + std::string(line);
  }
  return result;
}

/// Outcomes by what they depend on. Two hashes and the length stand for the
/// text, so that the cache does not keep hundreds of modules.
struct CacheKey {
  size_t hash;
  uint64_t otherHash;
  size_t size;
  std::string chip, ptxas, name;
  bool operator<(const CacheKey &other) const {
    return std::tie(hash, otherHash, size, chip, ptxas, name) <
           std::tie(other.hash, other.otherHash, other.size, other.chip,
                    other.ptxas, other.name);
  }
};

uint64_t fnv1a(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (char c : text)
    hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
  return hash;
}

struct Cache {
  std::mutex mutex;
  std::map<CacheKey, PtxasOutcome> outcomes;
  std::map<std::string, std::string> versions;
};

Cache &cache() {
  static auto *cache = new Cache;
  return *cache;
}

/// A file without a name that holds `text`; negative if that fails.
int anonymousFile(std::string_view text) {
  int file = memfd_create("ptx", MFD_CLOEXEC);
  while (file >= 0 && !text.empty()) {
    ssize_t n = write(file, text.data(), text.size());
    if (n <= 0) {
      close(file);
      return -1;
    }
    text.remove_prefix(static_cast<size_t>(n));
  }
  return file;
}

PtxasOutcome judge(const ProcessResult &process, const std::string &path,
                   std::string_view name, double timeoutSeconds) {
  PtxasOutcome outcome;
  outcome.status = PtxasStatus::Failed;
  if (!process.started) {
    outcome.message = "cannot run '" + path + "'";
  } else if (process.timedOut) {
    outcome.message = std::string(name) + ": ptxas took more than " +
                      std::to_string(timeoutSeconds) + " s and was ended";
  } else if (process.exitStatus == 0) {
    outcome.status = PtxasStatus::Ok;
    outcome.report = parsePtxasOutput(process.output);
  } else {
    std::string why = complaints(process.output, "error");
    if (why.empty())
      why = complaints(process.output, "fatal");
    if (!why.empty())
      outcome.status = PtxasStatus::Refused;
    else
      why = path + " ended with status " + std::to_string(process.exitStatus);
    outcome.message = replaceAll(why, inputPath, name);
  }
  outcome.report.warnings =
      replaceAll(outcome.report.warnings, inputPath, name);
  return outcome;
}

PtxasOutcome assemble(std::string_view ptx, std::string_view chip,
                      const std::string &path, std::string_view name,
                      const std::string &output, double timeoutSeconds) {
  int file = anonymousFile(ptx);
  if (file < 0) {
    PtxasOutcome outcome;
    outcome.status = PtxasStatus::Failed;
    outcome.message = "cannot make a temporary file for ptxas";
    return outcome;
  }
  ProcessResult process = runProcess({path, "-v", "-arch=" + std::string(chip),
                                      std::string(inputPath), "-o", output},
                                     timeoutSeconds, file);
  close(file);
  PtxasOutcome outcome = judge(process, path, name, timeoutSeconds);
  outcome.report.version = ptxasVersion(path);
  outcome.report.chip = chip;
  return outcome;
}

PtxasOutcome absent() {
  PtxasOutcome outcome;
  outcome.message = "there is no ptxas in PATH, CUDA_HOME/bin or "
                    "/usr/local/cuda/bin";
  return outcome;
}

} // namespace

const PtxasKernel *PtxasReport::lookup(std::string_view kernel) const {
  for (const PtxasKernel &candidate : kernels)
    if (candidate.name == kernel)
      return &candidate;
  return nullptr;
}

std::string findPtxas() {
  if (std::string chosen = variable("DIETCODE_PTXAS"); !chosen.empty())
    return chosen == "none" ? "" : chosen;
  if (std::string found = searchPath(variable("PATH")); !found.empty())
    return found;
  std::string home = variable("CUDA_HOME");
  return searchPath((home.empty() ? "" : home + "/bin:") +
                    "/usr/local/cuda/bin");
}

std::string ptxasVersion(const std::string &path) {
  {
    std::lock_guard<std::mutex> lock(cache().mutex);
    auto it = cache().versions.find(path);
    if (it != cache().versions.end())
      return it->second;
  }
  std::string output = runProcess({path, "--version"}, 10).output;
  std::string version;
  constexpr std::string_view word = "release ";
  if (size_t at = output.find(word); at != std::string::npos) {
    at += word.size();
    version = output.substr(at, output.find_first_of(", \n", at) - at);
  }
  std::lock_guard<std::mutex> lock(cache().mutex);
  return cache().versions[path] = version;
}

PtxasReport parsePtxasOutput(std::string_view output) {
  PtxasReport report;
  report.warnings = complaints(output, "warning");
  // Properties of a kernel come before "Used" and those of functions after it.
  PtxasKernel *kernel = nullptr;
  bool isOfKernel = false;
  while (!output.empty()) {
    std::string_view line = output.substr(0, output.find('\n'));
    output.remove_prefix(std::min(output.size(), line.size() + 1));
    constexpr std::string_view properties = "Function properties for ";
    if (line.find("Compiling entry function") != std::string_view::npos) {
      report.kernels.push_back({});
      kernel = &report.kernels.back();
      kernel->name = quoted(line);
    } else if (size_t at = line.find(properties);
               at != std::string_view::npos) {
      isOfKernel =
          kernel && line.substr(at + properties.size()) == kernel->name;
    } else if (isOfKernel &&
               line.find("bytes stack frame") != std::string_view::npos) {
      kernel->stackBytes = numberBefore(line, " bytes stack frame");
      kernel->spillStoreBytes = numberBefore(line, " bytes spill stores");
      kernel->spillLoadBytes = numberBefore(line, " bytes spill loads");
    } else if (kernel && line.find("Used ") != std::string_view::npos) {
      kernel->registers = static_cast<int>(numberBefore(line, " registers"));
      kernel->barriers = static_cast<int>(numberBefore(line, " barriers"));
      kernel->sharedBytes = numberBefore(line, " bytes smem");
      if (int64_t stack = numberBefore(line, " bytes cumulative stack size"))
        kernel->stackBytes = stack;
    }
  }
  return report;
}

PtxasOutcome runPtxas(std::string_view ptx, std::string_view chip,
                      std::string_view name, const PtxasOptions &options) {
  std::string path = findPtxas();
  if (path.empty())
    return absent();
  CacheKey key = {std::hash<std::string_view>()(ptx),
                  fnv1a(ptx),
                  ptx.size(),
                  std::string(chip),
                  path,
                  std::string(name)};
  if (options.useCache) {
    std::lock_guard<std::mutex> lock(cache().mutex);
    auto it = cache().outcomes.find(key);
    if (it != cache().outcomes.end())
      return it->second;
  }
  PtxasOutcome outcome =
      assemble(ptx, chip, path, name, "/dev/null", options.timeoutSeconds);
  // What failed for want of time or memory may do better the next time.
  if (options.useCache && outcome.status != PtxasStatus::Failed) {
    std::lock_guard<std::mutex> lock(cache().mutex);
    if (cache().outcomes.size() >= mostCached)
      cache().outcomes.clear();
    cache().outcomes[key] = outcome;
  }
  return outcome;
}

PtxasOutcome assembleCubin(std::string_view ptx, std::string_view chip,
                           std::string_view name, std::string &cubin,
                           double timeoutSeconds) {
  std::string path = findPtxas();
  if (path.empty())
    return absent();
  PtxasOutcome outcome;
  outcome.status = PtxasStatus::Failed;
  // ptxas replaces its output rather than writing to it, so that takes a name.
  Expected<TemporaryFolder> folder = TemporaryFolder::create("dietcode-cubin");
  if (!folder) {
    outcome.message = folder.error().message;
    return outcome;
  }
  std::string file = folder->path() + "/kernels.cubin";
  outcome = assemble(ptx, chip, path, name, file, timeoutSeconds);
  if (outcome.status != PtxasStatus::Ok)
    return outcome;
  Expected<std::string> bytes = readFile(file);
  if (!bytes) {
    outcome.status = PtxasStatus::Failed;
    outcome.message = bytes.error().message;
    return outcome;
  }
  cubin = std::move(*bytes);
  return outcome;
}

} // namespace dietcode
