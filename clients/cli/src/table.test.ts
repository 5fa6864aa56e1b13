/** Tables and records. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { record, table, widthOf } from './table.js'

interface Row {
  name: string
  size: number | null
}
const columns = [
  { title: 'NAME', value: ({ name }: Row) => name },
  { title: 'SIZE', value: ({ size }: Row) => size },
]

it('aligns columns with wide characters, and marks empty cells', () => {
  const rows = [
    { name: '電話', size: 1 },
    { name: 'shop', size: null },
  ]
  expect(table(rows, columns, 'none')).toBe('NAME  SIZE\n電話  1\nshop  -')
  expect(table([], columns, 'No rows.')).toBe('No rows.')
})

it('colors cells without a change of their width', () => {
  const paint = (cell: string): string => `<${cell}>`
  const text = table(
    [{ name: 'a', size: 1 }],
    [{ ...columns[0], title: 'NAME', value: ({ name }: Row) => name, paint }, ...columns.slice(1)],
    '',
  )
  expect(text).toBe('NAME  SIZE\n<a>     1')
})

it('has one line for each row, for any cells', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ name: fc.string({ unit: 'binary' }), size: fc.integer() }), { minLength: 1 }),
      (rows) => {
        expect(table(rows, columns, '').split('\n')).toHaveLength(rows.length + 1)
      },
    ),
  )
})

it('leaves out fields without a value', () => {
  expect(
    record([
      ['id', 'ph_1'],
      ['name', null],
      ['country', ''],
      ['phones', 0],
    ]),
  ).toBe('id      ph_1\nphones  0')
})

it('counts a wide character as two columns', () => {
  expect([widthOf('abc'), widthOf('電話'), widthOf('👍🏽')]).toEqual([3, 4, 2])
})
