/** How long an upload is kept. Pure; the specification's words: Upload, `expires_at`. */
import { type UploadRules } from '../config/config.js'

export interface Kept {
  createdAt: Date
  /** The file's arrival, or that of the last equal file; null before. */
  keptFrom: Date | null
  lastInstallAt: Date | null
  /** A newer build of the same package is ready. */
  isSuperseded: boolean
}

type Times = Pick<UploadRules, 'awaitingMs' | 'lifeMs' | 'supersededMs'>

/**
 * An hour for the file; then seven days after its arrival and after each install; with a newer build 24 hours after
 * the last install. One that was never installed keeps its seven days, also beside a newer build.
 */
export function expiryOf(upload: Kept, times: Times): Date {
  const { createdAt, keptFrom, lastInstallAt } = upload
  if (keptFrom === null) return later(createdAt, times.awaitingMs)
  if (lastInstallAt === null || lastInstallAt < keptFrom) return later(keptFrom, times.lifeMs)
  return later(lastInstallAt, upload.isSuperseded ? times.supersededMs : times.lifeMs)
}

const later = (from: Date, ms: number): Date => new Date(from.getTime() + ms)

export interface Build {
  versionCode: bigint
  createdAt: Date
}

/** A higher version code is newer; of equal ones the one that was made later. */
export const isNewer = (one: Build, other: Build): boolean =>
  one.versionCode === other.versionCode
    ? one.createdAt > other.createdAt
    : one.versionCode > other.versionCode
