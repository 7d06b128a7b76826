// Which folders `dmm` trusts, by their owner.
#include "cli/managers/registry.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>

namespace registry_test {

using namespace dmm;

TEST_CASE("registry: a folder in /tmp is used only if it belongs to this user alone") {
  char name[] = "/tmp/dmm-home-XXXXXX";
  const std::string folder = ::mkdtemp(name);
  const std::string inside = folder + "/state", link = folder + "/link";
  CHECK(make_private_folder(inside) == "");
  CHECK(make_private_folder(inside) == "");
  ::chmod(inside.c_str(), 0755);
  const std::string fault = " is not a folder that belongs to you alone (mode 0700); remove it, then try again";
  CHECK(make_private_folder(inside) == inside + fault);
  ::chmod(inside.c_str(), 0700);
  std::filesystem::create_symlink(inside, link);  // the link's owner may point it elsewhere
  CHECK(make_private_folder(link) != "");
  std::filesystem::remove_all(folder);
}

}  // namespace registry_test
