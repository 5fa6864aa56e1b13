/** One adb server of the agent, with the real `adb` program. */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createLogger, Progress } from '@phonerack/shared'
import { startPhone } from '@phonerack/virtual-phone'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DeviceGone } from '../base/device-gone.js'
import { runningPid } from '../testing/pids.js'
import { until } from '../testing/until.js'
import type { ListedDevice } from './device-list.js'
import { AdbRefused } from './errors.js'
import { command } from './quote.js'
import { startAdbServer, type AdbServer } from './server.js'
import { adbSocketPath } from './sockets.js'
import { trackDevices } from './track.js'
import { createTransport } from './transport.js'

const log = createLogger('test')
log.level = 'silent'
let dataDir: string
const servers: AdbServer[] = []
const start = async (bin = 'adb') => {
  const server = await startAdbServer({ bin, dataDir, log })
  servers.push(server)
  return server
}

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'phonerack-adb-'))
})
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop()
  rmSync(dataDir, { recursive: true, force: true })
})
const alive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    if (error instanceof Error) return false
    throw error
  }
}

describe('the adb server', () => {
  it('starts on a private socket, answers, and ends with the agent', async () => {
    const server = await start()
    expect(server.trouble).toBeNull()
    expect(statSync(join(dataDir, 'adb')).mode & 0o077).toBe(0)
    expect(await server.client.version(Progress.for(2000))).toBeGreaterThan(0x20)
    const pid = runningPid(server)
    expect(alive(pid)).toBe(true)
    await server.stop()
    expect(alive(pid)).toBe(false)
  })

  it('keeps its key, so that a phone asks for permission only once', async () => {
    const phoneDir = mkdtempSync(join(tmpdir(), 'phonerack-phone-'))
    const phone = await startPhone({ port: 0, dataDir: phoneDir, pace: 'instant', auth: true })
    const serial = `127.0.0.1:${phone.port}`
    const stateIn = async (server: AdbServer) => {
      const list = await server.client.ask('host:devices', Progress.for(2000))
      return list
        .split('\n')
        .find((line) => line.startsWith(serial))
        ?.split('\t')[1]
    }
    try {
      const first = await start()
      await first.client.connect(serial, Progress.for(5000))
      await until(async () => (await stateIn(first)) === 'unauthorized')
      // adb reports this state before it has sent its key.
      await until(() => phone.adbKeys.pending.length > 0)
      await until(async () => {
        if (phone.adbKeys.pending.length > 0) phone.adbKeys.allow()
        await first.client.disconnect(serial, Progress.for(5000))
        await first.client.connect(serial, Progress.for(5000))
        return (await stateIn(first)) === 'device'
      })
      await first.stop()

      const second = await start()
      await second.client.connect(serial, Progress.for(5000))
      await until(async () => (await stateIn(second)) === 'device')
      expect(phone.adbKeys.pending).toEqual([])
    } finally {
      await phone.close()
      rmSync(phoneDir, { recursive: true, force: true })
    }
  })

  it('restarts after it was killed, and tracking continues', async () => {
    const server = await start()
    const lists: ListedDevice[][] = []
    const lost: unknown[] = []
    const stop = new AbortController()
    const tracking = trackDevices(
      server.client,
      (devices) => lists.push(devices),
      (error) => lost.push(error),
      stop.signal,
    )
    await until(() => lists.length === 1)
    const first = runningPid(server)
    process.kill(first, 'SIGKILL')
    await until(() => server.pid !== null && server.pid !== first && server.trouble === null)
    await until(() => lists.length >= 3)
    expect(lost.length).toBeGreaterThan(0)
    stop.abort()
    await tracking
  })

  it('restarts after it aborted, and the log contains its last line', async () => {
    let lines = ''
    const told = createLogger('test', { write: (line: string) => void (lines += line) })
    told.level = 'error'
    const server = await startAdbServer({ bin: 'adb', dataDir, log: told })
    servers.push(server)
    const first = runningPid(server)
    process.kill(first, 'SIGABRT')
    await until(() => server.pid !== null && server.pid !== first && server.trouble === null)
    expect(await server.client.version(Progress.for(2000))).toBeGreaterThan(0x20)
    expect(lines).toMatch(/an adb server does not run/)
    expect(lines).toMatch(/"reason":"ended with SIGABRT: /)
  })

  it('reports an unknown process on its socket, and starts once that process has ended', async () => {
    mkdirSync(join(dataDir, 'adb'))
    const stranger = createServer().listen(adbSocketPath(dataDir, null))
    const server = await start()
    expect(server.trouble).toMatch(/unknown process/)
    expect(stranger.listening).toBe(true)
    stranger.close()
    await until(() => server.trouble === null)
  })

  it('replaces the socket of a killed server', async () => {
    const first = await start()
    await first.stop()
    // A killed server leaves its socket file.
    const path = adbSocketPath(dataDir, null)
    const left = spawn('adb', ['-L', `localfilesystem:${path}`, 'nodaemon', 'server'], {
      env: { ...process.env, HOME: dataDir, ADB_MDNS: '0' },
    })
    await until(() => existsSync(path))
    left.kill('SIGKILL')
    await until(() => left.signalCode !== null)
    expect(existsSync(path)).toBe(true)
    const server = await start()
    expect(server.trouble).toBeNull()
    expect(await server.client.version(Progress.for(5000))).toBeGreaterThan(0x20)
  })

  it('puts its socket into the temporary folder when the path of the data folder is too long', async () => {
    dataDir = join(dataDir, 'a'.repeat(90))
    mkdirSync(dataDir)
    const server = await start()
    expect(server.trouble).toBeNull()
    const path = adbSocketPath(dataDir, null)
    expect(path.startsWith(dataDir)).toBe(false)
    expect(statSync(dirname(path)).mode & 0o077).toBe(0)
    rmSync(dirname(path), { recursive: true })
  })

  it('reports a missing program', async () => {
    const server = await start('/nonexistent/adb')
    expect(server.trouble).toMatch(/could not be started/)
  })

  it('reports the last line of a server that ends, though the line arrives in pieces', async () => {
    const program = join(dataDir, 'adb-that-ends')
    writeFileSync(
      program,
      '#!/bin/sh\nprintf "cannot bind" >&2\nsleep 0.2\nprintf ": in use" >&2\nexit 3\n',
      { mode: 0o755 },
    )
    expect((await start(program)).trouble).toBe('ended with code 3: cannot bind: in use')
  })

  it('throws DeviceGone for a disconnected device, and AdbRefused for an unknown service', async () => {
    const server = await start()
    const progress = Progress.for(3000)
    const transport = createTransport(server.client, { serial: 'nobody', current: { id: 999, serverRun: 1 } })
    await expect(transport.shell(command('true'), progress)).rejects.toThrow(DeviceGone)
    await expect(server.client.ask('host:no-such-service', progress)).rejects.toThrow(AdbRefused)
  })

  it('answers all calls once it resumes, including calls that its full queue rejected', async () => {
    const server = await start()
    const pid = runningPid(server)
    process.kill(pid, 'SIGSTOP')
    const answers = Array.from({ length: 20 }, () => server.client.version(Progress.for(60_000)))
    const all = Promise.allSettled(answers)
    try {
      // A full queue rejects a connection immediately, so by this time all calls have tried.
      await Progress.for(2000).sleep(200)
    } finally {
      process.kill(pid, 'SIGCONT')
    }
    expect((await all).filter(({ status }) => status === 'rejected')).toEqual([])
  })

  it('is restarted when it hangs', async () => {
    const answers = { everyMs: 20, limitMs: 500 }
    const server = await startAdbServer({ bin: 'adb', dataDir, log, answers })
    servers.push(server)
    const first = runningPid(server)
    process.kill(first, 'SIGSTOP')
    await until(() => server.trouble !== null)
    expect(server.trouble).toBe('did not answer 3 times in a row')
    await until(() => server.trouble === null)
    expect(server.pid).not.toBe(first)
  })

  it('gives up at the deadline when the server hangs', async () => {
    const server = await start()
    const pid = runningPid(server)
    process.kill(pid, 'SIGSTOP')
    try {
      await expect(server.client.version(Progress.for(200))).rejects.toThrow(/too long/)
    } finally {
      process.kill(pid, 'SIGCONT')
    }
  })
})
