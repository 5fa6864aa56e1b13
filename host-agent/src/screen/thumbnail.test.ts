import { randomBytes } from 'node:crypto'
import { Progress } from '@phonerack/shared'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { simulatedPhone } from '../testing/simulated-phone.js'
import { ScreenImageError } from './errors.js'
import { makeThumbnail, takeThumbnail } from './thumbnail.js'

const plain = (width: number, height: number, background = '#28c'): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 4, background } })
    .png()
    .toBuffer()

describe('a thumbnail', () => {
  it.each([
    [1080, 2400, 144, 320],
    [2400, 1080, 320, 144],
    [100, 200, 100, 200],
  ])('of %s x %s pixels has %s x %s', async (width, height, narrow, low) => {
    const { image } = await makeThumbnail(await plain(width, height))
    const info = await sharp(image).metadata()
    expect([info.format, info.width, info.height]).toEqual(['webp', narrow, low])
  })

  it('has the same tag for the same picture only', async () => {
    const [one, again, other] = await Promise.all(
      ['#28c', '#28c', '#28d'].map(
        async (colour) => (await makeThumbnail(await plain(1080, 2400, colour))).tag,
      ),
    )
    expect(one).toMatch(/^[\w-]{22}$/)
    expect(again).toBe(one)
    expect(other).not.toBe(one)
  })

  it('has at most 40,000 bytes, even for noise', async () => {
    const screen = { width: 320, height: 320 }
    const noise = await sharp(randomBytes(320 * 320 * 4), { raw: { ...screen, channels: 4 } })
      .png()
      .toBuffer()
    expect((await makeThumbnail(noise)).image.length).toBeLessThanOrEqual(40_000)
  })

  it('is refused for data that is not a picture, or is cut or too large', async () => {
    await expect(makeThumbnail(Buffer.from('screencap: error'))).rejects.toThrow(ScreenImageError)
    const whole = await plain(1080, 2400)
    await expect(makeThumbnail(whole.subarray(0, whole.length / 2))).rejects.toThrow(ScreenImageError)
    whole.writeUInt32BE(100_000, 16)
    await expect(makeThumbnail(whole)).rejects.toThrow(ScreenImageError)
  })
})

describe('a screen', () => {
  const take = async (state: { asleep?: boolean; secure?: boolean }) => {
    const phone = simulatedPhone([])
    const all = { asleep: false, locked: false, secure: false, ...state }
    const device = { ...phone.device, secureWindow: { read: () => Promise.resolve(all) } }
    return { taken: await takeThumbnail(device, Progress.for(60_000)), log: phone.log }
  }

  it('is read once', async () => {
    const { taken, log } = await take({})
    expect(taken).toMatchObject({ tag: expect.any(String) as unknown })
    expect(log).toEqual(['png'])
  })

  it.each(['asleep', 'secure'] as const)('is not read while it is %s', async (state) => {
    expect(await take({ [state]: true })).toEqual({ taken: state, log: [] })
  })

  it('has no thumbnail if its state cannot be read', async () => {
    const phone = simulatedPhone([])
    const device = { ...phone.device, secureWindow: { read: () => Promise.reject(new Error('no state')) } }
    await expect(takeThumbnail(device, Progress.for(60_000))).rejects.toThrow('no state')
    expect(phone.log).toEqual([])
  })
})
