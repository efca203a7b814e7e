//===- ModelFileTest.cpp - Tests of files of cost models ------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/CostModel/ModelFile.h"
#include "BoosterTesting.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <sys/resource.h>
#include <unistd.h>

using namespace dietcode;
using namespace dietcode::test;

namespace fs = std::filesystem;
using nlohmann::json;

static const ModelMetadata kMetadata = {"virtual:t4", "00ff", "0.1.0"};

namespace {

/// A folder of its own for each test.
class ModelFile : public ::testing::Test {
protected:
  void SetUp() override {
    std::string pattern = fs::temp_directory_path() / "dietcode-model-XXXXXX";
    folder = mkdtemp(pattern.data());
    boosters.emplace("full-wave", trainedBooster(data, 5));
    boosters.emplace("single-block", trainedBooster(makeDataSet(60, 3), 4));
  }
  void TearDown() override { fs::remove_all(folder); }

  std::string at(const std::string &name) const { return folder / name; }

  std::string read(const std::string &name) const {
    std::ifstream stream(at(name), std::ios::binary);
    std::ostringstream bytes;
    bytes << stream.rdbuf();
    return bytes.str();
  }

  void write(const std::string &name, const std::string &bytes) const {
    std::ofstream(at(name), std::ios::binary) << bytes;
  }

  void save(const std::string &name) const {
    auto saved = saveModel(at(name), boosters, kMetadata);
    ASSERT_TRUE(saved) << saved.error().message;
  }

  Expected<SavedModel> load(const std::string &name) const {
    return loadModel(at(name), kMetadata.device, kMetadata.schema);
  }

  /// The error of loading a file, without the words that name it.
  std::string problem(const std::string &name) const {
    std::string message = messageOf(load(name));
    std::string prefix = "the file '" + at(name) + "' ";
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message.compare(0, prefix.size(), prefix) == 0
               ? message.substr(prefix.size())
               : message;
  }

  size_t files() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder),
                                             fs::directory_iterator()));
  }

  fs::path folder;
  DataSet data = makeDataSet(60, 4);
  NamedBoosters boosters;
};

} // namespace

TEST_F(ModelFile, SurvivesBothFormats) {
  for (const char *name : {"m.ubj", "m.json"}) {
    save(name);
    auto model = load(name);
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->metadata.device, "virtual:t4");
    EXPECT_EQ(model->metadata.schema, "00ff");
    EXPECT_EQ(model->metadata.version, "0.1.0");
    ASSERT_EQ(model->boosters.size(), 2u);
    EXPECT_EQ(model->boosters.at("single-block").columns(), 3u);
    EXPECT_EQ(*model->boosters.at("full-wave").predict(data.matrix),
              *boosters.at("full-wave").predict(data.matrix));
  }
  EXPECT_EQ(files(), 2u);
}

TEST_F(ModelFile, IsTheSameBytesEachTime) {
  for (const char *name : {"m.ubj", "m.json"}) {
    save(name);
    std::string first = read(name);
    auto model = load(name);
    ASSERT_TRUE(model) << model.error().message;
    ASSERT_TRUE(saveModel(at(name), model->boosters, model->metadata));
    EXPECT_TRUE(read(name) == first);
  }
}

TEST_F(ModelFile, MayBeIndented) {
  save("m.json");
  write("m.json", json::parse(read("m.json")).dump(2));
  EXPECT_EQ(problem("m.json"), "no error");
}

TEST_F(ModelFile, SaysWhoWroteIt) {
  ASSERT_TRUE(saveModel(at("m.json"), {}, {"virtual:t4", "00ff", ""}));
  auto model = load("m.json");
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_NE(model->metadata.version, "");
  EXPECT_TRUE(model->boosters.empty());
}

TEST_F(ModelFile, MustExist) {
  EXPECT_EQ(problem("none.ubj"),
            "cannot open '" + at("none.ubj") + "': No such file or directory");
  EXPECT_EQ(problem(""), "cannot read '" + at("") + "': Is a directory");
}

TEST_F(ModelFile, MustNotBeEmptyOrForeign) {
  write("m.ubj", "");
  EXPECT_EQ(problem("m.ubj"), "is empty");
  for (const char *text :
       {"{}", "[1]", "{\"a\": 1}", "\x7f\x45LF", "{\"schema\": 1}\n{}\n"}) {
    write("m.ubj", text);
    EXPECT_EQ(problem("m.ubj"), "is not a cost model") << text;
  }
}

TEST_F(ModelFile, MustNotBeXgboostsOwn) {
  for (auto format : {Booster::Format::Json, Booster::Format::Ubj}) {
    write("m.json", boosters.at("full-wave").serialize(format));
    EXPECT_EQ(problem("m.json"),
              "is a model of XGBoost, but not one that DietCode saved");
  }
  // XGBoost spells UBJSON with wider sizes.
  write("m.ubj", std::string("{L\0\0\0\0\0\0\0\7learner{", 18));
  EXPECT_EQ(problem("m.ubj"),
            "is a model of XGBoost, but not one that DietCode saved");
}

TEST_F(ModelFile, MustNotBeCut) {
  for (const char *name : {"m.ubj", "m.json"}) {
    save(name);
    std::string bytes = read(name);
    for (size_t size = 1; size < bytes.size(); size += 1 + size / 20) {
      write(name, bytes.substr(0, size));
      std::string expected =
          "is cut off after " + std::to_string(size) + " bytes";
      EXPECT_EQ(problem(name), size < bytes.find("DietCode") + 8
                                   ? "is not a cost model"
                                   : expected);
    }
  }
}

// A changed digit can leave a valid file.
TEST_F(ModelFile, MustNotBeChanged) {
  std::mt19937 random(3);
  for (const char *name : {"m.ubj", "m.json"}) {
    save(name);
    std::string valid = read(name);
    for (int repeat = 0; repeat < 300; ++repeat) {
      std::string bytes = valid;
      size_t at = random() % bytes.size();
      bytes[at] = static_cast<char>(bytes[at] ^ 1 << random() % 8);
      write(name, bytes);
      // A zero may change its sign, and an exponent the case of its letter.
      auto model = load(name);
      if (model)
        EXPECT_EQ(*model->boosters.at("full-wave").predict(data.matrix),
                  *boosters.at("full-wave").predict(data.matrix))
            << "byte " << at;
    }
  }
}

TEST_F(ModelFile, MustBeForTheDeviceAndTheFeatures) {
  save("m.ubj");
  std::string name = "the file '" + at("m.ubj") + "' ";
  EXPECT_EQ(messageOf(loadModel(at("m.ubj"), "cuda:0", "00ff")),
            name + "was trained for the device 'virtual:t4', not for 'cuda:0'");
  EXPECT_EQ(messageOf(loadModel(at("m.ubj"), "virtual:t4", "1234")),
            name + "was trained on features of schema 00ff, not 1234; train it "
                   "again with this version");
}

TEST_F(ModelFile, MustNotBeNewer) {
  save("m.json");
  json file = json::parse(read("m.json"));
  file["DietCode"]["format"] = 2;
  file["DietCode"]["version"] = "9.0.0";
  file["boosters"] = "elsewhere";
  write("m.json", file.dump());
  std::string message = problem("m.json");
  std::string start = "has format 2 of DietCode 9.0.0, which is newer than "
                      "format 1 that DietCode ";
  EXPECT_EQ(message.substr(0, start.size()), start) << message;
}

TEST_F(ModelFile, IsWrittenAsAWholeOrNotAtAll) {
  save("m.ubj");
  std::string before = read("m.ubj");
  NamedBoosters wrong;
  wrong.emplace("\xff", trainedBooster(data, 1));
  EXPECT_EQ(messageOf(saveModel(at("m.ubj"), wrong, kMetadata)),
            "cannot write the cost model '" + at("m.ubj") +
                "': the name of a booster is not UTF-8");
  EXPECT_EQ(messageOf(saveModel(at("m.txt"), boosters, kMetadata)),
            "cannot write the cost model '" + at("m.txt") +
                "': its name ends neither in .ubj nor in .json");
  EXPECT_EQ(messageOf(saveModel(at("no/m.ubj"), boosters, kMetadata)),
            "cannot write '" + at("no/m.ubj") + "': No such file or directory");
  fs::create_directory(at("folder.ubj"));
  EXPECT_EQ(messageOf(saveModel(at("folder.ubj"), boosters, kMetadata)),
            "cannot write '" + at("folder.ubj") + "': Is a directory");

  // A disk that is full.
  auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit = {};
  getrlimit(RLIMIT_FSIZE, &limit);
  rlimit small = {1000, limit.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  std::string message = messageOf(saveModel(at("m.ubj"), boosters, kMetadata));
  setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(message, "cannot write '" + at("m.ubj") + "': File too large");

  EXPECT_TRUE(read("m.ubj") == before);
  EXPECT_EQ(files(), 2u);
}

// The hash is in files, so it must never change: FNV-1a of "a\0" and so on.
TEST(FeatureSchemaHash, IsStable) {
  EXPECT_EQ(featureSchemaHash({}), "cbf29ce484222325");
  EXPECT_EQ(featureSchemaHash({"a"}), "089be207b544f1e4");
  EXPECT_EQ(featureSchemaHash({"block_m", "block_n"}), "e1140ade25f1dd3e");
  EXPECT_NE(featureSchemaHash({"ab", "c"}), featureSchemaHash({"a", "bc"}));
  EXPECT_NE(featureSchemaHash({"a", "b"}), featureSchemaHash({"b", "a"}));
}
