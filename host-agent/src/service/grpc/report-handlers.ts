/** HostService: logs, crashes and notifications of a phone, and permissions of its apps. */
import { CrashKind as WireKind, type Assignment, type HostServiceServer } from '@phonerack/proto'
import { limits, ownNow, type Logger, type Progress } from '@phonerack/shared'
import { dismissNotification, openNotification } from '../../actions/on-notification.js'
import type { CrashKind, PostedNotification } from '../../adb/device/reports.js'
import type { Registry } from '../../devices/registry.js'
import { callerOf, need, unary } from './call.js'
import { fromWire, toWire } from './log-levels.js'
import { notificationId } from '../../phone/logs/notification-id.js'

type ReportCalls = Pick<
  HostServiceServer,
  | 'readLogs'
  | 'listCrashes'
  | 'listNotifications'
  | 'openNotification'
  | 'dismissNotification'
  | 'setPermissions'
>

/** Returns the limit of a request. A request without a limit gets the default of the public API. */
const countOf = (limit: number, { max, default: preset }: { max: number; default: number }): number =>
  limit === 0 ? preset : Math.min(limit, max)

const crashKinds: Record<CrashKind, WireKind> = {
  crash: WireKind.CRASH_KIND_CRASH,
  native_crash: WireKind.CRASH_KIND_NATIVE_CRASH,
  anr: WireKind.CRASH_KIND_ANR,
}

export function createReportHandlers(registry: Registry, log: Logger): ReportCalls {
  async function onNotification(
    assignment: Assignment | undefined,
    id: string,
    work: typeof openNotification,
    progress: Progress,
  ): Promise<void> {
    const caller = callerOf(assignment)
    const gate = registry.gate(caller.serial)
    await gate.write('notification', caller, progress, async (device, within) => {
      const is = ({ key }: PostedNotification) => notificationId(caller.phoneId, key) === id
      const beganAt = ownNow()
      try {
        await work(device, need(device.notifications, 'notifications'), { id, is }, within, log)
      } finally {
        gate.looks(caller).wrote({ kind: 'touch', beganAt, endedAt: ownNow() })
      }
    })
  }

  return {
    readLogs: unary(log, 'ReadLogs', async ({ assignment, ...request }, progress) => {
      const caller = callerOf(assignment)
      const query = {
        package: request.package === '' ? null : request.package,
        minLevel: fromWire(request.minLevel),
        since: request.since ?? null,
        limit: countOf(request.limit, limits.logs.lines),
        cursor: request.cursor === '' ? null : request.cursor,
      }
      const { lines, more } = await registry
        .gate(caller.serial)
        .read(caller, progress, (device, within) => need(device.logs, 'logs').read(query, within))
      return {
        lines: lines.map(({ level, package: owner, ...line }) => ({
          ...line,
          level: toWire(level),
          package: owner ?? '',
        })),
        nextCursor: more ? (lines.at(-1)?.cursor ?? '') : '',
      }
    }),
    listCrashes: unary(log, 'ListCrashes', async ({ assignment, ...request }, progress) => {
      const caller = callerOf(assignment)
      const query = {
        package: request.package === '' ? null : request.package,
        limit: countOf(request.limit, limits.logs.crashes),
        cursor: request.cursor === '' ? null : request.cursor,
      }
      const { crashes, more } = await registry
        .gate(caller.serial)
        .read(caller, progress, (device, within) => need(device.crashes, 'crashes').list(query, within))
      return {
        crashes: crashes.map(({ kind, pid, exception, reason, ...crash }) => ({
          ...crash,
          kind: crashKinds[kind],
          pid: pid ?? 0,
          exception: exception ?? '',
          reason: reason ?? '',
        })),
        isLast: !more,
      }
    }),
    listNotifications: unary(log, 'ListNotifications', async ({ assignment }, progress) => {
      const caller = callerOf(assignment)
      const found = await registry
        .gate(caller.serial)
        .read(caller, progress, (device, within) => need(device.notifications, 'notifications').list(within))
      const notifications = found.map(({ key, postedAt, ...rest }) => ({
        ...rest,
        id: notificationId(caller.phoneId, key),
        postedAt: postedAt ?? undefined,
      }))
      return { notifications }
    }),
    openNotification: unary(log, 'OpenNotification', async ({ assignment, notificationId: id }, progress) => {
      await onNotification(assignment, id, openNotification, progress)
      return {}
    }),
    dismissNotification: unary(
      log,
      'DismissNotification',
      async ({ assignment, notificationId: id }, progress) => {
        await onNotification(assignment, id, dismissNotification, progress)
        return {}
      },
    ),
    setPermissions: unary(log, 'SetPermissions', async ({ assignment, ...request }, progress) => {
      const caller = callerOf(assignment)
      const permissions = await registry
        .gate(caller.serial)
        .write('permissions', caller, progress, (device, within) =>
          need(device.permissions, 'permissions').set(request.package, request, within),
        )
      return { permissions }
    }),
  }
}
