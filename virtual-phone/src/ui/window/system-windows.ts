/** Windows of the system in front of the apps: "has stopped", "isn't responding", and the lock screen. */
import { dateFormat } from '../locale/formatters.js'
import { type PhoneNotification } from '../../android/world.js'
import { type Ui } from '../apps/app.js'
import { column, frame, icon, label, row } from '../toolkit/widgets.js'
import { view, type View } from '../toolkit/view.js'
import { type Model } from './model.js'
import { type SystemDialog } from './system-state.js'
import { clockText, STATUS_HEIGHT } from './system-ui.js'

/** Returns AOSP's `AppErrorDialog` and `AppNotRespondingDialog`, with the same text, IDs and order of rows. */
export function systemDialog(failure: SystemDialog, model: Model, ui: Ui): View {
  const t = ui.theme
  const name = model.app(failure.package)?.label ?? failure.package
  const crash = failure.kind === 'crash'
  const choice = (id: string, glyph: string, text: string, onClick: () => void): View =>
    view(
      'android.widget.LinearLayout',
      {
        arrangement: 'row',
        width: 'fill',
        height: 52,
        padding: { left: 24, right: 24 },
        gravity: { y: 'center' },
        onClick,
      },
      [
        icon(glyph, 22, t.secondary, { margin: { right: 16 } }),
        view('android.widget.Button', {
          id,
          text,
          style: { size: 16, weight: 400, color: t.text, maxLines: 1, align: 'start' },
          weight: 1,
          height: 40,
          gravity: { y: 'center' },
          onClick,
        }),
      ],
    )
  const close = (): void => {
    model.closeSystemDialog()
    if (!crash) model.forceStop(failure.package)
  }
  return column(
    {
      place: { x: 'center', y: 'center' },
      width: ui.landscape ? 420 : 320,
      padding: { top: 24, bottom: 12 },
      box: { color: t.dark ? '#2a2c33' : '#f8f8fe', radius: 28, shadow: true },
      blocksTouch: true,
    },
    [
      label(t, crash ? `${name} has stopped` : `${name} isn't responding`, {
        id: 'android:id/alertTitle',
        margin: { left: 24, right: 24, bottom: 16 },
        look: { size: 22 },
      }),
      ...(crash
        ? [
            choice('android:id/aerr_app_info', 'info_outline', 'App info', () => {
              model.closeSystemDialog()
              model.start({
                component: { package: 'com.android.settings', className: 'com.android.settings.SubSettings' },
                categories: [],
                extras: { page: `app/${failure.package}` },
              })
            }),
            choice('android:id/aerr_close', 'close', 'Close app', close),
          ]
        : [
            choice('android:id/aerr_close', 'close', 'Close app', close),
            choice('android:id/aerr_wait', 'schedule', 'Wait', () => {
              model.closeSystemDialog()
            }),
          ]),
    ],
  )
}

/** Returns the lock screen, which a swipe up opens without a PIN. */
export function keyguard(ui: Ui, notifications: readonly PhoneNotification[]): View {
  const white = { ...ui.theme, text: '#ffffff' }
  const { locale, timeZone } = ui.configuration
  const date = dateFormat(locale, { weekday: 'long', month: 'long', day: 'numeric', timeZone })
  const waiting = notifications[0]
  return frame(
    {
      id: 'com.android.systemui:id/keyguard_root_view',
      width: 'fill',
      height: 'fill',
      blocksTouch: true,
      mark: { kind: 'picture', picture: 'wallpaper', scale: 1, panX: 0, panY: 0 },
    },
    [
      column({ height: 'fill', padding: { top: STATUS_HEIGHT + 72 }, gravity: { x: 'center' } }, [
        label(white, clockText(ui.now, locale, timeZone, true), {
          id: 'com.android.systemui:id/lockscreen_clock_view',
          look: { size: 88 },
        }),
        label(white, date.format(ui.now), {
          id: 'com.android.systemui:id/keyguard_status_area',
          look: { size: 18 },
        }),
        ...(waiting
          ? [
              row({ margin: { top: 24 }, padding: 16, box: { color: 'rgba(0,0,0,0.4)', radius: 20 } }, [
                label(white, waiting.title, {
                  id: 'android:id/title',
                  look: { size: 15, weight: 500, maxLines: 1 },
                }),
              ]),
            ]
          : []),
        frame({ width: 'fill', weight: 1 }),
        label(white, 'Swipe up to open', {
          id: 'com.android.systemui:id/keyguard_indication_text',
          margin: { bottom: 72 },
          look: { size: 14 },
        }),
      ]),
    ],
  )
}
