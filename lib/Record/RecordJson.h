//===- RecordJson.h - Records and JSON values -------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_RECORD_RECORDJSON_H
#define DIETCODE_LIB_RECORD_RECORDJSON_H

#include <string>

namespace dietcode {

/// Both of two objects of unknown fields; of equal names the newer one's.
std::string mergeUnknown(const std::string &older, const std::string &newer);

} // namespace dietcode

#endif // DIETCODE_LIB_RECORD_RECORDJSON_H
