/* Calls @project of project.mlir, as compiled by dietcode-compile, for three
   numbers of rows. */
#include "project.h"
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  const int64_t rows[] = {1, 37, 200};
  float *w = malloc(16 * 32 * sizeof(float));
  for (int i = 0; i < 16 * 32; ++i)
    w[i] = (float)(i % 7);
  dietcode_tensor weights = {
      .data = w, .dtype = DIETCODE_F32, .rank = 2, .sizes = (int64_t[]){16, 32}};
  for (int i = 0; i < 3; ++i) {
    float *x = malloc((size_t)rows[i] * 32 * sizeof(float));
    for (int64_t k = 0; k < rows[i] * 32; ++k)
      x[k] = (float)(k % 5);
    const int64_t sizes[] = {rows[i], 32};
    dietcode_tensor input = {
        .data = x, .dtype = DIETCODE_F32, .rank = 2, .sizes = sizes};
    dietcode_tensor output;
    if (project(&input, &weights, &output, NULL) != DIETCODE_OK) {
      fprintf(stderr, "%s\n", dietcode_last_error());
      return 1;
    }
    const float *y = output.data;
    printf("%d x %d, last %g\n", (int)output.sizes[0], (int)output.sizes[1],
           y[rows[i] * 16 - 1]);
    dietcode_tensor_release(&output);
    free(x);
  }
  free(w);
  return 0;
}
