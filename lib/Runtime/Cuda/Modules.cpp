//===- Modules.cpp - Modules on a CUDA device -----------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Modules.h"
#include <algorithm>
#include <sstream>

using namespace dietcode;
using namespace dietcode::runtime;

/// Modules that are kept.
static constexpr size_t kMostCached = 8;

/// Nobody is there to hear of an error; the next call meets it.
CudaImage::~CudaImage() {
  if (!handle)
    return;
  (void)inContext(session, [&]() -> Result<bool> {
    // Kernels of it may still run.
    if (Result<bool> asked = streams.poll();
        asked && !streams.isDone(streams.now()))
      session.driver.synchronize();
    session.driver.unloadModule(handle);
    return true;
  });
}

Result<std::shared_ptr<Function>> CudaModule::find(const std::string &kernel) {
  CudaSession &session = image->session;
  const cuda::Driver &driver = session.driver;
  return inContext(session, [&]() -> Result<std::shared_ptr<Function>> {
    auto function = std::make_shared<CudaFunction>(kernel, image);
    cuda::Result result =
        driver.getFunction(&function->handle, image->handle, kernel.c_str());
    if (result == cuda::kNotFound)
      return fail(name + ": there is no kernel '" + kernel + "'");
    int bytes = 0;
    if (result == cuda::kSuccess)
      result = driver.functionAttribute(&bytes, cuda::kFunctionSharedBytes,
                                        function->handle);
    if (result != cuda::kSuccess)
      return tl::unexpected(
          session.failure(name + ": kernel '" + kernel + "'", result));
    function->staticSharedBytes = bytes;
    function->mostDynamic = session.spec.staticSharedPerBlock - bytes;
    size_t count = 0, offset = 0, size = 0;
    while (driver.paramInfo &&
           driver.paramInfo(function->handle, count, &offset, &size) == 0)
      ++count;
    if (driver.paramInfo)
      function->paramCount = count;
    return function;
  });
}

/// Whether PTX declares variables in global memory. Constants are none.
static bool hasVariables(const std::string &text) {
  constexpr std::string_view kDirective = ".global";
  for (size_t at = text.find(kDirective); at != std::string::npos;
       at = text.find(kDirective, at + 1)) {
    // Loads and stores have it in the middle of a word.
    bool startsWord = at == 0 || std::isspace(text[at - 1]);
    size_t end = at + kDirective.size();
    if (startsWord && end < text.size() && std::isspace(text[end]))
      return true;
  }
  return false;
}

Result<std::shared_ptr<CudaImage>>
CudaModules::assemble(const char *image, const std::string &name) {
  auto assembled = std::make_shared<CudaImage>(session, streams);
  cuda::LoadResult loaded = session.driver.load(image);
  assembled->handle = loaded.module;
  if (loaded.result == cuda::kSuccess)
    return assembled;
  RuntimeFailure failure = session.failure(name, loaded.result);
  failure.message = cuda::loadError(session.driver, name, loaded).message;
  return tl::unexpected(std::move(failure));
}

Result<std::shared_ptr<Module>> CudaModules::load(const ModuleImage &image,
                                                  std::string name) {
  std::string text;
  if (image.format == ImageFormat::Ptx)
    text = image.bytes;
  if (image.format != ImageFormat::Ptx || hasVariables(text)) {
    const char *data =
        image.format == ImageFormat::Ptx ? text.c_str() : image.bytes.data();
    return assemble(data, name).map([&](std::shared_ptr<CudaImage> loaded) {
      return std::shared_ptr<Module>(
          std::make_shared<CudaModule>(std::move(loaded), name));
    });
  }
  // Assembling under the lock: of two threads with the same text, one waits.
  std::list<Cached> dropped;
  std::lock_guard<std::mutex> lock(mutex);
  auto known =
      std::find_if(cache.begin(), cache.end(),
                   [&](const Cached &each) { return each.text == text; });
  if (known == cache.end()) {
    Result<std::shared_ptr<CudaImage>> loaded = assemble(text.c_str(), name);
    if (!loaded)
      return tl::unexpected(loaded.error());
    cache.push_front({std::move(text), std::move(*loaded)});
  } else {
    cache.splice(cache.begin(), cache, known);
  }
  if (cache.size() > kMostCached)
    dropped.splice(dropped.begin(), cache, std::prev(cache.end()));
  return std::make_shared<CudaModule>(cache.front().image, std::move(name));
}
