// SPDX-License-Identifier: Apache-2.0
#include "core/job/report/page_parts.h"

namespace lockstep::job {

const std::string_view kReportStyle = R"css(
:root { color-scheme: light dark; --ink: #1d2530; --quiet: #5b6775; --line: #dde3ea; --card: #ffffff; --page: #f4f6f9;
  --good: #1a7f4b; --bad: #c2352b; --warn: #96690a; --c0: #2f6fde; --c1: #d9722a; --c2: #1f9a68; --c3: #a04fc4;
  --c4: #c23b67; --c5: #55708f; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e9f0; --quiet: #9aa6b5; --line: #313a46; --card: #1c222b;
  --page: #14181f; --good: #4cc38a; --bad: #f2766b; --warn: #e0b04a; --c0: #6ea2ff; --c1: #f09a5c; --c2: #55c795;
  --c3: #c78ae6; --c4: #ee7d9f; --c5: #9db4cf; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main { max-width: 1180px; margin: 0 auto; padding: 28px 20px 48px; }
h1 { font-size: 26px; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 17px; margin: 34px 0 10px; }
p { margin: 6px 0; }
.quiet, small, footer { color: var(--quiet); }
.head { display: flex; flex-wrap: wrap; gap: 6px 14px; align-items: baseline; }
.pill { border: 1px solid currentColor; border-radius: 999px; padding: 1px 12px; font-size: 13px; font-weight: 600; }
.good { color: var(--good); } .bad { color: var(--bad); } .warn { color: var(--warn); }
.cause { border-left: 4px solid var(--bad); background: var(--card); padding: 10px 14px; margin: 14px 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(150px, 1fr)); gap: 10px; margin: 18px 0; }
.tile { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 10px 14px; }
.tile b { display: block; font-size: 21px; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 460px), 1fr)); gap: 14px; }
figure { margin: 0; background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 10px 12px; position: relative; }
figcaption { display: flex; flex-wrap: wrap; gap: 2px 12px; align-items: baseline; }
.keys { margin-left: auto; font-size: 13px; color: var(--quiet); }
.key::before { content: ""; display: inline-block; width: 14px; height: 3px; border-radius: 2px; background: currentColor; margin: 0 5px 3px 12px; }
.key.c0::before { background: var(--c0); } .key.c1::before { background: var(--c1); } .key.c2::before { background: var(--c2); }
.key.c3::before { background: var(--c3); } .key.c4::before { background: var(--c4); } .key.c5::before { background: var(--c5); }
svg { width: 100%; height: auto; display: block; }
.grid { stroke: var(--line); } .mark { stroke: var(--quiet); stroke-dasharray: 4 3; stroke-width: 1.2; }
.tick { fill: var(--quiet); font-size: 11px; }
.line { fill: none; stroke-width: 1.6; stroke-linejoin: round; } .band { opacity: 0.22; stroke: none; } .dot { stroke: none; }
.line.c0 { stroke: var(--c0); } .line.c1 { stroke: var(--c1); } .line.c2 { stroke: var(--c2); }
.line.c3 { stroke: var(--c3); } .line.c4 { stroke: var(--c4); } .line.c5 { stroke: var(--c5); }
.band.c0, .dot.c0 { fill: var(--c0); } .band.c1, .dot.c1 { fill: var(--c1); } .band.c2, .dot.c2 { fill: var(--c2); }
.band.c3, .dot.c3 { fill: var(--c3); } .band.c4, .dot.c4 { fill: var(--c4); } .band.c5, .dot.c5 { fill: var(--c5); }
.reading line { stroke: var(--quiet); } .reading circle { fill: var(--ink); }
output { position: absolute; top: 36px; left: 76px; font-size: 12px; background: var(--card); padding: 0 6px; border-radius: 4px; pointer-events: none; font-variant-numeric: tabular-nums; white-space: pre; }
.wide { overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
table { border-collapse: collapse; width: 100%; font-size: 14px; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: 5px 14px; border-top: 1px solid var(--line); vertical-align: top; white-space: nowrap; }
thead th { border-top: 0; color: var(--quiet); font-weight: 600; }
td.n, th.n { text-align: right; } td.words { white-space: normal; min-width: 260px; overflow-wrap: anywhere; }
pre { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 12px 14px; overflow-x: auto; font: 13px/1.45 ui-monospace, "DejaVu Sans Mono", monospace; }
.matrix td { text-align: right; padding: 3px 8px; }
.matrix { width: auto; }
@media print { body { background: none; } figure, .tile { break-inside: avoid; } }
)css";

const std::string_view kReportScript = R"js(
for (const figure of document.querySelectorAll('figure.chart')) {
  const curves = JSON.parse(figure.querySelector('script').textContent);
  const names = [...figure.querySelectorAll('.key')].map(key => key.textContent);
  const svg = figure.querySelector('svg'), reading = figure.querySelector('.reading'), words = figure.querySelector('output');
  const said = document.querySelector('main').dataset;
  const fill = (words, ...values) => values.reduce((text, value, i) => text.replace('%' + (i + 1), value), words);
  const number = value => Number(value.toPrecision(4)).toString();
  svg.addEventListener('pointerleave', () => { reading.replaceChildren(); words.textContent = ''; });
  svg.addEventListener('pointermove', event => {
    const box = svg.getBoundingClientRect(), x = (event.clientX - box.left) / box.width * svg.viewBox.baseVal.width;
    const nearest = curves.map(points => points.reduce((a, b) => Math.abs(b[0] - x) < Math.abs(a[0] - x) ? b : a));
    const shape = (name, of) => {
      const made = document.createElementNS('http://www.w3.org/2000/svg', name);
      for (const [key, value] of Object.entries(of)) made.setAttribute(key, value);
      return made;
    };
    reading.replaceChildren(...nearest.map(point => shape('circle', { cx: point[0], cy: point[1], r: 3 })));
    words.textContent = nearest.map((point, i) => {
      const [, , first, last, mean, least, most] = point;
      const step = first === last ? fill(said.step, first) : fill(said.steps, first, last);
      return names[i] + ' ' + number(mean) + (most > least ? ' ' + fill(said.range, number(least), number(most)) : '') + ', ' + step;
    }).join('\n');
  });
}
)js";

}  // namespace lockstep::job
