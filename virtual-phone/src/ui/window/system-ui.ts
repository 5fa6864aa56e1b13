/** The system's own windows: status bar, navigation bar and the pulled-down shade. */
import { dateFormat } from '../locale/formatters.js'
import { type Theme } from '../toolkit/theme.js'
import { column, frame, icon, iconButton, label, row } from '../toolkit/widgets.js'
import { view, type View } from '../toolkit/view.js'

/** dp. */
export const STATUS_HEIGHT = 32
export const NAVIGATION_HEIGHT = 48

export function clockText(now: Date, locale: string, timeZone: string, hour24: boolean): string {
  const cycle = hour24 ? { hourCycle: 'h23' as const } : {}
  return dateFormat(locale, { hour: 'numeric', minute: '2-digit', timeZone, ...cycle })
    .format(now)
    .replace(/\s?[AP]M$/i, '')
}

const SYSTEM = 'com.android.systemui:id/'

/** Returns the state of a switch of the Settings app. */
type SwitchReader = (key: string) => boolean

export function statusBar(
  clock: string,
  color: string,
  isOn: SwitchReader,
  { battery, waiting }: { battery: number; waiting: number },
): View {
  const airplane = isOn('airplane_mode')
  const theme = { text: color } as Theme
  return frame({ id: `${SYSTEM}status_bar`, width: 'fill', height: 'fill' }, [
    row({ width: 'fill', height: 'fill', padding: { left: 24, right: 20 } }, [
      label(theme, clock, { id: `${SYSTEM}clock`, look: { size: 14, weight: 500 } }),
      ...(waiting > 0
        ? [icon('notifications', 15, color, { description: 'Notifications.', margin: { left: 8 } })]
        : []),
      frame({ weight: 1, height: 'fill' }),
      ...(isOn('do_not_disturb')
        ? [icon('do_not_disturb_on', 17, color, { description: 'Do Not Disturb.', margin: { right: 3 } })]
        : []),
      ...(isOn('use_bluetooth')
        ? [icon('bluetooth', 17, color, { description: 'Bluetooth on.', margin: { right: 3 } })]
        : []),
      ...(isOn('wifi')
        ? [icon('wifi', 17, color, { description: 'Wifi signal full.', margin: { right: 3 } })]
        : []),
      airplane
        ? icon('airplanemode_active', 17, color, { description: 'Airplane mode.', margin: { right: 1 } })
        : icon('signal_cellular_alt', 17, color, { description: 'Phone signal full.', margin: { right: 1 } }),
      ...(isOn('battery_percentage')
        ? [label(theme, `${battery}%`, { look: { size: 13, weight: 500 } })]
        : []),
      icon(battery <= 15 ? 'battery_alert' : 'battery_full', 17, color, {
        description: `Battery ${battery} percent.`,
      }),
    ]),
  ])
}

export interface NavigationActions {
  back: () => void
  home: () => void
  recents: () => void
}

export function navigationBar(
  color: string,
  background: string,
  actions: NavigationActions,
  keyboard: boolean,
): View {
  const key = (id: string, glyph: string, size: number, description: string, onClick: () => void): View =>
    view(
      'android.widget.ImageView',
      {
        id: `${SYSTEM}${id}`,
        description,
        weight: 1,
        height: 'fill',
        mark: { kind: 'icon', glyph, size, color },
        onClick,
      },
      [],
    )
  return frame({ width: 'fill', height: 'fill', box: { color: background, radius: 0 } }, [
    row({ width: 'fill', height: 'fill', padding: { left: 24, right: 24 } }, [
      key(
        'back',
        keyboard ? 'keyboard_arrow_down' : 'arrow_back_ios_new',
        keyboard ? 26 : 18,
        'Back',
        actions.back,
      ),
      key('home_button', 'circle', 18, 'Home', actions.home),
      key('recent_apps', 'crop_square', 22, 'Overview', actions.recents),
    ]),
  ])
}

interface ShadeParts {
  theme: Theme
  date: string
  brightness: number
  night: boolean
  setBrightness: (value: number) => void
  toggleNight: () => void
  isOn: SwitchReader
  toggle: (key: string) => void
  openSettings: () => void
  notifications: View
}

/** Returns the shade: date, a few tiles and the brightness row. */
export function shade(parts: ShadeParts): View {
  const { theme } = parts
  const tile = (glyph: string, text: string, on: boolean, onClick: () => void): View =>
    row(
      {
        weight: 1,
        height: 64,
        margin: 4,
        padding: { left: 16, right: 12 },
        box: { color: on ? theme.primary : theme.field, radius: 28 },
        description: `${text}, ${on ? 'On' : 'Off'}`,
        onClick,
      },
      [
        icon(glyph, 22, on ? theme.onPrimary : theme.text),
        label(theme, text, {
          margin: { left: 12 },
          look: { size: 14, weight: 500, color: on ? theme.onPrimary : theme.text, maxLines: 1 },
        }),
      ],
    )
  return column(
    {
      id: `${SYSTEM}notification_panel`,
      width: 'fill',
      height: 'fill',
      box: { color: theme.background, radius: 0 },
      padding: { left: 12, right: 12, top: STATUS_HEIGHT + 8 },
    },
    [
      row({ width: 'fill', padding: { left: 8 } }, [
        label(theme, parts.date, { id: `${SYSTEM}date`, weight: 1, look: { size: 20 } }),
        iconButton(theme, 'settings', 'Open settings.', parts.openSettings),
      ]),
      row({ width: 'fill', margin: { top: 8 } }, [
        tile('wifi', 'Internet', parts.isOn('wifi'), () => parts.toggle('wifi')),
        tile('bluetooth', 'Bluetooth', parts.isOn('use_bluetooth'), () => parts.toggle('use_bluetooth')),
      ]),
      row({ width: 'fill' }, [
        tile('location_on', 'Location', parts.isOn('location'), () => parts.toggle('location')),
        tile('screen_rotation', 'Auto-rotate', parts.isOn('auto_rotate'), () => parts.toggle('auto_rotate')),
      ]),
      row({ width: 'fill' }, [
        tile('do_not_disturb_on', 'Do Not Disturb', parts.isOn('do_not_disturb'), () =>
          parts.toggle('do_not_disturb'),
        ),
        tile('battery_saver', 'Battery Saver', parts.isOn('battery_saver'), () =>
          parts.toggle('battery_saver'),
        ),
      ]),
      row({ width: 'fill' }, [
        tile('dark_mode', 'Dark theme', parts.night, parts.toggleNight),
        tile('airplanemode_active', 'Airplane mode', parts.isOn('airplane_mode'), () =>
          parts.toggle('airplane_mode'),
        ),
      ]),
      row({ width: 'fill', height: 56, padding: { left: 12, right: 12 } }, [
        icon('brightness_medium', 22, theme.text, { margin: { right: 16 } }),
        view('android.widget.SeekBar', {
          id: `${SYSTEM}slider`,
          description: 'Display brightness',
          weight: 1,
          height: 40,
          focusable: true,
          mark: { kind: 'slider', value: parts.brightness, color: theme.primary, track: theme.outline },
          onSlide: parts.setBrightness,
        }),
      ]),
      parts.notifications,
    ],
  )
}
