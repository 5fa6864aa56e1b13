import { expect, it } from 'vitest'
import { createTypedTexts } from './typed-texts.js'

it('masks texts that were typed on the same phone', () => {
  const typed = createTypedTexts()
  typed.note('ph_a', ['hunter2'])
  typed.note('ph_a', ['another text'])
  expect(typed.masker('ph_a').text('hunter2 and another text')).toBe('[redacted] and [redacted]')
  expect(typed.masker('ph_b').text('hunter2')).toBe('hunter2')
  expect([typed.has('ph_a'), typed.has('ph_b')]).toEqual([true, false])
})

it('remembers that a text was typed when the text is unknown', () => {
  const typed = createTypedTexts()
  typed.note('ph_a', ['\u2022\u2022\u2022'])
  expect(typed.has('ph_a')).toBe(true)
  expect(typed.masker('ph_a').isEmpty).toBe(true)
  expect(typed.masker('ph_a').text('Visa \u2022\u2022\u2022\u2022 1234')).toBe(
    'Visa \u2022\u2022\u2022\u2022 1234',
  )
  // Text and keys of a live view form one text.
  typed.note('ph_a', ['hunt\u2022\u2022\u2022'])
  expect(typed.masker('ph_a').text('hunter2')).toBe('[redacted]er2')
})

it('masks everything when more texts were typed than it keeps, and remembers equal texts once', () => {
  const typed = createTypedTexts()
  for (let time = 0; time < 400; time += 1) typed.note('ph_a', ['the same text'])
  expect(typed.masker('ph_a').text('Home')).toBe('Home')
  for (let time = 0; time < 400; time += 1) typed.note('ph_a', [`text number ${time}`])
  expect(typed.masker('ph_a').text('Home')).toBe('[redacted]')
  typed.note(
    'ph_b',
    Array.from({ length: 125_000 }, (_, at) => String(at).padStart(6, '0')),
  )
  expect(typed.masker('ph_b').text('Home')).toBe('[redacted]')
  expect(typed.masker('ph_b').isEmpty).toBe(false)
  expect(typed.masker('ph_a').json({ a: ['Home', '', 1, null] })).toEqual({ a: ['[redacted]', '', 1, null] })
})
