//===- Npy.cpp - Arrays in NumPy's file format ----------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Run/Npy.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <limits>
#include <optional>

using llvm::StringRef;

namespace dietcode {
namespace {

constexpr StringRef kMagic("\x93NUMPY", 6);

struct TypeName {
  StringRef descr;
  ElementKind kind;
};

constexpr TypeName kTypeNames[] = {
    {"<f2", ElementKind::F16}, {"<f4", ElementKind::F32},
    {"<f8", ElementKind::F64}, {"|i1", ElementKind::I8},
    {"<i2", ElementKind::I16}, {"<i4", ElementKind::I32},
    {"<i8", ElementKind::I64},
};

/// The text of a header and where the data starts.
struct Header {
  StringRef dictionary;
  size_t dataOffset;
};

/// A file starts with the magic string, two bytes of version, the length of the
/// header (two bytes in version 1, four later), and the header itself.
std::optional<Header> splitHeader(StringRef bytes) {
  if (!bytes.starts_with(kMagic) || bytes.size() < 10)
    return std::nullopt;
  size_t lengthBytes = bytes[6] == 1 ? 2 : 4;
  size_t start = 8 + lengthBytes;
  if (bytes.size() < start)
    return std::nullopt;
  size_t length = 0;
  for (size_t i = 0; i < lengthBytes; ++i)
    length |= static_cast<size_t>(static_cast<unsigned char>(bytes[8 + i]))
              << (8 * i);
  if (bytes.size() - start < length)
    return std::nullopt;
  return Header{bytes.substr(start, length), start + length};
}

/// The value of `key` in the Python dictionary of a header, up to the comma or
/// the parenthesis that ends it; empty when there is none.
StringRef findValue(StringRef dictionary, StringRef key) {
  std::string quoted = "'" + key.str() + "'";
  size_t at = dictionary.find(quoted);
  if (at == StringRef::npos)
    return {};
  StringRef rest = dictionary.substr(at + quoted.size()).ltrim();
  if (!rest.consume_front(":"))
    return {};
  rest = rest.ltrim();
  if (rest.consume_front("("))
    return rest.take_until([](char c) { return c == ')'; });
  return rest.take_until([](char c) { return c == ',' || c == '}'; }).rtrim();
}

std::optional<ElementKind> parseDescr(StringRef descr) {
  descr = descr.trim("'\"");
  for (const TypeName &type : kTypeNames)
    if (descr == type.descr)
      return type.kind;
  return std::nullopt;
}

std::optional<std::vector<int64_t>> parseSizes(StringRef text) {
  std::vector<int64_t> sizes;
  for (StringRef piece : llvm::split(text, ',')) {
    piece = piece.trim();
    if (piece.empty())
      continue;
    int64_t size;
    if (piece.getAsInteger(10, size) || size < 0)
      return std::nullopt;
    sizes.push_back(size);
  }
  return sizes;
}

/// The bytes of an array, or nothing if that is no number of bytes.
std::optional<uint64_t> dataSize(ElementKind kind,
                                 const std::vector<int64_t> &sizes) {
  uint64_t bytes = byteSize(kind);
  for (int64_t size : sizes)
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(size), &bytes))
      return std::nullopt;
  return bytes;
}

} // namespace

Expected<NpyArray> decodeNpy(std::string_view contents,
                             const std::string &name) {
  StringRef bytes(contents);
  std::optional<Header> header = splitHeader(bytes);
  if (!header)
    return fail(name + ": not an .npy file, or one that is cut off within its "
                       "header");
  StringRef descr = findValue(header->dictionary, "descr");
  std::optional<ElementKind> kind = parseDescr(descr);
  if (!kind)
    return fail(name + ": element type " + descr.str() +
                " is not one of '<f2', '<f4', '<f8', '|i1', '<i2', '<i4', "
                "'<i8'");
  if (findValue(header->dictionary, "fortran_order") != "False")
    return fail(name + ": the array is in Fortran order; save it with "
                       "numpy.ascontiguousarray");
  std::optional<std::vector<int64_t>> sizes =
      parseSizes(findValue(header->dictionary, "shape"));
  std::optional<uint64_t> expected =
      sizes ? dataSize(*kind, *sizes) : std::nullopt;
  if (!expected)
    return fail(name + ": the shape in the header is malformed");
  StringRef data = bytes.substr(header->dataOffset);
  if (data.size() != *expected)
    return fail(name + ": holds " + std::to_string(data.size()) +
                " bytes of data, but its shape and type need " +
                std::to_string(*expected));
  return NpyArray{*kind, std::move(*sizes),
                  std::vector<char>(data.begin(), data.end())};
}

std::string encodeNpy(const NpyArray &array) {
  StringRef descr;
  for (const TypeName &type : kTypeNames)
    if (type.kind == array.kind)
      descr = type.descr;
  std::string shape;
  for (int64_t size : array.sizes)
    shape += std::to_string(size) + ",";
  std::string header = "{'descr': '" + descr.str() +
                       "', 'fortran_order': False, 'shape': (" + shape + "), }";
  // Data start at a multiple of 64, and the header ends in a newline.
  size_t unpadded = kMagic.size() + 4 + header.size() + 1;
  header.append((64 - unpadded % 64) % 64, ' ');
  header += '\n';
  std::string bytes = kMagic.str();
  bytes += '\x01';
  bytes += '\x00';
  bytes += static_cast<char>(header.size() & 0xFF);
  bytes += static_cast<char>(header.size() >> 8);
  bytes += header;
  bytes.append(array.data.begin(), array.data.end());
  return bytes;
}

Expected<NpyArray> readNpy(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return fail(path + ": cannot be read: " + buffer.getError().message());
  return decodeNpy((*buffer)->getBuffer(), path);
}

Expected<void> writeNpy(const std::string &path, const NpyArray &array) {
  auto writeAll = [&](llvm::raw_ostream &os) {
    os << encodeNpy(array);
    return llvm::Error::success();
  };
  if (llvm::Error error = llvm::writeToOutput(path, writeAll))
    return fail("cannot write " + llvm::toString(std::move(error)));
  return {};
}

} // namespace dietcode
