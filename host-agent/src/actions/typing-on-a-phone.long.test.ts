/**
 * Typing on virtual phones through the real adb: with the fast methods, and without
 * scrcpy and the UI server.
 */
import { createCredentialMemory } from '../phone/lock/credential-memory.js'
import { actionBatchSchema, createLogger, Progress, systemClock, type ActionResult } from '@phonerack/shared'
import type { Part } from '@phonerack/virtual-phone'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { command } from '../adb/quote.js'
import { assembleDevice, type AssembledDevice } from '../devices/supervision/assemble.js'
import type { FoundCapability } from '../adb/device/attempt.js'
import type { TextMethod } from '../adb/device/device.js'
import { prepare, probeCapabilities } from '../devices/supervision/provision.js'
import { parseNodes } from '../screen/nodes.js'
import { Looks } from '../screen/looks.js'
import { createSnapshotStore } from '../screen/snapshots.js'
import { createScrcpyKeeper } from '../capture/scrcpy/keeper.js'
import { createCaptureHub } from '../capture/hub.js'
import { readJar } from '../capture/scrcpy/jar.js'
import { ourKeyboard } from '../phone/settings/keyboard.js'
import { nothingDesired } from '../phone/settings/desired.js'
import { jarPath } from '../testing/jar.js'
import { plugIn, type PluggedIn } from '../testing/plugged-in.js'
import { createUiServerKeeper } from '../phone/ui-server/keeper.js'
import { runBatch } from './run-batch.js'

const log = createLogger('test')
log.level = 'silent'
const notes = 'com.phonerack.notes'
const body = `${notes}:id/body`

interface Typist {
  plugged: PluggedIn
  device: AssembledDevice
  found: FoundCapability[]
  run(...actions: object[]): Promise<ActionResult[]>
  /** The whole text of the note's body, from a separate tree. */
  held(): Promise<string>
  shell(...args: string[]): Promise<string>
  stop(): Promise<void>
}

async function startTypist(without: Part[]): Promise<Typist> {
  const plugged = await plugIn(without)
  const { transport } = plugged
  const jar = await readJar(await jarPath())
  const keeper = createScrcpyKeeper(transport, jar, log)
  const uiServer = createUiServerKeeper({ transport, isolated: false, log })
  const capture = createCaptureHub({ transport, jar, log })
  const helpers = { keeper, capture, motion: null, uiServer, log }
  await prepare(transport, helpers, null, Progress.for(20_000))
  const { choice, capabilities } = await probeCapabilities(transport, helpers, 34, Progress.for(60_000))
  let remembered: string | null = null
  const device = assembleDevice({
    transport,
    choice,
    keeper,
    capture,
    motion: null,
    uiServer,
    log,
    desired: { get: () => nothingDesired, set: () => undefined },
    keyboard: { get: () => remembered, set: (keyboard) => void (remembered = keyboard) },
    logMark: () => '',
    defaultZone: () => null,
    credentials: createCredentialMemory(),
    shellUse: {
      guarded: (_, shell) => ({ ...shell, admit: () => Promise.resolve() }),
      limited: (_, power) => power,
    },
  })
  const snapshots = createSnapshotStore(systemClock).of({ phoneId: 'ph_a', fencingNumber: 1n })
  const shell = async (...args: string[]) =>
    (await transport.shell(command(...args), Progress.for(10_000))).stdout.toString('utf8').trim()
  const typist: Typist = {
    plugged,
    device,
    found: capabilities,
    shell,
    async run(...actions) {
      const batch = actionBatchSchema.parse({ actions, observe: 'none' })
      const progress = Progress.for(60_000)
      const events = { onStarted: () => undefined, onFinished: () => undefined }
      const { results } = await runBatch({
        device,
        snapshots,
        looks: new Looks(),
        ...batch,
        progress,
        clock: systemClock,
        ...events,
      })
      return results
    },
    async held() {
      const { nodes } = parseNodes(await device.ui.source(Progress.for(10_000)))
      const node = nodes.find(({ id }) => id === body)
      return node && !node.showsHint ? node.text : ''
    },
    async stop() {
      keeper.stop()
      uiServer.stop()
      await plugged.stop()
    },
  }
  await typist.run({ type: 'open_app', package: notes }, { type: 'tap', target: { desc: 'New note' } })
  return typist
}

const typed = (text: string, more: object = {}) => ({ type: 'type', text, target: { id: body }, ...more })
const ok = (results: ActionResult[]) => results.map(({ ok: done, error }) => error ?? done)

/**
 * Realistic and difficult text: modifiers, joined sequences, flags, right-to-left,
 * combining marks, lines.
 */
const hard = [
  '👩🏽‍🚀👨‍👩‍👧‍👦🏳️‍🌈🇦🇹✌🏿1️⃣',
  '漢字かな交じり文、한국어 입력',
  'שלום עולם, مرحبا بالعالم 123',
  'e\u0301 n\u0303 Å\u0323 Z\u0351\u0300a\u0332',
  'first\nsecond\n\nfourth',
  'a & b &amp; <c> "d" \'e\' %s 100%s $HOME `id` \\n &- -',
]
const units = fc.constantFrom(
  ...hard.flatMap((text) => [...new Intl.Segmenter().segment(text)].map((s) => s.segment)),
)
const texts = fc
  .array(fc.oneof(units, fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 })), {
    minLength: 1,
    maxLength: 40,
  })
  .map((parts) => parts.join(''))
  // A field separates lines by line feeds only, and XML cannot contain other control
  // characters.
  .map((text) => text.replace(/[^\n\P{Cc}]/gu, ''))
  .filter((text) => text !== '')

const phones: { name: string; without: Part[]; runs: number; unicode: TextMethod['name'] }[] = [
  { name: 'with the fast methods', without: [], runs: 3, unicode: 'set-text' },
  { name: 'without scrcpy and UI server', without: ['scrcpy', 'ui-server'], runs: 2, unicode: 'keyboard' },
]

describe.each(phones)('typing $name', ({ without, runs, unicode }) => {
  let typist: Typist
  beforeAll(async () => {
    typist = await startTypist(without)
  })
  afterAll(() => typist.stop())

  it('chooses its method by what the phone has', () => {
    const methods = typist.device.text?.methods
      .filter((method) => method.accepts('漢'))
      .map(({ name }) => name)
    expect(methods?.[0]).toBe(unicode)
    expect(methods?.at(-1)).toBe('keyboard')
  })

  it('reads one tree for a field with an ID where the UI server finds it, and more elsewhere', async () => {
    await typist.run({ type: 'clear', target: { id: body } })
    const trees = vi.spyOn(typist.device.ui, 'source')
    expect(ok(await typist.run(typed('The cow jumped over the moon.')))).toEqual([true])
    if (without.includes('ui-server')) expect(trees.mock.calls.length).toBeGreaterThan(1)
    else expect(trees).toHaveBeenCalledTimes(1)
    trees.mockRestore()
  })

  it('detects whether the phone films', () => {
    const films = !without.includes('scrcpy')
    expect(typist.found.find(({ name }) => name === 'video')).toMatchObject({
      implementation: films ? 'scrcpy' : '',
      evidence: expect.stringMatching(films ? /^avc1\..* of 576x1280, a key frame/ : /./) as string,
    })
    expect(typist.device.video !== null).toBe(films)
  })

  it('enters any text into the field exactly [31.18]', async () => {
    const texted = async (text: string) => {
      expect(ok(await typist.run({ type: 'type', text, clear: true }))).toEqual([true])
      expect(await typist.held()).toBe(text)
    }
    expect(ok(await typist.run(typed('in focus')))).toEqual([true])
    await texted(hard.join('\n'))
    const tenThousand = Array.from('0123456789 é漢👩🏽‍🚀\n'.repeat(600)).slice(0, 10_000)
    await texted(tenThousand.join(''))
    await fc.assert(fc.asyncProperty(texts, texted), { numRuns: runs })
  })

  it('appends at the cursor, and never twice', { timeout: 30_000 }, async () => {
    const actions = [
      { type: 'type', text: 'mine', clear: true },
      { type: 'type', text: ' 漢' },
      { type: 'type', text: ' 漢' },
    ]
    expect(ok(await typist.run(...actions))).toEqual([true, true, true])
    expect(await typist.held()).toBe('mine 漢 漢')
  })

  it('uses another method when its helpers die', { timeout: 30_000 }, async () => {
    const { faults } = typist.plugged.phone.inside
    faults.crashUiServer()
    faults.killScrcpy()
    expect(ok(await typist.run({ type: 'type', text: 'über', clear: true }))).toEqual([true])
    expect(await typist.held()).toBe('über')
  })

  it('restores the clipboard and the keyboard [31.20]', async () => {
    const keyboard = () => typist.shell('settings', 'get', 'secure', 'default_input_method')
    const before = await keyboard()
    const copied = [
      { type: 'key', key: 'a', modifiers: ['ctrl'] },
      { type: 'key', key: 'c', modifiers: ['ctrl'] },
    ]
    await typist.run({ type: 'type', text: 'theirs', clear: true }, ...copied)
    await expect.poll(() => typist.plugged.phone.inside.state().clipboard).toBe('theirs')
    expect(ok(await typist.run({ type: 'key', key: 'move_end' }, { type: 'type', text: '漢字' }))).toEqual([
      true,
      true,
    ])
    expect(await typist.held()).toBe('theirs漢字')
    expect(typist.plugged.phone.inside.state().clipboard).toBe('theirs')
    expect(await keyboard()).toBe(before)
  })

  it('restores the keyboard after the phone was disconnected in between', { timeout: 30_000 }, async () => {
    const { keyboardSwitch } = typist.device
    const keyboard = () => typist.shell('settings', 'get', 'secure', 'default_input_method')
    const before = await keyboard()
    await keyboardSwitch.select(Progress.for(5000))
    expect(await keyboard()).toBe(ourKeyboard)
    typist.plugged.phone.proxy.cut()
    await keyboardSwitch.restore()
    typist.plugged.phone.proxy.restore()
    await typist.plugged.reconnect()
    await keyboardSwitch.restoreLeftover(Progress.for(5000))
    expect(await keyboard()).toBe(before)
  })
})
