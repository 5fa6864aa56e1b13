// bench: the device side at a real phone's pace, beside adb and mobile-mcp
/**
 * The device side through `/v1` with `--pace real`, beside the same by plain `adb shell` commands and by
 * `@mobilenext/mobile-mcp` on the same virtual phone, in one run. `./scripts/bench device`; ROUNDS changes the number
 * of rounds. The phone's own times are in virtual-phone/src/pace/pace.ts.
 */
import { z } from 'zod'
import type { Api } from '../system/api.js'
import { startSystem, stopSystem } from '../system/system.js'
import { newTenant, readyPhone } from '../system/tenant.js'
import { plainAdb } from './adb.js'
import { alternate, figures, print, type Contender, type Figures } from './figures.js'
import { mobileMcpVersion, startMobileMcp } from './mobile-mcp.js'

const rounds = Number(process.env['ROUNDS'] ?? 30)
const notes = 'com.phonerack.notes'
const hundred = 'The quick brown fox jumps over the lazy dog and runs '.repeat(2).slice(0, 100)
const point = { x: 540, y: 180 }

const must = async (answer: Promise<{ status: number; body: unknown }>): Promise<unknown> => {
  const { status, body } = await answer
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body
}

const batchSchema = z.object({ results: z.array(z.object({ ok: z.boolean() })) })

/** A batch of which every action must succeed. */
async function act(api: Api, path: string, actions: unknown[]): Promise<void> {
  const body = batchSchema.parse(await must(api.post(`${path}/actions`, { actions, observe: 'none' })))
  if (!body.results.every(({ ok }) => ok)) throw new Error(JSON.stringify(body))
}

async function compare(
  title: string,
  contenders: readonly Contender[],
  times = rounds,
): Promise<readonly Figures[]> {
  const rows = await alternate(contenders, times, 2)
  print(title, rows)
  return rows
}

const system = await startSystem({
  virtualPhones: 1,
  env: {
    PHONERACK_VIRTUAL_PHONE_PACE: 'real',
    PHONERACK_REQUESTS_PER_MINUTE: '100000000',
    LOG_LEVEL: 'warn',
  },
})
try {
  const tenant = await newTenant(system)
  const api = tenant.admin
  const phone = await readyPhone(api, { max_duration: 10_800, idle_timeout: 3600 })
  const path = `/v1/phones/${phone.id}`
  const devices = z.object({
    data: z.array(z.object({ serial: z.string(), phone_id: z.string().nullable() })),
  })
  const listed = devices.parse((await tenant.operator.get('/operator/v1/devices')).body)
  const serial = listed.data.find((device) => device.phone_id === phone.id)?.serial
  if (!serial) throw new Error('the phone holds no device')
  const adb = await plainAdb(serial)
  const mcp = await startMobileMcp(serial, adb.env)
  try {
    process.stdout.write(
      `Virtual phone, pace real. mobile-mcp ${mobileMcpVersion} in its adb mode. Ratio: to the first row.\n`,
    )
    await compare('Tap at a point', [
      {
        name: 'POST /actions, observe none',
        run: () => act(api, path, [{ type: 'tap', target: point }]),
      },
      { name: 'adb shell input tap', run: () => adb.run('shell', `input tap ${point.x} ${point.y}`) },
      { name: 'mobile-mcp', run: () => mcp.call('mobile_click_on_screen_at_coordinates', point) },
    ])
    await compare(
      'Twenty taps',
      [
        {
          name: 'POST /actions, one batch, observe none',
          run: () =>
            act(
              api,
              path,
              Array.from({ length: 20 }, () => ({ type: 'tap', target: point })),
            ),
        },
        {
          name: 'adb shell input tap, 20 calls',
          run: async () => {
            for (let i = 0; i < 20; i++) await adb.run('shell', `input tap ${point.x} ${point.y}`)
          },
        },
        {
          name: 'mobile-mcp, 20 calls',
          run: async () => {
            for (let i = 0; i < 20; i++) await mcp.call('mobile_click_on_screen_at_coordinates', point)
          },
        },
      ],
      Math.max(3, Math.round(rounds / 6)),
    )
    await compare('Screenshot', [
      {
        name: 'GET /screenshot, JPEG, 720 pixels wide',
        run: () => must(api.get(`${path}/screenshot?format=jpeg&max_width=720`)),
      },
      { name: 'adb exec-out screencap -p', run: () => adb.run('exec-out', 'screencap -p') },
      { name: 'mobile-mcp', run: () => mcp.call('mobile_take_screenshot') },
    ])
    // Text goes into a field: the title of a new note, emptied by us between the rounds.
    await act(api, path, [
      { type: 'open_app', package: notes },
      { type: 'tap', target: { desc: 'New note' } },
    ])
    const clear = () => act(api, path, [{ type: 'clear' }])
    const typing: Contender[] = [
      {
        name: 'POST /actions, type, read back',
        run: () => act(api, path, [{ type: 'type', text: hundred }]),
      },
      {
        name: 'adb shell input text (not read back)',
        run: () => adb.run('shell', `input text '${hundred.replaceAll(' ', '%s')}'`),
      },
      {
        name: 'mobile-mcp (not read back)',
        run: () => mcp.call('mobile_type_keys', { text: hundred, submit: false }),
      },
    ]
    const typed = typing.map(({ name }): { name: string; times: number[] } => ({ name, times: [] }))
    for (let round = 0; round < Math.max(3, Math.round(rounds / 3)); round++) {
      for (const [index, { run }] of typing.entries()) {
        await clear()
        const start = performance.now()
        await run()
        typed[index]?.times.push(performance.now() - start)
      }
    }
    print(
      'Type 100 characters',
      typed.map(({ name, times }) => figures(name, times)),
    )
    await act(api, path, [{ type: 'home' }])
    // Last: plain adb's dump takes UiAutomation, which the phone has once; the UI server comes back after it.
    const own = await alternate(
      [{ name: 'GET /observe', run: () => must(api.get(`${path}/observe`)) }],
      rounds,
      3,
    )
    const others = await alternate(
      [
        {
          name: 'adb exec-out uiautomator dump',
          run: () => adb.run('exec-out', 'uiautomator dump /dev/tty'),
        },
        { name: 'mobile-mcp', run: () => mcp.call('mobile_list_elements_on_screen') },
      ],
      Math.max(3, Math.round(rounds / 3)),
      1,
    )
    print('Read the screen (the phone takes 800 to 1000 ms, or 2050 to 2150 ms to dump)', [...own, ...others])
  } finally {
    await mcp.stop()
    await adb.stop()
  }
} finally {
  await stopSystem(system)
}
