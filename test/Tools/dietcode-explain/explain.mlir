// RUN: dietcode-explain %s --shape T=37 | FileCheck %s --check-prefix=LEAF
// LEAF: @dense matmul: m = 592, n = 2304, k = 768
// LEAF: m <= 960: yes
// LEAF: case m in [401, 960]
// LEAF: chosen    medium: {{[0-9.]+}} us by the device table
// LEAF: blocks, {{[0-9]+}} per SM, {{.*}} waves, {{.*}} padding, {{[a-z0-9]+}}-bound, {{[0-9]+}}% occupancy
// LEAF: runner-up {{small|large}}: {{[0-9.]+}} us by the device table ({{.*}}%)
// LEAF: best known {{[0-9x_]+}}: {{[0-9.]+}} us by the device table

// RUN: dietcode-explain %s --shape T=37 --json | %python -c "import json, sys; one, = json.load(sys.stdin); print(one['operator'], one['leaf'], one['path'], one['chosen']['kernel'], one['chosen']['source'], one['bound'], one['blocks'])" | FileCheck %s --check-prefix=JSON
// JSON: @dense matmul case m in [401, 960] {{.*}}'m <= 960: yes'] medium table {{[a-z0-9]+}} 360
// RUN: dietcode-explain %s --shape T=0 --json | FileCheck %s --check-prefix=EMPTY
// EMPTY: "nothing": "{{.+}}"
// RUN: not dietcode-explain %s --json --curve --shape T=3 2>&1 | FileCheck %s --check-prefix=ONLY
// ONLY: error: --json prints what --shape asks for, or what --instances, --curve and --accuracy do; give --shape without them

// RUN: dietcode-explain %s --shape T=1000 | FileCheck %s --check-prefix=OUTSIDE
// OUTSIDE: @dense matmul: m = 16000, n = 2304, k = 768
// OUTSIDE: outside of m in [16, 2048]
// OUTSIDE: otherwise
// OUTSIDE: chosen    large:

// RUN: dietcode-explain %s --curve --max-kernels=3 | FileCheck %s --check-prefix=CURVE
// CURVE: @dense matmul
// CURVE: kernels cases mean weighted max
// CURVE: 1 1 {{.*}}%
// CURVE: 2 {{.*}}%
// CURVE: 3 {{.*}}%

// RUN: dietcode-explain %s --instances | FileCheck %s --check-prefix=INSTANCES
// INSTANCES: @dense matmul: m = 80, n = 2304, k = 768: small {{[0-9.]+}} us, best known {{[0-9a-z_]+}} {{[0-9.]+}} us, regret {{[0-9.]+}}%
// INSTANCES: @dense matmul: m = 2048, n = 2304, k = 768: large
// INSTANCES: @dense matmul: 2 instances, at 0 of them both measured: regret mean {{[0-9.]+}}%, max {{[0-9.]+}}% at m =

// Of operators with other sources, which share names, nothing is taken.
// RUN: dietcode-explain %s --shape T=5 --json | %python -c "import json, sys; source = json.load(sys.stdin)[0]['source']; [print(json.dumps(dict(operator='matmul f32 nt', source=source if n == 2304 else '2c', schedule='16x64x16_2x4', twin=twin, device='virtual:t4', toolchain='x', status='ok', v=1, runs=[dict(shape=dict(m=80, n=n, k=768), blocks=5*n//64, seconds=s)]))) for twin, n, s in [('aligned', 2304, 0.000123), ('general', 128, 0.5)]]" > %t.jsonl
// RUN: dietcode-explain %s --shape T=5 --records %t.jsonl | FileCheck %s --check-prefix=RECORDS
// RECORDS: chosen    small: 123.0 us from measurements

// RUN: not dietcode-explain %s 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: error: there is nothing to explain; give --shape T=37, --shape= where all is static, --instances, --curve, or --accuracy
// RUN: not dietcode-explain %s --shape H=3 2>&1 | FileCheck %s --check-prefix=VARIABLE
// VARIABLE: error: there is no value for the shape variable @T; give --shape T=...
// RUN: not dietcode-explain %s --shape T=3,H=3 2>&1 | FileCheck %s --check-prefix=UNUSED
// UNUSED: error: no operator depends on a shape variable @H
// RUN: not dietcode-explain %s --shape T=x 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: error: {{.*}}'x' in 'T=x' is not a size

dietcode.shape_var @T range [1, 128]
dietcode.workload @calls over [@T] instances [[5], [128]]
dietcode.micro_kernel @small #dietcode.schedule<block = [16, 64, 16], thread = [2, 4]>
dietcode.micro_kernel @medium #dietcode.schedule<block = [64, 64, 8], thread = [8, 4]>
dietcode.micro_kernel @large #dietcode.schedule<block = [128, 128, 8], thread = [8, 8]>
dietcode.dispatch @table on (m in [16, 2048]) {
  case m in [16, 400] -> @small
  case m in [401, 960] -> @medium
  case m in [961, 2048] -> @large
  otherwise -> @large
}

func.func @dense(%x: tensor<?x768xf32>, %w: tensor<2304x768xf32>, %init: tensor<?x2304xf32>) -> tensor<?x2304xf32> attributes {dietcode.workload = @calls} {
  dietcode.bind_shape %x [@T], affine_map<()[t] -> (16 * t, 768)> : tensor<?x768xf32>
  dietcode.bind_shape %init [@T], affine_map<()[t] -> (16 * t, 2304)> : tensor<?x2304xf32>
  %y = dietcode.matmul transpose_b dispatch(@table)
      ins(%x, %w : tensor<?x768xf32>, tensor<2304x768xf32>)
      outs(%init : tensor<?x2304xf32>) -> tensor<?x2304xf32>
  return %y : tensor<?x2304xf32>
}
