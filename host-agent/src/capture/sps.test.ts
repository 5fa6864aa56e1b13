/** Parameter sets of real encoders' streams, and corrupt ones. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ffmpeg } from '../testing/viewer.js'
import { readPictureFormat, withoutParameterSets } from './sps.js'

const filmed = (size: string, ...options: string[]): Promise<Buffer> =>
  ffmpeg([
    ...['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=5`, '-frames:v', '1', '-c:v', 'libx264'],
    ...['-preset', 'ultrafast', ...options, '-f', 'h264', 'pipe:1'],
  ])

describe('picture format', () => {
  it.each([
    ['a phone, with padding', 576, 1278, [], /^avc1\.42c0..$/],
    ['High', 1280, 590, ['-profile:v', 'high', '-preset', 'veryfast'], /^avc1\.6400..$/],
    ['scaling lists', 320, 242, ['-profile:v', 'high', '-x264-params', 'cqm=jvt:8x8dct=1'], /^avc1\.6400..$/],
    ['interlaced', 320, 268, ['-flags', '+ildct', '-x264-params', 'tff=1'], /^avc1\.4d....$/],
    ['4:4:4', 322, 246, ['-pix_fmt', 'yuv444p'], /^avc1\.f4....$/],
  ])('is read: %s', async (_name, width, height, options, codec) => {
    expect(readPictureFormat(await filmed(`${width}x${height}`, ...options))).toEqual({
      codec: expect.stringMatching(codec) as string,
      width,
      height,
    })
  })

  it('is refused when there is none, and never read past its end', () => {
    expect(() => readPictureFormat(Buffer.from('0000000168ce', 'hex'))).toThrow(RangeError)
    const start = Buffer.from('0000000167', 'hex')
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        try {
          const { width, height } = readPictureFormat(Buffer.concat([start, bytes]))
          return width > 0 && height > 0
        } catch (error) {
          return error instanceof RangeError
        }
      }),
      { numRuns: 500 },
    )
  })

  it('is removed from the front of a key frame', () => {
    const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')
    const sets = '00000001 6742c01e 000001 68ce3c80'
    expect(withoutParameterSets(hex(`${sets} 00000001 65b8`))).toEqual(hex('00000001 65b8'))
    expect(withoutParameterSets(hex(`${sets} 000001 0605ff 000001 65b8`))).toEqual(
      hex('000001 0605ff 000001 65b8'),
    )
    expect(withoutParameterSets(hex('00000001 65b8'))).toEqual(hex('00000001 65b8'))
  })
})
