//===- dietcode-records.cpp - Looks after files of records ----------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lists, merges, prunes, compares and exports what was measured. Exit codes: 0
// for success, 1 for any error.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>

using namespace dietcode;

namespace {

/// What the command line says; a subcommand uses some of it.
struct Options {
  std::vector<std::string> files;
  std::string output = "-";
  records::Selection selection;
  bool json = false;
};

void addFiles(CLI::App &command, Options &options, int least, int most) {
  command.add_option("files", options.files, "Files of records")
      ->required()
      ->expected(least, most);
}

void addOutput(CLI::App &command, Options &options) {
  command.add_option("-o,--output", options.output,
                     "Where the result goes (default: standard output)");
}

void addSelection(CLI::App &command, Options &options, const char *verb) {
  std::string text = verb;
  command.add_option("--device", options.selection.device,
                     text + " only records of this device");
  command.add_option("--toolchain", options.selection.toolchain,
                     text + " only records of this toolchain");
}

int finish(const Expected<bool> &result) {
  if (result)
    return 0;
  std::fprintf(stderr, "dietcode-records: error: %s\n",
               result.error().message.c_str());
  return 1;
}

/// The status must be one that there is.
std::string checkStatus(const std::string &text) {
  return parseRecordStatus(text) ? ""
                                 : "'" + text +
                                       "' is no status; use ok, compile-error, "
                                       "spills, launch-error, wrong-result, "
                                       "finding, crash or timeout";
}

std::string failureText(const CLI::App *, const CLI::Error &error) {
  return "dietcode-records: error: " + std::string(error.what()) + "\n";
}

} // namespace

int main(int argc, char **argv) {
  // A limit on file sizes is an error of write, not the end.
  std::signal(SIGXFSZ, SIG_IGN);
  CLI::App app("Looks after files of records, see docs/records.md");
  app.require_subcommand(1);
  app.failure_message(failureText);
  Options options;

  CLI::App *list = app.add_subcommand("list", "Print records as a table");
  addFiles(*list, options, 1, 1);
  addSelection(*list, options, "List");
  list->add_option("--status", options.selection.status,
                   "List only records of this status")
      ->check(checkStatus);
  list->add_flag("--json", options.json, "Print lines of JSON");

  CLI::App *merge = app.add_subcommand(
      "merge", "Merge files; of equal keys, later records hold");
  addFiles(*merge, options, 1, 1 << 20);
  addOutput(*merge, options);

  CLI::App *prune = app.add_subcommand(
      "prune", "Drop broken lines, superseded records, and more if asked");
  addFiles(*prune, options, 1, 1);
  addSelection(*prune, options, "Keep");
  prune->add_flag("--failed", options.selection.dropFailed,
                  "Drop records whose status is not ok");
  CLI::Option *pruneOutput =
      prune->add_option("-o,--output", options.output,
                        "Where the rest goes (default: the file itself)");

  CLI::App *diff = app.add_subcommand(
      "diff", "Compare two files key by key, with ratios of times");
  addFiles(*diff, options, 2, 2);

  CLI::App *csv = app.add_subcommand("csv", "Export runs, one a line");
  addFiles(*csv, options, 1, 1);
  addSelection(*csv, options, "Export");
  addOutput(*csv, options);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 1;
  }
  if (*list)
    return finish(
        records::list(options.files[0], options.selection, options.json));
  if (*merge)
    return finish(records::merge(options.files, options.output));
  if (*prune)
    return finish(records::prune(options.files[0], options.selection,
                                 *pruneOutput ? options.output : ""));
  if (*diff)
    return finish(records::diff(options.files[0], options.files[1]));
  return finish(
      records::csv(options.files[0], options.selection, options.output));
}
