/** Takes screenshots as base64 PNG, of the whole screen or of an area. */
import { createCanvas, loadImage } from '@napi-rs/canvas'
import type { ScreenRect } from '../android/accessibility.js'
import type { World } from '../android/world.js'
import { ServerError } from './errors.js'

export async function screenshotOf(world: World, area: ScreenRect | null = null): Promise<string> {
  const png = await world.screenshotPng()
  if (area === null) return png.toString('base64')
  const [width, height] = [area.right - area.left, area.bottom - area.top]
  if (width <= 0 || height <= 0)
    throw new ServerError('unable to capture screen', 'The cropping area is outside of the original bitmap')
  const canvas = createCanvas(width, height)
  canvas.getContext('2d').drawImage(await loadImage(png), -area.left, -area.top)
  return (await canvas.encode('png')).toString('base64')
}
