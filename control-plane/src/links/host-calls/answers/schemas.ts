/**
 * A schema for each message that a host sends over gRPC. The compiler requires a schema for each call, so every
 * response is checked. An unknown enum value reads as the zero value.
 */
import {
  CrashKind,
  FileType,
  LogLevel,
  RecordingStatus,
  ThumbnailAbsence,
  type HostServiceService,
  type LiveServiceService,
  type RecordingServiceService,
  WipeLevel,
} from '@phonerack/proto'
import {
  cleanForPattern,
  idPattern,
  identityPattern,
  isErrorCode,
  isStorable,
  limits,
  mostNotifications,
} from '@phonerack/shared'
import { z } from 'zod'
import {
  amount,
  bytes,
  cleaned,
  instant,
  instantOrNone,
  json,
  listOf,
  maybe,
  pixels,
  sha256,
  text,
} from './fields.js'
import { actionResult, actionResults, batchObservation, changes, observation, snapshotId } from './screen.js'

type AnswerOf<M> = M extends { responseDeserialize: (bytes: Buffer) => infer A } ? A : never
export type Answers<S> = { readonly [K in keyof S]: z.ZodType<AnswerOf<S[K]>> }

/**
 * Limit of entries in a list of files or apps, and of fields in any message. The host agent counts 100 bytes for each
 * file.
 */
export const maxEntries = Math.ceil(limits.folderAnswer / 100)
/** Bytes of one action's result, which may have the output of a shell command, or an error that lists candidates. */
const resultBytes = limits.shell.batchOutput + 500_000
const nothing = z.object({})
/** The contract's 4,000,000 bytes plus JSON overhead. */
const screenBytes = limits.screenAnswer + 100_000

/** Five numbers of four bytes for each element. */
const boundsBytes = 20 * limits.elements.max

const checks = listOf(z.object({ name: cleaned(100), passed: z.boolean(), evidence: cleaned(4000) }), 500)
const capabilities = listOf(
  z.object({ name: cleaned(100), implementation: cleaned(100), evidence: cleaned(1000) }),
  200,
)

const cleanness = {
  level: z.enum(WipeLevel).catch(WipeLevel.WIPE_LEVEL_UNSPECIFIED),
  revision: amount,
  cleanFor: z.string().regex(cleanForPattern),
  identity: z.union([z.literal(''), z.string().regex(identityPattern)]),
  profileJson: text(65_536).refine(isStorable),
}

const said = cleaned(200).optional()
const degrees = (most: number) => z.number().min(-most).max(most)

const file = z.object({
  name: text(1024).min(1),
  type: z.enum(FileType).catch(FileType.FILE_TYPE_OTHER),
  size: amount,
  // A tenant may give a file any modification time.
  modifiedAt: instantOrNone,
})

const app = z.object({
  package: text(255).min(1),
  label: text(1000),
  versionName: text(1000),
  versionCode: amount,
  system: z.boolean(),
})

/** The position at which the next page of a host's list begins. */
const cursor = z.string().regex(/^[\w.@=-]{0,200}$/)

const logLine = z.object({
  at: instantOrNone,
  level: z.enum(LogLevel).catch(LogLevel.LOG_LEVEL_UNSPECIFIED),
  tag: text(500),
  pid: z.int().min(0),
  package: text(255),
  message: text(10_000),
  cursor,
})

const crash = z.object({
  at: instantOrNone,
  kind: z.enum(CrashKind).catch(CrashKind.CRASH_KIND_UNSPECIFIED),
  package: text(600),
  process: text(600),
  pid: z.int().min(0),
  exception: text(600),
  reason: text(5000),
  stack: text(140_000),
  truncated: z.boolean(),
  cursor,
})

const notification = z.object({
  id: z.string().regex(idPattern('notification')),
  package: text(255).min(1),
  title: text(3000),
  text: text(10_000),
  postedAt: instantOrNone,
  dismissible: z.boolean(),
})

const batchMessage = z.object({
  event: maybe(
    z.discriminatedUnion('$case', [
      z.object({ $case: z.literal('started'), value: z.object({ index: z.int() }) }),
      z.object({
        $case: z.literal('finished'),
        value: z.object({ index: z.int(), resultJson: json(resultBytes, actionResult) }),
      }),
      z.object({
        $case: z.literal('ended'),
        value: z.object({
          observationJson: json(screenBytes, batchObservation, true),
          resultsJson: json(screenBytes, actionResults),
          elementBounds: maybe(bytes(boundsBytes)),
          changesJson: maybe(json(screenBytes, changes)),
        }),
      }),
    ]),
  ),
})

export const hostAnswers: Answers<HostServiceService> = {
  beginRenewal: z.object({
    certificateFingerprint: z.string().regex(/^([\dA-F]{2}:){31}[\dA-F]{2}$/),
    publicKeyPem: text(2000),
  }),
  finishRenewal: nothing,
  trustAuthorities: nothing,
  proveDevice: z.object({ identity: z.string().regex(identityPattern), signature: bytes(64) }),
  forgetDevice: nothing,
  adoptDevice: z.object({ identity: z.string().regex(identityPattern), revision: amount }),
  startPhone: z.object({ readyAt: instantOrNone }),
  parkPhone: nothing,
  wipeDevice: z.object({ verified: z.boolean(), checks, ...cleanness }),
  enrollDevice: z.object({ verified: z.boolean(), checks, capabilities, ...cleanness }),
  observe: z.object({
    observationJson: json(screenBytes, observation),
    snapshotId,
    text: text(screenBytes),
    settled: maybe(z.boolean()),
    changesJson: maybe(json(screenBytes, changes)),
  }),
  screenshot: z.object({
    image: bytes(screenBytes).refine((image) => image.length > 0),
    screenWidth: pixels,
    screenHeight: pixels,
    scale: z.number().positive().max(100),
    secure: z.boolean(),
    // Set only for an annotated screenshot.
    snapshotId: z.union([z.literal(''), snapshotId]),
  }),
  thumbnail: z.object({
    image: bytes(40_000),
    tag: z.string().regex(/^[\w-]{0,64}$/),
    absence: z.enum(ThumbnailAbsence).catch(ThumbnailAbsence.THUMBNAIL_ABSENCE_UNREADABLE),
  }),
  runActions: batchMessage,
  runGuardedActions: batchMessage,
  rebootPhone: nothing,
  getDeviceInfo: z.object({
    brand: said,
    model: said,
    osVersion: said,
    carrier: said,
    screenWidth: pixels,
    screenHeight: pixels,
    screenDensity: pixels,
  }),
  getClipboard: z.object({ text: text(limits.screenAnswer) }),
  setClipboard: nothing,
  getLocation: z.object({ location: maybe(z.object({ latitude: degrees(90), longitude: degrees(180) })) }),
  setLocation: nothing,
  getLocale: z.object({ locale: text(200) }),
  setLocale: z.object({ locale: text(200) }),
  getTimezone: z.object({ timezone: text(200) }),
  setTimezone: z.object({ timezone: text(200) }),
  listFiles: z.object({ entries: listOf(file, maxEntries) }),
  readFile: z.object({ content: bytes(limits.fileBytes) }),
  writeFile: z.object({ size: amount }),
  deleteFile: nothing,
  listApps: z.object({ apps: listOf(app, maxEntries) }),
  beginInstall: z.object({ missingSha256: listOf(sha256, limits.libraryFiles), uninstalled: z.boolean() }),
  putPackageFile: nothing,
  finishInstall: z.object({
    succeeded: z.boolean(),
    errorCode: z.string().transform((code) => (code === '' || isErrorCode(code) ? code : 'install_failed')),
    reason: cleaned(1000),
    wasInstalled: z.boolean(),
  }),
  uninstallApp: nothing,
  readLogs: z.object({ lines: listOf(logLine, limits.logs.lines.max), nextCursor: cursor }),
  listCrashes: z.object({ crashes: listOf(crash, limits.logs.crashes.max), isLast: z.boolean() }),
  listNotifications: z.object({ notifications: listOf(notification, mostNotifications) }),
  openNotification: nothing,
  dismissNotification: nothing,
  setPermissions: z.object({
    permissions: listOf(z.object({ name: text(255), granted: z.boolean() }), 2 * limits.permissions),
  }),
}

const recording = maybe(
  z.object({
    status: z.enum(RecordingStatus).catch(RecordingStatus.RECORDING_STATUS_UNSPECIFIED),
    startedAt: maybe(instant),
    endedAt: maybe(instant),
    // The column is an `integer` in Postgres: 24 days.
    durationMs: amount.max(2n ** 31n - 1n),
    sizeBytes: amount,
    sha256: sha256.or(z.literal('')),
    failure: cleaned(1000),
  }),
)

export const recordingAnswers: Answers<RecordingServiceService> = {
  startRecording: z.object({ startedAt: maybe(instant) }),
  stopRecording: z.object({ recording }),
  getRecording: z.object({ recording }),
  // Chunks must not be empty: an endless stream of empty chunks would pass every byte limit.
  readRecording: z.object({ chunk: bytes(256 * 1024).refine((chunk) => chunk.length > 0) }),
  dropRecording: nothing,
}

export const liveAnswers: Answers<LiveServiceService> = {
  watch: z.object({
    event: maybe(
      z.discriminatedUnion('$case', [
        z.object({
          $case: z.literal('config'),
          value: z.object({
            codec: z.string().regex(/^[\w.]{1,64}$/),
            parameterSets: bytes(64 * 1024),
            width: z.int().min(1).max(65_535),
            height: z.int().min(1).max(65_535),
          }),
        }),
        z.object({
          $case: z.literal('frame'),
          value: z.object({
            data: bytes(256 * 1024),
            ptsUs: z.bigint(),
            keyFrame: z.boolean(),
            last: z.boolean(),
          }),
        }),
        z.object({
          $case: z.literal('state'),
          value: z.object({ secure: z.boolean(), trouble: cleaned(500), asleep: z.boolean() }),
        }),
      ]),
    ),
  }),
  prepare: nothing,
  standBy: nothing,
}
