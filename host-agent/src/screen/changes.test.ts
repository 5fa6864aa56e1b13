import {
  changesSchema,
  Progress,
  systemClock,
  wholeObservationSchema,
  type Changes,
  type ChangesSince,
  type Element,
} from '@phonerack/shared'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { run } from '../testing/simulated-batch.js'
import { simulatedPhone, type SimulatedView } from '../testing/simulated-phone.js'
import { anyScreen } from '../testing/drafts.js'
import { dumpXml } from '../testing/screen-xml.js'
import { changesSince } from './changes.js'
import { buildTree } from './elements.js'
import { Looks } from './looks.js'
import { parseNodes } from './nodes.js'
import { buildObservation } from './observation.js'
import { observe } from './observe.js'
import { Refs } from './refs/refs.js'
import { createSnapshotStore } from './snapshots.js'

const screen = { width: 1080, height: 2400 }
const row = (text: string, index: number, more: Partial<SimulatedView> = {}): SimulatedView => ({
  class: 'android.widget.Button',
  text,
  flags: ['clickable'],
  bounds: [0, index * 100, 1080, index * 100 + 90],
  ...more,
})
const owner = { phoneId: 'ph_a', fencingNumber: 1n }

/** A phone whose screen is read by one client. */
function watched(...views: SimulatedView[]) {
  const phone = simulatedPhone(views)
  const shown = { snapshots: createSnapshotStore(systemClock).of(owner), looks: new Looks() }
  const read = async (since: string | null) => {
    const changes = { since, isWhole: false }
    const seen = await observe(phone.device, shown, { fresh: true, changes }, Progress.for(20_000))
    return { ...seen, answer: seen.changes ?? (seen.observation as ChangesSince) }
  }
  return { phone, shown, read }
}

/** The lines below the head. */
const linesOf = ({ text }: { text: string }): string[] => text.split('\n').slice(3)

describe('changes since a snapshot', () => {
  it('are none on a still screen [45.5]', async () => {
    const { read } = watched(row('A', 0), row('B', 1))
    const first = await read(null)
    expect(first.answer).toMatchObject({ since: null, whole: true })
    const { answer } = await read(first.answer.snapshot_id)
    expect(changesSchema.parse(answer)).toEqual(answer)
    expect(answer).toMatchObject({ same: true, added: [], changed: [], removed: [], kept: 2 })
    expect(linesOf(answer)).toEqual([`same as ${first.answer.snapshot_id}`])
  })

  it('name new, changed and gone elements, and count elements that stayed [45.6]', async () => {
    const { phone, read } = watched(...['A', 'B', 'C', 'D', 'E'].map((text, index) => row(text, index)))
    const { answer: before } = await read(null)
    phone.views = [
      row('A', 0),
      row('B', 1, { flags: ['clickable', 'selected'] }),
      row('D', 3),
      row('E', 4),
      row('F', 5),
    ]
    const { answer, observation } = await read(before.snapshot_id)
    expect(answer).toMatchObject({ same: false, removed: [3], kept: 3 })
    expect(linesOf(answer)).toEqual([
      '+ [6] Button "F" clickable (540,545)',
      '~ [2] Button "B" clickable selected (540,145)',
      '- [3]',
      'kept 3',
    ])
    expect(observation.elements.map(({ ref }) => ref)).toEqual([1, 2, 4, 5, 6])
  })

  it('are the whole screen for an unknown snapshot, in another app, and when most of it changed [45.7]', async () => {
    const { phone, read } = watched(row('A', 0), row('B', 1))
    const { answer: first } = await read('snp_aaaaaaaaaaaa')
    expect(wholeObservationSchema.parse(first)).toEqual(first)
    expect(linesOf(first)).toEqual([
      'whole screen',
      '[1] Button "A" clickable (540,45)',
      '[2] Button "B" clickable (540,145)',
    ])
    phone.views = [row('C', 2), row('D', 3)]
    const { answer: second } = await read(first.snapshot_id)
    expect(second).toMatchObject({ since: first.snapshot_id, whole: true })
    const { windows } = phone.device
    const readWindow = windows.read.bind(windows)
    windows.read = async (progress) => ({ ...(await readWindow(progress)), activity: '.Other' })
    expect((await read(second.snapshot_id)).answer).toMatchObject({ whole: true })
  })

  it('are the whole screen in another window whose elements look the same and have the same numbers', async () => {
    const { phone, read } = watched(row('A', 0), row('B', 1))
    const { answer: first } = await read(null)
    const { windows } = phone.device
    const readWindow = windows.read.bind(windows)
    windows.read = async (progress) => ({ ...(await readWindow(progress)), activity: '.Other' })
    const { answer, observation } = await read(first.snapshot_id)
    expect(observation.elements.map(({ ref }) => ref)).toEqual([1, 2])
    expect(answer).toMatchObject({ whole: true })
  })

  it('end a batch, and a batch that stops early shows all elements [45.8]', async () => {
    const { phone, shown, read } = watched(row('A', 0), row('B', 1), row('C', 2))
    const { snapshot_id: since } = (await read(null)).answer
    const batch = (text: string) =>
      run(phone, [{ type: 'tap', target: { text } }], 'ui', { ...shown, changesSince: since })
    expect((await batch('B')).changes).toMatchObject({ same: true, kept: 3 })
    const { changes, observation, results } = await batch('Z')
    expect(changes).toBeUndefined()
    expect(observation).toMatchObject({ whole: true, since, elements: [{ ref: 1 }, { ref: 2 }, { ref: 3 }] })
    expect(results[0]?.error?.code).toBe('target_not_found')
  })
})

describe('for all screens', () => {
  /** A list of elements with the changes: by ref, without places. */
  function applied(elements: readonly Element[], { added, changed, removed }: Changes): Map<number, Element> {
    const list = new Map(elements.map((element) => [element.ref, element]))
    for (const ref of removed) list.delete(ref)
    for (const element of [...changed, ...added]) list.set(element.ref, element)
    return list
  }
  const contentOf = ({ ref, type, text, desc, id, state }: Element) => ({ ref, type, text, desc, id, state })

  it('the changes of the earlier elements give the later elements', () => {
    fc.assert(
      fc.property(anyScreen, anyScreen, fc.boolean(), (first, second, isMixed) => {
        const refs = new Refs()
        const snapshots = createSnapshotStore(systemClock).of(owner)
        const window = {
          package: 'com.example.app',
          activity: '.Main',
          keyboardVisible: false,
          keyboardPackage: null,
          systemDialog: false,
          screenOn: true,
        }
        const show = (roots: typeof first) => {
          const tree = buildTree(parseNodes(dumpXml(...roots)), screen)
          refs.number(tree, window)
          refs.shown(tree)
          const { observation, elements } = buildObservation(tree, window, new Date(), 4_000_000)
          observation.snapshot_id = snapshots.save(elements, tree.window)
          return { observation, seen: { window: tree.window, elements } }
        }
        const before = show(first).observation
        const { observation, seen } = show(isMixed ? [...first, ...second] : second)
        const since = before.snapshot_id
        const changes = changesSince(observation, seen, since, snapshots.find(since))
        if ('whole' in changes) return
        const list = applied(before.elements, changes)
        expect([...list.values()].map(contentOf).sort((a, b) => a.ref - b.ref)).toEqual(
          observation.elements.map(contentOf).sort((a, b) => a.ref - b.ref),
        )
        expect(changes.kept + changes.added.length + changes.changed.length).toBe(list.size)
      }),
    )
  })
})
