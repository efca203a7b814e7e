//===- Modules.h - Modules on a CUDA device ---------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver takes tens of milliseconds to assemble PTX. So programs that load
// the same text share a module, and the last few stay loaded when nobody uses
// them. A module with variables of its own is neither shared nor kept, since
// kernels may have written them.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_RUNTIME_CUDA_MODULES_H
#define DIETCODE_LIB_RUNTIME_CUDA_MODULES_H

#include "Streams.h"
#include <list>

namespace dietcode::runtime {

/// A module of the driver, for as long as somebody shares it.
struct CudaImage {
  CudaImage(CudaSession &session, CudaStreams &streams)
      : session(session), streams(streams) {}
  ~CudaImage();
  CudaImage(const CudaImage &) = delete;
  CudaImage &operator=(const CudaImage &) = delete;

  CudaSession &session;
  CudaStreams &streams;
  cuda::ModuleHandle handle = nullptr; ///< Null: none was loaded.
};

struct CudaFunction : Function {
  CudaFunction(std::string name, std::shared_ptr<CudaImage> image)
      : Function(std::move(name)), image(std::move(image)) {}

  const std::shared_ptr<CudaImage> image;
  cuda::Function handle = nullptr;
  int64_t staticSharedBytes = 0;
  std::optional<size_t> paramCount; ///< If the driver tells.
  /// Most dynamic shared memory that launches may have.
  std::atomic<int64_t> mostDynamic = 0;
};

class CudaModule : public Module {
public:
  CudaModule(std::shared_ptr<CudaImage> image, std::string name)
      : image(std::move(image)), name(std::move(name)) {}
  Result<std::shared_ptr<Function>> find(const std::string &kernel) override;

private:
  const std::shared_ptr<CudaImage> image;
  const std::string name;
};

class CudaModules {
public:
  CudaModules(CudaSession &session, CudaStreams &streams)
      : session(session), streams(streams) {}

  /// In the context. `name` is what errors call the module.
  Result<std::shared_ptr<Module>> load(const ModuleImage &image,
                                       std::string name);

private:
  Result<std::shared_ptr<CudaImage>> assemble(const char *image,
                                              const std::string &name);

  struct Cached {
    std::string text;
    std::shared_ptr<CudaImage> image;
  };

  CudaSession &session;
  CudaStreams &streams;
  std::mutex mutex;
  std::list<Cached> cache; ///< The latest first.
};

} // namespace dietcode::runtime

#endif // DIETCODE_LIB_RUNTIME_CUDA_MODULES_H
