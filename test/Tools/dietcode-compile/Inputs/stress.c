/* Calls @project many times: argv[1] calls with `argv[2]` rows, of which some
   fail where argv[3] is "fail". Prints what memory has grown after the warm-up,
   and libraries of LLVM that are loaded. */
#include "project.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t rows;
static float x[64 * 32], w[16 * 32];
static int64_t sizes[2] = {0, 32}, weightSizes[2] = {16, 32};

static dietcode_status call(int fault) {
  dietcode_tensor input = {
      .data = x, .dtype = DIETCODE_F32, .rank = 2, .sizes = sizes};
  dietcode_tensor weights = {
      .data = w, .dtype = DIETCODE_F32, .rank = 2, .sizes = weightSizes};
  dietcode_tensor output;
  sizes[0] = rows;
  if (fault == 1)
    input.rank = 1;
  if (fault == 2)
    input.dtype = DIETCODE_F16;
  if (fault == 3) /* Nothing is registered: the kernel is out of bounds. */
    input.memory = DIETCODE_DEVICE;
  weightSizes[1] = fault == 4 ? 31 : 32;
  dietcode_status status = project(&input, &weights, &output, NULL);
  dietcode_tensor_release(&output);
  return status;
}

static long residentKilobytes(void) {
  long total = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld %ld", &total, &resident) != 2)
    abort();
  fclose(file);
  return resident * 4;
}

static void checkMaps(void) {
  char line[4096];
  FILE *file = fopen("/proc/self/maps", "r");
  while (file && fgets(line, sizeof(line), file))
    if (strstr(line, "LLVM") || strstr(line, "MLIR"))
      printf("LOADED %s", line);
  fclose(file);
}

int main(int argc, char **argv) {
  long calls = atol(argv[1]);
  rows = atol(argv[2]);
  int fails = argc > 3 && strcmp(argv[3], "fail") == 0;
  for (int fault = 1; fails && fault < 5; ++fault) {
    printf("%s: ", dietcode_status_name(call(fault)));
    printf("%s\n", dietcode_last_error());
    if (call(0) != DIETCODE_OK)
      printf("the next call failed: %s\n", dietcode_last_error());
  }
  long before = 0;
  for (long i = 0; i < calls; ++i) {
    if (i == calls / 2)
      before = residentKilobytes();
    if (call(fails ? (int)(i % 4) : 0) != DIETCODE_OK && !fails) {
      printf("%s\n", dietcode_last_error());
      return 1;
    }
  }
  long grown = residentKilobytes() - before;
  printf("%ld calls, memory %s\n", calls, grown < 512 ? "flat" : "grows");
  if (grown >= 512)
    printf("by %ld kilobytes\n", grown);
  checkMaps();
  return 0;
}
