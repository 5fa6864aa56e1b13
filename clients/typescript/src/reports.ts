/** Log, crashes and notifications of a phone, and permissions of its apps. */
import type { Connection } from './connection.js'
import {
  dismissNotification,
  listCrashes,
  listNotifications,
  openNotification,
  readLogs,
  setPermissions,
} from './generated/sdk.gen.js'
import type {
  Crash,
  LogLine,
  Notification,
  ReadLogsData,
  SetPermissionsAnswer,
} from './generated/types.gen.js'
import { Pages } from './pages.js'
import type { CallOptions } from './transport.js'

export interface LogOptions extends CallOptions {
  /** Only lines of this app. */
  package?: string
  /** Only lines of this level or a more severe level. Default: all. */
  level?: NonNullable<NonNullable<ReadLogsData['query']>['level']>
  /** Only lines from this time on, by the phone's clock. */
  since?: Date
}

export interface CrashOptions extends CallOptions {
  /** Only crashes of this app. */
  package?: string
}

export class Reports {
  constructor(
    private readonly connection: Connection,
    private readonly phoneId: string,
  ) {}

  /** Lines of Android's log since the phone got its device, newest first. */
  logs({ package: name, level, since, ...options }: LogOptions = {}): Pages<LogLine, LogLine> {
    const filter = { package: name, level, since: since?.toISOString() }
    const read = (cursor: string | undefined, limit?: number) =>
      readLogs({
        ...this.connection.sending(options),
        path: { id: this.phoneId },
        query: { ...filter, cursor, limit },
      })
    return new Pages(read, (line) => line)
  }

  /** Crashes and hangs of apps with their stacks, newest first. */
  crashes({ package: name, ...options }: CrashOptions = {}): Pages<Crash, Crash> {
    const read = (cursor: string | undefined, limit?: number) =>
      listCrashes({
        ...this.connection.sending(options),
        path: { id: this.phoneId },
        query: { package: name, cursor, limit },
      })
    return new Pages(read, (crash) => crash)
  }

  async notifications(options: CallOptions = {}): Promise<Notification[]> {
    const path = { id: this.phoneId }
    return (await listNotifications({ ...this.connection.sending(options), path })).data
  }

  /** Taps a notification in the notification shade. */
  async openNotification(id: string, options: CallOptions = {}): Promise<void> {
    await openNotification({ ...this.connection.sending(options), path: { id: this.phoneId, nid: id } })
  }

  /** Swipes a notification away. @throws PhonerackError `feature_unavailable` for an ongoing notification */
  async dismissNotification(id: string, options: CallOptions = {}): Promise<void> {
    await dismissNotification({ ...this.connection.sending(options), path: { id: this.phoneId, nid: id } })
  }
}

export class Permissions {
  constructor(
    private readonly connection: Connection,
    private readonly phoneId: string,
  ) {}

  /**
   * Grants and revokes permissions of an app, such as `android.permission.CAMERA`. Returns them as the phone then reports them.
   */
  async set(
    packageName: string,
    change: { grant?: string[]; revoke?: string[] },
    options: CallOptions = {},
  ): Promise<SetPermissionsAnswer['permissions']> {
    const path = { id: this.phoneId, package: packageName }
    return (await setPermissions({ ...this.connection.sending(options), path, body: change })).permissions
  }
}
