/** The HTML report: everything that a phone says is escaped. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { escapeHtml, reportHtml } from './html.js'
import { fileNameOf, reportJson, type Report } from './report.js'

const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>'&\u202e\u0007`
const report: Report = {
  phone: { serial: hostile, maker: hostile, model: hostile, sdk: 34 },
  version: hostile,
  startedAt: new Date(0),
  endedAt: new Date(5000),
  results: [
    {
      name: hostile,
      claim: hostile,
      verdict: 'failed',
      reason: hostile,
      ms: 5,
      evidence: [hostile],
      times: { [hostile]: 7 },
      pictures: [{ title: hostile, image: Buffer.from('picture') }],
    },
  ],
}

it('escapes every text of the phone', () => {
  const html = reportHtml(report)
  expect(html).not.toContain('<script')
  expect(html).not.toContain('<img src=x')
  expect(html).not.toContain('\u202e')
  expect(html).not.toContain('\u0007')
  // The page contains only the report's own elements: one picture, with the image as data.
  expect(html.match(/<img /g)).toHaveLength(1)
  expect(html).toContain(`src="data:image/jpeg;base64,${Buffer.from('picture').toString('base64')}"`)
  expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
  expect(html).toContain('Not accepted: 0 passed, 1 failed, 0 skipped')
})

it('leaves no character that ends a text or an attribute', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      (text) => !/[<>"']|&(?!(amp|lt|gt|quot|#39);)/.test(escapeHtml(text)),
    ),
  )
})

it('has the results without pictures as JSON', () => {
  const json = JSON.parse(reportJson(report)) as { passed: boolean; checks: object[] }
  expect(json.passed).toBe(false)
  expect(json.checks[0]).toMatchObject({ name: hostile, verdict: 'failed', ms: 5 })
  expect(json.checks[0]).not.toHaveProperty('pictures')
})

it.each([
  [{ maker: 'Google', model: 'Pixel 8', sdk: 34 }, 'google-pixel-8-api-34'],
  [{ maker: '../../etc', model: '\u0000/passwd', sdk: null }, 'etc-passwd'],
  [{ maker: null, model: '...', sdk: null }, 'phone'],
  [{ maker: 'x'.repeat(500), model: null, sdk: 34 }, 'x'.repeat(80)],
])('names files after %j', (phone, expected) => {
  expect(fileNameOf({ serial: 's', ...phone })).toBe(expected)
})
