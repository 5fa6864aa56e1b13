/**
 * One virtual phone: its Android, its adbd, its state on disk, and its power-on
 * sequence. Used by `main.ts`, and by tests of other packages
 * through `index.ts`.
 */
import { chmodSync, mkdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type AdbKeys, isKey } from './adbd/auth.js'
import { Listening } from './adbd/listening.js'
import { AdbServer } from './adbd/server.js'
import { Android, type SavedAndroid } from './android/android.js'
import { Counters, type Counts } from './android/counters.js'
import { Witness, type Witnessed } from './android/witness.js'
import { counted } from './android/world-overlay.js'
import { type Identity, model, newIdentity } from './android/identity.js'
import { runScrcpyServer } from './scrcpy/index.js'
import type { Part } from './android/missing.js'
import { type State, stateOf } from './faults/state.js'
import { Faults } from './faults/faults.js'
import { LinkFaults } from './faults/link.js'
import {
  BOOT_MS,
  type Pace,
  paceCommands,
  RESTART_DELAY_MS,
  SCRCPY_INPUT_MS,
  SCRCPY_START_SPAN,
  UI_TREE_SPAN,
  within,
} from './pace/pace.js'
import { lateInput } from './pace/scrcpy-input.js'
import { lateStart } from './pace/scrcpy-start.js'
import { type Form, inFormOf } from './makers.js'
import { commands } from './shell/commands/index.js'
import { StateFile } from './state-file.js'
import { createWorld } from './ui/index.js'

export { type Counts } from './android/counters.js'
export { type Part } from './android/missing.js'
export { type Witnessed }
export { type Leftover } from './faults/leftovers.js'
export { type State } from './faults/state.js'
export { type Form, type Maker } from './makers.js'
export { PACES, type Pace } from './pace/pace.js'

export interface PhoneOptions {
  /** Loopback port of the phone's adbd; 0 selects a free port. */
  port: number
  /** The phone's data folder; created if it is missing. */
  dataDir: string
  pace: Pace
  /**
   * The hosts that are accepted. `false` (the default) accepts every host, `true` no host until `adbKeys.allow()`, and
   * `first` the first host, permanently. Lines of `adbkey.pub` accept the hosts with these keys.
   */
  auth?: boolean | 'first' | readonly string[]
  /** Missing parts, as on some makers' phones. Default: none. */
  without?: Iterable<Part>
  /** The maker whose forms the commands print. Default: AOSP's forms. */
  form?: Form | null
  /** `witness.jsonl` in the data folder records each wipe and each command that contains this word. */
  witnessOf?: string
  /** Receives internal errors, which are not thrown. */
  onFault?: (error: unknown, what: string) => void
}

export interface Phone {
  /** The given port, or the selected free port. */
  readonly port: number
  /** `ro.serialno`. The phone's serial in adb is `127.0.0.1:<port>`. */
  readonly serial: string
  /** The authorised keys; used with `auth`. */
  readonly adbKeys: Pick<AdbKeys, 'pending' | 'allow' | 'deny' | 'forget'>
  /** Injects faults, for tests. */
  readonly faults: Omit<Faults, 'close' | 'afterWipe' | 'wipeDoesNothing'>
  readonly without: ReadonlySet<Part>
  /** Returns the phone's state as its user sees it. */
  state(): State
  /** Calls that reached the phone since this process started it. */
  counters(): Counts
  /** Saves, disconnects all hosts, and stops the phone. */
  close(): Promise<void>
}

/** How often a phone in a boot loop checks whether it can continue. */
const stuckMs = 50

/** @throws when the port is in use, or the phone's state cannot be read */
export async function startPhone(options: PhoneOptions): Promise<Phone> {
  mkdirSync(options.dataDir, { recursive: true, mode: 0o700 })
  chmodSync(options.dataDir, 0o700)
  const onFault = options.onFault ?? throwLater
  const keys = typeof options.auth === 'object' ? options.auth : []
  if (!keys.every(isKey)) throw new Error('not a public key of adb')
  const identity = await loadIdentity(options.dataDir)
  const statePath = join(options.dataDir, 'state.json')
  const saved = StateFile.read(statePath) as SavedAndroid | null
  const running = new AbortController()
  const clock = { offsetMs: 0 }
  const boot = { stuck: false }
  const link = new LinkFaults()
  const { witnessOf } = options
  const witness =
    witnessOf === undefined ? null : new Witness(join(options.dataDir, 'witness.jsonl'), witnessOf)
  const counters = new Counters(witness)
  const world = createWorld({
    maker: model.maker,
    model: model.name,
    androidVersion: model.release,
    buildNumber: model.buildId,
    serial: identity.serialNumber,
    state: saved?.world ?? null,
    now: () => new Date(Date.now() + clock.offsetMs),
  })
  const state = new StateFile(
    statePath,
    () => android.save(),
    (error) => onFault(error, 'state'),
  )
  let restarting: Promise<void> | null = null
  const android: Android = new Android({
    identity,
    world: counted(world, counters),
    counters,
    blobFolder: join(options.dataDir, 'blobs'),
    saved,
    commands: paceCommands(options.form ? inFormOf(options.form, commands) : commands, options.pace),
    scrcpyServer: lateStart(
      lateInput(runScrcpyServer, SCRCPY_INPUT_MS[options.pace]),
      SCRCPY_START_SPAN[options.pace],
    ),
    clock,
    uiTreeMs: () => within(UI_TREE_SPAN[options.pace], Math.random),
    adbAuth: options.auth === 'first' ? 'first' : options.auth !== undefined && options.auth !== false,
    missing: new Set(options.without),
    onChange: () => state.touch(),
    onRestart: (wipe) => {
      restarting ??= restart(wipe)
        .catch((error: unknown) => onFault(error, 'restart'))
        .finally(() => (restarting = null))
    },
    onFault,
  })
  for (const line of keys) android.adbKeys.trust(line)
  const adbd = new AdbServer(android, onFault, link)
  const port = await adbd.listen(options.port)
  android.markBooted()
  const listening = new Listening(adbd, port)
  const faults = new Faults({ android, link, boot, listening })
  const stopWatching = world.onStateChange(() => state.touch())

  async function restart(wipe: boolean): Promise<void> {
    await pause(RESTART_DELAY_MS[options.pace])
    android.shutDown()
    await listening.setPower(false)
    const wiped = wipe && !faults.wipeDoesNothing
    await android.boot(wiped)
    if (wiped) {
      witness?.wiped()
      await faults.afterWipe()
    }
    await pause(BOOT_MS[options.pace])
    while (boot.stuck && !running.signal.aborted) await pause(stuckMs)
    if (running.signal.aborted) return
    android.markBooted()
    await listening.setPower(true)
  }

  function pause(ms: number): Promise<void> {
    return delay(ms, undefined, { signal: running.signal }).catch((error: unknown) => {
      if (!running.signal.aborted) throw error
    })
  }

  return {
    port,
    serial: identity.serialNumber,
    adbKeys: android.adbKeys,
    faults,
    without: android.missing,
    state: () => stateOf(android),
    counters: () => counters.counts(),
    close: async () => {
      running.abort()
      faults.close()
      stopWatching()
      await restarting
      android.shutDown()
      await adbd.close()
      state.touch()
      await state.flush()
      world.close()
    },
  }
}

async function loadIdentity(dataDir: string): Promise<Identity> {
  const path = join(dataDir, 'identity.json')
  const saved = StateFile.read(path) as Identity | null
  if (saved !== null) return saved
  const identity = newIdentity()
  await writeFile(path, JSON.stringify(identity))
  return identity
}

function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error
  })
}
