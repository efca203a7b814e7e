//===- ModelFile.cpp - Trained cost models as files -----------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/CostModel/ModelFile.h"

#include "Document.h"
#include "dietcode/Support/File.h"

#include <cstdint>
#include <optional>
#include <utility>

using namespace dietcode;

/// Raised when a program that reads this format would misread the next one.
static constexpr unsigned kFormat = 1;

/// The member that says what a file is. Members are sorted, so it is the first
/// one and names even a file that cannot be parsed.
static const char *const kHeader = "DietCode";

static std::string inQuotes(std::string_view text) {
  return "'" + std::string(text) + "'";
}

static uint64_t hashBytes(std::string_view bytes,
                          uint64_t hash = 0xcbf29ce484222325) {
  for (char byte : bytes)
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return hash;
}

static std::string hexadecimal(uint64_t value) {
  std::string digits(16, '0');
  for (size_t i = 0; i < 16; ++i)
    digits[i] = "0123456789abcdef"[value >> (60 - 4 * i) & 15];
  return digits;
}

std::string
dietcode::featureSchemaHash(const std::vector<std::string_view> &names) {
  uint64_t hash = hashBytes("");
  for (std::string_view name : names)
    hash = hashBytes(std::string_view("\0", 1), hashBytes(name, hash));
  return hexadecimal(hash);
}

/// Of the values, not of the bytes: a file may be indented, and both spellings
/// of a document have the same. Changes that leave valid trees, but other ones,
/// are noticed by nothing else.
static std::string checksumOf(const Document &file) {
  Document rest = file;
  rest[kHeader].erase("checksum");
  return hexadecimal(hashBytes(rest.dump()));
}

//===----------------------------------------------------------------------===//
// Saving
//===----------------------------------------------------------------------===//

static std::optional<Booster::Format> formatOf(std::string_view path) {
  auto endsWith = [&](std::string_view end) {
    return path.size() > end.size() &&
           path.substr(path.size() - end.size()) == end;
  };
  if (endsWith(".ubj"))
    return Booster::Format::Ubj;
  if (endsWith(".json"))
    return Booster::Format::Json;
  return std::nullopt;
}

/// What to write.
static Expected<Document> documentOf(const NamedBoosters &boosters,
                                     const ModelMetadata &metadata) {
  std::string version =
      metadata.version.empty() ? DIETCODE_VERSION : metadata.version;
  for (const std::string &text : {metadata.device, metadata.schema, version})
    if (!isUtf8(text))
      return fail("its metadata is not UTF-8");
  Document file;
  file[kHeader] = {{"device", metadata.device},
                   {"format", kFormat},
                   {"schema", metadata.schema},
                   {"version", version}};
  file["boosters"] = Document::object();
  for (const auto &[name, booster] : boosters) {
    if (!isUtf8(name))
      return fail("the name of a booster is not UTF-8");
    auto json = parseDocument(booster.serialize(Booster::Format::Json));
    if (!json)
      return fail("booster " + inQuotes(name) + " " + json.error().message);
    file["boosters"][name] = std::move(*json);
  }
  file[kHeader]["checksum"] = checksumOf(file);
  return file;
}

Expected<void> dietcode::saveModel(const std::string &path,
                                   const NamedBoosters &boosters,
                                   const ModelMetadata &metadata) {
  auto format = formatOf(path);
  if (!format)
    return fail("cannot write the cost model " + inQuotes(path) +
                ": its name ends neither in .ubj nor in .json");
  auto document = documentOf(boosters, metadata);
  if (!document)
    return fail("cannot write the cost model " + inQuotes(path) + ": " +
                document.error().message);
  std::string bytes = writeDocument(*document, *format);
  if (auto written = writeFileAtomically(path, bytes); !written)
    return tl::unexpected(written.error());
  return {};
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

/// Tells a file that is broken from one that never was a cost model by how it
/// begins.
static std::string explain(std::string_view bytes, const std::string &error) {
  std::string_view start = bytes.substr(0, 64);
  auto contains = [&](std::string_view text) {
    return start.find(text) != std::string_view::npos;
  };
  if (bytes.empty())
    return "is empty";
  if (contains("learner"))
    return "is a model of XGBoost, but not one that DietCode saved";
  if (contains(kHeader))
    return error;
  return "is not a cost model";
}

/// What the file says about itself must be what is asked for.
static Expected<ModelMetadata> checkHeader(const Document &file,
                                           std::string_view device,
                                           std::string_view schema) {
  const Document *header = findMember(&file, kHeader);
  const Document *format = findMember(header, "format");
  if (!format || !format->is_number_integer())
    return fail("is damaged: it does not say which format it has");
  ModelMetadata metadata = {stringMember(header, "device"),
                            stringMember(header, "schema"),
                            stringMember(header, "version")};
  if (format->get<int64_t>() > kFormat)
    return fail("has format " + format->dump() + " of DietCode " +
                metadata.version + ", which is newer than format " +
                std::to_string(kFormat) +
                " that DietCode " DIETCODE_VERSION " reads");
  if (stringMember(header, "checksum") != checksumOf(file))
    return fail("is damaged: its checksum does not match");
  if (metadata.device != device)
    return fail("was trained for the device " + inQuotes(metadata.device) +
                ", not for " + inQuotes(device));
  if (metadata.schema != schema)
    return fail("was trained on features of schema " + metadata.schema +
                ", not " + std::string(schema) +
                "; train it again with this version");
  return metadata;
}

/// The message of an error is a predicate about the file.
static Expected<SavedModel> readModel(std::string_view bytes,
                                      std::string_view device,
                                      std::string_view schema) {
  auto file = parseDocument(bytes);
  if (!file)
    return fail(explain(bytes, file.error().message));
  if (!findMember(&*file, kHeader))
    return fail(explain(bytes, ""));
  auto metadata = checkHeader(*file, device, schema);
  if (!metadata)
    return tl::unexpected(metadata.error());
  const Document *boosters = findMember(&*file, "boosters");
  if (!boosters || !boosters->is_object())
    return fail("is damaged: it has no boosters");
  SavedModel model = {std::move(*metadata), {}};
  for (const auto &[name, json] : boosters->items()) {
    auto booster = Booster::deserialize(json.dump());
    if (!booster)
      return fail("has a booster " + inQuotes(name) +
                  " that is broken: " + booster.error().message);
    model.boosters.emplace(name, std::move(*booster));
  }
  return model;
}

Expected<SavedModel> dietcode::loadModel(const std::string &path,
                                         std::string_view device,
                                         std::string_view schema) {
  auto bytes = readFile(path);
  if (!bytes)
    return tl::unexpected(bytes.error());
  auto model = readModel(*bytes, device, schema);
  if (!model)
    return fail("the file " + inQuotes(path) + " " + model.error().message);
  return model;
}
