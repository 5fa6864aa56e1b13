/** Screens as they are stored. */
import { observationSchema } from '@phonerack/shared'
import { expect, it } from 'vitest'
import { unpackJson } from './pack.js'
import { packScreen } from './pack-screen.js'
import { markedWhole } from './host-mode.js'

const at = new Date('2026-11-30T00:00:00.000Z')
const text = 'app a.b\nkeyboard hidden\nscreen 10x20\n[1] Button "whole screen" (5,5)'
const screen = {
  snapshot_id: 'snp_aaaaaaaaaaaa',
  taken_at: at.toISOString(),
  settled: true,
  app: { package: 'a.b', activity: null },
  keyboard: { visible: false, focused_editable: false },
  screen: { width: 10, height: 20 },
  elements: [],
  truncated: false,
  text,
}
const bytesOf = (value: object): Buffer => Buffer.from(JSON.stringify(value))
const marked = text.replace('10x20', '10x20\nwhole screen')

it.each([
  ['as it is', bytesOf(screen)],
  ['without its picture', bytesOf({ ...screen, screenshot: { data: 'AA==' } })],
  ['as if no changes were asked for', bytesOf({ ...screen, since: 'snp_b', whole: true, text: marked })],
  ['from an object', { ...screen, since: null, whole: true, text: marked }],
  ['of a host that does not know changes', markedWhole(bytesOf(screen), null)],
])('is packed %s', (_, json) => {
  const packed = packScreen(json, at, null)
  const stored = unpackJson(packed?.screen.body ?? expect.unreachable())
  expect(stored).toEqual(screen)
  expect(observationSchema.safeParse(stored).success).toBe(true)
})
