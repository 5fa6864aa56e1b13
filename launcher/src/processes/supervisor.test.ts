import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startChild, type Running } from './child.js'
import { identify } from './identity.js'
import { readRecord } from './record.js'
import { Supervisor, type Service, type SupervisorEvent } from './supervisor.js'

let dir: string
let events: SupervisorEvent[]
let supervisor: Supervisor

beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'phonerack-supervisor-test-'))
  events = []
  supervisor = new Supervisor((event) => events.push(event))
})

afterEach(async () => {
  await supervisor.stopAll()
  rmSync(dir, { recursive: true, force: true })
})

/** A real process that runs `script`; `stopped` records the order in which they end. */
function service(
  name: string,
  script: string,
  stopped: string[] = [],
): Service & { current: Running | null } {
  const self: Service & { current: Running | null } = {
    name,
    current: null,
    async start() {
      const running = await startChild({
        command: process.execPath,
        args: ['-e', script],
        env: { PATH: process.env['PATH'] },
        cwd: dir,
        output: path.join(dir, `${name}.log`),
        recordFile: path.join(dir, `${name}.json`),
      })
      void running.exited.then(() => stopped.push(name))
      self.current = running
      return running
    },
  }
  return self
}

const forever = 'setInterval(() => {}, 1000)'

describe('Supervisor', () => {
  it('restarts a service that dies, and records the new process', async () => {
    const one = service('one', forever)
    const first = await supervisor.start(one)
    process.kill(first.pid, 'SIGKILL')
    await vi.waitFor(() => expect(events.map((event) => event.kind)).toEqual(['died', 'restarted']), 60_000)
    expect(events[0]).toMatchObject({ name: 'one', cause: 'SIGKILL' })
    expect(one.current?.pid).not.toBe(first.pid)
    expect(readRecord(path.join(dir, 'one.json'))?.pid).toBe(one.current?.pid)
  })

  it('waits longer after each failure in a row', async () => {
    await supervisor.start(service('flaky', 'setTimeout(() => process.exit(3), 20)'))
    await vi.waitFor(
      () => expect(events.filter((event) => event.kind === 'died').length).toBeGreaterThan(2),
      10_000,
    )
    const pauses = events.flatMap((event) => (event.kind === 'died' ? [event.retryMs] : []))
    expect(pauses.slice(0, 3)).toEqual([200, 500, 1000])
    expect(events[0]).toMatchObject({ cause: 3 })
  })

  it('stops in reverse order, including a service that waits for its restart', async () => {
    const stopped: string[] = []
    const services = ['a', 'b', 'c'].map((name) => service(name, forever, stopped))
    for (const each of services) await supervisor.start(each)
    const second = services[1]?.current
    if (!second) throw new Error('b does not run')
    process.kill(second.pid, 'SIGKILL')
    await vi.waitFor(() => expect(events.length).toBe(1), 60_000)
    expect(await supervisor.stopAll()).toEqual([])
    expect(stopped).toEqual(['b', 'c', 'a'])
    for (const each of services) expect(identify(each.current?.pid ?? 0)).toBeNull()
    expect(readRecord(path.join(dir, 'a.json'))).toBeNull()
  })

  it('rethrows the error of a first start', async () => {
    const broken = service('broken', '')
    broken.start = () => Promise.reject(new Error('no such thing'))
    await expect(supervisor.start(broken)).rejects.toThrow('no such thing')
    expect(events).toEqual([])
  })

  it('kills a service that ignores the stop signal', async () => {
    const deaf = await startChild({
      command: process.execPath,
      args: ['-e', `process.on('SIGTERM', () => {}); ${forever}; process.stdout.write('up\\n')`],
      env: { PATH: process.env['PATH'] },
      cwd: dir,
      output: path.join(dir, 'deaf.log'),
      recordFile: path.join(dir, 'deaf.json'),
      stopSteps: [
        { signal: 'SIGTERM', waitMs: 200 },
        { signal: 'SIGKILL', waitMs: 5000 },
      ],
    })
    await vi.waitFor(() => expect(deaf.tail()).toEqual(['up']), 60_000)
    await deaf.stop()
    expect(await deaf.exited).toBe('SIGKILL')
  })
})
