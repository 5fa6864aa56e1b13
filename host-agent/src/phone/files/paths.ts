/** Paths of shared storage: maps the public `/sdcard/…` to the real path, or refuses it. Pure. */
import { ApiError } from '@phonerack/shared'

/** The real path of `/sdcard`, for the first user of every phone since Android 4.2. */
export const realRoot = '/storage/emulated/0'
const publicRoot = '/sdcard'

/**
 * Returns an error of the path itself. `names`: the kind of object to which the path refers, when that is the error.
 */
export const badPath = (message: string, names?: 'file' | 'directory'): ApiError =>
  new ApiError('validation_failed', {
    message: `\`path\` ${message}.`,
    details: {
      validation_stage: 'phone',
      issues: [{ path: ['path'], message }],
      ...(names === undefined ? {} : { names }),
    },
  })

/**
 * @throws ApiError validation_failed for a path that the control plane should have
 * rejected, or that is too long
 */
export function realPath(path: string, root: string = realRoot): string {
  const inside = path === publicRoot || path.startsWith(`${publicRoot}/`)
  const segments = path.split('/').slice(2)
  if (!inside || path.includes('\0') || segments.some((part) => part === '.' || part === '..' || part === ''))
    throw badPath('must be /sdcard or a path inside it, without empty, "." or ".." parts')
  const real = root + path.slice(publicRoot.length)
  checkLength(real)
  return real
}

/** The maximum bytes: adbd ends a sync request whose path is longer (AOSP `file_sync_service.cpp`). */
const mostPathBytes = 1024

/** @throws ApiError validation_failed for a path on the phone that its sync service does not accept */
export function checkLength(real: string): void {
  if (Buffer.byteLength(real) > mostPathBytes)
    throw badPath(`is too long for the phone, which accepts ${mostPathBytes} bytes including ${realRoot}`)
}

export const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/'))
export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
