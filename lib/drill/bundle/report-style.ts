/** Colours have one meaning each, as on the drill page; on paper they are those of the light page. */
const LIGHT = `--bg:#fff;--ink:#15181e;--soft:#4c5563;--line:#d5dae1;--head:#f3f5f8;--ledger:#3257c9;--target:#0a7266;--receipt:#8a5a00;--event:#5b5f6b;--crash:#b3261e;--unknown:#7a3fa8;--good:#166b35;--changed:#fff3d6`;
const DARK = `--bg:#14171c;--ink:#e8ebf0;--soft:#aab3c0;--line:#363d48;--head:#1e232b;--ledger:#8fa9ff;--target:#5cc9b9;--receipt:#e5b35a;--event:#a9afbb;--crash:#ff8a80;--unknown:#cf9df5;--good:#7ad39a;--changed:#3a3116`;

export const REPORT_STYLE = `
:root{${LIGHT}}
@media (prefers-color-scheme:dark){:root{${DARK}}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:62rem;padding:2rem 1.25rem 4rem;background:var(--bg);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
h1{font-size:1.9rem;line-height:1.2;margin:.2rem 0 .6rem;text-wrap:balance}
h2{font-size:1.25rem;margin:2.2rem 0 .6rem;break-after:avoid}
h3{font-size:1rem;margin:1.2rem 0 .3rem;break-after:avoid}
.question{font-size:1.15rem;color:var(--soft);margin:.2rem 0 1rem}
.soft{color:var(--soft)}
.warn{border-left:4px solid var(--crash);padding:.3rem .8rem;margin:1rem 0}
table{width:100%;border-collapse:collapse;margin:.9rem 0 1.3rem;font-size:.875rem}
caption{text-align:left;font-weight:600;padding-bottom:.35rem;break-after:avoid}
th,td{text-align:left;vertical-align:top;padding:.35rem .55rem;border-bottom:1px solid var(--line);overflow-wrap:break-word}
thead th{background:var(--head);color:var(--soft);font-weight:600}
tbody th{font-weight:600}
h2+p{break-after:avoid}
tr{break-inside:avoid}
thead{display:table-header-group;break-inside:avoid;break-after:avoid}
tbody tr:first-child{break-before:avoid}
.panel caption{border-left:4px solid currentColor;padding-left:.5rem}
.operation caption{color:var(--ledger)}.target caption{color:var(--target)}.receipts caption{color:var(--receipt)}.events caption{color:var(--event)}
.added,.differs td{background:var(--changed)}
ins{text-decoration:none;font-weight:600}
.removed{opacity:.75}
.result{font-weight:650;white-space:nowrap}
.holds{color:var(--good)}.violated{color:var(--crash)}.unknown{color:var(--unknown)}
pre{background:var(--head);padding:.8rem 1rem;white-space:pre-wrap;overflow-wrap:anywhere;font-size:.85rem}
li{overflow-wrap:anywhere}
.map{overflow-x:auto}
svg{display:block;max-width:100%;height:auto}
svg text{font:13px system-ui,sans-serif;fill:var(--ink)}
svg .soft{fill:var(--soft)}svg .head{fill:var(--soft);font-weight:600}svg .step{font-weight:600}svg .crash{fill:var(--crash);font-weight:600}
.process{stroke:var(--ink);stroke-width:3}.lane{stroke:var(--line)}.reach{stroke:var(--soft);stroke-dasharray:2 3}
.death{stroke:var(--crash);stroke-width:3.5;fill:none}.held{stroke:var(--unknown);stroke-width:3}
.dot.operation{fill:var(--ledger)}.dot.target{fill:var(--target)}.dot.receipts{fill:var(--receipt)}.dot.events{fill:var(--event)}
@page{size:A4;margin:16mm 14mm}
@media print{
:root{${LIGHT}}
body{max-width:none;padding:0;font-size:10pt}
h1{font-size:18pt}h2{font-size:13pt;margin-top:1.2rem}
table{font-size:8.5pt}
th,td{padding:.2rem .35rem}
.map{overflow:visible;break-inside:auto}
pre{font-size:8.5pt}
a{color:inherit}
}
`;
