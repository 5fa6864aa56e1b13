/** Entries of the log as bytes: AOSP `struct logger_entry`. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { EntryReader, textOf, UnreadableLog } from './entry.js'

/** pid 4660, tid 4661, 1700000000 s 123456789 ns, buffer 4 (crash), uid 10110, `E/Tag: a`. */
const golden = '07001c00341200003512000000f1536515cd5b07040000007e27000006546167006100'

function entry(payload: Buffer, uid = 10_110): Buffer {
  const header = Buffer.alloc(28)
  header.writeUInt16LE(payload.length, 0)
  header.writeUInt16LE(28, 2)
  header.writeInt32LE(4660, 4)
  header.writeUInt32LE(4661, 8)
  header.writeUInt32LE(1_700_000_000, 12)
  header.writeUInt32LE(123_456_789, 16)
  header.writeUInt32LE(4, 20)
  header.writeUInt32LE(uid, 24)
  return Buffer.concat([header, payload])
}
const line = (text: string) => entry(Buffer.from(`\x06Tag\0${text}\0`, 'latin1'))

it('reads the bytes of an entry', () => {
  expect(line('a').toString('hex')).toBe(golden)
  const [read] = new EntryReader().add(Buffer.from(golden, 'hex'))
  expect(read).toMatchObject({
    pid: 4660,
    tid: 4661,
    seconds: 1_700_000_000,
    nanoseconds: 123_456_789,
    buffer: 4,
    uid: 10_110,
  })
  expect(textOf(read?.payload ?? Buffer.alloc(0))).toEqual({ level: 'error', tag: 'Tag', message: 'a' })
})

it('reads the same entries however the stream is divided', () => {
  const texts = ['one', '', 'two\nlines', 'x'.repeat(4000)]
  const bytes = Buffer.concat(texts.map(line))
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 20 }), (cuts) => {
      const at = [0, ...cuts.toSorted((a, b) => a - b), bytes.length]
      const reader = new EntryReader()
      const read = at.slice(1).flatMap((end, index) => reader.add(bytes.subarray(at[index], end)))
      expect(read.map(({ payload }) => textOf(payload)?.message)).toEqual(texts)
    }),
  )
})

it('never returns more bytes than it received, and refuses impossible lengths [42.13]', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => {
      try {
        const read = new EntryReader().add(Buffer.from(bytes))
        expect(read.reduce((sum, { payload }) => sum + payload.length + 28, 0)).toBeLessThanOrEqual(
          bytes.length,
        )
      } catch (error) {
        if (!(error instanceof UnreadableLog)) throw error
      }
    }),
  )
  const short = line('a')
  short.writeUInt16LE(20, 2)
  expect(() => new EntryReader().add(short)).toThrow(UnreadableLog)
  const long = line('a')
  long.writeUInt16LE(60_000, 0)
  expect(() => new EntryReader().add(long)).toThrow(UnreadableLog)
})

it('skips payloads that are not text', () => {
  for (const payload of ['', '\x06', '\x06no end', '\x01Tag\0a\0', '\xffTag\0a\0'])
    expect(textOf(Buffer.from(payload, 'latin1')), JSON.stringify(payload)).toBeNull()
  expect(textOf(Buffer.from('\x04\xff\xfe\0\xc3(\0', 'latin1'))).toEqual({
    level: 'info',
    tag: '\ufffd\ufffd',
    message: '\ufffd(',
  })
})
