/** Notifications whose shade cannot be read or closed in time. Those of a phone: `grpc/report-handlers.test.ts`. */
import { createLogger, DeadlineExceeded, Progress } from '@phonerack/shared'
import { expect, it } from 'vitest'
import type { Notifications, PostedNotification } from '../adb/device/reports.js'
import { simulatedPhone } from '../testing/simulated-phone.js'
import { dismissNotification, openNotification } from './on-notification.js'

const log = createLogger('test')
log.level = 'silent'
const posted: PostedNotification = {
  key: '0|com.example.app|1|null|10001',
  package: 'com.example.app',
  title: 'Title',
  text: 'Text',
  postedAt: null,
  dismissible: true,
}
const wanted = { id: 'ntf_aaaaaaaaaaaa', is: () => true }

/** `whileClosing`: runs with the time that is left for it. */
function make(whileClosing: (progress: Progress) => void = () => undefined) {
  const shade = { isOpen: false }
  const listed = [posted]
  const notifications: Notifications = {
    list: () => Promise.resolve(listed),
    expand: () => {
      shade.isOpen = true
      return Promise.resolve()
    },
    collapse: async (progress) => {
      progress.check('closing the shade')
      await Promise.resolve()
      whileClosing(progress)
      shade.isOpen = false
    },
  }
  return { shade, listed, notifications }
}

const card = {
  package: 'com.android.systemui',
  id: 'com.android.systemui:id/expandableNotificationRow',
  bounds: [0, 200, 1080, 400] as const,
  children: ['Title', 'Text'].map((text, index) => ({
    package: 'com.android.systemui',
    text,
    bounds: [0, 200 + 50 * index, 1080, 250 + 50 * index] as const,
  })),
}

it('closes the shade after the deadline and after an abort, and keeps the first error [42.27]', async () => {
  const aborted = new AbortController()
  for (const progress of [Progress.for(200), Progress.for(60_000, aborted.signal)]) {
    const { shade, notifications } = make()
    setTimeout(() => aborted.abort(), 400)
    const opening = openNotification(simulatedPhone([]).device, notifications, wanted, progress, log)
    await expect(opening).rejects.toThrow(DeadlineExceeded)
    await expect(opening).rejects.toThrow('the notification shade took too long')
    expect(shade.isOpen).toBe(false)
  }
})

it('closes the shade when it failed to open in time', async () => {
  const { shade, notifications } = make()
  const failure = new Error('no answer')
  const slow: Notifications = {
    ...notifications,
    expand: async (progress) => {
      await notifications.expand(progress)
      throw failure
    },
  }
  const { device } = simulatedPhone([])
  await expect(openNotification(device, slow, wanted, Progress.for(60_000), log)).rejects.toBe(failure)
  expect(shade.isOpen).toBe(false)
})

it('confirms a dismissal although the shade could not be closed', async () => {
  const { listed, notifications } = make(() => {
    throw new Error('no answer')
  })
  const phone = simulatedPhone([card])
  phone.before = (line) => {
    if (line.includes('>')) listed.length = 0
  }
  await dismissNotification(phone.device, notifications, wanted, Progress.for(60_000), log)
  expect(phone.log.some((line) => line.includes('>'))).toBe(true)
})
