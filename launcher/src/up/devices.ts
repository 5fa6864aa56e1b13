/** Waits for the host and enrols the virtual phones through the operator API, as an operator would. */
import { setTimeout as sleep } from 'node:timers/promises'
import { OperatorError, type Device, type OperatorClient } from '@phonerack/ctl/operator'

/** @throws Error when no host of this name is online before the deadline. */
export async function awaitHost(
  operator: OperatorClient,
  name: string,
  timeoutMs: number,
  stop: AbortSignal,
): Promise<void> {
  const end = performance.now() + timeoutMs
  let last = 'it has not joined'
  while (performance.now() < end) {
    stop.throwIfAborted()
    const host = (await operator.hosts()).find((each) => each.name === name && each.state === 'online')
    if (host) return
    const any = (await operator.hosts()).find((each) => each.name === name)
    if (any) last = any.refuses ?? `it is ${any.state}`
    await sleep(100)
  }
  throw new Error(`host ${name} is not online after ${timeoutMs / 1000} s: ${last}`)
}

/** Milliseconds to wait until an enrolled phone is reachable. A phone that lost its power never becomes reachable. */
const reachMs = 20_000

/**
 * Enrols the devices of `serials` that are not enrolled, releases quarantined devices without a phone once,
 * and waits until all are enrolled, and reachable unless this takes too long. @param before the devices
 * before the last start of the host, whose links are old @returns the devices that are quarantined at the
 * end, with the reason @throws Error that names the devices that were not ready before the deadline
 */
export async function enrollAll(
  operator: OperatorClient,
  serials: readonly string[],
  timeoutMs: number,
  stop: AbortSignal,
  before: readonly Device[] = [],
): Promise<Device[]> {
  const begun = performance.now()
  const end = begun + timeoutMs
  const asked = new Set<string>()
  const oldProofs = new Map(before.map((device) => [device.id, device.last_proof_at]))
  const isSettled = ({ id, state, link, last_proof_at: proof }: Device): boolean => {
    if (state === 'quarantined') return true
    if (!enrolled.has(state)) return false
    if (oldProofs.has(id) && performance.now() - begun > reachMs) return true
    if (proof === (oldProofs.get(id) ?? null)) return false
    // A free phone that is busy cannot be rented yet.
    return link === 'healthy' || (state === 'assigned' && link === 'busy')
  }
  let devices: Device[] = []
  let last = new Set<string>()
  const settled = new Set<string>()
  while (performance.now() < end) {
    stop.throwIfAborted()
    const wanted = new Set(serials)
    // Devices that were released after the list was read.
    const released = new Set<string>()
    devices = (await operator.devices()).filter((device) => wanted.has(device.serial))
    for (const device of devices) {
      if (asked.has(device.serial)) continue
      if (
        device.state === 'unenrolled' &&
        device.link === 'unenrolled' &&
        (await accepted(operator.enroll(device.id)))
      )
        asked.add(device.serial)
      // A release would fail the phone on the device.
      if (device.state === 'quarantined' && device.phone_id === null) {
        await accepted(operator.release(device.id))
        asked.add(device.serial)
        released.add(device.id)
      }
    }
    // A device must be reachable in two lists, because the device and the time of its host are read at different
    // moments.
    const now = new Set(
      devices.filter((device) => !released.has(device.id) && isSettled(device)).map(({ id }) => id),
    )
    for (const id of now) if (last.has(id)) settled.add(id)
    last = now
    if (devices.length === wanted.size && devices.every(({ id }) => settled.has(id)))
      return devices.filter((device) => device.state === 'quarantined')
    await sleep(100)
  }
  const missing = serials
    .map((serial) => ({ serial, device: devices.find((each) => each.serial === serial) }))
    .filter(({ device }) => !device || !settled.has(device.id))
    .map(
      ({ serial, device }) =>
        `${serial} ${device ? `is ${device.state}, its link ${device.link}${device.reason ? ` (${device.reason})` : ''}` : 'is not seen'}`,
    )
  throw new Error(`virtual phones are not ready after ${timeoutMs / 1000} s: ${missing.join(', ')}`)
}

/** States of enrolled devices. A device is `offline` when it is free and unreachable. */
const enrolled: ReadonlySet<string> = new Set(['free', 'assigned', 'offline'])

/** Sends the request. Returns false when the device is not ready for enrolment yet. */
async function accepted(request: Promise<unknown>): Promise<boolean> {
  try {
    await request
    return true
  } catch (error) {
    if (error instanceof OperatorError && error.status !== 401) return false
    throw error
  }
}
