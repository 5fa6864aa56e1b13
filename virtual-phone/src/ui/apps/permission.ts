/**
 * Asks for a runtime permission like Android's permission controller: a window of a separate package in
 * front of the app.
 */
import { column, frame, icon, label } from '../toolkit/widgets.js'
import { view, type View } from '../toolkit/view.js'
import { type App, type Ui } from './app.js'

export const CONTROLLER = 'com.android.permissioncontroller'
const GRANT = 'com.android.permissioncontroller.permission.ui.GrantPermissionsActivity'

export type Permission = 'location' | 'camera'
type Answer = 'granted' | 'once' | 'denied'

const QUESTION: Readonly<Record<Permission, { glyph: string; text: string }>> = {
  location: { glyph: 'location_on', text: "Allow {app} to access this device's location?" },
  camera: { glyph: 'photo_camera', text: 'Allow {app} to take pictures and record video?' },
}

const answers = (ui: Ui): Record<string, Answer> => ui.dataOf(CONTROLLER) as Record<string, Answer>

/** Null when the user was not asked yet. */
export const permissionOf = (ui: Ui, permission: Permission): Answer | null =>
  answers(ui)[`${ui.package}/${permission}`] ?? null

/** The app returns to the foreground after the answer. */
export function askFor(ui: Ui, permission: Permission): void {
  ui.start({
    component: { package: CONTROLLER, className: GRANT },
    action: 'open',
    categories: [],
    extras: { app: ui.package, permission },
  })
}

function grant(ui: Ui): View {
  const t = ui.theme
  const app = ui.intent.extras['app'] ?? ''
  const permission: Permission = ui.intent.extras['permission'] === 'camera' ? 'camera' : 'location'
  const { glyph, text } = QUESTION[permission]
  const name = ui.apps.find((entry) => entry.package === app)?.label ?? app
  const back = (): void => {
    ui.finish()
    ui.start({ action: 'android.intent.action.MAIN', package: app, categories: [], extras: {} })
  }
  const answer = (value: Answer) => (): void => {
    answers(ui)[`${app}/${permission}`] = value
    back()
  }
  ui.onBack(back)
  const choice = (id: string, title: string, value: Answer): View =>
    view('android.widget.Button', {
      id: ui.id(id),
      text: title,
      style: { size: 15, weight: 500, color: t.onContainer, maxLines: 1, align: 'center' },
      gravity: { y: 'center' },
      width: 'fill',
      height: 56,
      margin: { top: 4 },
      box: { color: t.container, radius: 12 },
      onClick: answer(value),
    })
  return frame({ width: 'fill', height: 'fill', box: { color: 'rgba(0,0,0,0.55)', radius: 0 } }, [
    column(
      {
        id: ui.id('grant_dialog'),
        place: { x: 'center', y: 'center' },
        width: ui.landscape ? 440 : 340,
        padding: 24,
        gravity: { x: 'center' },
        box: { color: t.surface, radius: 28 },
      },
      [
        icon(glyph, 32, t.primary, { id: ui.id('permission_icon') }),
        label(t, text.replace('{app}', name), {
          id: ui.id('permission_message'),
          margin: { top: 16, bottom: 20 },
          look: { size: 20, align: 'center' },
        }),
        choice('permission_allow_foreground_only_button', 'While using the app', 'granted'),
        choice('permission_allow_one_time_button', 'Only this time', 'once'),
        choice('permission_deny_button', 'Don’t allow', 'denied'),
      ],
    ),
  ])
}

export const permissionController: App = {
  package: CONTROLLER,
  label: 'Permission controller',
  icon: { glyph: 'security', color: '#ffffff', background: '#5f6368' },
  versionName: '14',
  versionCode: 34,
  uid: 10_071,
  launcherActivity: null,
  activities: { [GRANT]: grant },
  actions: {},
  initialData: () => ({}),
}
