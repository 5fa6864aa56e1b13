/** The clock: alarms, and a face with a continuously moving second hand. */
import { dateFormat } from '../locale/formatters.js'
import { checkMark, column, icon, label, row, scrollView, toggle, toolbar } from '../toolkit/widgets.js'
import { view, type View } from '../toolkit/view.js'
import { type App, type Ui } from './app.js'

const MAIN = 'com.android.deskclock.DeskClock'
/** `AlarmClock.ACTION_SHOW_ALARMS`. */
const SHOW_ALARMS = 'android.intent.action.SHOW_ALARMS'
const TABS = [
  { name: 'Alarm', glyph: 'alarm' },
  { name: 'Clock', glyph: 'schedule' },
] as const
const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const

interface ClockData {
  alarms: { minutes: number; on: boolean; days: boolean[] }[]
}

const weekdays = (): boolean[] => DAYS.map((_, i) => i < 5)
const initialClock = (): ClockData => ({
  alarms: [
    { minutes: 7 * 60, on: true, days: weekdays() },
    { minutes: 9 * 60 + 30, on: false, days: DAYS.map((_, i) => i >= 5) },
  ],
})

const clockOf = (ui: Ui): ClockData => ui.data() as ClockData

function timeText(ui: Ui, at: number | Date, timeZone: string, seconds: boolean): string {
  return dateFormat(ui.configuration.locale, {
    hour: 'numeric',
    minute: '2-digit',
    ...(seconds ? { second: '2-digit' } : {}),
    timeZone,
  }).format(at)
}

function alarms(ui: Ui): View {
  const t = ui.theme
  return scrollView(
    ui.scroll('alarms'),
    { id: ui.id('alarm_recycler_view'), height: 'wrap', weight: 1 },
    clockOf(ui).alarms.map((alarm) =>
      column(
        { margin: { left: 16, right: 16, bottom: 8 }, padding: 16, box: { color: t.surface, radius: 20 } },
        [
          row({ width: 'fill' }, [
            label(t, timeText(ui, alarm.minutes * 60_000, 'UTC', false), {
              id: ui.id('digital_clock'),
              weight: 1,
              look: { size: 36, color: alarm.on ? t.text : t.secondary },
            }),
            toggle(t, alarm.on, {
              id: ui.id('onoff'),
              clickable: true,
              focusable: true,
              onClick: () => (alarm.on = !alarm.on),
            }),
          ]),
          row({ width: 'fill', margin: { top: 8 } }, [
            ...DAYS.map((day, i) =>
              column(
                {
                  width: 'wrap',
                  weight: 1,
                  gravity: { x: 'center' },
                  onClick: () => (alarm.days[i] = !(alarm.days[i] ?? false)),
                },
                [
                  label(t, day, { look: { size: 12, color: t.secondary } }),
                  checkMark(t, alarm.days[i] ?? false, 'round'),
                ],
              ),
            ),
          ]),
        ],
      ),
    ),
  )
}

/** Returns hours, minutes and seconds of the day in the time zone, with fractions. */
function hands(ui: Ui): { hour: number; minute: number; second: number } {
  const parts = dateFormat('en-US', {
    timeZone: ui.configuration.timeZone,
    hourCycle: 'h23',
    hour: 'numeric',
    minute: 'numeric',
  }).formatToParts(ui.now)
  const value = (type: string): number => Number(parts.find((part) => part.type === type)?.value ?? 0)
  const second = (ui.now.getTime() % 60_000) / 60_000
  const minute = (value('minute') + second) / 60
  return { hour: ((value('hour') % 12) + minute) / 12, minute, second }
}

function face(ui: Ui): View {
  const t = ui.theme
  const { locale, timeZone } = ui.configuration
  const date = dateFormat(locale, { weekday: 'long', month: 'long', day: 'numeric', timeZone })
  return column({ height: 'wrap', weight: 1, gravity: { x: 'center' }, padding: { top: 24 } }, [
    view('android.widget.AnalogClock', {
      id: ui.id('analog_clock'),
      width: ui.landscape ? 150 : 260,
      height: ui.landscape ? 150 : 260,
      moving: true,
      mark: { kind: 'dial', ...hands(ui), color: t.text, face: t.surface, accent: t.primary },
    }),
    label(t, timeText(ui, ui.now, timeZone, true), {
      id: ui.id('digital_clock'),
      margin: { top: 24 },
      look: { size: 36 },
    }),
    label(t, date.format(ui.now), { id: ui.id('date'), margin: { top: 8 }, look: { color: t.secondary } }),
    label(t, timeZone, {
      id: ui.id('time_zone'),
      margin: { top: 4 },
      look: { size: 14, color: t.secondary },
    }),
  ])
}

function main(ui: Ui): View {
  const t = ui.theme
  const first = ui.intent.action === SHOW_ALARMS ? 'Alarm' : 'Clock'
  const local = ui.local('tab', (): { tab: string } => ({ tab: first }))
  const page = local.tab === 'Alarm' ? alarms(ui) : face(ui)
  return column({ height: 'fill' }, [
    toolbar(t, ui.id('toolbar'), local.tab, null),
    page,
    row(
      { width: 'fill', height: ui.landscape ? 56 : 76, box: { color: t.surface, radius: 0 } },
      TABS.map(({ name, glyph }) => {
        const here = local.tab === name
        return column(
          {
            width: 'wrap',
            weight: 1,
            height: 'fill',
            gravity: { x: 'center', y: 'center' },
            selected: here,
            description: name,
            onClick: () => (local.tab = name),
          },
          [
            icon(glyph, 24, here ? t.primary : t.secondary),
            label(t, name, { look: { size: 12, color: here ? t.primary : t.secondary } }),
          ],
        )
      }),
    ),
  ])
}

export const clock: App = {
  package: 'com.android.deskclock',
  label: 'Clock',
  icon: { glyph: 'schedule', color: '#ffffff', background: '#4b5bb5' },
  versionName: '14',
  versionCode: 34,
  uid: 10_104,
  launcherActivity: MAIN,
  activities: { [MAIN]: main },
  actions: { [SHOW_ALARMS]: MAIN },
  initialData: initialClock,
}
