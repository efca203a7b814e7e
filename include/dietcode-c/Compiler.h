/*===- dietcode-c/Compiler.h - Compiling, tuning and running ------*- C -*-===*\
|*                                                                            *|
|* Part of the DietCode project, under the Apache License v2.0 with LLVM      *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* The interface of libdietcode: MLIR as text in; tuned MLIR, PTX,            *|
|* explanations and callable programs out. Plain C, without LLVM or MLIR.     *|
|*                                                                            *|
|* Handles are opaque, and never reused: a handle that is null, was           *|
|* destroyed, or is of another kind is DIETCODE_INVALID_ARGUMENT, and nothing *|
|* else happens. They may be destroyed in any order.                          *|
|*                                                                            *|
|* Whatever fails says why to dietcode_last_error of its thread, leaves its   *|
|* outputs empty and what it was given as it was. No exception and no abort   *|
|* crosses this interface.                                                    *|
|*                                                                            *|
|* Functions may be called from any thread. Those on one context and its      *|
|* modules take turns; different contexts, and calls of programs, run side by *|
|* side.                                                                      *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef DIETCODE_C_COMPILER_H
#define DIETCODE_C_COMPILER_H

#include "dietcode-c/Artefact.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes that end with a NUL, which `length` does not count. */
typedef struct dietcode_text {
  char *data;
  size_t length;
} dietcode_text;

/** Gives a text back and empties it. Null and empty texts are fine. */
void dietcode_text_release(dietcode_text *text);

/*===----------------------------------------------------------------------===*\
|* Contexts                                                                   *|
\*===----------------------------------------------------------------------===*/

/** What modules live in. */
typedef struct dietcode_context dietcode_context;

dietcode_status dietcode_context_create(dietcode_context **context);

/** Modules and programs of the context stay usable. */
dietcode_status dietcode_context_destroy(dietcode_context *context);

typedef enum dietcode_severity {
  DIETCODE_REMARK = 0,
  DIETCODE_WARNING = 1,
  DIETCODE_ERROR = 2
} dietcode_severity;

/** Gets what the compiler has to say besides the last error, e.g. that an
 *  operator is left to loops on the host: "file:line:column: text". It is
 *  called by the thread that has called the compiler, and must not call it
 *  again for the same context. Null takes it away. */
typedef void (*dietcode_diagnostic_handler)(void *user,
                                            dietcode_severity severity,
                                            const char *text);
dietcode_status dietcode_context_set_diagnostics(
    dietcode_context *context, dietcode_diagnostic_handler handler, void *user);

/*===----------------------------------------------------------------------===*\
|* Modules                                                                    *|
\*===----------------------------------------------------------------------===*/

/** A module of MLIR. */
typedef struct dietcode_module dietcode_module;

/** Parses `length` bytes of MLIR; `name` is what messages call the file, and
 *  may be null. */
dietcode_status dietcode_module_parse(dietcode_context *context,
                                      const char *text, size_t length,
                                      const char *name,
                                      dietcode_module **module);

dietcode_status dietcode_module_destroy(dietcode_module *module);

/** The module as MLIR. */
dietcode_status dietcode_module_print(dietcode_module *module,
                                      dietcode_text *text);

/*===----------------------------------------------------------------------===*\
|* Tuning                                                                     *|
\*===----------------------------------------------------------------------===*/

typedef struct dietcode_tune_progress {
  const char *operator_name; /**< Of which a batch was measured. */
  uint64_t trials;           /**< Candidates done, of all operators. */
  uint64_t max_trials;
  double seconds; /**< Since the start. */
  double best;    /**< Weighted seconds of a call of the operator. */
} dietcode_tune_progress;

/** Starts as DIETCODE_TUNE_OPTIONS_INIT. */
typedef struct dietcode_tune_options {
  size_t struct_size; /**< sizeof(dietcode_tune_options). */
  /** E.g. "virtual:t4", the default, or "cuda:0"; null: the default. */
  const char *device;
  const char *entry;   /**< The function to tune; null: all. */
  const char *records; /**< A file of measurements that is read and appended
                            to; null: they are forgotten. */
  const char *model;   /**< A file of a trained cost model that is read if it is
                            there, and written; null: none. */
  uint32_t trials;     /**< Candidates to measure. */
  double seconds;      /**< Start no batch after this time; 0: no limit. */
  uint32_t batch;      /**< Candidates between two trainings of the model. */
  uint32_t max_kernels;   /**< That one operator may use. */
  double max_regret;      /**< Predicted, at any shape; negative: any. */
  uint64_t seed;          /**< Of all that is random. */
  uint32_t workers;       /**< 0: one for each processor. */
  double timeout_seconds; /**< That measuring a candidate may take. */
  int32_t model_only;     /**< Measure nothing. */
  int32_t skip_checks;    /**< Time candidates without comparing results. */
  /** dietcode-measure; null: next to this program, or in PATH. */
  const char *measure_program;
  /** Called after each batch, by the thread that tunes; what it returns is 0,
   *  or else tuning ends with DIETCODE_INTERRUPTED. Null: none. */
  int (*progress)(void *user, const dietcode_tune_progress *progress);
  void *progress_user;
  /** Tuning ends with DIETCODE_INTERRUPTED within two seconds of this becoming
   *  something else than 0, which any thread and any signal handler may do;
   *  null: never. */
  const volatile int *stop;
} dietcode_tune_options;

#define DIETCODE_TUNE_OPTIONS_INIT                                             \
  {sizeof(dietcode_tune_options),                                              \
   0,                                                                          \
   0,                                                                          \
   0,                                                                          \
   0,                                                                          \
   200,                                                                        \
   0.0,                                                                        \
   32,                                                                         \
   8,                                                                          \
   -1.0,                                                                       \
   0,                                                                          \
   0,                                                                          \
   60.0,                                                                       \
   0,                                                                          \
   0,                                                                          \
   0,                                                                          \
   0,                                                                          \
   0,                                                                          \
   0}

/** Gives all operators of a module micro-kernels and a dispatch. `report`,
 * which may be null, becomes JSON as dietcode-tune --json prints it. */
dietcode_status dietcode_module_tune(dietcode_module *module,
                                     const dietcode_tune_options *options,
                                     dietcode_text *report);

/** Starts as DIETCODE_EXPLAIN_OPTIONS_INIT. */
typedef struct dietcode_explain_options {
  size_t struct_size;  /**< sizeof(dietcode_explain_options). */
  const char *entry;   /**< Null: the only public function. */
  const char *records; /**< As of dietcode_tune_options; only read. */
  const char *model;
} dietcode_explain_options;

#define DIETCODE_EXPLAIN_OPTIONS_INIT                                          \
  {sizeof(dietcode_explain_options), 0, 0, 0}

/** Says which micro-kernel serves a shape, why, and how long it takes, as JSON
 *  (docs/capi.md). `shape` gives the shape variables, e.g. "T=37,H=768", and
 *  may be null without any. A module that was not tuned is explained as it
 *  would be compiled. */
dietcode_status dietcode_module_explain(dietcode_module *module,
                                        const char *shape,
                                        const dietcode_explain_options *options,
                                        dietcode_text *text);

/** The dispatches of all operators of a function, its instances, the regret
 *  against the number of kernels and, where `options` has records, how far off
 *  the cost model is of them, as dietcode-explain --json --instances --curve
 *  --accuracy prints it (docs/report.md). A function without a workload has no
 *  instances, which is no error. */
dietcode_status
dietcode_module_overview(dietcode_module *module,
                         const dietcode_explain_options *options,
                         dietcode_text *text);

/*===----------------------------------------------------------------------===*\
|* Programs                                                                   *|
\*===----------------------------------------------------------------------===*/

/** Compiled functions in this process. They run on the device that the runtime
 *  has chosen (docs/capi.md), and need nothing of the compiler any more. */
typedef struct dietcode_program dietcode_program;

/** Starts as DIETCODE_COMPILE_OPTIONS_INIT. */
typedef struct dietcode_compile_options {
  size_t struct_size;   /**< sizeof(dietcode_compile_options). */
  const char *entry;    /**< The function to compile; null: all public ones. */
  const char *chip;     /**< E.g. "sm_75"; null: that of the module's device. */
  uint32_t max_kernels; /**< Of operators that were not tuned. */
  double max_regret;    /**< Predicted, of these; negative: any. */
  int32_t report_misses; /**< Count calls outside of the declared ranges. */
} dietcode_compile_options;

#define DIETCODE_COMPILE_OPTIONS_INIT                                          \
  {sizeof(dietcode_compile_options), 0, 0, 8, -1.0, 0}

/** Compiles a module. It stays as it is, and may be compiled again. */
dietcode_status dietcode_module_compile(dietcode_module *module,
                                        const dietcode_compile_options *options,
                                        dietcode_program **program);

/** Calls of other threads that are under way come to their end first. */
dietcode_status dietcode_program_destroy(dietcode_program *program);

/** Calls a function by its name, which may be null if there is only one.
 *  `arguments` point to a dietcode_tensor or a scalar each, `results` to where
 *  those go (Artefact.h, as for a function of an artefact). */
dietcode_status dietcode_program_call(dietcode_program *program,
                                      const char *entry,
                                      const void *const *arguments,
                                      size_t argument_count,
                                      void *const *results, size_t result_count,
                                      const dietcode_call_options *options);

/** The functions as JSON: names, MLIR types, and of each argument and result
 *  the element type and, unless it is a scalar, its sizes, null where calls
 *  choose. */
dietcode_status dietcode_program_describe(dietcode_program *program,
                                          dietcode_text *text);

/** The kernels as PTX; empty if there are none. */
dietcode_status dietcode_program_ptx(dietcode_program *program,
                                     dietcode_text *text);

/** The program as bytes, for dietcode_program_load of the same release. They
 *  hold machine code of this kind of processor. */
dietcode_status dietcode_program_save(dietcode_program *program,
                                      dietcode_text *text);

/** The program that was saved as these bytes, without compiling it again. What
 *  is truncated, was changed by accident or is of another release is
 *  DIETCODE_COMPILE_ERROR. The machine code in it runs in this process: load
 *  no bytes that you would not run as a program. */
dietcode_status dietcode_program_load(const void *bytes, size_t length,
                                      dietcode_program **program);

/** What dietcode-compile --emit=object and --emit=header write. */
dietcode_status dietcode_program_object(dietcode_program *program,
                                        dietcode_text *text);
dietcode_status dietcode_program_header(dietcode_program *program,
                                        dietcode_text *text);

#ifdef __cplusplus
}
#endif

#endif /* DIETCODE_C_COMPILER_H */
