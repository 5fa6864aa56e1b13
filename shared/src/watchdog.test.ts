// With the real systemd-notify and a datagram socket as systemd has it, which Python opens: Node.js cannot.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, afterEach, expect, it } from 'vitest'
import { keepWatchdog } from './watchdog.js'

const has = (program: string): boolean => spawnSync(program, ['--version']).status === 0
const dir = mkdtempSync(path.join(tmpdir(), 'phonerack-watchdog-'))
afterAll(() => rmSync(dir, { recursive: true }))
const closers: (() => void)[] = []
afterEach(() => closers.splice(0).forEach((close) => close()))

const receiver = `
import socket, sys, time
receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
receiver.bind(sys.argv[1])
print("bound", flush=True)
while True:
    text = receiver.recv(4096).decode()
    if "WATCHDOG" in text:
        print(int(time.monotonic() * 1000), flush=True)
`

/** The milliseconds at which pings arrived, which grow while this process works. */
async function listen(): Promise<{ socket: string; pings: number[] }> {
  const socket = path.join(dir, `notify-${closers.length}-${performance.now()}`)
  const child = spawn('python3', ['-c', receiver, socket], { stdio: ['ignore', 'pipe', 'inherit'] })
  closers.push(() => child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })
  const pings: number[] = []
  await new Promise<void>((resolve) => lines.once('line', () => resolve()))
  lines.on('line', (line) => pings.push(Number(line)))
  return { socket, pings }
}

const block = (ms: number): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
/** Each test has its own list: a ping that runs when a test ends fails afterwards, since its receiver has ended. */
const into = (failures: unknown[]) => ({ error: (...said: unknown[]) => void failures.push(said) })

it.skipIf(!has('systemd-notify') || !has('python3'))(
  'sends pings while the event loop works, and none while it stalls',
  async () => {
    const { socket, pings } = await listen()
    const env = {
      ...process.env,
      NOTIFY_SOCKET: socket,
      WATCHDOG_USEC: '400000',
      WATCHDOG_PID: `${process.pid}`,
    }
    const failures: unknown[] = []
    closers.push(keepWatchdog(into(failures), env))
    expect(env).not.toHaveProperty('NOTIFY_SOCKET')
    await expect.poll(() => pings.length).toBeGreaterThan(2)
    block(2500)
    const stalled = pings.length
    await expect.poll(() => pings.length).toBeGreaterThan(stalled + 2)
    const gaps = pings.slice(1).map((at, index) => at - (pings[index] ?? at))
    // A ping whose program had started can arrive during the stall.
    expect(Math.max(...gaps)).toBeGreaterThan(2000)
    expect(failures).toEqual([])
  },
)

it.skipIf(!has('systemd-notify') || !has('python3'))('sends none for another process', async () => {
  const { socket, pings } = await listen()
  const env = { NOTIFY_SOCKET: socket, WATCHDOG_USEC: '20000', WATCHDOG_PID: '1', PATH: process.env['PATH'] }
  const failures: unknown[] = []
  closers.push(keepWatchdog(into(failures), env))
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect([pings, failures]).toEqual([[], []])
})

it('says once that pings fail, and does nothing without a watchdog', async () => {
  const said: unknown[] = []
  const error = (...args: unknown[]): void => void said.push(args[1])
  const env = { NOTIFY_SOCKET: path.join(dir, 'none'), WATCHDOG_USEC: '80000', PATH: dir }
  closers.push(keepWatchdog({ error }, env), keepWatchdog({ error }, {}))
  await expect.poll(() => said.length).toBe(1)
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(said).toEqual(['the watchdog of systemd gets no ping'])
})
