/** The committed types of the routes match the schemas of the control plane. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const root = path.join(import.meta.dirname, '..')
const committed = ['../ctl/src/generated/routes.ts', '../../console/src/api/generated/routes.ts']

it('has the routes of the control plane: run `npm run regenerate -w @phonerack/generated-client`', async () => {
  const dir = await mkdtemp(path.join(tmpdir(), 'phonerack-routes-'))
  try {
    const made = committed.map((_, index) => path.join(dir, `${index}.ts`))
    const script = path.join(root, 'scripts/regenerate.mjs')
    await promisify(execFile)(process.execPath, [script, ...made], { timeout: 100_000 })
    for (const [index, file] of made.entries())
      expect(await readFile(path.join(root, committed[index] ?? ''), 'utf8')).toBe(
        await readFile(file, 'utf8'),
      )
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
})
