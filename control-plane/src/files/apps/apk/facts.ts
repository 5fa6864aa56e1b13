/**
 * The facts of an APK, and the message format between the process that reads it (`child.ts`) and
 * `inspect.ts`.
 */
import { makeStorable, shorten } from '@phonerack/shared'
import { z } from 'zod'

/** Messages to the client contain this text, which may have any content and length. */
const text = (most: number) => z.string().transform((found) => shorten(makeStorable(found), most))

export const apkFactsSchema = z.object({
  package: z.string(),
  /** Null for the base. */
  split: text(200).nullable(),
  versionCode: z.number().int().nonnegative(),
  versionName: z.string().nullable(),
  /** Null if the manifest declares none. */
  minSdk: z.number().int().nullable(),
  /** The code name of the Android preview that the app needs. A released Android refuses such an app at any level. */
  minCodename: z.string().nullable().default(null),
  /** Null if the manifest declares none. */
  targetSdk: z.number().int().nullable().default(null),
  /** ABIs of the app's native code; empty if it has none. */
  abis: z.array(z.string()).default([]),
  /** The label in the app's default language; null if there is none. */
  label: z.string().nullable(),
  /** The app does not run without its splits. */
  needsSplits: z.boolean(),
  /** Hex SHA-256 of the first signer's certificate. */
  signer: z.string(),
  /** The app is signed by v1 (JAR) only, which newer phones refuse for newer apps. */
  jarOnly: z.boolean().default(false),
})
export type ApkFacts = z.output<typeof apkFactsSchema>

export const verdictSchema = z.union([
  z.object({ facts: apkFactsSchema }),
  z.object({
    /** A sentence for the client: why the file is not an installable APK, and what to do. */
    invalid: text(1000),
  }),
])
export type Verdict = z.output<typeof verdictSchema>

/** The file is not an installable APK. The message is a sentence for the client. */
export class InvalidApk extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'InvalidApk'
  }
}

/** Replaces a parser's error about bytes from outside. */
export const unreadable = (part: string, cause: unknown): InvalidApk =>
  new InvalidApk(
    `The ${part} of the APK cannot be read (${cause instanceof Error ? cause.message : String(cause)}). Build the APK again.`.slice(
      0,
      300,
    ),
    { cause },
  )
