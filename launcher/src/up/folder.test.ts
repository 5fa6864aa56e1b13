import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AlreadyRunning, lockFolder, lockHolder, openFolder, writeJson } from './folder.js'
import { allocatePorts, type Ports } from './ports.js'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'phonerack-folder-test-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

describe('the data directory', () => {
  it('is readable by its owner only', () => {
    const folder = openFolder(path.join(dir, 'new'))
    for (const each of [
      folder.dir,
      folder.of('pki'),
      path.join(folder.dir, 'logs'),
      path.join(folder.dir, 'run'),
    ])
      expect(statSync(each).mode & 0o777, each).toBe(0o700)
    writeJson(folder.upFile, { secret: 1 })
    expect(statSync(folder.upFile).mode & 0o777).toBe(0o600)
  })

  it('has at most one living holder', () => {
    const folder = openFolder(dir)
    const unlock = lockFolder(folder)
    expect(lockHolder(folder)?.pid).toBe(process.pid)
    expect(() => lockFolder(folder)).toThrow(AlreadyRunning)
    expect(() => lockFolder(folder)).toThrow(/already running on .* still starting.*scripts\/down/)
    writeJson(folder.upFile, { base_url: 'http://127.0.0.1:7700' })
    expect(() => lockFolder(folder)).toThrow(
      /API is at http:\/\/127\.0\.0\.1:7700, and its keys are in .*up\.json/,
    )
    unlock()
    lockFolder(folder)()
  })

  it('is taken over from a holder that has ended or that was killed while it wrote', () => {
    const folder = openFolder(dir)
    for (const left of [JSON.stringify({ pid: process.pid, started: 'long ago' }), '{"pid":1']) {
      writeFileSync(folder.lockFile, left)
      expect(lockHolder(folder)).toBeNull()
      lockFolder(folder)()
    }
  })
})

describe('allocatePorts', () => {
  it('keeps ports across starts, including those of phones that this start does not use', async () => {
    const folder = openFolder(dir)
    const first = await allocatePorts(folder, 0, 3)
    expect(new Set([first.http, first.postgres, first.nats, first.grpc, ...first.phones]).size).toBe(7)
    expect(await allocatePorts(folder, null, 1)).toEqual({ ...first, phones: first.phones.slice(0, 1) })
    expect(await allocatePorts(folder, null, 3)).toEqual(first)
    expect(statSync(folder.portsFile).mode & 0o777).toBe(0o600)
  })

  it('picks another port when a port is in use, except for the API', async () => {
    const folder = openFolder(dir)
    const first = await allocatePorts(folder, 0, 0)
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(first.nats, '127.0.0.1', resolve))
    try {
      const second = await allocatePorts(folder, null, 0)
      expect(second.nats).not.toBe(first.nats)
      expect(second.postgres).toBe(first.postgres)
      const { port } = server.address() as AddressInfo
      await expect(allocatePorts(folder, port, 0)).rejects.toThrow(
        /is in use by another program; choose another port with --port/,
      )
      const kept = JSON.parse(readFileSync(folder.portsFile, 'utf8')) as Ports
      expect(kept.nats).toBe(second.nats)
    } finally {
      await new Promise((resolve) => server.close(resolve))
    }
  })

  it("does not need the API's port for a host alone", async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    try {
      expect(await allocatePorts(openFolder(dir), port, 1, false)).toMatchObject({ http: port })
    } finally {
      await new Promise((resolve) => server.close(resolve))
    }
  })
})
