//===- RecordWriter.cpp - Appending and rewriting records -----------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LockedFile.h"
#include "dietcode/Record/RecordFile.h"
#include "dietcode/Support/File.h"
#include <cctype>
#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>

using namespace dietcode;

static tl::unexpected<Error> cannotAppend(const std::string &path, int error) {
  return fail("cannot append to '" + path + "': " + errnoText(error));
}

/// Refuses a file that records would spoil.
static Expected<bool> checkKind(const std::string &path, int file) {
  struct stat info;
  if (::fstat(file, &info) != 0 || !S_ISREG(info.st_mode))
    return true;
  char first = ' ';
  for (off_t at = 0; std::isspace(static_cast<unsigned char>(first)); ++at)
    if (::pread(file, &first, 1, at) != 1)
      return true;
  if (first == '{')
    return true;
  return fail("'" + path +
              "' is no file of records: its first line is no JSON object");
}

Expected<RecordWriter> RecordWriter::open(const std::string &path) {
  Expected<LockedFile> file = LockedFile::open(path, LockedFile::Append);
  if (!file)
    return tl::unexpected(file.error());
  if (Expected<bool> ok = checkKind(path, file->descriptor()); !ok)
    return tl::unexpected(ok.error());
  return RecordWriter(path);
}

/// One write unless there is no room for all: the second one then tells why.
/// Returns errno, or 0.
static int appendText(int file, std::string_view text) {
  while (!text.empty()) {
    ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno != EINTR)
      return errno;
    if (written > 0)
      text.remove_prefix(static_cast<size_t>(written));
  }
  return 0;
}

Expected<bool> RecordWriter::append(const std::vector<Record> &records) {
  if (records.empty())
    return true;
  Expected<LockedFile> file = LockedFile::open(path, LockedFile::Append);
  if (!file)
    return tl::unexpected(file.error());
  std::string text = printRecords(records);
  int descriptor = file->descriptor();
  struct stat info;
  if (::fstat(descriptor, &info) != 0)
    return cannotAppend(path, errno);
  bool isRegular = S_ISREG(info.st_mode);
  char last = '\n';
  if (isRegular && info.st_size > 0 &&
      ::pread(descriptor, &last, 1, info.st_size - 1) != 1)
    return cannotAppend(path, errno);
  if (last != '\n')
    text.insert(0, "\n");
  int error = appendText(descriptor, text);
  if (!error)
    return true;
  if (isRegular && ::ftruncate(descriptor, info.st_size) != 0)
    return fail("cannot append to '" + path + "': " + errnoText(error) +
                "; its last line may be cut short");
  return cannotAppend(path, error);
}

Expected<bool> dietcode::appendRecords(const std::string &path,
                                       const std::vector<Record> &records) {
  Expected<RecordWriter> writer = RecordWriter::open(path);
  if (!writer)
    return tl::unexpected(writer.error());
  return writer->append(records);
}

Expected<bool> dietcode::rewriteRecords(
    const std::string &path,
    const std::function<Expected<std::vector<Record>>(LoadedRecords)> &edit) {
  Expected<LockedFile> file = LockedFile::open(path, LockedFile::Edit);
  if (!file)
    return tl::unexpected(file.error());
  Expected<std::string> text = readDescriptor(file->descriptor(), path);
  if (!text)
    return tl::unexpected(text.error());
  Expected<LoadedRecords> loaded = parseRecords(*text, path);
  if (!loaded)
    return tl::unexpected(loaded.error());
  Expected<std::vector<Record>> edited = edit(std::move(*loaded));
  if (!edited)
    return tl::unexpected(edited.error());
  return writeFileAtomically(path, printRecords(*edited));
}
