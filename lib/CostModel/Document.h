//===- Document.h - JSON and UBJSON, parsed with limits ---------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tree of values between files and boosters. Numbers with a fraction are
// float, as in XGBoost: so they keep their bits in UBJSON and take at most nine
// digits in JSON.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_COSTMODEL_DOCUMENT_H
#define DIETCODE_COSTMODEL_DOCUMENT_H

#include "dietcode/CostModel/Booster.h"
#include "dietcode/Support/Expected.h"

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace dietcode {

using Document = nlohmann::basic_json<std::map, std::vector, std::string, bool,
                                      int64_t, uint64_t, float>;

/// Parses bytes of either format. Nesting and the number of values are limited,
/// so that no bytes exhaust the stack or the memory. The message of an error is
/// a predicate, e.g. "is cut off after 100 bytes".
Expected<Document> parseDocument(std::string_view bytes);

bool isUtf8(const std::string &text);

/// Strings in it must be UTF-8, as those of a parsed document are.
std::string writeDocument(const Document &document, Booster::Format format);

/// The member of an object, or null: no such member, or no object.
const Document *findMember(const Document *object, const std::string &name);

/// The member, if it is a string, and else an empty one.
std::string stringMember(const Document *object, const std::string &name);

} // namespace dietcode

#endif // DIETCODE_COSTMODEL_DOCUMENT_H
