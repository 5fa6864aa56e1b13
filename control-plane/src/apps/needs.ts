/** What an app needs of a phone: read from its APKs, kept with uploads and installs, and sent to the agent. Pure. */
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

/** Of one app: its base, then its splits, which may hold its native code. */
export function needsOf([base, ...splits]: readonly [ApkFacts, ...ApkFacts[]]): Needs {
  const { minSdk, minCodename, targetSdk } = base
  const all = [base, ...splits]
  const abis = [...new Set(all.flatMap((facts) => facts.abis))].toSorted()
  return { minSdk, minCodename, targetSdk, abis, jarOnly: all.some((facts) => facts.jarOnly) }
}

/** Of a row; null for one from before needs were read. */
export const readNeeds = (stored: unknown): Needs | null => needsSchema.nullable().parse(stored)

export function wireNeeds(stored: unknown): PackageNeeds | undefined {
  const needs = readNeeds(stored)
  if (needs === null) return undefined
  const { minSdk, minCodename, targetSdk, abis, jarOnly } = needs
  // Where no target is stated, Android takes the lowest level.
  return {
    minSdk: minSdk ?? 0,
    minCodename: minCodename ?? '',
    targetSdk: targetSdk ?? minSdk ?? 0,
    abis,
    jarOnly,
  }
}
