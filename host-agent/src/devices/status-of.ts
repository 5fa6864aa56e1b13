/** Builds the heartbeat's status of one device. */
import { shorten, type DeviceLink, type DeviceStatus } from '@phonerack/shared'
import type { DeviceState } from './supervision/state-machine.js'
import type { DeviceSupervisor } from './supervision/supervisor.js'
import type { Fencing } from '../custody/fencing.js'

/**
 * The largest number of characters of a reason. A heartbeat has a size limit, and a reason can quote a phone.
 */
const longestReason = 1000

/** A quarantined device counts as not responding; the reason is reported separately. */
const linkOf = (state: DeviceState): DeviceLink => (state.name === 'quarantined' ? 'offline' : state.name)

function reasonOf(state: DeviceState, adbTrouble: string | null): string | null {
  switch (state.name) {
    case 'absent':
      return adbTrouble === null
        ? 'adb does not list the device'
        : `the adb server of the device does not run: ${adbTrouble}`
    case 'offline':
      return state.reason
    case 'quarantined':
      return `not used after repeated failures: ${state.reason}`
    case 'unauthorized':
      return "the phone has not accepted this host's ADB key: unlock the phone and accept the key. If the phone does not ask, give adb the right to use the USB device"
    case 'busy':
      return state.work
    case 'unenrolled':
      return state.reason ?? null
    case 'booting':
    case 'healthy':
      return null
  }
}

/** @param adbTrouble why the adb server of the device does not run; null when it runs, or the device needs none */
export function statusOf(
  serial: string,
  supervisor: DeviceSupervisor,
  { custody, cleanFor }: Pick<Fencing, 'custody' | 'cleanFor'>,
  adbTrouble: string | null,
): DeviceStatus {
  const { current, known, proofOfLifeAt, record } = supervisor
  const unknown = record.unknownOutcome
  const reason = reasonOf(current, adbTrouble)
  return {
    serial,
    link: linkOf(current),
    fencing_number: Number(custody.fencingNumber),
    custody: {
      revision: custody.revision,
      assignment: custody.assignment && {
        phone_id: custody.assignment.phoneId,
        fencing_number: Number(custody.assignment.fencingNumber),
      },
      dirty: custody.dirty,
      clean_for: cleanFor,
    },
    maker: known?.maker ?? null,
    model: known?.model ?? null,
    sdk: known?.sdk ?? null,
    reason:
      (reason === null ? null : shorten(reason, longestReason)) ??
      (unknown ? `outcome unknown of ${unknown.operation} at ${unknown.at}, when the agent was ended` : null),
    proof_of_life_at: proofOfLifeAt?.toISOString() ?? null,
    ...(record.events.length > 0 ? { events: [...record.events] } : {}),
    ...(supervisor.claim === null ? {} : { identity: supervisor.claim }),
    ...(supervisor.condition ? { condition: supervisor.condition } : {}),
  }
}
