//===- JobFolder.cpp - Jobs and results in a shared folder ----------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Measure/JobFolder.h"
#include "FolderFiles.h"
#include "dietcode/Support/File.h"
#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

using namespace dietcode;
namespace fs = std::filesystem;

static constexpr const char *parts[] = {"data", "jobs", "claims", "results"};

Expected<JobFolder> JobFolder::create(const std::string &path) {
  for (const char *part : parts) {
    std::error_code error;
    fs::create_directories(fs::path(path) / part, error);
    if (error)
      return fail("cannot make folder '" + path + "/" + part +
                  "': " + error.message());
  }
  ::unlink((path + "/stop").c_str());
  return JobFolder(path);
}

Expected<JobFolder> JobFolder::open(const std::string &path) {
  for (const char *part : parts)
    if (!fs::is_directory(fs::path(path) / part))
      return fail("'" + path + "' is no job folder: it has no folder '" + part +
                  "'");
  return JobFolder(path);
}

Expected<bool> JobFolder::addFile(const std::string &name,
                                  std::string_view contents) {
  return writeFileAtomically(root + "/" + name, contents, Durability::Process);
}

Expected<bool> JobFolder::addJob(const Job &job) {
  // What no worker could read is better found here.
  std::string text = printJob(job);
  if (Expected<Job> parsed = parseJob(text); !parsed)
    return fail("job '" + job.id + "': " + parsed.error().message);
  Expected<bool> isNew =
      publishFile(root + "/jobs/" + job.id + ".json", text + "\n");
  if (isNew && !*isNew)
    return fail("there already is a job '" + job.id + "' in '" + root + "'");
  return isNew;
}

static Expected<JobResult> readResult(const std::string &path,
                                      const std::string &id) {
  Expected<std::string> text = readFile(path);
  if (!text)
    return tl::unexpected(text.error());
  nlohmann::ordered_json json =
      nlohmann::ordered_json::parse(*text, nullptr, false);
  if (json.is_object() && json.contains("record") && json.contains("worker") &&
      json["worker"].is_string())
    if (Expected<Record> record = parseRecord(json["record"].dump()))
      return JobResult{id, json["worker"], std::move(*record)};
  return fail("'" + path + "' is no result of a job");
}

Expected<std::vector<JobResult>> JobFolder::collect() {
  Expected<std::vector<std::string>> ids = listIds(root + "/results");
  if (!ids)
    return tl::unexpected(ids.error());
  std::vector<JobResult> results;
  for (const std::string &id : *ids) {
    if (collected.count(id))
      continue;
    Expected<JobResult> result =
        readResult(root + "/results/" + id + ".json", id);
    if (!result)
      return tl::unexpected(result.error());
    results.push_back(std::move(*result));
  }
  for (const JobResult &result : results)
    collected.insert(result.id);
  return results;
}

Expected<bool> JobFolder::remove(const std::string &id) {
  if (!isJobId(id))
    return fail("'" + id + "' cannot be the id of a job");
  // In this order nobody can take it for a job without a result.
  ::unlink((root + "/jobs/" + id + ".json").c_str());
  Expected<std::vector<std::string>> claims = listFolder(root + "/claims");
  if (!claims)
    return tl::unexpected(claims.error());
  for (const std::string &claim : *claims)
    if (claim.substr(0, claim.rfind('.')) == id)
      ::unlink((root + "/claims/" + claim).c_str());
  ::unlink((root + "/results/" + id + ".json").c_str());
  collected.erase(id);
  return true;
}

Expected<bool> JobFolder::stop() {
  return writeFileAtomically(root + "/stop", "", Durability::Process);
}
