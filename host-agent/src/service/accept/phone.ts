/**
 * The phone of an acceptance run, driven by the same parts as a rented phone: adb server, supervisor, gate, snapshots,
 * recordings. There is no control plane, so the run itself raises the fencing number. Used by the checks.
 */
import { join } from 'node:path'
import { newId, ownNow, systemClock, type DeviceStatus, type Logger, type Progress } from '@phonerack/shared'
import type { AdbClient } from '../../adb/client.js'
import { createTransport, type Transport } from '../../adb/transport.js'
import { startAdbServers } from '../../adb/servers.js'
import { openJournal } from '../../custody/journal.js'
import { openRecords } from '../../custody/records.js'
import type { FoundCapability } from '../../adb/device/attempt.js'
import type { DeviceCaller } from '../../media/recordings/recordings.js'
import type { DeviceGate } from '../../devices/gate.js'
import { Registry } from '../../devices/registry.js'
import { createRecordings, type Recordings } from '../../media/recordings/recordings.js'
import { openRecordingStore } from '../../media/recordings/store.js'
import { videoOf } from '../../media/recordings/video-of.js'
import type { Jar } from '../../capture/scrcpy/jar.js'
import { createSnapshotStore, type SnapshotStore } from '../../screen/index.js'
import { Unfinished } from './unfinished.js'

interface AcceptParts {
  serial: string
  /** Holds the state of the run: records, journal, recordings and the adb servers. */
  dir: string
  adbBin: string
  /** Null when this machine has no scrcpy server. */
  jar: Jar | null
  isolated: boolean
  simAllowed: boolean
  programs: { ffmpeg: string; ffprobe: string }
  log: Logger
}

export interface PhoneUnderTest {
  readonly serial: string
  readonly client: AdbClient
  /** For files of the checks. */
  readonly dir: string
  readonly programs: AcceptParts['programs']
  readonly log: Logger
  readonly snapshots: SnapshotStore
  readonly recordings: Recordings
  /** Found by the enrolment; empty before the enrolment. */
  capabilities: readonly FoundCapability[]
  /** Returns the latest status; null while adb has not listed the phone. */
  status(): DeviceStatus | null
  /** @throws ApiError phone_unavailable while adb has not listed the phone */
  gate(): DeviceGate
  /** Returns the caller under the current fencing number. */
  caller(): DeviceCaller
  /** Returns a caller with a newer fencing number, for a lifecycle call. */
  next(): DeviceCaller
  /** Commands to the phone that no part of the agent has, for evidence. Does not trigger a rescue. */
  transport(progress: Progress): Promise<Transport>
  /** Waits for a state of the link. @throws DeadlineExceeded */
  untilLink(link: DeviceStatus['link'], progress: Progress): Promise<void>
  /** Makes calls hang until the agent takes its next recovery step. */
  hang(progress: Progress): Promise<void>
  /** Returns the tree by `uiautomator dump`, while no UI server runs. */
  treeByDump(progress: Progress): Promise<string>
  /**
   * Ends the adb servers and all work on the phone, as the end of an agent does, and starts both with the same records.
   * @returns when the start began, by `ownNow`
   */
  restartAgent(): Promise<number>
  /** `stop` waits for this work. */
  readonly unfinished: Unfinished
  stop(): Promise<void>
}

/** Whether the serial is `host:port`, so that adb reaches the phone over a network. */
export const isNetworkSerial = (serial: string): boolean =>
  /^(\[[0-9a-f:.]+\]|[^\s:]+):\d{1,5}$/i.test(serial)

const pollMs = 50
/** Bytes. */
const recordingBytes = 2_000_000_000
/** The condition is read at each probe. */
const conditionEveryMs = 1000

export async function startPhoneUnderTest(parts: AcceptParts): Promise<PhoneUnderTest> {
  const { serial, dir, log, programs } = parts
  let agent = await startAgent(parts)
  const recordings = createRecordings({
    videoOf: (who, progress) => videoOf(agent.registry, who, progress),
    store: openRecordingStore(join(dir, 'recordings')),
    programs,
    limits: { bytes: recordingBytes, minFree: 0 },
    log,
  })
  const phoneId = newId('phone')
  let fencingNumber = 0n
  const caller = (): DeviceCaller => ({
    serial,
    phoneId,
    tenant: 'acceptance',
    hasData: false,
    fencingNumber,
    requestId: newId('request'),
  })
  const unfinished = new Unfinished()
  const phone: PhoneUnderTest = {
    serial,
    dir,
    log,
    get client() {
      return agent.client
    },
    programs,
    snapshots: createSnapshotStore(systemClock),
    recordings,
    capabilities: [],
    status: () => agent.registry.statuses().find((status) => status.serial === serial) ?? null,
    gate: () => agent.registry.gate(serial),
    caller,
    next() {
      fencingNumber += 1n
      return caller()
    },
    async transport(progress) {
      const { client } = agent
      const listed = await client.devices(progress)
      const current = listed.find((device) => device.serial === serial)?.transport ?? null
      return createTransport(client, { serial, current })
    },
    async untilLink(link, progress) {
      while (phone.status()?.link !== link) await progress.sleep(pollMs, `the change of the link to ${link}`)
    },
    hang: (progress) => agent.registry.supervisor(serial).hang(progress),
    treeByDump: (progress) => agent.registry.supervisor(serial).treeByDump(progress),
    restartAgent() {
      const restart = async (): Promise<number> => {
        await agent.stop()
        const startedAt = ownNow()
        agent = await startAgent(parts)
        return startedAt
      }
      // An interrupted run must not leave the second run's adb servers behind.
      return unfinished.add(restart())
    },
    unfinished,
    async stop() {
      await unfinished.settled()
      await recordings.close()
      await agent.stop()
    },
  }
  return phone
}

interface RunningAgent {
  readonly client: AdbClient
  readonly registry: Registry
  /** Ends the phone. A repeated call does nothing. */
  stop(): Promise<void>
}

/**
 * Starts the adb servers, the phone's records and its supervisor. @throws Error when the adb server of the phone does
 * not run
 */
async function startAgent(parts: AcceptParts): Promise<RunningAgent> {
  const { serial, dir, jar, isolated, log } = parts
  const connect = isNetworkSerial(serial) ? [serial] : []
  const adb = await startAdbServers({ bin: parts.adbBin, dataDir: dir, connect, log })
  const trouble = adb.troubleOf(serial)
  if (trouble !== null) {
    await adb.stop()
    throw new Error(`the adb server does not run: ${trouble}`)
  }
  const journal = openJournal(join(dir, 'journal.jsonl'), () => systemClock.now())
  const registry = new Registry({
    servers: adb,
    connect,
    jar,
    isolated,
    withMotion: true,
    shellKinds: [],
    journal,
    conditionEveryMs,
    log,
    allowSims: parts.simAllowed ? [serial] : [],
    isHostFault: () => false,
    records: openRecords(join(dir, 'devices')),
    flags: { packageCleanFreesAll: false },
    newId: () => newId('request'),
    onObservation: () => undefined,
    onChange: () => undefined,
  })
  const stop = async () => {
    registry.stop()
    await adb.stop()
    journal.close()
  }
  let stopping: Promise<void> | null = null
  return { client: adb.clientOf(serial), registry, stop: () => (stopping ??= stop()) }
}

/** Runs `work` and returns its result with the milliseconds that it took. */
export async function timed<T>(work: () => Promise<T>): Promise<{ result: T; ms: number }> {
  const startedAt = ownNow()
  const result = await work()
  return { result, ms: Math.round(ownNow() - startedAt) }
}

/**
 * Ends before the limit of the check, so that the failure has its own reason.
 * @param ms milliseconds
 */
export const atMost = (ms: number, progress: Progress): Progress =>
  progress.within(Math.min(ms, progress.remaining - 1000))
