/**
 * The pure parts of the live view: socket messages, keys, the rate limit, and the validity of a
 * link.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Allowance } from './allowance.js'
import { readPageMessage } from './input.js'
import { endOf, hasTakeOver } from './ends.js'
import { androidKey, piecesOf, retryDelay, timeLeft } from './page/keys.js'
import { Silence } from './page/silence.js'
import { closings, isWorthRetrying, readVideo, writeConfig, writeFrame } from './page/wire.js'
import { standingOf, type LinkRow } from './standing.js'

const bytes = (...values: number[]) => new Uint8Array(values)

describe('video on the socket', () => {
  it('is encoded as these bytes', () => {
    const parameterSets = bytes(0, 0, 1, 0x67)
    const config = writeConfig({ codec: 'avc1', width: 0x0102, height: 3, parameterSets })
    expect([...config]).toEqual([1, 1, 2, 0, 3, 4, 0x61, 0x76, 0x63, 0x31, 0, 0, 1, 0x67])
    const frame = writeFrame({ isKeyFrame: true, isLast: false, ptsUs: 0x0102n, data: bytes(9) })
    expect([...frame]).toEqual([2, 1, 0, 0, 0, 0, 0, 0, 1, 2, 9])
  })

  it('is decoded as it was encoded, and a truncated message is rejected', () => {
    const data = fc.uint8Array({ maxLength: 200 })
    const size = fc.nat(0xffff)
    const codec = fc.string({ maxLength: 40 })
    fc.assert(
      fc.property(codec, size, size, data, (name, width, height, parameterSets) => {
        const written = writeConfig({ codec: name, width, height, parameterSets })
        expect(readVideo(written.buffer)).toEqual({
          type: 'config',
          codec: name,
          width,
          height,
          parameterSets,
        })
        expect(readVideo(written.slice(0, 5).buffer)).toBeNull()
      }),
    )
    fc.assert(
      fc.property(
        fc.boolean(),
        fc.boolean(),
        fc.bigInt(0n, 2n ** 64n - 1n),
        data,
        (isKeyFrame, isLast, ptsUs, part) => {
          const frame = { isKeyFrame, isLast, ptsUs, data: part }
          expect(readVideo(writeFrame(frame).buffer)).toEqual({ type: 'frame', ...frame })
        },
      ),
    )
  })
})

it('close reasons fit into a close frame, and codes distinguish permanent from temporary closes', () => {
  const all = Object.values(closings)
  expect(new Set(all.map(({ code }) => code)).size).toBe(all.length)
  for (const { code, reason } of all) {
    expect(Buffer.byteLength(reason)).toBeLessThanOrEqual(123)
    expect(code >= 4000 && code < 5000).toBe(true)
  }
  const { expired, parked, restarting, away, stopping } = closings
  for (const { code } of [expired, parked]) expect(isWorthRetrying(code)).toBe(false)
  for (const { code } of [restarting, away, stopping, { code: 1006 }])
    expect(isWorthRetrying(code)).toBe(true)
})

it('any message of a page is parsed or refused, without an exception', () => {
  fc.assert(fc.property(fc.string(), (text) => void readPageMessage(text)))
  fc.assert(fc.property(fc.json(), (text) => void readPageMessage(text)))
})

describe('the keyboard', () => {
  const press = (key: string, more = {}) =>
    androidKey({ key, shiftKey: false, altKey: false, ctrlKey: false, metaKey: false, ...more })

  it('sends Android’s codes for editing keys, and none for text and Tab', () => {
    expect(press('Backspace')).toEqual({ code: 67, meta: 0 })
    expect(press('ArrowLeft', { shiftKey: true })).toEqual({ code: 21, meta: 0x41 })
    expect(press('a', { ctrlKey: true })).toEqual({ code: 29, meta: 0x3000 })
    expect(press('C', { metaKey: true })).toEqual({ code: 31, meta: 0x3000 })
    for (const key of ['a', 'ß', '世', ' ', 'Tab', 'F5', 'Shift', 'Dead', 'toString'])
      expect(press(key)).toBeNull()
    expect(press('v', { ctrlKey: true })).toBeNull()
    // The person presses AltGr and A.
    expect(press('a', { ctrlKey: true, altKey: true })).toBeNull()
  })

  it('splits text between characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 5 }), (text, most) => {
        const pieces = piecesOf(text, most)
        expect(pieces.join('')).toBe(text)
        for (const piece of pieces) expect(Array.from(piece).length).toBeLessThanOrEqual(most)
      }),
    )
  })
})

it('the retry delay grows, up to 5 seconds', () => {
  fc.assert(
    fc.property(fc.nat(10_000), fc.double({ min: 0, max: 1, noNaN: true }), (tries, random) => {
      const ms = retryDelay(tries, random)
      expect(ms).toBeGreaterThanOrEqual(125)
      expect(ms).toBeLessThanOrEqual(5000)
      expect(retryDelay(tries + 1, random)).toBeGreaterThanOrEqual(ms)
    }),
  )
})

it('a page tries three times within two seconds after it lost its replica', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 3, maxLength: 3 }),
      (random) => {
        const delays = random.map((each, tries) => retryDelay(tries, each))
        expect(delays.reduce((sum, each) => sum + each)).toBeLessThanOrEqual(2000)
      },
    ),
  )
})

it('the time left is formatted for people', () => {
  expect([0, 45_000, 99_001, 720_000, 3_900_000, 86_400_000].map(timeLeft)).toEqual([
    '0 s',
    '45 s',
    '1 min',
    '12 min',
    '1 h 05 min',
    '24 h 00 min',
  ])
})

it('an allowance permits its burst immediately, and its rate over time', () => {
  const allowance = new Allowance(10, 5, 0)
  const takes = (now: number, times: number) =>
    Array.from({ length: times }, () => allowance.take(now)).filter(Boolean).length
  expect(takes(0, 100)).toBe(5)
  expect(takes(100, 100)).toBe(1)
  expect(takes(10_000, 100)).toBe(5)
})

describe('the silence of a connection', () => {
  it('is noticed 3 s after the last message', () => {
    const silence = new Silence(0)
    silence.heard(500)
    expect([1000, 2000, 3000].map((now) => silence.isOver(now))).toEqual([false, false, false])
    expect(silence.isOver(4000)).toBe(true)
  })

  it('does not include time in which the page was suspended', () => {
    const silence = new Silence(0)
    expect(silence.isOver(60_000)).toBe(false)
    expect([61_000, 62_000].map((now) => silence.isOver(now))).toEqual([false, true])
  })
})

describe('a link', () => {
  const now = new Date('2026-01-02T03:04:05Z')
  const rules = { hostLateAfterMs: 10_000 }
  const row: LinkRow = {
    projectId: 'proj_a',
    phoneId: 'ph_a',
    ownerId: 'us_1',
    phoneName: 'phone',
    creatorId: 'key_a',
    keyHash: 'a',
    isRevoked: false,
    control: true,
    expiresAt: new Date(now.getTime() + 1),
    sessionEndReason: null,
    startedAt: now,
    idleTimeout: 300,
    maxDuration: 3600,
    lastActiveAt: now,
    phoneStatus: 'ready',
    isFrozen: false,
    isPaused: false,
    serial: 'serial',
    link: 'healthy',
    fencingNumber: 3n,
    hostId: 'hst_a',
    address: '127.0.0.1:1',
    certificateFingerprint: null,
    nextCertificateFingerprint: null,
    joinId: null,
    lastSeenAt: now,
    handoffId: null,
    handoffStatus: null,
    handoffMessage: null,
    takenUntil: null,
  }

  it('leads to its phone while it is valid', () => {
    const place = {
      serial: 'serial',
      fencingNumber: 3n,
      hostId: 'hst_a',

      address: '127.0.0.1:1',
      certificateFingerprint: null,
      nextCertificateFingerprint: null,
      joinId: null,
    }
    expect(standingOf(row, now, rules)).toEqual({ place })
  })

  it.each<[keyof typeof closings, Partial<LinkRow>]>([
    ['unknown', { isRevoked: true }],
    ['handedBack', { handoffStatus: 'done', expiresAt: now }],
    ['handedBack', { handoffStatus: 'declined' }],
    ['withdrawn', { handoffStatus: 'withdrawn' }],
    ['expired', { expiresAt: now }],
    ['parked', { sessionEndReason: 'parked', phoneStatus: 'parking' }],
    ['parked', { sessionEndReason: 'idle' }],
    ['parked', { sessionEndReason: 'max_duration' }],
    ['deleted', { sessionEndReason: 'deleted', phoneStatus: 'deleted', serial: null }],
    ['frozen', { sessionEndReason: 'project_frozen' }],
    ['frozen', { isFrozen: true }],
    ['paused', { sessionEndReason: 'service_paused' }],
    ['paused', { isPaused: true }],
    ['failed', { sessionEndReason: 'failed' }],
    ['unavailable', { sessionEndReason: 'unavailable' }],
    ['restarting', { phoneStatus: 'starting' }],
    ['away', { link: 'offline' }],
    ['away', { lastSeenAt: new Date(now.getTime() - 10_001) }],
    ['away', { serial: null }],
  ])('is %s when %j', (name, change) => {
    expect(standingOf({ ...row, ...change }, now, rules)).toEqual({ closing: closings[name] })
  })

  const inSeconds = (seconds: number) => new Date(now.getTime() + seconds * 1000)

  it.each<[string, number, number, Partial<LinkRow>, boolean]>([
    ['idle', 300, 60, {}, false],
    ['idle', 60, 30, { idleTimeout: 60 }, false],
    ['session', 200, 60, { maxDuration: 200 }, false],
    ['link', 100, 60, { expiresAt: inSeconds(100) }, false],
    // A hand-over's link ends with the take-over.
    ['take_over', 100, 60, { expiresAt: inSeconds(100), handoffStatus: 'taken' }, false],
    ['take_over', 200, 60, { takenUntil: inSeconds(200) }, false],
    ['idle', 300, 60, { takenUntil: inSeconds(400) }, false],
    // The page that holds a take-over is visible.
    ['take_over', 400, 60, { takenUntil: inSeconds(400) }, true],
    ['session', 3600, 60, { handoffStatus: 'taken', expiresAt: inSeconds(7200) }, true],
    // The idle timer has not started.
    ['session', 3600, 60, { lastActiveAt: null }, false],
  ])('ends by %s after %i s, with a warning %i s before', (reason, after, before, change, isPresent) => {
    const end = endOf({ ...row, expiresAt: inSeconds(14_400), ...change }, isPresent)
    expect(end).toEqual({
      reason,
      at: inSeconds(after).getTime(),
      warnsAt: inSeconds(after - before).getTime(),
    })
  })

  it('holds a take-over that was taken with the link or in the console', () => {
    expect(hasTakeOver(row)).toBe(false)
    expect(hasTakeOver({ ...row, handoffStatus: 'open' })).toBe(false)
    expect(hasTakeOver({ ...row, handoffStatus: 'taken' })).toBe(true)
    expect(hasTakeOver({ ...row, takenUntil: inSeconds(1) })).toBe(true)
  })
})
