/**
 * Parses a heartbeat device by device and field by field. A part that cannot be read is reported
 * and left out; the rest counts. Pure.
 */
import {
  agentTrustSchema,
  deviceStatusSchema,
  dialledAddress,
  heartbeatSchema,
  hostRefusalSchema,
  isSpoken,
  explainRefusal,
  isStorable,
  makeStorable,
  protocol,
  shorten,
  type DeviceStatus,
  type Heartbeat,
  type HostRefusal,
} from '@phonerack/shared'
import { z } from 'zod'
import { channelTarget } from '../host-calls/address.js'
import { placesOf } from '../host-calls/answers/client.js'

/** Per host; further devices are ignored. */
export const maxDevices = 500
/** Characters of one text, and of a reported fault. */
const most = { text: 2000, fault: 1000 }

export interface ReadHeartbeat {
  heartbeat: Heartbeat
  /** By serial: the fields of a device that could not be read. */
  deviceFaults: Map<string, string>
  /** Other parts that could not be read. */
  fault: string | null
}

/** Why a whole heartbeat is ignored. */
export interface RefusedHeartbeat {
  refused: string
  protocolVersion: number | null
}

/** A time that Postgres can store. */
export const instant = z.iso.datetime().refine((text) => text >= '2000' && text < '9999')

/** A host that refuses in a way that cannot be read still refuses. */
const unreadRefusal: HostRefusal = {
  kind: 'own_fault',
  reason: 'The agent takes no new work. Read its log.',
}

const envelope = heartbeatSchema.omit({ devices: true }).extend({
  sequence: z.number().int().nonnegative(),
  at: instant,
  version: z.string().catch('unknown'),
  address: z.string().refine((address) => address === dialledAddress || channelTarget(address) !== null),
  load: z.number().catch(0),
  trust: agentTrustSchema.optional().catch(undefined),
  problem: z.string().nullish().catch(null),
  refuses: hostRefusalSchema.nullish().catch(unreadRefusal),
})

const serial = z
  .string()
  .max(255)
  .regex(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/)

/**
 * Replaces a field that cannot be read. Other fields become null or are left out, as their schema
 * allows.
 */
const fallbacks: Partial<DeviceStatus> = { link: 'unknown', fencing_number: 0 }

export function readHeartbeat(message: unknown, hostId: string): ReadHeartbeat | RefusedHeartbeat {
  const { devices: listed, ...given } = recordOf(message)
  const version = versionSchema.safeParse(given['protocol_version'] ?? protocol.unnamed).data ?? NaN
  const refuse = (refused: string): RefusedHeartbeat => ({
    refused: shorten(refused, most.fault),
    protocolVersion: Number.isNaN(version) ? null : version,
  })
  if (!isSpoken(version)) return refuse(explainRefusal('host agent', version))
  const { data: head, error } = envelope.safeParse(clean(given))
  if (error) return refuse(`The heartbeat cannot be read: ${placesOf(error)}`)
  // The broker lets a host publish only under its own ID: the subject proves the sender.
  if (head.host_id !== hostId) return refuse('The heartbeat contains the ID of another host.')
  if (!Array.isArray(listed)) return refuse('The heartbeat cannot be read: devices (invalid_type)')
  return readDevices(head, listed)
}

const versionSchema = z.number().int().min(0).max(999_999)

const recordOf = (value: unknown): Record<string, unknown> =>
  z.record(z.string(), z.unknown()).safeParse(value).data ?? {}

function readDevices(head: z.infer<typeof envelope>, listed: readonly unknown[]): ReadHeartbeat {
  const devices = new Map<string, DeviceStatus>()
  const deviceFaults = new Map<string, string>()
  const faults: string[] = []
  for (const [index, value] of listed.slice(0, maxDevices).entries()) {
    const device = readDevice(value)
    if (device === null) faults.push(`devices.${index} (no readable serial)`)
    else if (devices.has(device.status.serial)) faults.push(`devices.${index} (its serial is listed twice)`)
    else {
      devices.set(device.status.serial, device.status)
      if (device.fault !== null) deviceFaults.set(device.status.serial, device.fault)
    }
  }
  if (listed.length > maxDevices) faults.push(`${listed.length - maxDevices} devices above ${maxDevices}`)
  const fault = faults.length > 0 ? shorten(`Not read: ${faults.join(', ')}`, most.fault) : null
  return { heartbeat: { ...head, devices: [...devices.values()] }, deviceFaults, fault }
}

/** Returns null for a device without a usable serial. */
function readDevice(value: unknown): { status: DeviceStatus; fault: string | null } | null {
  const given = recordOf(value)
  if (!serial.safeParse(given['serial']).success) return null
  const faults: string[] = []
  const read: Record<string, unknown> = {}
  for (const [key, schema] of Object.entries<z.ZodType>({
    ...deviceStatusSchema.shape,
    proof_of_life_at: instant.nullable(),
  })) {
    if (!isClean(given[key])) faults.push(`${key} (the text is too long or cannot be stored)`)
    const { data, error } = schema.safeParse(clean(given[key]))
    if (error) faults.push(placesOf(error, key))
    const usable = error ? fallbackOf(key, schema) : data
    if (usable !== undefined) read[key] = usable
  }
  const { data: status } = deviceStatusSchema.safeParse(read)
  if (!status) return null
  return { status, fault: faults.length > 0 ? shorten(`Not read: ${faults.join(', ')}`, most.fault) : null }
}

const fallbackOf = (key: string, schema: z.ZodType): unknown =>
  (fallbacks as Record<string, unknown>)[key] ?? (schema.safeParse(null).success ? null : undefined)

/** Nesting levels that are read; a report needs no more. */
const deepest = 6

/** Makes the value's text storable in Postgres, and shortens it. */
function clean(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return shorten(makeStorable(value), most.text)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= deepest) return null
  if (Array.isArray(value)) return value.slice(0, maxDevices).map((each) => clean(each, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, clean(each, depth + 1)]))
}

function isClean(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return isStorable(value) && value.length <= most.text
  if (typeof value !== 'object' || value === null) return true
  return depth < deepest && Object.values(value).every((each) => isClean(each, depth + 1))
}
