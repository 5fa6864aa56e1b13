/** Two tenants record on one host: real H.264 and real ffmpeg, delayed where a test requires it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogger, Progress } from '@phonerack/shared'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import type { CaptureListener } from '../../adb/device/capture.js'
import { FilmCapture, makeFilm, type Film } from '../../testing/film.js'
import { until } from '../../testing/until.js'
import { createRecordings, type Recordings, type DeviceCaller } from './recordings.js'
import { openRecordingStore } from './store.js'

const log = createLogger('test')
log.level = process.env['LOG_LEVEL'] ?? 'silent'
const soon = () => Progress.for(120_000)
const [hers, hersNext, his] = ['rec_aaaaaaaaaaaa', 'rec_aaaaaaaaaaab', 'rec_bbbbbbbbbbbb'] as const
const her: DeviceCaller = {
  serial: 'phone-1',
  phoneId: 'ph_aaaaaaaaaaaa',
  tenant: 'her',
  fencingNumber: 1n,
  requestId: '',
}
const him: DeviceCaller = { ...her, serial: 'phone-2', phoneId: 'ph_bbbbbbbbbbbb', tenant: 'him' }

let film: Film
beforeAll(async () => {
  film = await makeFilm(160, 320, 20)
})
let dir: string
let clock: number
const open: Recordings[] = []
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'phonerack-sharing-'))
  clock = 1000
})
afterEach(async () => {
  for (const recordings of open.splice(0)) await recordings.close()
  rmSync(dir, { recursive: true, force: true })
})

const screens: CaptureListener[] = []
function start(bytes: number, ffmpeg = 'ffmpeg'): Recordings {
  const capture = new FilmCapture((listener) => {
    screens.push(listener)
    listener.onConfig(film.config)
    show(listener, 0)
  })
  const recordings = createRecordings({
    videoOf: () => Promise.resolve({ capture, held: new AbortController().signal }),
    store: openRecordingStore(join(dir, 'recordings')),
    programs: { ffmpeg, ffprobe: 'ffprobe' },
    limits: { bytes, minFree: 0 },
    log,
    now: () => clock,
  })
  open.push(recordings)
  return recordings
}

function show(listener: CaptureListener, index: number): void {
  const data = film.units[index]
  if (!data) throw new Error('the film is shorter')
  clock += 100
  listener.onPacket({ data, ptsUs: BigInt(clock * 1000), isKeyFrame: index === 0 })
}

/** Records the whole film. */
async function record(recordings: Recordings, caller: DeviceCaller, id: string): Promise<void> {
  await recordings.start(caller, id, soon())
  const listener = screens.at(-1)
  if (!listener) throw new Error('nobody watches')
  for (let index = 1; index < 20; index += 1) show(listener, index)
}

it('converts a recording of one tenant while the conversion of another tenant never ends, one per tenant at a time', async () => {
  const slow = join(dir, 'ffmpeg')
  // The first tenant recorded for six hours.
  const script = `#!/bin/sh
case "$*" in *${hers}*) while [ ! -e '${join(dir, 'go')}' ]; do sleep 0.05; done ;; esac
exec ffmpeg "$@"
`
  writeFileSync(slow, script, { mode: 0o755 })
  const recordings = start(1e9, slow)
  for (const [caller, id] of [
    [her, hers],
    [her, hersNext],
    [him, his],
  ] as const) {
    await record(recordings, caller, id)
    await recordings.stop(id)
  }
  await until(() => recordings.get(his).status === 'ready', 60_000, 'the file of the other tenant')
  expect([recordings.get(hers).status, recordings.get(hersNext).status]).toEqual(['processing', 'processing'])
  writeFileSync(join(dir, 'go'), '')
  for (const id of [hers, hersNext])
    await until(() => recordings.get(id).status === 'ready', 60_000, 'the files of the first tenant')
}, 120_000)

it('leaves space for a later tenant, however much another records', async () => {
  const raw = Buffer.concat(film.units).length
  const recordings = start(raw * 8)
  let made = 0
  const fill = async (): Promise<void> => {
    for (; made < 10; made += 1) {
      const id = `rec_aaaaaaaaaaa${'abcdefghij'.charAt(made)}`
      await record(recordings, her, id)
      await recordings.stop(id)
      await until(() => recordings.get(id).status === 'ready', 60_000, 'the file')
    }
  }
  await expect(fill()).rejects.toMatchObject({
    code: 'provider_error',
    details: { reason: expect.stringContaining('share') as string },
  })
  expect(made).toBeGreaterThan(1)
  expect(made).toBeLessThan(6)
  await record(recordings, him, his)
  // Each mark checks the free space, twice a second.
  await until(() => recordings.sizeOf(his) > raw, 60_000, 'the raw file')
  const before = recordings.sizeOf(his)
  await until(() => recordings.sizeOf(his) > before + 40, 60_000, 'two marks')
  expect(recordings.get(his).status).toBe('recording')
})
