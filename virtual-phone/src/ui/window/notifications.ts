/**
 * Notifications in the shade, and the heads-up notification over the app. A tap opens the app, and a sideways
 * swipe removes the notification.
 */
import { dateFormat } from '../locale/formatters.js'
import { type PhoneNotification } from '../../android/world.js'
import { type Ui } from '../apps/app.js'
import { button, column, frame, label, row, scrollView } from '../toolkit/widgets.js'
import { type View } from '../toolkit/view.js'
import { STATUS_HEIGHT } from './system-ui.js'

interface Actions {
  open: (notification: PhoneNotification) => void
  remove: (notification: PhoneNotification) => void
  /** The apps' names by package. */
  label: (packageName: string) => string
}

function card(ui: Ui, notification: PhoneNotification, actions: Actions): View {
  const t = ui.theme
  const time = dateFormat(ui.configuration.locale, {
    hour: 'numeric',
    minute: '2-digit',
    timeZone: ui.configuration.timeZone,
  }).format(notification.whenMs)
  return column(
    {
      id: 'com.android.systemui:id/expandableNotificationRow',
      margin: { bottom: 4 },
      padding: 16,
      box: { color: t.surface, radius: 20 },
      onClick: () => {
        actions.open(notification)
      },
      ...(notification.ongoing === true
        ? {}
        : {
            onSwipeAway: () => {
              actions.remove(notification)
            },
          }),
    },
    [
      row({ width: 'fill' }, [
        label(t, actions.label(notification.package), {
          id: 'android:id/app_name_text',
          weight: 1,
          look: { size: 12, color: t.secondary },
        }),
        label(t, time, { id: 'android:id/time', look: { size: 12, color: t.secondary } }),
      ]),
      label(t, notification.title, {
        id: 'android:id/title',
        margin: { top: 4 },
        look: { size: 15, weight: 500, maxLines: 1 },
      }),
      label(t, notification.text, {
        id: 'android:id/text',
        margin: { top: 2 },
        look: { size: 14, color: t.secondary, maxLines: 3 },
      }),
    ],
  )
}

/** The notification's window receives touches on the card; `card` is the window's content in the tree. */
export function headsUp(
  ui: Ui,
  notification: PhoneNotification,
  actions: Actions,
): { root: View; shown: View } {
  const shown = column(
    {
      id: 'com.android.systemui:id/headsup_frame',
      padding: 0,
      box: { color: ui.theme.surface, radius: 20, shadow: true },
      place: { x: 'center' },
      width: ui.landscape ? 480 : 380,
    },
    [card(ui, notification, actions)],
  )
  return {
    root: frame({ width: 'fill', height: 'fill', padding: { top: STATUS_HEIGHT + 4 } }, [shown]),
    shown,
  }
}

export function notificationList(ui: Ui, all: readonly PhoneNotification[], actions: Actions): View {
  if (all.length === 0) {
    return label(ui.theme, 'No notifications', {
      id: 'com.android.systemui:id/no_notifications',
      place: { x: 'center' },
      margin: { top: 40 },
      look: { color: ui.theme.secondary, size: 14 },
    })
  }
  return scrollView(
    ui.scroll('notifications'),
    {
      id: 'com.android.systemui:id/notification_stack_scroller',
      height: 'wrap',
      weight: 1,
      padding: { top: 12 },
    },
    [
      ...all.map((notification) => card(ui, notification, actions)),
      row({ width: 'fill', gravity: { x: 'end' }, padding: { top: 4, bottom: 64 } }, [
        button(
          ui.theme,
          'Clear all',
          () => {
            for (const notification of all.filter(({ ongoing }) => ongoing !== true))
              actions.remove(notification)
          },
          { id: 'com.android.systemui:id/dismiss_text', kind: 'text' },
        ),
      ]),
    ],
  )
}
