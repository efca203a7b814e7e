//===- PtxasTest.cpp - Tests of running ptxas -----------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Mostly with scripts in its place, so that the tests need no CUDA.
//
//===----------------------------------------------------------------------===//

#include "dietcode/Target/Ptxas.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace dietcode;

namespace {

class Ptxas : public testing::Test {
protected:
  void SetUp() override {
    directory = testing::TempDir() + "ptxas-test-" + std::to_string(getpid());
    mkdir(directory.c_str(), 0700);
    if (const char *value = std::getenv("DIETCODE_PTXAS"))
      before = value;
    unsetenv("DIETCODE_PTXAS");
  }
  void TearDown() override {
    setenv("DIETCODE_PTXAS", before.c_str(), 1);
    for (const std::string &file : files)
      std::remove(file.c_str());
    rmdir(directory.c_str());
  }
  /// Makes a script the ptxas to use.
  std::string script(const std::string &name, const std::string &body) {
    std::string path = directory + "/" + name;
    std::ofstream(path) << "#!/bin/sh\n" << body << "\n";
    chmod(path.c_str(), 0700);
    files.push_back(path);
    setenv("DIETCODE_PTXAS", path.c_str(), 1);
    return path;
  }
  std::string directory, before;
  std::vector<std::string> files;
};

const char *output =
    "ptxas warning : For entry k adjusting per thread register count\n"
    "ptxas info    : 0 bytes gmem, 8 bytes cmem[4]\n"
    "ptxas info    : Compiling entry function 'k' for 'sm_75'\n"
    "ptxas info    : Function properties for k\n"
    "    40 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads\n"
    "ptxas info    : Used 127 registers, used 1 barriers, 104 bytes cumulative "
    "stack size, 16896 bytes smem, 380 bytes cmem[0]\n"
    "ptxas info    : Compile time = 7.124 ms\n"
    "ptxas info    : Function properties for helper\n"
    "    99 bytes stack frame, 98 bytes spill stores, 97 bytes spill loads\n"
    "ptxas info    : Compiling entry function 'l' for 'sm_75'\n"
    "ptxas info    : Function properties for l\n"
    "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 6 registers, 360 bytes cmem[0]\n";

TEST_F(Ptxas, OutputIsRead) {
  PtxasReport report = parsePtxasOutput(output);
  ASSERT_EQ(report.kernels.size(), 2u);
  const PtxasKernel *k = report.lookup("k");
  ASSERT_NE(k, nullptr);
  EXPECT_EQ(k->registers, 127);
  EXPECT_EQ(k->barriers, 1);
  EXPECT_EQ(k->stackBytes, 104);
  EXPECT_EQ(k->spillStoreBytes, 12);
  EXPECT_EQ(k->spillLoadBytes, 16);
  EXPECT_EQ(k->sharedBytes, 16896);
  EXPECT_EQ(report.lookup("l")->registers, 6);
  EXPECT_EQ(report.lookup("m"), nullptr);
  EXPECT_NE(report.warnings.find("adjusting"), std::string::npos);
  EXPECT_TRUE(parsePtxasOutput("").kernels.empty());
  EXPECT_TRUE(parsePtxasOutput("Used ' registers\nFunction").kernels.empty());
}

TEST_F(Ptxas, IsFoundWhereItIs) {
  std::string path = script("ptxas", "exit 0");
  EXPECT_EQ(findPtxas(), path);
  setenv("DIETCODE_PTXAS", "none", 1);
  EXPECT_EQ(findPtxas(), "");
  PtxasOutcome outcome = runPtxas("", "sm_75", "a.ptx");
  EXPECT_EQ(outcome.status, PtxasStatus::Absent);
  unsetenv("DIETCODE_PTXAS");
  std::string old = std::getenv("PATH");
  setenv("PATH", (":/nonexistent:" + directory).c_str(), 1);
  EXPECT_EQ(findPtxas(), path);
  setenv("PATH", old.c_str(), 1);
}

TEST_F(Ptxas, GetsTheTextAndTheChip) {
  script("echo", "test \"$1\" = --version && echo 'release 99.1, V9' && exit\n"
                 "echo \"ptxas info : Compiling entry function '$2' for 'x'\"\n"
                 "read n < $3; echo \"Used $n registers\"");
  PtxasOutcome outcome = runPtxas("77\n", "sm_75", "a.ptx");
  ASSERT_EQ(outcome.status, PtxasStatus::Ok) << outcome.message;
  EXPECT_EQ(outcome.report.version, "99.1");
  ASSERT_NE(outcome.report.lookup("-arch=sm_75"), nullptr);
  EXPECT_EQ(outcome.report.lookup("-arch=sm_75")->registers, 77);
}

TEST_F(Ptxas, RefusalNamesTheModule) {
  script("no", "echo 'ptxas /dev/fd/3, line 4; error   : Unknown symbol' >&2\n"
               "echo 'ptxas fatal   : Ptx assembly aborted due to errors' >&2\n"
               "exit 255");
  PtxasOutcome outcome = runPtxas("x", "sm_75", "my.ptx");
  EXPECT_EQ(outcome.status, PtxasStatus::Refused);
  EXPECT_EQ(outcome.message, "ptxas my.ptx, line 4; error   : Unknown symbol");
  script("no2", "echo 'ptxas fatal   : Value sm_70 is not defined'; exit 1");
  outcome = runPtxas("x", "sm_70", "my.ptx");
  EXPECT_EQ(outcome.status, PtxasStatus::Refused);
  EXPECT_EQ(outcome.message, "ptxas fatal   : Value sm_70 is not defined");
}

TEST_F(Ptxas, FailuresAreNoRefusals) {
  script("crash", "kill -SEGV $$");
  EXPECT_EQ(runPtxas("x", "sm_75", "a").status, PtxasStatus::Failed);
  setenv("DIETCODE_PTXAS", "/nonexistent/ptxas", 1);
  PtxasOutcome outcome = runPtxas("x", "sm_75", "a");
  EXPECT_EQ(outcome.status, PtxasStatus::Failed);
  EXPECT_EQ(outcome.message, "cannot run '/nonexistent/ptxas'");
}

TEST_F(Ptxas, TimeIsLimited) {
  std::string path = script("slow", "test \"$1\" = --version && exit\n"
                                    "echo $$ > " +
                                        directory + "/pid; exec sleep 100");
  files.push_back(directory + "/pid");
  auto start = std::chrono::steady_clock::now();
  PtxasOptions options;
  options.timeoutSeconds = 0.3;
  PtxasOutcome outcome = runPtxas("x", "sm_75", "a.ptx", options);
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(outcome.status, PtxasStatus::Failed);
  EXPECT_NE(outcome.message.find("took more than"), std::string::npos);
  EXPECT_LT(took.count(), 20);
  // Nothing is left running.
  pid_t pid = 0;
  std::ifstream(directory + "/pid") >> pid;
  ASSERT_GT(pid, 0);
  EXPECT_NE(access(("/proc/" + std::to_string(pid)).c_str(), F_OK), 0);
}

TEST_F(Ptxas, OutcomesAreKept) {
  std::string count = directory + "/count";
  files.push_back(count);
  script("counting", "test \"$1\" = --version && exit\necho x >> " + count);
  auto runs = [&] {
    std::ifstream in(count);
    return std::count(std::istreambuf_iterator<char>(in), {}, '\n');
  };
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(runPtxas("x", "sm_75", "a").status, PtxasStatus::Ok);
  EXPECT_EQ(runs(), 1);
  runPtxas("x", "sm_80", "a");
  runPtxas("y", "sm_75", "a");
  EXPECT_EQ(runs(), 3);
  PtxasOptions options;
  options.useCache = false;
  runPtxas("x", "sm_75", "a", options);
  EXPECT_EQ(runs(), 4);
}

TEST_F(Ptxas, ManyThreads) {
  script("echo", "test \"$1\" = --version && exit\n"
                 "echo \"Compiling entry function 'k' for 'x'\"\n"
                 "read n < $3; echo \"Used $n registers\"");
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&wrong, t] {
      for (int i = 0; i < 10; ++i) {
        int n = 10 * t + i;
        PtxasOutcome outcome = runPtxas(std::to_string(n) + "\n", "sm_75", "a");
        const PtxasKernel *k = outcome.report.lookup("k");
        wrong += !k || k->registers != n;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(Ptxas, TheRealOne) {
  if (findPtxas().empty())
    GTEST_SKIP() << "there is no ptxas";
  std::string head = ".version 7.0\n.target sm_75\n.address_size 64\n";
  PtxasOutcome outcome =
      runPtxas(head + ".entry k() .maxntid 256 { .shared .b32 s[25]; .reg "
                      ".b32 %r<2>; mov.b32 %r1, s; st.shared.b32 [%r1], %r1; "
                      "ret; }",
               "sm_75", "k.ptx");
  ASSERT_EQ(outcome.status, PtxasStatus::Ok) << outcome.message;
  EXPECT_FALSE(outcome.report.version.empty());
  ASSERT_NE(outcome.report.lookup("k"), nullptr);
  EXPECT_EQ(outcome.report.lookup("k")->sharedBytes, 100);
  outcome = runPtxas(head + ".entry k() { foo.bar; }", "sm_75", "bad.ptx");
  EXPECT_EQ(outcome.status, PtxasStatus::Refused);
  EXPECT_NE(outcome.message.find("bad.ptx, line 4; error"), std::string::npos)
      << outcome.message;
}

} // namespace
