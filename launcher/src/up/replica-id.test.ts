import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { openFolder } from './folder.js'
import { replicaId } from './replica-id.js'

it('stays the same for a directory, and differs for another directory and for a copy', () => {
  const root = mkdtempSync(path.join(tmpdir(), 'phonerack-replica-'))
  try {
    const [one, other] = [openFolder(path.join(root, 'one')), openFolder(path.join(root, 'other'))]
    const id = replicaId(one)
    expect(replicaId(openFolder(one.dir))).toBe(id)
    cpSync(one.dir, path.join(root, 'copy'), { recursive: true })
    const copy = openFolder(path.join(root, 'copy'))
    expect(new Set([id, replicaId(other), replicaId(copy)]).size).toBe(3)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
})
