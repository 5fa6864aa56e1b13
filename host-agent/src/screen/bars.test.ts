import { describe, expect, it } from 'vitest'
import { pageSource, type Draft } from '../testing/screen-xml.js'
import { withoutBars } from './bars.js'
import { buildTree } from './elements.js'
import { parseNodes } from './nodes.js'

type Box = readonly [number, number, number, number]
const window = (name: string, bounds: Box, ...children: Draft[]): Draft => ({
  class: 'android.widget.FrameLayout',
  package: name,
  bounds,
  text: 'root',
  flags: ['clickable'],
  children,
})
const text = (said: string, name = 'com.example.app'): Draft => ({
  class: 'android.widget.TextView',
  package: name,
  text: said,
  bounds: [0, 100, 100, 200],
})
const key = (name: string, bounds: Box): Draft => ({ package: name, text: 'q', bounds, flags: ['clickable'] })

const latin = 'com.google.android.inputmethod.latin'
const app = window('com.example.app', [0, 0, 1080, 2400], text('Hello'))
const status = window('com.android.systemui', [0, 0, 1080, 80], text('12:00'))
const navigation = window('com.android.systemui', [0, 2274, 1080, 2400], text('Back'))
const shade = window('com.android.systemui', [0, 0, 1080, 2400], text('Wi-Fi'))
const keys = (name: string) => window(name, [0, 1500, 1080, 2274], text('Search', name))

const nodes = (keyboard: string | null, ...windows: Draft[]) =>
  withoutBars(parseNodes(pageSource(...windows)), keyboard).nodes
const texts = (...args: Parameters<typeof nodes>) => nodes(...args).map((node) => node.text)

describe('windows of a tree', () => {
  it('exclude the bars, and number the rest again', () => {
    expect(nodes(null, status, app, navigation)).toEqual(parseNodes(pageSource(app)).nodes)
  })

  it('keep the bars when there is nothing else', () => {
    expect(texts(null, status, navigation)).toEqual(['root', '12:00', 'root', 'Back'])
  })

  it('include the shade and the app behind it', () => {
    expect(texts(null, shade, app)).toContain('Wi-Fi')
  })

  // Packages: Baidu on Xiaomi, WeChat's keyboard, HeliBoard. The phone names the keyboard in use
  // (`default_input_method`).
  it.each(['com.baidu.input_mi', 'com.tencent.wetype', 'helium314.keyboard', 'org.example.typing'])(
    'reduce the keyboard %s to its area, first or last',
    (name) => {
      for (const windows of [
        [keys(name), status, app],
        [status, app, keys(name)],
      ]) {
        const left = nodes(name, ...windows)
        expect(left.map((node) => node.text).toSorted()).toEqual(['', 'Hello', 'root'])
        expect(left.find((node) => node.package === name)).toMatchObject({
          bounds: [0, 1500, 1080, 2274],
          clickable: false,
        })
        expect(left.map(({ index }) => index)).toEqual([...left.keys()])
      }
    },
  )

  it('reduce a keyboard to the area of its keys when its window is as large as the screen', () => {
    const large = window(
      latin,
      [0, 80, 1080, 2400],
      key(latin, [0, 1600, 100, 1700]),
      key(latin, [900, 2200, 1080, 2300]),
    )
    expect(nodes(latin, large, app)[0]).toMatchObject({ text: '', bounds: [0, 1600, 1080, 2300] })
  })

  it('keep the app of a keyboard, such as its settings', () => {
    const screen = { width: 1080, height: 2400 }
    const settings = window(latin, [0, 0, 1080, 2400], text('Languages', latin))
    const of = (keyboardVisible: boolean) =>
      buildTree(parseNodes(pageSource(status, settings)), screen, {
        package: latin,
        keyboardPackage: latin,
        keyboardVisible,
        systemDialog: false,
      }).elements.map((element) => element.text)
    expect(of(false)).toContain('Languages')
  })

  it('go by usual names when the phone does not name its keyboard', () => {
    expect(texts(null, keys(latin), app)).toEqual(['', 'root', 'Hello'])
    expect(texts('', keys(latin), app)).toContain('Search')
  })
})
