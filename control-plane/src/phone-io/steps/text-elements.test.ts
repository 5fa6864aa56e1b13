import { type TextObservation } from '@phonerack/shared'
import { expect, it } from 'vitest'
import { withElements } from './text-elements.js'

const screenOf = (...lines: string[]): TextObservation => ({
  snapshot_id: 'snp_aaaaaaaaaaaa',
  taken_at: '2026-11-26T20:00:00.000Z',
  truncated: false,
  app: { package: 'com.example', activity: null },
  keyboard: { visible: false, focused_editable: false },
  screen: { width: 100, height: 200 },
  text: ['app com.example', 'keyboard hidden', 'screen 100x200', ...lines].join('\n'),
})
const bytesOf = (...numbers: number[]) => new Uint8Array(Int32Array.from(numbers).buffer)

it('builds the elements from the lines and their bounds', () => {
  const screen = screenOf(
    '[1] Button "OK, \\"now\\" \\\\ then\\nlater" #ok clickable disabled (50,10)',
    '[2] ImageButton "More" #android:id/more clickable (-5,30)',
    '[3] View scrollable (50,100)',
    'not a line',
    '[5] TextView "last" (1,2)',
  )
  const bounds = bytesOf(
    ...[0, 0, 100, 20, 0],
    ...[-10, 20, 0, 40, 1],
    ...[0, 40, 100, 160, 0],
    ...[9, 9, 9, 9, 9],
  )
  const { elements, ...rest } = withElements(screen, bounds)
  expect(rest).toEqual(screen)
  expect(elements).toEqual([
    {
      ref: 1,
      type: 'Button',
      text: 'OK, "now" \\ then\nlater',
      desc: null,
      id: 'com.example:id/ok',
      bounds: [0, 0, 100, 20],
      center: [50, 10],
      state: ['clickable', 'disabled'],
    },
    {
      ref: 2,
      type: 'ImageButton',
      text: null,
      desc: 'More',
      id: 'android:id/more',
      bounds: [-10, 20, 0, 40],
      center: [-5, 30],
      state: ['clickable'],
    },
    {
      ref: 3,
      type: 'View',
      text: null,
      desc: null,
      id: null,
      bounds: [0, 40, 100, 160],
      center: [50, 100],
      state: ['scrollable'],
    },
    {
      ref: 5,
      type: 'TextView',
      text: 'last',
      desc: null,
      id: null,
      bounds: [1, 2, 2, 3],
      center: [1, 2],
      state: [],
    },
  ])
})

it('gives elements of an earlier release the bounds of their centre', () => {
  expect(withElements(screenOf('[1] Button "OK" (50,10)'), new Uint8Array()).elements[0]?.bounds).toEqual([
    ...[50, 10, 51, 11],
  ])
})

it('learns which texts are typed from the host, and not from the end of an ID', () => {
  const lines = [
    '[1] EditText "1234" #pin hint editable (1,1)',
    '[2] EditText "Name" #name editable hint (1,1)',
    '[3] EditText #user Name editable (1,1)',
    '[4] EditText "dots" #x hint password (1,1)',
    '[5] View "More" #more clickable (1,1)',
  ]
  const flags = [2, 0, 2, 2, 1]
  const bounds = bytesOf(...flags.flatMap((flag) => [0, 0, 2, 2, flag]))
  const { elements } = withElements(screenOf(...lines), bounds)
  expect(elements.map(({ ref, state, text, desc }) => [ref, state, text ?? desc, desc !== null])).toEqual([
    [1, ['editable'], '1234', false],
    [2, ['editable', 'hint'], 'Name', false],
    [4, ['hint', 'password'], 'dots', false],
    [5, ['clickable'], 'More', true],
  ])
  // Without flags, no text of an editable element counts as a hint.
  const [unknown] = withElements(screenOf(lines[1] ?? ''), new Uint8Array()).elements
  expect(unknown?.state).toEqual(['editable'])
})
