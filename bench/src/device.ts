// bench: the device side at a real phone's pace, compared with adb and mobile-mcp
/**
 * The device side through `/v1` with `--pace real`, compared with plain `adb shell` commands and
 * `@mobilenext/mobile-mcp` on the same virtual phone, in one run. `./scripts/bench device
 * [tap|batch|type|screenshot|observe …]`; ROUNDS changes the number of rounds. The phone's own times are in
 * virtual-phone/src/pace/pace.ts.
 */
import { actionBatchResultSchema } from '@phonerack/shared'
import { loadavg } from 'node:os'
import { z } from 'zod'
import type { Api } from '@phonerack/e2e/system/api.js'
import { faultsOf } from '@phonerack/e2e/system/faults.js'
import { startSystem, stopSystem, type System } from '@phonerack/e2e/system/system.js'
import { newTenant, readyPhone, type Tenant } from '@phonerack/e2e/system/tenant.js'
import { plainAdb, type PlainAdb } from '@phonerack/e2e/system/plain-adb.js'
import { alternate, figures, print, type Contender, type Figures } from './figures.js'
import { mobileMcpVersion, startMobileMcp, type MobileMcp } from './ways/mobile-mcp.js'

const rounds = Number(process.env['ROUNDS'] ?? 30)
const notes = 'com.phonerack.notes'
const hundred = 'The quick brown fox jumps over the lazy dog and runs '.repeat(2).slice(0, 100)
const point = { x: 540, y: 180 }
const tap = { type: 'tap', target: point }

interface Parts {
  api: Api
  /** The path `/v1/phones/{id}`. */
  path: string
  adb: PlainAdb
  mcp: MobileMcp
  /**
   * Plain adb and mobile-mcp use a phone whose only UiAutomation is free. On the other phone, the agent's UI
   * server holds the UiAutomation.
   */
  free: { adb: PlainAdb; mcp: MobileMcp }
  /** Milliseconds that the phone has spent on its element trees so far. */
  treeMs: () => Promise<number>
}

const must = async (answer: Promise<{ status: number; body: unknown }>): Promise<unknown> => {
  const { status, body } = await answer
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body
}

/** A batch in which every action must succeed. */
async function act({ api, path }: Parts, ...actions: object[]): Promise<void> {
  const { completed, results } = actionBatchResultSchema.parse(
    await must(api.post(`${path}/actions`, { actions, observe: 'none' })),
  )
  if (completed !== actions.length) throw new Error(JSON.stringify(results))
}

const few = (part: number): number => Math.max(3, Math.round(rounds / part))

const compare = async (
  title: string,
  contenders: readonly Contender[],
  times = rounds,
): Promise<Figures[]> => {
  const rows = await alternate(contenders, times, 2)
  print(title, rows)
  return rows
}

/** Prints one line: the goal, the result, and whether the result meets the goal. */
const goal = (what: string, measured: string, met: boolean): void => {
  process.stdout.write(`goal: ${what}: ${measured}, ${met ? 'met' : 'MISSED'}\n`)
}

/** The factor by which the first row is faster than the second row. */
const times = ([ours, adb]: readonly Figures[]): number => (adb?.p50 ?? NaN) / (ours?.p50 ?? NaN)

const sections: Record<string, (parts: Parts) => Promise<void>> = {
  async tap(parts) {
    const { adb, mcp } = parts
    const rows = await compare('Tap at a point', [
      { name: 'POST /actions, observe none', run: () => act(parts, tap) },
      { name: 'adb shell input tap', run: () => adb.run('shell', `input tap ${point.x} ${point.y}`) },
      { name: 'mobile-mcp', run: () => mcp.call('mobile_click_on_screen_at_coordinates', point) },
    ])
    goal('at least 30 times faster than adb', `${times(rows).toFixed(1)} times`, times(rows) >= 30)
  },

  async batch(parts) {
    const { adb, mcp } = parts
    const twenty = async (one: () => Promise<unknown>): Promise<void> => {
      for (let i = 0; i < 20; i++) await one()
    }
    const rows = await compare(
      'Twenty taps',
      [
        {
          name: 'POST /actions, one batch, observe none',
          run: () => act(parts, ...Array.from({ length: 20 }, () => tap)),
        },
        {
          name: 'adb shell input tap, 20 calls',
          run: () => twenty(() => adb.run('shell', `input tap ${point.x} ${point.y}`)),
        },
        {
          name: 'mobile-mcp, 20 calls',
          run: () => twenty(() => mcp.call('mobile_click_on_screen_at_coordinates', point)),
        },
      ],
      few(6),
    )
    goal('at least 30 times faster than adb', `${times(rows).toFixed(1)} times`, times(rows) >= 30)
  },

  async screenshot({ api, path, adb, mcp }) {
    await compare('Screenshot (the phone takes 300 to 700 ms)', [
      {
        name: 'GET /screenshot, JPEG, 720 pixels wide',
        run: () => must(api.get(`${path}/screenshot?format=jpeg&max_width=720`)),
      },
      { name: 'adb exec-out screencap -p (PNG, 1080 wide)', run: () => adb.run('exec-out', 'screencap -p') },
      { name: 'mobile-mcp', run: () => mcp.call('mobile_take_screenshot') },
    ])
  },

  /** Types into the title of a new note, which the bench clears between rounds. */
  async type(parts) {
    const { adb, mcp } = parts
    await act(
      parts,
      { type: 'close_app', package: notes },
      { type: 'open_app', package: notes },
      { type: 'tap', target: { desc: 'New note' } },
      { type: 'tap', target: { id: 'title' } },
    )
    const contenders: Contender[] = [
      { name: 'POST /actions, type, read back', run: () => act(parts, { type: 'type', text: hundred }) },
      {
        name: 'adb shell input text (not read back)',
        run: () => adb.run('shell', `input text '${hundred.replaceAll(' ', '%s')}'`),
      },
      {
        name: 'mobile-mcp (not read back)',
        run: () => mcp.call('mobile_type_keys', { text: hundred, submit: false }),
      },
    ]
    const taken = contenders.map(({ name }): { name: string; times: number[] } => ({ name, times: [] }))
    for (let round = 0; round < few(3); round++) {
      for (const [index, { run }] of contenders.entries()) {
        await act(parts, { type: 'clear', target: { id: 'title' } })
        const start = performance.now()
        await run()
        taken[index]?.times.push(performance.now() - start)
      }
    }
    print(
      'Type 100 characters',
      taken.map(({ name, times: each }) => figures(name, each)),
    )
    await act(parts, { type: 'home' })
  },

  async observe(parts) {
    const { api, path, free, treeMs } = parts
    // Drawings are watched for a minute after a batch.
    await act(parts, { type: 'home' })
    const whole: number[] = []
    const own: number[] = []
    const around: number[] = []
    const still: number[] = []
    for (let round = -3; round < rounds; round++) {
      const before = await treeMs()
      const start = performance.now()
      await must(api.get(`${path}/observe?fresh=true`))
      const took = performance.now() - start
      const phones = (await treeMs()) - before
      const again = performance.now()
      await must(api.get(`${path}/observe`))
      const tookAgain = performance.now() - again
      if (round < 0) continue
      whole.push(took)
      own.push(phones)
      around.push(took - phones)
      still.push(tookAgain)
    }
    const others = await alternate(
      [
        {
          name: 'adb exec-out uiautomator dump',
          run: async () => {
            const printed = await free.adb.run('exec-out', 'uiautomator dump /dev/tty')
            if (!printed.includes('</hierarchy>')) throw new Error(printed.toString())
          },
        },
        { name: 'mobile-mcp', run: () => free.mcp.call('mobile_list_elements_on_screen') },
      ],
      few(3),
      1,
    )
    const rest = figures('of it, all but the tree of the UI server', around)
    print(
      'Read the screen, within a minute after a batch (the phone takes 800 to 1000 ms, or 2050 to 2150 ms to dump)',
      [
        figures('GET /observe, the tree read again', whole),
        figures('of it, the phone making its tree', own),
        rest,
        figures('GET /observe, of a still screen', still),
        ...others,
      ],
    )
    goal("within 8 ms of the phone's own tree time", `${rest.p50.toFixed(1)} ms more`, rest.p50 <= 8)
  },
}

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !Object.hasOwn(sections, name))
if (unknown.length > 0)
  throw new Error(`there is ${Object.keys(sections).join(', ')}, and no ${unknown.join(', ')}`)

const load = (): string =>
  `load ${loadavg()
    .map((each) => each.toFixed(2))
    .join(' ')}`

/**
 * Two rented phones: a phone that the agent drives, and a phone without the UI server, so that other programs
 * can dump its screen.
 */
async function rentBoth(
  system: System,
  tenant: Tenant,
): Promise<{ id: string; serial: string; free: string }> {
  const options = { max_duration: 10_800, idle_timeout: 3600 }
  const ids = [(await readyPhone(tenant.admin, options)).id, (await readyPhone(tenant.admin, options)).id]
  const devices = z.object({
    data: z.array(z.object({ serial: z.string(), phone_id: z.string().nullable() })),
  })
  const { data } = devices.parse((await tenant.operator.get('/operator/v1/devices')).body)
  const phones = await (await faultsOf(system)).phones()
  const lacking = phones.filter(({ without }) => without.length > 0).map(({ port }) => `127.0.0.1:${port}`)
  const found = data.filter(({ phone_id: id }) => id !== null && ids.includes(id))
  const driven = found.find(({ serial }) => !lacking.includes(serial))
  const other = found.find(({ serial }) => lacking.includes(serial))
  if (!driven?.phone_id || !other) throw new Error(`the phones are not there: ${JSON.stringify(data)}`)
  return { id: driven.phone_id, serial: driven.serial, free: other.serial }
}

const system = await startSystem({
  virtualPhones: 2,
  faultPort: true,
  without: [[], ['ui-server']],
  env: {
    PHONERACK_VIRTUAL_PHONE_PACE: 'real',
    PHONERACK_REQUESTS_PER_MINUTE: '100000000',
    LOG_LEVEL: 'warn',
  },
})
const stops: (() => Promise<void>)[] = [() => stopSystem(system)]
/** Plain adb and mobile-mcp on one device, each with a separate adb server. */
async function othersOn(serial: string): Promise<{ adb: PlainAdb; mcp: MobileMcp }> {
  const adb = await plainAdb(serial)
  stops.push(() => adb.stop())
  const mcp = await startMobileMcp(serial, adb.env)
  stops.push(() => mcp.stop())
  return { adb, mcp }
}
try {
  const tenant = await newTenant(system)
  const { id, serial, free } = await rentBoth(system, tenant)
  const faults = await (await faultsOf(system)).ofPhone(id)
  const parts: Parts = {
    api: tenant.admin,
    path: `/v1/phones/${id}`,
    ...(await othersOn(serial)),
    free: await othersOn(free),
    treeMs: async () => (await faults.counters()).treeMs,
  }
  process.stdout.write(
    `Virtual phone, pace real. mobile-mcp ${mobileMcpVersion} in its adb mode. Ratio: to the first row. ${load()}\n`,
  )
  for (const [name, section] of Object.entries(sections)) {
    if (asked.length === 0 || asked.includes(name)) await section(parts)
  }
  process.stdout.write(`\n${load()}\n`)
} finally {
  for (const stop of stops.reverse()) await stop()
}
