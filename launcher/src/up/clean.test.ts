import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { identify, isAlive, type ProcessIdentity } from '../processes/identity.js'
import { readRecord } from '../processes/record.js'
import { awaitGuard, cleanLeftovers, markVariable } from './clean.js'
import { openFolder, type Folder } from './folder.js'

const dist = path.resolve(import.meta.dirname, '../../dist')
let folder: Folder
let holders: ChildProcess[] = []

beforeEach(() => {
  folder = openFolder(mkdtempSync(path.join(tmpdir(), 'phonerack-clean-test-')))
})

afterEach(async () => {
  for (const holder of holders) {
    if (holder.exitCode !== null || holder.signalCode !== null) continue
    holder.kill('SIGKILL')
    await once(holder, 'exit')
  }
  holders = []
  await awaitGuard(folder)
  await cleanLeftovers(folder)
  rmSync(folder.dir, { recursive: true, force: true })
})

interface Left {
  /** The process that has the role of `up`. */
  up: ChildProcess
  /** A recorded service, and a program that the service started. */
  service: ProcessIdentity
  grandchild: ProcessIdentity
}

/** A stand-in for `up`. It starts one service as `up` does, which starts another program, and then waits. */
async function startHolder(withGuard: boolean): Promise<Left> {
  const service = `
    const child = require('node:child_process').spawn('sleep', ['300'], { detached: true, stdio: 'ignore' })
    process.stdout.write(child.pid + '\\n')
    process.on('SIGTERM', () => process.exit(0))
    setInterval(() => {}, 1000)`
  const script = `
    const { startChild } = await import(${JSON.stringify(path.join(dist, 'processes/child.js'))})
    const { openFolder } = await import(${JSON.stringify(path.join(dist, 'up/folder.js'))})
    const { startGuard } = await import(${JSON.stringify(path.join(dist, 'up/guard-process.js'))})
    const folder = openFolder(${JSON.stringify(folder.dir)})
    if (${withGuard}) startGuard(folder)
    let running
    const output = (line) => process.stdout.write(JSON.stringify([running.pid, Number(line)]) + '\\n')
    running = await startChild({ command: process.execPath, args: ['-e', ${JSON.stringify(service)}], cwd: '/',
      env: { PATH: process.env.PATH, ${markVariable}: folder.dir }, output, recordFile: folder.record('host-agent') })
    setInterval(() => {}, 1000)`
  const up = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  holders.push(up)
  const [line] = (await once(createInterface({ input: up.stdout }), 'line')) as [string]
  const [servicePid, grandchildPid] = JSON.parse(line) as [number, number]
  const [found, below] = [identify(servicePid), identify(grandchildPid)]
  if (!found || !below) throw new Error('the holder started nothing')
  return { up, service: found, grandchild: below }
}

async function kill(up: ChildProcess): Promise<void> {
  up.kill('SIGKILL')
  await once(up, 'exit')
}

describe('after a killed up', () => {
  it('the next up stops the remaining processes, including programs that a service started', async () => {
    const { up, service, grandchild } = await startHolder(false)
    await kill(up)
    expect([isAlive(service), isAlive(grandchild)]).toEqual([true, true])
    expect((await cleanLeftovers(folder))[0]).toBe('host-agent')
    expect(isAlive(service)).toBe(false)
    if (process.platform === 'linux') expect(isAlive(grandchild)).toBe(false)
    expect(await cleanLeftovers(folder)).toEqual([])
  })

  it('the guard stops them immediately', async () => {
    const { up, service, grandchild } = await startHolder(true)
    const guard = readRecord(folder.guardRecord)
    expect(guard && isAlive(guard)).toBe(true)
    await kill(up)
    await vi.waitFor(() => expect(guard && isAlive(guard)).toBe(false), 60_000)
    expect(isAlive(service)).toBe(false)
    if (process.platform === 'linux') expect(isAlive(grandchild)).toBe(false)
    expect(readRecord(folder.guardRecord)).toBeNull()
  })

  it('the next up waits for a running guard', async () => {
    const { up, service } = await startHolder(true)
    await kill(up)
    await awaitGuard(folder)
    expect(isAlive(service)).toBe(false)
  })

  it('the processes of a living up are left alone', async () => {
    const { service } = await startHolder(false)
    await expect(cleanLeftovers(folder)).rejects.toThrow(/in use by process/)
    expect(isAlive(service)).toBe(true)
  })
})
