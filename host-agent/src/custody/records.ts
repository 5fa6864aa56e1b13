/**
 * The agent's state of each device that must survive a restart or a power failure:
 * enrolment, custody, probe results. One file per serial.
 */
import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { deviceEventSchema, shorten, type DeviceEvent } from '@phonerack/shared'
import { z } from 'zod'
import { choiceSchema } from '../adb/device/choice.js'
import { nothingDesired } from '../phone/settings/desired.js'
import { readJson, writeJsonSynced } from '../base/atomic-file.js'
import { custodySchema } from './custody.js'

const checkSchema = z.object({ name: z.string(), passed: z.boolean(), evidence: z.string() })

/**
 * The largest number of characters of an event's reason, which can quote a phone and is in every heartbeat.
 */
const longestReason = 500

export const shortenReasons = (events: readonly DeviceEvent[]): DeviceEvent[] =>
  events.map((event) => ({ ...event, reason: shorten(event.reason, longestReason) }))

const shellSchema = z.object({
  /** The phone's boot at the last shell command or restart. */
  bootId: z.string(),
  /** The boot in which the API ordered the last restart; null when the API ordered no restart in this boot. */
  orderedOn: z.string().nullable(),
  /** When the agent noticed the last restart that the API did not order. */
  restartedAt: z.iso.datetime().nullable(),
  /** Commands may have left processes on the phone. */
  mayHaveLeft: z.boolean(),
})
export type ShellRecord = z.infer<typeof shellSchema>

export const recordSchema = z.object({
  serial: z.string(),
  /** The operator enrolled this phone; from then on the agent may write to it. */
  enrolled: z.boolean(),
  /** `ro.serialno` of the enrolled phone: another phone under the same serial is not enrolled. */
  hardwareSerial: z.string().nullable(),
  /**
   * Files in the agent's folder on the phone. One file marks the phone as the phone of this record
   * (`supervision/same-phone.ts`).
   */
  marks: z.array(z.string()).default([]),
  /** Whether a phone without a mark matches this record: before its first mark, and while a wipe removes the mark. */
  mayLackMark: z.boolean().default(true),
  /**
   * The public key of the identity written last, and the fencing number of the wipe or adoption that wrote it.
   * `replaced`: the key that the phone had to have for the adoption; empty when a wipe wrote the identity, or an
   * operator vouched for the phone.
   */
  identity: z
    .object({ key: z.string(), fencingNumber: z.string(), replaced: z.string().default('') })
    .nullable()
    .default(null),
  /** The tenant whose data the device has, and the phone that may use the device next. */
  ...custodySchema.shape,
  /** Selected by the enrolment's probe. */
  choice: choiceSchema.nullable(),
  baseline: z
    .object({
      locale: z.string(),
      timezone: z.string(),
      files: z.array(z.string()),
      traces: z.record(z.string(), z.array(z.string())),
    })
    .nullable(),
  /**
   * The result of the newest wipe, to answer a repeat while nothing has been written to
   * the phone since.
   */
  wiped: z.object({ fencingNumber: z.string(), checks: z.array(checkSchema) }).nullable(),
  /** Settings made under the current assignment that must survive a restart of the phone. */
  desired: z
    .object({
      location: z.object({ latitude: z.number(), longitude: z.number() }).nullable(),
      timezone: z.string().nullable(),
    })
    .default(nothingDesired),
  /** The user's keyboard while the io.appium.settings keyboard replaces it (`settings/keyboard.ts`). */
  keyboard: z.string().nullable().default(null),
  /** The line of the phone's log after which its own lines begin (`logs/mark.ts`). */
  logMark: z.string().nullable().default(''),
  /**
   * The use of the phone's shell since the last wipe (`supervision/shell-use.ts`). Null when the shell was not used.
   */
  shell: shellSchema.nullable().default(null),
  /** Rescue steps taken when the phone hung, oldest first (`supervision/rescue.ts`). */
  events: z.array(deviceEventSchema).default([]).transform(shortenReasons),
  /** A write that was running when the agent died; its outcome is unknown. */
  unknownOutcome: z.object({ operation: z.string(), at: z.string() }).nullable(),
})
export type DeviceRecord = z.infer<typeof recordSchema>

const unknownDevice = (serial: string, revision: number): DeviceRecord => ({
  serial,
  enrolled: false,
  hardwareSerial: null,
  marks: [],
  mayLackMark: true,
  identity: null,
  ...custodySchema.parse({ fencingNumber: '0', revision }),
  choice: null,
  baseline: null,
  wiped: null,
  desired: nothingDesired,
  keyboard: null,
  logMark: '',
  shell: null,
  events: [],
  unknownOutcome: null,
})

export interface Records {
  get(serial: string): DeviceRecord
  /** Changes fields. The changes are synced to disk when the call returns. */
  update(serial: string, change: Partial<Omit<DeviceRecord, 'serial'>>): DeviceRecord
  /** Returns the serials with a record, including serials of disconnected phones. */
  serials(): string[]
}

/** @throws when a record on disk cannot be read, since its fencing number must not be lost silently */
export function openRecords(dir: string, now = Date.now()): Records {
  const known = new Map<string, DeviceRecord>()
  const fileOf = (serial: string) =>
    join(dir, `${createHash('sha256').update(serial).digest('hex').slice(0, 32)}.json`)
  for (const name of listJson(dir)) {
    const record = recordSchema.parse(readJson(join(dir, name)))
    known.set(record.serial, record)
  }
  return {
    // The control plane may know the revision of a lost record, so the new record needs a higher revision.
    get: (serial) => known.get(serial) ?? unknownDevice(serial, now),
    update(serial, change) {
      const next = { ...(known.get(serial) ?? unknownDevice(serial, now)), ...change }
      writeJsonSynced(fileOf(serial), next)
      known.set(serial, next)
      return next
    },
    serials: () => [...known.keys()],
  }
}

function listJson(dir: string): string[] {
  try {
    return readdirSync(dir).filter((name) => name.endsWith('.json'))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}
