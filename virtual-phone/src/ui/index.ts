/** Creates the Android world of one virtual phone. Used by `phone.ts`. */
import { type World } from '../android/world.js'
import { type App, type PhoneFacts } from './apps/app.js'
import { bank } from './apps/bank.js'
import { clock } from './apps/clock.js'
import { contacts } from './apps/contacts.js'
import { dialogs } from './apps/dialogs.js'
import { gallery } from './apps/gallery.js'
import { keyboardApp } from './apps/keyboard.js'
import { maps } from './apps/maps.js'
import { messages } from './apps/messages.js'
import { permissionController } from './apps/permission.js'
import { shop } from './apps/shop/shop.js'
import { trouble } from './apps/trouble.js'
import { browser } from './apps/web/browser.js'
import { launcher } from './apps/launcher.js'
import { notes } from './apps/notes.js'
import { settings } from './apps/settings/settings.js'
import { PhoneWorld } from './window/world.js'

interface CreateWorldOptions extends Partial<PhoneFacts> {
  /** The result of `exportState` before a reboot or park. If it is omitted or null, the phone is new. */
  state?: unknown
  now?: () => Date
}

const APPS: readonly App[] = [
  settings,
  contacts,
  notes,
  gallery,
  browser,
  messages,
  clock,
  shop,
  bank,
  maps,
  dialogs,
  trouble,
  keyboardApp,
  permissionController,
]
const INSTALLED_ICON: App['icon'] = { glyph: 'android', color: '#ffffff', background: '#3ddc84' }

/** The facts. The default is the virtual phone's `getprop` values. */
export function createWorld(options: CreateWorldOptions = {}): World {
  return makeWorld(options)
}

/** Like `createWorld`, with the parts that tests inspect in addition to `World`. */
export function makeWorld(options: CreateWorldOptions = {}): PhoneWorld {
  const iconOf = (name: string): App['icon'] =>
    APPS.find((app) => app.package === name)?.icon ?? INSTALLED_ICON
  const world = new PhoneWorld({
    apps: [launcher(iconOf), ...APPS],
    facts: {
      maker: options.maker ?? 'Phonerack',
      model: options.model ?? 'Virtual Phone',
      androidVersion: options.androidVersion ?? '14',
      buildNumber: options.buildNumber ?? 'UQ1A.240105.004',
      serial: options.serial ?? 'unknown',
    },
    now: options.now ?? (() => new Date()),
  })
  if (options.state != null) world.reboot(options.state)
  return world
}
