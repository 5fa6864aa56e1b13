import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type ScrcpyInvocation } from '../android/program.js'
import { makeWorld } from '../ui/index.js'
import { commandSpan, paceCommands, within } from './pace.js'
import { lateInput } from './scrcpy-input.js'
import { lateStart } from './scrcpy-start.js'
import { type CommandIo } from '../shell/command.js'

const io = (args: string[], signal = new AbortController().signal) =>
  ({ args, signal }) as unknown as CommandIo

describe('the pace of commands', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('has the measured durations of a phone', () => {
    expect(commandSpan('input', ['tap', '1', '2'])).toEqual([230, 330])
    expect(commandSpan('screencap', ['-p'])).toEqual([300, 700])
    expect(commandSpan('uiautomator', ['dump'])).toEqual([2050, 2150])
    expect(commandSpan('constructor', [])).toBeNull()
    expect(within([230, 330], () => 0.5)).toBe(280)
  })

  it('adds no delay with `instant`', () => {
    const table = { input: () => 0 }
    expect(paceCommands(table, 'instant')).toBe(table)
  })
})

it('delays a command as on a phone, but not beyond the end of its process', async () => {
  const table = paceCommands({ input: () => 7, echo: () => 0 }, 'real', () => 0)
  const start = performance.now()
  expect(await table['input']?.(io(['tap']))).toBe(7)
  expect(performance.now() - start).toBeGreaterThanOrEqual(225)
  const killed = new AbortController()
  const run = table['input']?.(io(['tap'], killed.signal))
  killed.abort()
  await run
  expect(table['echo']?.(io([]))).toBe(0)
})

it('delays scrcpy’s input in order, and drops pending input at the end', async () => {
  const world = makeWorld()
  const seen: string[] = []
  const touch = vi.spyOn(world, 'touch').mockImplementation((action, id) => {
    seen.push(`${action} ${id}`)
  })
  const server = lateInput(async (invocation) => {
    invocation.world.touch('down', 1, 10, 10)
    invocation.world.touch('up', 1, 10, 10)
    expect(seen).toEqual([])
    await vi.waitFor(() => {
      expect(seen).toEqual(['down 1', 'up 1'])
    })
    expect(invocation.world.display.width).toBe(1080)
    invocation.world.touch('down', 2, 10, 10)
    return 0
  }, 6)
  expect(await server({ world } as unknown as ScrcpyInvocation)).toBe(0)
  await new Promise((resolve) => setTimeout(resolve, 30))
  expect(touch).toHaveBeenCalledTimes(2)
  world.close()
})

it('starts scrcpy’s server late, and never if it is stopped earlier', async () => {
  const begun = vi.fn(() => Promise.resolve(0))
  const server = lateStart(begun, [30, 50], () => 0)
  const start = performance.now()
  const living = { signal: new AbortController().signal } as unknown as ScrcpyInvocation
  expect(await server(living)).toBe(0)
  // Timers can fire a millisecond early.
  expect(performance.now() - start).toBeGreaterThanOrEqual(25)
  const ended = new AbortController()
  const never = server({ signal: ended.signal } as unknown as ScrcpyInvocation)
  ended.abort()
  expect(await never).toBe(0)
  expect(begun).toHaveBeenCalledTimes(1)
  expect(lateStart(begun, [0, 0])).toBe(begun)
})
