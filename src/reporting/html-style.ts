/** The style of the HTML report: no outside resource, light and dark, readable from a phone to a wide screen. */
export const STYLE = `
:root{color-scheme:light dark;--bg:#fbfbfa;--card:#fff;--ink:#1b1c1e;--soft:#5c6066;--line:#dcdedf;--pass:#116329;--warn:#7a4d00;--fail:#a40e26;--skip:#5c6066;--code:#f1f2f3}
@media (prefers-color-scheme:dark){:root{--bg:#131416;--card:#1c1e21;--ink:#e7e8ea;--soft:#a2a7ae;--line:#34373c;--pass:#5fd083;--warn:#e3b341;--fail:#ff8d85;--skip:#a2a7ae;--code:#26292d}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:62rem;margin:0 auto;padding:1.5rem 1rem 4rem}
h1{font-size:1.5rem;line-height:1.25;margin:0}
h2{font-size:1.125rem;margin:2.25rem 0 .75rem}
p{margin:.35rem 0}
.soft{color:var(--soft)}
.state{font-weight:600;margin-top:.5rem}
code{font:.875em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
.counts{display:flex;flex-wrap:wrap;gap:.5rem;list-style:none;padding:0;margin:1.25rem 0 0}
.counts li{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.4rem .8rem}
.counts b{font-size:1.125rem}
.scroll{overflow-x:auto;background:var(--card);border:1px solid var(--line);border-radius:.5rem}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:.5rem .8rem;border-bottom:1px solid var(--line);vertical-align:top}
tbody tr:last-child>*{border-bottom:0}
thead th{font-weight:600;color:var(--soft);white-space:nowrap}
tbody th{font-weight:500}
.matrix td{white-space:nowrap}
.finding{background:var(--card);border:1px solid var(--line);border-left:.3rem solid var(--skip);border-radius:.5rem;padding:.7rem 1rem;margin:.6rem 0}
.finding.error{border-left-color:var(--fail)}.finding.warning{border-left-color:var(--warn)}
.finding p{overflow-wrap:anywhere}
.where{color:var(--soft)}
.fix{margin-top:.5rem}
.fix pre{margin:.35rem 0 0;padding:.5rem .7rem;background:var(--code);border-radius:.35rem;white-space:pre-wrap;overflow-wrap:anywhere}
.mark{font-weight:600;white-space:nowrap}
.pass{color:var(--pass)}.warn,.mark.warning{color:var(--warn)}.fail,.mark.error{color:var(--fail)}.skip,.mark.info{color:var(--skip)}
summary{cursor:pointer;padding:.25rem 0}
@media (max-width:34rem){
.checks thead{position:absolute;clip-path:inset(50%)}
.checks tr{display:block;padding:.5rem .8rem;border-bottom:1px solid var(--line)}
.checks tr:last-child{border-bottom:0}
.checks th,.checks td{display:block;border:0;padding:0}
.matrix thead{position:absolute;clip-path:inset(50%)}
.matrix tr{display:block;padding:.5rem .8rem;border-bottom:1px solid var(--line)}
.matrix tbody tr:last-child{border-bottom:0}
.matrix th,.matrix td{display:flex;justify-content:space-between;gap:1rem;border:0;padding:.1rem 0}
.matrix td::before{content:attr(data-tool);color:var(--soft);font-weight:400}
}
@media print{body{background:#fff}.finding,.scroll{break-inside:avoid}}
`.trim();
