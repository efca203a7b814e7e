// RUN: dietcode-opt %s --split-input-file --verify-diagnostics

#element = affine_map<(d0, d1) -> (d0, d1)>
func.func @mixed(%x: tensor<?x?xf32>, %y: memref<?x?xf32>) {
  // expected-error @below {{'dietcode.rowwise' op operands must be all tensors or all buffers, but 'input 0' is 'tensor<?x?xf32>'}}
  dietcode.rowwise ins(%x : tensor<?x?xf32>) outs(%y : memref<?x?xf32>) maps [#element, #element] do {
  ^bb0(%e: f32):
    dietcode.yield %e : f32
  }
  return
}

// -----

#element = affine_map<(d0, d1) -> (d0, d1)>
func.func @no_output(%x: memref<?x?xf32>) {
  // expected-error @below {{'dietcode.rowwise' op must have an output}}
  "dietcode.rowwise"(%x) <{maps = [#element], operandSegmentSizes = array<i32: 1, 0>}> ({
  ^bb0(%e: f32):
    "dietcode.yield"() : () -> ()
  }) : (memref<?x?xf32>) -> ()
  return
}

// -----

#element = affine_map<(d0, d1) -> (d0, d1)>
func.func @index_elements(%x: memref<?x?xindex>, %y: memref<?x?xf32>) {
  // expected-error @below {{'dietcode.rowwise' op elements must be floats or signless integers, but 'input 0' has 'index'}}
  dietcode.rowwise ins(%x : memref<?x?xindex>) outs(%y : memref<?x?xf32>) maps [#element, #element] do {
  ^bb0(%e: index):
    %0 = arith.constant 0.0 : f32
    dietcode.yield %0 : f32
  }
  return
}

// -----

#element = affine_map<(d0, d1) -> (d0, d1)>
func.func @results(%x: memref<?x?xf32>, %t: tensor<4xf32>) {
  // expected-error @below {{'dietcode.rowwise' op on buffers must have no results, got 'tensor<4xf32>'}}
  %0 = dietcode.rowwise ins(%x : memref<?x?xf32>) outs(%x : memref<?x?xf32>) maps [#element, #element] do {
  ^bb0(%e: f32):
    dietcode.yield %e : f32
  } -> tensor<4xf32>
  return
}

// -----

#element = affine_map<(d0, d1) -> (d0, d1)>
func.func @no_results(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) {
  // expected-error @below {{'dietcode.rowwise' op on tensors must have the types of its outputs as results, got }}
  dietcode.rowwise ins(%x : tensor<?x?xf32>) outs(%y : tensor<?x?xf32>) maps [#element, #element] do {
  ^bb0(%e: f32):
    dietcode.yield %e : f32
  }
  return
}

// -----

#element = affine_map<(d0, d1) -> (d0, d1)>
func.func @map_count(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  // expected-error @below {{'dietcode.rowwise' op has 1 maps for 2 operands}}
  dietcode.rowwise ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) maps [#element] do {
  ^bb0(%e: f32):
    dietcode.yield %e : f32
  }
  return
}

// -----

#nothing = affine_map<() -> ()>
func.func @no_column(%x: memref<f32>, %y: memref<f32>) {
  // expected-error @below {{'dietcode.rowwise' op must have 1 column dimensions, got maps of 0 dimensions}}
  dietcode.rowwise ins(%x : memref<f32>) outs(%y : memref<f32>) maps [#nothing, #nothing] do {
  ^bb0(%e: f32):
    dietcode.yield %e : f32
  }
  return
}

// -----

#element = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0) -> (d0)>
func.func @map_dims(%x: memref<?x?xf32>, %y: memref<?xf32>) {
  // expected-error @below {{'dietcode.rowwise' op maps must be of the same dimensions, but that of 'output 0' is affine_map<(d0) -> (d0)> and the first one has 2 dimensions}}
  dietcode.rowwise ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) maps [#element, #row] do {
  ^bb0(%e: f32):
    dietcode.yield %e : f32
  }
  return
}

// -----

#element = affine_map<(d0, d1, d2) -> (d0, d2)>
#row = affine_map<(d0, d1, d2) -> (d0)>
func.func @no_extent(%x: memref<?x?xf32>, %y: memref<?xf32>) {
  // expected-error @below {{'dietcode.rowwise' op dimension d1 has no extent: it is in no operand's map}}
  dietcode.rowwise ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) maps [#element, #row] do {
  ^bb0(%e: f32):
    %0 = dietcode.reduce_row add %e : f32
    dietcode.yield %0 : f32
  }
  return
}

// -----

#element = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row = affine_map<(d0, d1, d2) -> (d1)>
func.func @lost_rows(%x: memref<?x?x?xf32>, %y: memref<?xf32>) {
  // expected-error @below {{'dietcode.rowwise' op rows would overwrite each other: the map affine_map<(d0, d1, d2) -> (d1)> of 'output 0' lacks row dimension d0}}
  dietcode.rowwise ins(%x : memref<?x?x?xf32>) outs(%y : memref<?xf32>) maps [#element, #row] do {
  ^bb0(%e: f32):
    %0 = dietcode.reduce_row add %e : f32
    dietcode.yield %0 : f32
  }
  return
}

// -----

#element = affine_map<(d0, d1) -> (d0, d1)>
#sum = affine_map<(d0, d1) -> (d0 + d1, d1)>
func.func @no_projection(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  // expected-error @below {{'dietcode.rowwise' op map affine_map<(d0, d1) -> (d0 + d1, d1)> of operand 'input 0' must be a projected permutation, but for symbols}}
  dietcode.rowwise ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) maps [#sum, #element] do {
  ^bb0(%e: f32):
    dietcode.yield %e : f32
  }
  return
}

// -----

#element = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @rank(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  // expected-error @below {{'dietcode.rowwise' op operand 'input 0' has rank 2, but its map affine_map<(d0, d1) -> (d0)> gives 1 dimensions}}
  dietcode.rowwise ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) maps [#row, #element] do {
  ^bb0(%e: f32):
    dietcode.yield %e : f32
  }
  return
}

// -----

#element = affine_map<(d0, d1) -> (d0, d1)>
func.func @sizes(%x: memref<?x8xf32>, %y: memref<?x9xf32>) {
  // expected-error @below {{'dietcode.rowwise' op sizes of dimension d1 differ: 'input 0' has 8 in dimension 1, but 'output 0' has 9 in dimension 1}}
  dietcode.rowwise ins(%x : memref<?x8xf32>) outs(%y : memref<?x9xf32>) maps [#element, #element] do {
  ^bb0(%e: f32):
    dietcode.yield %e : f32
  }
  return
}

// -----

#element = affine_map<(d0, d1) -> (d0, d1)>
func.func @same_outputs(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  // expected-error @below {{'dietcode.rowwise' op 'output 0' and 'output 1' must not be the same buffer}}
  dietcode.rowwise ins(%x : memref<?x?xf32>) outs(%y, %y : memref<?x?xf32>, memref<?x?xf32>) maps [#element, #element, #element] do {
  ^bb0(%e: f32):
    dietcode.yield %e, %e : f32, f32
  }
  return
}

// -----

#element = affine_map<(d0, d1) -> (d0, d1)>
#swapped = affine_map<(d0, d1) -> (d1, d0)>
func.func @transposed_in_place(%x: memref<8x8xf32>) {
  // expected-error @below {{'dietcode.rowwise' op 'output 0' may be the buffer of 'input 0' only where both have one map with the columns in it, got affine_map<(d0, d1) -> (d1, d0)> and affine_map<(d0, d1) -> (d0, d1)>}}
  dietcode.rowwise ins(%x : memref<8x8xf32>) outs(%x : memref<8x8xf32>) maps [#element, #swapped] do {
  ^bb0(%e: f32):
    dietcode.yield %e : f32
  }
  return
}

// -----

#element = affine_map<(d0, d1) -> (d0, d1)>
func.func @arguments(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  // expected-error @below {{'dietcode.rowwise' op region must have the elements of the inputs as arguments, 'f32', got 'f16'}}
  dietcode.rowwise ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) maps [#element, #element] do {
  ^bb0(%e: f16):
    %0 = arith.extf %e : f16 to f32
    dietcode.yield %0 : f32
  }
  return
}

// -----

#element = affine_map<(d0, d1) -> (d0, d1)>
func.func @effects(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  dietcode.rowwise ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) maps [#element, #element] do {
  ^bb0(%e: f32):
    // expected-error @below {{'memref.alloc' op must be scalar arithmetic without side effects or dietcode.reduce_row in a dietcode.rowwise}}
    %0 = memref.alloc() : memref<f32>
    dietcode.yield %e : f32
  }
  return
}

// -----

#element = affine_map<(d0, d1) -> (d0, d1)>
func.func @yield(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  // expected-error @below {{'dietcode.rowwise' op region must end in a dietcode.yield of the elements of the outputs, 'f32'}}
  dietcode.rowwise ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) maps [#element, #element] do {
  ^bb0(%e: f32):
    dietcode.yield %e, %e : f32, f32
  }
  return
}

// -----

#element = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @varying(%x: memref<?x?xf32>, %y: memref<?xf32>) {
  // expected-error @below {{'dietcode.rowwise' op 'output 0' has one element for each row, but is given a value that varies with the column; reduce it}}
  dietcode.rowwise ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) maps [#element, #row] do {
  ^bb0(%e: f32):
    dietcode.yield %e : f32
  }
  return
}

// -----

#element = affine_map<(d0, d1) -> (d0, d1)>
func.func @kind(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  dietcode.rowwise ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) maps [#element, #element] do {
  ^bb0(%e: f32):
    // expected-error @below {{'dietcode.reduce_row' op cannot combine values of type 'f32' by 'maxsi'}}
    %0 = dietcode.reduce_row maxsi %e : f32
    dietcode.yield %0 : f32
  }
  return
}

// -----

func.func @outside(%x: f32) -> f32 {
  // expected-error @below {{'dietcode.reduce_row' op expects parent op 'dietcode.rowwise'}}
  %0 = dietcode.reduce_row add %x : f32
  return %0 : f32
}

// -----

func.func @epilogue(%a: memref<?x64xf32>, %b: memref<64x32xf32>, %c: memref<?x32xf32>) {
  // expected-error @below {{'dietcode.matmul' op epilogue must end in a dietcode.yield of the element type of 'out'}}
  dietcode.matmul ins(%a, %b : memref<?x64xf32>, memref<64x32xf32>) outs(%c : memref<?x32xf32>) do {
  ^bb0(%sum: f32):
    dietcode.yield %sum, %sum : f32, f32
  }
  return
}

// -----

#element = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#some = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @some_columns(%x: memref<?x?x?xf32>, %y: memref<?x?xf32>) {
  // expected-error @below {{'dietcode.rowwise' op columns would overwrite each other: the map affine_map<(d0, d1, d2) -> (d0, d1)> of 'output 0' lacks column dimension d2}}
  dietcode.rowwise ins(%x : memref<?x?x?xf32>) outs(%y : memref<?x?xf32>) columns(2) maps [#element, #some] do {
  ^bb0(%e: f32):
    %0 = dietcode.reduce_row add %e : f32
    dietcode.yield %0 : f32
  }
  return
}

// -----

#element = affine_map<(d0, d1) -> (d0, d1)>
func.func @many_columns(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  // expected-error @below {{'dietcode.rowwise' op must have 3 column dimensions, got maps of 2 dimensions}}
  dietcode.rowwise ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) columns(3) maps [#element, #element] do {
  ^bb0(%e: f32):
    dietcode.yield %e : f32
  }
  return
}

// -----

#element = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#lookup = affine_map<(d0, d1)[s0, s1] -> (s1, d1)>
func.func @written(%i: memref<?xi32>, %j: memref<?xi32>, %x: memref<?x?xf32>) {
  // expected-error @below {{'dietcode.rowwise' op dimension 0 of 'output 0' is indexed by s1, but outputs cannot be looked up}}
  dietcode.rowwise ins(%i, %j : memref<?xi32>, memref<?xi32>) outs(%x : memref<?x?xf32>) maps [#row, #row, #lookup] do {
  ^bb0(%k: i32, %l: i32):
    %0 = arith.constant 1.0 : f32
    dietcode.yield %0 : f32
  }
  return
}

// -----

#element = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#lookup = affine_map<(d0, d1)[s0, s1, s2] -> (s2, d1)>
func.func @no_input(%i: memref<?xi32>, %x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  // expected-error @below {{'dietcode.rowwise' op dimension 0 of 'input 1' is indexed by s2, but there are only 2 inputs}}
  dietcode.rowwise ins(%i, %x : memref<?xi32>, memref<?x?xf32>) outs(%y : memref<?x?xf32>) maps [#row, #lookup, #element] do {
  ^bb0(%k: i32, %e: f32):
    dietcode.yield %e : f32
  }
  return
}

// -----

#element = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#lookup = affine_map<(d0, d1)[s0] -> (s0, d1)>
func.func @float_index(%i: memref<?xf32>, %x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  // expected-error @below {{'dietcode.rowwise' op dimension 0 of 'input 1' is indexed by s0, but the elements of 'input 0' are 'f32' and no integers}}
  dietcode.rowwise ins(%i, %x : memref<?xf32>, memref<?x?xf32>) outs(%y : memref<?x?xf32>) maps [#row, #lookup, #element] do {
  ^bb0(%k: f32, %e: f32):
    dietcode.yield %e : f32
  }
  return
}

// -----

#element = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#inner = affine_map<(d0, d1)[s0] -> (s0)>
#lookup = affine_map<(d0, d1)[s0, s1] -> (s1, d1)>
func.func @nested(%i: memref<?xi32>, %j: memref<?xi32>, %x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  // expected-error @below {{'dietcode.rowwise' op dimension 0 of 'input 2' is indexed by s1, but 'input 1' is looked up itself; do that in another operator}}
  dietcode.rowwise ins(%i, %j, %x : memref<?xi32>, memref<?xi32>, memref<?x?xf32>) outs(%y : memref<?x?xf32>) maps [#row, #inner, #lookup, #element] do {
  ^bb0(%k: i32, %l: i32, %e: f32):
    dietcode.yield %e : f32
  }
  return
}

// -----

// An index that varies with the column makes what it looks up vary.
#element = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#lookup = affine_map<(d0, d1)[s0] -> (s0)>
func.func @varying_lookup(%i: memref<?x?xi32>, %x: memref<?xf32>, %y: memref<?xf32>) {
  // expected-error @below {{'dietcode.rowwise' op 'output 0' has one element for each row, but is given a value that varies with the column; reduce it}}
  dietcode.rowwise ins(%i, %x : memref<?x?xi32>, memref<?xf32>) outs(%y : memref<?xf32>) maps [#element, #lookup, #row] do {
  ^bb0(%k: i32, %e: f32):
    dietcode.yield %e : f32
  }
  return
}

// -----

#element = affine_map<(d0, d1) -> (d0, d1)>
#lookup = affine_map<(d0, d1)[s0] -> (s0, d1)>
func.func @table_in_place(%i: memref<?x?xi32>, %x: memref<?x?xf32>) {
  // expected-error @below {{'dietcode.rowwise' op 'output 0' may be the buffer of 'input 1' only where both have one map with the columns in it, got affine_map<(d0, d1) -> (d0, d1)> and affine_map<(d0, d1)[s0] -> (s0, d1)>}}
  dietcode.rowwise ins(%i, %x : memref<?x?xi32>, memref<?x?xf32>) outs(%x : memref<?x?xf32>) maps [#element, #lookup, #element] do {
  ^bb0(%k: i32, %e: f32):
    dietcode.yield %e : f32
  }
  return
}
