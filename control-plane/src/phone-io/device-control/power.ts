/** Implements `PowerService`: reboot and reset. */
import { type RebootPhoneRequest, type RebootPhoneResponse } from '@phonerack/proto'
import { ApiError, Progress } from '@phonerack/shared'
import { CallFailure, callHost, requireConnection } from '../../links/host-calls/calls.js'
import { type HostClients, type HostConnection } from '../../links/host-calls/clients.js'
import { type Core } from '../../base/core/core.js'
import { beginRestart, endReboot } from '../../rental/phones/restart.js'
import { phoneUnavailable, writableTarget } from '../../rental/phones/target.js'
import { assignmentOf } from '../../rental/devices/placement.js'
import { tenantOf } from '../../rental/devices/tenant.js'
import { type Caller } from '../../base/core/caller.js'
import { type PowerService } from './types.js'

/** Milliseconds that the phone may take to shut down. */
const rebootMs = 45_000

export function createPowerService(core: Core, hosts: HostClients): PowerService {
  /** Connects before the allowance is used, so that an unreachable host does not use it up. */
  const connectionTo = async (
    caller: Caller,
    phoneId: string,
    signal: AbortSignal,
  ): Promise<HostConnection> => {
    const { connection } = await writableTarget(core, hosts, caller, phoneId, signal)
    try {
      await requireConnection(connection, Progress.for(rebootMs))
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error
      throw phoneUnavailable(phoneId)
    }
    return connection
  }

  return {
    async reboot(caller, phoneId, context) {
      const connection = await connectionTo(caller, phoneId, context.signal)
      const restarting = await beginRestart(core, caller, phoneId, 'reboot')
      // A phone that was ready has data.
      const user = { tenant: tenantOf(caller.projectId), hasData: true }
      const assignment = assignmentOf(phoneId, { ...restarting, ...user }, context.requestId)
      let refusal: ApiError | null = null
      let nothingDone = false
      try {
        await callHost<RebootPhoneRequest, RebootPhoneResponse>(
          connection,
          (client, ...rest) => client.rebootPhone(...rest),
          { assignment },
          Progress.for(rebootMs),
        )
      } catch (error) {
        if (!(error instanceof CallFailure)) throw error
        nothingDone = isRefusal(error)
        refusal = refusalOf(error, phoneId)
      }
      await endReboot(core, phoneId, restarting, nothingDone)
      if (refusal) throw refusal
      return restarting.phone
    },

    async reset(caller, phoneId, context) {
      await connectionTo(caller, phoneId, context.signal)
      return (await beginRestart(core, caller, phoneId, 'reset')).phone
    },
  }
}

/** True if the phone certainly does not restart. */
const isRefusal = ({ sent, answer }: CallFailure): boolean =>
  !sent || (answer !== null && answer.code !== 'action_outcome_unknown' && answer.code !== 'provider_timeout')

function refusalOf(failure: CallFailure, phoneId: string): ApiError {
  if (!failure.sent) return phoneUnavailable(phoneId)
  if (isRefusal(failure) && failure.answer) return failure.answer
  const next = `GET /v1/phones/${phoneId}?wait=ready`
  return new ApiError('action_outcome_unknown', { next, details: { phone: phoneId }, cause: failure })
}
