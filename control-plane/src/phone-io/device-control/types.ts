import { type Caller, type CallContext, type Page, type PageQuery } from '../../base/core/caller.js'
import { type Action, type ActionOf, type ObserveMode, type ShellResult } from '@phonerack/shared'
import { type PhoneView } from '../../rental/phones/types.js'

export interface ScreenshotRequest {
  format: 'png' | 'jpeg'
  maxWidth: number | null
  quality: number | null
  /** Draws the refs of the elements into the picture; `screenshot` only. */
  annotate?: boolean
}

interface ScreenshotAnswer {
  image: Uint8Array
  /** Device pixels. */
  screenWidth: number
  screenHeight: number
  /** Image width divided by screen width. */
  scale: number
  /** A secure window on the screen prevents its capture. */
  secure: boolean
  /** Set for an annotated screenshot; otherwise empty. */
  snapshotId: string
}

export interface Batch {
  actions: readonly Action[]
  observe: ObserveMode
  /** Elements that were read before the batch are read again. */
  fresh?: boolean
  /** For `changes` and `auto`. */
  since?: string | undefined
}

/** Requests into a ready phone. Any other status causes its conflict error. */
export interface DeviceControlService {
  /**
   * Reads the screen, repeatedly for up to 15 s. `json` is the public observation as UTF-8 JSON; with `since`, it has the
   * changes after that snapshot. `fresh`: the elements are read even if nothing was drawn since the last read.
   */
  observe(
    caller: Caller,
    phoneId: string,
    screenshot: ScreenshotRequest | null,
    context: CallContext,
    options?: { fresh?: boolean; since?: string | undefined },
  ): Promise<{ json: Uint8Array; snapshotId: string; text: string; settled: boolean | null }>
  screenshot(
    caller: Caller,
    phoneId: string,
    request: ScreenshotRequest,
    context: CallContext,
  ): Promise<ScreenshotAnswer>
  /**
   * Runs a batch, once. Returns `ActionBatchResult` as UTF-8 JSON. When the stream to the agent is
   * lost, keeps the results so far, with `action_outcome_unknown` on the started action. When
   * nothing is known: `internal_error`.
   */
  runActions(caller: Caller, phoneId: string, batch: Batch, context: CallContext): Promise<Uint8Array>
  /**
   * Runs a shell command, once, as a batch of one action. @throws ApiError shell_not_allowed; action_outcome_unknown when it may have
   * run
   */
  shell(
    caller: Caller,
    phoneId: string,
    command: ActionOf<'shell'>,
    context: CallContext,
  ): Promise<ShellResult>
}

/** Why a phone has no thumbnail: a window that forbids screenshots, a dark screen, recent typing, other calls, or a fault. */
export type ThumbnailAbsenceName = 'secure' | 'asleep' | 'typed' | 'busy' | 'unreadable'

export type ThumbnailView =
  /** `image`: WebP. `tag`: letters, digits, `-` and `_`. */
  | { kind: 'picture'; image: Uint8Array; tag: string }
  /** True if the caller already has the current picture. */
  | { kind: 'unchanged'; tag: string }
  | { kind: 'none'; why: ThumbnailAbsenceName }

/** Small pictures of ready phones, for lists. docs/decisions/0297 */
export interface ThumbnailService {
  /**
   * Returns the current picture. Neither repeats the call nor waits for other calls.
   * @param knownTag the tag of the picture that the caller has; empty: the caller has no picture
   * @throws ApiError phone_controlled while a person controls the phone
   */
  take(caller: Caller, phoneId: string, knownTag: string, context: CallContext): Promise<ThumbnailView>
}

interface DeviceInfoView {
  brand: string | null
  model: string | null
  osVersion: string | null
  screen: { width: number; height: number; density: number }
  carrier: string | null
}

/** Degrees, WGS 84. */
export interface Coordinates {
  lat: number
  lng: number
}

/**
 * Settings of a ready phone. Reads are repeated internally. Writes are sent once; a sent write
 * without a response is `action_outcome_unknown`. A setting that the phone lacks is
 * `feature_unavailable`.
 */
export interface SettingsService {
  deviceInfo(caller: Caller, phoneId: string, context: CallContext): Promise<DeviceInfoView>
  clipboard(caller: Caller, phoneId: string, context: CallContext): Promise<string>
  setClipboard(caller: Caller, phoneId: string, text: string, context: CallContext): Promise<void>
  location(caller: Caller, phoneId: string, context: CallContext): Promise<Coordinates>
  /**
   * Returns the time zone set with the location; null when none was requested, or the phone has
   * none or refused it.
   */
  setLocation(
    caller: Caller,
    phoneId: string,
    input: { location: Coordinates; withTimezone: boolean },
    context: CallContext,
  ): Promise<string | null>
  /** Restores the default location, and its time zone where the phone supports that. */
  resetLocation(caller: Caller, phoneId: string, context: CallContext): Promise<void>
  locale(caller: Caller, phoneId: string, context: CallContext): Promise<string>
  /** Returns the locale that the phone then reports. */
  setLocale(caller: Caller, phoneId: string, locale: string, context: CallContext): Promise<string>
  /** Null while the phone has its default location. */
  timezone(caller: Caller, phoneId: string, context: CallContext): Promise<string | null>
  setTimezone(caller: Caller, phoneId: string, timezone: string, context: CallContext): Promise<string>
}

/** Reboots and resets a ready phone. The session continues. Each request is sent to the phone once. */
export interface PowerService {
  /**
   * Returns the phone, now `starting`. @throws ApiError rate_limited (once in 10 minutes per
   * phone), phone_unavailable or the agent's refusal when nothing was done (the allowance stays),
   * action_outcome_unknown
   */
  reboot(caller: Caller, phoneId: string, context: CallContext): Promise<PhoneView>
  /**
   * Wipes apps, files, accounts and clipboard; returns the phone, now `starting`.
   * @throws ApiError rate_limited (once a minute per phone), feature_unavailable (`reset`), phone_unavailable
   */
  reset(caller: Caller, phoneId: string, context: CallContext): Promise<PhoneView>
}

export interface FileEntryView {
  name: string
  type: 'file' | 'directory' | 'other'
  /** Bytes. */
  size: number
  modifiedAt: Date | null
}

/**
 * Files of a ready phone; paths begin with `/sdcard`. @throws ApiError file_not_found with
 * `details.path`
 */
export interface FileService {
  list(caller: Caller, phoneId: string, path: string, context: CallContext): Promise<FileEntryView[]>
  read(caller: Caller, phoneId: string, path: string, context: CallContext): Promise<Uint8Array>
  /** Returns the size that the phone reports. */
  write(
    caller: Caller,
    phoneId: string,
    path: string,
    content: Uint8Array,
    context: CallContext,
  ): Promise<number>
  delete(caller: Caller, phoneId: string, path: string, context: CallContext): Promise<void>
}

interface InstalledAppView {
  package: string
  /** The label that the launcher shows, or the package name. */
  label: string
  versionName: string
  versionCode: number
  /** Whether the app is preinstalled on the phone. */
  system: boolean
}

/** Apps on a ready phone. */
export interface PackageService {
  /** Lists all apps except the service's own. */
  list(caller: Caller, phoneId: string, context: CallContext): Promise<InstalledAppView[]>
  /**
   * Removes the app and its data. @throws ApiError app_not_found with `details.package`,
   * action_outcome_unknown
   */
  uninstall(caller: Caller, phoneId: string, packageName: string, context: CallContext): Promise<void>
}

/** From the least to the most severe. */
export const logLevelNames = ['verbose', 'debug', 'info', 'warn', 'error', 'fatal'] as const
export type LogLevelName = (typeof logLevelNames)[number]

export interface LogLineView {
  /** By the phone's clock; null when the phone reports an impossible time. */
  at: Date | null
  level: string
  tag: string
  pid: number
  /** The app that wrote the line; null: unknown. */
  package: string | null
  message: string
}

export type CrashKindName = 'crash' | 'native_crash' | 'anr'

export interface CrashView {
  at: Date | null
  kind: CrashKindName
  package: string
  process: string
  pid: number | null
  /** The exception's class, or the signal; null for an app that did not respond. */
  exception: string | null
  /** The exception's message, or why the app did not respond. */
  reason: string | null
  stack: string
  /** True if the stack was longer. */
  truncated: boolean
}

interface NotificationView {
  id: string
  package: string
  title: string
  text: string
  postedAt: Date | null
  /** Whether a person can swipe the notification away. */
  dismissible: boolean
}

/** Reports of a ready phone, and permissions of its apps. */
export interface ReportService {
  /** Newest first; only lines since the phone got its device. */
  logs(
    caller: Caller,
    phoneId: string,
    query: PageQuery & { package: string | null; level: LogLevelName; since: Date | null },
    context: CallContext,
  ): Promise<Page<LogLineView>>
  /** Crashes and hangs of apps, newest first. */
  crashes(
    caller: Caller,
    phoneId: string,
    query: PageQuery & { package: string | null },
    context: CallContext,
  ): Promise<Page<CrashView>>
  notifications(caller: Caller, phoneId: string, context: CallContext): Promise<NotificationView[]>
  /**
   * Opens the notification as a tap does. @throws ApiError notification_not_found, phone_screen_off,
   * action_outcome_unknown
   */
  openNotification(
    caller: Caller,
    phoneId: string,
    notificationId: string,
    context: CallContext,
  ): Promise<void>
  /**
   * Swipes the notification away. @throws ApiError the errors of `openNotification`; feature_unavailable for an ongoing
   * notification
   */
  dismissNotification(
    caller: Caller,
    phoneId: string,
    notificationId: string,
    context: CallContext,
  ): Promise<void>
  /**
   * Returns every named permission as the phone then reports it. @throws ApiError app_not_found;
   * validation_failed when the app does not request a permission, or a user cannot change the permission
   */
  setPermissions(
    caller: Caller,
    phoneId: string,
    packageName: string,
    change: { grant: readonly string[]; revoke: readonly string[] },
    context: CallContext,
  ): Promise<{ name: string; granted: boolean }[]>
}
