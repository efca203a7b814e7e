# DIETCODE_SANITIZER builds everything with sanitizers of clang or GCC: "address"
# stands for address, leak and undefined behaviour, "thread" for data races. Tests
# then have names that begin with the sanitizer's, and fail on whatever it finds.

set(DIETCODE_SANITIZER "" CACHE STRING "Sanitizers to build with: address, thread, or none")
set_property(CACHE DIETCODE_SANITIZER PROPERTY STRINGS "" address thread)

# What tests are registered with, and what programs that they run are linked with.
set(DIETCODE_TEST_PREFIX "")
set(DIETCODE_SANITIZER_DEFAULTS "")

if(DIETCODE_SANITIZER STREQUAL "")
  return()
elseif(DIETCODE_SANITIZER STREQUAL "address")
  # LLVM has no RTTI, which "vptr" needs. "function" compares the types of the CUDA
  # driver's functions, which are called through declarations of our own, with
  # those of the tests' stand-in.
  set(sanitizers -fsanitize=address,undefined -fno-sanitize=vptr,function -fno-sanitize-recover=all)
elseif(DIETCODE_SANITIZER STREQUAL "thread")
  set(sanitizers -fsanitize=thread)
else()
  message(FATAL_ERROR "DIETCODE_SANITIZER is '${DIETCODE_SANITIZER}'; use address, thread, or nothing")
endif()
add_compile_options(${sanitizers} -fno-omit-frame-pointer)
add_link_options(${sanitizers})

set(DIETCODE_TEST_PREFIX "${DIETCODE_SANITIZER}:")
set(DIETCODE_SANITIZER_DEFAULTS ${PROJECT_SOURCE_DIR}/test/Sanitizers/Defaults.cpp)
