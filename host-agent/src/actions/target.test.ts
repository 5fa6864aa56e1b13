import { systemClock, type Target } from '@phonerack/shared'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildTree, type ScreenTree } from '../screen/elements.js'
import { parseNodes } from '../screen/nodes.js'
import { Refs } from '../screen/refs/refs.js'
import { createSnapshotStore } from '../screen/snapshots.js'
import { anyScreen } from '../testing/drafts.js'
import { dumpXml, type Draft } from '../testing/screen-xml.js'
import { matchAll, matchTarget } from './target.js'

const screen = { width: 1080, height: 2400 }
const build = (...roots: Draft[]): ScreenTree => buildTree(parseNodes(dumpXml(...roots)), screen)
const label = (text: string, top: number, more: Draft = {}): Draft => ({
  class: 'android.widget.TextView',
  text,
  bounds: [40, top, 800, top + 60],
  ...more,
})
const row = (top: number, children: Draft[], more: Draft = {}): Draft => ({
  class: 'android.widget.LinearLayout',
  flags: ['clickable'],
  bounds: [0, top, 1080, top + 200],
  children,
  ...more,
})

const match = (target: Target, tree: ScreenTree) => matchTarget(target, tree, () => null)
/** Centre of the match, or the error code. */
const outcome = (target: Target, tree: ScreenTree) => {
  const result = match(target, tree)
  return result.found ? [result.place.center.x, result.place.center.y] : result.miss.code
}

describe('text', () => {
  it('prefers the exact text, then ignores case, then matches a part [31.6]', () => {
    const tree = build(label('Save', 0), label('save', 100), label('Save as', 200), label('SAVED', 300))
    expect(outcome({ text: 'Save' }, tree)).toEqual([420, 30])
    expect(outcome({ text: 'SAVE' }, tree)).toBe('ambiguous_target')
    expect(outcome({ text: 'SAVE', nth: 1 }, tree)).toEqual([420, 130])
    expect(outcome({ text: 'ave a' }, tree)).toEqual([420, 230])
    expect(outcome({ text: 'aved' }, tree)).toEqual([420, 330])
    expect(outcome({ text: 'delete' }, tree)).toBe('target_not_found')
  })

  // Forms: WhatsApp on Samsung (U+202F before am), Indrive (U+00A0 in prices), the permission dialog of AOSP (U+2019).
  it('is compared as a person reads it', () => {
    const shown = ['9:41\u202fam', 'S/\u00a07,50', 'Don\u2019t allow', 'Wi\u2011Fi', 'Two\nlines']
    const tree = build(...shown.map((text, index) => label(text, index * 100)))
    const typed = ['9:41 AM', 's/ 7,50', "don't allow", 'Wi-Fi', 'two lines']
    expect(typed.map((text) => outcome({ text }, tree))).toEqual(
      shown.map((_, index) => [420, index * 100 + 30]),
    )
    expect(
      outcome({ desc: '\u201cnew\u201d note' }, build({ desc: '"New" note', bounds: [0, 0, 9, 9] })),
    ).toEqual([4, 4])
    expect(outcome({ text: '\u200b' }, tree)).toBe('target_not_found')
  })

  const icon = (desc: string, top: number, more: Draft = {}): Draft => ({
    class: 'android.widget.ImageButton',
    desc,
    flags: ['clickable'],
    bounds: [900, top, 1000, top + 100],
    ...more,
  })

  it('matches the description of an element without a text, which the screen shows as its name [31.7]', () => {
    const tree = build(icon('New note', 0), label('Notes', 200), icon('New folder', 400))
    expect(outcome({ text: 'New note' }, tree)).toEqual([950, 50])
    expect(outcome({ text: 'new FOLDER' }, tree)).toEqual([950, 450])
    expect(outcome({ text: 'folder' }, tree)).toEqual([950, 450])
    expect(outcome({ text: 'Share' }, build(icon('Share', 0, { text: 'Send' })))).toBe('target_not_found')
  })

  it('prefers a text to a description in each of the three steps, and an earlier step to both', () => {
    const tree = build(icon('Search', 0), label('Search', 200), label('Search settings', 400))
    expect(outcome({ text: 'Search' }, tree)).toEqual([420, 230])
    expect(outcome({ text: 'search' }, build(icon('Search', 0), label('Search here', 200)))).toEqual([
      950, 50,
    ])
  })

  it.each([
    ['OK', 'Bookmarks', false],
    ['ok', 'Book', false],
    ['OK', 'OK, got it', true],
    ['on', 'Turn on', true],
    ['on', 'Connections', false],
    ['fi', 'Wi-Fi', true],
    ['+', 'a+b', true],
    ['5', '15', false],
    ['5', '5 new', true],
    ['no', 'Note', false],
    ['note', 'Notes', true],
    ['确定', '确定要删除吗', true],
    ['ёж', 'ёжик', false],
  ])('finds %j in %j: %s [31.8]', (text, shown, isFound) => {
    for (const draft of [label(shown, 0), icon(shown, 0)])
      for (const target of [{ text }, ...('desc' in draft ? [{ desc: text }] : [])])
        expect(match(target, build(draft)).found, JSON.stringify(target)).toBe(isFound)
  })

  it('returns the whole name when the text of the target is only a part of it [31.9]', () => {
    const hit = (target: Target, ...drafts: Draft[]) => {
      const result = match(target, build(...drafts))
      return result.found ? result.place.matched : 'none'
    }
    expect(hit({ text: 'Wi-Fi' }, label('Wi\u2011Fi', 0))).toBeNull()
    expect(hit({ text: 'wi-fi' }, label('Wi\u2011Fi', 0))).toBeNull()
    expect(hit({ text: 'Wi-Fi' }, label('Wi\u2011Fi calling', 0))).toBe('Wi\u2011Fi calling')
    expect(hit({ text: 'note' }, icon('New note', 0))).toBe('New note')
    expect(hit({ desc: 'note' }, icon('New note', 0, { text: 'Add' }))).toBe('New note')
    expect(hit({ text: 'Off' }, row(0, [label('Wi-Fi', 0), label('Off for now', 100)]))).toBe(
      'Wi-Fi, Off for now',
    )
    const field = {
      class: 'android.widget.EditText',
      text: 'secret word',
      flags: ['focusable' as const],
      bounds: [0, 0, 9, 9] as const,
    }
    expect(hit({ text: 'secret' }, { ...field, bounds: [0, 0, 9, 9] })).toBeNull()
    expect(hit({ id: 'x' }, label('Name', 0, { id: 'a:id/x' }))).toBeNull()
  })

  it('resolves to the button that contains the text, and finds the button by its label [31.10]', () => {
    const tree = build(
      row(0, [label('Wi-Fi', 0), label('On', 100)]),
      row(200, [label('Bluetooth', 200), label('Off', 300)]),
    )
    expect(outcome({ text: 'Off' }, tree)).toEqual([540, 300])
    expect(outcome({ text: 'Bluetooth, Off' }, tree)).toEqual([540, 300])
    const result = match({ text: 'Wi-Fi' }, tree)
    expect(result.found && result.place.ref).toBe(1)
  })

  it('counts several matches inside one clickable element as that element [31.12]', () => {
    const inside = build(row(0, [label('Reply', 0), label('Reply to Ada', 100)]))
    expect(outcome({ text: 'reply' }, inside)).toEqual([540, 100])
    const withSwitch = build(
      row(0, [
        label('Alarm', 0),
        {
          class: 'android.widget.Switch',
          text: 'Alarm',
          flags: ['clickable', 'checkable'],
          bounds: [900, 0, 1000, 100],
        },
      ]),
    )
    expect(outcome({ text: 'Alarm' }, withSwitch)).toEqual([540, 100])
    const ownText = build(row(0, [label('Buy', 0), label('Buy', 100)], { text: 'Shop' }))
    expect(outcome({ text: 'Buy' }, ownText)).toEqual([540, 100])
  })

  it('does not lift a single match inside a button with its own text', () => {
    expect(outcome({ text: 'Buy' }, build(row(0, [label('Buy', 0)], { text: 'Shop' })))).toEqual([420, 30])
  })

  it('counts nth in screen order [31.11]', () => {
    const tree = build(label('OK', 900), label('OK', 100), label('OK', 500))
    const tops = [0, 1, 2].map((nth) => outcome({ text: 'OK', nth }, tree))
    expect(tops).toEqual([
      [420, 130],
      [420, 530],
      [420, 930],
    ])
  })

  it('names the matches when nth is out of range, and the most similar when there is none', () => {
    const tree = build(label('Settings', 0), label('Setting up', 100), label('Camera', 200))
    const range = match({ text: 'Settings', nth: 1 }, tree)
    expect(!range.found && [range.miss.code, range.miss.candidates.map(({ text }) => text)]).toEqual([
      'target_not_found',
      ['Settings'],
    ])
    const typo = match({ text: 'Setings' }, tree)
    expect(!typo.found && typo.miss.candidates.map(({ text }) => text)).toEqual(['Settings', 'Setting up'])
  })

  it('names up to ten candidates', () => {
    const many = match(
      { text: 'Item' },
      build(...Array.from({ length: 30 }, (_, index) => label('Item', index * 70))),
    )
    expect(!many.found && [many.miss.code, many.miss.candidates.length, many.miss.facts['matches']]).toEqual([
      'ambiguous_target',
      10,
      30,
    ])
  })
})

describe('id, desc and coordinates', () => {
  const tree = build(
    label('Name', 0, { id: 'com.example.app:id/name' }),
    label('Nickname', 100, { id: 'com.example.app:id/nickname' }),
    { id: 'com.example.app:id/pane', bounds: [0, 1000, 1080, 2000] },
    {
      class: 'android.widget.ImageButton',
      desc: 'Navigate up',
      flags: ['clickable'],
      bounds: [0, 300, 100, 400],
    },
    label('Test tag', 500, { id: 'login_button' }),
  )

  it('accepts an id in full or after :id/, and no other part', () => {
    expect(outcome({ id: 'com.example.app:id/name' }, tree)).toEqual([420, 30])
    expect(outcome({ id: 'name' }, tree)).toEqual([420, 30])
    expect(outcome({ id: 'login_button' }, tree)).toEqual([420, 530])
    expect(outcome({ id: '#name' }, tree)).toEqual([420, 30])
    expect(outcome({ id: '#com.example.app:id/name' }, tree)).toEqual([420, 30])
    expect(outcome({ id: '#' }, tree)).toBe('target_not_found')
    expect(outcome({ id: 'app:id/name' }, tree)).toBe('target_not_found')
    expect(outcome({ id: 'Name' }, tree)).toBe('target_not_found')
  })

  it('finds a pane that is not an element, without a ref', () => {
    const result = match({ id: 'pane' }, tree)
    expect(result.found && [result.place.center, result.place.ref]).toEqual([{ x: 540, y: 1500 }, null])
  })

  it('matches descriptions in the same way as texts', () => {
    expect(outcome({ desc: 'navigate' }, tree)).toEqual([50, 350])
    expect(outcome({ desc: 'Name' }, tree)).toBe('target_not_found')
  })

  it('accepts only coordinates on the screen', () => {
    expect(outcome({ x: 0, y: 2399 }, tree)).toEqual([0, 2399])
    for (const point of [
      { x: 1080, y: 0 },
      { x: 0, y: 2400 },
      { x: -1, y: 5 },
    ]) {
      const result = match(point, tree)
      expect(!result.found && [result.miss.code, result.miss.facts]).toEqual(['target_not_found', { screen }])
    }
  })

  it('does not find a password by its text', () => {
    const field = build({
      class: 'android.widget.EditText',
      text: 'hunter2',
      flags: ['password', 'focusable'],
      bounds: [0, 0, 9, 9],
    })
    expect(outcome({ text: 'hunter2' }, field)).toBe('target_not_found')
  })
})

describe('ref', () => {
  const owner = { phoneId: 'ph_a', fencingNumber: 3n }
  const shown = (tree: ScreenTree) => {
    const snapshots = createSnapshotStore(systemClock).of(owner)
    const refs = new Refs()
    const app = { package: 'com.example.app', activity: '.Main', systemDialog: false }
    refs.number(tree, app)
    refs.shown(tree)
    const snapshot_id = snapshots.save(tree.elements, tree.window)
    return (ref: number, now: ScreenTree, state = app) => {
      refs.number(now, state)
      return matchTarget({ ref, snapshot_id }, now, (id) => snapshots.find(id))
    }
  }
  const before = build(label('One', 0), label('Two', 100), label('Two', 300))

  it('finds every element of an unchanged screen, and the right one among twins', () => {
    const find = shown(before)
    for (const element of before.elements) {
      const result = find(element.ref, before)
      expect(result.found && [result.place.center, result.place.ref]).toEqual([element.center, element.ref])
    }
  })

  it('finds an element that was scrolled, at its new place [31.5]', () => {
    const list = (top: number, ...texts: string[]): ScreenTree =>
      build({
        class: 'android.widget.ListView',
        flags: ['scrollable'],
        bounds: [0, 0, 1080, 2000],
        children: texts.map((text, index) => label(text, top + 100 * index)),
      })
    const find = shown(list(0, 'One', 'Two', 'Three', 'Four'))
    const two = list(0, 'One', 'Two').elements.find(({ text }) => text === 'Two')?.ref ?? 0
    const result = find(two, list(700, 'Two', 'Three', 'Four', 'Five'))
    expect(result.found && result.place.center).toEqual({ x: 420, y: 730 })
  })

  it('is stale in another window with an equal element', () => {
    const result = shown(before)(1, build(label('One', 0)), {
      package: 'com.example.other',
      activity: '.Main',
      systemDialog: false,
    })
    expect(!result.found && result.miss.code).toBe('stale_snapshot')
  })

  it.each([
    ['text', label('Uno', 0)],
    ['class', label('One', 0, { class: 'android.widget.Button' })],
    ['id', label('One', 0, { id: 'other' })],
    ['description', label('One', 0, { desc: 'first' })],
    ['place', label('One', 700)],
  ])('is stale when its %s changed', (_, now) => {
    const result = shown(before)(1, build(now))
    expect(!result.found && [result.miss.code, result.miss.facts]).toEqual([
      'stale_snapshot',
      { reason: 'changed' },
    ])
  })

  it('is stale in an unknown snapshot and for a ref that was not in it', () => {
    expect(outcome({ ref: 1, snapshot_id: 'snp_aaaaaaaaaaaa' }, before)).toBe('stale_snapshot')
    const result = shown(before)(4, before)
    expect(!result.found && result.miss.facts).toEqual({ reason: 'unknown' })
  })
})

describe('for every tree', () => {
  it('finds an element by its ref, at its place or at an equal twin', () => {
    fc.assert(
      fc.property(anyScreen, (roots) => {
        const tree = build(...roots)
        const snapshots = createSnapshotStore(systemClock).of({ phoneId: 'ph_a', fencingNumber: 1n })
        const snapshot_id = snapshots.save(tree.elements, tree.window)
        for (const { ref, center } of tree.elements) {
          const result = matchTarget({ ref, snapshot_id }, tree, (id) => snapshots.find(id))
          expect(result.found && result.place.center).toEqual(center)
        }
      }),
    )
  })

  it('finds an existing text exactly, and never by a part', () => {
    fc.assert(
      fc.property(anyScreen, (roots) => {
        const tree = build(...roots)
        for (const node of tree.visible) {
          if (!node || node.text === '') continue
          const places = matchAll({ text: node.text }, tree)
          expect(places.length).toBeGreaterThan(0)
          for (const place of places) {
            // Each match shows the text itself, or surrounds or is inside a node that
            // does.
            const exact = tree.visible.some(
              (other) => other?.text === node.text || tree.elementOf[other?.index ?? -1]?.text === node.text,
            )
            expect(exact && place.center.x >= 0).toBe(true)
          }
        }
      }),
    )
  })

  it('returns all matches in screen order by nth, and then ends', () => {
    fc.assert(
      fc.property(anyScreen, fc.constantFrom('Wi-Fi', 'on', 'O', 'zzz'), (roots, text) => {
        const tree = build(...roots)
        const places = matchAll({ text }, tree)
        places.forEach((place, nth) => {
          const result = match({ text, nth }, tree)
          expect(result.found && result.place.center).toEqual(place.center)
          const before = places[nth - 1]
          if (before) expect(before.center.y).toBeLessThanOrEqual(place.center.y)
        })
        expect(match({ text, nth: places.length }, tree).found).toBe(false)
        expect(match({ text }, tree).found).toBe(places.length === 1)
      }),
    )
  })
})
