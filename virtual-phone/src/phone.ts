/**
 * One virtual phone: its Android, its adbd, its state on disk, and its way
 * from power off to on. Used by `main.ts`, and by tests of other packages
 * through `index.ts`.
 */
import { mkdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { AdbKeys } from './adbd/auth.js'
import { AdbServer } from './adbd/server.js'
import { Android, type SavedAndroid } from './android/android.js'
import { type Identity, model, newIdentity } from './android/identity.js'
import { runScrcpyServer } from './scrcpy/index.js'
import { commands } from './shell/commands/index.js'
import { StateFile } from './state-file.js'
import { createWorld } from './ui/index.js'

/** How fast things go: `instant` as fast as they can, `real` as on a phone of flesh and blood. */
export type Pace = 'instant' | 'real'

export interface PhoneOptions {
  /** Loopback port of its adbd; 0 takes a free one. */
  port: number
  /** The phone's own folder; made when it is absent. */
  dataDir: string
  pace: Pace
  /** Hosts are asked for a key, and are `unauthorized` until `adbKeys.allow()`. Default false. */
  auth?: boolean
  /** Told of what went wrong inside; nothing is thrown for it. */
  onFault?: (error: unknown, what: string) => void
}

export interface Phone {
  /** As given, or the one that was taken. */
  readonly port: number
  /** `ro.serialno`. For adb its serial is `127.0.0.1:<port>`. */
  readonly serial: string
  /** Who may connect; of use with `auth`. */
  readonly adbKeys: Pick<AdbKeys, 'pending' | 'allow' | 'deny' | 'forget'>
  /** Saves, drops all hosts, and ends the phone. */
  close(): Promise<void>
}

/** From the moment the host is dropped to adbd listening again. */
const bootMs: Record<Pace, number> = { instant: 300, real: 20_000 }
/** The answer to the host that asked for a restart still goes out. */
const restartDelayMs: Record<Pace, number> = { instant: 50, real: 1000 }

/** @throws when the port is taken, or the phone's state cannot be read */
export async function startPhone(options: PhoneOptions): Promise<Phone> {
  mkdirSync(options.dataDir, { recursive: true })
  const onFault = options.onFault ?? throwLater
  const identity = await loadIdentity(options.dataDir)
  const statePath = join(options.dataDir, 'state.json')
  const saved = StateFile.read(statePath) as SavedAndroid | null
  const running = new AbortController()
  const world = createWorld({
    maker: model.maker,
    model: model.name,
    androidVersion: model.release,
    buildNumber: model.buildId,
    serial: identity.serialNumber,
    state: saved?.world ?? null,
  })
  const state = new StateFile(
    statePath,
    () => android.save(),
    (error) => onFault(error, 'state'),
  )
  let restarting: Promise<void> | null = null
  const android: Android = new Android({
    identity,
    world,
    blobFolder: join(options.dataDir, 'blobs'),
    saved,
    commands,
    scrcpyServer: runScrcpyServer,
    adbAuth: options.auth === true,
    onChange: () => state.touch(),
    onRestart: (wipe) => {
      restarting ??= restart(wipe)
        .catch((error: unknown) => onFault(error, 'restart'))
        .finally(() => (restarting = null))
    },
    onFault,
  })
  const adbd = new AdbServer(android, onFault)
  const port = await adbd.listen(options.port)
  android.markBooted()
  const stopWatching = world.onStateChange(() => state.touch())

  async function restart(wipe: boolean): Promise<void> {
    await pause(restartDelayMs[options.pace])
    android.shutDown()
    await adbd.close()
    await android.boot(wipe)
    await pause(bootMs[options.pace])
    if (running.signal.aborted) return
    android.markBooted()
    await adbd.listen(port)
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
    close: async () => {
      running.abort()
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
