/** Thumbnails of a virtual phone through the whole agent. */
import { ThumbnailAbsence as Absence, type ThumbnailResponse } from '@phonerack/proto'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CallFailed } from '../../testing/client.js'
import { createLiveClient } from '../../testing/live-client.js'
import { session, startPhoneAndHost, untilLink, type PhoneAndHost } from '../../testing/phone.js'
import { until } from '../../testing/until.js'

const patience = 60_000
const none = Absence.THUMBNAIL_ABSENCE_UNSPECIFIED
let both: PhoneAndHost
beforeAll(async () => {
  both = await startPhoneAndHost()
  const { serial } = both.phone
  await untilLink(both.host, serial, 'unenrolled')
  await both.host.control.enroll({ serial, fencingNumber: 1n }, 150_000)
  await phone().start()
})
afterAll(() => both.stop())

const phone = (fencingNumber = 2n) => session(both.host.control, both.phone.serial, fencingNumber)
const take = (knownTag = '', withTyped = false, of = phone()) =>
  both.host.control.thumbnail({ assignment: of.assignment, knownTag, withTyped })
/** The number of screens that were read. */
const reads = () => both.phone.proxy.opened.filter((each) => each.includes('screencap')).length

async function untilShown(isWanted: (answer: ThumbnailResponse) => boolean, withTyped = false) {
  let answer = await take('', withTyped)
  await until(
    async () => {
      answer = await take('', withTyped)
      return isWanted(answer)
    },
    patience,
    'the wanted answer',
  )
  return answer
}

it('is a small WebP that all callers share, and is not sent twice to one caller', async () => {
  await phone().run([{ type: 'home' }])
  const first = await untilShown(({ absence }) => absence === none)
  const info = await sharp(first.image).metadata()
  expect([info.format, info.height]).toEqual(['webp', 320])
  expect(first.image.length).toBeLessThan(40_000)
  const before = reads()
  const startedAt = performance.now()
  const answers = await Promise.all(Array.from({ length: 20 }, () => take()))
  const seconds = (performance.now() - startedAt) / 1000
  expect(new Set(answers.map(({ absence }) => absence))).toEqual(new Set([none]))
  expect(reads() - before).toBeLessThanOrEqual(1 + Math.ceil(seconds))
  const { tag } = await untilShown(({ absence }) => absence === none)
  const again = await take(tag)
  if (again.tag === tag) expect(again.image.length).toBe(0)
  else expect(again.image.length).toBeGreaterThan(0)
})

it('changes with the screen', async () => {
  const { tag } = await untilShown(({ absence }) => absence === none)
  await phone().run([{ type: 'open_app', package: 'com.android.settings' }])
  await untilShown((answer) => answer.absence === none && answer.tag !== tag)
})

it('is missing for a window that forbids screenshots', async () => {
  await phone().run([
    { type: 'open_app', package: 'com.phonerack.trouble' },
    { type: 'tap', target: { text: 'Secure screen' } },
  ])
  const { image } = await untilShown(({ absence }) => absence === Absence.THUMBNAIL_ABSENCE_SECURE)
  expect(image.length).toBe(0)
  await phone().run([{ type: 'home' }])
  await untilShown(({ absence }) => absence === none)
})

it('is missing after a text was set, unless typed text is kept', async () => {
  const typing = Absence.THUMBNAIL_ABSENCE_TYPED
  const { host } = both
  await host.control.call.setClipboard({ assignment: phone().assignment, text: 'a code' })
  expect(await take()).toMatchObject({ absence: typing, tag: '' })
  expect((await untilShown(({ absence }) => absence === none, true)).image.length).toBeGreaterThan(0)
  // Another assignment of the same phone remembers the typing.
  await phone(3n).start()
  expect(await take('', false, phone(3n))).toMatchObject({ absence: typing })
})

it('is only for the phone on the device, and never shows a new phone the earlier screen', async () => {
  await expect(take()).rejects.toThrow(CallFailed)
  await both.host.control.wipe({ assignment: phone(4n).assignment }, 150_000)
  const next = session(both.host.control, both.phone.serial, 5n, 'ph_bbbbbbbbbbbb', 'tenant-b')
  await next.start()
  // No text was typed on this phone.
  const first = await take('', false, next)
  expect(first.absence).not.toBe(Absence.THUMBNAIL_ABSENCE_TYPED)
})

it('is missing after a person typed in a live view, and while the screen is off', async () => {
  const next = session(both.host.control, both.phone.serial, 5n, 'ph_bbbbbbbbbbbb', 'tenant-b')
  const absenceOf = async () => (await take('', false, next)).absence
  await until(async () => (await absenceOf()) === none, patience, 'a picture')
  const live = await createLiveClient(both.host)
  try {
    const view = live.open(next.assignment, true)
    await until(() => view.keyFrames > 0, patience, 'a picture of the view')
    view.send({ $case: 'key', value: { down: true, keyCode: 3, metaState: 0, repeat: 0 } })
    view.send({ $case: 'key', value: { down: false, keyCode: 3, metaState: 0, repeat: 0 } })
    // A key without a character, such as home, does not hide the thumbnail.
    expect(await absenceOf()).not.toBe(Absence.THUMBNAIL_ABSENCE_TYPED)
    view.send({ $case: 'text', value: { text: 'hunter2' } })
    await until(async () => (await absenceOf()) === Absence.THUMBNAIL_ABSENCE_TYPED, patience, 'it is hidden')
    await view.leave()
  } finally {
    live.close()
  }
  await next.run([{ type: 'key', key: 'sleep' }])
  const asleep = () =>
    both.host.control.thumbnail({ assignment: next.assignment, knownTag: '', withTyped: true })
  await until(
    async () => (await asleep()).absence === Absence.THUMBNAIL_ABSENCE_ASLEEP,
    patience,
    'it sleeps',
  )
  // The screen stays off.
  expect((await asleep()).absence).toBe(Absence.THUMBNAIL_ABSENCE_ASLEEP)
})
