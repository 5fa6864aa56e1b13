import { type Caller, type CallContext } from '../../base/core/caller.js'

export interface InstallView {
  id: string
  package: string
  /** Null for a library app. */
  upload: string | null
  status: 'running' | 'succeeded' | 'failed'
  error: string | null
  next: string | null
  startedAt: Date
  updatedAt: Date
}

export type InstallSource = { package: string } | { upload: string; replace: boolean }

/** Installs of apps on phones, which continue in the background. */
export interface InstallService {
  /**
   * Begins an install on a ready phone.
   * @throws ApiError upload_not_found, upload_not_ready, app_not_available, version_downgrade,
   * install_in_progress; action_outcome_unknown with `details.install`; with `details.uninstalled` once
   * `replace` has uninstalled the app
   */
  start(caller: Caller, phoneId: string, source: InstallSource, context: CallContext): Promise<InstallView>
  /** Returns recent installs, newest first. The phone may have any status. */
  list(caller: Caller, phoneId: string): Promise<InstallView[]>
}
