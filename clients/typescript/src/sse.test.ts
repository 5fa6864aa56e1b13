import fc from 'fast-check'
import { expect, it } from 'vitest'
import { FrameReader, type Frame } from './sse.js'

const whole = (text: string): Frame[] => new FrameReader().read(text)

it('reads data, IDs, and IDs without data', () => {
  expect(whole('retry: 1000\n\nid: a\n\nid: b\nevent: phone.ready\ndata: {"a":1}\n\n')).toEqual([
    { lastId: 'a', data: null },
    { lastId: 'b', data: '{"a":1}' },
  ])
})

it('ignores comments and unknown fields, joins lines of data, and keeps the ID of a frame without one', () => {
  expect(whole(': x\nid: a\ndata: 1\ndata: 2\nother: 3\n\n:\n\ndata: 4\n\n')).toEqual([
    { lastId: 'a', data: '1\n2' },
    { lastId: 'a', data: '4' },
  ])
  expect(whole('data: half')).toEqual([])
})

it('reads the same from any division into chunks, and with any line break', () => {
  const text = 'id: a\n\n: c\nid: b\ndata: {"a":"ü"}\n\ndata: 2\n\n'
  fc.assert(
    fc.property(
      fc.array(fc.nat(text.length * 2), { maxLength: 8 }),
      fc.constantFrom('\n', '\r\n', '\r'),
      (cuts, lineBreak) => {
        const sent = `${text.replaceAll('\n', lineBreak)}${lineBreak === '\r' ? ':\r' : ''}`
        const reader = new FrameReader()
        const places = [
          0,
          ...cuts.map((cut) => Math.min(cut, sent.length)).sort((a, b) => a - b),
          sent.length,
        ]
        const frames = places.flatMap((place, index) =>
          reader.read(sent.slice(places[index - 1] ?? 0, place)),
        )
        expect(frames).toEqual(whole(text))
      },
    ),
  )
})
