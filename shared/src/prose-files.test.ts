/** The files that the prose check reads, in a separate repository. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { proseFiles } from '../../scripts/lib/prose/files.mjs'

function repository(files: readonly string[]): string {
  const root = mkdtempSync(path.join(tmpdir(), 'phonerack-prose-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  execFileSync('git', ['init', '--quiet'], { cwd: root })
  for (const file of files) {
    mkdirSync(path.join(root, path.dirname(file)), { recursive: true })
    writeFileSync(path.join(root, file), 'node_modules/\n*.timestamp-*.mjs\n')
  }
  return root
}

it('are those with prose that git has or does not ignore', () => {
  const root = repository([
    '.gitignore',
    'README.md',
    'part/src/gone.ts',
    'part/src/new.ts',
    'part/src/picture.png',
    'part/src/generated/client.ts',
    // Vite writes such files for a moment.
    'part/vitest.config.ts.timestamp-1-a.mjs',
    'node_modules/library/index.js',
    'scripts/up',
    'shared/src/prose.test.ts',
  ])
  execFileSync('git', ['add', '--all'], { cwd: root })
  rmSync(path.join(root, 'part/src/gone.ts'))
  writeFileSync(path.join(root, 'part/src/newer.ts'), '')
  symlinkSync('new.ts', path.join(root, 'part/src/link.ts'))
  expect(proseFiles(root)).toEqual(['README.md', 'part/src/new.ts', 'part/src/newer.ts', 'scripts/up'])
  expect(proseFiles(root, path.join(root, 'part'))).toEqual(['part/src/new.ts', 'part/src/newer.ts'])
  // A named file is always read.
  expect(proseFiles(root, path.join(root, 'part/src/picture.png'))).toEqual(['part/src/picture.png'])
})
