/**
 * Implements `InstallService`: asks the agent to begin, and leaves the rest to the job
 * (`run-install.ts`).
 */
import { type BeginInstallRequest, type BeginInstallResponse } from '@phonerack/proto'
import { ApiError, Progress } from '@phonerack/shared'
import { conflictOr } from '../../rental/phones/conflict-after-call.js'
import { phoneUnavailable, writableTarget, type Target } from '../../rental/phones/target.js'
import { assignmentOf } from '../../rental/devices/placement.js'
import { type Install } from '../../gen/prisma/client.js'
import { CallFailure, callHost } from '../../links/host-calls/calls.js'
import { type HostClients } from '../../links/host-calls/clients.js'
import { permitted } from '../../rental/phones/access.js'
import { type Core } from '../../base/core/core.js'
import { wireNeeds } from '../../files/apps/needs.js'
import { confirm, filesOf, forget, installsRequest, recent, record, viewOf } from './records.js'
import { type InstallService } from './types.js'

/** Milliseconds for the begin: the agent checks the install, and with `replace` uninstalls the app. */
const beginMs = 90_000

export function createInstallService(core: Core, hosts: HostClients): InstallService {
  return {
    async start(caller, phoneId, source, context) {
      const target = await writableTarget(core, hosts, caller, phoneId, context.signal)
      const install = await record(core, caller, {
        phoneId,
        fencing: target.fencingNumber,
        source,
        requestId: context.requestId,
      })
      const isUninstalled = await begin(core, install, target)
      try {
        return viewOf(await confirm(core, install))
      } catch (error) {
        throw unknownOutcome(install, error, isUninstalled)
      }
    },

    async list(caller, phoneId) {
      const phone = await core.db.phone.findUnique({ where: { id: phoneId }, select: { projectId: true } })
      permitted(caller, phoneId, phone)
      return recent(core, phoneId)
    },
  }
}

export const beginRequest = (install: Install, target: Target): BeginInstallRequest => ({
  assignment: assignmentOf(install.phoneId, target, install.requestId),
  installId: install.id,
  package: install.package,
  versionCode: install.versionCode,
  files: filesOf(install).map(({ name, sha256, size }) => ({ name, sha256, size: BigInt(size) })),
  replace: install.replace,
  needs: wireNeeds(install.needs),
})

/**
 * Sends the begin once. Returns true if `replace` has uninstalled the app. @throws ApiError if the agent refuses; the
 * row is then removed
 */
async function begin(core: Core, install: Install, target: Target): Promise<boolean> {
  try {
    const answer = await callHost<BeginInstallRequest, BeginInstallResponse>(
      target.connection,
      (client, ...rest) => client.beginInstall(...rest),
      beginRequest(install, target),
      Progress.for(beginMs),
    )
    return answer.uninstalled
  } catch (error) {
    if (!(error instanceof CallFailure)) throw unknownOutcome(install, error, false)
    const { sent, answer } = error
    if (sent && (!answer || answer.code === 'provider_timeout' || answer.code === 'action_outcome_unknown'))
      throw unknownOutcome(install, error, answer?.details['uninstalled'] === true)
    await forget(core, install)
    throw await conflictOr(core, install.phoneId, answer ?? phoneUnavailable(install.phoneId))
  }
}

/** Returns the error of an unknown outcome. The row stays until the install has certainly ended. */
function unknownOutcome(install: Install, cause: unknown, isUninstalled: boolean): ApiError {
  return new ApiError('action_outcome_unknown', {
    details: {
      phone: install.phoneId,
      ...(install.uploadId === null ? { package: install.package } : { install: install.id }),
      ...(isUninstalled ? { uninstalled: true } : {}),
    },
    next: `${installsRequest(install.phoneId)} and wait until the install of ${install.package} has ended before sending anything again.`,
    cause,
  })
}
