//===- Document.cpp - JSON and UBJSON, parsed with limits -----------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Document.h"

#include <cstddef>
#include <utility>

using namespace dietcode;

namespace {

/// Deeper than any model file, which has ten levels. The parser of UBJSON calls
/// itself at each level.
constexpr size_t kMaxDepth = 32;

/// Builds a Document. What nlohmann's own builder lacks are the limits.
class Builder : public nlohmann::json_sax<Document> {
public:
  /// No value of a file that is written here takes less than one byte, but in
  /// UBJSON a dozen bytes can claim to be any number of nulls.
  explicit Builder(size_t maxValues) : valuesLeft(maxValues) {}

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(int64_t value) override { return add(value); }
  bool number_unsigned(uint64_t value) override { return add(value); }
  bool number_float(float value, const std::string &) override {
    return add(value);
  }
  bool string(std::string &value) override {
    return isUtf8(value) && add(std::move(value));
  }
  bool binary(Document::binary_t &) override { return false; }

  bool key(std::string &value) override {
    name = std::move(value);
    return isUtf8(name);
  }
  bool start_object(std::size_t) override { return open(Document::object()); }
  bool start_array(std::size_t) override { return open(Document::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool parse_error(std::size_t position, const std::string &,
                   const nlohmann::detail::exception &) override {
    errorPosition = position;
    return false;
  }

  Document root;
  size_t errorPosition = 0;

private:
  bool add(Document value) { return place(std::move(value)) != nullptr; }

  /// Puts a value where it belongs, and returns where that is.
  Document *place(Document value) {
    if (valuesLeft == 0)
      return nullptr;
    --valuesLeft;
    if (stack.empty())
      return &(root = std::move(value));
    Document &parent = *stack.back();
    if (parent.is_object())
      return &(parent[name] = std::move(value));
    parent.push_back(std::move(value));
    return &parent.back();
  }

  bool open(Document container) {
    if (stack.size() == kMaxDepth)
      return false;
    Document *placed = place(std::move(container));
    if (placed)
      stack.push_back(placed);
    return placed != nullptr;
  }

  bool close() {
    stack.pop_back();
    return true;
  }

  std::vector<Document *> stack; ///< Containers that are still open.
  std::string name;              ///< Of the next member.
  size_t valuesLeft;
};

} // namespace

/// What follows the brace is a quote or a space in JSON, and in UBJSON a size
/// or the type of a size.
static bool isUbj(std::string_view bytes) {
  return bytes.size() > 1 && bytes[0] == '{' &&
         std::string_view("iUIlL$#").find(bytes[1]) != std::string_view::npos;
}

Expected<Document> dietcode::parseDocument(std::string_view bytes) {
  if (bytes.empty())
    return fail("is empty");
  if (bytes[0] != '{')
    return fail("is neither JSON nor UBJSON");
  Builder builder(bytes.size());
  auto format = isUbj(bytes) ? nlohmann::detail::input_format_t::ubjson
                             : nlohmann::detail::input_format_t::json;
  if (Document::sax_parse(bytes.begin(), bytes.end(), &builder, format))
    return std::move(builder.root);
  // The parsers stand behind the last byte when they miss the next one.
  if (builder.errorPosition > bytes.size())
    return fail("is cut off after " + std::to_string(bytes.size()) + " bytes");
  return fail("is damaged" +
              (builder.errorPosition > 0
                   ? " at byte " + std::to_string(builder.errorPosition)
                   : std::string()));
}

bool dietcode::isUtf8(const std::string &text) {
  try {
    static_cast<void>(Document(text).dump()); // The only check there is.
    return true;
  } catch (const Document::type_error &) {
    return false;
  }
}

std::string dietcode::writeDocument(const Document &document,
                                    Booster::Format format) {
  if (format == Booster::Format::Json)
    return document.dump();
  std::string bytes;
  Document::to_ubjson(document, bytes, /*use_size=*/true, /*use_type=*/true);
  return bytes;
}

const Document *dietcode::findMember(const Document *object,
                                     const std::string &name) {
  if (!object || !object->is_object())
    return nullptr;
  auto member = object->find(name);
  return member == object->end() ? nullptr : &*member;
}

std::string dietcode::stringMember(const Document *object,
                                   const std::string &name) {
  const Document *member = findMember(object, name);
  return member && member->is_string() ? member->get<std::string>()
                                       : std::string();
}
