import { randomBytes } from 'node:crypto'
import { observationSchema, Progress, systemClock } from '@phonerack/shared'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { DeviceGone } from '../adb/device/device.js'
import { simulatedPhone, screen } from '../testing/simulated-phone.js'
import { dumpXml } from '../testing/screen-xml.js'
import { observe } from './index.js'
import { parseNodes } from './nodes.js'
import { showsForeground } from './read-tree.js'
import { Looks } from './looks.js'
import { createSnapshotStore } from './snapshots.js'

const owner = { phoneId: 'ph_a', fencingNumber: 1n }
const progress = () => Progress.for(20_000)

describe('observe', () => {
  it('reads elements and window, and saves the snapshot', async () => {
    const phone = simulatedPhone([{ text: 'Hi', bounds: [0, 0, 100, 100] }])
    phone.keyboardVisible = true
    const snapshots = createSnapshotStore(systemClock).of(owner)
    const { observation } = await observe(phone.device, { snapshots, looks: new Looks() }, {}, progress())
    expect(observationSchema.parse(observation)).toEqual(observation)
    expect(observation).toMatchObject({
      app: { package: 'com.example.app', activity: 'com.example.app.Main' },
      keyboard: { visible: true, focused_editable: false },
      screen,
      truncated: false,
    })
    expect(snapshots.find(observation.snapshot_id)?.elements[0]?.text).toBe('Hi')
    expect(phone.log).not.toContain('png')
  })

  it('stays under 4 MB as JSON with as much text and picture as there can be [20.45, 28.13]', async () => {
    const text = '\u00e4"\u4e2d'.repeat(330)
    const phone = simulatedPhone(
      Array.from({ length: 600 }, (_, index) => ({
        text: `${index}${text}`,
        desc: `${text}${index}`,
        bounds: [0, index * 4, 1080, index * 4 + 4],
      })),
    )
    const raw = randomBytes(screen.width * screen.height * 4)
    const noise = await sharp(raw, { raw: { ...screen, channels: 4 } })
      .png({ compressionLevel: 0 })
      .toBuffer()
    phone.device.screen.png = () => Promise.resolve(noise)
    const snapshots = createSnapshotStore(systemClock).of(owner)
    const options = { screenshot: { format: 'png' } } as const
    const { observation } = await observe(
      phone.device,
      { snapshots, looks: new Looks() },
      options,
      progress(),
    )
    expect(observation.truncated).toBe(true)
    expect(observation.elements.length).toBeGreaterThan(200)
    const picture = await sharp(Buffer.from(observation.screenshot?.data ?? '', 'base64')).metadata()
    expect([picture.format, picture.width]).toEqual(['png', observation.screenshot?.width])
    expect(observation.screenshot?.scale).toBe(picture.width / 1080)
    const bytes = Buffer.byteLength(JSON.stringify(observation))
    expect(bytes).toBeLessThan(4_000_000)
    expect(bytes).toBeGreaterThan(3_000_000)

    phone.views = []
    const picturesOnly = (await observe(phone.device, { snapshots, looks: new Looks() }, options, progress()))
      .observation
    const largest = Buffer.byteLength(JSON.stringify(picturesOnly))
    expect(largest > 2_500_000 && largest < 4_000_000).toBe(true)
  })

  it('reads again when the tree is broken, and reports a tree that stays broken', async () => {
    const phone = simulatedPhone([{ text: 'Hi', bounds: [0, 0, 100, 100] }])
    const source = phone.device.ui.source.bind(phone.device.ui)
    let broken = 2
    phone.device.ui.source = (within) => (broken-- > 0 ? Promise.resolve('<hierarchy><node') : source(within))
    const snapshots = createSnapshotStore(systemClock).of(owner)
    const read = () => observe(phone.device, { snapshots, looks: new Looks() }, {}, progress())
    expect((await read()).observation.elements).toHaveLength(1)
    broken = Infinity
    await expect(read()).rejects.toMatchObject({ code: 'provider_error' })
  })

  it('reads a new tree when the tree does not show the foreground app, and reports a tree that stays incomplete', async () => {
    const phone = simulatedPhone([{ text: 'Old', package: 'com.example.launcher', bounds: [0, 0, 100, 100] }])
    const source = phone.device.ui.source.bind(phone.device.ui)
    const asked: (boolean | undefined)[] = []
    let caughtUp = true
    phone.device.ui.source = (within, refresh) => {
      asked.push(refresh)
      if (refresh && caughtUp) phone.views = [{ text: 'New', bounds: [0, 0, 100, 100] }]
      return source(within)
    }
    const snapshots = createSnapshotStore(systemClock).of(owner)
    const read = async () =>
      (await observe(phone.device, { snapshots, looks: new Looks() }, {}, progress())).observation
    const first = await read()
    expect([first.elements.map(({ text }) => text), first.truncated]).toEqual([['New'], false])
    expect(asked).toEqual([false, true])

    caughtUp = false
    // The tree has only the system bars, while an app is in the foreground.
    phone.views = [{ text: '12:00', package: 'com.android.systemui', bounds: [0, 0, 100, 100] }]
    const second = await read()
    expect([second.truncated, asked.length]).toEqual([true, 4])
  })

  it('trusts a tree when the phone does not report the foreground app', () => {
    const parsed = parseNodes(dumpXml({ package: 'com.example.launcher' }))
    const window = {
      package: '',
      activity: null,
      keyboardVisible: false,
      keyboardPackage: null,
      systemDialog: false,
      screenOn: true,
    }
    expect(showsForeground(parsed, window)).toBe(true)
    expect(showsForeground(parsed, { ...window, package: 'com.example.launcher' })).toBe(true)
    expect(showsForeground(parsed, { ...window, package: 'com.example.app' })).toBe(false)
    expect(showsForeground({ ...parsed, nodes: [] }, { ...window, package: 'com.example.app' })).toBe(true)
  })

  it('says why it could not read [28.19]', async () => {
    const snapshots = createSnapshotStore(systemClock).of(owner)
    const phone = simulatedPhone([])
    phone.before = () => {
      throw new DeviceGone('paper')
    }
    await expect(
      observe(phone.device, { snapshots, looks: new Looks() }, {}, progress()),
    ).rejects.toMatchObject({ code: 'phone_unavailable' })
    const slow = simulatedPhone([])
    slow.device.ui.source = (within) => within.sleep(60_000).then(() => '')
    await expect(
      observe(slow.device, { snapshots, looks: new Looks() }, {}, Progress.for(50)),
    ).rejects.toMatchObject({ code: 'provider_timeout' })
    const blind = simulatedPhone([])
    blind.device.screen.png = () => Promise.resolve(Buffer.from('error: no display'))
    const options = { screenshot: { format: 'jpeg' } } as const
    await expect(
      observe(blind.device, { snapshots, looks: new Looks() }, options, progress()),
    ).rejects.toMatchObject({ code: 'provider_error' })
  })
})
