import { Progress, systemClock } from '@phonerack/shared'
import fc from 'fast-check'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { anyScreen } from '../testing/drafts.js'
import { simulatedPhone, screen } from '../testing/simulated-phone.js'
import { dumpXml } from '../testing/screen-xml.js'
import { buildTree } from './elements.js'
import { takeAnnotatedScreenshot } from './index.js'
import { marksSvg } from './marks.js'
import { parseNodes } from './nodes.js'
import { Looks } from './looks.js'
import { createSnapshotStore } from './snapshots.js'

const background = [0x22, 0x44, 0x66]

async function pixelsOf(image: Uint8Array) {
  const { data, info } = await sharp(image).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const at = (x: number, y: number): number[] => [
    ...data.subarray((y * info.width + x) * 3, (y * info.width + x) * 3 + 3),
  ]
  return { at, info }
}

describe('annotated screenshot', () => {
  it('has a numbered frame around each element, whose ref is in the snapshot [32.19]', async () => {
    const phone = simulatedPhone([
      { text: 'One', flags: ['clickable'], bounds: [100, 200, 500, 400] },
      { text: 'Two', flags: ['clickable'], bounds: [600, 1000, 1000, 1400] },
    ])
    const snapshots = createSnapshotStore(systemClock).of({ phoneId: 'ph_a', fencingNumber: 1n })
    const take = (maxWidth?: number) =>
      takeAnnotatedScreenshot(
        phone.device,
        { snapshots, looks: new Looks() },
        { format: 'png', maxWidth },
        Progress.for(20_000),
      )
    const { shot, snapshotId } = await take()
    expect(snapshotId).toMatch(/^snp_/)
    expect(snapshots.find(snapshotId)?.elements[1]?.text).toBe('Two')
    expect([shot.width, shot.height, shot.scale]).toEqual([1080, 2400, 1])
    const { at } = await pixelsOf(shot.image)
    // The frame's right side, the number's corner, the element's middle, and outside
    // it.
    expect(at(499, 300)).not.toEqual(background)
    expect(at(101, 201)).not.toEqual(background)
    expect(at(300, 300)).toEqual(background)
    expect(at(550, 300)).toEqual(background)
    // "1": a white stroke on the right side of the digit.
    expect(at(100 + 2 * (4 + 6), 200 + 2 * (4 + 5))).toEqual([255, 255, 255])

    const narrow = await pixelsOf((await take(540)).shot.image)
    expect([narrow.info.width, narrow.info.height]).toEqual([540, 1200])
    expect(narrow.at(249, 150)).not.toEqual(background)
    expect(narrow.at(150, 150)).toEqual(background)
  })

  it('is drawn for any screen, at any width, from numbers only', async () => {
    await fc.assert(
      fc.asyncProperty(anyScreen, fc.integer({ min: 1, max: 1080 }), async (drafts, width) => {
        const { elements } = buildTree(parseNodes(dumpXml(...drafts)), screen)
        const size = { width, height: Math.max(1, Math.round((width * 2400) / 1080)) }
        const svg = marksSvg(elements, screen, size)
        expect(svg.match(/<path/g)?.length ?? 0).toBe(elements.map(({ ref }) => String(ref)).join('').length)
        expect(svg).toMatch(/^[\w\s<>/="#:.()-]*$/)
        const { info } = await sharp(Buffer.from(svg)).toBuffer({ resolveWithObject: true })
        expect([info.width, info.height]).toEqual([size.width, size.height])
      }),
      { numRuns: 40 },
    )
  })

  it('has contrast on any background, also of the color of a frame or a number [32.20]', async () => {
    const elements = Array.from({ length: 12 }, (_, index) => ({
      ref: index + 1,
      bounds: [100, 100 + 180 * index, 900, 240 + 180 * index] as const,
    }))
    const overlay = Buffer.from(marksSvg(elements, screen, screen))
    const grounds = ['#c62828', '#1565c0', '#2e7d32', '#6a1b9a', '#ad5700', '#00696f', '#fff', '#000', '#777']
    for (const ground of grounds) {
      const picture = sharp({ create: { ...screen, channels: 3, background: ground } })
      const image = await picture
        .composite([{ input: overlay }])
        .png()
        .toBuffer()
      const { at } = await pixelsOf(image)
      const behind = at(5, 5)
      for (const { ref, bounds } of elements) {
        const [left, top, right, bottom] = bounds
        const middle = Math.floor((top + bottom) / 2)
        // Across the right side of the frame, and across the whole number.
        const frame = Array.from({ length: 6 }, (_, x) => at(right - 6 + x, middle))
        const number = Array.from({ length: 48 * 36 }, (_, each) =>
          at(left + (each % 48), top + Math.floor(each / 48)),
        )
        for (const pixels of [frame, number])
          expect(
            Math.max(...pixels.map((pixel) => contrast(pixel, behind))),
            `${ref} on ${ground}`,
          ).toBeGreaterThan(3)
        // The digits differ from their own label as much.
        const light = number.some((pixel) => contrast(pixel, [255, 255, 255]) < 1.1)
        const dark = number.some((pixel) => contrast(pixel, [255, 255, 255]) > 4)
        expect([light, dark], `${ref} on ${ground}`).toEqual([true, true])
      }
    }
  })
})

/** WCAG 2.2: from 1 to 21. */
function contrast(one: readonly number[], other: readonly number[]): number {
  const luminance = (pixel: readonly number[]): number => {
    const [r = 0, g = 0, b = 0] = pixel.map((value) => {
      const part = value / 255
      return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const [high = 0, low = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a)
  return (high + 0.05) / (low + 0.05)
}
