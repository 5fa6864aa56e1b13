/** Checks the documents: links lead somewhere, and the files that they name exist. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { brokenLinks } from '../../scripts/lib/decisions.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))
const documents = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  // Links of the site's pages are of the site: e2e/src/docs-site.long.test.ts follows them.
  .filter((file) => file !== '' && !file.startsWith('site/pages/') && existsSync(path.join(root, file)))

describe('documents', () => {
  it('link to files and headings that exist', () => {
    const broken = documents.flatMap((file) =>
      brokenLinks(path.join(root, file)).map((problem) => `${file}: ${problem}`),
    )
    expect(broken).toEqual([])
    expect(documents.length).toBeGreaterThan(100)
  })

  it.each([
    'README.md',
    'AGENTS.md',
    'CONTRIBUTING.md',
    'docs/capabilities.md',
    'docs/develop.md',
    'docs/unproven.md',
  ])('%s names files that exist', (file) => {
    const text = readFileSync(path.join(root, file), 'utf8')
    const named = [...text.matchAll(/`((?:[a-z-]+\/src|scripts|docs|proto|shared|e2e)\/[\w./-]+)`/g)]
    const missing = named.map(([, name = '']) => name).filter((name) => !existsSync(path.join(root, name)))
    expect(missing).toEqual([])
  })
})

describe('the alert rules', () => {
  const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
  const alerts = read('deploy/monitoring/alerts.yml')
    .split(/^ {6}- alert: /m)
    .slice(1)
  const names = alerts.map((alert) => /^\w+/.exec(alert)?.[0] ?? '')

  it('each have a severity, a test in which they fire, and a section of the operator’s guide', () => {
    expect(names.length).toBeGreaterThan(10)
    const tests = readdirSync(path.join(root, 'deploy/monitoring'))
      .filter((name) => name.endsWith('.test.yml'))
      .map((name) => read(`deploy/monitoring/${name}`))
      .join('')
    const sections = [...read('docs/operations.md').matchAll(/^### (\w+)$/gm)].map(([, title]) => title)
    for (const [index, name] of names.entries()) {
      expect(alerts[index], name).toMatch(/^ {10}severity: (?:critical|warning)$/m)
      expect(alerts[index], name).toContain(`runbook: docs/operations.md#${name.toLowerCase()}\n`)
      expect(sections, name).toContain(name)
      expect(tests, name).toContain(`labels: 'ALERTS{alertname="${name}", alertstate="firing"`)
    }
    expect(sections.filter((title) => title?.startsWith('Phonerack'))).toEqual(names)
  })
})
