/** The scrcpy 3.3.3 server's start line (`Options.parse`): the version, then `key=value` pairs. Used by `server.ts`. */

export const SERVER_VERSION = '3.3.3'

export interface ScrcpyOptions {
  /** 31-bit number, or -1 for none. */
  scid: number
  logLevel: LogLevel
  video: boolean
  audio: boolean
  control: boolean
  tunnelForward: boolean
  cleanup: boolean
  clipboardAutosync: boolean
  powerOn: boolean
  powerOffOnClose: boolean
  sendDeviceMeta: boolean
  sendDummyByte: boolean
  /** What the client asked to have listed, instead of being mirrored. */
  lists: readonly string[]
  /** Options that 3.3.3 does not know; it warns and goes on. */
  unknown: readonly string[]
}

export const LOG_LEVELS = ['verbose', 'debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** The start line is refused; the message is the real server's. */
export class OptionError extends Error {
  override name = 'OptionError'
}

/** Options that 3.3.3 knows and that change nothing on a virtual phone without video and audio. */
const WITHOUT_EFFECT = new Set(
  (
    'video_codec audio_codec video_source audio_source audio_dup max_size video_bit_rate audio_bit_rate max_fps angle crop ' +
    'display_id show_touches stay_awake screen_off_timeout video_codec_options audio_codec_options video_encoder audio_encoder ' +
    'downsize_on_error camera_id camera_size camera_facing camera_ar camera_fps camera_high_speed new_display vd_destroy_content ' +
    'vd_system_decorations capture_orientation display_ime_policy send_frame_meta send_codec_meta'
  ).split(' '),
)

/** As `Boolean.parseBoolean`. */
const flag = (value: string): boolean => value.toLowerCase() === 'true'

function parseScid(value: string): number {
  const scid = /^[+-]?[0-9a-f]+$/i.test(value) ? Number.parseInt(value, 16) : NaN
  if (Number.isNaN(scid) || Math.abs(scid) > 0x7fffffff)
    throw new OptionError(`For input string: "${value}" under radix 16`)
  if (scid < -1) throw new OptionError(`scid may not be negative (except -1 for 'none'): ${scid}`)
  return scid
}

function parseLevel(value: string): LogLevel {
  const level = LOG_LEVELS.find((name) => name === value.toLowerCase())
  if (!level)
    throw new OptionError(`No enum constant com.genymobile.scrcpy.util.Ln.Level.${value.toUpperCase()}`)
  return level
}

/** @throws OptionError for another version, a word that is no pair, or a value that 3.3.3 refuses */
export function parseOptions(args: readonly string[]): ScrcpyOptions {
  const [version, ...pairs] = args
  if (version === undefined) throw new OptionError('Missing client version')
  if (version !== SERVER_VERSION) {
    throw new OptionError(`The server version (${SERVER_VERSION}) does not match the client (${version})`)
  }
  const options = {
    scid: -1,
    logLevel: 'debug' as LogLevel,
    video: true,
    audio: true,
    control: true,
    tunnelForward: false,
    cleanup: true,
    clipboardAutosync: true,
    powerOn: true,
    powerOffOnClose: false,
    sendDeviceMeta: true,
    sendDummyByte: true,
    lists: [] as string[],
    unknown: [] as string[],
  }
  for (const pair of pairs) {
    const equal = pair.indexOf('=')
    if (equal === -1) throw new OptionError(`Invalid key=value pair: "${pair}"`)
    const key = pair.slice(0, equal)
    const value = pair.slice(equal + 1)
    switch (key) {
      case 'scid':
        options.scid = parseScid(value)
        break
      case 'log_level':
        options.logLevel = parseLevel(value)
        break
      case 'video':
        options.video = flag(value)
        break
      case 'audio':
        options.audio = flag(value)
        break
      case 'control':
        options.control = flag(value)
        break
      case 'tunnel_forward':
        options.tunnelForward = flag(value)
        break
      case 'cleanup':
        options.cleanup = flag(value)
        break
      case 'clipboard_autosync':
        options.clipboardAutosync = flag(value)
        break
      case 'power_on':
        options.powerOn = flag(value)
        break
      case 'power_off_on_close':
        options.powerOffOnClose = flag(value)
        break
      case 'send_device_meta':
        options.sendDeviceMeta = flag(value)
        break
      case 'send_dummy_byte':
        options.sendDummyByte = flag(value)
        break
      case 'raw_stream':
        if (flag(value)) options.sendDeviceMeta = options.sendDummyByte = false
        break
      case 'list_encoders':
      case 'list_displays':
      case 'list_cameras':
      case 'list_camera_sizes':
      case 'list_apps':
        if (flag(value)) options.lists.push(key)
        break
      default:
        if (!WITHOUT_EFFECT.has(key)) options.unknown.push(key)
    }
  }
  return options
}

/** The abstract socket's name. */
export function socketName(scid: number): string {
  return scid === -1 ? 'scrcpy' : `scrcpy_${scid.toString(16).padStart(8, '0')}`
}
