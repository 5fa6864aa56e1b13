/** Computes how long an upload is kept. Pure. Specification: Upload, `expires_at`. */
import { type UploadRules } from '../../base/config/config.js'

interface Kept {
  createdAt: Date
  /** The time at which the file, or the last equal file, arrived; null before. */
  keptFrom: Date | null
  lastInstallAt: Date | null
  /** A newer build of the package is ready. */
  isSuperseded: boolean
}

type Times = Pick<UploadRules, 'awaitingMs' | 'lifeMs' | 'supersededMs'>

/**
 * Returns the expiry: one hour to send the file, then seven days after the file's arrival and after each install. With
 * a newer build, 24 hours after the last install. An upload that was never installed keeps its seven days even with a
 * newer build.
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

/** A higher version code is newer. If version codes are equal, the later upload is newer. */
export const isNewer = (one: Build, other: Build): boolean =>
  one.versionCode === other.versionCode
    ? one.createdAt > other.createdAt
    : one.versionCode > other.versionCode
