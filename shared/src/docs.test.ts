/** Checks the documents: links lead somewhere, and the files that they name exist. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
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
  .filter((file) => file !== '' && existsSync(path.join(root, file)))

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
