/**
 * The file format of a running recording: FLV (Adobe Flash Video File Format
 * Specification 10.1, annex E). Each tag has its length and time, so the file is
 * readable up to its last complete tag after a crash. A mark is an empty script tag,
 * which players skip: the last picture was still on the screen at that time.
 */
import { open } from 'node:fs/promises'

const tagTypes = { video: 9, script: 18 }
const headBytes = 11
const tailBytes = 4
const avc = { keyFrame: 0x17, otherFrame: 0x27, configuration: 0, picture: 1 }

/** The header of a file without sound, and the length of the tag before the first tag, which is 0. */
export const fileHeader = Buffer.from([0x46, 0x4c, 0x56, 1, 1, 0, 0, 0, 9, 0, 0, 0, 0])

/** Builds a tag. `ms`: milliseconds since the recording began. */
function tag(type: number, ms: number, ...body: readonly Buffer[]): Buffer {
  const size = body.reduce((sum, part) => sum + part.length, 0)
  const head = Buffer.alloc(headBytes)
  head.writeUInt8(type)
  head.writeUIntBE(size, 1, 3)
  head.writeUIntBE(ms & 0xffffff, 4, 3)
  head.writeUInt8((ms >>> 24) & 0xff, 7)
  const tail = Buffer.alloc(tailBytes)
  tail.writeUInt32BE(headBytes + size)
  return Buffer.concat([head, ...body, tail])
}

/** @param record returned by `decoderConfiguration` */
export const configurationTag = (record: Buffer, ms: number): Buffer =>
  tag(tagTypes.video, ms, Buffer.from([avc.keyFrame, avc.configuration, 0, 0, 0]), record)

/** @param unit an access unit returned by `withLengths` */
export const pictureTag = (unit: Buffer, isKeyFrame: boolean, ms: number): Buffer =>
  tag(
    tagTypes.video,
    ms,
    Buffer.from([isKeyFrame ? avc.keyFrame : avc.otherFrame, avc.picture, 0, 0, 0]),
    unit,
  )

export const markTag = (ms: number): Buffer => tag(tagTypes.script, ms)

/** The complete part of a file. */
interface Contents {
  pictures: number
  /** Number of configuration changes. */
  configurations: number
  /**
   * Milliseconds: the time of the last picture, and the latest time when that picture was still on the
   * screen.
   */
  lastPictureMs: number
  endMs: number
  /** The number of bytes up to the end of the last complete tag. */
  completeBytes: number
}

/** Reads the headers of all tags. */
export async function readContents(path: string): Promise<Contents> {
  const found: Contents = {
    pictures: 0,
    configurations: 0,
    lastPictureMs: 0,
    endMs: 0,
    completeBytes: fileHeader.length,
  }
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const head = Buffer.alloc(headBytes + 2)
    for (let at = fileHeader.length; at + headBytes + tailBytes <= size;) {
      await file.read(head, 0, head.length, at)
      const bodyBytes = head.readUIntBE(1, 3)
      const next = at + headBytes + bodyBytes + tailBytes
      if (next > size) break
      const ms = head.readUIntBE(4, 3) + head.readUInt8(7) * 2 ** 24
      const isVideo = head[0] === tagTypes.video
      if (isVideo && head[headBytes + 1] === avc.configuration) found.configurations += 1
      if (isVideo && head[headBytes + 1] === avc.picture) {
        found.pictures += 1
        found.lastPictureMs = ms
      }
      found.endMs = Math.max(found.endMs, ms)
      found.completeBytes = next
      at = next
    }
  } finally {
    await file.close()
  }
  return found
}
