/**
 * A simulated phone for tests of pure logic: its screen is a list of drafts, a tap hits
 * the draft at that point, text enters the focused field.
 */
import { ApiError } from '@phonerack/shared'
import sharp from 'sharp'
import type { Device, Stroke, TextInput, TextMethod } from '../adb/device/device.js'
import { dumpXml, type Draft } from './screen-xml.js'

/** A draft that input can change. */
export interface SimulatedView extends Draft {
  bounds: readonly [number, number, number, number]
  text?: string
  flags?: string[]
  onTap?: () => void
  /** Rewrites the field's new text. */
  rewrite?: (text: string) => string
}

export interface SimulatedPhone {
  device: Device
  views: SimulatedView[]
  /** All requests in order, such as `tap 540,300`, `key 66`, `tree`. */
  log: string[]
  /** Called before each request with the request's log line. An error from it fails the request. */
  before: (line: string) => void
  keyboardVisible: boolean
  systemDialog: boolean
  screenOn: boolean
  selectAllWorks: boolean
}

export const screen = { width: 1080, height: 2400 }

const isField = (view: SimulatedView): boolean => view.class?.endsWith('EditText') === true
const has = (view: SimulatedView, flag: string): boolean => view.flags?.includes(flag) === true

export function simulatedPhone(views: SimulatedView[]): SimulatedPhone {
  let allSelected = false
  const focused = (): SimulatedView | undefined =>
    phone.views.find((view) => isField(view) && has(view, 'focused'))
  const ask = (line: string): Promise<void> => {
    phone.log.push(line)
    phone.before(line)
    return Promise.resolve()
  }
  const setText = (view: SimulatedView, text: string): void => {
    view.text = view.rewrite ? view.rewrite(text) : text
    allSelected = false
  }
  const tapAt = (x: number, y: number): void => {
    const hit = phone.views.findLast(
      ({ bounds: [left, top, right, bottom] }) => x >= left && x < right && y >= top && y < bottom,
    )
    if (hit && isField(hit)) {
      for (const view of phone.views) view.flags = (view.flags ?? []).filter((flag) => flag !== 'focused')
      hit.flags = [...(hit.flags ?? []), 'focused']
      phone.keyboardVisible = true
    }
    hit?.onTap?.()
  }
  const deleteOne = (): void => {
    const view = focused()
    if (view) setText(view, allSelected ? '' : (view.text ?? '').slice(0, -1))
  }

  const device: Device = {
    serial: 'paper',
    screen: {
      size: () => ask('size').then(() => screen),
      png: () =>
        ask('png').then(() =>
          sharp({ create: { ...screen, channels: 4, background: '#246' } })
            .png()
            .toBuffer(),
        ),
    },
    ui: { source: () => ask('tree').then(() => dumpXml(...phone.views)) },
    windows: {
      read: () =>
        ask('windows').then(() => ({
          package: 'com.example.app',
          activity: 'com.example.app.Main',
          keyboardVisible: phone.keyboardVisible,
          keyboardPackage: 'com.android.inputmethod.latin',
          systemDialog: phone.systemDialog,
          screenOn: phone.screenOn,
        })),
    },
    input: {
      gesture: (strokes) =>
        ask(describeGesture(strokes)).then(() => {
          for (const { points } of strokes) {
            const [first, last] = [points[0], points.at(-1)]
            if (first && last && first.x === last.x && first.y === last.y) tapAt(first.x, first.y)
          }
        }),
      key: (code, meta) =>
        ask(`key ${code}${meta ? ` ${meta}` : ''}`).then(() => {
          if (code === 4) phone.keyboardVisible = false
          if (code === 29 && meta === 0x3000) allSelected = phone.selectAllWorks
          if (code === 67) deleteOne()
        }),
    },
    secureWindow: { read: () => Promise.resolve({ asleep: false, locked: false, secure: false }) },
    liveInput: null,
    text: oneMethod((text) =>
      ask('type').then(() => {
        const view = focused()
        if (view) setText(view, (view.text ?? '') + text)
      }),
    ),
    apps: {
      installed: (name) => ask(`installed ${name}`).then(() => name.startsWith('com.example.')),
      open: (name, activity) =>
        ask(`open ${name} ${activity ?? '-'}`).then(() => {
          if (name === 'com.example.broken') throw new ApiError('app_not_found')
          const opened = activity ?? `${name}.Main`
          return { activity: opened, app: { package: name, activity: opened } }
        }),
      forceStop: (name) => ask(`stop ${name}`),
      openUrl: (url) => ask(`url ${url}`),
    },
    shell: {
      admit: () => Promise.resolve(),
      run: ({ command }) =>
        ask(`shell ${command}`).then(() => ({
          stdout: '',
          stderr: '',
          exit_code: 0,
          timed_out: false,
          truncated: false,
          duration_ms: 0,
        })),
    },
    power: {
      forget: () => phone.log.push('forget power'),
      isOn: () => Promise.resolve(phone.screenOn),
      wake: () => ask('wake'),
      sleep: () => ask('sleep'),
      reboot: () => ask('reboot'),
    },
    info: null,
    logs: null,
    crashes: null,
    notifications: null,
    permissions: null,
    clipboard: null,
    location: null,
    locale: null,
    timezone: null,
    files: null,
    packages: null,
    video: null,
    motion: null,
  }
  const phone: SimulatedPhone = {
    device,
    views,
    log: [],
    before: () => undefined,
    keyboardVisible: false,
    systemDialog: false,
    screenOn: true,
    selectAllWorks: true,
  }
  return phone
}

/** Returns a phone with a single text method. */
export const oneMethod = (
  type: (text: string) => Promise<void>,
  name: TextMethod['name'] = 'keys',
): TextInput => ({ methods: [{ ...methodOf(type), name }], focused: null })

export const methodOf = (type: (text: string) => Promise<void>): TextMethod => ({
  name: 'keys',
  mode: 'insert',
  accepts: () => true,
  limitMs: () => 10_000,
  send: async (text) => {
    await type(text)
    return { sure: true, release: () => Promise.resolve() }
  },
})

/** Formats a gesture as `tap 540,300`, or `540,300>540,900` with all fingers. */
function describeGesture(strokes: readonly Stroke[]): string {
  return strokes
    .map(({ points }) => {
      const [first, last] = [points[0], points.at(-1)]
      if (!first || !last) return 'nothing'
      const start = `${first.x},${first.y}`
      return first.x === last.x && first.y === last.y ? `tap ${start}` : `${start}>${last.x},${last.y}`
    })
    .join(' ')
}
