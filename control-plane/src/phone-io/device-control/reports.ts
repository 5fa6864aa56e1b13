/** Implements `ReportService`: logs, crashes and notifications of a ready phone, and permissions of its apps. */
import {
  CrashKind,
  LogLevel,
  type DismissNotificationRequest,
  type DismissNotificationResponse,
  type ListCrashesRequest,
  type ListCrashesResponse,
  type ListNotificationsRequest,
  type ListNotificationsResponse,
  type OpenNotificationRequest,
  type OpenNotificationResponse,
  type ReadLogsRequest,
  type ReadLogsResponse,
  type SetPermissionsRequest,
  type SetPermissionsResponse,
} from '@phonerack/proto'
import { ApiError, canBeTakenFor, mostNotifications, type ErrorCode } from '@phonerack/shared'
import { type Core } from '../../base/core/core.js'
import { type HostClients } from '../../links/host-calls/clients.js'
import { checkAppChange, handoffRequired } from '../../rental/phones/left-to-person.js'
import { createPhoneCalls, type PhoneRequest } from './phone-calls.js'
import { type CrashKindName, type LogLevelName, type ReportService } from './types.js'

const levels: Readonly<Record<LogLevelName, LogLevel>> = {
  verbose: LogLevel.LOG_LEVEL_VERBOSE,
  debug: LogLevel.LOG_LEVEL_DEBUG,
  info: LogLevel.LOG_LEVEL_INFO,
  warn: LogLevel.LOG_LEVEL_WARN,
  error: LogLevel.LOG_LEVEL_ERROR,
  fatal: LogLevel.LOG_LEVEL_FATAL,
}

const levelNames = new Map(Object.entries(levels).map(([name, level]) => [level, name]))

const kindNames: Readonly<Partial<Record<CrashKind, CrashKindName>>> = {
  [CrashKind.CRASH_KIND_NATIVE_CRASH]: 'native_crash',
  [CrashKind.CRASH_KIND_ANR]: 'anr',
}

const orNull = (text: string): string | null => (text === '' ? null : text)

export function createReportService(core: Core, hosts: HostClients): ReportService {
  const reach = createPhoneCalls(core, hosts)

  const listNotifications = async (to: PhoneRequest) => {
    const { notifications } = await reach.read<ListNotificationsRequest, ListNotificationsResponse>(
      to,
      (client, ...rest) => client.listNotifications(...rest),
      (assignment) => ({ assignment }),
    )
    return notifications.map(({ postedAt, ...rest }) => ({ ...rest, postedAt: postedAt ?? null }))
  }

  /**
   * Checks a notification for the profile `guarded`, which must not act on apps that are left to a person, nor on a
   * card that may belong to such an app. The agent finds a card by its texts, which any app can repeat.
   */
  async function checkNotification(to: PhoneRequest, id: string): Promise<void> {
    if (to.caller.profile !== 'guarded') return
    const listed = await listNotifications(to)
    const found = listed.find((notification) => notification.id === id)
    if (!found) return
    for (const each of listed)
      if (each === found || canBeTakenFor(found, each)) checkAppChange(to.caller, to.phoneId, each.package)
    if (listed.length >= mostNotifications)
      throw handoffRequired(
        to.phoneId,
        { package: found.package },
        'The phone has too many notifications to distinguish this notification from notifications that only a person may open.',
      )
  }

  /** Adds to a "not found" error the request that lists the existing objects. */
  const withList = async <T>(code: ErrorCode, next: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== code) throw error
      throw new ApiError(code, { details: error.details, next, cause: error })
    }
  }
  const ofNotification = <T>(phoneId: string, work: () => Promise<T>): Promise<T> =>
    withList('notification_not_found', `GET /v1/phones/${phoneId}/notifications`, work)

  return {
    async logs(caller, phoneId, { cursor, limit, package: name, level, since }, context) {
      const scope = { projectId: caller.projectId, list: `${phoneId} logs` }
      const from = core.cursors.decode(scope, cursor)
      const { lines, nextCursor } = await reach.read<ReadLogsRequest, ReadLogsResponse>(
        { caller, phoneId, context },
        (client, ...rest) => client.readLogs(...rest),
        (assignment) => ({
          assignment,
          package: name ?? '',
          minLevel: levels[level],
          since: since ?? undefined,
          limit,
          cursor: from?.id ?? '',
        }),
      )
      const last = lines.at(-1)
      return {
        data: lines.map((line) => ({
          at: line.at ?? null,
          level: levelNames.get(line.level) ?? 'verbose',
          tag: line.tag,
          pid: line.pid,
          package: orNull(line.package),
          message: line.message,
        })),
        nextCursor:
          nextCursor === '' || last === undefined
            ? null
            : core.cursors.encode(scope, { at: last.at ?? new Date(0), id: nextCursor }),
      }
    },

    async crashes(caller, phoneId, { cursor, limit, package: name }, context) {
      const scope = { projectId: caller.projectId, list: `${phoneId} crashes` }
      const from = core.cursors.decode(scope, cursor)
      const { crashes, isLast } = await reach.read<ListCrashesRequest, ListCrashesResponse>(
        { caller, phoneId, context },
        (client, ...rest) => client.listCrashes(...rest),
        (assignment) => ({ assignment, package: name ?? '', limit, cursor: from?.id ?? '' }),
      )
      const last = crashes.at(-1)
      return {
        data: crashes.map((crash) => ({
          at: crash.at ?? null,
          kind: kindNames[crash.kind] ?? 'crash',
          package: crash.package,
          process: crash.process,
          pid: crash.pid === 0 ? null : crash.pid,
          exception: orNull(crash.exception),
          reason: orNull(crash.reason),
          stack: crash.stack,
          truncated: crash.truncated,
        })),
        nextCursor:
          isLast || last === undefined
            ? null
            : core.cursors.encode(scope, { at: last.at ?? new Date(0), id: last.cursor }),
      }
    },

    notifications: (caller, phoneId, context) => listNotifications({ caller, phoneId, context }),

    async openNotification(caller, phoneId, notificationId, context) {
      const to = { caller, phoneId, context }
      await checkNotification(to, notificationId)
      await ofNotification(phoneId, () =>
        reach.write<OpenNotificationRequest, OpenNotificationResponse>(
          to,
          (client, ...rest) => client.openNotification(...rest),
          (assignment) => ({ assignment, notificationId }),
          `GET /v1/phones/${phoneId}/observe`,
        ),
      )
    },

    async dismissNotification(caller, phoneId, notificationId, context) {
      const to = { caller, phoneId, context }
      await checkNotification(to, notificationId)
      await ofNotification(phoneId, () =>
        reach.write<DismissNotificationRequest, DismissNotificationResponse>(
          to,
          (client, ...rest) => client.dismissNotification(...rest),
          (assignment) => ({ assignment, notificationId }),
          `GET /v1/phones/${phoneId}/notifications`,
        ),
      )
    },

    async setPermissions(caller, phoneId, packageName, { grant, revoke }, context) {
      checkAppChange(caller, phoneId, packageName)
      const { permissions } = await withList('app_not_found', `GET /v1/phones/${phoneId}/apps`, () =>
        reach.write<SetPermissionsRequest, SetPermissionsResponse>(
          { caller, phoneId, context },
          (client, ...rest) => client.setPermissions(...rest),
          (assignment) => ({ assignment, package: packageName, grant: [...grant], revoke: [...revoke] }),
          `POST /v1/phones/${phoneId}/apps/${packageName}/permissions`,
        ),
      )
      return permissions
    },
  }
}
