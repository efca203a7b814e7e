// RUN: dietcode-opt %s --convert-dietcode-to-linalg --split-input-file | FileCheck %s

// Shape variables, workloads, micro-kernels, dispatch and device are facts, not
// computations: nothing of them is left.

// CHECK-NOT:   dietcode
// CHECK-LABEL: func.func @all_facts(
// CHECK-NOT:   dietcode
// CHECK:         linalg.generic
// CHECK-NOT:   dietcode
module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
  dietcode.shape_var @T range [1, 128]
  dietcode.workload @w over [@T] instances [[5], [128]]
  dietcode.micro_kernel @k #dietcode.schedule<block = [128, 128, 8], thread = [8, 8]>
  dietcode.dispatch @d on (m in [1, 128]) {
    case m in [1, 128] -> @k
    otherwise -> @k
  }
  func.func @all_facts(%a: tensor<?x8xf32>, %b: tensor<8x4xf32>, %init: tensor<?x4xf32>)
      -> tensor<?x4xf32> attributes {dietcode.workload = @w} {
    dietcode.bind_shape %a [@T], affine_map<()[t] -> (t, 8)> : tensor<?x8xf32>
    %0 = dietcode.matmul dispatch(@d) ins(%a, %b : tensor<?x8xf32>, tensor<8x4xf32>)
                         outs(%init : tensor<?x4xf32>) -> tensor<?x4xf32>
    return %0 : tensor<?x4xf32>
  }
}

// -----

// A selection at run time is a computation, and needs its table.
// CHECK:         dietcode.micro_kernel @k
// CHECK:         dietcode.dispatch @d
// CHECK-LABEL: func.func @select(
// CHECK:         dietcode.select @d
dietcode.micro_kernel @k #dietcode.schedule<block = [128, 128, 8], thread = [8, 8]>
dietcode.dispatch @d on (m in [1, 128]) {
  case m in [1, 128] -> @k
  otherwise -> @k
}
func.func @select(%m: index) -> index {
  %0 = dietcode.select @d(%m)
  return %0 : index
}
