/** `@phonerack/sdk` on a virtual phone: a task from rent to park, and each class of the SDK once. */
import {
  ActionError,
  ConnectionError,
  openApp,
  Phonerack,
  shell,
  tap,
  TargetNotFoundError,
  type,
  wait,
  WaitTimeoutError,
  type Phone,
} from '@phonerack/sdk'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { newKey, newTenant, whenFree } from './system/tenant.js'

let client: Phonerack
let phone: Phone

beforeAll(async () => {
  const system = inject('system')
  const { projectId } = await newTenant(system)
  client = new Phonerack({ baseUrl: system.up.base_url, apiKey: await newKey(system, projectId, 'admin') })
  // Other tests may hold every phone for a moment.
  await whenFree(async () => {
    phone = await client.phones.create({ name: 'SDK', metadata: { test: 'sdk' } })
  })
})
afterAll(() => phone.delete())

describe('a phone of the SDK', () => {
  it('writes a note with elements that it has read', async () => {
    const { observation } = await phone.act([openApp('com.phonerack.notes')])
    expect(observation?.app.package).toBe('com.phonerack.notes')
    const add = (await phone.waitFor({ desc: 'New note' })).find({ desc: 'New note' })
    if (!add) throw new Error('there is no button for a note')
    await phone.act([tap(add), type('Grüße aus dem SDK 👋', { into: { text: 'Title' } })])
    const screen = await phone.observe()
    expect(screen.text).toContain('Grüße aus dem SDK 👋')
    expect([...(await phone.screenshot({ format: 'png' })).subarray(1, 4)]).toEqual([...Buffer.from('PNG')])
  })

  it('fails with the code and advice of the action', async () => {
    const failed = await phone.tap({ text: 'There is no such text' }).catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(TargetNotFoundError)
    expect(failed).toMatchObject({ code: 'target_not_found', index: 0, completed: 0 })
    const waited = await phone.tap({ text: 'Nor this' }, { timeout: 500 }).catch((error: unknown) => error)
    expect(waited).toBeInstanceOf(WaitTimeoutError)
    expect(waited).toBeInstanceOf(ActionError)
    expect(waited).toMatchObject({ code: 'wait_timeout' })
  })

  it('reports an unknown outcome when a deadline passes while an action runs', async () => {
    const error = await phone.act([wait(2500)], { deadline: 1000 }).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ConnectionError)
    expect(error).toMatchObject({ code: 'timeout', isOutcomeUnknown: true })
  })

  it('has files, settings and the facts of its device', async () => {
    await phone.files.write('/sdcard/Download/sdk.txt', 'milk')
    expect(new TextDecoder().decode(await phone.files.read('/sdcard/Download/sdk.txt'))).toBe('milk')
    expect((await phone.files.list('/sdcard/Download')).map(({ name }) => name)).toContain('sdk.txt')
    await phone.files.delete('/sdcard/Download/sdk.txt')
    await phone.device.setClipboard('from the SDK')
    expect(await phone.device.clipboard()).toBe('from the SDK')
    expect((await phone.device.info()).model).not.toBe('')
  })

  it('runs shell commands, alone and in a batch [44.1, 44.3]', async () => {
    const made = await phone.shell('cat > /sdcard/Download/shell.txt; ls /sdcard/Download', { stdin: 'milk' })
    expect(made).toMatchObject({ stderr: '', exit_code: 0, timed_out: false, truncated: false })
    expect(made.stdout).toContain('shell.txt')
    const { results } = await phone.act([shell('cat /sdcard/Download/shell.txt; exit 3')], {
      observe: 'none',
    })
    expect(results).toMatchObject([{ type: 'shell', ok: true, stdout: 'milk', exit_code: 3 }])
    const { observation } = await phone.act([shell('am start -n com.android.settings/.Settings')])
    expect(observation?.app.package).toBe('com.android.settings')
  })

  it('is recorded, shown and handed over', async () => {
    const recording = await phone.record({ name: 'SDK' })
    await phone.home()
    await recording.stop()
    const video = new Uint8Array(await (await recording.video()).arrayBuffer())
    expect(new TextDecoder().decode(video.subarray(4, 8))).toBe('ftyp')
    expect((await phone.live({ control: false })).url).toContain('/live#')
    const handoff = await phone.handOff({ message: 'Please look.' })
    expect((await handoff.get()).status).toBe('open')
    expect(handoff.url).toContain('/live#')
    await handoff.cancel()
    await expect(handoff.done()).rejects.toMatchObject({ code: 'handoff_not_found' })
  })

  it('is listed, parked at the end of its block, started again and found by its ID', async () => {
    expect((await client.phones.list({ metadata: { test: 'sdk' } }).toArray()).map(({ id }) => id)).toEqual([
      phone.id,
    ])
    {
      await using same = await client.phones.get(phone.id)
      expect(same.status).toBe('ready')
    }
    expect((await phone.refresh()).status).toBe('parked')
    expect((await phone.start({ maxDuration: 600 })).status).toBe('ready')
    expect((await phone.sessions().toArray()).length).toBeGreaterThanOrEqual(2)
    expect(Number((await client.account()).balance_usd)).toBeGreaterThan(0)
  })
})
