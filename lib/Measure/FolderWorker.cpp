//===- FolderWorker.cpp - Doing the jobs of a folder ----------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FolderFiles.h"
#include "dietcode/Measure/JobFolder.h"
#include "dietcode/Support/File.h"
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <map>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

using namespace dietcode;

namespace {

/// So many workers that died over a job are its fault.
constexpr int mostClaims = 3;

/// The claims on one job.
struct ClaimState {
  int last = 0;       ///< Number of the last one; 0: there is none.
  double changed = 0; ///< When its owner last gave a sign of life.
};

/// The jobs of a folder that nobody else works on.
///
/// A claim is a file that only one worker can make. Claim n + 1 follows claim n
/// once its owner has been silent for longer than the lease: of several workers
/// that notice, one makes it, however late the others are.
class FolderQueue : public JobQueue {
public:
  FolderQueue(std::string path, const WorkOptions &options)
      : root(std::move(path)), options(options), name(processName()),
        clock(root + "/claims/.clock." + name) {}
  ~FolderQueue() override;

  Expected<std::optional<Job>> next() override;
  Expected<bool> done(const Job &job, const Record &record) override;
  bool mayHaveMore() override;
  Expected<bool> tick() override;

private:
  Expected<double> now();
  Expected<std::map<std::string, ClaimState>> listClaims();
  Expected<std::optional<Job>> tryJob(const std::string &id,
                                      const ClaimState &state);
  Expected<bool> claim(const std::string &id, int number);
  Expected<bool> publish(const std::string &id, const Record &record);
  void releaseClaims(const std::string &id, int number);

  std::string claimPath(const std::string &id, int number) const {
    return root + "/claims/" + id + "." + std::to_string(number);
  }
  std::string jobPath(const std::string &id) const {
    return root + "/jobs/" + id + ".json";
  }
  std::string resultPath(const std::string &id) const {
    return root + "/results/" + id + ".json";
  }

  std::string root;
  const WorkOptions &options;
  std::string name;
  std::string clock; ///< A file whose time is that of the file system.
  std::map<std::string, int> mine; ///< Ids and numbers of claims.
  std::set<std::string> foreign;   ///< Jobs for other devices.
  bool othersAreBusy = false;
  std::chrono::steady_clock::time_point lastTick;
};

double secondsOf(const struct stat &info) {
  return static_cast<double>(info.st_mtim.tv_sec) +
         1e-9 * static_cast<double>(info.st_mtim.tv_nsec);
}

} // namespace

FolderQueue::~FolderQueue() {
  // Others need not wait for the lease to end.
  for (auto &[id, number] : mine)
    ::unlink(claimPath(id, number).c_str());
  ::unlink(clock.c_str());
}

/// The time as the file system has it: claims of other machines are compared
/// with it.
Expected<double> FolderQueue::now() {
  int file = ::open(clock.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  struct stat info;
  bool ok =
      file >= 0 && ::futimens(file, nullptr) == 0 && ::fstat(file, &info) == 0;
  int error = errno;
  if (file >= 0)
    ::close(file);
  if (!ok)
    return fail("cannot write '" + clock + "': " + errnoText(error));
  return secondsOf(info);
}

Expected<std::map<std::string, ClaimState>> FolderQueue::listClaims() {
  Expected<std::vector<std::string>> names = listFolder(root + "/claims");
  if (!names)
    return tl::unexpected(names.error());
  std::map<std::string, ClaimState> states;
  for (const std::string &claim : *names) {
    size_t dot = claim.rfind('.');
    int number =
        dot == std::string::npos ? 0 : std::atoi(claim.c_str() + dot + 1);
    struct stat info;
    if (number <= 0 || ::stat((root + "/claims/" + claim).c_str(), &info) != 0)
      continue;
    ClaimState &state = states[claim.substr(0, dot)];
    if (number > state.last)
      state = {number, secondsOf(info)};
  }
  return states;
}

Expected<std::optional<Job>> FolderQueue::next() {
  othersAreBusy = false;
  if (fileExists(root + "/stop"))
    return std::nullopt;
  Expected<std::vector<std::string>> ids = listIds(root + "/jobs");
  if (!ids)
    return tl::unexpected(ids.error());
  Expected<std::vector<std::string>> results = listIds(root + "/results");
  if (!results)
    return tl::unexpected(results.error());
  std::set<std::string> finished(results->begin(), results->end());
  std::optional<std::map<std::string, ClaimState>> claims;
  for (const std::string &id : *ids) {
    if (finished.count(id) || foreign.count(id) || mine.count(id))
      continue;
    if (!claims) {
      Expected<std::map<std::string, ClaimState>> listed = listClaims();
      if (!listed)
        return tl::unexpected(listed.error());
      claims = std::move(*listed);
    }
    Expected<std::optional<Job>> job = tryJob(id, (*claims)[id]);
    if (!job || *job)
      return job;
  }
  return std::nullopt;
}

/// The job if it is ours from now on.
Expected<std::optional<Job>> FolderQueue::tryJob(const std::string &id,
                                                 const ClaimState &state) {
  if (state.last > 0) {
    Expected<double> time = now();
    if (!time)
      return tl::unexpected(time.error());
    if (*time - state.changed < options.leaseSeconds) {
      othersAreBusy = true;
      return std::nullopt;
    }
  }
  Expected<std::string> text = readFile(jobPath(id));
  if (!text) // Somebody has just removed it.
    return std::nullopt;
  Expected<Job> job = parseJob(*text);
  if (job && !job->device.empty() &&
      (options.device.empty() ? !askRecordName(job->device)
                              : options.device != job->device)) {
    foreign.insert(id);
    return std::nullopt;
  }
  Expected<bool> isMine = claim(id, state.last + 1);
  if (!isMine)
    return tl::unexpected(isMine.error());
  if (!*isMine)
    return std::nullopt;
  Record rejected;
  rejected.status = RecordStatus::LaunchError;
  if (!job)
    rejected.error = "'" + jobPath(id) + "' is no job: " + job.error().message;
  else if (job->id != id)
    rejected.error = "'" + jobPath(id) + "' has the id '" + job->id + "'";
  else if (state.last < mostClaims)
    return std::move(*job);
  else {
    rejected = job->record;
    rejected.status = RecordStatus::Crash;
    rejected.error = std::to_string(mostClaims) +
                     " workers were lost while they measured it";
  }
  if (Expected<bool> ok = publish(id, rejected); !ok)
    return tl::unexpected(ok.error());
  return std::nullopt;
}

Expected<bool> FolderQueue::claim(const std::string &id, int number) {
  std::string path = claimPath(id, number);
  int file =
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0 && errno == EEXIST) {
    othersAreBusy = true;
    return false;
  }
  std::string text = name + "\n";
  bool ok = file >= 0 && ::write(file, text.data(), text.size()) ==
                             static_cast<ssize_t>(text.size());
  int error = errno;
  if (file >= 0)
    ::close(file);
  if (!ok) {
    ::unlink(path.c_str());
    return fail("cannot write '" + path + "': " + errnoText(error));
  }
  mine[id] = number;
  // Another worker may have finished it, and removed its claims, since we
  // looked.
  if (!fileExists(resultPath(id)) && fileExists(jobPath(id)))
    return true;
  releaseClaims(id, number);
  return false;
}

void FolderQueue::releaseClaims(const std::string &id, int number) {
  for (; number > 0; --number)
    ::unlink(claimPath(id, number).c_str());
  mine.erase(id);
}

Expected<bool> FolderQueue::publish(const std::string &id,
                                    const Record &record) {
  nlohmann::ordered_json json;
  json["v"] = 1;
  json["id"] = id;
  json["worker"] = name;
  json["record"] = nlohmann::ordered_json::parse(printRecord(record));
  // If there is one, another worker took us for dead; both did the same.
  Expected<bool> isFirst = publishFile(resultPath(id), json.dump() + "\n");
  if (!isFirst)
    return isFirst;
  releaseClaims(id, mine[id]);
  return true;
}

Expected<bool> FolderQueue::done(const Job &job, const Record &record) {
  return publish(job.id, record);
}

bool FolderQueue::mayHaveMore() {
  return !fileExists(root + "/stop") && (options.wait || othersAreBusy);
}

/// Signs of life.
Expected<bool> FolderQueue::tick() {
  auto time = std::chrono::steady_clock::now();
  std::chrono::duration<double> passed = time - lastTick;
  if (passed.count() < options.leaseSeconds / 5)
    return true;
  lastTick = time;
  for (auto &[id, number] : mine)
    ::utimensat(AT_FDCWD, claimPath(id, number).c_str(), nullptr, 0);
  return true;
}

Expected<bool>
dietcode::workOnFolder(const std::string &path, const WorkOptions &options,
                       const std::function<bool()> &interrupted) {
  Expected<JobFolder> folder = JobFolder::open(path);
  if (!folder)
    return tl::unexpected(folder.error());
  WorkOptions own = options;
  own.folder = path;
  FolderQueue queue(path, own);
  return measureJobs(queue, own, interrupted);
}
