import fc from 'fast-check'
import { expect, it } from 'vitest'
import { foldRows } from './fold-rows.js'

const head = ['app x', 'keyboard hidden', 'screen 1080x2400']
const contact = (index: number): string =>
  `[${index}] TextView "Person \\"${index}\\"" #name clickable (540,${index})`

it('folds the rows of a long list after the first twelve', () => {
  const rows = Array.from({ length: 30 }, (_, index) => contact(index + 5))
  const text = [...head, '[1] Button "Back" (5,5)', ...rows, '[99] Button "New" #fab clickable (9,9)'].join(
    '\n',
  )
  expect(foldRows(text).split('\n')).toEqual([
    ...head,
    '[1] Button "Back" (5,5)',
    ...rows.slice(0, 12),
    '… 18 more rows like [16]',
    '[99] Button "New" #fab clickable (9,9)',
  ])
})

it('folds rows of several elements, and shows a row that differs', () => {
  const row = (index: number, more = ''): string[] => [
    `[${index * 2}] TextView "Track ${index}" (100,${index})`,
    `[${index * 2 + 1}] CheckBox #done checkable${more} (900,${index})`,
  ]
  const many = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => row(from + index)).flat()
  const lines = [...many(1, 25), ...row(26, ' checked'), ...many(27, 3)]
  expect(foldRows(lines.join('\n')).split('\n')).toEqual([
    ...lines.slice(0, 24),
    '… 13 more rows like [24]',
    ...lines.slice(50),
  ])
})

it('keeps a short text, and each line that it shows, unchanged', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(contact(1), '[2] View (1,1)', '[3] Switch "On" checked (4,4)', 'kept 3'), {
        maxLength: 60,
      }),
      (lines) => {
        const folded = foldRows(lines.join('\n')).split('\n')
        if (lines.length < 20) expect(folded.join('\n')).toBe(lines.join('\n'))
        const hidden = folded.flatMap((each) => /^… (\d+) more rows/.exec(each)?.[1] ?? [])
        expect(
          folded.filter((each) => !each.startsWith('…')).every((each) => each === '' || lines.includes(each)),
        ).toBe(true)
        expect(folded.length - hidden.length <= Math.max(1, lines.length)).toBe(true)
      },
    ),
  )
})
