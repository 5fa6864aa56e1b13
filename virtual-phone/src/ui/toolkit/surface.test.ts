import { createCanvas, loadImage } from '@napi-rs/canvas'
import { expect, it } from 'vitest'
import { encodePng } from './surface.js'

it('writes a PNG that another decoder reads back pixel by pixel', async () => {
  const [width, height] = [7, 5]
  const rgba = Buffer.from(
    Array.from({ length: width * height * 4 }, (_, i) => (i % 4 === 3 ? 255 : (i * 37) % 256)),
  )
  const image = await loadImage(await encodePng(width, height, rgba))
  const ctx = createCanvas(width, height).getContext('2d')
  ctx.drawImage(image, 0, 0)
  expect(Buffer.from(ctx.getImageData(0, 0, width, height).data.buffer).equals(rgba)).toBe(true)
})
