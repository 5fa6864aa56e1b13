/** NAL units of an Annex B stream. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { nalUnits } from './annex-b.js'

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex')
const bytesOf = (stream: Buffer): Buffer[] => [...nalUnits(stream)].map(({ bytes }) => bytes)

it('NAL units are found behind start codes of either length, without zeros between them', () => {
  expect([...nalUnits(hex('00000001 6701 00 000001 410203 000000'))]).toEqual([
    { type: 7, bytes: hex('6701'), start: 0 },
    { type: 1, bytes: hex('410203'), start: 6 },
  ])
  expect(bytesOf(hex('6501'))).toEqual([])
  expect(bytesOf(hex('000001 000001 41'))).toEqual([hex('41')])
  expect([...nalUnits(hex('6501 000001 41'))]).toEqual([{ type: 1, bytes: hex('41'), start: 2 }])
})

it('NAL units survive a round trip', () => {
  // A unit from an encoder does not contain a start code or end with a zero.
  const unit = fc
    .uint8Array({ minLength: 1, maxLength: 40 })
    .map((bytes) => Buffer.from(bytes.map((byte) => byte || 3)))
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 8 }), (units) => {
      const stream = Buffer.concat(units.flatMap((each) => [hex('00000001'), each]))
      expect(bytesOf(stream)).toEqual(units)
    }),
  )
})
