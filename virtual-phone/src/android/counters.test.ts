/** Each call is counted, once. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { testAndroid, type TestAndroid } from '../testing/test-android.js'
import { counted } from './world-overlay.js'

let test: TestAndroid
beforeEach(() => {
  test = testAndroid()
})
afterEach(() => {
  test.close()
})

it('counts commands with their subcommands, and does not count a command twice when `cmd` passes it on', async () => {
  await test.run('settings put global x 1; settings put global x 2; echo built in; toybox ls /; ls /; ls /')
  await test.run('cmd package list packages; pm list packages | head -n 1; input tap 1 2; uninstalled')
  expect(test.android.counters.counts().commands).toMatchObject({
    'settings put global x': 2,
    ls: 2,
    'cmd package list': 1,
    'pm list': 2,
    'input tap': 1,
    head: 1,
  })
})

it('counts restarts and wipes separately', async () => {
  await test.run('svc power reboot')
  await test.run('cmd testharness enable')
  expect(test.android.counters.counts()).toMatchObject({ reboots: 1, wipes: 1 })
})

it('counts each touch of a finger in the world, and not its moves', () => {
  const { counters } = test.android
  const world = counted(test.android.world, counters)
  world.touch('down', 0, 100, 100)
  world.touch('move', 0, 110, 100)
  world.touch('up', 0, 110, 100)
  world.key('down', 4, 0)
  world.key('up', 4, 0)
  world.setClipboard('text')
  world.commitText('text')
  world.paste()
  world.scroll(1, 1, 0, 1)
  expect(world.clipboard).toBe('text')
  expect(counters.counts()).toMatchObject({
    touches: 1,
    keys: 1,
    clipboardSets: 1,
    texts: 1,
    pastes: 1,
    scrolls: 1,
  })
})
