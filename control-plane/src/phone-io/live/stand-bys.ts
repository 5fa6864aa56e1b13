/**
 * Keeps video servers of phones on standby while a usable live link exists, so that a person who
 * opens an older link does not wait for a server to start. Each replica holds its own call per
 * phone, without coordination; a host counts them as one. `app.ts` calls it periodically.
 */
import { Metadata, type ClientUnaryCall } from '@grpc/grpc-js'
import { type HostClients } from '../../links/host-calls/clients.js'
import { type Core } from '../../base/core/core.js'
import { assignmentOf } from '../../rental/devices/placement.js'
import { readLongestLinks, standingOf, type Place } from './standing.js'

interface StandBys {
  /** Starts and ends calls to match the current links. */
  match(): Promise<void>
  close(): void
}

interface Wanted {
  place: Place
  /** When the phone's last link ends. */
  until: Date
}

interface Held extends Wanted {
  call: ClientUnaryCall
}

export function createStandBys(core: Core, hosts: HostClients): StandBys {
  const held = new Map<string, Held>()
  let isClosed = false

  function begin(phoneId: string, wanted: Wanted): void {
    const assignment = assignmentOf(phoneId, wanted.place, '')
    const options = { deadline: Date.now() + wanted.until.getTime() - core.clock.now().getTime() }
    const { live } = hosts.to(wanted.place.hostId, wanted.place)
    const call = live.standBy({ assignment }, new Metadata(), options, (error) => {
      // The next round starts another call, if the phone still needs it.
      if (held.get(phoneId)?.call === call) held.delete(phoneId)
      if (error)
        core.log.debug({ err: error, phone: phoneId }, 'a phone no longer has a video server on standby')
    })
    held.set(phoneId, { ...wanted, call })
  }

  return {
    async match() {
      const now = core.clock.now()
      const wanted = new Map<string, Wanted>()
      for (const row of await readLongestLinks(core.db, now)) {
        const standing = standingOf(row, now, core.rules)
        if ('place' in standing) wanted.set(row.phoneId, { place: standing.place, until: row.expiresAt })
      }
      if (isClosed) return
      for (const [phoneId, { call, ...one }] of [...held]) {
        const other = wanted.get(phoneId)
        if (other && isSame(one, other)) continue
        held.delete(phoneId)
        call.cancel()
      }
      for (const [phoneId, one] of wanted) {
        if (held.has(phoneId)) continue
        // A fault of one host must not affect the phones of other hosts.
        try {
          begin(phoneId, one)
        } catch (error) {
          core.log.error(
            { err: error, phone: phoneId, host: one.place.hostId },
            'could not keep a video server on standby',
          )
        }
      }
    },
    close() {
      isClosed = true
      for (const { call } of held.values()) call.cancel()
      held.clear()
    },
  }
}

const isSame = (one: Wanted, other: Wanted): boolean =>
  one.until.getTime() === other.until.getTime() &&
  one.place.hostId === other.place.hostId &&
  one.place.address === other.place.address &&
  one.place.joinId === other.place.joinId &&
  one.place.serial === other.place.serial &&
  one.place.fencingNumber === other.place.fencingNumber
