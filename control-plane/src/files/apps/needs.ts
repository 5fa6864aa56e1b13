/**
 * An app's requirements for a phone: read from its APKs, stored with uploads and installs, and sent to the agent. Pure.
 */
import { type PackageNeeds } from '@phonerack/proto'
import { z } from 'zod'
import { type ApkFacts } from './apk/facts.js'

const needsSchema = z.object({
  minSdk: z.number().nullable(),
  minCodename: z.string().nullable(),
  targetSdk: z.number().nullable(),
  abis: z.array(z.string()),
  jarOnly: z.boolean(),
})
export type Needs = z.output<typeof needsSchema>

/** Returns the needs of one app, given its base and then its splits, which may contain its native code. */
export function needsOf([base, ...splits]: readonly [ApkFacts, ...ApkFacts[]]): Needs {
  const { minSdk, minCodename, targetSdk } = base
  const all = [base, ...splits]
  const abis = [...new Set(all.flatMap((facts) => facts.abis))].toSorted()
  return { minSdk, minCodename, targetSdk, abis, jarOnly: all.some((facts) => facts.jarOnly) }
}

/** Reads the stored requirements; null for a row that is older than the column. */
export const readNeeds = (stored: unknown): Needs | null => needsSchema.nullable().parse(stored)

export function wireNeeds(stored: unknown): PackageNeeds | undefined {
  const needs = readNeeds(stored)
  if (needs === null) return undefined
  const { minSdk, minCodename, targetSdk, abis, jarOnly } = needs
  // Android uses the lowest level for a missing target.
  return {
    minSdk: minSdk ?? 0,
    minCodename: minCodename ?? '',
    targetSdk: targetSdk ?? minSdk ?? 0,
    abis,
    jarOnly,
  }
}
