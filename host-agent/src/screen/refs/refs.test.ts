import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyScreen } from '../../testing/drafts.js'
import { dumpXml, type Draft } from '../../testing/screen-xml.js'
import { buildTree, type ScreenTree } from '../elements.js'
import { parseNodes } from '../nodes.js'
import { Refs } from './refs.js'

const screen = { width: 1080, height: 2400 }
const app = { package: 'com.example.app', activity: '.Main', systemDialog: false }
const build = (...roots: readonly Draft[]): ScreenTree => buildTree(parseNodes(dumpXml(...roots)), screen)

/** Numbers the screens one after the other, as clients get them. Returns the ref of each text or ID. */
function numbered() {
  const refs = new Refs()
  return (roots: readonly Draft[], state = app): Record<string, number> => {
    const tree = build(...roots)
    refs.number(tree, state)
    refs.shown(tree)
    return Object.fromEntries(
      tree.elements.map(({ ref, text, desc, id, center }) => [
        text ?? desc ?? id ?? `${center.x},${center.y}`,
        ref,
      ]),
    )
  }
}

const rowHeight = 200
/** The place of the list on the screen. */
const [top, bottom] = [300, 2100]

interface Row {
  title: string
  time: string
}

const textView = (text: string, bounds: Draft['bounds']): Draft => ({
  class: 'android.widget.TextView',
  text,
  bounds: bounds ?? null,
})
const button = (bounds: Draft['bounds'], more: Draft): Draft => ({
  class: 'android.widget.Button',
  flags: ['clickable'],
  bounds: bounds ?? null,
  ...more,
})

const rowOf = ({ title, time }: Row, at: number): Draft => ({
  class: 'android.widget.LinearLayout',
  bounds: [0, at, 1080, at + rowHeight],
  children: [
    textView(title, [20, at + 10, 500, at + 90]),
    textView(time, [20, at + 100, 500, at + 190]),
    button([600, at + 50, 800, at + 150], { text: 'Follow' }),
    button([850, at + 50, 950, at + 150], { class: 'android.widget.ImageButton' }),
  ],
})

/** A list with a bar above it and a button over it. Rows that are not on the screen are not in the tree. */
function listScreen(rows: readonly Row[], scrolled: number): Draft[] {
  const shown = rows
    .map((row, index) => ({ row, at: top + index * rowHeight - scrolled }))
    .filter(({ at }) => at + rowHeight > top && at < bottom)
  return [
    {
      bounds: [0, 0, 1080, 2400],
      children: [
        {
          bounds: [0, 0, 1080, 200],
          children: [
            button([0, 0, 200, 200], { desc: 'Navigate up' }),
            textView('People', [200, 0, 900, 200]),
          ],
        },
        {
          class: 'androidx.recyclerview.widget.RecyclerView',
          flags: ['scrollable'],
          bounds: [0, top, 1080, bottom],
          children: shown.map(({ row, at }) => rowOf(row, at)),
        },
        button([900, 1900, 1050, 2050], { id: 'com.example.app:id/fab' }),
      ],
    },
  ]
}

const people = (from: number, count: number): Row[] =>
  Array.from({ length: count }, (_, index) => ({ title: `Person ${from + index}`, time: `${index} min` }))

describe('numbers of elements', () => {
  it('count from 1 on the first screen of a window, in screen order [45.1]', () => {
    const number = numbered()
    const screenOf = (...texts: string[]) =>
      texts.map((text, index) => textView(text, [0, 100 * index, 500, 100 * index + 90]))
    expect(number(screenOf('A', 'B', 'C'))).toEqual({ A: 1, B: 2, C: 3 })
    expect(number(screenOf('C', 'D'), { ...app, activity: '.Other' })).toEqual({ C: 1, D: 2 })
    // Back in the first window, on another screen of it.
    expect(number(screenOf('X', 'B', 'Y', 'Z'))).toEqual({ X: 4, B: 2, Y: 5, Z: 6 })
    expect(number(screenOf('A', 'B', 'C'))).toEqual({ A: 1, B: 2, C: 3 })
  })

  it('stay with their rows while the rows scroll, also back to the first rows [45.2]', () => {
    const number = numbered()
    const rows = people(0, 30)
    const first = number(listScreen(rows, 0))
    const second = number(listScreen(rows, 700))
    for (const name of ['People', 'Navigate up', 'com.example.app:id/fab', 'Person 4', '7 min', 'Person 8'])
      expect([name, second[name]]).toEqual([name, first[name]])
    expect(new Set(Object.values(first))).not.toContain(second['Person 11'])
    expect(number(listScreen(rows, 0))['Person 1']).toBe(first['Person 1'])
  })

  it('stay with an element whose text changed in its place', () => {
    const number = numbered()
    const field = (text: string): Draft[] => [
      textView('Name', [0, 0, 500, 90]),
      {
        class: 'android.widget.EditText',
        id: 'com.example.app:id/name',
        text,
        bounds: [0, 100, 900, 200],
        flags: ['focusable'],
      },
      textView('Full name', [0, 220, 500, 290]),
      textView(`${text.length} characters`, [0, 300, 500 + text.length, 390]),
    ]
    expect(number(field('Ann'))).toEqual({ Name: 1, Ann: 2, 'Full name': 3, '3 characters': 4 })
    expect(number(field('Anna'))).toEqual({ Name: 1, Anna: 2, 'Full name': 3, '4 characters': 4 })
  })

  it('are not passed on to a row that took the place of another row', () => {
    const number = numbered()
    const before = number(listScreen(people(0, 9), 0))
    const after = number(listScreen(people(100, 9), 0))
    const given = new Set(Object.values(before))
    for (const name of ['Person 100', 'Person 105']) expect(given.has(after[name] ?? 0)).toBe(false)
    // One row was removed. The next row takes its place, but not its number.
    const rest = people(100, 9).filter(({ title }) => title !== 'Person 103')
    expect(number(listScreen(rest, 0))['Person 104']).toBe(after['Person 104'])
  })

  it('come back after a dialog', () => {
    const number = numbered()
    const page = listScreen(people(0, 9), 0)
    const first = number(page)
    const dialog = (question: string): Draft => ({
      bounds: [100, 900, 980, 1500],
      children: [
        textView(question, [120, 920, 900, 1000]),
        button([600, 1300, 900, 1400], { text: 'OK', id: 'android:id/button1' }),
      ],
    })
    const asked = number([dialog('Delete the file?')])
    expect(asked['OK']).toBeGreaterThan(Math.max(...Object.values(first)))
    expect(number(page)).toEqual(first)
    expect(number([dialog('Send the money?')])['OK']).not.toBe(asked['OK'])
  })

  it('are not counted by screens that no client got', () => {
    const refs = new Refs()
    const read = (text: string) => {
      const tree = build(textView(text, [0, 0, 500, 90]))
      refs.number(tree, app)
      return tree
    }
    read('Loading')
    const tree = read('Done')
    refs.shown(tree)
    expect(tree.elements.map(({ ref }) => ref)).toEqual([1])
  })
})

describe('for all screens', () => {
  it('a still screen keeps all its numbers', () => {
    fc.assert(
      fc.property(anyScreen, (roots) => {
        const refs = new Refs()
        const [first, second] = [build(...roots), build(...roots)]
        refs.number(first, app)
        refs.shown(first)
        refs.number(second, app)
        expect(second.elements.map(({ ref }) => ref)).toEqual(first.elements.map(({ ref }) => ref))
        expect(new Set(first.elements.map(({ ref }) => ref)).size).toBe(first.elements.length)
      }),
    )
  })

  type Change =
    | { scroll: number }
    | { insert: number; title: string }
    | { remove: number }
    | { retitle: number; title: string }
    | { tick: number }
  const title: fc.Arbitrary<string> = fc.constantFrom('Ann', 'Bob', 'Eve', 'Untitled')
  const anyChange: fc.Arbitrary<Change> = fc.oneof(
    { weight: 3, arbitrary: fc.record({ scroll: fc.integer({ min: -2000, max: 2000 }) }) },
    fc.record({ insert: fc.nat(30), title }),
    fc.record({ remove: fc.nat(30) }),
    fc.record({ retitle: fc.nat(30), title }),
    fc.record({ tick: fc.nat(30) }),
  )

  it('a number is never given to another element that a person could tell apart [45.3]', () => {
    fc.assert(
      fc.property(
        fc.array(title, { maxLength: 20 }),
        fc.array(anyChange, { maxLength: 12 }),
        (titles, changes) => {
          const refs = new Refs()
          let rows = titles.map((each, uid) => ({ title: each, time: `${uid % 5} min`, uid }))
          let scrolled = 0
          let lastUid = rows.length
          /** The element and its content, for each number. */
          const given = new Map<number, { uid: string; content: string }>()
          const show = () => {
            const tree = build(...listScreen(rows, scrolled))
            refs.number(tree, app)
            refs.shown(tree)
            const isUsed = new Set<number>()
            for (const element of tree.elements) {
              expect(isUsed.has(element.ref)).toBe(false)
              isUsed.add(element.ref)
              const { scrollable } = element.node
              const [left, up] = element.node.bounds ?? [0, 0]
              const isInList =
                up >= top - rowHeight &&
                left < 1000 &&
                !scrollable &&
                element.node.parent > 0 &&
                element.id === null
              const row =
                isInList && element.node.package
                  ? rows[Math.floor((up - top + scrolled) / rowHeight)]
                  : undefined
              const inList = tree.nodes[tree.nodes[element.node.parent]?.parent ?? -1]?.scrollable
                ? row
                : undefined
              const uid = `${inList?.uid ?? ''} ${left}`
              const content = `${left} ${inList ? `${inList.title} ${inList.time}` : ''}`
              const before = given.get(element.ref)
              if (before && before.uid !== uid) expect(content).toBe(before.content)
              given.set(element.ref, { uid, content })
            }
          }
          show()
          for (const change of changes) {
            const most = Math.max(0, rows.length * rowHeight - (bottom - top))
            if ('scroll' in change) scrolled = Math.max(0, Math.min(most, scrolled + change.scroll))
            else if ('insert' in change)
              rows = rows.toSpliced(change.insert, 0, {
                title: change.title,
                time: '0 min',
                uid: (lastUid += 1),
              })
            else if ('remove' in change) {
              rows = rows.toSpliced(change.remove, 1)
              scrolled = Math.max(0, Math.min(rows.length * rowHeight - (bottom - top), scrolled))
            } else if ('retitle' in change)
              rows = rows.map((row, index) =>
                index === change.retitle ? { ...row, title: change.title } : row,
              )
            else
              rows = rows.map((row, index) =>
                index === change.tick ? { ...row, time: `${row.time}.` } : row,
              )
            show()
          }
        },
      ),
      { numRuns: 300 },
    )
  })
})
