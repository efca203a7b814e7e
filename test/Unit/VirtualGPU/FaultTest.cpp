//===- FaultTest.cpp - Ten faults, each reported with its line ------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Faults that people make, planted into matrix multiplications as nvcc compiled
// them. Without them, the same launches are silent.
//
//===----------------------------------------------------------------------===//

#include "KernelRun.h"

using namespace dietcode;
using namespace dietcode::vgpu;

namespace {

/// One change of a kernel's text: the first `from` after its .entry, or one of
/// the next.
struct Edit {
  const char *from;
  const char *to;
  unsigned skip = 0;
};

struct Fault {
  const char *name;
  const char *kernel;
  Edit edit;
  std::array<int64_t, 3> moreBlocks; ///< Than the output takes.
  std::optional<FindingKind> kind;   ///< Nothing: the launch is refused.
  /// The text of the line that must be named: the first one after the .entry,
  /// or of those after the edit.
  const char *line;
  bool afterEdit;
  const char *message;
};

void PrintTo(const Fault &fault, std::ostream *out) { *out << fault.name; }

const char *const tiled = "sgemm_tiled", *const blocked = "sgemm_blocked";
const char *const barrier = "bar.sync \t0;";

const Fault faults[] = {
    {"FirstBarrierRemoved",
     tiled,
     {barrier, ""},
     {},
     FindingKind::SharedRace,
     "ld.shared.f32",
     true,
     "race in shared memory (read after write)"},
    {"SecondBarrierRemoved",
     tiled,
     {barrier, "", 1},
     {},
     FindingKind::SharedRace,
     "st.shared.f32",
     false,
     "race in shared memory (write after read)"},
    {"OneBlockTooMany",
     blocked,
     {"", ""},
     {0, 1, 0},
     FindingKind::OutOfBounds,
     "ld.global.v4.f32",
     false,
     "out-of-bounds global load of 16 bytes"},
    {"OffByOneAtTheTail",
     tiled,
     {"setp.ge.s32 \t%p3, ", "setp.gt.s32 \t%p3, "},
     {},
     FindingKind::OutOfBounds,
     "ld.global.f32",
     false,
     "0 bytes past the end of allocation 'a'"},
    {"MisalignedVector",
     blocked,
     {"[%rd23];", "[%rd23+4];"},
     {},
     FindingKind::Misaligned,
     "[%rd23+4];",
     false,
     "misaligned load of 16 bytes"},
    {"UninitialisedShared",
     tiled,
     {"st.shared.f32 \t[%r7], ", "// "},
     {},
     FindingKind::UninitializedShared,
     "ld.shared.f32",
     true,
     "uninitialised memory: shared load of 4 bytes"},
    {"DivergentBarrier",
     tiled,
     {barrier, "@!%p4 bar.sync \t0;"},
     {},
     FindingKind::DivergentBarrier,
     "@!%p4 bar.sync",
     false,
     "divergent barrier"},
    {"OutputOfAnotherBlock",
     tiled,
     {"%ctaid.x;", "0;"},
     {},
     FindingKind::GlobalRace,
     "st.global.f32",
     false,
     "race in global memory"},
    {"GridTooHigh",
     tiled,
     {"", ""},
     {0, 65536 - 3, 0},
     std::nullopt,
     ".entry",
     false,
     "grid (3, 65536, 1) is outside of the limits of t4: 1 to 65535 in y"},
    {"TooMuchStaticShared",
     tiled,
     {"2bs[1024]", "2bs[48132]"},
     {},
     std::nullopt,
     ".entry",
     false,
     "declares 49156 bytes of shared memory; t4 allows 49152"},
};

/// Plants faults into one kernel's text and finds lines in it.
class KernelText {
public:
  KernelText(std::string text, const std::string &kernel)
      : text(std::move(text)), entry(this->text.find(".entry " + kernel)) {}

  void apply(const Edit &edit) {
    edited = text.find(edit.from, entry);
    for (unsigned i = 0; i < edit.skip; ++i)
      edited = text.find(edit.from, edited + 1);
    ASSERT_NE(edited, std::string::npos) << edit.from;
    text.replace(edited, std::strlen(edit.from), edit.to);
  }

  unsigned lineOf(const char *part, bool afterEdit) const {
    size_t at = text.find(part, afterEdit ? edited : entry);
    EXPECT_NE(at, std::string::npos) << part;
    return 1 + static_cast<unsigned>(std::count(
                   text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at),
                   '\n'));
  }

  std::string text;

private:
  size_t entry;
  size_t edited = 0;
};

/// C = A B with as many blocks as the kernel's tiles want, and then some. The
/// sizes are multiples of the larger tile only, or of neither.
std::string multiply(const std::string &ptx, const std::string &kernel,
                     const std::array<int64_t, 3> &moreBlocks, KernelRun &run) {
  auto module = parseModule(ptx, "gemm.ptx");
  if (!module)
    return messageOf(module);
  bool isTiled = kernel == tiled;
  int m = isTiled ? 40 : 128, n = isTiled ? 48 : 64, k = isTiled ? 40 : 48;
  run.output<float>(static_cast<size_t>(m * n), "c");
  run.input(std::vector<float>(static_cast<size_t>(m * k), 1), "a");
  run.input(std::vector<float>(static_cast<size_t>(k * n), 1), "b");
  run.integers({m, n, k});
  int tile = isTiled ? 16 : 64;
  LaunchConfig config;
  config.grid = {(n + tile - 1) / tile + moreBlocks[0],
                 (m + tile - 1) / tile + moreBlocks[1], 1};
  config.block = {isTiled ? 16 : 256, isTiled ? 16 : 1, 1};
  return run.launch(**module, kernel, config);
}

class Planted : public ::testing::TestWithParam<Fault> {};

TEST_P(Planted, IsReportedWithItsLine) {
  const Fault &fault = GetParam();
  KernelText kernel(inputFile("compiled-nvcc.ptx"), fault.kernel);
  KernelRun silent;
  ASSERT_EQ(multiply(kernel.text, fault.kernel, {}, silent), "(no error)");
  ASSERT_NO_FATAL_FAILURE(kernel.apply(fault.edit));
  KernelRun run;
  std::string message =
      multiply(kernel.text, fault.kernel, fault.moreBlocks, run);
  unsigned line = kernel.lineOf(fault.line, fault.afterEdit);
  std::string place = "gemm.ptx:" + std::to_string(line) + ": ";
  EXPECT_EQ(message.substr(0, place.size()), place) << message;
  expectContains(message, fault.message);
  EXPECT_EQ(run.failure,
            fault.kind ? FailureKind::Finding : FailureKind::Refused);
  if (fault.kind) {
    EXPECT_EQ(run.finding.kind, *fault.kind) << message;
    EXPECT_EQ(run.finding.site.line, line);
  }
}

INSTANTIATE_TEST_SUITE_P(Faults, Planted, ::testing::ValuesIn(faults),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

} // namespace
