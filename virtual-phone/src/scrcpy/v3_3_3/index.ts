/** scrcpy 3.3.3, whose server the host agent ships. */
import { type ScrcpyProtocol } from '../protocol.js'
import { readBody } from './control-message.js'
import { videoHeader, videoPacketHeader, videoSize } from './video.js'

export const WITHOUT_EFFECT: readonly string[] = (
  'audio_codec audio_source audio_dup audio_bit_rate audio_codec_options audio_encoder show_touches stay_awake ' +
  'screen_off_timeout downsize_on_error camera_id camera_size camera_facing camera_ar camera_fps camera_high_speed ' +
  'vd_destroy_content vd_system_decorations display_ime_policy'
).split(' ')

export const protocol: ScrcpyProtocol = {
  version: '3.3.3',
  videoCodecs: ['h264', 'h265', 'av1'],
  withoutEffect: new Set(WITHOUT_EFFECT),
  codecMetaOption: 'send_codec_meta',
  readMaxSize: (value) => value & ~7,
  videoSize,
  readControlMessage: async (read) => readBody((await read(1)).readUInt8(0), read),
  videoHeader,
  sessionPacket: () => Buffer.alloc(0),
  packetHeader: videoPacketHeader,
}
