import { expect, it } from 'vitest'
import { canBeTakenFor, firstLineOf } from './notification-texts.js'

const bank = { title: 'Transfer', text: 'Confirm 900 EUR\nto Mallory' }

it('takes notifications with the same first lines for each other', () => {
  expect(canBeTakenFor({ title: ' Transfer', text: 'Confirm 900 EUR\nor not' }, bank)).toBe(true)
  expect(canBeTakenFor({ title: 'Confirm 900 EUR', text: '' }, bank)).toBe(true)
  expect(canBeTakenFor({ title: 'Confirm 900 EUR', text: 'Transfer' }, bank)).toBe(true)
})

it('tells others apart', () => {
  for (const other of [
    { title: 'Transfer', text: 'Confirm 901 EUR' },
    { title: 'Other', text: 'Confirm 900 EUR' },
    { title: '', text: '' },
  ])
    expect(canBeTakenFor(other, bank)).toBe(false)
})

it('compares 200 characters of a line', () => {
  expect(firstLineOf('a'.repeat(300))).toBe('a'.repeat(200))
  expect(firstLineOf('\n b \nc')).toBe('b')
  expect(firstLineOf('\u200fDon\u2019t\u00a0forget')).toBe("don't forget")
})
