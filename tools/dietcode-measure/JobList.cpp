//===- JobList.cpp - Jobs of one file, records of another -----------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JobList.h"
#include "dietcode/Support/File.h"
#include <unistd.h>

using namespace dietcode;

Expected<JobList> JobList::open(const std::string &jobs,
                                const std::string &output, unsigned rounds) {
  Expected<std::string> text =
      jobs == "-" ? readDescriptor(STDIN_FILENO, "stdin") : readFile(jobs);
  if (!text)
    return tl::unexpected(text.error());
  JobList list;
  list.rounds = rounds;
  std::string_view rest = *text;
  for (size_t number = 1; !rest.empty(); ++number) {
    size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos)
      continue;
    std::string where = jobs + ":" + std::to_string(number) + ": ";
    Expected<Job> job = parseJob(line);
    if (!job)
      return fail(where + job.error().message);
    if (!list.indices.try_emplace(job->id, list.all.size()).second)
      return fail(where + "there is another job '" + job->id + "' before");
    list.all.push_back(std::move(*job));
  }
  if (list.all.empty())
    return fail("'" + jobs + "' has no jobs");
  if (output == "-")
    return list;
  Expected<RecordWriter> writer = RecordWriter::open(output);
  if (!writer)
    return tl::unexpected(writer.error());
  list.writer = std::move(*writer);
  return list;
}

/// Results are right or wrong in the first round; a job that failed has no
/// others.
Expected<std::optional<Job>> JobList::next() {
  for (; started < all.size() * rounds; ++started) {
    size_t index = started % all.size(), round = started / all.size();
    if (round > 0 && index < written)
      continue; // It has failed.
    if (waiting.count(index))
      continue;
    if (measured[index].size() < round)
      return std::nullopt; // It is still in the round before.
    Job job = all[index];
    if (round > 0)
      job.verify.clear();
    ++started;
    return job;
  }
  return std::nullopt;
}

std::string JobList::summary() const {
  std::string text;
  for (auto &[status, count] : counts)
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " +
            std::string(nameOf(status));
  return text.empty() ? "no job" : text;
}

Expected<bool> JobList::write(const Record &record) {
  ++counts[record.status];
  return writer ? writer->append({record})
                : writeFileAtomically("-", printRecord(record) + "\n");
}

Expected<bool> JobList::done(const Job &job, const Record &record) {
  size_t index = indices[job.id];
  std::vector<Record> &own = measured[index];
  own.push_back(record);
  if (own.size() < rounds && record.status == RecordStatus::Ok)
    return true;
  waiting[index] = mergeRounds(own);
  for (auto it = waiting.find(written); it != waiting.end();
       it = waiting.find(++written)) {
    if (Expected<bool> ok = write(it->second); !ok)
      return ok;
    waiting.erase(it);
  }
  return true;
}
