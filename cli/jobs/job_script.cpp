#include "cli/jobs/job_script.hpp"

#include <algorithm>
#include <optional>

#include "cli/jobs/slurm_options.hpp"
#include "cli/terminal/figures.hpp"

namespace dmm {
namespace {

constexpr std::string_view dmm_mark = "#DMM", slurm_mark = "#SBATCH";
constexpr std::string_view white = " \t\r\f\v";

std::string place_of(const std::string& file, std::size_t line) {
  return harmless(file) + " line " + std::to_string(line) + ": ";
}

/// The text behind the mark of a line; nothing if the line doesn't begin with the mark as a word.
std::optional<std::string_view> behind(std::string_view mark, std::string_view line) {
  if (!line.starts_with(mark)) return std::nullopt;
  line.remove_prefix(mark.size());
  if (!line.empty() && white.find(line.front()) == std::string_view::npos) return std::nullopt;
  return line;
}

/// A dash and a letter, or two dashes and more; a negative number isn't an option.
bool is_option(std::string_view word) {
  if (word.size() < 2 || word[0] != '-') return false;
  return word[1] == '-' ? word.size() > 2 : (word[1] < '0' || word[1] > '9') && word[1] != '.';
}

/// Options with their values: "--name=x", "--name x", "-nx", "-n x". If the next word is an option, it is no value.
std::string read_options(const std::vector<std::string>& words, std::size_t line, std::vector<Directive>& found) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (!is_option(word)) return "expected an option, as in --name value, got '" + harmless(word) + "'";
    const bool is_long = word[1] == '-';
    const std::size_t end = is_long ? std::min(word.find('='), word.size()) : 2;
    Directive option{word.substr(0, end), {}, end < word.size(), line, false};
    if (option.has_value) option.value = word.substr(is_long ? end + 1 : end + (word[end] == '='));
    if (!option.has_value && i + 1 < words.size() && !is_option(words[i + 1]))
      option.value = words[++i], option.has_value = true;
    found.push_back(std::move(option));
  }
  return {};
}

/// Takes the options of one line if it has this mark. A fault doesn't have its place yet.
std::string read_line(std::string_view mark, std::string_view line, std::size_t number,
                      std::vector<Directive>& found) {
  const auto rest = behind(mark, line);
  if (!rest) return {};
  std::vector<std::string> words;
  if (!split_words(*rest, words)) return "a quotation has no end";
  if (words.empty()) return "expected an option behind " + std::string(mark) + ", as in --name value";
  return read_options(words, number, found);
}

/// Whether the head goes on: a comment or a blank line.
bool is_of_head(std::string_view line) {
  const std::size_t first = line.find_first_not_of(white);
  return first == std::string_view::npos || line[first] == '#';
}

}  // namespace

bool split_words(std::string_view line, std::vector<std::string>& words) {
  std::string word;
  bool is_begun = false;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char letter = line[i];
    const bool is_white = white.find(letter) != std::string_view::npos;
    if (quote == 0 && !is_begun && letter == '#') break;
    if (quote == 0 && is_white) {
      if (is_begun) words.push_back(std::move(word));
      word.clear();
      is_begun = false;
      continue;
    }
    is_begun = true;
    if (letter == quote)
      quote = 0;
    else if (quote == 0 && (letter == '"' || letter == '\''))
      quote = letter;
    else if (letter == '\\' && quote != '\'' && i + 1 < line.size())
      word += line[++i];
    else
      word += letter;
  }
  if (is_begun) words.push_back(std::move(word));
  return quote == 0;
}

JobScript read_job_script(std::string_view text, const std::string& file) {
  JobScript script;
  std::vector<Directive> slurm, own;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (!is_of_head(line)) break;
    std::string fault = read_line(slurm_mark, line, number, slurm);
    if (fault.empty()) fault = read_line(dmm_mark, line, number, own);
    if (fault.empty()) continue;
    script.fault = place_of(file, number) + fault;
    return script;
  }
  SlurmTranslation translated = from_slurm(slurm);
  for (const SlurmRemark& remark : translated.warnings)
    script.warnings.push_back(place_of(file, remark.line) + remark.text);
  if (!translated.fault.text.empty()) script.fault = place_of(file, translated.fault.line) + translated.fault.text;
  script.directives = std::move(translated.directives);
  script.directives.insert(script.directives.end(), own.begin(), own.end());
  return script;
}

}  // namespace dmm
