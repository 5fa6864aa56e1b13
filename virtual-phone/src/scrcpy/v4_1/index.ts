/** scrcpy 4.1: session packets, flags one bit lower, five more control messages. */
import { type ScrcpyProtocol } from '../protocol.js'
import { WITHOUT_EFFECT } from '../v3_3_3/index.js'
import { readBody } from './control-message.js'
import { sessionPacket, videoHeader, videoPacketHeader, videoSize } from './video.js'

export const protocol: ScrcpyProtocol = {
  version: '4.1',
  videoCodecs: ['h264', 'h265', 'av1', 'vp8', 'vp9'],
  withoutEffect: new Set([
    ...WITHOUT_EFFECT,
    ...['camera_zoom', 'camera_torch', 'flex_display', 'keep_active', 'ignore_video_encoder_constraints'],
  ]),
  codecMetaOption: 'send_stream_meta',
  readMaxSize: (value) => value,
  videoSize,
  readControlMessage: async (read) => readBody((await read(1)).readUInt8(0), read),
  videoHeader,
  sessionPacket,
  packetHeader: videoPacketHeader,
}
