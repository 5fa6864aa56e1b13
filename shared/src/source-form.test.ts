/** The form of sources: no file has more than 400 lines, except for tests, prose, data and what is generated. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'

const root = path.resolve(import.meta.dirname, '../..')
const most = 400
const excluded = /\.test\.ts$|\.md$|\.json$|\.(png|binpb|jar|apk)$|(^|\/)(gen|_?generated)\//

const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
})
  .toString()
  .split('\0')
  .filter((file) => file !== '')

it('has at most 400 lines', () => {
  const files = listed.filter((file) => !excluded.test(file))
  expect(files.length).toBeGreaterThan(1000)
  const long = files.map((file) => ({ file, lines: linesOf(file) })).filter(({ lines }) => lines > most)
  expect(long).toEqual([])
})

// TypeScript does not check a spread literal for unknown properties. An array may group the arguments of a program.
it('spreads no object literal', () => {
  const spread = listed
    .filter((file) => /\.(?:[cm]?ts|tsx|[cm]js)$/.test(file) && !/(^|\/)(gen|_?generated)\//.test(file))
    .filter((file) => existsSync(path.join(root, file)))
    .filter((file) => readFileSync(path.join(root, file), 'utf8').includes('...' + '{'))
  expect(spread).toEqual([])
})

/** 0 for a file that git still lists and that is deleted, or that is a link. */
function linesOf(file: string): number {
  try {
    return readFileSync(path.join(root, file), 'utf8').split('\n').length - 1
  } catch (error) {
    if (error instanceof Error && 'code' in error && ['ENOENT', 'EISDIR'].includes(String(error.code)))
      return 0
    throw error
  }
}
