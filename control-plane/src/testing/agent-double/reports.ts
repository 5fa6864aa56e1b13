/** Calls of logs, crashes, notifications and permissions. */
import { CrashKind, LogLevel, type HostServiceServer, type Notification } from '@phonerack/proto'
import { ApiError } from '@phonerack/shared'
import { answer } from './answers.js'
import { type Inside } from './inside.js'

const at = new Date('2026-11-21T12:49:30.086Z')

export const doubleNotification = 'ntf_bbbbbbbbbbbb'

/** The notification of every double, unless a test adds other notifications. */
export const shownNotification: Notification = {
  id: doubleNotification,
  package: 'org.example.app',
  title: 'Title',
  text: 'Text',
  dismissible: true,
  postedAt: at,
}

const lines = Array.from({ length: 5 }, (_, index) => ({
  at,
  level: LogLevel.LOG_LEVEL_INFO,
  tag: 'Double',
  pid: 1000 + index,
  package: index === 0 ? '' : 'org.example.app',
  message: `line ${index}`,
  cursor: `1.${index}`,
}))

export const reportsCalls = (
  agent: Inside,
): Pick<
  HostServiceServer,
  | 'readLogs'
  | 'listCrashes'
  | 'listNotifications'
  | 'openNotification'
  | 'dismissNotification'
  | 'setPermissions'
> => ({
  readLogs: (call, callback) =>
    answer(callback, async () => {
      await agent.beginCall('readLogs', call.request.assignment)
      const { limit, cursor } = call.request
      const from = cursor === '' ? 0 : lines.findIndex((line) => line.cursor === cursor) + 1
      const page = lines.slice(from, from + limit)
      const more = from + limit < lines.length
      return { lines: page, nextCursor: more ? (page.at(-1)?.cursor ?? '') : '' }
    }),
  listCrashes: (call, callback) =>
    answer(callback, async () => {
      await agent.beginCall('listCrashes', call.request.assignment)
      const crash = {
        at,
        kind: CrashKind.CRASH_KIND_ANR,
        package: 'org.example.app',
        process: 'org.example.app',
        pid: 0,
        exception: '',
        reason: 'did not respond',
        stack: '"main"',
        truncated: false,
        cursor: 'data_app_anr@1',
      }
      return { crashes: [crash], isLast: call.request.cursor !== '' }
    }),
  listNotifications: (call, callback) =>
    answer(callback, async () => {
      await agent.beginCall('listNotifications', call.request.assignment)
      return { notifications: agent.held.notifications }
    }),
  openNotification: (call, callback) =>
    answer(callback, async () => {
      await agent.beginCall('openNotification', call.request.assignment)
      requireKnown(call.request.notificationId)
      return {}
    }),
  dismissNotification: (call, callback) =>
    answer(callback, async () => {
      await agent.beginCall('dismissNotification', call.request.assignment)
      requireKnown(call.request.notificationId)
      return {}
    }),
  setPermissions: (call, callback) =>
    answer(callback, async () => {
      await agent.beginCall('setPermissions', call.request.assignment)
      const { grant, revoke } = call.request
      const state = (granted: boolean) => (name: string) => ({ name, granted })
      return { permissions: [...grant.map(state(true)), ...revoke.map(state(false))] }
    }),
})

function requireKnown(id: string): void {
  if (id !== doubleNotification)
    throw new ApiError('notification_not_found', { details: { notification: id } })
}
