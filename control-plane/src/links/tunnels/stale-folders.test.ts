// Folders that killed replicas leave, and folders that must stay.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createLogger } from '@phonerack/shared'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { HostSockets } from './sockets.js'
import { removeStaleFolders } from './stale-folders.js'

const log = createLogger('test')
log.level = 'silent'
const later = (): number => Date.now() + 61_000
let base: string
beforeEach(async () => {
  base = await mkdtemp(path.join(tmpdir(), 'stale-'))
})
afterEach(() => rm(base, { recursive: true }))

const make = async (name: string, mode = 0o700): Promise<string> => {
  const folder = path.join(base, name)
  await mkdir(folder)
  await chmod(folder, mode)
  return folder
}

/** A socket whose process was killed. */
async function leaveSocket(file: string): Promise<void> {
  const script = `require('net').createServer().listen(${JSON.stringify(file)}, () => console.log('listens'))`
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] })
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'close')
}

it('removes the folder of a killed process', async () => {
  const folder = await make('phonerack-tunnels-killed')
  for (const name of ['hst_aaaaaaaaaaaa', 'hst_bbbbbbbbbbbb']) await leaveSocket(path.join(folder, name))
  await make('phonerack-tunnels-empty')
  await removeStaleFolders(base, log)
  expect(await readdir(base)).toHaveLength(2)
  await removeStaleFolders(base, log, later())
  expect(await readdir(base)).toEqual([])
})

it('leaves the folder of a process that listens, with all in it', async () => {
  const sockets = new HostSockets(() => undefined, base)
  try {
    await removeStaleFolders(base, log, later())
    const first = sockets.pathOf('hst_aaaaaaaaaaaa')
    await leaveSocket(path.join(path.dirname(first), 'hst_bbbbbbbbbbbb'))
    await removeStaleFolders(base, log, later())
    expect(await readdir(path.dirname(first))).toEqual(['hst_aaaaaaaaaaaa', 'hst_bbbbbbbbbbbb'])
  } finally {
    sockets.close()
  }
  expect(await readdir(base)).toEqual([])
})

it('leaves everything that a replica would not make', async () => {
  const outside = path.join(base, 'outside')
  await mkdir(outside)
  await leaveSocket(path.join(outside, 'hst_aaaaaaaaaaaa'))
  await symlink(outside, path.join(base, 'phonerack-tunnels-link'))
  await writeFile(path.join(base, 'phonerack-tunnels-file'), '')
  await make('phonerack-tunnels-open', 0o777)
  await writeFile(path.join(await make('phonerack-tunnels-with-file'), 'a'), '')
  await mkdir(path.join(await make('phonerack-tunnels-with-folder'), 'a'))
  await symlink(
    path.join(outside, 'hst_aaaaaaaaaaaa'),
    path.join(await make('phonerack-tunnels-with-link'), 'hst_aaaaaaaaaaaa'),
  )
  const other = await make('other')
  await utimes(other, 0, 0)
  const before = await readdir(base, { recursive: true })
  await removeStaleFolders(base, log, later())
  expect(await readdir(base, { recursive: true })).toEqual(before)
})

it('leaves the folder of a listener that takes no connections', async () => {
  const folder = await make('phonerack-tunnels-full')
  const server = createServer()
  server.maxConnections = 0
  server.listen(path.join(folder, 'hst_aaaaaaaaaaaa'))
  await once(server, 'listening')
  try {
    await removeStaleFolders(base, log, later())
    expect(await readdir(folder)).toEqual(['hst_aaaaaaaaaaaa'])
  } finally {
    server.close()
    await once(server, 'close')
  }
})
