/** Waits for the host and enrols the virtual phones through the operator API, as an operator would. */
import { setTimeout as sleep } from 'node:timers/promises'
import { OperatorError, type Device, type OperatorClient } from '../operator/client.js'

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

/**
 * Enrols those of `serials` that are not enrolled, releases quarantined ones that hold no phone once, and
 * waits until all are enrolled and reachable.
 * @param before the devices before the last start of the host, whose links are old
 * @returns those that ended quarantined, with the reason.
 * @throws Error that names those that were not ready before the deadline.
 */
export async function enrollAll(
  operator: OperatorClient,
  serials: readonly string[],
  timeoutMs: number,
  stop: AbortSignal,
  before: readonly Device[] = [],
): Promise<Device[]> {
  const end = performance.now() + timeoutMs
  const asked = new Set<string>()
  const oldProofs = new Map(before.map((device) => [device.id, device.last_proof_at]))
  const isSettled = ({ id, state, link, last_proof_at: proof }: Device): boolean => {
    // A quarantined phone may stay unreachable.
    if (state === 'quarantined') return true
    const isReachable = proof !== (oldProofs.get(id) ?? null)
    // A free phone that is busy cannot be rented yet.
    if (state === 'free') return isReachable && link === 'healthy'
    return state === 'assigned' && isReachable && (link === 'healthy' || link === 'busy')
  }
  let devices: Device[] = []
  while (performance.now() < end) {
    stop.throwIfAborted()
    const wanted = new Set(serials)
    let released = false
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
        released = true
      }
    }
    // The list may be older than the release.
    const done = !released && devices.length === wanted.size && devices.every(isSettled)
    if (done) return devices.filter((device) => device.state === 'quarantined')
    await sleep(100)
  }
  const missing = serials
    .map((serial) => ({ serial, device: devices.find((each) => each.serial === serial) }))
    .filter(({ device }) => !device || !isSettled(device))
    .map(
      ({ serial, device }) =>
        `${serial} ${device ? `is ${device.state}, its link ${device.link}${device.reason ? ` (${device.reason})` : ''}` : 'is not seen'}`,
    )
  throw new Error(`virtual phones are not ready after ${timeoutMs / 1000} s: ${missing.join(', ')}`)
}

/** False when the device is not ready for enrolment yet. */
async function accepted(request: Promise<unknown>): Promise<boolean> {
  try {
    await request
    return true
  } catch (error) {
    if (error instanceof OperatorError && error.status !== 401) return false
    throw error
  }
}
