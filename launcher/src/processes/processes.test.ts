import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { commandLine, identify, isAlive, ownIdentity } from './identity.js'
import { boundLog, tailLog } from './log-file.js'
import { isPortFree, pickPort, reservePort } from './ports.js'
import { InUse, readRecord, reapRecord, writeRecord } from './record.js'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'phonerack-processes-test-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

async function sleeper() {
  const child = spawn('sleep', ['60'])
  await once(child, 'spawn')
  return { child, pid: child.pid ?? 0, ended: once(child, 'exit') }
}

describe('identity', () => {
  it('is stable while a process lives, and null after its end', async () => {
    const { child, pid, ended } = await sleeper()
    const identity = identify(pid)
    expect(identity).toEqual(identify(pid))
    expect(identity && isAlive(identity)).toBe(true)
    // For a moment while the program is loaded, the kernel reports no process.
    await expect.poll(() => commandLine(pid)).toEqual(['sleep', '60'])
    child.kill()
    await ended
    expect(identify(pid)).toBeNull()
    expect(identity && isAlive(identity)).toBe(false)
  })

  it('differs for another process with the same pid', () => {
    const own = ownIdentity()
    expect(isAlive({ pid: own.pid, started: `${own.started}0` })).toBe(false)
    for (const pid of [0, -1, 1.5, NaN]) expect(identify(pid)).toBeNull()
  })
})

describe('records', () => {
  const file = () => path.join(dir, 'record.json')

  it('stop the recorded process when its owner has ended', async () => {
    const { pid, ended } = await sleeper()
    const record = writeRecord(file(), pid)
    writeFileSync(file(), JSON.stringify({ ...record, owner: { pid: 1, started: 'long ago' } }))
    await reapRecord(file())
    await ended
    expect(readRecord(file())).toBeNull()
  })

  it('leave a process alone that reuses the recorded PID', async () => {
    const { child, pid, ended } = await sleeper()
    const record = writeRecord(file(), pid)
    writeFileSync(file(), JSON.stringify({ ...record, started: 'long ago' }))
    await reapRecord(file())
    expect(child.exitCode).toBeNull()
    expect(identify(pid)).not.toBeNull()
    expect(existsSync(file())).toBe(false)
    child.kill()
    await ended
  })

  it('refuse a second owner while the first owner lives', async () => {
    const [owned, owner] = [await sleeper(), await sleeper()]
    const record = writeRecord(file(), owned.pid)
    writeFileSync(file(), JSON.stringify({ ...record, owner: identify(owner.pid) }))
    await expect(reapRecord(file())).rejects.toThrow(InUse)
    expect(identify(owned.pid)).not.toBeNull()
    for (const each of [owned, owner]) {
      each.child.kill()
      await each.ended
    }
  })
})

describe('ports', () => {
  it('are taken while a process listens, and free afterwards', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    expect(await isPortFree(port)).toBe(false)
    expect(await pickPort(port)).not.toBe(port)
    await new Promise((resolve) => server.close(resolve))
    expect(await isPortFree(port)).toBe(true)
  })

  it('are kept when possible, and never picked twice', async () => {
    const port = await pickPort()
    expect(await pickPort(port)).toBe(port)
    const taken = new Set<number>()
    for (let count = 0; count < 50; count++) {
      const next = await pickPort(port, taken)
      expect(taken.has(next)).toBe(false)
      taken.add(next)
    }
  })
})

describe.runIf(process.platform === 'linux')('a picked port', () => {
  it('is reserved until this process ends', async () => {
    const module = new URL('../../dist/processes/ports.js', import.meta.url).href
    const script = `const { pickPort } = await import(${JSON.stringify(module)})
      process.stdout.write(String(await pickPort()))
      setInterval(() => {}, 1000)`
    const other = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void other.kill('SIGKILL'))
    const [text] = (await once(other.stdout, 'data')) as [Buffer]
    const port = Number(text.toString())
    expect(await isPortFree(port)).toBe(true)
    expect(await reservePort(port)).toBe(false)
    expect(await pickPort(port)).not.toBe(port)
    other.kill('SIGKILL')
    await once(other, 'exit')
    expect(await pickPort(port)).toBe(port)
  })
})

describe('logs', () => {
  it('are bounded, with one older file', () => {
    const file = path.join(dir, 'x.log')
    appendFileSync(file, 'first\n')
    boundLog(file)
    expect(existsSync(`${file}.1`)).toBe(false)
    appendFileSync(file, 'y'.repeat(10 << 20))
    boundLog(file)
    expect([statSync(file).size, statSync(`${file}.1`).size]).toEqual([0, (10 << 20) + 6])
  })

  it('return their last lines', () => {
    const file = path.join(dir, 'x.log')
    expect(tailLog(file)).toEqual([])
    appendFileSync(file, Array.from({ length: 9000 }, (_, at) => `line ${at}\n`).join(''))
    expect(tailLog(file, 2)).toEqual(['line 8998', 'line 8999'])
  })
})
