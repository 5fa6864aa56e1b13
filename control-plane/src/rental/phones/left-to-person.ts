/** Refusals of the profile `guarded`: work that a person must do in a hand-over. docs/decisions/0268 */
import { ApiError, guardedApp, guardedFolder } from '@phonerack/shared'
import { type Caller } from '../../base/core/caller.js'

export const handoffRequired = (
  phoneId: string,
  details: Record<string, unknown>,
  message?: string,
): ApiError =>
  new ApiError('handoff_required', { message, next: `POST /v1/phones/${phoneId}/handoffs`, details })

/**
 * Refuses a change of a file in the folder of a listed app.
 * @param path begins with `/sdcard`
 * @throws ApiError handoff_required
 */
export function checkFileChange(caller: Pick<Caller, 'profile'>, phoneId: string, path: string): void {
  const name = guardedFolder(path)
  if (name !== null) checkAppChange(caller, phoneId, name)
}

/**
 * Refuses an install or uninstall of a listed app.
 * @throws ApiError handoff_required
 */
export function checkAppChange(caller: Pick<Caller, 'profile'>, phoneId: string, packageName: string): void {
  const reason = caller.profile === 'guarded' ? guardedApp(packageName) : null
  if (reason) throw handoffRequired(phoneId, { reason, package: packageName })
}
