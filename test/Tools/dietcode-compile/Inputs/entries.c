#include "entries.h"
#include <stdio.h>

int main(void) {
  uint8_t a;
  int8_t b;
  int16_t c;
  int32_t d;
  int64_t e;
  uint16_t f;
  double g;
  dietcode_status status =
      scalars(1, -2, -3, 4, 5, 0x3c00, 0.5, &a, &b, &c, &d, &e, &f, &g, NULL);
  if (status == DIETCODE_OK)
    printf("%d %d %d %d %d %d %g\n", a, b, c, (int)d, (int)e, f, g);
  float x[] = {2.5f, 1, 3.75f};
  const int64_t sizes[] = {3};
  dietcode_tensor in = {x,    DIETCODE_F32,  1,    sizes,
                        NULL, DIETCODE_HOST, NULL, NULL};
  dietcode_tensor out;
  if (status == DIETCODE_OK)
    status = scale(&in, 2, &out, NULL);
  if (status != DIETCODE_OK) {
    printf("%s\n", dietcode_last_error());
    return 1;
  }
  printf("scaled 3 by 2 in place: %s, %g\n", out.data == x ? "yes" : "no",
         ((float *)out.data)[2]);
  dietcode_tensor_release(&out);
  return 0;
}
