// SPDX-License-Identifier: Apache-2.0
#include "service/report/page/style.hpp"

namespace valle::service::report {

std::string_view style() {
  return R"css(
:root { --ink: #1c2321; --faint: #5c6763; --rule: #d9dfdc; --good: #00714f; --bad: #b34700; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 3rem; max-width: 62rem; color: var(--ink); background: #fff;
  font: 16px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
h1 { margin: 0 0 .25rem; font-size: 1.75rem; line-height: 1.2; }
h2 { margin: 2.25rem 0 .5rem; font-size: 1.2rem; line-height: 1.3; }
p { margin: .5rem 0; }
.faint, figcaption, td small { color: var(--faint); }
.faint, figcaption { font-size: .9rem; }
.good { color: var(--good); }
.bad { color: var(--bad); }
.key { display: grid; grid-template-columns: repeat(4, 1fr); gap: .75rem; margin: 1.25rem 0; padding: 0; }
.key div { border: 1px solid var(--rule); border-radius: .4rem; padding: .6rem .8rem; break-inside: avoid; }
.key dt { font-size: .85rem; color: var(--faint); }
.key dd { margin: 0; font-size: 1.4rem; font-weight: 600; line-height: 1.3; white-space: nowrap; }
.key dd small { display: block; font-size: .8rem; font-weight: 400; color: var(--faint); white-space: normal; }
figure { margin: 0; break-inside: avoid; }
svg { display: block; width: 100%; height: auto; font: 12px system-ui, "Segoe UI", Roboto, Arial, sans-serif; }
svg text { fill: var(--ink); }
.grid { stroke: var(--rule); stroke-width: 1; }
.zero { stroke: #8a9490; stroke-width: 1; }
.curve { fill: none; stroke-width: 1.6; stroke-linejoin: round; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--rule); text-align: left; vertical-align: top; }
th { font-weight: 600; vertical-align: bottom; }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
th.number { white-space: normal; }
td.name { overflow-wrap: anywhere; min-width: 7rem; }
tr { break-inside: avoid; }
thead { display: table-header-group; }
footer { margin-top: 2.5rem; border-top: 1px solid var(--rule); padding-top: .75rem; font-size: .85rem; color: var(--faint); }
@media (max-width: 44rem) {
  body { padding: 1.25rem .9rem 2rem; }
  .key { grid-template-columns: 1fr 1fr; }
  figure { overflow-x: auto; }
  svg { min-width: 34rem; }
}
@page { size: A4; margin: 16mm 14mm; }
@media print {
  body { max-width: none; padding: 0; font-size: 10.5pt; }
  h2 { break-after: avoid; margin-top: 1.4rem; }
  .wide { overflow: visible; }
  table { font-size: .8rem; }
  .key { grid-template-columns: repeat(4, 1fr); }
  .key dd { font-size: 1.15rem; }
  svg { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
)css";
}

}  // namespace valle::service::report
