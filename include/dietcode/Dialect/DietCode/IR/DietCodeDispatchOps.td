//===- DietCodeDispatchOps.td - Micro-kernels and dispatch ----*- tablegen -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_DISPATCH_OPS_TD
#define DIETCODE_DISPATCH_OPS_TD

include "dietcode/Dialect/DietCode/IR/DietCodeAttrs.td"
include "dietcode/Dialect/DietCode/IR/DietCodeDialect.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def DietCode_MicroKernelOp : DietCode_Op<"micro_kernel", [Symbol]> {
  let summary = "a micro-kernel that a dispatch can choose";
  let description = [{
    A tile program that any shape of an operator can be composed from. It is
    sized by the hardware, so it is named by its schedule alone and shared by
    the operators that it serves. `predicted` and `measured` are its throughput
    with the adaption to a shape divided out, in floating-point operations per
    second, or in elements per second of an operator on rows.

    Example:

    ```mlir
    dietcode.micro_kernel @simt_128x128x8_8x8
        #dietcode.schedule<block = [128, 128, 8], thread = [8, 8]> predicted 7.1e12
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, DietCode_ScheduleAttr:$schedule,
                       OptionalAttr<F64Attr>:$predicted, OptionalAttr<F64Attr>:$measured);
  let assemblyFormat = [{
    $sym_name qualified($schedule) (`predicted` $predicted^)? (`measured` $measured^)? attr-dict
  }];
}

def DietCode_DispatchOp : DietCode_Op<"dispatch", [
    Symbol, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "which micro-kernel serves which shape";
  let description = [{
    A table over the dynamic problem dimensions of an operator. The cases are
    boxes (one inclusive interval per dimension) that cover the declared domain
    without gap or overlap, which the verifier proves. A shape outside of the
    domain is served by the `otherwise` kernel, correctly.

    Example:

    ```mlir
    dietcode.micro_kernel @small #dietcode.schedule<block = [16, 64, 16], thread = [2, 4]>
    dietcode.micro_kernel @large #dietcode.schedule<block = [128, 128, 8], thread = [8, 8]>
    dietcode.dispatch @qkv on (m in [16, 2048]) {
      case m in [16, 400] -> @small
      case m in [401, 2048] -> @large
      otherwise -> @large
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$dims,
                       DenseI64ArrayAttr:$domain, DenseI64ArrayAttr:$boxes,
                       TypedArrayAttrBase<FlatSymbolRefAttr, "micro-kernels">:$kernels,
                       FlatSymbolRefAttr:$otherwise);
  let assemblyFormat = [{
    $sym_name `on` custom<DispatchTable>($dims, $domain, $boxes, $kernels, $otherwise)
    attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The declared interval of each dimension.
    ::dietcode::Box getDomainBox();
    /// The cases; `kernel` indexes the distinct symbols of `getKernelTable`.
    ::std::vector<::dietcode::DispatchLeaf> getLeaves();
    /// The distinct micro-kernels in order of first use, `otherwise` last
    /// unless a case uses it.
    ::llvm::SmallVector<::mlir::FlatSymbolRefAttr> getKernelTable();
    /// The index in the kernel table of the `otherwise` kernel.
    unsigned getGeneralKernel();
  }];
}

def DietCode_SelectOp : DietCode_Op<"select", [
    Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "chooses a micro-kernel for a run-time shape";
  let description = [{
    Gives the index, in the kernel table of the dispatch, of the micro-kernel
    that serves the shape `sizes`, one size per dimension of the dispatch.

    Example:

    ```mlir
    dietcode.micro_kernel @small #dietcode.schedule<block = [16, 64, 16], thread = [2, 4]>
    dietcode.dispatch @qkv on (m in [16, 2048]) {
      case m in [16, 2048] -> @small
      otherwise -> @small
    }
    func.func @f(%m: index) -> index {
      %kernel = dietcode.select @qkv(%m)
      return %kernel : index
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$dispatch, Variadic<Index>:$sizes);
  let results = (outs Index:$kernel);
  let assemblyFormat = "$dispatch `(` $sizes `)` attr-dict";
}

#endif // DIETCODE_DISPATCH_OPS_TD
