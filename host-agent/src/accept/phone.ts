/**
 * The phone of an acceptance run, driven by the same parts as a rented phone: adb server, supervisor, gate, snapshots,
 * recordings. There is no control plane, so the run itself raises the fencing number. Used by the checks.
 */
import { join } from 'node:path'
import { newId, ownNow, systemClock, type DeviceStatus, type Logger, type Progress } from '@phonerack/shared'
import type { AdbClient } from '../adb/client.js'
import { createTransport, type Transport } from '../adb/transport.js'
import { startAdbServer } from '../adb/server.js'
import { openJournal } from '../custody/journal.js'
import { openRecords } from '../custody/records.js'
import type { FoundCapability } from '../device/attempt.js'
import type { DeviceCaller } from '../recordings/recordings.js'
import type { DeviceGate } from '../devices/gate.js'
import { Registry } from '../devices/registry.js'
import { createRecordings, type Recordings } from '../recordings/recordings.js'
import { openRecordingStore } from '../recordings/store.js'
import { videoOf } from '../recordings/video-of.js'
import type { Jar } from '../scrcpy/jar.js'
import { createSnapshotStore, type SnapshotStore } from '../screen/index.js'

export interface AcceptParts {
  serial: string
  /** Holds the state of the run: records, journal, recordings and the adb server. */
  dir: string
  adbBin: string
  /** Null: this machine has none. */
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
  readonly snapshots: SnapshotStore
  readonly recordings: Recordings
  /** Found by the enrolment; empty before. */
  capabilities: readonly FoundCapability[]
  /** The latest status; null while adb has not listed the phone. */
  status(): DeviceStatus | null
  /** @throws ApiError phone_unavailable while adb has not listed the phone */
  gate(): DeviceGate
  /** The caller under the current fencing number. */
  caller(): DeviceCaller
  /** A caller with a newer fencing number, for a lifecycle call. */
  next(): DeviceCaller
  /** Commands to the phone that no part of the agent has, for evidence. Does not trigger a rescue. */
  transport(progress: Progress): Promise<Transport>
  /** Waits for a state of the link. @throws DeadlineExceeded */
  untilLink(link: DeviceStatus['link'], progress: Progress): Promise<void>
  /** Makes calls hang until the agent takes its next recovery step. */
  hang(progress: Progress): Promise<void>
  stop(): Promise<void>
}

/** `host:port`: adb reaches the phone over a network. */
export const isNetworkSerial = (serial: string): boolean =>
  /^(\[[0-9a-f:.]+\]|[^\s:]+):\d{1,5}$/i.test(serial)

const pollMs = 50
/** Bytes. */
const recordingBytes = 2_000_000_000
/** The condition is read at each probe. */
const conditionEveryMs = 1000

export async function startPhoneUnderTest(parts: AcceptParts): Promise<PhoneUnderTest> {
  const { serial, dir, log, programs } = parts
  const records = openRecords(join(dir, 'devices'))
  const journal = openJournal(join(dir, 'journal.jsonl'), () => systemClock.now())
  const adb = await startAdbServer({ bin: parts.adbBin, dataDir: dir, log })
  if (adb.trouble !== null) {
    await adb.stop()
    journal.close()
    throw new Error(`the adb server does not run: ${adb.trouble}`)
  }
  const registry = new Registry({
    client: adb.client,
    connect: isNetworkSerial(serial) ? [serial] : [],
    jar: parts.jar,
    isolated: parts.isolated,
    allowSims: parts.simAllowed ? [serial] : [],
    conditionEveryMs,
    isHostFault: () => false,
    records,
    flags: { packageCleanFreesAll: false },
    journal,
    newId: () => newId('request'),
    log,
    onChange: () => undefined,
  })
  const recordings = createRecordings({
    videoOf: (who, progress) => videoOf(registry, who, progress),
    store: openRecordingStore(join(dir, 'recordings')),
    programs,
    limits: { bytes: recordingBytes, minFree: 0 },
    log,
  })
  const phoneId = newId('phone')
  let fencingNumber = 0n
  const caller = (): DeviceCaller => ({
    ...{ serial, phoneId, tenant: 'acceptance', hasData: false, fencingNumber },
    requestId: newId('request'),
  })
  const phone: PhoneUnderTest = {
    serial,
    dir,
    client: adb.client,
    programs,
    snapshots: createSnapshotStore(systemClock),
    recordings,
    capabilities: [],
    status: () => registry.statuses().find((status) => status.serial === serial) ?? null,
    gate: () => registry.gate(serial),
    caller,
    next() {
      fencingNumber += 1n
      return caller()
    },
    async transport(progress) {
      const listed = await adb.client.devices(progress)
      const current = listed.find((device) => device.serial === serial)?.transport ?? null
      return createTransport(adb.client, { serial, current })
    },
    async untilLink(link, progress) {
      while (phone.status()?.link !== link) await progress.sleep(pollMs, `the phone to be ${link}`)
    },
    hang: (progress) => registry.supervisor(serial).hang(progress),
    async stop() {
      await recordings.close()
      await registry.stop()
      await adb.stop()
      journal.close()
    },
  }
  return phone
}

/** Runs `work` and returns its result with the milliseconds that it took. */
export async function timed<T>(work: () => Promise<T>): Promise<{ result: T; ms: number }> {
  const startedAt = ownNow()
  const result = await work()
  return { result, ms: Math.round(ownNow() - startedAt) }
}
