//===- ProgramFile.cpp - Compiled programs as bytes -----------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramFile.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/xxhash.h"

using namespace dietcode;
using namespace dietcode::capi;
using namespace mlir;

static constexpr llvm::StringLiteral magic = "DIETPROG";
static constexpr uint32_t formatVersion = 1;
static constexpr size_t hashOffset = 16, sizesOffset = 24, partsOffset = 48;

template <typename T>
static void append(std::string &bytes, T value) {
  char buffer[sizeof(T)];
  llvm::support::endian::write<T>(buffer, value, llvm::endianness::little);
  bytes.append(buffer, sizeof(T));
}

template <typename T>
static T read(StringRef bytes, size_t offset) {
  return llvm::support::endian::read<T>(bytes.data() + offset,
                                        llvm::endianness::little);
}

static std::string declare(ArrayRef<mlir::dietcode::EntrySignature> entries) {
  std::string text;
  for (const auto &entry : entries)
    text += "func.func private @" + entry.name + entry.type + "\n";
  return text;
}

std::string capi::packProgram(const ProgramParts &parts) {
  std::string declarations = declare(parts.entries);
  std::string body;
  append<uint64_t>(body, declarations.size());
  append<uint64_t>(body, parts.ptx.size());
  append<uint64_t>(body, parts.object.size());
  body += declarations + parts.ptx + parts.object;
  std::string bytes = magic.str();
  append<uint32_t>(bytes, formatVersion);
  append<uint32_t>(bytes, DIETCODE_ABI_VERSION);
  append<uint64_t>(bytes, llvm::xxh3_64bits(StringRef(body)));
  return bytes + body;
}

static Expected<void> checkHeader(StringRef bytes) {
  if (!bytes.starts_with(magic))
    return fail("this is no compiled program");
  if (bytes.size() < partsOffset)
    return fail("the compiled program is truncated");
  if (auto version = read<uint32_t>(bytes, magic.size());
      version != formatVersion)
    return fail("the compiled program is of version " +
                std::to_string(version) +
                " of the format, and this library "
                "reads " +
                std::to_string(formatVersion) + "; compile it again");
  if (auto version = read<uint32_t>(bytes, magic.size() + sizeof(uint32_t));
      version != DIETCODE_ABI_VERSION)
    return fail("the compiled program is for version " +
                std::to_string(version) +
                " of the runtime's interface, and "
                "this library has " +
                std::to_string(DIETCODE_ABI_VERSION) + "; compile it again");
  if (read<uint64_t>(bytes, hashOffset) !=
      llvm::xxh3_64bits(bytes.drop_front(sizesOffset)))
    return fail("the compiled program is truncated or was changed");
  return {};
}

/// The functions that MLIR declares.
static Expected<std::vector<mlir::dietcode::EntrySignature>>
readDeclarations(StringRef text) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<func::FuncDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    return fail("the compiled program declares its functions wrongly");
  std::vector<mlir::dietcode::EntrySignature> entries;
  for (auto function : module->getOps<func::FuncOp>()) {
    auto entry = mlir::dietcode::readSignature(function);
    if (failed(entry))
      return fail("the compiled program declares its functions wrongly");
    entries.push_back(std::move(*entry));
  }
  return entries;
}

Expected<ProgramParts> capi::unpackProgram(StringRef bytes) {
  if (Expected<void> valid = checkHeader(bytes); !valid)
    return tl::unexpected(valid.error());
  StringRef rest = bytes.drop_front(partsOffset);
  StringRef parts[3];
  for (size_t i = 0; i < 3; ++i) {
    auto size = read<uint64_t>(bytes, sizesOffset + i * sizeof(uint64_t));
    if (size > rest.size())
      return fail("the compiled program is truncated or was changed");
    parts[i] = rest.take_front(size);
    rest = rest.drop_front(size);
  }
  auto entries = readDeclarations(parts[0]);
  if (!entries)
    return tl::unexpected(entries.error());
  return ProgramParts{std::move(*entries), parts[1].str(), parts[2].str()};
}
