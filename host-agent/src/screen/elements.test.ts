import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyScreen } from '../testing/drafts.js'
import { dumpXml, type Draft } from '../testing/screen-xml.js'
import { buildTree, type ScreenTree } from './elements.js'
import { parseNodes } from './nodes.js'
import { hasVisibleText } from './visible-text.js'

const screen = { width: 1080, height: 2400 }
const build = (...roots: Draft[]): ScreenTree => buildTree(parseNodes(dumpXml(...roots)), screen)
const shown = (tree: ScreenTree) =>
  tree.elements.map(({ ref, type, text, desc }) => [ref, type, text, desc] as const)

const label = (text: string, top: number, more: Draft = {}): Draft => ({
  class: 'android.widget.TextView',
  text,
  bounds: [40, top, 800, top + 60],
  ...more,
})

describe('elements', () => {
  it('makes one button of a clickable row, with the state of its switch', () => {
    const row = (title: string, summary: string, top: number, on: boolean): Draft => ({
      class: 'android.widget.LinearLayout',
      flags: ['clickable', 'focusable'],
      bounds: [0, top, 1080, top + 200],
      children: [
        { bounds: [40, top, 800, top + 200], children: [label(title, top + 20), label(summary, top + 100)] },
        {
          class: 'android.widget.Switch',
          flags: ['checkable', ...(on ? ['checked'] : [])],
          bounds: [900, top + 50, 1040, top + 150],
        },
      ],
    })
    const list: Draft = {
      class: 'androidx.recyclerview.widget.RecyclerView',
      flags: ['scrollable', 'focusable'],
      bounds: [0, 200, 1080, 2400],
      children: [row('Wi-Fi', 'Connected', 200, true), row('Bluetooth', 'Off', 400, false)],
    }
    const tree = build({ bounds: [0, 0, 1080, 2400], children: [label('Settings', 80), list] })
    expect(shown(tree)).toEqual([
      [1, 'TextView', 'Settings', null],
      [2, 'LinearLayout', 'Wi-Fi, Connected', null],
      [3, 'LinearLayout', 'Bluetooth, Off', null],
      [4, 'RecyclerView', null, null],
    ])
    expect(tree.elements.map((element) => element.state)).toEqual([
      [],
      ['clickable', 'checkable', 'checked'],
      ['clickable', 'checkable'],
      ['scrollable'],
    ])
    expect(tree.elements[1]?.center).toEqual({ x: 540, y: 300 })
    const box = tree.visible.find((node) => node?.checked)
    expect(box && tree.elementOf[box.index]).toBe(tree.elements[1])
  })

  it('joins texts, or descriptions, without duplicates', () => {
    const tree = build({
      flags: ['clickable'],
      bounds: [0, 0, 1080, 300],
      children: [
        { class: 'android.widget.ImageView', desc: 'Avatar', bounds: [0, 0, 100, 100] },
        { desc: 'Ada', bounds: [100, 0, 800, 100], children: [label('Ada', 0)] },
        label('Call', 100, { desc: 'Call Ada' }),
        label('   ', 200),
      ],
    })
    expect(shown(tree)).toEqual([[1, 'View', 'Avatar, Ada, Call, Call Ada', null]])
  })

  const pressed = (children: Draft[], more: Draft = {}): ScreenTree =>
    build({
      class: 'android.widget.LinearLayout',
      flags: ['clickable'],
      bounds: [0, 0, 1080, 200],
      children,
      ...more,
    })
  const dot = (flags: string[], more: Draft = {}): Draft => ({
    class: 'android.widget.RadioButton',
    flags: ['checkable', ...flags],
    bounds: [900, 0, 1000, 100],
    ...more,
  })
  const states = (tree: ScreenTree) => tree.elements.map(({ text, state }) => [text, state])

  it("shows states on the touch target: checked, selected and disabled of a button's parts [32.5]", () => {
    expect(states(pressed([label('Mon', 0), dot(['checked'])]))).toEqual([
      ['Mon', ['clickable', 'checkable', 'checked']],
    ])
    expect(states(pressed([label('Mon', 0, { flags: ['selected'] })]))).toEqual([
      ['Mon', ['clickable', 'selected']],
    ])
    expect(states(pressed([label('Mon', 0), dot([], { attributes: { enabled: 'false' } })]))).toEqual([
      ['Mon', ['clickable', 'checkable', 'disabled']],
    ])
    // The node has its own text, or is in a row that has a text or a description.
    expect(states(pressed([dot(['checked'], { text: 'Mon' })]))).toEqual([
      ['Mon', ['clickable', 'checkable', 'checked']],
    ])
    expect(states(pressed([dot(['checked'])], { text: 'Mon' }))).toEqual([
      ['Mon', ['clickable', 'checkable', 'checked']],
    ])
  })

  it('lists separately a node that takes touches, has siblings of its kind, or has a different name', () => {
    const listed = (tree: ScreenTree) => tree.elements.filter(({ type }) => type === 'RadioButton').length
    expect(listed(pressed([label('Mon', 0), dot(['checked', 'clickable'])]))).toBe(1)
    expect(listed(pressed([label('Mon', 0), dot(['checked']), dot([])]))).toBe(2)
    expect(listed(pressed([dot(['checked'], { text: 'Tue' })], { text: 'Mon' }))).toBe(1)
    const tree = pressed([label('Mon', 0), dot(['checked', 'clickable'])])
    expect(tree.elements.find(({ text }) => text === 'Mon')?.state).toEqual(['clickable'])
    // An icon's state is not the state of the button around it.
    const icon: Draft = {
      class: 'android.widget.ImageView',
      bounds: [0, 0, 99, 99],
      attributes: { enabled: 'false' },
    }
    expect(states(pressed([label('Mon', 0), icon]))).toEqual([['Mon', ['clickable']]])
  })

  it('keeps a description that differs from the text in a button', () => {
    const listed = (text: string, desc: string) => pressed([label(text, 0, { desc })]).elements[0]?.text
    expect(listed('\u5f00\u59cb', '\u5f00\u59cb\u65f6\u95f4')).toBe('\u5f00\u59cb, \u5f00\u59cb\u65f6\u95f4')
    expect(listed('Start', 'Start')).toBe('Start')
    const row = pressed([label('Start', 0, { desc: 'From' }), label('8:00', 0)])
    expect(row.elements[0]?.text).toBe('Start, From, 8:00')
  })

  it('uses words without bounds as the name of their parent', () => {
    const unplaced = (text: string, more: Draft = {}) => label(text, 0, { bounds: [0, 0, 0, 0], ...more })
    const tab = (...children: Draft[]) => pressed([{ bounds: [40, 20, 200, 90], children }])
    expect(shown(tab(unplaced('Games')))).toEqual([[1, 'LinearLayout', 'Games', null]])
    expect(shown(tab(unplaced('', { desc: 'Games' })))).toEqual([[1, 'LinearLayout', 'Games', null]])
    expect(tab(unplaced('Games')).elementOf[2]?.center).toEqual({ x: 540, y: 100 })
    // The selected tab of a row of tabs cannot be clicked in Compose.
    const chosen = build({ flags: ['selected'], bounds: [0, 0, 300, 200], children: [unplaced('Apps')] })
    expect(chosen.elements.map(({ text, bounds }) => [text, bounds])).toEqual([['Apps', [0, 0, 300, 200]]])
  })

  it('does not use words without bounds as the name of a page, a list, or a named node', () => {
    const lost = label('lost', 0, { bounds: [0, 0, 0, 0] })
    for (const parent of [
      { bounds: [0, 0, 1080, 2400] as const },
      { class: 'android.widget.ListView', bounds: [0, 0, 300, 300] as const },
      { desc: 'Named', bounds: [0, 0, 300, 300] as const },
      { desc: 'Named', bounds: [0, 0, 300, 300] as const, flags: ['clickable'] },
    ])
      expect(JSON.stringify(shown(build({ ...parent, children: [lost] })))).not.toContain('lost')
    const hidden = label('lost', 0, { bounds: [0, 0, 0, 0], attributes: { displayed: 'false' } })
    expect(shown(pressed([hidden]))).toEqual([[1, 'LinearLayout', null, null]])
    const button = label('lost', 0, { bounds: [0, 0, 0, 0], flags: ['clickable'] })
    expect(shown(pressed([button]))).toEqual([[1, 'LinearLayout', null, null]])
  })

  it('reports that a field shows its hint, and keeps the hint as its text [32.4]', () => {
    const field = (text: string, attributes: Record<string, string>, flags: string[] = []): unknown => {
      const [element] = build({
        class: 'android.widget.EditText',
        text,
        flags: ['clickable', 'focusable', ...flags],
        bounds: [0, 0, 1080, 100],
        attributes,
      }).elements
      return [element?.text, element?.state.includes('hint')]
    }
    expect(field('Search', { hint: 'Search', 'showing-hint': 'true' })).toEqual(['Search', true])
    expect(field('Search', { hint: 'Search', 'showing-hint': 'false' })).toEqual(['Search', false])
    // Some phones report the hint next to an empty text, or do not report which of the two is shown.
    expect(field('', { hint: 'Search', 'showing-hint': 'true' })).toEqual(['Search', true])
    expect(field('', { hint: 'Search' })).toEqual(['Search', true])
    expect(field('Search', { hint: 'Search' })).toEqual(['Search', true])
    expect(field('Milk', { hint: 'Search' })).toEqual(['Milk', false])
    expect(field('Milk', {})).toEqual(['Milk', false])
    expect(field('Password', { hint: 'Password', 'showing-hint': 'true' }, ['password'])).toEqual([
      'Password',
      true,
    ])
    expect(field('hunter2', { hint: 'Password' }, ['password'])).toEqual([null, false])
    expect(field('hunter2', { 'showing-hint': 'true' }, ['password'])).toEqual([null, false])
  })

  it('does not list a text that a child repeats, and maps it to the child', () => {
    const tree = build({ desc: 'OK', bounds: [0, 0, 500, 100], children: [label('OK', 0)] })
    expect(shown(tree)).toEqual([[1, 'TextView', 'OK', null]])
    expect(tree.elementOf[0]).toBe(tree.elements[0])
    const two = build({
      desc: 'OK',
      bounds: [0, 0, 500, 200],
      children: [label('OK', 0), label('Later', 100)],
    })
    expect(two.elementOf[0]?.text).toBe('OK')
  })

  it('lists the contents of a button with its own text', () => {
    const tree = build({
      class: 'android.widget.Button',
      text: 'Buy',
      flags: ['clickable'],
      bounds: [0, 0, 500, 100],
      children: [label('from 3 €', 50)],
    })
    expect(shown(tree).map(([, , text]) => text)).toEqual(['Buy', 'from 3 €'])
  })

  it('never treats a text field as a button', () => {
    const tree = build({
      class: 'android.widget.EditText',
      flags: ['clickable', 'focusable'],
      bounds: [0, 0, 1080, 200],
      children: [label('Search', 20)],
    })
    expect(shown(tree).map(([, type, text]) => [type, text])).toEqual([
      ['TextView', 'Search'],
      ['EditText', null],
    ])
  })

  it('never treats a page or a list as a button', () => {
    for (const container of [
      { class: 'android.webkit.WebView', flags: ['clickable'] },
      { class: 'android.widget.ListView', flags: ['clickable'] },
      { class: 'android.view.View', flags: ['clickable', 'scrollable'] },
    ]) {
      const tree = build({
        ...container,
        bounds: [0, 0, 1080, 2000],
        children: [label('A', 0), label('B', 100)],
      })
      expect(shown(tree).map(([, , text]) => text)).toEqual(['A', 'B', null])
    }
  })

  it('never treats a node that fills most of the screen as a button, nor a list that fits without scrolling', () => {
    const rows: Draft = {
      class: 'android.widget.ListView',
      bounds: [0, 200, 1080, 700],
      children: [label('Ana', 200), label('Ben', 300)],
    }
    for (const bounds of [[0, 0, 1080, 2400] as const, [0, 100, 1080, 800] as const]) {
      const tree = build({ flags: ['clickable'], bounds, children: [label('Contacts', 120), rows] })
      const texts = shown(tree).map(([, , text]) => text)
      expect(texts).toEqual(expect.arrayContaining(['Ana', 'Ben']))
      expect(texts.includes('Contacts')).toBe(true)
    }
  })

  it('ignores glyphs of an icon font and invisible marks as text', () => {
    const tree = build({
      bounds: [0, 0, 1080, 300],
      children: [
        label('\ue901', 0),
        label('\u200e\ufeff', 60),
        {
          flags: ['clickable'],
          bounds: [0, 120, 1080, 300],
          children: [label('\uf104', 120), label('Back', 200)],
        },
        label('\ue902', 240, { flags: ['clickable'], desc: 'Go back' }),
      ],
    })
    expect(shown(tree)).toEqual([
      [1, 'View', 'Back', null],
      [2, 'TextView', null, 'Go back'],
    ])
  })

  it('reads a web page without ids, including zero-sized wrappers', () => {
    const tree = build({
      class: 'android.webkit.WebView',
      text: 'Example Shop',
      flags: ['focusable', 'focused', 'scrollable'],
      bounds: [0, 0, 1080, 2400],
      children: [
        {
          bounds: [0, 0, 0, 0],
          children: [
            { text: 'Welcome', bounds: [0, 100, 1080, 200] },
            {
              flags: ['clickable'],
              bounds: [0, 300, 400, 400],
              children: [{ text: 'Sign in', bounds: [0, 300, 400, 400] }],
            },
            {
              class: 'android.widget.EditText',
              flags: ['focusable', 'clickable'],
              bounds: [0, 500, 1080, 600],
            },
          ],
        },
      ],
    })
    expect(shown(tree)).toEqual([
      [1, 'View', 'Welcome', null],
      [2, 'View', 'Sign in', null],
      [3, 'EditText', null, null],
      [4, 'WebView', 'Example Shop', null],
    ])
    expect(tree.elements[2]?.state).toEqual(['clickable', 'editable'])
  })

  it('reads multi-line descriptions, as Flutter writes them', () => {
    const tree = build({
      class: 'android.widget.ImageView',
      desc: 'Espresso\n€ 2.50\nStrong',
      flags: ['clickable'],
      bounds: [0, 0, 540, 540],
    })
    expect(shown(tree)).toEqual([[1, 'ImageView', null, 'Espresso\n€ 2.50\nStrong']])
  })

  it('orders right-to-left screens by position, and keeps their texts', () => {
    const tree = build({
      bounds: [0, 0, 1080, 100],
      children: [
        label('الإعدادات', 0, { bounds: [800, 0, 1080, 100] }),
        label('רשת', 0, { bounds: [400, 0, 700, 100] }),
        { class: 'android.widget.ImageButton', desc: 'رجوع', flags: ['clickable'], bounds: [0, 0, 100, 100] },
      ],
    })
    expect(shown(tree).map(([, , text, desc]) => text ?? desc)).toEqual(['رجوع', 'רשת', 'الإعدادات'])
  })

  it('reads a dialog in a separate root', () => {
    const tree = build(
      { bounds: [0, 0, 1080, 2400], children: [label('Behind', 100)] },
      {
        class: 'android.widget.FrameLayout',
        bounds: [100, 900, 980, 1500],
        children: [
          label('Delete?', 950),
          {
            class: 'android.widget.Button',
            text: 'Cancel',
            flags: ['clickable'],
            bounds: [500, 1300, 700, 1400],
          },
          {
            class: 'android.widget.Button',
            text: 'Delete',
            flags: ['clickable'],
            bounds: [720, 1300, 940, 1400],
            attributes: { enabled: 'false' },
          },
        ],
      },
    )
    expect(shown(tree).map(([, , text]) => text)).toEqual(['Behind', 'Delete?', 'Cancel', 'Delete'])
    expect(tree.elements[3]?.state).toEqual(['clickable', 'disabled'])
  })

  it('omits nodes without area on the screen, and clips the rest', () => {
    const tree = build({
      bounds: [0, 0, 1080, 2400],
      children: [
        label('no bounds', 0, { bounds: null }),
        label('inverted', 0, { bounds: [0, 2400, 1080, 2300] }),
        label('flat', 0, { bounds: [0, 100, 1080, 100] }),
        label('above', 0, { bounds: [0, -200, 1080, 0] }),
        label('hidden', 0, { attributes: { displayed: 'false' } }),
        label('half', 0, { bounds: [-100, 2300, 500, 2600] }),
      ],
    })
    expect(tree.elements.map(({ text, bounds }) => [text, bounds])).toEqual([['half', [0, 2300, 500, 2400]]])
  })

  it('clips scrolled content by its scroll container, and by nothing else', () => {
    const inside = (flags: string[]) =>
      build({
        bounds: [0, 500, 1080, 1000],
        flags,
        children: [label('x', 0, { bounds: [0, 900, 1080, 1100] })],
      })
    expect(inside(['scrollable']).elements.find(({ text }) => text === 'x')?.bounds).toEqual([
      0, 900, 1080, 1000,
    ])
    expect(inside([]).elements.find(({ text }) => text === 'x')?.bounds).toEqual([0, 900, 1080, 1100])
  })

  it('lists the children of an off-screen button', () => {
    const tree = build({ flags: ['clickable'], bounds: null, children: [label('lost?', 0)] })
    expect(shown(tree)).toEqual([[1, 'TextView', 'lost?', null]])
  })

  it('never returns the text of a password field, nor of its children', () => {
    const tree = build({
      class: 'android.widget.EditText',
      text: 'hunter2',
      id: 'com.example.app:id/password',
      flags: ['password', 'clickable', 'focusable', 'focused'],
      bounds: [0, 0, 1080, 100],
      children: [label('hunter2', 0)],
    })
    expect(JSON.stringify([tree.elements, tree.visible])).not.toContain('hunter2')
    expect(tree.elements[0]?.state).toEqual(['clickable', 'editable', 'focused', 'password'])
  })

  it('accepts a class of any form', () => {
    const types = ['', 'Button', 'a.b.Tab$Inner'].map((name) =>
      build({ class: name, text: 'x', bounds: [0, 0, 9, 9] }),
    )
    expect(types.map((tree) => tree.elements[0]?.type)).toEqual(['View', 'Button', 'Tab$Inner'])
  })
})

describe('every tree', () => {
  const everyTree = (check: (tree: ScreenTree) => void) =>
    fc.assert(
      fc.property(anyScreen, (roots) => check(build(...roots))),
      { numRuns: 150 },
    )

  it('has elements inside the screen, centre in bounds, numbered from 1 in screen order [36.7]', () => {
    everyTree((tree) => {
      const wrong = tree.elements.filter(({ ref, bounds, center }, index) => {
        const [left, top, right, bottom] = bounds
        const onScreen = left >= 0 && top >= 0 && right <= 1080 && bottom <= 2400
        const centred = center.x >= left && center.x < right && center.y >= top && center.y < bottom
        const before = tree.elements[index - 1]?.center ?? { x: -1, y: -1 }
        const ordered = before.y < center.y || (before.y === center.y && before.x <= center.x)
        return !(ref === index + 1 && onScreen && centred && ordered)
      })
      expect(wrong).toEqual([])
    })
  })

  it('keeps every text on the screen', () => {
    everyTree((tree) => {
      const listed = tree.elements.map(({ text, desc }) => `${text ?? ''}\u0000${desc ?? ''}`).join('\u0000')
      for (const node of tree.visible) {
        if (!node) continue
        if (hasVisibleText(node.text)) expect(listed).toContain(node.text)
        else if (hasVisibleText(node.desc)) expect(listed).toContain(node.desc)
      }
    })
  })

  it('assigns each node with words or touch to one element, and no element to another element', () => {
    everyTree((tree) => {
      for (const element of tree.elements) expect(tree.elementOf[element.node.index]).toBe(element)
      for (const node of tree.visible) {
        if (!node) continue
        const hasText = hasVisibleText(node.text) || hasVisibleText(node.desc)
        if (hasText || node.clickable) expect(tree.elementOf[node.index]).not.toBeNull()
      }
    })
  })
})
