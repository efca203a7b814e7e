//===- RecordTesting.h - Records and files for tests ------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TEST_UNIT_RECORD_RECORDTESTING_H
#define DIETCODE_TEST_UNIT_RECORD_RECORDTESTING_H

#include "dietcode/Record/RecordFile.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>

namespace dietcode {

/// A folder that goes with the test.
class TestFolder {
public:
  TestFolder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "dietcode-XXXXXX").string();
    root = ::mkdtemp(name.data());
  }
  ~TestFolder() { std::filesystem::remove_all(root); }
  std::string path(const std::string &name = "") const {
    return name.empty() ? root : root + "/" + name;
  }

private:
  std::string root;
};

inline std::string contentsOf(const std::string &path) {
  std::ifstream stream(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

inline void writeTo(const std::string &path, const std::string &text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// A record whose key is told by `schedule`.
inline Record makeRecord(const std::string &schedule, double seconds = 0.5) {
  Record record;
  record.op = "matmul f32 nt";
  record.schedule = schedule;
  record.twin = "aligned";
  record.device = "virtual:t4";
  record.toolchain = "test";
  record.registers = 128;
  record.threads = 256;
  record.verified = true;
  record.runs.push_back({{{"m", 64}, {"n", 32}, {"k", 8}}, 2, seconds, ""});
  return record;
}

template <typename T>
std::string messageOf(const Expected<T> &result) {
  return result ? "(no error)" : result.error().message;
}

} // namespace dietcode

#endif // DIETCODE_TEST_UNIT_RECORD_RECORDTESTING_H
