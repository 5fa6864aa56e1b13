/** The shell protocol, version 2: the bytes of each packet, and a command's stdin through the real adb server. */
import { Readable } from 'node:stream'
import { Progress } from '@phonerack/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { plugIn, type PluggedIn } from '../testing/plugged-in.js'
import { command } from './quote.js'
import { shellPacket, shellPacketId } from './shell-protocol.js'

describe('a shell packet', () => {
  it('has the id, the little-endian length and the data, as in AOSP shell_protocol.h', () => {
    const golden: Record<keyof typeof shellPacketId, string> = {
      stdin: '00' + '03000000' + '616263',
      stdout: '01' + '03000000' + '616263',
      stderr: '02' + '03000000' + '616263',
      exit: '03' + '03000000' + '616263',
      closeStdin: '04' + '03000000' + '616263',
      windowSizeChange: '05' + '03000000' + '616263',
      invalid: 'ff' + '03000000' + '616263',
    }
    const written = Object.fromEntries(
      Object.entries(shellPacketId).map(([name, id]) => [
        name,
        shellPacket(id, Buffer.from('abc')).toString('hex'),
      ]),
    )
    expect(written).toEqual(golden)
    expect(shellPacket(shellPacketId.closeStdin, new Uint8Array()).toString('hex')).toBe('0400000000')
    expect(shellPacket(shellPacketId.stdin, Buffer.alloc(0x010203)).subarray(0, 5).toString('hex')).toBe(
      '0003020100',
    )
  })
})

describe('a command that reads its stdin to the end', () => {
  let both: PluggedIn
  beforeAll(async () => {
    both = await plugIn()
  })
  afterAll(() => both.stop())

  const count = async (...sizes: number[]) => {
    const { exitCode, stdout } = await both.transport.feed(
      command('wc', '-c'),
      Readable.from(sizes.map((size) => Buffer.alloc(size, 'x'))),
      Progress.for(10_000),
    )
    return [exitCode, stdout.toString()]
  }

  it('receives the end of its input', async () => {
    expect(await count(5000)).toEqual([0, '5000\n'])
    expect(await count(1, 70_000, 3_000_000)).toEqual([0, '3070001\n'])
  })

  it('receives the end of an empty input', async () => {
    expect(await count()).toEqual([0, '0\n'])
  })
})
