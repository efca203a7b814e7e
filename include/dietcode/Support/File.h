//===- File.h - Reading and replacing files ---------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_SUPPORT_FILE_H
#define DIETCODE_SUPPORT_FILE_H

#include "dietcode/Support/Expected.h"
#include <string>
#include <string_view>

namespace dietcode {

/// The contents of a file, or one message that names it.
Expected<std::string> readFile(const std::string &path);
/// The rest of an open file, which messages call `path`.
Expected<std::string> readDescriptor(int descriptor, const std::string &path);

/// Whether a file has to survive a crash of the machine: it takes milliseconds.
enum class Durability { Process, Machine };

/// Makes `text` the contents of `path`: a temporary next to it is written and
/// renamed, so that the file is the old or the new one at any time, whatever
/// fails. What is no regular file, such as a pipe, is written to directly, and
/// "-" is standard output.
Expected<bool> writeFileAtomically(const std::string &path,
                                   std::string_view text,
                                   Durability durability = Durability::Machine);

/// Whether `writeFileAtomically` could write `path` now, to say so before what
/// is to be written has taken an hour.
Expected<bool> checkWritable(const std::string &path);

/// What errno says, e.g. "No space left on device".
std::string errnoText(int error);

} // namespace dietcode

#endif // DIETCODE_SUPPORT_FILE_H
