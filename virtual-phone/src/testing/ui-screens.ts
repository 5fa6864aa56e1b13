/**
 * Every kind of screen in the world by name, with the steps that open it on a new phone. Used by property
 * tests.
 */
import { makeWorld } from '../ui/index.js'
import { PAGES } from '../ui/apps/settings/pages.js'
import { type PhoneWorld } from '../ui/window/world.js'
import { launch, press, tap } from './ui-tree.js'

type Way = (world: PhoneWorld) => void

const app =
  (name: string, ...taps: string[]): Way =>
  (world) => {
    launch(world, name)
    for (const wanted of taps) tap(world, wanted)
  }

const settingsPage =
  (page: string): Way =>
  (world) => {
    const component = { package: 'com.android.settings', className: 'com.android.settings.SubSettings' }
    world.startActivity({ component, categories: [], extras: { page } })
  }

export const SCREENS: Readonly<Record<string, Way>> = {
  home: () => undefined,
  recents: (world) => {
    launch(world, 'com.android.settings')
    press(world, 187)
  },
  'recents, empty': (world) => {
    press(world, 187)
  },
  shade: (world) => {
    world.expandNotifications()
  },
  settings: app('com.android.settings'),
  'settings search': (world) => {
    app('com.android.settings', 'Search settings')(world)
    world.commitText('data')
  },
  ...Object.fromEntries(Object.keys(PAGES).map((page) => [`settings ${page}`, settingsPage(page)])),
  'settings app page': settingsPage('app/com.phonerack.notes'),
  'settings choice': (world) => {
    settingsPage('display')(world)
    tap(world, 'Font size')
  },
  notes: app('com.phonerack.notes'),
  'notes edit': app('com.phonerack.notes', 'New note', 'body'),
  'notes unlock': app('com.phonerack.notes', 'Private', 'password'),
  contacts: app('com.android.contacts'),
  'contacts search': (world) => {
    app('com.android.contacts', 'search_view')(world)
    world.commitText('山')
  },
  'contacts detail': app('com.android.contacts', 'cliv_row'),
  'contacts editor': app('com.android.contacts', 'Create contact', 'phone_field'),
  gallery: app('com.phonerack.gallery'),
  'gallery photo': app('com.phonerack.gallery', 'Lake'),
  'gallery film': app('com.phonerack.gallery', 'Clouds', 'Play'),
  dialogs: app('com.phonerack.dialogs'),
  'dialogs alert': app('com.phonerack.dialogs', 'Show alert'),
  'dialogs several': app('com.phonerack.dialogs', 'Choose several'),
  clock: app('com.android.deskclock'),
  alarms: app('com.android.deskclock', 'Alarm'),
  shop: app('com.phonerack.shop'),
  'shop detail': app('com.phonerack.shop', 'Bread Knife'),
  'shop cart': app('com.phonerack.shop', 'Bread Knife', 'Add to cart', 'Cart'),
  'shop checkout': app('com.phonerack.shop', 'Bread Knife', 'Add to cart', 'Cart', 'Check out'),
  messages: app('com.phonerack.messages'),
  'messages chat': app('com.phonerack.messages', 'Echo', 'compose_message_text'),
  bank: app('com.phonerack.bank'),
  maps: app('com.phonerack.maps'),
  permission: app('com.phonerack.maps', 'My location'),
  trouble: app('com.phonerack.trouble'),
  crash: app('com.phonerack.trouble', 'Crash'),
  'not responding': app('com.phonerack.trouble', 'Stop responding'),
  'browser article': app('com.android.browser', 'Tea'),
  browser: app('com.android.browser'),
  notifications: (world) => {
    world.notify({ package: 'com.phonerack.notes', id: 'a', title: 'Hello', text: 'World', whenMs: 0 })
    world.expandNotifications()
  },
  lock: (world) => {
    world.setLocked(true)
  },
  'heads-up': (world) => {
    launch(world, 'com.android.settings')
    world.notify({ package: 'com.phonerack.notes', id: 'a', title: 'Hello', text: 'World', whenMs: 0 })
  },
  'browser page': (world) => {
    world.startActivity({
      action: 'android.intent.action.VIEW',
      data: 'https://example.com/a?b=c&d',
      categories: [],
      extras: {},
    })
  },
  'installed app': (world) => {
    const entry = {
      package: 'org.example.app',
      label: 'Example <&> "app"',
      versionName: '1.0',
      versionCode: 1,
      system: false,
      uid: 10_200,
    }
    world.setInstalledApps([{ ...entry, launcherActivity: 'org.example.app.Main' }])
    launch(world, 'org.example.app')
  },
}

/** Returns a new phone that shows the screen. */
export function worldOn(screen: string): PhoneWorld {
  const world = makeWorld()
  const way = SCREENS[screen]
  if (!way) throw new Error(`There is no screen ${screen}`)
  way(world)
  return world
}
