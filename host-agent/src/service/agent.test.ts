/** The whole agent on a virtual phone: a real adb server, real gRPC, from unlisted to wiped. */
import { ImageFormat, ObserveMode } from '@phonerack/proto'
import { createLogger, limits, Progress } from '@phonerack/shared'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AdbClient } from '../adb/client.js'
import { adbSocketPath } from '../adb/sockets.js'
import { command } from '../adb/quote.js'
import { later } from '../base/later.js'
import { readJar } from '../capture/scrcpy/jar.js'
import { createScrcpyKeeper } from '../capture/scrcpy/keeper.js'
import { CallFailed } from '../testing/client.js'
import { resultsOf, session, startPhoneAndHost, untilLink, type PhoneAndHost } from '../testing/phone.js'
import { until } from '../testing/until.js'
import { transportTo } from '../testing/transport.js'

let both: PhoneAndHost
beforeAll(async () => {
  both = await startPhoneAndHost()
})
afterAll(() => both.stop())

const control = () => both.host.control
const at = (fencingNumber: bigint, phoneId?: string) =>
  session(control(), both.phone.serial, fencingNumber, phoneId)
/** Reads the phone's screen lock through a second scrcpy server. */
async function clipboardOf({ host, phone }: PhoneAndHost): Promise<string | null> {
  const client = new AdbClient(adbSocketPath(host.config.dataDir, phone.serial))
  const transport = transportTo(client, phone.serial)
  const jar = await readJar(host.config.scrcpyServer ?? '')
  const keeper = createScrcpyKeeper(transport, jar, createLogger('test'))
  const progress = Progress.for(10_000)
  try {
    return await (await keeper.start(progress)).getClipboard(progress)
  } finally {
    keeper.stop()
  }
}
/** The agent also reads the identity file, by which it recognises a phone of another host. */
const onlyProperties = /^shell,v2,raw:((getprop [a-z._]+(; )?)+|cat \/data\/local\/tmp\/phonerack\/identity)$/

const codeOf = async (work: Promise<unknown>) => {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  return error instanceof CallFailed ? error.plain?.code : error
}

describe('a phone that was never enrolled', () => {
  it('is listed, and only its properties are read', async () => {
    await untilLink(both.host, both.phone.serial, 'unenrolled')
    const [status] = both.host.agent.registry.statuses()
    expect(status).toMatchObject({ serial: both.phone.serial, fencing_number: 0 })
    expect(status?.model).toBeTruthy()
    expect(await codeOf(at(1n).start())).toBe('phone_unavailable')
    expect(await codeOf(at(1n).park())).toBe('phone_unavailable')
    expect(await codeOf(at(1n).wipe())).toBe('phone_unavailable')
    expect(await codeOf(at(1n).observe())).toBe('phone_unavailable')
    expect(await codeOf(at(1n).run([{ type: 'home' }]))).toBe('phone_unavailable')
    const { opened } = both.phone.proxy
    expect(opened.length).toBeGreaterThan(0)
    for (const service of opened) {
      expect(service).toMatch(onlyProperties)
    }
  })
})

describe('enrolment', () => {
  it('probes, wipes, verifies, and reports the evidence', async () => {
    const answer = await control().enroll({ serial: both.phone.serial, fencingNumber: 1n }, 60_000)
    expect(answer.checks.filter(({ passed }) => !passed)).toEqual([])
    expect(answer.verified).toBe(true)
    expect(answer.checks.map(({ name }) => name).toSorted()).toEqual([
      'accessibility_services',
      'accounts',
      'ca_certificates',
      'clipboard',
      'crash_reports',
      'device_admins',
      'esim_profiles',
      'input_methods',
      'locale',
      'lock_credential',
      'log_buffers',
      'mark_gone',
      'removable_storage',
      'settings',
      'shared_storage',
      'shell_files',
      'sim_cards',
      'system_image',
      'third_party_packages',
      'timezone',
      'users',
      'vpn',
      'wifi_networks',
    ])
    const implementations = Object.fromEntries(
      answer.capabilities.map(({ name, implementation }) => [name, implementation]),
    )
    expect(implementations).toMatchObject({
      input: 'scrcpy',
      text: 'scrcpy',
      screen: 'screencap',
      ui: 'ui-server',
      wipe: 'testharness',
      clipboard: 'scrcpy',
      settings_app: 'io.appium.settings',
      location: 'settings-app',
      locale: 'settings-app',
      timezone: 'alarm',
      video: 'scrcpy',
      motion: 'scrcpy',
    })
    for (const { evidence } of answer.capabilities) expect(evidence).not.toBe('')
    await untilLink(both.host, both.phone.serial, 'healthy')
  })
})

describe('a running phone', () => {
  it('starts, is read, tapped and typed into', async () => {
    const phone = at(2n)
    expect((await phone.start()).readyAt?.getTime()).toBeGreaterThan(0)
    // Idempotent.
    await phone.start()
    const before = await phone.observe()
    expect(before.elements.length).toBeGreaterThan(0)
    expect(before.screen.width).toBeGreaterThanOrEqual(1080)
    const opened = resultsOf(await phone.run([{ type: 'open_app', package: 'com.android.settings' }]))
    expect(opened).toMatchObject([{ index: 0, ok: true }])
    expect((await phone.observe()).app.package).toBe('com.android.settings')
  })

  it('is read while its screen never becomes idle, and after its UI server crashed', async () => {
    const phone = at(2n)
    both.phone.inside.faults.neverIdle(true)
    const before = both.phone.proxy.opened.length
    expect((await phone.observe()).elements.length).toBeGreaterThan(3)
    // A dump needs an idle screen.
    expect(both.phone.proxy.opened.slice(before).filter((each) => each.includes('uiautomator dump'))).toEqual(
      [],
    )
    both.phone.inside.faults.neverIdle(false)
    both.phone.inside.faults.crashUiServer()
    // A screen on which nothing was drawn needs no server.
    expect((await phone.observe({ fresh: true })).elements.length).toBeGreaterThan(3)
    expect(both.phone.inside.state().uiServerRunning).toBe(true)
  })

  it('is tapped without starting a process or a stream', async () => {
    const phone = at(2n)
    const taps = 20
    const tap: Parameters<typeof phone.run>[0] = [{ type: 'tap', target: { x: 540, y: 20 } }]
    await phone.run([{ type: 'home' }, ...tap])
    const before = both.phone.proxy.opened.length
    const startedAt = performance.now()
    for (let count = 0; count < taps; count += 1) await phone.run(tap)
    const seconds = (performance.now() - startedAt) / 1000
    const opened = both.phone.proxy.opened.slice(before)
    expect(opened.filter((service) => /raw:input /.test(service))).toEqual([])
    // Timers also read the phone: the probe, the watches, the start of the UI server after its crash, and the
    // size of the screen, which may rotate. The number of these reads does not grow with the taps.
    const often = ['tcp:6790', 'ip -o addr', 'echo phonerack-']
    const counts = new Map<string, number>()
    for (const service of opened.filter((each) => !often.some((look) => each.includes(look))))
      counts.set(service, (counts.get(service) ?? 0) + 1)
    const most = Math.min(Math.floor(seconds) + 1, taps - 1)
    expect([...counts].filter(([, count]) => count > most)).toEqual([])
  })

  it('types any Unicode into the field tapped by its number', async () => {
    const phone = at(2n)
    expect(resultsOf(await phone.run([{ type: 'open_app', package: 'com.phonerack.notes' }]))).toMatchObject([
      { ok: true },
    ])
    const list = await phone.observe()
    const search = list.elements.find(({ state }) => state.includes('editable'))
    const add = list.elements.find(
      ({ state, desc }) => state.includes('clickable') && /new|add/i.test(desc ?? ''),
    )
    const target = search ?? add
    if (!target) throw new Error(list.text)
    await phone.run([{ type: 'tap', target: { ref: target.ref, snapshot_id: list.snapshot_id } }])
    const field = (await phone.observe()).elements.find(({ state }) => state.includes('editable'))
    if (!field) throw new Error((await phone.observe()).text)
    const text = `Grüße, 漢字 😀 'q"`
    const results = resultsOf(
      await phone.run([
        { type: 'type', text, clear: true, target: { x: field.center[0], y: field.center[1] } },
      ]),
    )
    expect(results).toMatchObject([{ ok: true }])
    const typed = (await phone.observe()).elements.map((element) => element.text)
    expect(typed).toContain(text)
    // The clipboard that typing used does not contain the text afterwards.
    expect((await clipboardOf(both)) ?? '').toBe('')
  })

  it('returns a picture of its screen in the requested size', async () => {
    const { assignment } = at(2n)
    const shot = await control().screenshot({
      assignment,
      screenshot: { format: ImageFormat.IMAGE_FORMAT_JPEG, maxWidth: 360, quality: 80, annotate: false },
    })
    const { width, format } = await sharp(shot.image).metadata()
    expect({ width, format }).toEqual({ width: 360, format: 'jpeg' })
    expect(shot.scale).toBeCloseTo(360 / shot.screenWidth)
  })

  it('streams the results of a batch while it runs', async () => {
    const messages = await at(2n).run(
      [{ type: 'home' }, { type: 'wait', ms: 20 }],
      ObserveMode.OBSERVE_MODE_UI,
    )
    expect(messages.map(({ event }) => event?.$case)).toEqual([
      'started',
      'finished',
      'started',
      'finished',
      'ended',
    ])
    const last = messages.at(-1)?.event
    expect(last?.$case === 'ended' && last.value.observationJson.length).toBeGreaterThan(100)
  })

  it('stops a batch whose caller has disconnected, and accepts the next', async () => {
    const phone = at(2n)
    await expect(
      phone.run([{ type: 'wait', ms: 60_000 }], undefined, (message, cancel) => {
        if (message.event?.$case === 'started') cancel()
      }),
    ).rejects.toThrow()
    const startedAt = performance.now()
    expect(resultsOf(await phone.run([{ type: 'home' }]))).toMatchObject([{ ok: true }])
    expect(performance.now() - startedAt).toBeLessThan(50_000)
  })

  it('lets the started action of such a batch end, and starts no other, if the caller requests that', async () => {
    const phone = at(2n)
    const actions = [{ type: 'open_app', package: 'com.android.settings' }, { type: 'home' }] as const
    await expect(
      phone.run(
        actions,
        undefined,
        (message, cancel) => {
          if (message.event?.$case === 'started') cancel()
        },
        { stopBetweenActions: true },
      ),
    ).rejects.toThrow()
    // The next batch waits until the first batch has ended.
    await phone.run([{ type: 'wait_idle' }])
    expect((await phone.observe()).app.package).toBe('com.android.settings')
    await phone.run([{ type: 'home' }])
  })

  it('runs batches one after the other', async () => {
    const phone = at(2n)
    const spans = await Promise.all(
      [1, 2, 3].map(async () => {
        let from = 0
        let to = 0
        await phone.run([{ type: 'wait', ms: 150 }], undefined, ({ event }) => {
          if (event?.$case === 'started') from = performance.now()
          if (event?.$case === 'finished') to = performance.now()
        })
        return { from, to }
      }),
    )
    spans.sort((a, b) => a.from - b.from)
    spans
      .slice(1)
      .forEach((span, index) => expect(span.from).toBeGreaterThanOrEqual((spans[index]?.to ?? 0) - 5))
  })

  it('refuses reads above the limit of a phone, and accepts reads again when others have ended', async () => {
    const gate = both.host.agent.registry.gate(both.phone.serial)
    const { assignment } = at(2n)
    const { promise: end, resolve: release } = later<undefined>()
    const read = () => gate.read(assignment, Progress.for(60_000), () => end)
    const held = Array.from({ length: limits.readsRunning }, read)
    const refusal = { code: 'rate_limited', details: { limit: limits.readsRunning } }
    await expect(read()).rejects.toMatchObject(refusal)
    release(undefined)
    await Promise.all(held)
    await read()
  })

  it('refuses every number except the newest', async () => {
    for (const number of [1n, 3n]) {
      expect(await codeOf(at(number).observe())).toBe('phone_unavailable')
      expect(await codeOf(at(number).run([{ type: 'home' }]))).toBe('phone_unavailable')
    }
    expect(await codeOf(at(1n).start())).toBe('phone_unavailable')
  })

  it('reports its condition', async () => {
    await until(() => both.host.agent.registry.statuses()[0]?.condition !== undefined)
    expect(both.host.agent.registry.statuses()[0]?.condition).toMatchObject({
      battery_percent: 100,
      lock_credential: false,
      warnings: [],
    })
  })

  it('recovers after its connection was cut', async () => {
    both.phone.proxy.cut()
    await until(() => both.host.agent.registry.statuses()[0]?.link !== 'healthy')
    both.phone.proxy.restore()
    await untilLink(both.host, both.phone.serial, 'healthy')
    expect(resultsOf(await at(2n).run([{ type: 'home' }]))).toMatchObject([{ ok: true }])
  })
})

describe('parking', () => {
  it('aborts running work immediately, and lets the screen sleep', async () => {
    const batch = at(2n).run([{ type: 'wait', ms: 60_000 }, { type: 'home' }])
    const behind = codeOf(at(2n).run([{ type: 'home' }]))
    await new Promise((resolve) => setTimeout(resolve, 100))
    const startedAt = performance.now()
    await at(3n).park()
    expect(performance.now() - startedAt).toBeLessThan(50_000)
    const results = resultsOf(await batch)
    expect(results).toMatchObject([{ ok: false, error: { code: 'action_outcome_unknown' } }])
    // No action of the batch ran.
    expect(await behind).toBe('phone_unavailable')
    // Idempotent; and the older number is no longer valid.
    await at(3n).park()
    expect(await codeOf(at(2n).observe())).toBe('phone_unavailable')
  })
})

describe('a wipe', () => {
  it('removes the data of a tenant, and verifies the removal', async () => {
    const { registry } = both.host.agent
    await at(4n).start()
    // Traces of a tenant, written without the agent.
    const { serial } = both.phone
    const transport = transportTo(new AdbClient(adbSocketPath(both.host.config.dataDir, serial)), serial)
    const progress = Progress.for(10_000)
    for (const left of [
      command('touch', '/sdcard/Download/mine.txt'),
      command('touch', '/data/local/tmp/tool'),
    ]) {
      expect(await transport.shell(left, progress)).toMatchObject({ exitCode: 0 })
    }
    expect(registry.statuses()[0]?.fencing_number).toBe(4)
    const answer = await at(5n).wipe()
    expect(answer.checks.filter(({ passed }) => !passed)).toEqual([])
    expect(answer.verified).toBe(true)
    await untilLink(both.host, both.phone.serial, 'healthy')
    // A repeated call returns the same result without another wipe.
    const mark = '/sdcard/Download/mark'
    await transport.shell(command('touch', mark), Progress.for(5000))
    expect((await at(5n).wipe()).verified).toBe(true)
    expect(await transport.shell(command('ls', mark), Progress.for(5000))).toMatchObject({ exitCode: 0 })
  })
})

describe('another phone at the address of an enrolled phone', () => {
  it('is not enrolled: the agent only reads it, and refuses even a wipe', async () => {
    const before = await both.phone.swap()
    // Called immediately, when the agent may not have noticed yet.
    expect(await codeOf(at(6n).wipe())).toBe('phone_unavailable')
    await untilLink(both.host, both.phone.serial, 'unenrolled')
    expect(await codeOf(at(7n).wipe())).toBe('phone_unavailable')
    expect(await codeOf(at(7n).start())).toBe('phone_unavailable')
    const opened = both.phone.proxy.opened.slice(before)
    expect(opened.length).toBeGreaterThan(0)
    for (const service of opened) expect(service).toMatch(onlyProperties)
  })
})

describe('its metrics', () => {
  it('count its work and contain no serials and IDs', async () => {
    const { metricsPort } = both.host.agent
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
    const figures = new Map(
      text.split('\n').map((line) => [line.replace(/ \S+$/, ''), Number(/\S+$/.exec(line)?.[0])]),
    )
    for (const series of [
      ...['StartPhone', 'Observe', 'RunActions', 'WipeDevice'].map(
        (call) => `phonerack_agent_call_duration_seconds_count{call="${call}",outcome="ok"}`,
      ),
      'phonerack_agent_call_duration_seconds_count{call="StartPhone",outcome="phone_unavailable"}',
      ...['input', 'tree', 'screenshot', 'encode'].map(
        (part) => `phonerack_agent_part_duration_seconds_count{part="${part}"}`,
      ),
      'phonerack_agent_wipe_duration_seconds_count{outcome="verified"}',
      'phonerack_agent_adb_calls_total{kind="shell",outcome="ok"}',
      'phonerack_agent_adb_server_starts_total',
      // The test has no broker.
      'phonerack_agent_heartbeats_total{result="failed"}',
      'phonerack_agent_disk_free_bytes{folder="recordings"}',
      'phonerack_agent_certificate_days',
      'phonerack_process_resident_memory_bytes',
    ])
      expect(figures.get(series), series).toBeGreaterThan(0)
    const devices = [...figures].filter(([series]) => series.startsWith('phonerack_agent_devices{'))
    expect(devices.reduce((sum, [, count]) => sum + count, 0)).toBe(
      both.host.agent.registry.statuses().length,
    )
    expect(text).not.toContain(both.phone.serial)
    expect(text).not.toMatch(/ph_|prj_|127\.0\.0\.1/)
    expect([...text.matchAll(/^# TYPE (?!phonerack_)/gm)]).toEqual([])
  })
})
