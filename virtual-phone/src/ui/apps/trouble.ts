/**
 * Situations that are hard to automate, on buttons: a crash, a hang, a window that cannot be
 * captured, a tree of 1,500 nodes, a permission, an endless spinner, the time in blocks, screens that draw late.
 */
import { chunks } from '../toolkit/chunks.js'
import { button, column, label, row, scrollView, toolbar } from '../toolkit/widgets.js'
import { view, type View } from '../toolkit/view.js'
import { type App, type Ui } from './app.js'
import { LATE, lateActivities } from './late.js'
import { askFor, permissionOf } from './permission.js'
import { timeBlocks } from './time-blocks.js'

const MAIN = 'com.phonerack.trouble.MainActivity'
const SECURE = 'com.phonerack.trouble.SecureActivity'
const MANY = 'com.phonerack.trouble.ManyNodesActivity'
const BUSY = 'com.phonerack.trouble.BusyActivity'
const BLOCKS = 'com.phonerack.trouble.TimeBlocksActivity'
const CELLS = 1500
const COLUMNS = 30

function main(ui: Ui): View {
  const t = ui.theme
  const camera = permissionOf(ui, 'camera')
  const action = (id: string, text: string, onClick: () => void): View =>
    button(t, text, onClick, { id: ui.id(id), width: 'fill', height: 48, margin: { top: 12 } })
  return column({ height: 'fill' }, [
    toolbar(t, ui.id('toolbar'), 'Trouble', null),
    scrollView(
      ui.scroll('list'),
      { height: 'wrap', weight: 1, padding: { left: 24, right: 24, bottom: 24 } },
      [
        action('crash', 'Crash', () => {
          ui.breakDown('crash')
        }),
        action('hang', 'Stop responding', () => {
          ui.breakDown('not_responding')
        }),
        action('secure', 'Secure screen', () => ui.open(SECURE)),
        action('many', '1,500 nodes', () => ui.open(MANY)),
        action('busy', 'Never idle', () => ui.open(BUSY)),
        action('blocks', 'Time in blocks', () => ui.open(BLOCKS)),
        action('camera', 'Ask for the camera', () => askFor(ui, 'camera')),
        label(t, camera === null ? 'Not asked yet' : camera === 'denied' ? 'Denied' : 'Allowed', {
          id: ui.id('camera_state'),
          margin: { top: 4 },
          look: { size: 14, color: t.secondary },
        }),
        action('notify', 'Post a notification', () => {
          ui.notify({ id: 'trouble', title: 'Trouble', text: 'You asked for this notification.' })
        }),
        action('keep', 'Keep a notification', () => {
          const [title, text] = ['Trouble', 'This notification cannot be swiped away.']
          ui.notify({ id: 'kept', title, text, ongoing: true })
        }),
        action('late', 'Late screens', () => ui.open(LATE)),
      ],
    ),
  ])
}

function secure(ui: Ui): View {
  const t = ui.theme
  return column({ height: 'fill', secure: true }, [
    toolbar(t, ui.id('toolbar'), 'Secure screen', () => ui.finish()),
    label(t, 'Pictures of this window are black.', { id: ui.id('secure_text'), margin: 24 }),
  ])
}

function many(ui: Ui): View {
  const cells = Array.from({ length: CELLS }, (_, i) =>
    label(ui.theme, String(i + 1), {
      weight: 1,
      height: 'fill',
      gravity: { y: 'center' },
      look: { size: 5, align: 'center', maxLines: 1 },
    }),
  )
  return column(
    { id: ui.id('grid'), height: 'fill' },
    chunks(cells, COLUMNS).map((line) => row({ width: 'fill', weight: 1 }, line)),
  )
}

function busy(ui: Ui): View {
  const turn = (ui.now.getTime() % 1200) / 1200
  const t = ui.theme
  return column({ height: 'fill' }, [
    toolbar(t, ui.id('toolbar'), 'Never idle', () => ui.finish()),
    view('android.widget.ProgressBar', {
      id: ui.id('spinner'),
      width: 96,
      height: 96,
      place: { x: 'center' },
      margin: { top: 96 },
      moving: true,
      mark: {
        kind: 'dial',
        hour: turn,
        minute: turn,
        second: turn,
        color: t.outline,
        face: t.background,
        accent: t.primary,
      },
    }),
    label(t, 'Loading…', { id: ui.id('loading'), place: { x: 'center' }, margin: { top: 24 } }),
  ])
}

export const trouble: App = {
  package: 'com.phonerack.trouble',
  label: 'Trouble',
  icon: { glyph: 'report', color: '#ffffff', background: '#b3261e' },
  versionName: '1.0',
  versionCode: 1,
  uid: 10_110,
  launcherActivity: MAIN,
  activities: {
    [MAIN]: main,
    [SECURE]: secure,
    [MANY]: many,
    [BUSY]: busy,
    [BLOCKS]: timeBlocks,
    ...lateActivities,
  },
  actions: {},
  permissions: ['camera'],
  initialData: () => ({}),
}
