/**
 * Compares the messages with golden bytes, and with those of an independent
 * implementation of the protocol.
 */
import {
  type AndroidKeyCode,
  type AndroidKeyEventMeta,
  ScrcpyControlMessageSerializer,
  ScrcpyOptions3_3_3,
} from '@yume-chan/scrcpy'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  getClipboardMessage,
  keyMessage,
  parseDeviceMessages,
  resetVideoMessage,
  rotateMessage,
  scrollMessage,
  setClipboardMessage,
  textMessage,
  touchActions,
  touchMessage,
} from './messages.js'

const other = new ScrcpyControlMessageSerializer(new ScrcpyOptions3_3_3({ clipboardAutosync: true }))
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const int = (min: number, max: number) => fc.integer({ min, max })

describe('control messages', () => {
  it('match the golden bytes', () => {
    expect(hex(keyMessage('down', 66, 0x41))).toBe('0000' + '00000042' + '00000000' + '00000041')
    expect(hex(textMessage('aé'))).toBe('01' + '00000003' + '61c3a9')
    expect(hex(touchMessage('down', 1, { x: 100, y: 200 }, { width: 1080, height: 2400 }))).toBe(
      '0200' +
        '0000000000000001' +
        '00000064' +
        '000000c8' +
        '0438' +
        '0960' +
        'ffff' +
        '00000000' +
        '00000000',
    )
    expect(hex(keyMessage('down', 66, 0, 3))).toBe('0000' + '00000042' + '00000003' + '00000000')
    expect(hex(scrollMessage({ x: 260, y: 1026 }, { width: 1080, height: 1920 }, 1, -16))).toBe(
      '03' + '00000104' + '00000402' + '0438' + '0780' + '0800' + '8000' + '00000000',
    )
    expect(hex(scrollMessage({ x: 0, y: 0 }, { width: 1, height: 1 }, 16, -99))).toMatch(/7fff800000000000$/)
    expect(hex(rotateMessage())).toBe('0b')
    expect(hex(resetVideoMessage())).toBe('11')
    expect(hex(getClipboardMessage())).toBe('0800')
    expect(hex(setClipboardMessage(7n, true, 'ü'))).toBe(
      '09' + '0000000000000007' + '01' + '00000002' + 'c3bc',
    )
  })

  it('match another implementation of 3.3.3', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('down' as const, 'up' as const, 'move' as const),
        int(0, 9),
        int(0, 4000),
        int(0, 4000),
        (action, id, x, y) => {
          const theirs = other.injectTouch({
            action: touchActions[action],
            pointerId: BigInt(id),
            pointerX: x,
            pointerY: y,
            videoWidth: 1080,
            videoHeight: 2400,
            pressure: action === 'up' ? 0 : 1,
            actionButton: 0,
            buttons: 0,
          })
          expect(hex(touchMessage(action, id, { x, y }, { width: 1080, height: 2400 }))).toBe(hex(theirs))
        },
      ),
    )
    fc.assert(
      fc.property(int(0, 300), int(0, 0x7fffffff), (keyCode, metaState) => {
        const theirs = other.injectKeyCode({
          action: 1,
          keyCode: keyCode as AndroidKeyCode,
          repeat: 0,
          metaState: metaState as AndroidKeyEventMeta,
        })
        expect(hex(keyMessage('up', keyCode, metaState))).toBe(hex(theirs))
      }),
    )
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
        if (Buffer.byteLength(text) <= 300) expect(hex(textMessage(text))).toBe(hex(other.injectText(text)))
        const theirs = other.setClipboard({ sequence: 0n, paste: true, content: text })
        expect(theirs).toBeInstanceOf(Uint8Array)
        if (theirs instanceof Uint8Array) expect(hex(setClipboardMessage(0n, true, text))).toBe(hex(theirs))
      }),
    )
  })

  it("parse the device's messages in any fragmentation", () => {
    const clipboard = Buffer.from('00' + '00000002' + 'c3bc', 'hex')
    const ack = Buffer.from('01' + '0000000000000009', 'hex')
    const uhid = Buffer.from('02' + '0001' + '0002' + 'abcd', 'hex')
    const all = Buffer.concat([clipboard, ack, uhid, clipboard])
    fc.assert(
      fc.property(fc.array(int(0, all.length), { maxLength: 8 }), (cuts) => {
        const edges = [0, ...cuts.toSorted((a, b) => a - b), all.length]
        const seen: unknown[] = []
        let pending: Buffer = Buffer.alloc(0)
        edges.slice(1).forEach((edge, index) => {
          const { messages, rest } = parseDeviceMessages(
            Buffer.concat([pending, all.subarray(edges[index], edge)]),
          )
          seen.push(...messages)
          pending = rest
        })
        expect(pending.length).toBe(0)
        expect(seen).toEqual([
          { type: 'clipboard', text: 'ü' },
          { type: 'clipboard_ack', sequence: 9n },
          { type: 'uhid_output', id: 1, data: Buffer.from('abcd', 'hex') },
          { type: 'clipboard', text: 'ü' },
        ])
      }),
    )
  })

  it('end the stream on an unknown type', () => {
    expect(() => parseDeviceMessages(Buffer.from([9]))).toThrow(RangeError)
  })
})
