/** The pages that are made from tables, and the scripts that are moved out of pages. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { errorCodes, errorTable } from '@phonerack/shared'
import { describe, expect, it } from 'vitest'
import { endpointsMarkdown } from './endpoints.js'
import { advice } from './error-advice.js'
import { errorsMarkdown } from './errors.js'
import { InlineScripts } from './inline-scripts.js'

describe('the page of errors', () => {
  const page = errorsMarkdown()

  it.each(errorCodes)('has %s once, with its status, whether to retry, and what to do', (code) => {
    const entries = page.split(/^### /m).filter((entry) => entry.startsWith(`\`${code}\`\n`))
    expect(entries).toHaveLength(1)
    expect(entries[0]).toMatch(/· retryable: \S/)
    expect(entries[0]).toContain(errorTable[code].message)
    expect(entries[0]).toContain(`**Next step:** ${advice[code]}`)
    if (code !== 'upload_failed' && code !== 'platform_not_configured')
      expect(entries[0]).toContain(`HTTP ${errorTable[code].status} `)
  })

  it('has a section for each status', () => {
    const sections = [...page.matchAll(/^## (\d{3}): /gm)].map(([, status]) => Number(status))
    expect(sections).toEqual([...sections].sort((a, b) => a - b))
    expect(new Set(sections)).toEqual(new Set(errorCodes.map((code) => errorTable[code].status)))
  })
})

it('lists each endpoint under its tag, with a link to its place in the reference', () => {
  const page = endpointsMarkdown({
    tags: [{ name: 'phones', description: 'Rent phones.' }],
    paths: { '/v1/phones': { get: { operationId: 'listPhones', summary: 'List phones', tags: ['phones'] } } },
  })
  expect(page).toContain('## Phones\n\nRent phones.\n')
  expect(page).toContain('| [`GET /v1/phones`](/api#tag/phones/listPhones) | List phones |')
})

it('moves scripts out of pages into files with a hash in their name', () => {
  const scripts = new InlineScripts()
  const page = '<script type="module" src="/docs/app.js"></script><script id="check">let a = 1</script>'
  const moved = scripts.moved(page, '/docs/')
  const name = /src="\/docs\/(assets\/inline\.[0-9a-f]{8}\.js)"/.exec(moved)?.[1] ?? ''
  expect(moved).toBe(
    `<script type="module" src="/docs/app.js"></script><script src="/docs/${name}"></script>`,
  )
  expect(scripts.moved(page, '/docs/')).toBe(moved)
  const folder = mkdtempSync(path.join(tmpdir(), 'phonerack-inline-'))
  scripts.write(folder)
  expect(readFileSync(path.join(folder, name), 'utf8')).toBe('let a = 1')
  rmSync(folder, { recursive: true })
})
