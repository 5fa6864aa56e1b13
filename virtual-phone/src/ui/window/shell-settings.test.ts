/** The shell and the screen change the same settings. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { testAndroid, type TestAndroid } from '../../testing/test-android.js'
import { find, get, launch, tap, textOf, treeOf } from '../../testing/ui-tree.js'
import { type World } from '../../android/world.js'

let test: TestAndroid
let world: World
beforeEach(() => {
  test = testAndroid()
  world = test.android.world
})
afterEach(() => {
  test.close()
})

const out = async (script: string): Promise<string> => (await test.run(script)).out.trim()

function switchOf(title: string): string | undefined {
  const top = get(world, title).parent?.parent?.bounds.top ?? 0
  return treeOf(world).find((n) => n.attributes['class'] === 'android.widget.Switch' && n.bounds.top >= top)
    ?.attributes['checked']
}

it('shows values of settings put, and prints changes made on the screen', async () => {
  await test.run('settings put global airplane_mode_on 1')
  launch(world, 'com.android.settings')
  tap(world, 'Network & internet')
  expect(switchOf('Airplane mode')).toBe('true')
  tap(world, 'Airplane mode')
  expect(await out('settings get global airplane_mode_on')).toBe('0')
  await test.run('settings put system font_scale 1.3')
  expect(world.configuration.fontScale).toBe(1.3)
  world.expandNotifications()
  tap(world, 'Dark theme')
  expect(await out('settings get secure ui_night_mode')).toBe('2')
})

it('keeps one time zone for the shell, the clock and Settings', async () => {
  await test.run('cmd alarm set-timezone Asia/Tokyo')
  launch(world, 'com.android.deskclock')
  expect(textOf(world, 'time_zone')).toBe('Asia/Tokyo')
  launch(world, 'com.android.settings')
  for (const wanted of ['System', 'Date & time', 'Time zone', 'Africa/Cairo']) tap(world, wanted)
  expect(await out('getprop persist.sys.timezone')).toBe('Africa/Cairo')
  expect(await out('date +%Z')).toMatch(/EET|EEST|GMT\+[23]/)
})

it('keeps one language for the shell and Settings', async () => {
  await test.run('settings put system system_locales ar-EG')
  launch(world, 'com.android.settings')
  for (const wanted of ['System', 'Languages', 'System language', 'Deutsch']) tap(world, wanted)
  expect(await out('getprop persist.sys.locale')).toBe('de-DE')
  expect(find(world, 'Deutsch')).toBeDefined()
})
