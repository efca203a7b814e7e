//===- PlanMemory.cpp - One allocation for the buffers of a call ----------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArenaSlots.h"
#include "FreeBuffers.h"
#include "dietcode/Dialect/DietCode/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

namespace mlir::dietcode {
#define GEN_PASS_DEF_DIETCODEPLANMEMORYPASS
#include "dietcode/Dialect/DietCode/Transforms/Passes.h.inc"
} // namespace mlir::dietcode

using namespace mlir;
using namespace mlir::dietcode;

namespace {

/// A buffer that may get a place in the arena.
struct Candidate {
  BufferLifetime lifetime;
  ByteSize size;
  /// The branch it is in of an operation that decides too late; both null if
  /// there is none.
  Operation *undecided = nullptr;
  Region *branch = nullptr;
};

/// Gives the buffers of one block, and of what is nested in it, one arena.
class BlockPlanner {
public:
  BlockPlanner(Block &block, SmallVector<BufferLifetime> lifetimes)
      : block(block), lifetimes(std::move(lifetimes)) {}

  void plan();

private:
  std::optional<Candidate> makeCandidate(const BufferLifetime &lifetime,
                                         SizeHoister &hoister);
  void createArena(ImplicitLocOpBuilder &b, ArrayRef<PlannedBuffer> buffers);

  Block &block;
  SmallVector<BufferLifetime> lifetimes;
};

} // namespace

//===----------------------------------------------------------------------===//
// What is planned
//===----------------------------------------------------------------------===//

/// Whether the buffer can be a view of bytes.
static bool isSupported(const BufferLifetime &lifetime) {
  MemRefType type = gpu::AllocOp(lifetime.alloc).getType();
  return type.getLayout().isIdentity() && !type.getMemorySpace() &&
         type.getElementType().isIntOrFloat();
}

/// Finds the size of the buffer before the first allocation, with the
/// conditions under which it is allocated at all.
std::optional<Candidate>
BlockPlanner::makeCandidate(const BufferLifetime &lifetime,
                            SizeHoister &hoister) {
  gpu::AllocOp alloc = lifetime.alloc;
  std::optional<ByteSize> size = hoister.getSize(alloc);
  if (!size)
    return std::nullopt;
  Candidate candidate{lifetime, *size};
  for (Region *region = alloc->getParentRegion(); region != block.getParent();
       region = region->getParentRegion()) {
    Operation *op = region->getParentOp();
    if (Value condition = hoister.hoistCondition(op, region)) {
      candidate.size.condition =
          hoister.both(candidate.size.condition, condition);
      continue;
    }
    if (candidate.undecided || !isa<scf::IfOp, scf::IndexSwitchOp>(op))
      return std::nullopt;
    candidate.undecided = op;
    candidate.branch = region;
  }
  return candidate;
}

/// Whether each branch of what decides too late allocates as much as
/// `candidate`, so that it does not matter which one is run.
static bool isTakenEitherWay(const Candidate &candidate,
                             ArrayRef<Candidate> all) {
  if (!candidate.undecided)
    return true;
  SmallPtrSet<Region *, 4> branches;
  for (const Candidate &other : all)
    if (other.undecided == candidate.undecided && other.size == candidate.size)
      branches.insert(other.branch);
  return branches.size() == candidate.undecided->getNumRegions();
}

/// Whether there is more than one allocation in a call that one arena replaces.
static bool isWorthwhile(ArrayRef<PlannedBuffer> buffers) {
  auto isRepeated = [](const PlannedBuffer &buffer) {
    return gpu::AllocOp(buffer.lifetime.alloc)->getParentOfType<scf::ForOp>();
  };
  if (llvm::any_of(buffers, isRepeated))
    return true;
  for (const PlannedBuffer &lhs : buffers)
    for (const PlannedBuffer &rhs : buffers)
      if (&lhs != &rhs && !insideMutuallyExclusiveRegions(lhs.lifetime.alloc,
                                                          rhs.lifetime.alloc))
        return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// Removes an operation of a stream; what waits for it waits for what it waited
/// for.
static void eraseFromStream(gpu::AsyncOpInterface op) {
  if (Value token = op.getAsyncToken()) {
    OperandRange waitedFor = op.getAsyncDependencies();
    if (waitedFor.size() == 1) {
      token.replaceAllUsesWith(waitedFor.front());
    } else {
      OpBuilder builder(op);
      token.replaceAllUsesWith(
          gpu::WaitOp::create(builder, op.getLoc(), token.getType(), waitedFor)
              .getAsyncToken());
    }
  }
  op->erase();
}

static void eraseAllocation(gpu::AllocOp alloc, gpu::DeallocOp dealloc) {
  eraseFromStream(cast<gpu::AsyncOpInterface>(dealloc.getOperation()));
  eraseFromStream(cast<gpu::AsyncOpInterface>(alloc.getOperation()));
}

/// %b = gpu.alloc (%n)  -->  %b = memref.view %arena[%offset][%n]
static void replaceByView(const BufferLifetime &lifetime, Value arena,
                          Value offset) {
  gpu::AllocOp alloc = lifetime.alloc;
  OpBuilder builder(alloc);
  Value view = memref::ViewOp::create(builder, alloc.getLoc(), alloc.getType(),
                                      arena, offset, alloc.getDynamicSizes());
  alloc.getMemref().replaceUsesWithIf(view, [](OpOperand &use) {
    return !isa<gpu::DeallocOp>(use.getOwner());
  });
  eraseAllocation(alloc, lifetime.dealloc);
}

/// Allocates bytes on the device. gpu-to-llvm only knows how to do so in a
/// stream, unless the host shares them.
static Value createDeviceAlloc(ImplicitLocOpBuilder &b, Value bytes,
                               bool isHostShared) {
  auto type = MemRefType::get({ShapedType::kDynamic}, b.getI8Type());
  if (isHostShared)
    return gpu::AllocOp::create(b, type, /*asyncToken=*/Type(),
                                /*asyncDependencies=*/ValueRange(), bytes,
                                /*symbolOperands=*/ValueRange(),
                                /*hostShared=*/true)
        .getMemref();
  Type token = b.getType<gpu::AsyncTokenType>();
  Value start = gpu::WaitOp::create(b, token, ValueRange()).getAsyncToken();
  auto alloc = gpu::AllocOp::create(b, type, token, start, bytes,
                                    /*symbolOperands=*/ValueRange());
  Value end = alloc.getAsyncToken();
  gpu::WaitOp::create(b, Type(), end);
  return alloc.getMemref();
}

void BlockPlanner::createArena(ImplicitLocOpBuilder &b,
                               ArrayRef<PlannedBuffer> buffers) {
  SmallVector<ArenaSlot> slots = assignSlots(buffers);
  ArenaLayout layout(b, slots);
  bool isHostShared = llvm::any_of(buffers, [](const PlannedBuffer &buffer) {
    return gpu::AllocOp(buffer.lifetime.alloc).getHostShared();
  });
  Value arena = createDeviceAlloc(b, layout.getTotal(), isHostShared);
  for (auto [index, slot] : llvm::enumerate(slots))
    for (const PlannedBuffer *buffer : slot)
      replaceByView(buffer->lifetime, arena, layout.getOffset(index));
  b.setInsertionPoint(block.getTerminator());
  createDeviceFree(b, arena);
}

void BlockPlanner::plan() {
  llvm::erase_if(lifetimes, [](const BufferLifetime &lifetime) {
    return !isSupported(lifetime);
  });
  if (lifetimes.empty())
    return;
  Operation *place = block.findAncestorOpInBlock(*lifetimes.front().alloc);
  SizeHoister hoister(place);
  SmallVector<Candidate> candidates;
  for (const BufferLifetime &lifetime : lifetimes)
    if (auto candidate = makeCandidate(lifetime, hoister))
      candidates.push_back(*candidate);
  SmallVector<PlannedBuffer> buffers;
  for (const Candidate &candidate : candidates)
    if (isTakenEitherWay(candidate, candidates))
      buffers.push_back({candidate.lifetime, candidate.size});
  if (!isWorthwhile(buffers))
    return;
  ImplicitLocOpBuilder b(place->getLoc(), place);
  createArena(b, buffers);
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {

struct PlanMemory
    : mlir::dietcode::impl::DietCodePlanMemoryPassBase<PlanMemory> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    llvm::MapVector<Block *, SmallVector<BufferLifetime>> lifetimes;
    for (BufferLifetime &lifetime : findBufferLifetimes(function)) {
      // The one use is to free it.
      if (lifetime.alloc.getMemref().hasOneUse()) {
        eraseAllocation(lifetime.alloc, lifetime.dealloc);
        continue;
      }
      Block *block = function.getBody().findAncestorBlockInRegion(
          *lifetime.alloc->getBlock());
      lifetimes[block].push_back(lifetime);
    }
    for (auto &[block, lifetimesInBlock] : lifetimes)
      BlockPlanner(*block, std::move(lifetimesInBlock)).plan();
  }
};

} // namespace
