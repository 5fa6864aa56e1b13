/**
 * One scrcpy server that films the screen: its video socket as parameter sets and packets, its
 * control socket for key frames. Started and restarted by `hub.ts` and `motion/`.
 *
 * The video socket of 3.3.3 (`DesktopConnection`, `Streamer`): device name, 4 bytes of codec and
 * twice 4 of size, then packets, each behind a 12-byte header, big-endian: bit 63 config, bit 62
 * key frame, 62 bits of microseconds; 4 bytes of length. It has no session packets: a new size
 * appears only in the parameter sets.
 */
import type { Progress } from '@phonerack/shared'
import { AdbConnectionLost } from '../adb/errors.js'
import type { AdbSocket } from '../adb/socket.js'
import type { Transport } from '../adb/transport.js'
import { DeviceGone } from '../adb/device/device.js'
import { resetVideoMessage } from './scrcpy/messages.js'
import { connectTo, launchServer, startFailed, type LaunchedServer } from './scrcpy/server-process.js'

interface VideoHeader {
  isConfig: boolean
  isKeyFrame: boolean
  ptsUs: bigint
  /** Bytes of payload after the header. */
  length: number
}

export const videoHeaderBytes = 12
const configBit = 1n << 63n
const keyBit = 1n << 62n
/** Bytes: no phone encoder makes a larger packet at this size, so a larger packet means a misaligned stream. */
const packetLimit = 16 << 20
/** Bytes of parameter sets. The parameter sets of a phone have fewer than 200. */
const configLimit = 65_536

/** @throws RangeError for an impossible length */
function readVideoHeader(bytes: Buffer): VideoHeader {
  const flags = bytes.readBigUInt64BE(0)
  const length = bytes.readUInt32BE(8)
  const isConfig = (flags & configBit) !== 0n
  if (length === 0 || length > (isConfig ? configLimit : packetLimit))
    throw new RangeError(`a video packet of ${length} bytes`)
  return { isConfig, isKeyFrame: (flags & keyBit) !== 0n, ptsUs: flags & (keyBit - 1n), length }
}

const h264 = 'h264'

/** `max_size` limits the longer side, in pixels. The bit rate is in bits per second. */
const optionsOf = (...more: readonly string[]) => [
  'video=true',
  'audio=false',
  'control=true',
  `video_codec=${h264}`,
  ...more,
]

/** The options of the video for viewers and recordings. */
export const filmOptions = optionsOf('max_size=1280', 'max_fps=30', 'video_bit_rate=4000000')

/**
 * The options of the video for `motion/`. A still screen sends nothing: the encoder repeats no frame, and sends key
 * frames only at the start. The interval between two frames is shorter than `stillMs`.
 */
export const motionOptions = optionsOf(
  'max_size=256',
  'max_fps=20',
  'video_bit_rate=200000',
  'video_codec_options=repeat-previous-frame-after:long=0,i-frame-interval:int=3600',
)

/** Called in the order of the stream; must return immediately. */
export interface VideoSink {
  onParameterSets(bytes: Buffer): void
  onPacket(data: Buffer, ptsUs: bigint, isKeyFrame: boolean): void
}

export interface VideoSocket {
  /** Resolves with the reason when the socket ends; never rejects. */
  readonly ended: Promise<string>
  /** Requests parameter sets and a key frame next, also of a still screen. */
  resetVideo(): void
  close(): void
}

/** Starts a server from the jar at `jarPath`. The server films as soon as it is passed to `openVideoSocket`. */
export const launchVideo = (
  transport: Transport,
  jarPath: string,
  options: readonly string[],
  progress: Progress,
): Promise<LaunchedServer> => launchServer(transport, jarPath, options, progress)

/** Connects a server of `launchVideo`, which then films. Ends the server on failure. */
export async function openVideoSocket(
  transport: Transport,
  launched: LaunchedServer,
  sink: VideoSink,
  progress: Progress,
): Promise<VideoSocket> {
  const { server, sockets, output } = await connectTo(transport, launched, 2, progress)
  const [video, control] = sockets
  const close = () => {
    for (const socket of sockets) socket.close()
    server.close()
  }
  try {
    if (!video || !control) throw new Error('the scrcpy server has no video socket')
    const codec = await readCodec(video, transport.serial, progress)
    if (codec !== h264)
      throw startFailed(`the scrcpy server sends video as ${JSON.stringify(codec)}: ${output.lastLine}`)
    const ended = Promise.race([pump(video, sink), drain(control), output.ended]).finally(close)
    return {
      ended,
      resetVideo() {
        // `ended` reports a closed socket.
        control.write(resetVideoMessage()).catch(close)
      },
      close,
    }
  } catch (error) {
    close()
    throw error
  }
}

async function readCodec(video: AdbSocket, serial: string, progress: Progress): Promise<string> {
  try {
    const head = await progress.race('the start of the video', () => video.read(videoHeaderBytes))
    return head.toString('latin1', 0, 4)
  } catch (error) {
    throw error instanceof AdbConnectionLost ? new DeviceGone(serial, error) : error
  }
}

/** Reads the video until it ends, and returns the reason. */
export async function pump(video: AdbSocket, sink: VideoSink): Promise<string> {
  try {
    for (;;) {
      const header = readVideoHeader(await video.read(videoHeaderBytes))
      const data = await video.read(header.length)
      if (header.isConfig) sink.onParameterSets(data)
      else sink.onPacket(data, header.ptsUs, header.isKeyFrame)
    }
  } catch (error) {
    if (error instanceof AdbConnectionLost) return 'the video ended'
    if (error instanceof RangeError) return `the video cannot be read: ${error.message}`
    throw error
  }
}

/** Reads and discards the control socket: nothing on it is needed here, but unread data must not accumulate. */
async function drain(control: AdbSocket): Promise<string> {
  try {
    while ((await control.readSome()) !== null) continue
  } catch (error) {
    if (!(error instanceof AdbConnectionLost)) throw error
  }
  return 'the control socket of the video ended'
}
