//===- FolderTest.cpp - Several workers, and dying ones -------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProcessTesting.h"
#include <fcntl.h>
#include <set>
#include <sys/resource.h>
#include <sys/stat.h>

using namespace dietcode;

namespace {

class FolderTest : public testing::Test {
protected:
  void SetUp() override {
    Expected<JobFolder> made = JobFolder::create(path());
    ASSERT_TRUE(made) << messageOf(made);
    folder = std::make_unique<JobFolder>(*made);
    addScaleFiles(*folder);
  }
  void TearDown() override { EXPECT_EQ(countOrphans(), 0); }

  std::string path(const std::string &name = "") const {
    return root.path("f") + (name.empty() ? "" : "/" + name);
  }
  void addJobs(int count) {
    for (int i = 0; i < count; ++i) {
      auto ok = folder->addJob(makeScaleJob(*folder, "j" + std::to_string(i)));
      ASSERT_TRUE(ok) << messageOf(ok);
    }
  }
  std::vector<JobResult> collect() {
    Expected<std::vector<JobResult>> results = folder->collect();
    EXPECT_TRUE(results) << messageOf(results);
    return results ? *results : std::vector<JobResult>();
  }
  /// A claim whose owner was silent for so long.
  void addClaim(const std::string &name, int secondsAgo) {
    writeTo(path("claims/" + name), "elsewhere:1\n");
    timespec times[2];
    ::clock_gettime(CLOCK_REALTIME, &times[0]);
    times[0].tv_sec -= secondsAgo;
    times[1] = times[0];
    ::utimensat(AT_FDCWD, path("claims/" + name).c_str(), times, 0);
  }

  TestFolder root;
  std::unique_ptr<JobFolder> folder;
};

} // namespace

TEST_F(FolderTest, eachJobIsDoneOnce) {
  addJobs(30);
  // Every worker says on which jobs it worked.
  std::vector<std::unique_ptr<ToolRun>> workers;
  for (int i = 0; i < 3; ++i)
    workers.push_back(std::make_unique<ToolRun>(
        std::vector<std::string>{path(), "--workers", "2"},
        root.path("log" + std::to_string(i))));
  for (auto &worker : workers)
    EXPECT_EQ(worker->wait(), 0);
  std::vector<JobResult> results = collect();
  ASSERT_EQ(results.size(), 30u);
  std::string first;
  for (JobResult &result : results) {
    EXPECT_EQ(result.record.schedule, result.id);
    result.record.schedule = "";
    std::string line = printRecord(result.record);
    first = first.empty() ? line : first;
    EXPECT_EQ(line, first);
  }
  EXPECT_TRUE(collect().empty());
  EXPECT_EQ(countFiles(path("claims")), 0u);
}

TEST_F(FolderTest, jobsOfDeadWorkersAreTakenOver) {
  addJobs(4);
  addClaim("j0.1", 1000); // Dead.
  addClaim("j1.1", 1000); // Dead, and so is its successor.
  addClaim("j1.2", 1000);
  addClaim("j2.3", 1000); // The third one.
  addClaim("j3.1", 0);    // Alive.
  ToolRun tool({path(), "--wait", "--lease", "100"});
  EXPECT_TRUE(eventually([&] { return countFiles(path("results")) == 3; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_EQ(countFiles(path("results")), 3u);
  ASSERT_TRUE(folder->stop());
  EXPECT_EQ(tool.wait(), 0);
  std::vector<JobResult> results = collect();
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(nameOf(results[0].record.status), "ok");
  EXPECT_EQ(nameOf(results[1].record.status), "ok");
  EXPECT_EQ(nameOf(results[2].record.status), "crash");
  EXPECT_EQ(results[2].record.error,
            "3 workers were lost while they measured it");
}

/// A worker is killed in the middle of a job; another one waits for its lease.
TEST_F(FolderTest, killedWorker) {
  addJobs(3);
  ToolRun first({path()}, "", {"DIETCODE_MEASURE_INJECT=hang:j1"});
  EXPECT_TRUE(eventually([&] {
    return countFiles(path("results")) == 1 && countFiles(path("claims")) == 1;
  }));
  first.signal(SIGKILL);
  EXPECT_EQ(first.wait(), 128 + SIGKILL);
  EXPECT_EQ(countOrphans(), 0);
  ToolRun second({path(), "--lease", "1"});
  EXPECT_EQ(second.wait(), 0);
  std::vector<JobResult> results = collect();
  ASSERT_EQ(results.size(), 3u);
  for (const JobResult &result : results)
    EXPECT_EQ(nameOf(result.record.status), "ok");
}

/// The claim of a living worker is renewed, so nobody else takes its job.
TEST_F(FolderTest, slowJobKeepsItsClaim) {
  addJobs(1);
  ToolRun first({path(), "--lease", "0.5", "--timeout", "2"}, "",
                {"DIETCODE_MEASURE_INJECT=hang:j0"});
  EXPECT_TRUE(eventually([&] { return countFiles(path("claims")) == 1; }));
  ToolRun second({path(), "--lease", "0.5"});
  EXPECT_EQ(first.wait(), 0);
  EXPECT_EQ(second.wait(), 0);
  std::vector<JobResult> results = collect();
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(nameOf(results[0].record.status), "timeout");
}

TEST_F(FolderTest, interruptedWorker) {
  for (int signal : {SIGINT, SIGTERM}) {
    addJobs(4);
    ToolRun tool({path(), "--workers", "3"}, "",
                 {"DIETCODE_MEASURE_INJECT=hang:j"});
    EXPECT_TRUE(eventually([&] { return countFiles(path("claims")) == 3; }));
    auto start = std::chrono::steady_clock::now();
    tool.signal(signal);
    EXPECT_EQ(tool.wait(), 128 + signal);
    Seconds passed = std::chrono::steady_clock::now() - start;
    EXPECT_LT(passed.count(), 2);
    EXPECT_EQ(countOrphans(), 0);
    // Others can go on at once.
    EXPECT_EQ(countFiles(path("claims")), 0u);
    EXPECT_EQ(countFiles(path("results")), 0u);
    for (int i = 0; i < 4; ++i)
      EXPECT_TRUE(folder->remove("j" + std::to_string(i)));
    EXPECT_EQ(countFiles(path("jobs")), 0u);
  }
}

TEST_F(FolderTest, workersOfAProgram) {
  WorkOptions options;
  Expected<MeasureProcess> workers =
      spawnWorkers(path(), 2, options, MEASURE_TOOL);
  ASSERT_TRUE(workers) << messageOf(workers);
  for (int round = 0; round < 3; ++round) {
    addJobs(5);
    size_t got = 0;
    EXPECT_TRUE(eventually([&] {
      for (const JobResult &result : collect()) {
        ++got;
        EXPECT_EQ(nameOf(result.record.status), "ok");
        EXPECT_TRUE(folder->remove(result.id));
      }
      return got == 5;
    }));
    EXPECT_TRUE(workers->running());
  }
  ASSERT_TRUE(folder->stop());
  Expected<int> status = workers->wait(5);
  ASSERT_TRUE(status) << messageOf(status);
  EXPECT_EQ(*status, 0);
  EXPECT_EQ(messageOf(spawnWorkers(path(), 1, options, "/nowhere/tool")),
            "cannot start '/nowhere/tool': No such file or directory");
}

/// Whoever starts workers may be killed: they end, and so do their children.
TEST_F(FolderTest, programThatDies) {
  addJobs(1);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::setenv("DIETCODE_MEASURE_INJECT", "hang:j0", 1);
  pid_t pid = ::fork();
  if (pid == 0) {
    auto workers = spawnWorkers(path(), 1, WorkOptions(), MEASURE_TOOL);
    ::pause();
  }
  ::unsetenv("DIETCODE_MEASURE_INJECT");
  EXPECT_TRUE(eventually([&] { return countFiles(path("claims")) == 1; }));
  ::kill(pid, SIGKILL);
  EXPECT_EQ(countOrphans(), 0);
  EXPECT_EQ(countFiles(path("claims")), 0u);
}

TEST_F(FolderTest, strangeJobs) {
  writeTo(path("jobs/broken.json"), "{");
  Job job = makeScaleJob(*folder, "named");
  writeTo(path("jobs/renamed.json"), printJob(job));
  job.id = "foreign";
  job.device = "cuda:0";
  ASSERT_TRUE(folder->addJob(job));
  EXPECT_EQ(messageOf(folder->addJob(job)),
            "there already is a job 'foreign' in '" + path() + "'");
  job.id = "a/b";
  EXPECT_EQ(messageOf(folder->addJob(job)),
            "job 'a/b': 'a/b' cannot be the id of a job");
  ToolRun tool({path()});
  EXPECT_EQ(tool.wait(), 0);
  std::vector<JobResult> results = collect();
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].record.error,
            "'" + path("jobs/broken.json") + "' is no job: it is not JSON");
  EXPECT_EQ(results[1].record.error,
            "'" + path("jobs/renamed.json") + "' has the id 'named'");
  // Left to a worker that has such a device.
  EXPECT_EQ(countFiles(path("claims")), 0u);
}

/// The worker gives up with one message, and its job is there for others.
TEST_F(FolderTest, noRoomForFiles) {
  addJobs(2);
  std::string command =
      "ulimit -f 0; exec " MEASURE_TOOL " " + path() + " 2>&1";
  FILE *pipe = ::popen(command.c_str(), "r");
  char line[1000] = "";
  EXPECT_TRUE(std::fgets(line, sizeof(line), pipe));
  EXPECT_EQ(WEXITSTATUS(::pclose(pipe)), 1);
  EXPECT_EQ(std::string(line), "dietcode-measure: error: cannot write '" +
                                   path("claims/j0.1") + "': File too large\n");
  EXPECT_EQ(countFiles(path("claims")) + countFiles(path("results")), 0u);
  ToolRun tool({path()});
  EXPECT_EQ(tool.wait(), 0);
  EXPECT_EQ(collect().size(), 2u);
}

TEST_F(FolderTest, errorsOfTheTool) {
  auto errorOf = [&](std::vector<std::string> arguments) {
    ToolRun tool(std::move(arguments), root.path("log"));
    EXPECT_EQ(tool.wait(), 1);
    std::string text = contentsOf(root.path("log"));
    std::string prefix = "dietcode-measure: error: ";
    EXPECT_EQ(text.substr(0, prefix.size()), prefix);
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
    return text.substr(std::min(prefix.size(), text.size()));
  };
  EXPECT_EQ(errorOf({}), "give a job folder, or --jobs FILE\n");
  EXPECT_EQ(errorOf({root.path("none")}),
            "'" + root.path("none") +
                "' is no job folder: it has no folder 'data'\n");
  setenv("DIETCODE_LIBCUDA", "/no/such/driver", 1);
  EXPECT_EQ(errorOf({path(), "--device", "cuda:0"}).substr(0, 48),
            "cuda:0: there is no CUDA driver: /no/such/driver");
  EXPECT_EQ(errorOf({path(), "--workers", "0"}).substr(0, 9), "--workers");
  std::string jobs = root.path("jobs.jsonl");
  EXPECT_EQ(errorOf({"--jobs", jobs}),
            "cannot open '" + jobs + "': No such file or directory\n");
  writeTo(jobs, "\n\n");
  EXPECT_EQ(errorOf({"--jobs", jobs}), "'" + jobs + "' has no jobs\n");
  std::string line = printJob(makeScaleJob(*folder, "a")) + "\n";
  writeTo(jobs, line + "{}\n");
  EXPECT_EQ(errorOf({"--jobs", jobs}), jobs + ":2: 'v' is missing\n");
  writeTo(jobs, line + line);
  EXPECT_EQ(errorOf({"--jobs", jobs}),
            jobs + ":2: there is another job 'a' before\n");
  writeTo(jobs, line);
  EXPECT_EQ(errorOf({"--jobs", jobs, "-o", "/nowhere/r"}),
            "cannot append to '/nowhere/r': No such file or directory\n");
  EXPECT_EQ(errorOf({"--jobs", jobs, path(), "-o", "/dev/full"}),
            "cannot append to '/dev/full': No space left on device\n");
  EXPECT_EQ(countOrphans(), 0);
}
