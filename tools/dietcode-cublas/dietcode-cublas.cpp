//===- dietcode-cublas.cpp - Which GPU this is, and what cuBLAS does on it ===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints one line of JSON for the device, and one for each product that cuBLAS
// is to be timed on. Where there is no cuBLAS, the first line says so. Needs no
// LLVM and no CUDA to build.
//
//===----------------------------------------------------------------------===//

#include "CublasTimer.h"
#include "CudaDevice.h"
#include "CudaSpec.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

using namespace dietcode;
using Json = nlohmann::ordered_json;

namespace {

/// That of the PTX of the check.
constexpr int kOldestCapability = 75;

struct Options {
  std::string device{defaultDeviceName};
  std::vector<std::string> products;
  unsigned repetitions = 21;
};

int report(const std::string &error) {
  std::fprintf(stderr, "dietcode-cublas: error: %s\n", error.c_str());
  return 1;
}

void print(const Json &json) {
  std::printf(
      "%s\n",
      json.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
  std::fflush(stdout);
}

Json describe(const Product &product, const std::string &text,
              CublasTimer &timer, unsigned repetitions) {
  Json json = {{"product", text}};
  Expected<std::vector<double>> seconds = timer.time(product, repetitions);
  if (!seconds) {
    json["error"] = seconds.error().message;
    return json;
  }
  std::sort(seconds->begin(), seconds->end());
  json["seconds"] = (*seconds)[seconds->size() / 2];
  json["min"] = seconds->front();
  json["max"] = seconds->back();
  json["repetitions"] = repetitions;
  return json;
}

Expected<std::vector<Product>> parseProducts(const Options &options) {
  std::vector<Product> products;
  for (const std::string &text : options.products) {
    Expected<Product> product = parseProduct(text);
    if (!product)
      return tl::unexpected(product.error());
    products.push_back(*product);
  }
  return products;
}

/// "7.5".
std::string dotted(int capability) {
  return std::to_string(capability / 10) + "." +
         std::to_string(capability % 10);
}

Expected<int> askCapability(const cuda::Driver &driver, int index) {
  Expected<cuda::DeviceHandle> handle = cuda::findDevice(driver, index);
  if (!handle)
    return tl::unexpected(handle.error());
  int major = 0, minor = 0;
  driver.deviceAttribute(&major, cuda::kCapabilityMajor, *handle);
  driver.deviceAttribute(&minor, cuda::kCapabilityMinor, *handle);
  return 10 * major + minor;
}

int runOnGpu(int index, const Options &options,
             const std::vector<Product> &products) {
  // Says why there is none.
  Expected<std::string> name = cudaRecordName(index);
  if (!name)
    return report(name.error().message);
  const cuda::Driver &driver = **cuda::loadDriver();
  Expected<int> capability = askCapability(driver, index);
  if (!capability)
    return report(capability.error().message);
  if (*capability < kOldestCapability)
    return report(options.device + " is '" + name->substr(name->find(':') + 1) +
                  "' of compute capability " + dotted(*capability) +
                  "; the kernels need " + dotted(kOldestCapability) +
                  " or newer");
  Json head = {{"device", *name},
               {"model", false},
               {"capability", dotted(*capability)},
               {"cublas", nullptr}};
  Expected<CublasTimer> timer = CublasTimer::create(driver, index);
  if (timer)
    head["cublas"] = timer->version();
  else
    head["why"] = timer.error().message;
  print(head);
  for (size_t i = 0; timer && i < products.size(); ++i)
    print(describe(products[i], options.products[i], *timer,
                   options.repetitions));
  return 0;
}

int run(const Options &options) {
  Expected<std::vector<Product>> products = parseProducts(options);
  if (!products)
    return report(products.error().message);
  if (std::optional<int> index = parseCudaName(options.device))
    return runOnGpu(*index, options, *products);
  Expected<const DeviceSpec *> spec = lookupDeviceByName(options.device);
  if (!spec)
    return report(spec.error().message);
  print({{"device", options.device},
         {"model", true},
         {"capability", dotted(lookupChip((*spec)->chip)->computeCapability)},
         {"cublas", nullptr},
         {"why", options.device + " is a model, on which no library runs"}});
  return 0;
}

std::string failureText(const CLI::App *, const CLI::Error &error) {
  return "dietcode-cublas: error: " + std::string(error.what()) + "\n";
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Says which GPU this is and times products of cuBLAS on it, see "
               "docs/gpu-check.md");
  app.failure_message(failureText);
  Options options;
  app.add_option("--device", options.device, "e.g. cuda:0");
  app.add_option("--repetitions", options.repetitions,
                 "Timed runs of each product")
      ->check(CLI::Range(1u, 10000u));
  app.add_option("products", options.products,
                 "Type, transposes and m, n, k, e.g. f32:nt:80x2304x768");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 1;
  }
  return run(options);
}
