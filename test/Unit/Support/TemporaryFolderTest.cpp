//===- TemporaryFolderTest.cpp - Tests of folders that go -----------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Support/TemporaryFolder.h"
#include <csignal>
#include <filesystem>
#include <gtest/gtest.h>
#include <optional>
#include <sys/wait.h>
#include <unistd.h>

using namespace dietcode;
namespace fs = std::filesystem;

static size_t countFolders(const std::string &in) {
  return std::distance(fs::directory_iterator(in), fs::directory_iterator());
}

namespace {
class TemporaryFolderTest : public testing::Test {
protected:
  void SetUp() override {
    const char *old = std::getenv("TMPDIR");
    before = old ? old : "";
    auto made = TemporaryFolder::create("dietcode-folder-test");
    ASSERT_TRUE(made) << made.error().message;
    parent.emplace(std::move(*made));
    ::setenv("TMPDIR", parent->path().c_str(), 1);
  }
  void TearDown() override {
    if (before.empty())
      ::unsetenv("TMPDIR");
    else
      ::setenv("TMPDIR", before.c_str(), 1);
  }

  std::string before;
  std::optional<TemporaryFolder> parent;
};
} // namespace

TEST_F(TemporaryFolderTest, IsRemovedWithItsContents) {
  {
    auto folder = TemporaryFolder::create("a");
    ASSERT_TRUE(folder);
    fs::create_directories(folder->path() + "/b/c");
    TemporaryFolder moved = std::move(*folder);
    EXPECT_TRUE(fs::exists(moved.path() + "/b/c"));
  }
  EXPECT_EQ(countFolders(parent->path()), 0u);
}

TEST_F(TemporaryFolderTest, LeavesFoldersInUseAlone) {
  auto first = TemporaryFolder::create("a");
  auto second = TemporaryFolder::create("a");
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(fs::exists(first->path()));
  EXPECT_EQ(countFolders(parent->path()), 2u);
}

TEST_F(TemporaryFolderTest, RemovesWhatKilledProcessesLeave) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  pid_t pid = ::fork();
  if (pid == 0) {
    auto folder = TemporaryFolder::create("a");
    fs::create_directories(folder->path() + "/b");
    if (::write(ends[1], "x", 1) == 1)
      while (true)
        ::pause();
    ::_exit(1);
  }
  char byte = 0;
  ASSERT_EQ(::read(ends[0], &byte, 1), 1);
  fs::create_directories(parent->path() + "/other-a-folder");
  auto during = TemporaryFolder::create("a");
  EXPECT_EQ(countFolders(parent->path()), 3u);
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
  auto after = TemporaryFolder::create("a");
  ASSERT_TRUE(during && after);
  EXPECT_EQ(countFolders(parent->path()), 3u);
  EXPECT_TRUE(fs::exists(during->path()));
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(TemporaryFolderTest, SaysWhereNoneCanBeMade) {
  ::setenv("TMPDIR", (parent->path() + "/missing").c_str(), 1);
  auto folder = TemporaryFolder::create("a");
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().message, "cannot make a folder in '" +
                                        parent->path() +
                                        "/missing': No such file or directory");
}
