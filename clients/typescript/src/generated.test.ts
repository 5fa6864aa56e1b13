/** The committed types and transport match the current API. */
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'

const root = path.join(import.meta.dirname, '..')
const committed = path.join(root, 'src/generated')
let dir: string

beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'phonerack-sdk-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

async function filesIn(folder: string): Promise<string[]> {
  const all = await readdir(folder, { recursive: true, withFileTypes: true })
  return all
    .filter((each) => each.isFile())
    .map((each) => path.relative(folder, path.join(each.parentPath, each.name)))
    .sort()
}

it('is what the generator makes of the OpenAPI document: run `npm run regenerate -w @phonerack/sdk`', async () => {
  const made = path.join(dir, 'generated')
  await promisify(execFile)(process.execPath, [path.join(root, 'scripts/generate.mjs'), made], {
    timeout: 100_000,
  })
  expect(await filesIn(made)).toEqual(await filesIn(committed))
  for (const name of await filesIn(made))
    expect([name, await readFile(path.join(made, name), 'utf8')]).toEqual([
      name,
      await readFile(path.join(committed, name), 'utf8'),
    ])
})
