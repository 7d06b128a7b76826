// A keeper's state folder for tests of the keeper's parts: real directories of jobs in a temporary folder.
#pragma once

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "resmgr/keeper/files.hpp"
#include "tests/backends/process_backend_fixture.hpp"

namespace dmm::keeper_folder {

struct KeeperFolder {
  backend_test::TemporaryFolder state;
  keeper::JobFolder folder;

  KeeperFolder() { open(folder); }
  /// Opens the folder as a keeper does; another keeper may have it open.
  void open(keeper::JobFolder& opened) const {
    REQUIRE(opened.open(state.path, false) == "");
    REQUIRE(opened.open_outcomes(state.path) == "");
  }
  std::string path(const std::string& name) const { return state.path + '/' + name; }
  bool has(const std::string& name) const { return std::filesystem::exists(path(name)); }
  /// How many entries a folder below the state folder has.
  std::size_t count(const std::string& name) const {
    const std::filesystem::directory_iterator entries(path(name));
    return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
  }
  /// Makes a job's directory.
  void make(const std::string& name) {
    keeper::JobFiles files;
    REQUIRE(folder.make(name, {}, {}, files) == 0);
  }
  /// Appends to a file below the state folder.
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary | std::ios::app) << text;
  }
};

}  // namespace dmm::keeper_folder
