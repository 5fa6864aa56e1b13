/**
 * Reads outputs of real phones, which are not in the repository: `shared/field` in its parent folder, or
 * `PHONERACK_FIELD_DATA`. The tests are skipped where the folder is missing.
 */
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { matchTarget } from '../actions/target.js'
import { observationFromXml } from '../screen/from-xml.js'
import { buildTree, type ScreenTree } from '../screen/elements.js'
import { parseNodes } from '../screen/nodes.js'
import { parseRecord } from '../phone/shell/notifications.js'
import { parseSize } from '../phone/shell/screen.js'
import { parseForeground } from '../phone/shell/windows.js'

const folder =
  process.env['PHONERACK_FIELD_DATA'] ??
  fileURLToPath(new URL('../../../../shared/field', import.meta.url)).replace(/\/$/, '')

const hasFieldData = existsSync(folder)

const fieldData = (name: string): string => readFileSync(`${folder}/${name}`, 'utf8')

const treeOf = (name: string, width: number, height: number): ScreenTree =>
  buildTree(parseNodes(fieldData(name)), { width, height })

describe.skipIf(!hasFieldData)('a screen', () => {
  it.each([
    ['uia2-whatsapp-samsung-nnbsp.xml', 1080, 2340, '10:10 am'],
    ['uia2-floating-termux-gesture-indriver.xml', 1080, 2388, 'S/ 8'],
  ])('%s contains the text that a model would type', (name, width, height, text) => {
    const match = matchTarget({ text }, treeOf(name, width, height), () => null)
    expect(match.found || match.miss.code === 'ambiguous_target').toBe(true)
  })
})

describe.skipIf(!hasFieldData)('the app of a screen', () => {
  it.each([
    ['uia2-whatsapp-samsung-nnbsp.xml', 1080, 2340, 'com.whatsapp'],
    ['uia2-floating-termux-gesture-indriver.xml', 1080, 2388, 'sinet.startup.inDriver'],
    ['uia2-keyboard-window-miui-notes.xml', 1080, 1920, 'com.miui.notes'],
    ['uia2-keyboard-window-avito-search.xml', 1080, 1920, 'com.avito.android'],
    ['dump-instagram-post-naf.xml', 1080, 1920, 'com.instagram.android'],
    ['dump-whatsapp-business-nbsp.xml', 1080, 2352, 'com.whatsapp.w4b'],
  ])('%s is the largest window', (name, width, height, app) => {
    expect(observationFromXml(fieldData(name), { width, height }).app.package).toBe(app)
  })
})

describe.skipIf(!hasFieldData)('a keyboard', () => {
  it.each([
    ['uia2-keyboard-window-miui-notes.xml', 1080, 1920],
    ['uia2-keyboard-window-avito-search.xml', 1080, 1920],
  ])('%s is listed without its keys for any package name', (name, width, height) => {
    const gboard = 'com.google.android.inputmethod.latin'
    for (const keyboardPackage of ['com.baidu.input_mi', 'com.tencent.wetype', 'helium314.keyboard', 'a.b']) {
      const xml = fieldData(name).replaceAll(gboard, keyboardPackage)
      const foreground = { package: '', systemDialog: false, keyboardVisible: true, keyboardPackage }
      const { elements, keyboards, nodes } = buildTree(parseNodes(xml), { width, height }, foreground)
      expect([...keyboards].map((root) => nodes[root]?.package)).toEqual([keyboardPackage])
      expect(elements.filter(({ node }) => node.package === keyboardPackage)).toEqual([])
      expect(elements.length).toBeGreaterThan(5)
      const [, top = 0] = nodes[[...keyboards][0] ?? 0]?.bounds ?? []
      expect(elements.filter(({ bounds }) => bounds[1] >= top)).toEqual([])
    }
  })
})

describe.skipIf(!hasFieldData)('displays', () => {
  it.each([
    ['window-displays-scrcpy-streaming.excerpt.txt', { width: 1280, height: 2856 }],
    ['window-displays-android14-two-displays.excerpt.txt', { width: 1080, height: 2400 }],
  ])('%s has the size of display 0', (name, size) => {
    expect(parseSize(fieldData(name))).toEqual(size)
  })

  it('a streaming phone shows the app of display 0', () => {
    expect(parseForeground(fieldData('window-displays-scrcpy-streaming.excerpt.txt'))).toMatchObject({
      package: 'com.inavi.orda',
      activity: 'com.inavi.orda.MainActivity',
    })
  })

  it('a Flip4 shows the app of display 0, also under a pop-up', () => {
    // The excerpt has the lines of the three displays without their titles.
    const lines = fieldData('window-displays-galaxy-flip4.excerpt.txt').trim().split('\n')
    const blocks = [2, 1, 0].map(
      (id, at) => `  Display: mDisplayId=${id}\n${lines[at + 3] ?? ''}\n${lines[at] ?? ''}\n`,
    )
    const popUp = blocks.join('').replace(/(Window\{\S+ u0 )[^}]+/, '$1PopupWindow:9e0')
    for (const output of [blocks.join(''), popUp, blocks.toReversed().join('')])
      expect(parseForeground(output).package).toBe('jp.naver.line.android')
  })
})

describe.skipIf(!hasFieldData)('notifications', () => {
  it('are all read in the forms of HyperOS, OxygenOS and WhatsApp', () => {
    const records = `${fieldData('notification-hyperos.excerpt.txt')}${fieldData('notification-headers.txt')}`
      .replaceAll('StatusBarNotification(pkg', 'NotificationRecord(0x1: pkg')
      .split(/^(?= *NotificationRecord\()/m)
      .slice(1)
    expect(records.map((text) => parseRecord(text)?.key)).toEqual([
      '-1|android|2147483647|ranker_group|1000|ranker_group',
      '-1|android|27|null|1000',
      '0|com.miui.misound|887|null|10189',
      '0|com.mugtaba.athan|0|athan_standard_magrib_2026-09-17|10186',
      expect.stringMatching(/^0\|com\.whatsapp\|1\|so0w.*=\n\|10342$/s),
    ])
  })
})
