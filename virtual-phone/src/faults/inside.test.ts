/** Faults that adb alone does not show: the clipboard, and servers that end. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { testAndroid, type TestAndroid } from '../testing/test-android.js'
import { Faults } from './faults.js'
import { LinkFaults } from './link.js'

let test: TestAndroid
let faults: Faults
beforeEach(() => {
  test = testAndroid()
  const none = (): Promise<void> => Promise.resolve()
  faults = new Faults({
    android: test.android,
    link: new LinkFaults(),
    listening: { setPlugged: none, restart: none },
    boot: { stuck: false },
  })
})
afterEach(() => {
  faults.close()
  test.close()
})

it('refuses the clipboard to background apps', () => {
  const { world } = test.android
  world.setClipboard('before')
  faults.denyClipboard(true)
  world.setClipboard('lost')
  expect(world.clipboard).toBe('')
  faults.denyClipboard(false)
  expect(world.clipboard).toBe('before')
})

it('ends only scrcpy servers', () => {
  const killed: string[] = []
  for (const name of ['app_process', 'sh']) {
    test.android.processes.start({ user: 'shell', name, parent: 1, kill: () => killed.push(name) })
  }
  expect(faults.killScrcpy()).toBe(1)
  expect(killed).toEqual(['app_process'])
})

it('ends the UI server', () => {
  const ended: string[] = []
  test.android.running.begin('io.appium.uiautomator2.server', 10_210, () => ended.push('server'))
  faults.crashUiServer()
  expect(ended).toEqual(['server'])
  expect(test.android.running.isRunning('io.appium.uiautomator2.server')).toBe(false)
})
