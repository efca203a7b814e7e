//===- DietCodeShapeOps.td - Shapes and workloads ----------*- tablegen -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_SHAPE_OPS_TD
#define DIETCODE_SHAPE_OPS_TD

include "dietcode/Dialect/DietCode/IR/DietCodeDialect.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/SymbolInterfaces.td"

def DietCode_ShapeVarOp : DietCode_Op<"shape_var", [Symbol]> {
  let summary = "declares a shape variable";
  let description = [{
    A shape variable is a dimension whose value is known only at run time. It
    lies in the inclusive `range` and is a multiple of `multiple_of` (1 unless
    given). The range steers selection and tuning; values outside of it are
    still served correctly, by the general kernel.

    Example:

    ```mlir
    dietcode.shape_var @T range [1, 512] multiple_of 8
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$lower, I64Attr:$upper,
                       DefaultValuedAttr<I64Attr, "1">:$multiple_of);
  let assemblyFormat = [{
    $sym_name `range` ` ` `[` $lower `,` $upper `]` (`multiple_of` $multiple_of^)? attr-dict
  }];
  let hasVerifier = 1;
}

def DietCode_WorkloadOp : DietCode_Op<"workload", [Symbol, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "declares the instances of a workload that matter, with weights";
  let description = [{
    Each instance gives one value to each of the shape variables. `weights` says
    how much an instance counts; they are all 1 unless given. A function refers
    to its workload with the attribute `dietcode.workload`.

    Example:

    ```mlir
    dietcode.shape_var @T range [1, 128]
    dietcode.shape_var @H range [64, 1024] multiple_of 64
    dietcode.workload @bert over [@T, @H] instances [[5, 768], [128, 1024]] weights [1.0, 4.0]
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypedArrayAttrBase<FlatSymbolRefAttr, "shape variables">:$vars,
                       TypedArrayAttrBase<DenseI64ArrayAttr, "instances">:$instances,
                       OptionalAttr<DenseF64ArrayAttr>:$weights);
  let assemblyFormat = [{
    $sym_name `over` $vars `instances` custom<Instances>($instances)
    (`weights` $weights^)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The weight of an instance; 1 if the workload gives none.
    double getWeight(unsigned instance);
  }];
}

def DietCode_BindShapeOp : DietCode_Op<"bind_shape", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "says how the dimensions of a value depend on shape variables";
  let description = [{
    The results of `map` are the dimensions of `value`, its symbols the values
    of `vars`. The compiler learns from it which dynamic dimensions are equal
    and what divides them. At run time it is a check: a value whose dimensions
    do not fit stops the call with one error.

    Example:

    ```mlir
    dietcode.shape_var @T range [1, 128]
    func.func @f(%x: tensor<?x768xf32>) {
      dietcode.bind_shape %x [@T], affine_map<()[t] -> (16 * t, 768)> : tensor<?x768xf32>
      return
    }
    ```
  }];
  let arguments = (ins AnyTypeOf<[AnyRankedTensor, AnyMemRef]>:$value,
                       TypedArrayAttrBase<FlatSymbolRefAttr, "shape variables">:$vars,
                       AffineMapAttr:$map);
  let assemblyFormat = "$value $vars `,` $map attr-dict `:` type($value)";
  let hasVerifier = 1;
}

#endif // DIETCODE_SHAPE_OPS_TD
