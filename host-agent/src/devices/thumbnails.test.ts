/** Thumbnails of a simulated phone, with the real turns of calls. The test sets the clock. */
import { createLogger, Progress } from '@phonerack/shared'
import { beforeEach, describe, expect, it } from 'vitest'
import { createLimiter } from '../base/limiter.js'
import { later } from '../base/later.js'
import { FencingRefused } from '../custody/fencing.js'
import { DeviceGone, type Device } from '../adb/device/device.js'
import { simulatedPhone } from '../testing/simulated-phone.js'
import { createThumbnails, type Thumbnails } from './thumbnails.js'
import { createTurns, type Turns } from './turns.js'
import { createTyped, type Typed } from './typed.js'

const log = createLogger('test')
log.level = 'silent'
const minute = 60_000
const caller = (phoneId = 'ph_a', fencingNumber = 1n) => ({
  phoneId,
  tenant: 'tenant-a',
  fencingNumber,
  requestId: 'req_aaaaaaaaaaaa',
})

let now: number
let turns: Turns
let typed: Typed
let thumbnails: Thumbnails
/** The numbers of reads of the screen that began and that ended. */
let reads: number
/** Resolves before a picture is delivered. */
let gateOfReads: Promise<unknown>
let failure: Error | null
let covered: { secure?: boolean; asleep?: boolean }
/** The phone and fencing number that have the device; null for any phone. */
let owner: string | null

beforeEach(() => {
  now = 1_000_000
  reads = 0
  failure = null
  covered = {}
  owner = null
  gateOfReads = Promise.resolve()
  turns = createTurns()
  typed = createTyped(() => now)
  const phone = simulatedPhone([])
  const device: Device = {
    ...phone.device,
    screen: {
      ...phone.device.screen,
      png: (progress) =>
        progress.race('a picture', async () => {
          reads += 1
          await gateOfReads
          if (failure) throw failure
          return phone.device.screen.png(progress)
        }),
    },
    secureWindow: {
      read: () => Promise.resolve({ asleep: false, locked: false, secure: false, ...covered }),
    },
  }
  thumbnails = createThumbnails({
    gate: {
      typed,
      fencing: {
        hold: ({ phoneId, fencingNumber }) => {
          if (owner !== null && owner !== `${phoneId} ${fencingNumber}`)
            throw new FencingRefused('serial', 'old_number', fencingNumber, '2')
          return new AbortController().signal
        },
      },
      glance: (_, progress, work) =>
        turns.giveWay((signal) => work(device, Progress.for(progress.remaining, progress.signal, signal))),
    },
    limiter: createLimiter(4),
    log,
    now: () => now,
  })
})

const take = (of = caller(), withTyped = false) => thumbnails.take(of, withTyped, Progress.for(minute))
const picture = { tag: expect.any(String) as unknown, image: expect.any(Buffer) as unknown }

describe('a shared read', () => {
  it('serves 20 callers at the same time, and all callers of the next second', async () => {
    const taken = await Promise.all(Array.from({ length: 20 }, () => take()))
    expect(taken).toEqual(Array.from({ length: 20 }, () => picture))
    now += 999
    await Promise.all(Array.from({ length: 20 }, () => take()))
    expect(reads).toBe(1)
    now += 1
    await take()
    expect(reads).toBe(2)
  })

  it('is followed by a pause as long as the read, and by at least a second between two reads', async () => {
    const end = later<null>()
    gateOfReads = end.promise
    const first = take()
    await expect.poll(() => reads).toBe(1)
    now += 600
    end.resolve(null)
    await first
    now += 599
    await take()
    expect(reads).toBe(1)
    now += 1
    await take()
    expect(reads).toBe(2)
  })

  it('is repeated for a phone that does not answer after 5 seconds', async () => {
    failure = new DeviceGone('serial')
    expect(await take()).toBe('unreadable')
    now += 4999
    expect([await take(), reads]).toEqual(['unreadable', 1])
    failure = null
    now += 1
    expect([await take(), reads]).toEqual([picture, 2])
  })
})

describe('calls of agents', () => {
  it('do not wait for a read, which they abort: the caller gets the last picture', async () => {
    const shown = await take()
    now += 1000
    gateOfReads = new Promise(() => undefined)
    const waiting = take()
    await expect.poll(() => reads).toBe(2)
    let isDone = false
    await turns.first(() => {
      isDone = true
      return Promise.resolve()
    })
    expect(isDone).toBe(true)
    expect(await waiting).toEqual(shown)
  })

  it('are not delayed more than once a second by reads that they abort', async () => {
    gateOfReads = new Promise(() => undefined)
    const waiting = take()
    await expect.poll(() => reads).toBe(1)
    await turns.first(() => Promise.resolve())
    expect(await waiting).toBe('busy')
    for (let round = 0; round < 20; round += 1) expect(await take()).toBe('busy')
    expect(reads).toBe(1)
    gateOfReads = Promise.resolve()
    now += 1000
    expect(await take()).toEqual(picture)
  })

  it('prevent reads, until the last picture is a minute old', async () => {
    const shown = await take()
    const end = later<null>()
    const call = turns.first(() => end.promise)
    now += minute - 1
    expect([await take(), reads]).toEqual([shown, 1])
    now += 1
    expect([await take(), reads]).toEqual(['busy', 1])
    end.resolve(null)
    await call
    expect([await take(), reads]).toEqual([picture, 2])
  })
})

describe('a picture', () => {
  it('is not shown after a text was typed, unless the caller requests it', async () => {
    await take()
    typed.note('ph_a')
    expect(await take()).toBe('typed')
    expect(reads).toBe(1)
    now += 1000
    expect(await take(caller(), true)).toEqual(picture)
    expect(await take()).toBe('typed')
    now += 15 * minute
    expect(await take()).toEqual(picture)
  })

  it('is not shown if a text was typed while it was read', async () => {
    const end = later<null>()
    gateOfReads = end.promise
    const waiting = take()
    await expect.poll(() => reads).toBe(1)
    typed.note('ph_a')
    end.resolve(null)
    expect(await waiting).toBe('typed')
  })

  it.each(['secure', 'asleep'] as const)('is not read from a screen that is %s', async (state) => {
    covered = { [state]: true }
    expect([await take(), reads]).toEqual([state, 0])
  })

  it('is not shown when the device got another phone during the read, even if the read was not aborted', async () => {
    owner = 'ph_a 1'
    const end = later<null>()
    gateOfReads = end.promise
    const waiting = take()
    const refused = expect(waiting).rejects.toThrow(FencingRefused)
    await expect.poll(() => reads).toBe(1)
    owner = 'ph_b 2'
    // The caller waits for the read of the other phone.
    const next = take(caller('ph_b', 2n))
    await expect(take()).rejects.toThrow(FencingRefused)
    end.resolve(null)
    await refused
    expect([await next, reads]).toEqual(['busy', 1])
  })

  it('is never shown to another phone, or to the same phone on another assignment', async () => {
    const shown = await take()
    const call = later<null>()
    const calling = turns.first(() => call.promise)
    expect(await take()).toEqual(shown)
    expect(await take(caller('ph_b', 2n))).toBe('busy')
    expect(await take(caller('ph_a', 2n))).toBe('busy')
    thumbnails.forget()
    expect(await take()).toBe('busy')
    call.resolve(null)
    await calling
  })
})
