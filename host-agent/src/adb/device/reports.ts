/** Capabilities that report events on a phone (logs, crashes, notifications), and the permissions of apps. */
import type { Progress } from '@phonerack/shared'

/** From the least to the most severe. */
export const logLevels = ['verbose', 'debug', 'info', 'warn', 'error', 'fatal'] as const
export type LogLevel = (typeof logLevels)[number]

export interface LogQuery {
  /** The app whose lines are returned; null for lines of all apps. */
  package: string | null
  minLevel: LogLevel
  /** The earliest time by the phone's clock; null for all kept lines. */
  since: Date | null
  limit: number
  /** `cursor` of the line before which lines are read; null for the newest lines. */
  cursor: string | null
}

export interface LogLine {
  at: Date
  level: LogLevel
  tag: string
  pid: number
  /** The app that wrote the line; null when unknown. */
  package: string | null
  message: string
  /** Names this line, so that a later query returns the lines before it. */
  cursor: string
}

export interface Logs {
  /**
   * Returns lines, newest first, without lines from before the phone got its device. `more`: whether older lines exist.
   */
  read(query: LogQuery, progress: Progress): Promise<{ lines: LogLine[]; more: boolean }>
}

export type CrashKind = 'crash' | 'native_crash' | 'anr'

export interface Crash {
  at: Date
  kind: CrashKind
  package: string
  process: string
  /** Null when the process ID is unknown. */
  pid: number | null
  /** The exception's class, or the signal; null for a hang. */
  exception: string | null
  /** The exception's message, or why the app did not respond. */
  reason: string | null
  stack: string
  /** Whether the stack was longer. */
  truncated: boolean
  cursor: string
}

export interface Crashes {
  /**
   * Returns crashes, newest first.
   * @param cursor the cursor of a crash; null for the newest crashes
   */
  list(
    query: { package: string | null; limit: number; cursor: string | null },
    progress: Progress,
  ): Promise<{ crashes: Crash[]; more: boolean }>
}

export interface PostedNotification {
  /** AOSP `StatusBarNotification.key()`, which an update keeps. */
  key: string
  package: string
  title: string
  text: string
  postedAt: Date | null
  /** Whether a user can swipe the notification away. */
  dismissible: boolean
}

export interface Notifications {
  list(progress: Progress): Promise<PostedNotification[]>
  /** Opens the notification shade. */
  expand(progress: Progress): Promise<void>
  collapse(progress: Progress): Promise<void>
}

export interface PermissionState {
  name: string
  granted: boolean
}

export interface Permissions {
  /**
   * Grants and revokes permissions, after a check of all names. Returns the permissions as the phone then
   * reports them.
   * @throws ApiError app_not_found; validation_failed for a permission that the app does not request, or that
   * cannot be changed
   */
  set(
    packageName: string,
    change: { grant: readonly string[]; revoke: readonly string[] },
    progress: Progress,
  ): Promise<PermissionState[]>
}
