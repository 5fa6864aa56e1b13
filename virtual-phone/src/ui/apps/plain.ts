/** The only screen of an app that was installed with `pm`: its name, package and version. */
import { type AppEntry } from '../../android/world.js'
import { column, label, toolbar } from '../toolkit/widgets.js'
import { type App } from './app.js'

export function plainApp(entry: AppEntry): App {
  const activity = entry.launcherActivity
  return {
    package: entry.package,
    label: entry.label,
    icon: { glyph: 'android', color: '#ffffff', background: '#3ddc84' },
    versionName: entry.versionName,
    versionCode: entry.versionCode,
    uid: entry.uid,
    launcherActivity: activity,
    actions: {},
    initialData: () => ({}),
    activities: activity
      ? {
          [activity]: (ui) =>
            column({ height: 'fill' }, [
              toolbar(ui.theme, ui.id('toolbar'), entry.label, null),
              label(ui.theme, entry.package, { id: ui.id('package_name'), margin: { left: 20, top: 12 } }),
              label(ui.theme, `Version ${entry.versionName} (${entry.versionCode})`, {
                id: ui.id('version'),
                margin: { left: 20, top: 4 },
                look: { size: 14, color: ui.theme.secondary },
              }),
            ]),
        }
      : {},
  }
}
