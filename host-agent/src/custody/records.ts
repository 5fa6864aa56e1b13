/**
 * What the agent must remember of each device over a restart and a power cut: whether
 * it was enrolled, whose data it holds, what its probe found. One file a serial.
 */
import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { deviceEventSchema } from '@phonerack/shared'
import { z } from 'zod'
import { choiceSchema } from '../device/choice.js'
import { nothingDesired } from '../settings/desired.js'
import { readJson, writeJsonSynced } from '../base/atomic-file.js'
import { custodySchema } from './custody.js'

const checkSchema = z.object({ name: z.string(), passed: z.boolean(), evidence: z.string() })

export const recordSchema = z.object({
  serial: z.string(),
  /** An operator has given this phone to us; from then on it may be written to. */
  enrolled: z.boolean(),
  /** `ro.serialno` of the phone that was enrolled: another phone under the same serial is not enrolled. */
  hardwareSerial: z.string().nullable(),
  /** Files in our folder on the phone, one of which shows that it is the phone of this record (`supervision/same-phone.ts`). */
  marks: z.array(z.string()).default([]),
  /** A phone without a mark counts as that of this record: before its first mark, and while a wipe removes it. */
  mayLackMark: z.boolean().default(true),
  /** Whose data it holds, and who may have it next. */
  ...custodySchema.shape,
  /** Chosen by the enrolment's probe. */
  choice: choiceSchema.nullable(),
  baseline: z
    .object({
      locale: z.string(),
      timezone: z.string(),
      files: z.array(z.string()),
      traces: z.record(z.string(), z.array(z.string())),
    })
    .nullable(),
  /** The answer of the newest wipe, for a repeat of it, while nothing was written to the phone since. */
  wiped: z.object({ fencingNumber: z.string(), checks: z.array(checkSchema) }).nullable(),
  /** What was set under the current assignment and must outlive a restart of the phone. */
  desired: z
    .object({
      location: z.object({ latitude: z.number(), longitude: z.number() }).nullable(),
      timezone: z.string().nullable(),
    })
    .default(nothingDesired),
  /** The user's keyboard while that of io.appium.settings stands in for it (`settings/keyboard.ts`). */
  keyboard: z.string().nullable().default(null),
  /** What was done for it when it hung, oldest first (`supervision/rescue.ts`). */
  events: z.array(deviceEventSchema).default([]),
  /** A write that had begun when the agent died, so that nobody knows how far it came. */
  unknownOutcome: z.object({ operation: z.string(), at: z.string() }).nullable(),
})
export type DeviceRecord = z.infer<typeof recordSchema>

const unknownDevice = (serial: string, revision: number): DeviceRecord => ({
  serial,
  enrolled: false,
  hardwareSerial: null,
  marks: [],
  mayLackMark: true,
  ...custodySchema.parse({ fencingNumber: '0', revision }),
  choice: null,
  baseline: null,
  wiped: null,
  desired: nothingDesired,
  keyboard: null,
  events: [],
  unknownOutcome: null,
})

export interface Records {
  get(serial: string): DeviceRecord
  /** Changes fields; synced to the disk when it returns. */
  update(serial: string, change: Partial<Omit<DeviceRecord, 'serial'>>): DeviceRecord
  /** Serials with a record, for those that are not plugged in. */
  serials(): string[]
}

/** @throws when a record on disk cannot be read: its fencing number must not be forgotten silently */
export function openRecords(dir: string, now = Date.now()): Records {
  const known = new Map<string, DeviceRecord>()
  const fileOf = (serial: string) =>
    join(dir, `${createHash('sha256').update(serial).digest('hex').slice(0, 32)}.json`)
  for (const name of listJson(dir)) {
    const record = recordSchema.parse(readJson(join(dir, name)))
    known.set(record.serial, record)
  }
  return {
    // Of a record that is lost, the control plane knows the revision: the loss is newer.
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
