import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startPhone } from './phone.js'

it.each([
  ['a new folder', false],
  ['a folder that others could read', true],
])("keeps its state from the machine's other users, in %s", async (_, exists) => {
  const root = mkdtempSync(join(tmpdir(), 'phonerack-state-'))
  const dataDir = join(root, 'phones', '6001')
  if (exists) {
    mkdirSync(dataDir, { recursive: true })
    chmodSync(dataDir, 0o755)
  }
  const phone = await startPhone({ port: 0, dataDir, pace: 'instant' })
  try {
    expect(statSync(dataDir).mode & 0o777).toBe(0o700)
  } finally {
    await phone.close()
    rmSync(root, { recursive: true, force: true })
  }
})
