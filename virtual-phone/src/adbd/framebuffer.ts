/**
 * The service `framebuffer:`: a header, version 2, and the raw pixels. Source: AOSP `framebuffer_service.cpp`
 * (`struct fbinfo`). The numbers are little-endian.
 */
import type { Duplex } from '../android/streams.js'
import type { World } from '../android/world.js'

/**
 * Encodes 14 numbers: version, bits per pixel, colour space, size, width, height, then offset and length of red, blue,
 * green, alpha.
 */
function encodeFramebufferHeader(width: number, height: number): Buffer {
  const fields = [2, 32, 0, width * height * 4, width, height, 0, 8, 16, 8, 8, 8, 24, 8]
  const header = Buffer.alloc(fields.length * 4)
  fields.forEach((field, index) => header.writeUInt32LE(field, index * 4))
  return header
}

export async function framebufferService(stream: Duplex, world: World): Promise<void> {
  const { width, height } = world.display
  const pixels = await world.screenshotRgba()
  await stream.write(encodeFramebufferHeader(width, height))
  await stream.write(pixels)
}
