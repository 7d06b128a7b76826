// Help on 80 columns.
#include "cli/terminal/help_text.hpp"

#include <doctest/doctest.h>

namespace dmm::help_text_test {

TEST_CASE("help: options are folded below their description, paragraphs as text, examples as a shell takes them") {
  const std::string words(60, 'w');
  CHECK(folded_help("short\n\n  --a   b\n") == "short\n\n  --a   b\n");
  CHECK(folded_help("  --option VALUE              " + words + " more\n") ==
        "  --option VALUE             \n" + std::string(30, ' ') + words + "\n" + std::string(30, ' ') + "more\n");
  CHECK(folded_help(words + " " + words + "\nand so\non\n\nNext\n") ==
        words + "\n" + words + " and so on\n\nNext\n");
  CHECK(folded_help("  dmm submit " + words + " --last word\n") ==
        "  dmm submit " + words + " \\\n      --last word\n");
}

}  // namespace dmm::help_text_test
