/** The home screen with every launchable app, and the overview of recent tasks. */
import { dateFormat } from '../locale/formatters.js'
import { type AppEntry } from '../../android/world.js'
import { chunks } from '../toolkit/chunks.js'
import { column, frame, icon, label, row, scrollView } from '../toolkit/widgets.js'
import { view, type View } from '../toolkit/view.js'
import { type App, type Task, type Ui } from './app.js'

const PACKAGE = 'com.android.launcher3'
const HOME_ACTIVITY = 'com.android.launcher3.uioverrides.QuickstepLauncher'
const RECENTS_ACTIVITY = 'com.android.quickstep.RecentsActivity'

/**
 * Helpers of test tools, which close when they are opened. A real phone shows their icons, but an icon would
 * mislead.
 */
const hidden: ReadonlySet<string> = new Set(['io.appium.settings'])

type IconOf = (packageName: string) => App['icon']

function launch(ui: Ui, app: AppEntry): void {
  ui.start({
    action: 'android.intent.action.MAIN',
    package: app.package,
    categories: ['android.intent.category.LAUNCHER'],
    extras: {},
  })
}

/** Returns the app's bitmap icon, or a glyph on a disc. */
function appIcon(look: App['icon'], size: number, base64: string | undefined): View {
  if (base64 !== undefined)
    return view('android.widget.ImageView', { width: size, height: size, mark: { kind: 'image', base64 } })
  return frame(
    {
      width: size,
      height: size,
      box: { color: look.background, radius: 'full' },
      gravity: { x: 'center', y: 'center' },
    },
    [icon(look.glyph, size * 0.55, look.color)],
  )
}

/** Returns a grid cell, a TextView as in Launcher3, whose icon is drawn above its name. */
function cell(ui: Ui, app: AppEntry, look: App['icon']): View {
  return view(
    'android.widget.LinearLayout',
    {
      arrangement: 'column',
      weight: 1,
      height: 112,
      gravity: { x: 'center', y: 'center' },
      onClick: () => {
        launch(ui, app)
      },
      longClickable: true,
    },
    [
      appIcon(look, 56, app.icon),
      label(ui.theme, app.label, {
        id: ui.id('icon'),
        description: app.label,
        width: 'fill',
        margin: { top: 8, left: 2, right: 2 },
        look: { size: 13, color: '#ffffff', align: 'center', maxLines: 1 },
      }),
    ],
  )
}

function home(ui: Ui, iconOf: IconOf): View {
  const apps = ui.apps.filter(
    (app) => app.launcherActivity !== null && app.package !== PACKAGE && !hidden.has(app.package),
  )
  const columns = ui.landscape ? 7 : 4
  const day = dateFormat(ui.configuration.locale, {
    weekday: 'long',
    month: 'long',
    day: 'numeric',
    timeZone: ui.configuration.timeZone,
  }).format(ui.now)
  const rows = chunks(apps, columns).map((line) =>
    row({ width: 'fill', padding: { left: 12, right: 12 } }, [
      ...line.map((app) => cell(ui, app, iconOf(app.package))),
      ...Array.from({ length: columns - line.length }, () => frame({ weight: 1, height: 1 })),
    ]),
  )
  return column({ height: 'fill' }, [
    label(ui.theme, day, {
      id: ui.id('date'),
      margin: { left: 28, top: ui.landscape ? 8 : 36, bottom: ui.landscape ? 8 : 28 },
      look: { size: 24, color: '#ffffff' },
    }),
    scrollView(ui.scroll('workspace'), { id: ui.id('workspace'), weight: 1, height: 'wrap' }, rows),
  ])
}

function taskCard(ui: Ui, task: Task, look: App['icon']): View {
  const name = task.label
  const own = ui.apps.find((app) => app.package === task.package)?.icon
  return row(
    {
      width: 'fill',
      height: 88,
      margin: { left: 16, right: 16, top: 8 },
      padding: { left: 20, right: 20 },
      box: { color: ui.theme.surface, radius: 24 },
      description: name,
      onClick: () => {
        ui.switchTo(task.id)
      },
    },
    [
      appIcon(look, 44, own),
      label(ui.theme, name, { id: ui.id('task_title'), margin: { left: 16 }, look: { size: 18 } }),
    ],
  )
}

function recents(ui: Ui, iconOf: IconOf): View {
  const tasks = ui.recentTasks
  if (tasks.length === 0) {
    return frame({ width: 'fill', height: 'fill', gravity: { x: 'center', y: 'center' } }, [
      label(ui.theme, 'No recent items', {
        id: ui.id('empty'),
        look: { color: ui.theme.secondary, size: 18 },
      }),
    ])
  }
  return column({ height: 'fill', padding: { top: 24 } }, [
    scrollView(ui.scroll('overview'), { id: ui.id('overview_panel'), weight: 1, height: 'wrap' }, [
      ...tasks.map((task) => taskCard(ui, task, iconOf(task.package))),
      view('android.widget.Button', {
        id: ui.id('clear_all'),
        text: 'Clear all',
        style: { size: 14, weight: 500, color: ui.theme.primary, maxLines: 1, align: 'center' },
        gravity: { y: 'center' },
        width: 'fill',
        height: 48,
        margin: { top: 16 },
        onClick: () => {
          ui.closeTasks()
          ui.finish()
        },
      }),
    ]),
  ])
}

/** @param iconOf returns each app's icon, including the icons of installed apps */
export function launcher(iconOf: IconOf): App {
  return {
    package: PACKAGE,
    label: 'Launcher',
    icon: { glyph: 'home', color: '#ffffff', background: '#5f6368' },
    versionName: '14',
    versionCode: 34,
    uid: 10_090,
    launcherActivity: HOME_ACTIVITY,
    actions: {},
    initialData: () => ({}),
    activities: {
      [HOME_ACTIVITY]: (ui) => home(ui, iconOf),
      [RECENTS_ACTIVITY]: (ui) => recents(ui, iconOf),
    },
  }
}
