//===- DietCodeAttrs.td - Attributes of the dietcode dialect ---*- tablegen -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_ATTRS_TD
#define DIETCODE_ATTRS_TD

include "dietcode/Dialect/DietCode/IR/DietCodeDialect.td"
include "mlir/IR/AttrTypeBase.td"

class DietCode_Attr<string name, string attrMnemonic> : AttrDef<DietCode_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def DietCode_ScheduleAttr : DietCode_Attr<"Schedule", "schedule"> {
  let summary = "The parameters of a micro-kernel";
  let description = [{
    How one thread block computes one tile of an operator, such as a contraction
    `C[m, n] += A[m, k] * B[k, n]`: `block` is the tile of the block in `m`, `n`
    and `k` elements, `thread` the tile of one thread in `m` and `n`, or of one
    warp where a warp multiplies together. The
    parameters do not depend on the shape of the operator: any shape is composed
    from such tiles. The others may be left out:

    - `stages`: the buffers of shared memory that k tiles go through, 1 or 2
      (default 2).
    - `split`: the blocks that share the k tiles of one tile of `C` (default 1).
      Each writes its sums to a workspace; a second kernel adds them up in a
      fixed order, so that results are the same in every run.
    - `vector`: the most words of four bytes that a thread copies at once from
      global to shared memory, 1, 2 or 4 (default 4).
    - `order`: the dimensions of `C` in the order in which successive blocks walk
      them (default `[m, n]`). `[m, n, m]` are bands: tiles of 1024 rows along
      `m`, then along `n`, then the next band.
    - `instruction`: what the product is built from (default `fma`). `fma`
      multiplies in single precision, thread by thread. Of the matrix
      instructions, which a warp executes together, `mma_f16` multiplies halves
      and sums up in single precision, `mma_f16_f16` sums up in halves, and
      `mma_i8` multiplies bytes and sums up in 32 bits. The others are of
      operators on rows, which multiply nothing: with `rows`, a block computes
      whole rows, tile after tile, and reduces them; with `elements`, one tile
      each. Their tiles have one element along `k`, a thread has columns of one
      row, and `vector` is what it accesses at once.

    The attribute says what is well formed; what a device can hold is checked
    where a kernel is made for one, against the limits of `#dietcode.device`.

    Example:

    ```mlir
    #large = #dietcode.schedule<block = [128, 128, 8], thread = [8, 8]>
    dietcode.micro_kernel @large #large
    #deep = #dietcode.schedule<block = [16, 64, 32], thread = [2, 4], stages = 1, split = 4, vector = 2, order = [n, m]>
    dietcode.micro_kernel @deep #deep
    #warps = #dietcode.schedule<block = [256, 128, 32], thread = [64, 64], order = [m, n, m], instruction = mma_f16>
    dietcode.micro_kernel @warps #warps
    #rows = #dietcode.schedule<block = [4, 1024, 1], thread = [1, 32], instruction = rows>
    dietcode.micro_kernel @rows #rows
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$block,
    ArrayRefParameter<"int64_t">:$thread,
    DefaultValuedParameter<"int64_t", "::dietcode::Schedule().stages">:$stages,
    DefaultValuedParameter<"int64_t", "::dietcode::Schedule().split">:$split,
    DefaultValuedParameter<"int64_t", "::dietcode::Schedule().vector">:$vector,
    DefaultValuedParameter<"::dietcode::TileOrder", "::dietcode::TileOrder::MFirst">:$order,
    DefaultValuedParameter<"::dietcode::Instruction", "::dietcode::Instruction::Fma">:$instruction);
  let assemblyFormat = [{
    `<` `block` `=` custom<Tile>($block) `,` `thread` `=` custom<Tile>($thread)
    `` custom<Refinements>($stages, $split, $vector, $order, $instruction) `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The schedule in the terms of the search.
    ::dietcode::Schedule getSchedule() const;
    /// The attribute for a schedule of the search.
    static ScheduleAttr get(::mlir::MLIRContext *context,
                            const ::dietcode::Schedule &schedule);
  }];
}

def DietCode_DeviceAttr : DietCode_Attr<"Device", "device"> {
  let summary = "The device to compile, select and tune for";
  let description = [{
    `name` is an entry of the device table (`t4`), whose limits and speeds rule
    the search space and the cost model. `chip` is the architecture that code is
    generated for; it is the chip of the device unless given.

    A module says which device it is for in its attribute `dietcode.device`.

    Example:

    ```mlir
    module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
    }
    ```
  }];
  let parameters = (ins StringRefParameter<"device name">:$name,
                        StringRefParameter<"chip">:$chip);
  let assemblyFormat = "`<` $name `,` `chip` `=` $chip `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The entry of the device table; never fails on a verified attribute.
    const ::dietcode::DeviceSpec &getSpec() const;
  }];
}

#endif // DIETCODE_ATTRS_TD
