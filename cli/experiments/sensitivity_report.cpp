#include "cli/experiments/sensitivity_report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/terminal/figures.hpp"
#include "simulator/results/numbers.hpp"
#include "workloads/statistics.hpp"

namespace dmm {
namespace {

char mark_of(Held held) { return held == Held::yes ? '+' : held == Held::in_part ? '~' : '-'; }
/// A parameter's column: A, B, ...
std::string letter_of(std::size_t parameter) { return std::string(1, static_cast<char>('A' + parameter)); }

std::vector<Judgement> judge_all(const CaseMetric& metric) {
  std::vector<Judgement> judgements;
  for (const PaperClaim& claim : paper_claims()) judgements.push_back(claim.judge(metric));
  return judgements;
}

/// The lowest and the highest figure of a claim over the sweep, ours included.
std::string range_of(const SensitivityVerdicts& verdicts, std::size_t claim) {
  double low = verdicts.ours[claim].figure, high = low;
  for (const auto& judgements : verdicts.by_setting) {
    low = std::min(low, judgements[claim].figure);
    high = std::max(high, judgements[claim].figure);
  }
  const int digits = paper_claims()[claim].digits;
  return decimal(low, digits) + " to " + decimal(high, digits);
}

std::string parameters_text() {
  Table table({{""}, {"parameter"}, {"ours"}, {"others"}, {"what it stands for"}});
  const std::vector<UnstatedParameter>& all = unstated_parameters();
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::string others;
    for (std::size_t value = 1; value < all[i].values.size(); ++value)
      others.append(value > 1 ? ", " : "").append(all[i].values[value].label);
    table.add({letter_of(i), std::string(all[i].name), std::string(all[i].values[0].label), others,
               std::string(all[i].about)});
  }
  return table.text({.colour = false, .unicode = true});
}

std::string claims_text(const SensitivityVerdicts& verdicts) {
  const std::vector<SensitivitySetting> settings = sensitivity_settings();
  std::vector<Table::Column> columns{{"#"}, {"claim"}, {"our figure"}, {"", true}, {""}};
  for (std::size_t i = 0; i < unstated_parameters().size(); ++i) columns.push_back({letter_of(i)});
  columns.push_back({"over the sweep"});
  Table table(std::move(columns));
  for (std::size_t i = 0; i < paper_claims().size(); ++i) {
    const PaperClaim& claim = paper_claims()[i];
    const Judgement& ours = verdicts.ours[i];
    std::vector<std::string> row{std::string(claim.number), std::string(claim.statement),
                                 std::string(claim.figure), decimal(ours.figure, claim.digits),
                                 std::string(1, mark_of(ours.held))};
    for (std::size_t parameter = 0; parameter < unstated_parameters().size(); ++parameter) {
      std::string marks;
      for (std::size_t setting = 0; setting < settings.size(); ++setting)
        if (settings[setting].parameter == parameter) marks += mark_of(verdicts.by_setting[setting][i].held);
      row.push_back(marks);
    }
    row.push_back(range_of(verdicts, i));
    table.add(std::move(row));
  }
  return table.text({.colour = false, .unicode = true});
}

std::string verdicts_csv(const SensitivityVerdicts& verdicts) {
  std::string text = "parameter,value,claim,held,figure\n";
  const auto rows = [&](const std::string& start, const std::vector<Judgement>& judgements) {
    for (std::size_t i = 0; i < judgements.size(); ++i)
      text += start + std::string(paper_claims()[i].number) + ',' + std::string(to_text(judgements[i].held)) +
              ',' + plain(judgements[i].figure, 4) + '\n';
  };
  rows("ours,,", verdicts.ours);
  const std::vector<SensitivitySetting> settings = sensitivity_settings();
  for (std::size_t i = 0; i < settings.size(); ++i) {
    const UnstatedParameter& parameter = unstated_parameters()[settings[i].parameter];
    rows(std::string(parameter.name) + ",\"" + std::string(parameter.values[settings[i].value].label) + "\",",
         verdicts.by_setting[i]);
  }
  return text;
}

nlohmann::ordered_json parameters_json() {
  auto parameters = nlohmann::ordered_json::array();
  for (const UnstatedParameter& parameter : unstated_parameters()) {
    auto others = nlohmann::ordered_json::array();
    for (std::size_t value = 1; value < parameter.values.size(); ++value)
      others.push_back(parameter.values[value].label);
    parameters.push_back({{"name", parameter.name},
                          {"about", parameter.about},
                          {"ours", parameter.values[0].label},
                          {"others", std::move(others)}});
  }
  return parameters;
}

nlohmann::ordered_json claims_json(const SensitivityVerdicts& verdicts) {
  const std::vector<SensitivitySetting> settings = sensitivity_settings();
  const auto verdict = [](const Judgement& judgement) -> nlohmann::ordered_json {
    return {{"held", to_text(judgement.held)}, {"figure", judgement.figure}};
  };
  auto all = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < paper_claims().size(); ++i) {
    auto sweep = nlohmann::ordered_json::array();
    for (std::size_t setting = 0; setting < settings.size(); ++setting) {
      const UnstatedParameter& parameter = unstated_parameters()[settings[setting].parameter];
      auto row = verdict(verdicts.by_setting[setting][i]);
      row["parameter"] = parameter.name;
      row["value"] = parameter.values[settings[setting].value].label;
      sweep.push_back(std::move(row));
    }
    all.push_back({{"number", paper_claims()[i].number},
                   {"statement", paper_claims()[i].statement},
                   {"figure", paper_claims()[i].figure},
                   {"ours", verdict(verdicts.ours[i])},
                   {"sweep", std::move(sweep)}});
  }
  return all;
}

}  // namespace

std::vector<SensitivitySetting> sensitivity_settings() {
  std::vector<SensitivitySetting> settings;
  for (std::size_t parameter = 0; parameter < unstated_parameters().size(); ++parameter)
    for (std::size_t value = 1; value < unstated_parameters()[parameter].values.size(); ++value)
      settings.push_back({parameter, value});
  return settings;
}

SensitivityVerdicts judge_sensitivity(const ComparisonResult& result) {
  const std::vector<ClaimCase>& cases = claim_cases();
  SensitivityVerdicts verdicts;
  for (std::size_t point = 0; point < result.runs.size(); ++point) {
    auto judgements = judge_all([&](const ClaimCase& one, std::string_view name) {
      const auto found = std::find(cases.begin(), cases.end(), one);
      const auto variant = static_cast<std::size_t>(found - cases.begin());
      return estimate_of(result.samples(point, variant, *find_metric(name))).mean;
    });
    if (point == 0)
      verdicts.ours = std::move(judgements);
    else
      verdicts.by_setting.push_back(std::move(judgements));
  }
  return verdicts;
}

OtherResult sensitivity_report(const SensitivityVerdicts& verdicts, std::uint32_t repetitions,
                               std::uint64_t seed) {
  OtherResult report;
  report.text = "The claims of Iosup et al. 2007 under other values of what it leaves unstated\n" +
                count_text(repetitions, "repetition") + " from seed " + std::to_string(seed) +
                "; one parameter at a time\n\n" + parameters_text() +
                "\n+ held, ~ in part, - not held: with our values, then with each other value of A, B, ...\n\n" +
                claims_text(verdicts);
  const nlohmann::ordered_json json = {{"name", "sensitivity"},
                                       {"repetitions", repetitions},
                                       {"seed", seed},
                                       {"parameters", parameters_json()},
                                       {"claims", claims_json(verdicts)}};
  report.json = json.dump(2);
  report.files = {{"sensitivity.csv", verdicts_csv(verdicts)},
                  {"sensitivity.txt", report.text},
                  {"sensitivity.json", report.json + "\n"}};
  return report;
}

}  // namespace dmm
