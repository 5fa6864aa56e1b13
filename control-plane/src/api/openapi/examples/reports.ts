/** Examples of reports of a phone, and of permissions. */
import { ids } from './ids.js'
import { one, type OperationExamples } from './kinds.js'

const camera = 'android.permission.CAMERA'
const contacts = 'android.permission.READ_CONTACTS'
const shop = 'com.example.shop'

export const reportExamples: Record<string, OperationExamples> = {
  readLogs: {
    answers: {
      200: one('page', 'The newest lines, with older ones after them', {
        data: [
          {
            at: '2026-11-21T12:55:02.417Z',
            level: 'error',
            tag: 'CartActivity',
            pid: 5120,
            package: shop,
            message: 'Request failed: 503',
          },
          {
            at: '2026-11-21T12:55:02.031Z',
            level: 'info',
            tag: 'ActivityTaskManager',
            pid: 1422,
            package: null,
            message: `START u0 {cmp=${shop}/.CartActivity} from uid 10212`,
          },
        ],
        next_cursor: 'TG9nczotNWRlbW9jdXJzb3I',
      }),
    },
  },
  listCrashes: {
    answers: {
      200: one('crashes', 'A crash and a hang', {
        data: [
          {
            at: '2026-11-21T12:55:04.120Z',
            kind: 'crash',
            package: shop,
            process: shop,
            pid: 5120,
            exception: 'java.lang.IllegalStateException',
            reason: 'The cart is empty',
            stack:
              'java.lang.IllegalStateException: The cart is empty\n\tat com.example.shop.Cart.pay(Cart.kt:88)',
            truncated: false,
          },
          {
            at: '2026-11-21T12:51:40.002Z',
            kind: 'anr',
            package: shop,
            process: shop,
            pid: 4988,
            exception: null,
            reason: 'Input dispatching timed out',
            stack: '"main" prio=5 tid=1 Sleeping\n  at java.lang.Thread.sleep(Native method)',
            truncated: false,
          },
        ],
        next_cursor: null,
      }),
    },
  },
  listNotifications: {
    answers: {
      200: one('notifications', 'A message', {
        data: [
          {
            id: ids.notification,
            package: 'com.android.messaging',
            title: 'Example Shop',
            text: 'Your code is 482913',
            posted_at: '2026-11-21T12:54:11.300Z',
            dismissible: true,
          },
        ],
      }),
    },
  },
  openNotification: { answers: { 200: one('opened', 'Opened', { id: ids.notification, opened: true }) } },
  dismissNotification: {
    answers: { 200: one('dismissed', 'Dismissed', { id: ids.notification, dismissed: true }) },
  },
  setPermissions: {
    body: one('permissions', 'Grant one and revoke another', { grant: [camera], revoke: [contacts] }),
    answers: {
      200: one('permissions', 'Both as the phone reports them', {
        package: shop,
        permissions: [
          { name: camera, granted: true },
          { name: contacts, granted: false },
        ],
      }),
    },
  },
}
