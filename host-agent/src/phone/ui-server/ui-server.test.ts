/** The resident UI server on a virtual phone, through the real adb. */
import { createLogger, Progress, systemClock } from '@phonerack/shared'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { command } from '../../adb/quote.js'
import type { Transport } from '../../adb/transport.js'
import type { Ui } from '../../adb/device/device.js'
import { createApps } from '../shell/apps.js'
import { createScreen } from '../shell/screen.js'
import { createUi } from '../shell/ui.js'
import { installPart } from '../../adb/parts/install.js'
import { uiServer } from '../../adb/parts/parts.js'
import { parseNodes, type UiNode } from '../../screen/nodes.js'
import { createWindows } from '../shell/windows.js'
import { observe } from '../../screen/observe.js'
import { Looks } from '../../screen/looks.js'
import { createSnapshotStore } from '../../screen/snapshots.js'
import { simulatedPhone } from '../../testing/simulated-phone.js'
import { plugIn, type PluggedIn } from '../../testing/plugged-in.js'
import { ask } from './http.js'
import { createUiServerKeeper, UiServerUnavailable, type UiServerKeeper } from './keeper.js'
import { createFocused } from './focused.js'
import { createSetText } from './set-text.js'
import { createUiServerTree } from './tree.js'

const log = createLogger('test')
log.level = 'silent'
let plugged: PluggedIn
let keeper: UiServerKeeper
let ui: Ui
/** The number of trees read by `uiautomator dump`. */
let dumps = 0
/** The streams opened to ports of the phone. */
let opened = 0

const progress = () => Progress.for(60_000)
const text = async (...args: string[]) =>
  (await plugged.transport.shell(command(...args), progress())).stdout.toString('utf8')

function keep(isolated: boolean): void {
  const transport: Transport = {
    ...plugged.transport,
    connectTcp: (port, within) => {
      opened += 1
      return plugged.transport.connectTcp(port, within)
    },
  }
  keeper = createUiServerKeeper({ transport, isolated, log })
  const dump = createUi(transport, 'uiautomator-tty', () => (dumps += 1))
  ui = createUiServerTree({ server: keeper, fallback: dump, log, beforeRead: () => undefined })
}

beforeAll(async () => {
  plugged = await plugIn()
  keep(false)
  await keeper.start(progress())
})

afterEach(async () => {
  await plugged.phone.inside.faults.heal()
})

afterAll(async () => {
  keeper.stop()
  await plugged.stop()
})

describe('the UI server', () => {
  it('returns the tree without a dump', async () => {
    const source = await ui.source(progress())
    const { nodes } = parseNodes(source)
    expect(nodes.some(({ text: said }) => said === 'Settings')).toBe(true)
    expect(dumps).toBe(0)
    expect(plugged.phone.inside.state().uiServerRunning).toBe(true)
  })

  it('reads over one stream', async () => {
    await ui.source(progress())
    const before = opened
    for (let read = 0; read < 5; read += 1) await ui.source(progress())
    // The watch may have sent one request in the meantime, on a separate stream.
    expect(opened - before).toBeLessThan(2)
  })

  it('answers on a screen that never becomes idle', async () => {
    plugged.phone.inside.faults.neverIdle(true)
    expect(parseNodes(await ui.source(progress())).nodes.length).toBeGreaterThan(5)
    expect(dumps).toBe(0)
  })

  it('restarts after a crash, and the read answers', async () => {
    plugged.phone.inside.faults.crashUiServer()
    expect(parseNodes(await ui.source(progress())).nodes.length).toBeGreaterThan(5)
    expect(dumps).toBe(0)
  })

  it('retries a read when the server dies during the answer', async () => {
    const reading = keeper.use(async (session, within) => {
      plugged.phone.inside.faults.crashUiServer()
      return session.source(within)
    }, progress())
    await expect(reading).rejects.toThrow('does not respond')
    expect(parseNodes(await ui.source(progress())).nodes.length).toBeGreaterThan(5)
    expect(dumps).toBe(0)
  })

  it('answers within the deadline where the phone hangs, and continues to read', async () => {
    // Closes the idle stream between reads, so that the next read opens a stream.
    await keeper.use((session) => Promise.resolve(session.close()), progress())
    plugged.phone.inside.faults.hangEvery(1, 'tcp:6790')
    await expect(ui.source(Progress.for(1000))).rejects.toThrow('took too long')
    expect(dumps).toBe(0)
    plugged.phone.inside.faults.hangEvery(0)
    expect(parseNodes(await ui.source(progress())).nodes.length).toBeGreaterThan(5)
  })
})

describe('UI server: the focused field', () => {
  const fieldOn = (source: string): UiNode => {
    const field = parseNodes(source).nodes.find(({ className }) => className.endsWith('.EditText'))
    return field ?? expect.unreachable()
  }
  const middleOf = ({ bounds }: UiNode): number[] => {
    const [left, top, right, bottom] = bounds ?? expect.unreachable()
    return [(left + right) / 2, (top + bottom) / 2].map(Math.round)
  }
  const focused = () => createFocused(keeper)

  it('is found with its text, which can be read again, without a tree', async () => {
    await text('am', 'start', '-n', 'com.android.contacts/com.android.contacts.activities.PeopleActivity')
    const field = fieldOn(await ui.source(progress()))
    await text('input', 'tap', ...middleOf(field).map(String))
    const { treeMs } = plugged.phone.inside.counters()
    const found = await focused()(progress())
    expect(found).toMatchObject({
      className: 'android.widget.EditText',
      id: 'com.android.contacts:id/search_view',
      password: false,
      text: field.text,
    })
    await text('input', 'text', 'Ada')
    await expect(found?.again(progress())).resolves.toBe('Ada')
    expect(plugged.phone.inside.counters().treeMs).toBe(treeMs)
  })

  it('is unknown when nothing has the focus, when its element is gone, and while the server hangs, which is restarted', async () => {
    const found = await focused()(progress())
    await text('input', 'keyevent', 'HOME')
    await expect(found?.again(progress())).resolves.toBeNull()
    await expect(focused()(progress())).resolves.toBeNull()
    await keeper.use((session) => Promise.resolve(session.close()), progress())
    plugged.phone.inside.faults.hangEvery(1, 'tcp:6790')
    const impatient = createFocused({
      ...keeper,
      read: (_limitMs, work, within) => keeper.read(200, work, within),
    })
    await expect(impatient(progress())).resolves.toBeNull()
    plugged.phone.inside.faults.hangEvery(0)
    expect(parseNodes(await ui.source(progress())).nodes.length).toBeGreaterThan(5)
    expect(dumps).toBe(0)
  })
})

describe('UI server: a write', () => {
  const setText = (meanwhile: () => void) =>
    createSetText({
      ...keeper,
      use: (work, within) =>
        keeper.use(
          (session, left) =>
            work(
              {
                ...session,
                async focusedField(className, its) {
                  const found = await session.focusedField(className, its)
                  meanwhile()
                  return found
                },
              },
              left,
            ),
          within,
        ),
    })
  const field = { className: 'android.widget.EditText' }
  const sent = () =>
    Object.entries(plugged.phone.inside.counters().uiServer)
      .filter(([route]) => route.endsWith('/value'))
      .reduce((sum, [, count]) => sum + count, 0)

  it('is sent once, even when the server dies during the write [39.12]', async () => {
    const takesNothing = setText(() => undefined).send('漢', field, progress())
    await expect(takesNothing).rejects.toThrow('does not accept the text')
    const windows = createWindows(plugged.transport)
    await createApps(plugged.transport, windows).open('com.phonerack.notes', null, progress())
    const tap = async (is: (node: UiNode) => boolean) => {
      const node = parseNodes(await ui.source(progress())).nodes.find(is)
      const [left, top, right, bottom] = node?.bounds ?? [0, 0, 0, 0]
      await text('input', 'tap', String((left + right) / 2), String((top + bottom) / 2))
    }
    await tap(({ desc }) => desc === 'New note')
    await tap(({ id }) => id.endsWith(':id/body'))
    await expect.poll(async () => (await windows.read(progress())).keyboardVisible).toBe(true)

    const before = sent()
    expect((await setText(() => undefined).send('漢字', field, progress())).sure).toBe(true)
    expect(await ui.source(progress())).toContain('漢字')
    expect(sent()).toBe(before + 1)
    const crashing = setText(() => plugged.phone.inside.faults.crashUiServer())
    expect((await crashing.send('twice', field, progress())).sure).toBe(false)
    expect(await ui.source(progress())).not.toContain('twicetwice')
    expect(sent()).toBeLessThanOrEqual(before + 2)
  })
})

describe('UI server: safety', () => {
  it('does not run on a phone with a network, and a dump provides the tree', async () => {
    keeper.stop()
    keep(false)
    plugged.phone.inside.faults.joinNetwork('192.0.2.7/24')
    await expect(keeper.start(progress())).rejects.toBeInstanceOf(UiServerUnavailable)
    const before = dumps
    expect(parseNodes(await ui.source(progress())).nodes.length).toBeGreaterThan(5)
    expect(dumps).toBe(before + 1)
    expect(plugged.phone.inside.state().uiServerRunning).toBe(false)
  })

  it('reports a screen that never becomes idle, and points to the screenshot', async () => {
    // The previous test left the network, so the server may run again.
    plugged.phone.inside.faults.joinNetwork('192.0.2.7/24')
    await expect(keeper.start(progress())).rejects.toBeInstanceOf(UiServerUnavailable)
    plugged.phone.inside.faults.neverIdle(true)
    const { transport } = plugged
    const device = {
      ...simulatedPhone([]).device,
      ui,
      screen: createScreen(transport),
      windows: createWindows(transport),
    }
    const snapshots = createSnapshotStore(systemClock).of({ phoneId: 'ph_a', fencingNumber: 1n })
    await expect(observe(device, { snapshots, looks: new Looks() }, {}, progress())).rejects.toMatchObject({
      code: 'provider_error',
      details: { reason: 'screen_never_idle' },
      next: expect.stringContaining('/screenshot') as string,
    })
  })

  it('runs there when the operator declares the phones unreachable', async () => {
    keeper.stop()
    keep(true)
    plugged.phone.inside.faults.joinNetwork('192.0.2.7/24')
    await keeper.start(progress())
    const before = dumps
    expect(parseNodes(await ui.source(progress())).nodes.length).toBeGreaterThan(5)
    expect(dumps).toBe(before)
  })

  it('ends when the phone joins a network', { timeout: 20_000 }, async () => {
    keeper.stop()
    keep(false)
    await keeper.start(progress())
    plugged.phone.inside.faults.joinNetwork('192.0.2.7/24')
    await expect
      .poll(() => plugged.phone.inside.state().uiServerRunning, { timeout: 10_000, interval: 100 })
      .toBe(false)
    await expect(keeper.use((session, within) => session.source(within), progress())).rejects.toThrow(
      'wlan0 has 192.0.2.7/24',
    )
  })

  it('installs only the released files', async () => {
    const other = { ...uiServer, sha256: '0'.repeat(64) }
    await expect(installPart(plugged.transport, other, progress())).rejects.toThrow('is not io.appium')
    expect(await text('pm', 'path', uiServer.package)).toContain('package:')
  })

  it('is unreachable once it is stopped', async () => {
    keeper.stop()
    await expect
      .poll(() => plugged.phone.inside.state().uiServerRunning, { timeout: 5000, interval: 50 })
      .toBe(false)
    const status = ask(plugged.transport, { method: 'GET', path: '/status' }, progress())
    await expect(status).rejects.toThrow('does not respond')
  })
})
