/**
 * The facts of an APK, and the message format between the process that reads it (`child.ts`) and
 * `inspect.ts`.
 */
import { makeStorable, shorten } from '@phonerack/shared'
import { z } from 'zod'

/** Appears in messages to the client, and may have any content and length. */
const text = (most: number) => z.string().transform((found) => shorten(makeStorable(found), most))

export const apkFactsSchema = z.object({
  package: z.string(),
  /** Null: the base. */
  split: text(200).nullable(),
  versionCode: z.number().int().nonnegative(),
  versionName: z.string().nullable(),
  /** Null when it is not declared. */
  minSdk: z.number().int().nullable(),
  /**
   * The code name of the Android preview that it needs. A released Android refuses it at any level.
   */
  minCodename: z.string().nullable().default(null),
  /** Null when it is not declared. */
  targetSdk: z.number().int().nullable().default(null),
  /** ABIs of its native code; empty without any. */
  abis: z.array(z.string()).default([]),
  /** In the app's default language; null without one. */
  label: z.string().nullable(),
  /** It does not run without splits. */
  needsSplits: z.boolean(),
  /** Hex SHA-256 of the first signer's certificate. */
  signer: z.string(),
  /** Signed by v1 (JAR) only, which newer phones refuse for newer apps. */
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
