/** The text of `-android uiautomator`, and the elements that it selects. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AccessibilityNode, AccessibilityWindow } from '../android/accessibility.js'
import { ServerError } from './errors.js'
import { parseChain } from './selector-text.js'
import { pageSource } from './source.js'
import { buildTree, type TreeNode } from './tree.js'
import { matchSelector, selectorOf } from './ui-selector.js'
import { findByXPath } from './xpath.js'

const plain: AccessibilityNode = {
  className: 'android.widget.FrameLayout',
  resourceId: '',
  text: '',
  description: '',
  hint: null,
  empty: false,
  checkable: false,
  checked: false,
  clickable: false,
  enabled: true,
  focusable: false,
  focused: false,
  longClickable: false,
  password: false,
  scrollable: false,
  selected: false,
  selection: null,
  inputType: 0,
  progress: null,
  scroll: null,
  bounds: { left: 0, top: 0, right: 100, bottom: 200 },
  visible: true,
  index: 0,
  row: null,
  children: [],
  setText: null,
  setProgress: null,
}

const node = (
  changes: Partial<AccessibilityNode>,
  ...children: Partial<AccessibilityNode>[]
): AccessibilityNode => ({
  ...plain,
  ...changes,
  children: children.map((child, index) => ({ ...plain, index, ...child })),
})

function treeOf(root: AccessibilityNode) {
  const window: AccessibilityWindow = {
    id: 7,
    type: 1,
    title: 'activity',
    package: 'org.example',
    bounds: root.bounds,
    active: true,
    layer: 0,
    root,
  }
  return buildTree([window], { multiWindows: false, invisible: false })
}

const select = (root: AccessibilityNode, text: string) =>
  matchSelector(selectorOf(text, parseChain(text)), treeOf(root).roots).map(({ info }) => info.text)

const list = node(
  { resourceId: 'org.example:id/list', scrollable: true },
  { text: 'One (1)', className: 'android.widget.TextView', clickable: true },
  { text: 'two, "quoted"', className: 'android.widget.TextView', description: 'Second' },
  { text: 'Hidden', className: 'android.widget.TextView', visible: false },
  { text: 'One more', className: 'android.widget.Button', checkable: true, checked: true },
)

describe('a selector of UiAutomator', () => {
  it.each([
    ['new UiSelector().text("One (1)")', ['One (1)']],
    ['text("One (1)")', ['One (1)']],
    ['.className("android.widget.TextView").instance(1);', ['two, "quoted"']],
    ['new UiSelector().text("two, \\"quoted\\"")', ['two, "quoted"']],
    ['new UiSelector().textContains("ONE")', ['One (1)', 'One more']],
    ['new UiSelector().textStartsWith("one m")', ['One more']],
    ['new UiSelector().textMatches("(?i)one.*").checked(true)', ['One more']],
    ['new UiSelector().textMatches("One")', []],
    ['new UiSelector().descriptionContains("econ")', ['two, "quoted"']],
    [
      'new UiSelector().resourceIdMatches(".*:id/list").childSelector(new UiSelector().index(3))',
      ['One more'],
    ],
    ['new UiSelector().text("One more").fromParent(new UiSelector().clickable(true))', ['One (1)']],
    ['new UiSelector().packageName("org.example").className(android.widget.Button.class)', ['One more']],
    ['new UiSelector().text("Hidden")', []],
  ])('%s', (text, found) => {
    expect(select(list, text)).toEqual(found)
  })

  it('is parsed or refused, for any text', () => {
    const word = fc.constantFrom(
      'new ',
      'UiSelector',
      '(',
      ')',
      '.',
      'text',
      'instance',
      '"a"',
      '1',
      'true',
      ',',
      ' ',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(word).map((words) => words.join('')),
        ),
        (text) => {
          try {
            selectorOf(text, parseChain(text))
          } catch (error) {
            expect(error).toBeInstanceOf(ServerError)
          }
        },
      ),
    )
  })
})

describe('the page source', () => {
  const display = { rotation: 0, width: 1080, height: 2400, navigationHeight: 126 }

  it('has the names, attributes and order of the server', () => {
    const root = node(
      { className: 'androidx.a.B$C' },
      {
        className: 'android.widget.EditText',
        text: 'Name\n"<&>" 🙂',
        hint: 'Name',
        inputType: 1,
        selection: { start: 1, end: 3 },
        focused: true,
        description: 'Your name',
        resourceId: 'org.example:id/name',
      },
    )
    expect(pageSource(treeOf(root), display, 70)).toBe(
      [
        "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>",
        '<hierarchy index="0" class="hierarchy" rotation="0" width="1080" height="2274">',
        '  <androidx.a.B.C index="0" package="org.example" class="androidx.a.B$C" text="" checkable="false" checked="false" clickable="false" enabled="true" focusable="false" focused="false" long-clickable="false" password="false" scrollable="false" selected="false" bounds="[0,0][100,200]" displayed="true" a11y-important="true" screen-reader-focusable="false" drawing-order="0" showing-hint="false" text-entry-key="false" dismissable="false" a11y-focused="false" heading="false" live-region="0" context-clickable="false" content-invalid="false" window-id="7">',
        '    <android.widget.EditText index="0" package="org.example" class="android.widget.EditText" text="Name&#10;&quot;&lt;&amp;&gt;&quot; &#128578;" content-desc="Your name" resource-id="org.example:id/name" checkable="false" checked="false" clickable="false" enabled="true" focusable="false" focused="true" long-clickable="false" password="false" scrollable="false" selection-start="1" selection-end="3" selected="false" bounds="[0,0][100,200]" displayed="true" hint="Name" a11y-important="true" screen-reader-focusable="false" input-type="1" drawing-order="1" showing-hint="false" text-entry-key="false" dismissable="false" a11y-focused="false" heading="false" live-region="0" context-clickable="false" content-invalid="false" window-id="7" />',
        '  </androidx.a.B.C>',
        '</hierarchy>',
      ].join('\r\n'),
    )
  })

  it('is truncated at the maximum depth', () => {
    expect(pageSource(treeOf(list), display, 1)).not.toContain('One')
  })

  it('is searched by XPath', () => {
    const texts = (expression: string) =>
      findByXPath(treeOf(list), expression, null).map(({ info }) => info.text)
    expect(texts('//android.widget.TextView[contains(@text, "One")]')).toEqual(['One (1)'])
    expect(texts('/hierarchy/android.widget.FrameLayout/*[last()]')).toEqual(['One more'])
    expect(texts('//*[@clickable="true"]/following-sibling::android.widget.Button')).toEqual(['One more'])
    // The expression is XPath 2, which the server supports.
    expect(texts('//*[matches(@text, "^One")]')).toEqual(['One (1)', 'One more'])
    expect(() => texts('count(//*)')).toThrow(ServerError)
    expect(() => texts('//*[')).toThrow(ServerError)
  })
})

describe('an element', () => {
  const names = (root: AccessibilityNode) =>
    new Map(treeOf(root).nodes.map((each): [string, TreeNode] => [each.id, each]))

  it('has a unique name, which stays while other views are added and removed', () => {
    const ids = names(list)
    expect(ids.size).toBe(4)
    const more = node(
      { resourceId: 'org.example:id/list' },
      { text: 'One (1)', className: 'android.widget.TextView', clickable: true },
      { text: 'changed', className: 'android.widget.TextView' },
    )
    for (const id of names(more).keys()) expect(ids.has(id)).toBe(true)
  })

  it('in a list is identified by its row, not by its position on the screen', () => {
    const rows = (first: number) =>
      node(
        {},
        ...['a', 'b'].map((text, at) => ({ text, className: 'android.widget.TextView', row: first + at })),
      )
    const [, second] = [...names(rows(5)).keys()].slice(1)
    const [first] = [...names(rows(6)).keys()].slice(1)
    expect(first).toBe(second)
  })
})
