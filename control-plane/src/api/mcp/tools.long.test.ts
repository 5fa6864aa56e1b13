/** Every tool, with a success and an error, in both kinds of protocol, against its output schema. */
import { type Client } from '@modelcontextprotocol/client'
import { type AnySchema } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeApk } from '../../testing/apk.js'
import { startApi, type TestApi } from '../../testing/api.js'
import { call, connectMcp, eras, errorIn, listen, type Called } from '../../testing/mcp-client.js'
import { eventually } from '../../testing/world.js'
import { tools } from './tools/index.js'

const absent = 'ph_aaaaaaaaaaaa'

let api: TestApi
let url: string
let id: string
let admin: string
beforeAll(async () => {
  api = await startApi({ devices: 3 })
  url = await listen(api.app)
  id = await api.readyPhone()
  admin = await api.keyOf('admin')
  api.agent.held.apps = ['com.example.app']
})
afterAll(() => api.close())

describe.each(eras)('in revision %s', (era) => {
  let client: Client
  const validators = new Map<string, (value: unknown) => boolean>()
  const covered = new Map<string, Set<'success' | 'error'>>()
  beforeAll(async () => {
    client = await connectMcp(url, admin, era)
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true })
    for (const tool of (await client.listTools()).tools)
      validators.set(tool.name, ajv.compile((tool.outputSchema ?? {}) as AnySchema))
  })
  afterAll(() => client.close())

  /** Calls a tool; its structured content must fit its schema. */
  async function checked(name: string, args: Record<string, unknown>): Promise<Called> {
    const called = await call(client, name, args)
    expect(validators.get(name)?.(called.structured), JSON.stringify(called.structured)).toBe(true)
    const seen = covered.get(name) ?? new Set()
    covered.set(name, seen.add(called.isError ? 'error' : 'success'))
    expect(called.text).not.toBe('')
    return called
  }
  /** Calls a tool, which must succeed with a text that contains each of `texts`. */
  async function succeeds(
    name: string,
    args: Record<string, unknown>,
    structured: Record<string, unknown>,
    ...texts: string[]
  ): Promise<Called> {
    const called = await checked(name, args)
    expect(called).toMatchObject({ isError: false, structured })
    for (const text of texts) expect(called.text).toContain(text)
    return called
  }
  async function fails(name: string, args: Record<string, unknown>, code: string): Promise<Called> {
    const called = await checked(name, args)
    expect(called.isError).toBe(true)
    expect(errorIn(called).code).toBe(code)
    expect(called.text).toContain(code)
    return called
  }

  it('creates a phone that is ready, and parks, starts and deletes it [40.23]', async () => {
    const idempotency_key = `key-${era}-1`
    const named = { name: 'a\u2028b "c"', idempotency_key }
    const created = await succeeds('create_phone', named, {
      object: 'phone',
      status: 'ready',
      name: 'a b "c"',
    })
    const phone_id = created.structured['id'] as string
    expect(created.text).toContain(`phone ${phone_id} is ready`)
    expect(created.text).toContain('name "a b \\"c\\""')
    expect(created.text).toContain(`observe {"phone_id":"${phone_id}"}`)
    await succeeds('create_phone', named, { id: phone_id })
    await fails('create_phone', { name: 'other', idempotency_key }, 'idempotency_conflict')
    await fails('create_phone', { idle_timeout: 1 }, 'validation_failed')

    await succeeds('list_phones', { status: 'ready' }, { next_cursor: null }, phone_id)
    await fails('list_phones', { cursor: 'x' }, 'validation_failed')
    await succeeds('get_phone', { phone_id, wait: 'ready' }, { status: 'ready' })
    await succeeds(
      'park_phone',
      { phone_id },
      { status: 'parked', session: null },
      'is parked',
      'start_phone {',
    )
    const refused = await fails('observe', { phone_id }, 'phone_not_running')
    expect(errorIn(refused).next).toBe(`start_phone {"phone_id":"${phone_id}"}`)
    await succeeds('start_phone', { phone_id }, { status: 'ready' })
    const rebooting = checked('reboot_phone', { phone_id })
    await eventually(() => api.agent.log.some((line) => line.startsWith(`reboot ${phone_id}`)))
    await api.movePhone(phone_id, { status: 'ready' })
    expect((await rebooting).structured).toMatchObject({ status: 'ready' })
    await fails('reboot_phone', { phone_id }, 'rate_limited')
    await succeeds('delete_phone', { phone_id }, { status: 'deleted' })
    await fails('start_phone', { phone_id }, 'phone_deleted')
  })

  it('answers a phone that does not exist as an error of each tool', async () => {
    const more: Record<string, object> = {
      act: { actions: [{ type: 'home' }] },
      shell: { command: 'id' },
      install_app: { package: 'com.example.app' },
      uninstall_app: { package: 'com.example.app' },
      hand_off: { message: 'Sign in.' },
      read_file: { path: '/sdcard/a' },
      write_file: { path: '/sdcard/a', text: 'a' },
      record_screen: { operation: 'start' },
      read_log: { kind: 'log' },
      set_permissions: { package: 'com.example.app', grant: ['android.permission.CAMERA'] },
    }
    for (const { name, input } of tools)
      if ('phone_id' in input.shape) await fails(name, { phone_id: absent, ...more[name] }, 'phone_not_found')
  })

  it('returns a screen as text, with elements and a picture only when asked [40.24]', async () => {
    const plain = await succeeds(
      'observe',
      { phone_id: id },
      {
        phone_id: id,
        snapshot_id: 'snp_aaaaaaaaaaaa',
        app: { package: 'x' },
        text: 'app x',
        truncated: false,
      },
      `phone ${id} snapshot_id snp_aaaaaaaaaaaa`,
      'app x',
    )
    expect(plain.structured).not.toHaveProperty('elements')
    await succeeds('observe', { phone_id: id, elements: true }, { elements: [] })
  })

  it('acts, and returns results with the new screen', async () => {
    const actions = [{ type: 'home' }, { type: 'tap', target: { x: 1, y: 2 } }]
    const acted = await succeeds(
      'act',
      { phone_id: id, actions },
      {
        phone_id: id,
        completed: 2,
        observation: { snapshot_id: 'snp_aaaaaaaaaaaa', text: 'app x' },
        results: [{ index: 0, type: 'home', ok: true }, { index: 1 }],
      },
      ...['2 of 2 actions succeeded', '1 tap ok', 'snapshot_id snp_aaaaaaaaaaaa'],
    )
    expect(acted.structured['observation']).not.toHaveProperty('elements')
  })

  it('refuses a batch that is not valid, or waits too long, before anything is sent [40.31]', async () => {
    const before = api.called('deviceControl.runActions').length
    const unknown = await fails(
      'act',
      { phone_id: id, actions: [{ type: 'tap', target: { y: 1 } }] },
      'validation_failed',
    )
    expect(errorIn(unknown)['details']).toMatchObject({ issues: [{ path: ['actions', 0, 'target', 'x'] }] })
    const waits = { actions: [{ type: 'wait_for', target: { text: 'a' }, timeout_ms: 40_001 }] }
    const long = await fails('act', { phone_id: id, ...waits }, 'validation_failed')
    expect(errorIn(long).next).toContain('Split the batch')
    await fails('act', { phone_id: id, actions: [], mistake: 1 }, 'validation_failed')
    expect(api.called('deviceControl.runActions')).toHaveLength(before)
  })

  it('runs shell commands, and returns the end of a long output', async () => {
    const ran = { stdout: 'uid=2000(shell)\n', stderr: '', exit_code: 0, timed_out: false, truncated: false }
    await succeeds('shell', { phone_id: id, command: 'id' }, ran, 'exit_code 0', 'uid=2000')
    const actions = [{ type: 'shell', command: 'id' }]
    await succeeds('act', { phone_id: id, actions }, { results: [ran] }, '0 shell ok exit_code=0', 'uid=2000')
    await fails('shell', { phone_id: id, command: 'id', timeout: 41 }, 'validation_failed')
    const { onBatch } = api.agent
    const long = { ...ran, stdout: `${'y\n'.repeat(200_000)}the end` }
    const results = Buffer.from(
      JSON.stringify([{ index: 0, type: 'shell', ok: true, ms: 1, ...long, duration_ms: 1 }]),
    )
    api.agent.onBatch = (_, send) => {
      send({ $case: 'ended', value: { observationJson: Buffer.alloc(0), resultsJson: results } })
      return Promise.resolve()
    }
    const shown = await succeeds('shell', { phone_id: id, command: 'yes' }, { truncated: true }, 'the end')
    expect(Buffer.byteLength(shown.text)).toBeLessThan(51_000)
    api.agent.onBatch = onBatch
  })

  it('lists, installs and uninstalls apps', async () => {
    await succeeds(
      'list_apps',
      { phone_id: id },
      { data: [{ package: 'com.example.app' }] },
      'com.example.app',
    )
    await succeeds('uninstall_app', { phone_id: id, package: 'com.example.app' }, { uninstalled: true })
    await fails('uninstall_app', { phone_id: id, package: '..' }, 'validation_failed')
    await fails('install_app', { phone_id: id, package: 'com.example.absent' }, 'app_not_available')
    await fails('install_app', { phone_id: id }, 'validation_failed')
    await fails('search_library', { cursor: 'x' }, 'validation_failed')
    await succeeds('search_library', {}, { next_cursor: null }, 'apps')
    api.agent.held.apps = ['com.example.app']
  })

  it('uploads an APK with the command of the first step, and installs it', async () => {
    const created = await succeeds('create_app_upload', {}, { status: 'awaiting_file' }, 'curl -s -X POST')
    const { id: upload_id, upload_url: to } = created.structured as { id: string; upload_url: string }
    expect(created.text).toContain(`'${to}'`)
    expect(created.text).toContain(`"upload_id":"${upload_id}"`)
    await fails('complete_app_upload', { upload_id, storage_id: 'sto_aaaaaaaaaaaa' }, 'validation_failed')
    await fails('complete_app_upload', { upload_id: '../x', storage_id: 'a' }, 'upload_not_found')
    await fails('create_app_upload', { mistake: 1 }, 'validation_failed')

    const payload = makeApk({ package: 'com.example.own', versionCode: eras.indexOf(era) + 1 })
    const headers = { 'content-type': 'application/vnd.android.package-archive' }
    const sent = await api.request('POST', new URL(to).pathname, { key: null, payload, headers })
    const { storageId: storage_id } = sent.json<{ storageId: string }>()
    const completed = await succeeds(
      'complete_app_upload',
      { upload_id, storage_id },
      { status: 'ready', package: 'com.example.own' },
      'install_app {"upload":',
    )
    const upload = completed.structured['id']
    await succeeds(
      'install_app',
      { phone_id: id, upload },
      { status: 'succeeded' },
      'com.example.own succeeded',
    )
    await succeeds(
      'list_apps',
      { phone_id: id },
      {
        installs: expect.arrayContaining([
          expect.objectContaining({ upload, status: 'succeeded' }),
        ]) as unknown[],
      },
    )
  })

  it('hands over immediately, and waits for the answer by the id [40.35]', async () => {
    await succeeds('live_view_url', { phone_id: id, control: false }, {}, '/live#prl_')
    const handed = await succeeds(
      'hand_off',
      { phone_id: id, message: 'Sign in.' },
      { status: 'open' },
      '/live#prl_',
    )
    const handoff_id = handed.structured['id'] as string
    expect(handed.text).toContain(`hand_off {"phone_id":"${id}","handoff_id":"${handoff_id}"}`)
    const busy = await fails('hand_off', { phone_id: id, message: 'Again.' }, 'handoff_in_progress')
    expect(errorIn(busy).next).toContain(`hand_off {"phone_id":"${id}","handoff_id":"${handoff_id}"}`)
    await fails('hand_off', { phone_id: id }, 'validation_failed')
    const waiting = checked('hand_off', { phone_id: id, handoff_id })
    await api.request('DELETE', `/v1/phones/${id}/handoffs/${handoff_id}`)
    expect((await waiting).isError).toBe(true)
  })

  it('writes, lists and reads files in parts', async () => {
    const path = '/sdcard/a.txt'
    const text = 'grüü\n[1] Button "Pay"'
    await succeeds('write_file', { phone_id: id, path, text }, { path, size: Buffer.byteLength(text) })
    await fails('write_file', { phone_id: id, path, base64: '$' }, 'validation_failed')
    await succeeds('list_files', { phone_id: id }, { path: '/sdcard' })
    const whole = await succeeds(
      'read_file',
      { phone_id: id, path },
      { encoding: 'utf-8', content: text, next_offset: null },
    )
    expect(whole.text).toContain('content "grüü\\n[1] Button \\"Pay\\""')
    // The part ends inside of the second `ü`, which is left for the next part.
    const part = await succeeds('read_file', { phone_id: id, path, max_bytes: 5 }, { encoding: 'utf-8' })
    expect(part.structured).toMatchObject({ offset: 0, content: 'grü', next_offset: 4 })
    await fails('read_file', { phone_id: id, path: '/data/x' }, 'validation_failed')
    await fails('list_files', { phone_id: id, path: '/sdcard/../..' }, 'validation_failed')
  })

  it('reads and sets the clipboard and the settings', async () => {
    await succeeds('clipboard', { phone_id: id, text: 'a\nb' }, { text: 'a\nb' })
    await succeeds('clipboard', { phone_id: id }, { text: 'a\nb' }, 'text "a\\nb"')
    const location = { lat: 52.5, lng: 13.4 }
    await succeeds('set_device', { phone_id: id, location, locale: 'de-DE' }, { location, locale: 'de-DE' })
    const half = await fails(
      'set_device',
      { phone_id: id, locale: 'en-US', timezone: 'Nowhere' },
      'validation_failed',
    )
    expect(half.structured).toMatchObject({ locale: 'en-US' })
    expect(half.text).toContain('locale en-US')
    await succeeds('set_device', { phone_id: id }, { locale: 'en-US' })
  })

  it('records the screen', async () => {
    const started = await succeeds(
      'record_screen',
      { phone_id: id, operation: 'start' },
      { status: 'recording' },
    )
    const recording_id = started.structured['id'] as string
    await succeeds('record_screen', { phone_id: id, operation: 'list' }, { data: [{ id: recording_id }] })
    await fails('record_screen', { phone_id: id, operation: 'stop' }, 'validation_failed')
    await succeeds('record_screen', { phone_id: id, operation: 'stop', recording_id }, { id: recording_id })
    await api.request('DELETE', `/v1/phones/${id}/recordings/${recording_id}`, { key: admin })
  })

  it('lists what was done', async () => {
    await call(client, 'act', { phone_id: id, actions: [{ type: 'recents' }] })
    const { structured } = await succeeds(
      'list_steps',
      { phone_id: id },
      {},
      ...[
        'status=succeeded',
        'via=mcp',
        '{"type":"recents"}',
        `GET /v1/phones/${id}/steps/export?format=html`,
      ],
    )
    const [last] = structured['data'] as { actions: object[] }[]
    expect(last?.actions).toEqual([{ type: 'recents' }])
    await fails('list_steps', { phone_id: id, cursor: 'x' }, 'validation_failed')
  })

  it('reads the log, lists and acts on notifications, and sets permissions', async () => {
    await succeeds('read_log', { phone_id: id, kind: 'log' }, {}, 'lines')
    await succeeds('read_log', { phone_id: id, kind: 'crashes' }, {}, 'crashes')
    const filter = { level: 'warn', since: '2026-11-21T12:00:00Z' }
    await succeeds('read_log', { phone_id: id, kind: 'log', ...filter }, {}, 'lines')
    await fails('read_log', { phone_id: id, kind: 'log', since: 'yesterday' }, 'validation_failed')
    await fails('read_log', { phone_id: id, kind: 'crashes', ...filter }, 'validation_failed')
    await fails('read_log', { phone_id: id, kind: 'log', cursor: 'x' }, 'validation_failed')
    const { structured } = await succeeds('notifications', { phone_id: id }, {}, 'notifications')
    const [shown] = structured['data'] as { id: string }[]
    const wanted = shown?.id ?? ''
    const both = { open: wanted, dismiss: wanted }
    await fails('notifications', { phone_id: id, ...both }, 'validation_failed')
    const opened = { opened: true, next: `observe {"phone_id":"${id}"}` }
    await succeeds('notifications', { phone_id: id, open: wanted }, opened, `opened "${wanted}"`, 'observe')
    const dismissed = { id: wanted, dismissed: true }
    await succeeds('notifications', { phone_id: id, dismiss: wanted }, dismissed, `dismissed "${wanted}"`)
    await fails('notifications', { phone_id: id, open: 'ntf_aaaaaaaaaaaa' }, 'notification_not_found')
    const change = { package: 'com.example.app', grant: ['android.permission.CAMERA'] }
    await succeeds('set_permissions', { phone_id: id, ...change }, { package: 'com.example.app' })
    await fails('set_permissions', { phone_id: id, package: 'com.example.app' }, 'validation_failed')
  })

  it('reads the account', async () => {
    await succeeds('get_account', {}, { limits: { phones: 1000 } }, 'balance_usd ')
    await fails('get_account', { mistake: 1 }, 'validation_failed')
  })

  it('has covered a success and an error of each tool', () => {
    const missing = tools.filter(({ name }) => covered.get(name)?.size !== 2)
    expect(missing.map(({ name }) => name)).toEqual([])
  })
})
