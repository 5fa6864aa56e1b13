import { systemClock, Progress } from '@phonerack/shared'
import { describe, expect, it } from 'vitest'
import { simulatedPhone } from '../testing/simulated-phone.js'
import { dumpXml, pageSource, type Draft } from '../testing/screen-xml.js'
import type { Foreground } from './behind-dialog.js'
import { buildTree } from './elements.js'
import { observe } from './index.js'
import { parseNodes } from './nodes.js'
import { Looks } from './looks.js'
import { createSnapshotStore } from './snapshots.js'

const screen = { width: 1080, height: 2400 }
const wordsOf = (xml: string, front?: Foreground): (string | null)[] =>
  buildTree(parseNodes(xml), screen, front).elements.map(({ text }) => text)

const button = (text: string, top: number): Draft => ({
  class: 'android.widget.Button',
  text,
  flags: ['clickable'],
  bounds: [100, top, 500, top + 100],
})
const label = (text: string, top: number): Draft => ({
  class: 'android.widget.TextView',
  text,
  bounds: [100, top, 500, top + 60],
})
const launcher: Draft = {
  package: 'com.example.launcher',
  bounds: [0, 0, 1080, 2400],
  children: [button('Maps', 300), label('Tuesday', 100), button('Notes', 1000)],
}
const dialogOf = (name: string): Draft => ({
  package: name,
  bounds: [40, 900, 1040, 1500],
  children: [label('Notes has stopped', 950), button('Close app', 1200)],
})
const crash = dialogOf('android')
const front: Foreground = { package: 'com.example.launcher', systemDialog: true }
const ofDialog = ['Notes has stopped', 'Close app']

describe('system dialog', () => {
  it('takes the touches of the whole screen: nothing behind or beside it is listed', () => {
    expect(wordsOf(pageSource(crash, launcher), front)).toEqual(ofDialog)
    expect(wordsOf(pageSource(dialogOf('com.vendor.security'), launcher), front)).toEqual(ofDialog)
    // The order of windows is unknown in a dump.
    expect(wordsOf(dumpXml(launcher, crash), front)).toEqual(ofDialog)
  })

  it('is recognised by its package when the phone reports nothing except the tree', () => {
    expect(wordsOf(pageSource(crash, launcher))).toEqual(ofDialog)
    const other = wordsOf(pageSource(dialogOf('com.example.bubbles'), launcher))
    expect(other).toEqual(expect.arrayContaining(['Maps', 'Close app']))
  })

  it('keeps the elements in front of it', () => {
    const headsUp: Draft = {
      package: 'com.android.systemui',
      bounds: [0, 80, 1080, 400],
      children: [button('Reply', 200)],
    }
    expect(wordsOf(pageSource(headsUp, crash, launcher), front)).toEqual(['Reply', ...ofDialog])
  })

  it('is the whole tree of a phone that dumps only the front window', () => {
    expect(wordsOf(dumpXml(crash), front)).toEqual(ofDialog)
  })

  it('hides everything when the tree does not include it', () => {
    expect(wordsOf(dumpXml(launcher), front)).toEqual([])
    expect(wordsOf(pageSource(launcher), front)).toEqual([])
  })

  it('is not a system hint that fills the screen, nor a window without a button', () => {
    const hint: Draft = { package: 'android', bounds: [0, 0, 1080, 2400], children: [button('Got it', 2000)] }
    expect(wordsOf(pageSource(hint, launcher))).toContain('Maps')
    const toast: Draft = { package: 'android', bounds: [40, 2000, 1040, 2100], text: 'Saved' }
    expect(wordsOf(pageSource(toast, launcher))).toContain('Maps')
  })

  it('makes an observation read again, and marks it cut, only where the tree does not show it', async () => {
    const phone = simulatedPhone([{ ...crash, bounds: [40, 900, 1040, 1500] } as never])
    phone.systemDialog = true
    const snapshots = createSnapshotStore(systemClock).of({ phoneId: 'ph_a', fencingNumber: 1n })
    const read = () => observe(phone.device, { snapshots, looks: new Looks() }, {}, Progress.for(10_000))
    const { observation } = await read()
    expect([observation.truncated, phone.log.filter((line) => line === 'tree').length]).toEqual([false, 1])
    expect(observation.elements.map(({ text }) => text)).toEqual(ofDialog)

    phone.views = [{ ...button('Maps', 300), package: 'com.example.app' } as never]
    expect((await read()).observation).toMatchObject({ elements: [], truncated: true })
  })
})
