import { randomBytes } from 'node:crypto'
import { Progress } from '@phonerack/shared'
import sharp from 'sharp'
import { beforeAll, describe, expect, it } from 'vitest'
import { simulatedPhone } from '../testing/simulated-phone.js'
import { ScreenImageError } from './errors.js'
import { makeScreenshot, pngSize, takeScreenshot, toJson } from './screenshot.js'

const screen = { width: 1080, height: 2400 }
const limit = 4_000_000
const of = (png: Buffer) => ({ png, screen, secure: false })
let plain: Buffer
let noise: Buffer

beforeAll(async () => {
  plain = await sharp({ create: { ...screen, channels: 4, background: '#28c' } })
    .png()
    .toBuffer()
  const raw = randomBytes(screen.width * screen.height * 4)
  noise = await sharp(raw, { raw: { ...screen, channels: 4 } })
    .png({ compressionLevel: 1 })
    .toBuffer()
})

describe('screenshots', () => {
  it("passes the phone's PNG through when nothing needs to change", async () => {
    const shot = await makeScreenshot(of(plain), { format: 'png' }, limit)
    expect(Buffer.from(shot.image).equals(plain)).toBe(true)
    expect(shot).toMatchObject({ width: 1080, height: 2400, scale: 1, screenWidth: 1080, screenHeight: 2400 })
  })

  it.each(['png', 'jpeg'] as const)(
    'scales a %s to the requested width, with the exact scale [29.11]',
    async (format) => {
      for (const maxWidth of [160, 719, 1080, 2000]) {
        const shot = await makeScreenshot(of(plain), { format, maxWidth }, limit)
        const width = Math.min(maxWidth, 1080)
        const info = await sharp(shot.image).metadata()
        expect([info.format, info.width, info.height]).toEqual([format, shot.width, shot.height])
        expect([shot.width, shot.scale]).toEqual([width, width / 1080])
        expect(Math.abs(shot.height - (width * 2400) / 1080)).toBeLessThan(1)
      }
    },
  )

  it('applies the quality', async () => {
    const bytes = async (quality?: number) =>
      (await makeScreenshot(of(noise), { format: 'jpeg', maxWidth: 400, quality }, limit)).image.byteLength
    const [low, left, seventy, high] = [await bytes(30), await bytes(), await bytes(70), await bytes(95)]
    expect(low).toBeLessThan(seventy)
    expect(left).toBe(seventy)
    expect(seventy).toBeLessThan(high)
  })

  it.each(['png', 'jpeg'] as const)(
    'scales a %s of pure noise down until it fits [20.46, 29.9]',
    async (format) => {
      expect(noise.byteLength).toBeGreaterThan(limit)
      for (const maxBytes of [limit, 20_000]) {
        const shot = await makeScreenshot(of(noise), { format, quality: 95 }, maxBytes)
        expect(shot.image.byteLength).toBeLessThan(maxBytes)
        expect(shot.image.byteLength).toBeGreaterThan(maxBytes / 4)
        expect(shot.scale).toBe(shot.width / 1080)
      }
    },
  )

  it('is measured against the screen, not against the picture', async () => {
    const half = await sharp(plain).resize({ width: 540 }).png().toBuffer()
    const shot = await makeScreenshot(of(half), { format: 'png' }, limit)
    expect([shot.width, shot.scale]).toEqual([540, 0.5])
  })

  it('refuses data that is not a picture, or is too large', async () => {
    expect(() => pngSize(Buffer.from('screencap: error'))).toThrow(ScreenImageError)
    const huge = Buffer.from(plain)
    huge.writeUInt32BE(100_000, 16)
    expect(() => pngSize(huge)).toThrow(ScreenImageError)
    const cut = plain.subarray(0, plain.length / 2)
    await expect(makeScreenshot(of(cut), { format: 'jpeg' }, limit)).rejects.toThrow(ScreenImageError)
  })

  it('comes from the phone', async () => {
    const phone = simulatedPhone([])
    const shot = await takeScreenshot(phone.device, { format: 'jpeg', maxWidth: 720 }, Progress.for(5000))
    expect([shot.width, shot.height, shot.format]).toEqual([720, 1600, 'jpeg'])
    expect([shot.secure, toJson(shot)]).toEqual([false, expect.not.objectContaining({ secure: false })])
  })

  it('reports a protected window on the screen, and omits that when the phone does not report it', async () => {
    const phone = simulatedPhone([])
    const fresh: (boolean | undefined)[] = []
    phone.device.secureWindow.read = (_, refresh) => {
      fresh.push(refresh)
      return Promise.resolve({ asleep: false, locked: false, secure: true })
    }
    const take = () => takeScreenshot(phone.device, { format: 'jpeg', maxWidth: 160 }, Progress.for(20_000))
    const shot = await take()
    expect([shot.secure, toJson(shot).secure, fresh]).toEqual([true, true, [true]])
    phone.device.secureWindow.read = (progress) =>
      progress.sleep(60_000).then(() => Promise.reject(new Error('slept')))
    expect((await take()).secure).toBe(false)
  })
})
