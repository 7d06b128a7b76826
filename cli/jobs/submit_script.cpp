// The options in the head of a script, below those of the command line. Both are joined into one line of words, which
// is parsed like any other; see submit_options.hpp.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string_view>

#include "cli/jobs/submit_options.hpp"
#include "cli/terminal/figures.hpp"
#include "topologies/text_rules.hpp"

namespace dmm {
namespace {

/// A job has one of the first three options; the others belong to one of them.
constexpr std::array<std::string_view, 5> size_options{"--processors", "--components", "--flexible",
                                                       "--component-min", "--components-max"};

bool is_size(std::string_view name, std::size_t of_first = size_options.size()) {
  const auto end = size_options.begin() + static_cast<std::ptrdiff_t>(of_first);
  return std::find(size_options.begin(), end, name) != end;
}

/// Whether each given value counts, not only the last one.
bool is_list(const CLI::Option& option) { return option.get_items_expected_max() > 1; }

/// The words of the options on a command line.
std::vector<std::string> words_given(const CLI::App& command) {
  std::vector<std::string> words;
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0 || option->get_positional() || option->get_group().empty()) continue;
    const bool is_flag = option->get_items_expected_max() == 0;
    for (const std::string& value : option->results()) {
      words.push_back(option->get_name());
      if (!is_flag) words.push_back(value);
    }
  }
  return words;
}

class Directives {
 public:
  Directives(const CLI::App& given, const std::string& file) : given_(given), file_(file) {
    parser_.set_help_flag();
    add_submit_options(parser_, unused_);
  }

  /// Takes a directive. Returns what is wrong with it, or empty.
  std::string take(Directive directive) {
    const CLI::Option* option = parser_.get_option_no_throw(directive.option);
    if (option == nullptr || option->get_positional() || option->get_group().empty())
      return "`dmm submit` has no option " + harmless(directive.option) + suggestion(directive.option, names());
    const bool is_flag = option->get_items_expected_max() == 0;
    if (is_flag && directive.has_value)
      return directive.option + ": expected no value, got '" + harmless(directive.value) + "'";
    if (!is_flag && !directive.has_value) return directive.option + ": expected a value";
    directive.option = option->get_name();
    if (!is_list(*option) && is_given(directive.option)) return {};
    if (directive.is_implied)
      implied_.push_back(std::move(directive));
    else
      put(std::move(directive), is_list(*option));
    return {};
  }

  /// The options of all directives and of the command line; or a fault.
  OrFault<SubmitOptions, JobFault> parse() {
    for (Directive& directive : implied_)
      if (!chosen(directive.option) && follows_output(directive)) chosen_.push_back(std::move(directive));
    SubmitOptions options;
    const std::string fault = fault_of_first(chosen_.size(), true, options);
    if (fault.empty()) return options;
    for (std::size_t count = 1; count <= chosen_.size(); ++count)
      if (SubmitOptions some; fault_of_first(count, false, some) == fault)
        return JobFault{harmless(file_) + " line " + std::to_string(chosen_[count - 1].line) + ": " + fault};
    return JobFault{harmless(file_) + ": " + fault};
  }

 private:
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const CLI::Option* option : parser_.get_options())
      if (!option->get_positional() && !option->get_group().empty()) names.push_back(option->get_name());
    return names;
  }

  bool is_given(const std::string& name) const {
    const auto given = [&](std::string_view one) { return given_.get_option(std::string(one))->count() > 0; };
    if (is_size(name)) return std::any_of(size_options.begin(), size_options.begin() + 3, given);
    return given(name);
  }

  Directive* chosen(std::string_view name) {
    const auto found = std::ranges::find(chosen_, name, &Directive::option);
    return found == chosen_.end() ? nullptr : &*found;
  }

  bool follows_output(const Directive& directive) {
    const Directive* output = chosen("--output-file");
    return output != nullptr && output->value == directive.value;
  }

  /// Of two equal options the later one wins.
  void put(Directive directive, bool is_list) {
    const auto is_replaced = [&](const Directive& other) {
      const bool is_other_size = is_size(directive.option, 3) && is_size(other.option, 3);
      return is_other_size || (!is_list && other.option == directive.option);
    };
    std::erase_if(chosen_, is_replaced);
    chosen_.push_back(std::move(directive));
  }

  std::string fault_of_first(std::size_t count, bool with_command_line, SubmitOptions& options) const {
    std::vector<std::string> words;
    for (std::size_t i = 0; i < count; ++i) {
      words.push_back(chosen_[i].option);
      if (chosen_[i].has_value) words.push_back(chosen_[i].value);
    }
    if (with_command_line)
      for (std::string& word : words_given(given_)) words.push_back(std::move(word));
    std::ranges::reverse(words);  // the order that the parser expects
    CLI::App parser;
    parser.set_help_flag();
    add_submit_options(parser, options);
    try {
      parser.parse(std::move(words));
    } catch (const CLI::ParseError& error) {
      return error.what();
    }
    return {};
  }

  const CLI::App& given_;
  const std::string& file_;
  SubmitOptions unused_;
  CLI::App parser_;  // knows the options
  std::vector<Directive> chosen_, implied_;
};

}  // namespace

OrFault<SubmitOptions, JobFault> with_directives(const CLI::App& given, const SubmitOptions& options,
                                                 const std::vector<Directive>& directives,
                                                 const std::string& file) {
  Directives all(given, file);
  for (const Directive& directive : directives)
    if (const std::string fault = all.take(directive); !fault.empty())
      return JobFault{harmless(file) + " line " + std::to_string(directive.line) + ": " + fault};
  auto parsed = all.parse();
  if (auto* merged = std::get_if<SubmitOptions>(&parsed)) {
    merged->words = options.words;
    merged->is_script = options.is_script;
  }
  return parsed;
}

}  // namespace dmm
