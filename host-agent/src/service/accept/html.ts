/** The report of an acceptance run as one HTML file without scripts. Everything that a phone says is escaped. Pure. */
import { plain } from '@phonerack/shared'
import type { CheckResult, Picture } from './check.js'
import { marks, totals, type Report } from './report.js'
import { allPassed } from './run.js'

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes text for HTML, in elements and attributes. Control and direction characters are removed. */
export const escapeHtml = (text: string): string =>
  plain(text).replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')

const style = `
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: #1c2024; background: #fff }
h1 { font-size: 1.6rem; margin-bottom: .2rem }
h2 { font-size: 1.1rem; margin: 0 }
.about { color: #5a6169; margin: 0 0 1.5rem }
.sum { font-weight: 600; padding: .6rem 1rem; border-radius: .5rem }
section { border: 1px solid #dcdfe3; border-left: .4rem solid; border-radius: .5rem; padding: .8rem 1rem; margin: .8rem 0 }
.passed { border-left-color: #1a7f37 } .failed { border-left-color: #c62828 } .skipped { border-left-color: #9a6700 }
.sum.passed { background: #e6f4ea } .sum.failed { background: #fdecea }
header { display: flex; gap: 1rem; align-items: baseline; flex-wrap: wrap }
header span { color: #5a6169; font-size: .9rem }
p { margin: .3rem 0 }
.reason { font-weight: 600; overflow-wrap: anywhere }
ul { margin: .4rem 0; padding-left: 1.2rem; font: 13px/1.5 ui-monospace, monospace; overflow-wrap: anywhere }
figure { display: inline-block; margin: .5rem 1rem .5rem 0; vertical-align: top }
img { max-width: 12rem; border: 1px solid #dcdfe3; border-radius: .5rem; display: block }
figcaption { color: #5a6169; font-size: .85rem; max-width: 12rem }
`

const pictureHtml = ({ title, image }: Picture): string =>
  `<figure><img alt="${escapeHtml(title)}" src="data:image/jpeg;base64,${Buffer.from(image).toString('base64')}"><figcaption>${escapeHtml(title)}</figcaption></figure>`

function checkHtml({ name, claim, verdict, reason, evidence, times, pictures, ms }: CheckResult): string {
  const measured = Object.entries(times).map(([what, value]) => `${what} ${value} ms`)
  const lines = [...evidence, ...(measured.length > 0 ? [`measured: ${measured.join(', ')}`] : [])]
  return `<section class="${verdict}">
<header><h2>${escapeHtml(name)}</h2><span>${marks[verdict]}</span><span>${ms} ms</span></header>
<p>${escapeHtml(claim)}</p>
${reason === null ? '' : `<p class="reason">${escapeHtml(reason)}</p>\n`}${
    lines.length === 0 ? '' : `<ul>${lines.map((line) => `<li>${escapeHtml(line)}</li>`).join('')}</ul>\n`
  }${pictures.map(pictureHtml).join('')}</section>`
}

export function reportHtml(report: Report): string {
  const { phone, version, startedAt, endedAt, results } = report
  const title = `${phone.maker ?? 'Unknown maker'} ${phone.model ?? phone.serial}`
  const seconds = Math.round((endedAt.getTime() - startedAt.getTime()) / 1000)
  const passed = allPassed(results)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>${escapeHtml(title)}: acceptance</title>
<style>${style}</style>
</head>
<body>
<h1>${escapeHtml(title)}</h1>
<p class="about">Android API level ${phone.sdk ?? 'unknown'}, serial ${escapeHtml(phone.serial)}. Phonerack ${escapeHtml(version)}, ${startedAt.toISOString()}, ${seconds} s.</p>
<p class="sum ${passed ? 'passed' : 'failed'}">${passed ? 'Accepted' : 'Not accepted'}: ${totals(results)}</p>
${results.map(checkHtml).join('\n')}
</body>
</html>
`
}
