// Sizes from manifests, and what is wrong with bad ones.
#include "host/Manifest.h"
#include "host/Status.h"
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace tilec::host;
using nlohmann::json;

namespace {

json good() {
  return json::parse(R"json({
    "tilec": 1, "program": "all_gather_matmul", "target": "gfx942", "world": 4, "extents": ["M"],
    "arguments": [{"name": "a", "dtype": "bf16", "shape": ["M", 8192], "symmetric": true, "peers": "read"}],
    "scratch": [
      {"name": "full", "dtype": "bf16", "shape": ["4 * M", 64], "copies": 2, "offset": 0, "symmetric": true},
      {"name": "counts", "dtype": "i32", "shape": ["ceildiv(M, 128)"], "copies": 1, "offset": "2 * 4 * M * 64 * 2",
       "symmetric": false}],
    "signals": [
      {"name": "sent", "shape": [4, "ceildiv(max_M, 128)"], "scope": "system", "offset": 0},
      {"name": "done", "shape": [3], "scope": "agent", "offset": "4 * ceildiv(max_M, 128) * 128"}],
    "kernels": [{"name": "k", "threads": 256, "lds_bytes": 1024, "roles": [{"name": "compute", "workgroups": null,
                 "tasks": "ceildiv(M, 128)"}], "progress": {"class": "any"}}]
  })json");
}

std::string errorOf(const json &document) {
  try {
    Manifest::parse(document.dump());
  } catch (const Error &error) {
    EXPECT_EQ(error.result, TILEC_BAD_MANIFEST);
    return error.words;
  }
  return "accepted";
}

TEST(Manifest, sizes) {
  const Manifest manifest = Manifest::parse(good().dump());
  const std::int64_t extents[] = {200};
  const auto values = manifest.values(extents, 1, {1000});
  EXPECT_EQ(values, (std::vector<std::int64_t>{200, 1000}));
  EXPECT_EQ(manifest.bytes(manifest.arguments[0], values.data()), 200 * 8192 * 2);
  EXPECT_EQ(manifest.workspaceBytes(values.data()), 2 * 800 * 64 * 2 + 2 * 4);
  EXPECT_EQ(manifest.scratchOffset("full", 7, values.data()), 800 * 64 * 2);
  EXPECT_EQ(manifest.scratchOffset("full", 8, values.data()), 0);
  EXPECT_FALSE(manifest.scratchOffset("fall", 8, values.data()).has_value());
  EXPECT_EQ(manifest.signalBytes(values.data()), (4 * 8 + 3) * 128);
  EXPECT_TRUE(manifest.needsSymmetricWorkspace());
  EXPECT_EQ(manifest.signalAt(4 * 8 * 128, values.data())->name, "done");
  EXPECT_EQ(manifest.signalAt(128, values.data()), nullptr);
  EXPECT_EQ(manifest.kernels[0].resident, 0);
  EXPECT_FALSE(manifest.kernels[0].roles[0].workgroups.has_value());
}

/// A page of rows with a pitch: what lies between its elements belongs to it, nothing behind the last.
TEST(Manifest, stridedSizes) {
  json document = good();
  document["extents"] = {"M", "lda"};
  document["arguments"][0]["shape"] = {3, "M", 64};
  document["arguments"][0]["strides"] = {"M * lda", "lda", 1};
  const Manifest manifest = Manifest::parse(document.dump());
  auto tryBytes = [&](std::int64_t rows, std::int64_t pitch) -> std::int64_t {
    const std::int64_t values[] = {rows, pitch, rows, pitch};
    manifest.requireElementsApart(manifest.arguments[0], values);
    return manifest.bytes(manifest.arguments[0], values);
  };
  EXPECT_EQ(tryBytes(5, 80), (2 * 5 * 80 + 4 * 80 + 64) * 2);
  EXPECT_EQ(tryBytes(5, 64), 3 * 5 * 64 * 2);
  EXPECT_EQ(tryBytes(0, 0), 0) << "no elements, none of which overlap";
  EXPECT_EQ(tryBytes(1, 64), 3 * 64 * 2) << "a single row steps nowhere";
  try {
    tryBytes(5, 63);
    FAIL() << "rows of 64 elements lie 63 apart";
  } catch (const Error &error) {
    EXPECT_EQ(error.result, TILEC_BAD_EXTENTS);
    EXPECT_EQ(error.words, "'all_gather_matmul': elements of argument 'a' share memory: dimension 1 has stride 63, "
                           "expected at least 64");
  }
  EXPECT_THROW(tryBytes(1, 63), Error) << "pages of one row each";
  EXPECT_THROW(tryBytes(INT32_MAX, INT32_MAX), Error) << "beyond 64 bits";
  document["arguments"][0]["strides"] = {"lda", 1};
  EXPECT_EQ(errorOf(document), "manifest: arguments[0].strides: expected 3 as in the shape, got 2");
}

TEST(Manifest, extentsAreChecked) {
  const Manifest manifest = Manifest::parse(good().dump());
  const std::int64_t big[] = {1001}, negative[] = {-1};
  EXPECT_THROW(manifest.values(big, 1, {1000}), Error);
  EXPECT_THROW(manifest.values(negative, 1, {1000}), Error);
  EXPECT_THROW(manifest.values(big, 0, {1000}), Error);
}

TEST(Manifest, proofHoldsForItsSamplesAlone) {
  json document = good();
  document["extents"] = {"M", "N"};
  document["verified"] = {{"launches", 4}, {"extents", {{200, 40}, {40, 200}}}};
  const auto covers = [&](std::int64_t m, std::int64_t n) {
    const std::int64_t extents[] = {m, n};
    return Manifest::parse(document.dump()).isVerifiedFor(extents);
  };
  EXPECT_TRUE(covers(200, 40));
  EXPECT_TRUE(covers(40, 200));
  EXPECT_FALSE(covers(40, 40)) << "each was verified, but not together";
  EXPECT_FALSE(covers(200, 200));
  // Nothing depends on M.
  document["verified"]["extents"] = {{nullptr, 40}};
  EXPECT_TRUE(covers(17, 40));
  EXPECT_FALSE(covers(17, 41));
  document.erase("verified");
  EXPECT_FALSE(covers(200, 40));
}

TEST(Manifest, extentsThatMustNotBeZero) {
  json document = good();
  document["extents"] = {"M", "N", "K"};
  document["verified"] = {{"launches", 4}, {"extents", json::array()}, {"nonzero", {{"N"}, {"M", "K"}}}};
  const auto wordsFor = [&](std::int64_t m, std::int64_t n, std::int64_t k) -> std::string {
    const std::int64_t values[] = {m, n, k, 9, 9, 9};
    try {
      Manifest::parse(document.dump()).requireNonzero(values);
    } catch (const Error &error) {
      EXPECT_EQ(error.result, TILEC_BAD_EXTENTS);
      return error.words;
    }
    return "";
  };
  EXPECT_EQ(wordsFor(1, 1, 0), "");
  EXPECT_EQ(wordsFor(0, 1, 1), "");
  EXPECT_EQ(wordsFor(0, 0, 1), "") << "no role has a task";
  EXPECT_EQ(wordsFor(1, 0, 1),
            "extent 'N' of 'all_gather_matmul' is 0, expected more: a launch without its tiles is not proven, alone or "
            "between others; a pattern with credits or a barrier may take it");
  document["verified"]["works_without_tasks"] = true;
  EXPECT_NE(wordsFor(0, 1, 0).find("extent 'M', 'K' of 'all_gather_matmul' is 0"), std::string::npos);
  document["verified"].erase("works_without_tasks");
  // No role has a task, or one does not say how many it has.
  const std::int64_t none[] = {0, 0, 0, 9, 9, 9}, some[] = {1, 0, 0, 9, 9, 9};
  EXPECT_TRUE(Manifest::parse(document.dump()).isEmpty(none));
  EXPECT_FALSE(Manifest::parse(document.dump()).isEmpty(some));
  document["verified"]["works_without_tasks"] = true;
  EXPECT_FALSE(Manifest::parse(document.dump()).isEmpty(none));
  document["verified"].erase("works_without_tasks");
  document["kernels"][0]["roles"][0].erase("tasks");
  EXPECT_FALSE(Manifest::parse(document.dump()).isEmpty(none));
}

TEST(Manifest, errorsNameThePlace) {
  EXPECT_EQ(errorOf(good()), "accepted");
  json bad = good();
  bad.erase("kernels");
  EXPECT_EQ(errorOf(bad), "manifest: kernels: missing");
  bad = good();
  bad["conditions"] = {{{"left", "M"}, {"relation", "!="}, {"right", 0}}};
  EXPECT_EQ(errorOf(bad), "manifest: conditions[0].relation: expected one of ==, <=, got '!='");
  bad["conditions"] = {{{"left", "Q"}, {"relation", "=="}, {"right", 0}}};
  EXPECT_EQ(errorOf(bad), "manifest: conditions[0].left: expression 'Q', column 1: unknown name 'Q'");
  bad = good();
  bad["tilec"] = 2;
  EXPECT_EQ(errorOf(bad), "manifest: tilec: expected format 1, got 2");
  bad = good();
  bad["arguments"][0]["dtype"] = "u7";
  EXPECT_NE(errorOf(bad).find("manifest: arguments[0].dtype: expected one of f64, f32,"), std::string::npos);
  bad = good();
  bad["arguments"][0]["shape"][0] = "K";
  EXPECT_EQ(errorOf(bad), "manifest: arguments[0].shape[0]: expression 'K', column 1: unknown name 'K'");
  bad = good();
  bad["arguments"][0]["symmetric"] = false;
  EXPECT_EQ(errorOf(bad), "manifest: arguments[0].peers: peers address the argument 'a', which is not symmetric");
  bad = good();
  bad["signals"][1]["scope"] = 3;
  EXPECT_EQ(errorOf(bad), "manifest: signals[1].scope: expected a string, got number");
  bad = good();
  bad["kernels"][0]["threads"] = 2000;
  EXPECT_EQ(errorOf(bad), "manifest: kernels[0].threads: expected an integer in [1, 1024], got 2000");
  bad = good();
  bad["kernels"][0]["progress"] = {{"class", "resident"}};
  EXPECT_EQ(errorOf(bad), "manifest: kernels[0].progress.workgroups: missing");
  bad = good();
  bad["verified"] = {{"launches", 4}, {"extents", {{200, 40}}}};
  EXPECT_EQ(errorOf(bad), "manifest: verified.extents[0]: expected 1 values, got 2");
  bad["verified"]["extents"][0] = {-1};
  EXPECT_EQ(errorOf(bad), "manifest: verified.extents[0][0]: expected 0 or more, got -1");
  bad["verified"]["extents"][0] = {"M"};
  EXPECT_EQ(errorOf(bad), "manifest: verified.extents[0][0]: expected an integer or null, got string");
  bad["verified"] = {{"launches", 4}, {"extents", json::array()}, {"nonzero", json::array({{"M", "Q"}})}};
  EXPECT_EQ(errorOf(bad), "manifest: verified.nonzero[0][1]: no extent has the name 'Q'");
  bad["verified"]["nonzero"] = {json::array()};
  EXPECT_EQ(errorOf(bad), "manifest: verified.nonzero[0]: expected one extent at least");
  bad = good();
  bad["extents"] = {"M", "M"};
  EXPECT_EQ(errorOf(bad), "manifest: extents[1]: extent 'M' is named twice");
  EXPECT_EQ(errorOf(json::array()), "manifest: document: expected an object, got array");
  EXPECT_THROW(Manifest::parse("{"), Error);
}

/// The schema that the code generator follows and the reader say the same.
TEST(Manifest, readerAgreesWithTheSchema) {
  std::ifstream file(MANIFEST_SCHEMA);
  const json schema = json::parse(file);
  for (const json &key : schema["required"]) {
    json bad = good();
    ASSERT_TRUE(bad.contains(key)) << key;
    bad.erase(key.get<std::string>());
    EXPECT_EQ(errorOf(bad), "manifest: " + key.get<std::string>() + ": missing");
  }
  for (const char *list : {"arguments", "scratch", "signals", "kernels"})
    for (const json &key : schema["properties"][list]["items"]["required"]) {
      json bad = good();
      bad[list][0].erase(key.get<std::string>());
      EXPECT_EQ(errorOf(bad), std::string("manifest: ") + list + "[0]." + key.get<std::string>() + ": missing");
    }
  EXPECT_EQ(schema["$defs"]["dtype"]["enum"].size(), 11u);
  for (const json &dtype : schema["$defs"]["dtype"]["enum"]) {
    json fine = good();
    fine["arguments"][0]["dtype"] = dtype;
    EXPECT_EQ(errorOf(fine), "accepted") << dtype;
  }
}

TEST(Manifest, signalGridsMustNotShareWords) {
  json bad = good();
  bad["signals"][1]["offset"] = 128;
  const Manifest overlapping = Manifest::parse(bad.dump());
  const std::int64_t values[] = {200, 1000};
  EXPECT_THROW(overlapping.signalBytes(values), Error);
  bad["signals"][1]["offset"] = 100;
  EXPECT_THROW(Manifest::parse(bad.dump()).signalBytes(values), Error);
}

} // namespace
