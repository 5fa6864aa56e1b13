/** The host agent finds the same elements in the page source and in `uiautomator dump` of one screen. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launch, tap } from '../testing/ui-tree.js'
import { testAndroid } from '../testing/test-android.js'
import { startUia2, type Uia2 } from '../testing/uia2-client.js'

const phone = testAndroid()
const { world } = phone.android
let uia2: Uia2
beforeAll(async () => {
  uia2 = await startUia2(phone)
})
afterAll(() => phone.close())

interface Element {
  state: string[]
}
interface Elements {
  observationFromXml: (xml: string, screen: { width: number; height: number }) => { elements: Element[] }
}

// The host agent's tests depend on this package, so this package cannot declare the agent as a dependency.
const name: string = '@phonerack/host-agent/elements'
const { observationFromXml } = (await import(name)) as Elements
const elementsOf = (xml: string) => observationFromXml(xml, { width: 1080, height: 2400 }).elements
/** A dump has no attribute for a field's hint, so only the page source reports a shown hint. */
const withoutHint = (element: Element): Element => ({
  ...element,
  state: element.state.filter((word) => word !== 'hint'),
})
const source = async () => String(await uia2.value('GET', '/source'))

const screens: Readonly<Record<string, () => void>> = {
  launcher: () => undefined,
  ...Object.fromEntries(
    ['com.android.settings', 'com.android.contacts', 'com.phonerack.notes', 'com.phonerack.dialogs'].map(
      (name) => [name, () => launch(world, name)],
    ),
  ),
  'a dialog': () => {
    launch(world, 'com.phonerack.dialogs')
    tap(world, 'Show alert')
  },
  'empty fields': () => {
    launch(world, 'com.phonerack.notes')
    tap(world, 'New note')
  },
  'a long list, scrolled': () => {
    launch(world, 'com.android.contacts')
    world.scroll(500, 1500, 0, -30)
  },
}

it.each(Object.keys(screens))('%s', async (name) => {
  world.key('down', 3, 0)
  screens[name]?.()
  const [ofSource, ofDump] = [elementsOf(await source()), elementsOf(world.hierarchyXml())]
  expect(ofSource.length).toBeGreaterThan(3)
  expect(ofSource.map(withoutHint)).toEqual(ofDump)
})

it('shows the keyboard as a separate window when asked for all windows', async () => {
  world.forceStop('com.phonerack.notes')
  launch(world, 'com.phonerack.notes')
  tap(world, 'New note')
  await uia2.value('POST', '/appium/settings', { settings: { enableMultiWindows: true } })
  const before = await source()
  tap(world, 'title')
  const after = await source()
  expect(before).not.toContain('com.android.inputmethod.latin')
  expect(after).toContain('package="com.android.inputmethod.latin"')
  const packages = (xml: string) => new Set([...xml.matchAll(/ package="([^"]*)"/g)].map(([, name]) => name))
  expect(packages(after)).toEqual(
    new Set(['com.phonerack.notes', 'com.android.inputmethod.latin', 'com.android.systemui']),
  )
})
