/**
 * Parses a heartbeat device by device and field by field. An unreadable part is reported and omitted; the readable parts
 * are used. Pure.
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
import { channelTarget } from '../../links/host-calls/address.js'
import { placesOf } from '../../links/host-calls/answers/client.js'
import { isObject, isSameDevice } from './same-report.js'

/** The number of devices of one host that are read; further devices are ignored. */
export const maxDevices = 500
/** The largest number of characters of a text, and of a reported fault. */
const most = { text: 2000, fault: 1000 }

/** The reports of devices that were read completely, by serial. */
export type ReadDevices = ReadonlyMap<string, { report: Record<string, unknown>; status: DeviceStatus }>

export interface ReadHeartbeat {
  heartbeat: Heartbeat
  devices: ReadDevices
  /** The unreadable fields of each device, by serial. */
  deviceFaults: Map<string, string>
  /** Other parts of the heartbeat that could not be read. */
  fault: string | null
}

/** Why a whole heartbeat is ignored. */
export interface RefusedHeartbeat {
  refused: string
  protocolVersion: number | null
}

/** A time that Postgres can store. */
export const instant = z.iso.datetime().refine((text) => text >= '2000' && text < '9999')

/** A host whose `refuses` cannot be read still refuses work. */
const unreadRefusal: HostRefusal = { kind: 'own_fault', reason: 'The agent takes no new work. Read its log.' }

const envelope = heartbeatSchema
  .omit({ devices: true, reports: true })
  .extend({
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
 * The values that replace unreadable fields. An unreadable field without a value here becomes null or is omitted, as its
 * schema allows.
 */
const fallbacks: Partial<DeviceStatus> = { link: 'unknown', fencing_number: 0 }

/** @param earlier devices of the same agent's last heartbeat: a report that repeats itself is not parsed again */
export function readHeartbeat(
  message: unknown,
  hostId: string,
  earlier: ReadDevices = new Map(),
): ReadHeartbeat | RefusedHeartbeat {
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
  return readDevices(head, listed, earlier)
}

const versionSchema = z.number().int().min(0).max(999_999)

const recordOf = (value: unknown): Record<string, unknown> =>
  z.record(z.string(), z.unknown()).safeParse(value).data ?? {}

function readDevices(
  head: z.infer<typeof envelope>,
  listed: readonly unknown[],
  earlier: ReadDevices,
): ReadHeartbeat {
  const statuses = new Map<string, DeviceStatus>()
  const devices = new Map<string, { report: Record<string, unknown>; status: DeviceStatus }>()
  const deviceFaults = new Map<string, string>()
  const faults: string[] = []
  for (const [index, value] of listed.slice(0, maxDevices).entries()) {
    const device = repeatedDevice(value, earlier) ?? readDevice(value)
    if (device === null) faults.push(`devices.${index} (no readable serial)`)
    else if (statuses.has(device.status.serial)) faults.push(`devices.${index} (its serial is listed twice)`)
    else {
      const { report, status, fault } = device
      statuses.set(status.serial, status)
      if (fault === null) devices.set(status.serial, { report, status })
      else deviceFaults.set(status.serial, fault)
    }
  }
  if (listed.length > maxDevices) faults.push(`${listed.length - maxDevices} devices above ${maxDevices}`)
  const fault = faults.length > 0 ? shorten(`Not read: ${faults.join(', ')}`, most.fault) : null
  return { heartbeat: { ...head, devices: [...statuses.values()] }, devices, deviceFaults, fault }
}

interface ReadDevice {
  report: Record<string, unknown>
  status: DeviceStatus
  fault: string | null
}

/** Null unless the report equals the device's last report, apart from the proof of life. */
function repeatedDevice(value: unknown, earlier: ReadDevices): ReadDevice | null {
  const serial = isObject(value) ? value['serial'] : null
  const last = typeof serial === 'string' ? earlier.get(serial) : undefined
  if (!last || !isSameDevice(last.report, value)) return null
  const proof = proofSchema.safeParse(value['proof_of_life_at'])
  if (!proof.success) return null
  return { report: value, status: { ...last.status, proof_of_life_at: proof.data }, fault: null }
}

const proofSchema = instant.nullable()

/** Returns null for a device without a usable serial. */
function readDevice(value: unknown): ReadDevice | null {
  const given = recordOf(value)
  if (!serial.safeParse(given['serial']).success) return null
  const faults: string[] = []
  const read: Record<string, unknown> = {}
  for (const [key, schema] of Object.entries<z.ZodType>({
    ...deviceStatusSchema.shape,
    proof_of_life_at: proofSchema,
  })) {
    if (!isClean(given[key])) faults.push(`${key} (the text is too long or cannot be stored)`)
    const { data, error } = schema.safeParse(clean(given[key]))
    if (error) faults.push(placesOf(error, key))
    const usable = error ? fallbackOf(key, schema) : data
    if (usable !== undefined) read[key] = usable
  }
  const { data: status } = deviceStatusSchema.safeParse(read)
  if (!status) return null
  const fault = faults.length > 0 ? shorten(`Not read: ${faults.join(', ')}`, most.fault) : null
  return { report: given, status, fault }
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
