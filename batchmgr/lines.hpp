// Lines of words, as programs of batch systems print them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/time.hpp"

namespace dmm::lines {

constexpr std::uint64_t megabyte = 1024 * 1024;

/// The lines that aren't empty.
std::vector<std::string_view> lines_of(std::string_view text);
/// The parts between the marks; the last one of `most` is the rest, with all marks in it.
std::vector<std::string_view> split(std::string_view text, char mark, std::size_t most = SIZE_MAX);
/// Adds a word to a list, with the mark between its words.
void add_to(std::string& list, std::string_view word, std::string_view mark = ", ");
/// A decimal number that is all of the text.
std::optional<std::uint64_t> number_in(std::string_view text);
/// In whole minutes, at least one.
std::string minutes_of(Duration length);

}  // namespace dmm::lines
