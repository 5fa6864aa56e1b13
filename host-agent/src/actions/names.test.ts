/** Names in the answers of actions: elements and apps that were meant, and the size of the screen. */
import { describe, expect, it } from 'vitest'
import type { InstalledApp, Packages } from '../adb/device/device.js'
import { run } from '../testing/simulated-batch.js'
import { simulatedPhone, type SimulatedPhone, type SimulatedView } from '../testing/simulated-phone.js'
import { appsNamed, similarApps } from './app-names.js'

const view = (text: string, top: number, more: Partial<SimulatedView> = {}): SimulatedView => ({
  class: 'android.widget.Button',
  text,
  flags: ['clickable'],
  bounds: [0, top, 1080, top + 100],
  ...more,
})
const app = (packageName: string, label: string = packageName): InstalledApp => ({
  package: packageName,
  label,
  versionName: '1',
  versionCode: 1,
  system: false,
})
const installed = [
  app('com.example.notes', 'Notes'),
  app('com.example.shop', 'Shop & Go'),
  app('com.example.clock', 'Clock'),
  app('org.other.deskclock', 'Clock'),
  app('com.android.vending', 'Play Store'),
  app('com.example.worker'),
]
const withApps = (list: Packages['list'] = () => Promise.resolve(installed)): SimulatedPhone => {
  const phone = simulatedPhone([])
  return { ...phone, device: { ...phone.device, packages: { list } as Packages } }
}
const failure = async (phone: SimulatedPhone, action: object) =>
  (await run(phone, [action])).results[0]?.error

describe('a target', () => {
  it('near to a name is answered with the name', async () => {
    const phone = simulatedPhone([view('Wi\u2011Fi', 100), view('Bluetooth', 300)])
    const error = await failure(phone, { type: 'tap', target: { text: 'wifi' } })
    expect([error?.code, error?.message]).toEqual([
      'target_not_found',
      'No element on the screen matches the target. Similar: "Wi\u2011Fi".',
    ])
    const waited = await failure(phone, { type: 'wait_for', target: { text: 'wifi' }, timeout_ms: 100 })
    expect([waited?.code, waited?.message]).toEqual([
      'wait_timeout',
      'The target was not visible within 100 ms. Similar: "Wi\u2011Fi".',
    ])
  })

  it('is never answered with the text of a field', async () => {
    const field = view('secret', 100, { class: 'android.widget.EditText', flags: ['focusable'] })
    const error = await failure(simulatedPhone([field]), { type: 'tap', target: { text: 'secrets' } })
    expect(error?.message).toBe('No element on the screen matches the target.')
  })

  it('outside the screen is answered with the size of the screen', async () => {
    const error = await failure(simulatedPhone([]), { type: 'tap', target: { x: 2000, y: 5 } })
    expect([error?.code, error?.message, error?.details['screen']]).toEqual([
      'target_not_found',
      'The point (2000, 5) is outside the screen, which is 1080x2400 device pixels.',
      { width: 1080, height: 2400 },
    ])
  })

  it('with fractions is rounded [31.31]', async () => {
    const phone = simulatedPhone([])
    const { results } = await run(phone, [{ type: 'tap', target: { x: 540.5, y: 1199.4 } }])
    expect(results[0]?.resolved?.center).toEqual([541, 1199])
  })

  it('with a part of a name is answered with the whole name, by waits too', async () => {
    const phone = simulatedPhone([view('Bluetooth settings', 100)])
    const target = { text: 'bluetooth' }
    const { results } = await run(phone, [
      ...[
        { type: 'tap', target },
        { type: 'wait_for', target },
        { type: 'scroll_to', target },
      ],
      ...[{ type: 'tap', target: { text: 'Bluetooth settings' } }, { type: 'home' }],
    ])
    expect(results.map(({ matched }) => matched)).toEqual([
      ...['Bluetooth settings', 'Bluetooth settings', 'Bluetooth settings'],
      ...[undefined, undefined],
    ])
  })
})

describe('an app', () => {
  it.each([
    ['Notes', ['com.example.notes']],
    ['notes', ['com.example.notes']],
    ['shop', ['com.example.shop']],
    ['worker', ['com.example.worker']],
    ['play', ['com.android.vending']],
    ['Clock', ['com.example.clock', 'org.other.deskclock']],
    ['deskclock', ['org.other.deskclock']],
    ['com', []],
  ])('is found by the label %s', (label, packages) => {
    expect(appsNamed(label, installed).map(({ package: name }) => name)).toEqual(packages)
  })

  it('that is not installed is answered with similar apps', () => {
    expect(similarApps('com.phonerack.notes', installed)[0]?.package).toBe('com.example.notes')
    expect(similarApps('Note', installed)[0]?.package).toBe('com.example.notes')
    expect(similarApps('com.example.calculator', installed)).toEqual([])
  })

  it('is opened by its label [31.30]', async () => {
    const phone = withApps()
    const { completed } = await run(phone, [{ type: 'open_app', label: 'notes' }])
    expect([completed, phone.log.at(-1)]).toEqual([1, 'open com.example.notes -'])
  })

  it('is refused with the names when several have its label, or none', async () => {
    const phone = withApps()
    const several = await failure(phone, { type: 'open_app', label: 'Clock' })
    expect([several?.code, several?.message]).toEqual([
      'app_not_found',
      '2 apps match the label: com.example.clock (Clock), org.other.deskclock (Clock).',
    ])
    const none = await failure(phone, { type: 'open_app', package: 'com.phonerack.notes' })
    expect(none).toMatchObject({
      code: 'app_not_found',
      message: 'The app is not installed on the phone. Similar: com.example.notes (Notes).',
      details: {
        package: 'com.phonerack.notes',
        similar: [{ package: 'com.example.notes', label: 'Notes' }],
      },
    })
    expect(phone.log.filter((line) => line.startsWith('open'))).toEqual([])
  })

  it('in the list of the guard is refused by its label too', async () => {
    const phone = withApps()
    const { results } = await run(phone, [{ type: 'open_app', label: 'Play Store' }], 'none', {
      guarded: true,
    })
    expect(results[0]?.error?.code).toBe('handoff_required')
    expect(phone.log.filter((line) => line.startsWith('open'))).toEqual([])
  })

  it('is reported as missing when the list of apps cannot be read', async () => {
    const phone = withApps(() => Promise.reject(new Error('a bug')))
    expect((await failure(phone, { type: 'open_app', label: 'Notes' }))?.code).toBe('internal_error')
    const { device, ...rest } = simulatedPhone([])
    const error = await failure({ ...rest, device }, { type: 'close_app', package: 'org.unknown.app' })
    expect([error?.code, error?.details]).toEqual(['app_not_found', { package: 'org.unknown.app' }])
  })

  it('takes exactly one of package and label', async () => {
    for (const fields of [{}, { package: 'com.example.notes', label: 'Notes' }])
      await expect(run(withApps(), [{ type: 'open_app', ...fields }])).rejects.toThrow('exactly one of')
  })
})
