/** Installs an app on a phone, from a file or from the library, and waits for its end. */
import type { Connection } from './connection.js'
import { PhonerackError } from './errors.js'
import { installApp, listInstalls } from './generated/sdk.gen.js'
import type { Installs, StartedInstall } from './generated/types.gen.js'
import { pause } from './pause.js'
import { signalOf, type CallOptions } from './transport.js'
import { uploadFile, type AppFile, type UploadProgress } from './upload.js'

/** A file, an app of the library, or an upload that is `ready`. */
export type Installable = AppFile | { package: string } | { upload: string }
export type Installed = Installs['data'][number]

export interface InstallOptions extends CallOptions {
  /** Uninstalls the app first, which deletes its data. */
  replace?: boolean
  /** `part`: the current step; `fraction`: 0 to 1 of the upload, else null. */
  onProgress?: (progress: UploadProgress | { part: 'installing'; fraction: null }) => void
}

/**
 * Milliseconds: between two reads, before the next attempt while an upload is being prepared, and for the whole
 * install.
 */
const [everyMs, preparedMs, longestMs] = [1000, 5000, 900_000]

/** @throws PhonerackError when the phone refuses the app */
export async function installOn(
  connection: Connection,
  phoneId: string,
  app: Installable,
  { replace, onProgress, ...options }: InstallOptions,
): Promise<Installed> {
  const signal = signalOf(options, longestMs)
  const body = isNamed(app) ? app : { upload: (await uploadFile(connection, app, { signal, onProgress })).id }
  onProgress?.({ part: 'installing', fraction: null })
  const started = await start(
    connection,
    phoneId,
    { ...body, ...(replace === true ? { replace } : {}) },
    signal,
  )
  for (;;) {
    const { data } = await listInstalls({ ...connection.sending({ signal }), path: { id: phoneId } })
    const found = data.find((row) => isOf(row, started))
    if (found?.status === 'succeeded') return found
    if (found?.status === 'failed')
      throw new PhonerackError({
        code: found.error ?? 'install_failed',
        type: 'invalid_request_error',
        retryable: false,
        message: `The install of ${found.package} failed.`,
        next: found.next,
        details: { package: found.package, install: found.install },
      })
    await pause(everyMs, signal)
  }
}

async function start(
  connection: Connection,
  phoneId: string,
  body: { package: string } | { upload: string; replace?: boolean },
  signal: AbortSignal,
): Promise<StartedInstall> {
  for (;;) {
    try {
      return await installApp({ ...connection.sending({ signal }), path: { id: phoneId }, body })
    } catch (error) {
      // Nothing has been installed: the upload is being prepared for this phone.
      if (!(error instanceof PhonerackError) || error.code !== 'upload_not_ready' || !error.retryable)
        throw error
      await pause(preparedMs, signal)
    }
  }
}

const isOf = (row: Installed, started: StartedInstall): boolean =>
  started.install === undefined ? row.package === started.package : row.install === started.install

const isNamed = (app: Installable): app is { package: string } | { upload: string } =>
  typeof app === 'object' && !(app instanceof Blob) && !(app instanceof Uint8Array) && !(app instanceof URL)
