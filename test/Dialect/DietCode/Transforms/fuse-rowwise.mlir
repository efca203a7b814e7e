// RUN: dietcode-opt %s --dietcode-fuse-rowwise --split-input-file | FileCheck %s
// RUN: dietcode-opt %s --convert-linalg-to-rowwise --dietcode-fuse-rowwise --split-input-file | FileCheck %s --check-prefix=RAISED

// Scale, mask and softmax, as linalg has them.
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#mask = affine_map<(d0, d1, d2) -> (d1, d2)>

// RAISED-DAG: #[[$ID:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// RAISED-DAG: #[[$MASK:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// RAISED-LABEL: func.func @attention
// RAISED-SAME: (%[[X:.*]]: tensor<?x?x?xf32>, %[[M:.*]]: tensor<?x?xf32>, %[[INIT:.*]]: tensor<?x?x?xf32>)
// CHECK-LABEL: func.func @attention
func.func @attention(%x: tensor<?x?x?xf32>, %mask: tensor<?x?xf32>, %init: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  // RAISED: %[[Y:.*]] = dietcode.rowwise ins(%[[X]], %[[M]] : {{.*}}) outs(%[[INIT]] : {{.*}}) maps [#[[$ID]], #[[$MASK]], #[[$ID]]] do {
  // RAISED-NEXT: ^bb0(%[[E:.*]]: f32, %[[B:.*]]: f32):
  // RAISED-NEXT: %[[C:.*]] = arith.constant 1.250000e-01
  // RAISED-NEXT: %[[S:.*]] = arith.mulf %[[E]], %[[C]]
  // RAISED-NEXT: %[[T:.*]] = arith.addf %[[S]], %[[B]]
  // RAISED-NEXT: %[[MAX:.*]] = dietcode.reduce_row maxnumf %[[T]]
  // RAISED-NEXT: %[[D:.*]] = arith.subf %[[T]], %[[MAX]]
  // RAISED-NEXT: %[[P:.*]] = math.exp %[[D]]
  // RAISED-NEXT: %[[SUM:.*]] = dietcode.reduce_row add %[[P]]
  // RAISED-NEXT: %[[Q:.*]] = arith.divf %[[P]], %[[SUM]]
  // RAISED-NEXT: dietcode.yield %[[Q]]
  // RAISED-NEXT: }
  // RAISED-NEXT: return %[[Y]]
  %scale = arith.constant 0.125 : f32
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : tensor<?x?x?xf32>) outs(%init : tensor<?x?x?xf32>) {
  ^bb0(%e: f32, %o: f32):
    %s = arith.mulf %e, %scale : f32
    linalg.yield %s : f32
  } -> tensor<?x?x?xf32>
  %1 = linalg.generic {indexing_maps = [#id, #mask, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%0, %mask : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%init : tensor<?x?x?xf32>) {
  ^bb0(%e: f32, %m: f32, %o: f32):
    %s = arith.addf %e, %m : f32
    linalg.yield %s : f32
  } -> tensor<?x?x?xf32>
  %y = linalg.softmax dimension(2) ins(%1 : tensor<?x?x?xf32>) outs(%init : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

// -----

// Layer normalisation, with the dimensions of size one that torch-mlir keeps.
#id = affine_map<(d0, d1) -> (d0, d1)>
#keep = affine_map<(d0, d1) -> (d0, 0)>
#column = affine_map<(d0, d1) -> (d1)>

// RAISED-LABEL: func.func @layer_norm
// CHECK-LABEL: func.func @layer_norm
func.func @layer_norm(%x: tensor<?x768xf32>, %scale: tensor<768xf32>, %shift: tensor<768xf32>) -> tensor<?x768xf32> {
  // RAISED: dietcode.rowwise ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<?x768xf32>, tensor<768xf32>, tensor<768xf32>) outs(%{{.*}} : tensor<?x768xf32>)
  // RAISED: dietcode.reduce_row add
  // RAISED: %[[MEAN:.*]] = arith.divf
  // RAISED: %[[D:.*]] = arith.subf %{{.*}}, %[[MEAN]]
  // RAISED: %[[D2:.*]] = arith.mulf %[[D]], %[[D]]
  // RAISED: dietcode.reduce_row add %[[D2]]
  // RAISED: %[[R:.*]] = math.rsqrt
  // RAISED: arith.mulf %[[D]], %[[R]]
  // RAISED-NOT: dietcode.rowwise
  // RAISED-NOT: linalg.
  // RAISED: return
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %x, %c0 : tensor<?x768xf32>
  %kept = tensor.empty(%rows) : tensor<?x1xf32>
  %init = tensor.empty(%rows) : tensor<?x768xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%kept : tensor<?x1xf32>) -> tensor<?x1xf32>
  %sum = linalg.generic {indexing_maps = [#id, #keep], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x768xf32>) outs(%zeros : tensor<?x1xf32>) {
  ^bb0(%e: f32, %acc: f32):
    %0 = arith.addf %e, %acc : f32
    linalg.yield %0 : f32
  } -> tensor<?x1xf32>
  %mean = linalg.generic {indexing_maps = [#keep, #id], iterator_types = ["parallel", "parallel"]} ins(%sum : tensor<?x1xf32>) outs(%kept : tensor<?x1xf32>) {
  ^bb0(%e: f32, %o: f32):
    %n = arith.constant 768.0 : f32
    %0 = arith.divf %e, %n : f32
    linalg.yield %0 : f32
  } -> tensor<?x1xf32>
  %centred = linalg.generic {indexing_maps = [#id, #keep, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %mean : tensor<?x768xf32>, tensor<?x1xf32>) outs(%init : tensor<?x768xf32>) {
  ^bb0(%e: f32, %m: f32, %o: f32):
    %0 = arith.subf %e, %m : f32
    linalg.yield %0 : f32
  } -> tensor<?x768xf32>
  %squares = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%centred, %centred : tensor<?x768xf32>, tensor<?x768xf32>) outs(%init : tensor<?x768xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?x768xf32>
  %var = linalg.generic {indexing_maps = [#id, #keep], iterator_types = ["parallel", "reduction"]} ins(%squares : tensor<?x768xf32>) outs(%zeros : tensor<?x1xf32>) {
  ^bb0(%e: f32, %acc: f32):
    %0 = arith.addf %e, %acc : f32
    linalg.yield %0 : f32
  } -> tensor<?x1xf32>
  %y = linalg.generic {indexing_maps = [#id, #keep, #column, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%centred, %var, %scale, %shift : tensor<?x768xf32>, tensor<?x1xf32>, tensor<768xf32>, tensor<768xf32>) outs(%init : tensor<?x768xf32>) {
  ^bb0(%d: f32, %v: f32, %g: f32, %h: f32, %o: f32):
    %n = arith.constant 768.0 : f32
    %eps = arith.constant 1.0e-5 : f32
    %0 = arith.divf %v, %n : f32
    %1 = arith.addf %0, %eps : f32
    %2 = math.rsqrt %1 : f32
    %3 = arith.mulf %d, %2 : f32
    %4 = arith.mulf %3, %g : f32
    %5 = arith.addf %4, %h : f32
    linalg.yield %5 : f32
  } -> tensor<?x768xf32>
  return %y : tensor<?x768xf32>
}

// -----

// RMS normalisation.
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
#one = affine_map<(d0) -> (d0)>

// RAISED-LABEL: func.func @rms_norm
// CHECK-LABEL: func.func @rms_norm
func.func @rms_norm(%x: tensor<?x?xf32>, %scale: tensor<?xf32>, %n: f32, %r: tensor<?xf32>, %init: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // RAISED-COUNT-1: dietcode.rowwise
  // RAISED-NOT: dietcode.rowwise
  // RAISED-NOT: linalg.
  // RAISED: return
  %zero = arith.constant 0.0 : f32
  %zeros = linalg.fill ins(%zero : f32) outs(%r : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%e: f32, %acc: f32):
    %0 = arith.mulf %e, %e : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  %root = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%sum : tensor<?xf32>) outs(%r : tensor<?xf32>) {
  ^bb0(%e: f32, %o: f32):
    %0 = arith.divf %e, %n : f32
    %1 = math.rsqrt %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %root, %scale : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>) outs(%init : tensor<?x?xf32>) {
  ^bb0(%e: f32, %s: f32, %g: f32, %o: f32):
    %0 = arith.mulf %e, %s : f32
    %1 = arith.mulf %0, %g : f32
    linalg.yield %1 : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

#element = affine_map<(d0, d1) -> (d0, d1)>
#swapped = affine_map<(d0, d1) -> (d1, d0)>
#row = affine_map<(d0, d1) -> (d0)>
#one = affine_map<(d0) -> (d0)>

// A result that is used later stays one; a destination serves one result.
// CHECK-LABEL: func.func @shared
// CHECK-SAME: (%[[X:.*]]: tensor<?x?xf32>, %[[Y:.*]]: tensor<?x?xf32>)
// RAISED-LABEL: func.func @shared
func.func @shared(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  // CHECK: %[[NEW:.*]] = tensor.empty
  // CHECK: %[[R:.*]]:2 = dietcode.rowwise ins(%[[X]] : tensor<?x?xf32>) outs(%[[Y]], %[[NEW]] :
  // CHECK: return %[[R]]#1, %[[R]]#0
  %0 = dietcode.rowwise ins(%x : tensor<?x?xf32>) outs(%y : tensor<?x?xf32>) maps [#element, #element] do {
  ^bb0(%e: f32):
    %2 = arith.negf %e : f32
    dietcode.yield %2 : f32
  } -> tensor<?x?xf32>
  %1 = dietcode.rowwise ins(%0 : tensor<?x?xf32>) outs(%y : tensor<?x?xf32>) maps [#element, #element] do {
  ^bb0(%e: f32):
    %2 = math.exp %e : f32
    dietcode.yield %2 : f32
  } -> tensor<?x?xf32>
  return %0, %1 : tensor<?x?xf32>, tensor<?x?xf32>
}

// An elementwise producer may be read transposed, and by rows.
// CHECK-LABEL: func.func @permuted
// RAISED-LABEL: func.func @permuted
func.func @permuted(%x: tensor<?x?xf32>, %v: tensor<?xf32>, %y: tensor<?x?xf32>, %u: tensor<?xf32>, %s: tensor<?xf32>) -> tensor<?xf32> {
  // CHECK: dietcode.rowwise ins(%{{.*}}, %{{.*}} : tensor<?xf32>, tensor<?x?xf32>) outs(%{{.*}} : tensor<?xf32>) maps [#[[ROW:.*]], #{{.*}}, #[[ROW]]] do {
  // CHECK-NOT: dietcode.rowwise
  // CHECK: return
  %0 = dietcode.rowwise ins(%x : tensor<?x?xf32>) outs(%y : tensor<?x?xf32>) maps [#element, #element] do {
  ^bb0(%e: f32):
    %2 = arith.negf %e : f32
    dietcode.yield %2 : f32
  } -> tensor<?x?xf32>
  %w = dietcode.rowwise ins(%v : tensor<?xf32>) outs(%u : tensor<?xf32>) maps [#one, #one] do {
  ^bb0(%e: f32):
    %2 = math.exp %e : f32
    dietcode.yield %2 : f32
  } -> tensor<?xf32>
  %1 = dietcode.rowwise ins(%0, %w : tensor<?x?xf32>, tensor<?xf32>) outs(%s : tensor<?xf32>) maps [#swapped, #row, #row] do {
  ^bb0(%e: f32, %f: f32):
    %2 = arith.mulf %e, %f : f32
    %3 = dietcode.reduce_row add %2 : f32
    dietcode.yield %3 : f32
  } -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// What is said of the shape of a result that goes is said of one that stays, or
// of its destination.
dietcode.shape_var @R range [1, 64]
dietcode.shape_var @C range [1, 64]
// CHECK-LABEL: func.func @bindings
// CHECK-SAME: (%{{.*}}: tensor<?x?xf32>, %[[Y:.*]]: tensor<?x?xf32>, %[[S:.*]]: tensor<?xf32>)
// RAISED-LABEL: func.func @bindings
func.func @bindings(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %s: tensor<?xf32>) -> (tensor<?x?xf32>, index) {
  // CHECK-DAG: dietcode.bind_shape %[[S]] [@R]
  // CHECK-DAG: tensor.dim %[[Y]]
  // CHECK: %[[R:.*]] = dietcode.rowwise
  // CHECK: dietcode.bind_shape %[[R]] [@R, @C]
  // CHECK-NOT: dietcode.rowwise
  // CHECK: return
  %c0 = arith.constant 0 : index
  %0 = dietcode.rowwise ins(%x : tensor<?x?xf32>) outs(%y : tensor<?x?xf32>) maps [#element, #element] do {
  ^bb0(%e: f32):
    %3 = math.exp %e : f32
    dietcode.yield %3 : f32
  } -> tensor<?x?xf32>
  dietcode.bind_shape %0 [@R, @C], affine_map<()[r, c] -> (r, c)> : tensor<?x?xf32>
  %rows = tensor.dim %0, %c0 : tensor<?x?xf32>
  %1 = dietcode.rowwise ins(%0 : tensor<?x?xf32>) outs(%s : tensor<?xf32>) maps [#element, #row] do {
  ^bb0(%e: f32):
    %3 = dietcode.reduce_row add %e : f32
    dietcode.yield %3 : f32
  } -> tensor<?xf32>
  dietcode.bind_shape %1 [@R], affine_map<()[r] -> (r)> : tensor<?xf32>
  %2 = dietcode.rowwise ins(%0, %1 : tensor<?x?xf32>, tensor<?xf32>) outs(%y : tensor<?x?xf32>) maps [#element, #row, #element] do {
  ^bb0(%e: f32, %f: f32):
    %3 = arith.divf %e, %f : f32
    dietcode.yield %3 : f32
  } -> tensor<?x?xf32>
  return %2, %rows : tensor<?x?xf32>, index
}

// What follows a reduction row by row goes into it.
// CHECK-LABEL: func.func @rows
// RAISED-LABEL: func.func @rows
func.func @rows(%x: tensor<?x?xf32>, %s: tensor<?xf32>) -> tensor<?xf32> {
  // CHECK-COUNT-1: dietcode.rowwise
  // CHECK: %[[SUM:.*]] = dietcode.reduce_row add
  // CHECK: math.sqrt %[[SUM]]
  // CHECK-NOT: dietcode.rowwise
  // CHECK: return
  %0 = dietcode.rowwise ins(%x : tensor<?x?xf32>) outs(%s : tensor<?xf32>) maps [#element, #row] do {
  ^bb0(%e: f32):
    %2 = dietcode.reduce_row add %e : f32
    dietcode.yield %2 : f32
  } -> tensor<?xf32>
  %1 = dietcode.rowwise ins(%0 : tensor<?xf32>) outs(%s : tensor<?xf32>) maps [#one, #one] do {
  ^bb0(%e: f32):
    %2 = math.sqrt %e : f32
    dietcode.yield %2 : f32
  } -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

#element = affine_map<(d0, d1) -> (d0, d1)>
#swapped = affine_map<(d0, d1) -> (d1, d0)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>

// Columns that may be others: what is known tells.
dietcode.shape_var @R range [1, 64]
dietcode.shape_var @C range [1, 64]
// CHECK-LABEL: func.func @unknown_columns
// RAISED-LABEL: func.func @unknown_columns
func.func @unknown_columns(%x: tensor<?x?xf32>, %z: tensor<?x?xf32>, %s: tensor<?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // CHECK-COUNT-2: dietcode.rowwise
  %0 = dietcode.rowwise ins(%x : tensor<?x?xf32>) outs(%s : tensor<?xf32>) maps [#element, #row] do {
  ^bb0(%e: f32):
    %2 = dietcode.reduce_row add %e : f32
    dietcode.yield %2 : f32
  } -> tensor<?xf32>
  %1 = dietcode.rowwise ins(%z, %0 : tensor<?x?xf32>, tensor<?xf32>) outs(%y : tensor<?x?xf32>) maps [#element, #row, #element] do {
  ^bb0(%e: f32, %f: f32):
    %2 = arith.addf %e, %f : f32
    dietcode.yield %2 : f32
  } -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
// CHECK-LABEL: func.func @bound_columns
// RAISED-LABEL: func.func @bound_columns
func.func @bound_columns(%x: tensor<?x?xf32>, %z: tensor<?x?xf32>, %s: tensor<?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // CHECK-COUNT-1: dietcode.rowwise
  // CHECK-NOT: dietcode.rowwise
  // CHECK: return
  dietcode.bind_shape %x [@R, @C], affine_map<()[r, c] -> (r, c)> : tensor<?x?xf32>
  dietcode.bind_shape %z [@R, @C], affine_map<()[r, c] -> (r, c)> : tensor<?x?xf32>
  %0 = dietcode.rowwise ins(%x : tensor<?x?xf32>) outs(%s : tensor<?xf32>) maps [#element, #row] do {
  ^bb0(%e: f32):
    %2 = dietcode.reduce_row add %e : f32
    dietcode.yield %2 : f32
  } -> tensor<?xf32>
  %1 = dietcode.rowwise ins(%z, %0 : tensor<?x?xf32>, tensor<?xf32>) outs(%y : tensor<?x?xf32>) maps [#element, #row, #element] do {
  ^bb0(%e: f32, %f: f32):
    %2 = arith.addf %e, %f : f32
    dietcode.yield %2 : f32
  } -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// -----

#element = affine_map<(d0, d1) -> (d0, d1)>
#swapped = affine_map<(d0, d1) -> (d1, d0)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>

// Not fused: a reduction of the other dimension, a reduction that would be
// repeated for each row, a result that others use before, one that is read at
// two elements, and what is in another block.
// CHECK-LABEL: func.func @left
// RAISED-LABEL: func.func @left
func.func @left(%x: tensor<8x8xf32>, %s: tensor<8xf32>, %y: tensor<8x8xf32>, %p: i1) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>) {
  // CHECK-COUNT-2: dietcode.reduce_row
  %0 = dietcode.rowwise ins(%x : tensor<8x8xf32>) outs(%s : tensor<8xf32>) maps [#swapped, #row] do {
  ^bb0(%e: f32):
    %6 = dietcode.reduce_row add %e : f32
    dietcode.yield %6 : f32
  } -> tensor<8xf32>
  %1 = dietcode.rowwise ins(%x, %0 : tensor<8x8xf32>, tensor<8xf32>) outs(%y : tensor<8x8xf32>) maps [#element, #column, #element] do {
  ^bb0(%e: f32, %f: f32):
    %6 = arith.addf %e, %f : f32
    %7 = dietcode.reduce_row add %6 : f32
    %8 = arith.addf %6, %7 : f32
    dietcode.yield %8 : f32
  } -> tensor<8x8xf32>
  // CHECK: dietcode.rowwise
  // CHECK: dietcode.yield
  // CHECK: tensor.insert
  // CHECK: dietcode.rowwise
  %i = arith.constant 0 : index
  %2 = dietcode.rowwise ins(%x : tensor<8x8xf32>) outs(%y : tensor<8x8xf32>) maps [#element, #element] do {
  ^bb0(%e: f32):
    %6 = arith.negf %e : f32
    dietcode.yield %6 : f32
  } -> tensor<8x8xf32>
  %z = arith.constant 0.0 : f32
  %inserted = tensor.insert %z into %2[%i, %i] : tensor<8x8xf32>
  %3 = dietcode.rowwise ins(%2, %inserted : tensor<8x8xf32>, tensor<8x8xf32>) outs(%y : tensor<8x8xf32>) maps [#element, #swapped, #element] do {
  ^bb0(%e: f32, %f: f32):
    %6 = arith.addf %e, %f : f32
    dietcode.yield %6 : f32
  } -> tensor<8x8xf32>
  // CHECK: dietcode.rowwise ins(%[[E:.*]], %[[E]] :
  %4 = dietcode.rowwise ins(%3 : tensor<8x8xf32>) outs(%y : tensor<8x8xf32>) maps [#element, #element] do {
  ^bb0(%e: f32):
    %6 = math.exp %e : f32
    dietcode.yield %6 : f32
  } -> tensor<8x8xf32>
  %5 = dietcode.rowwise ins(%4, %4 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%y : tensor<8x8xf32>) maps [#element, #swapped, #element] do {
  ^bb0(%e: f32, %f: f32):
    %6 = arith.addf %e, %f : f32
    dietcode.yield %6 : f32
  } -> tensor<8x8xf32>
  // CHECK: scf.if
  // CHECK-NEXT: dietcode.rowwise
  %q = scf.if %p -> tensor<8xf32> {
    %6 = dietcode.rowwise ins(%5 : tensor<8x8xf32>) outs(%s : tensor<8xf32>) maps [#element, #row] do {
    ^bb0(%e: f32):
      %7 = dietcode.reduce_row add %e : f32
      dietcode.yield %7 : f32
    } -> tensor<8xf32>
    scf.yield %6 : tensor<8xf32>
  } else {
    scf.yield %s : tensor<8xf32>
  }
  return %1, %3, %5, %q : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>
}

// -----

#nhwc = affine_map<(n, h, w, c) -> (n, h, w, c)>
#sum = affine_map<(n, c, h, w) -> (n, h, w, c)>
#image = affine_map<(n, c, h, w) -> (n, c)>
#kept = affine_map<(n, h, w, c) -> (n, c)>

// What reduces says which dimensions are columns, of those that use its results
// and of those that it uses.
// CHECK: #[[$X:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>
// CHECK-LABEL: func.func @columns
// RAISED-LABEL: func.func @columns
func.func @columns(%x: tensor<?x?x?x?xf32>, %s: tensor<?x?xf32>, %y: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  // CHECK: dietcode.rowwise ins(%{{.*}} : tensor<?x?x?x?xf32>) outs(%{{.*}} : tensor<?x?x?x?xf32>) columns(2) maps [#[[$X]], #[[$X]]] do {
  // CHECK-NOT: dietcode.rowwise
  // CHECK: return
  %0 = dietcode.rowwise ins(%x : tensor<?x?x?x?xf32>) outs(%y : tensor<?x?x?x?xf32>) maps [#nhwc, #nhwc] do {
  ^bb0(%e: f32):
    %3 = math.absf %e : f32
    dietcode.yield %3 : f32
  } -> tensor<?x?x?x?xf32>
  %1 = dietcode.rowwise ins(%0 : tensor<?x?x?x?xf32>) outs(%s : tensor<?x?xf32>) columns(2) maps [#sum, #image] do {
  ^bb0(%e: f32):
    %3 = dietcode.reduce_row add %e : f32
    dietcode.yield %3 : f32
  } -> tensor<?x?xf32>
  %2 = dietcode.rowwise ins(%x, %1 : tensor<?x?x?x?xf32>, tensor<?x?xf32>) outs(%y : tensor<?x?x?x?xf32>) maps [#nhwc, #kept, #nhwc] do {
  ^bb0(%e: f32, %f: f32):
    %3 = arith.divf %e, %f : f32
    dietcode.yield %3 : f32
  } -> tensor<?x?x?x?xf32>
  return %2 : tensor<?x?x?x?xf32>
}

// -----

#element = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#first = affine_map<(d0, d1, d2) -> (d0)>
#row = affine_map<(d0, d1, d2) -> (d0, d1)>

// Two reductions of different dimensions, and one of whose columns others would
// write some alone, are not fused.
// CHECK-LABEL: func.func @other_columns
// RAISED-LABEL: func.func @other_columns
func.func @other_columns(%x: tensor<8x8x8xf32>, %v: tensor<8x8xf32>, %a: tensor<8x8xf32>, %s: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8x8xf32>) {
  // CHECK-COUNT-4: dietcode.rowwise
  %0 = dietcode.rowwise ins(%x : tensor<8x8x8xf32>) outs(%a : tensor<8x8xf32>) maps [#element, #row] do {
  ^bb0(%e: f32):
    %4 = dietcode.reduce_row add %e : f32
    dietcode.yield %4 : f32
  } -> tensor<8x8xf32>
  %1 = dietcode.rowwise ins(%x, %0 : tensor<8x8x8xf32>, tensor<8x8xf32>) outs(%s : tensor<8xf32>) columns(2) maps [#element, #row, #first] do {
  ^bb0(%e: f32, %f: f32):
    %4 = arith.mulf %e, %f : f32
    %5 = dietcode.reduce_row add %4 : f32
    dietcode.yield %5 : f32
  } -> tensor<8xf32>
  %2 = dietcode.rowwise ins(%v : tensor<8x8xf32>) outs(%a : tensor<8x8xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>] do {
  ^bb0(%e: f32):
    %4 = math.absf %e : f32
    dietcode.yield %4 : f32
  } -> tensor<8x8xf32>
  %3 = dietcode.rowwise ins(%x, %2 : tensor<8x8x8xf32>, tensor<8x8xf32>) outs(%s : tensor<8xf32>) columns(2) maps [#element, #row, #first] do {
  ^bb0(%e: f32, %f: f32):
    %4 = arith.mulf %e, %f : f32
    %5 = dietcode.reduce_row add %4 : f32
    dietcode.yield %5 : f32
  } -> tensor<8xf32>
  return %1, %3, %2 : tensor<8xf32>, tensor<8xf32>, tensor<8x8xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#lookup = affine_map<(d0, d1)[s0] -> (s0, d1)>

// Tables and indices keep together. What is looked up in, and by what, is
// computed before.
// CHECK: #[[$SECOND:.*]] = affine_map<(d0, d1)[s0, s1, s2] -> (s2, d1)>
// CHECK-LABEL: func.func @lookups
// CHECK-SAME: (%[[I:.*]]: tensor<?xi64>, %[[J:.*]]: tensor<?xi64>, %[[A:.*]]: tensor<?x?xf32>, %[[B:.*]]: tensor<?x?xf32>, %{{.*}})
// RAISED-LABEL: func.func @lookups
func.func @lookups(%i: tensor<?xi64>, %j: tensor<?xi64>, %a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %n: tensor<?xi64>, %y: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  // CHECK: dietcode.rowwise ins(%[[I]], %[[A]], %[[J]], %[[B]] : {{.*}}) outs(%{{.*}}) maps [#{{.*}}, #{{.*}}, #{{.*}}, #[[$SECOND]], #{{.*}}] do {
  %0 = dietcode.rowwise ins(%i, %a : tensor<?xi64>, tensor<?x?xf32>) outs(%y : tensor<?x?xf32>) maps [#row, #lookup, #id] do {
  ^bb0(%k: i64, %e: f32):
    dietcode.yield %e : f32
  } -> tensor<?x?xf32>
  %1 = dietcode.rowwise ins(%j, %b, %0 : tensor<?xi64>, tensor<?x?xf32>, tensor<?x?xf32>) outs(%y : tensor<?x?xf32>) maps [#row, #lookup, #id, #id] do {
  ^bb0(%k: i64, %e: f32, %f: f32):
    %5 = arith.addf %e, %f : f32
    %6 = dietcode.reduce_row add %5 : f32
    %7 = arith.divf %5, %6 : f32
    dietcode.yield %7 : f32
  } -> tensor<?x?xf32>
  // CHECK-COUNT-3: dietcode.rowwise
  %2 = dietcode.rowwise ins(%i : tensor<?xi64>) outs(%n : tensor<?xi64>) maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] do {
  ^bb0(%k: i64):
    %5 = arith.addi %k, %k : i64
    dietcode.yield %5 : i64
  } -> tensor<?xi64>
  %3 = dietcode.rowwise ins(%a : tensor<?x?xf32>) outs(%y : tensor<?x?xf32>) maps [#id, #id] do {
  ^bb0(%e: f32):
    %5 = math.absf %e : f32
    dietcode.yield %5 : f32
  } -> tensor<?x?xf32>
  %4 = dietcode.rowwise ins(%2, %3 : tensor<?xi64>, tensor<?x?xf32>) outs(%y : tensor<?x?xf32>) maps [#row, #lookup, #id] do {
  ^bb0(%k: i64, %e: f32):
    dietcode.yield %e : f32
  } -> tensor<?x?xf32>
  return %1, %4 : tensor<?x?xf32>, tensor<?x?xf32>
}
