/** The scrcpy server's start line (`Options.parse`): the version, then `key=value` pairs. Used by `server.ts`. */
import { parseCodecOptions, type CodecOptions } from './codec-options.js'
import { type ScrcpyProtocol } from './protocol.js'

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
  /** Sends codec and size before the video's packets. */
  sendCodecMeta: boolean
  /** Sends twelve bytes before each packet. */
  sendFrameMeta: boolean
  videoCodec: string
  /** Null for the default encoder. */
  videoEncoder: string | null
  codecOptions: CodecOptions
  /** Limit of the longer side; 0 for the display's size. */
  maxSize: number
  /** Only in 4.1. */
  minSizeAlignment: number
  /** 0 for the display's frame rate. */
  maxFps: number
  /** Bits per second. */
  videoBitRate: number
  /** An option that this phone cannot capture, as `key=value`; the video ends with an error. */
  impossible: readonly string[]
  /** The lists that the client requested instead of mirroring. */
  lists: readonly string[]
  /** Options that the version does not know. The server warns and continues. */
  unknown: readonly string[]
}

export const LOG_LEVELS = ['verbose', 'debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** The start line is refused, with the real server's message. */
export class OptionError extends Error {
  override name = 'OptionError'
}

/** The rule is the same as in `Boolean.parseBoolean`. */
const flag = (value: string): boolean => value.toLowerCase() === 'true'

/** Options whose value is a boolean. */
const flags = {
  video: 'video',
  audio: 'audio',
  control: 'control',
  tunnel_forward: 'tunnelForward',
  cleanup: 'cleanup',
  clipboard_autosync: 'clipboardAutosync',
  power_on: 'powerOn',
  power_off_on_close: 'powerOffOnClose',
  send_device_meta: 'sendDeviceMeta',
  send_dummy_byte: 'sendDummyByte',
  send_frame_meta: 'sendFrameMeta',
} as const
const isFlag = (key: string): key is keyof typeof flags => Object.hasOwn(flags, key)

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

function parseInteger(value: string): number {
  const number = /^[+-]?\d+$/.test(value) ? Number(value) : NaN
  if (!(Math.abs(number) <= 0x7fffffff)) throw new OptionError(`For input string: "${value}"`)
  return number
}

function parseFloatOf(key: string, value: string): number {
  const number = value.trim() === '' ? NaN : Number(value)
  if (Number.isNaN(number)) throw new OptionError(`Invalid float value for ${key}: "${value}"`)
  return number
}

function parseAlignment(value: string): number {
  const alignment = parseInteger(value)
  if (![1, 2, 4, 8, 16].includes(alignment))
    throw new OptionError(`min_size_alignment (${alignment}) must be 1, 2, 4, 8 or 16`)
  return alignment
}

/** Whether the value requests the only source that the phone's screen provides. */
function isDefault(key: string, value: string): boolean {
  if (key === 'crop') return value === ''
  if (key === 'new_display') return false
  if (key === 'capture_orientation') return value === '' || value === '0'
  return parseFloatOf(key, value) === 0
}

function readCodecOptions(value: string): CodecOptions {
  try {
    return parseCodecOptions(value)
  } catch (error) {
    throw new OptionError(error instanceof Error ? error.message : String(error))
  }
}

/** @throws OptionError for another version, a word that is not `key=value`, or an invalid value */
export function parseOptions(args: readonly string[], protocol: ScrcpyProtocol): ScrcpyOptions {
  const [version, ...pairs] = args
  if (version === undefined) throw new OptionError('Missing client version')
  if (version !== protocol.version) {
    throw new OptionError(`The server version (${protocol.version}) does not match the client (${version})`)
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
    sendCodecMeta: true,
    sendFrameMeta: true,
    videoCodec: 'h264',
    videoEncoder: null as string | null,
    codecOptions: parseCodecOptions(''),
    maxSize: 0,
    minSizeAlignment: 1,
    maxFps: 0,
    videoBitRate: 8_000_000,
    impossible: [] as string[],
    lists: [] as string[],
    unknown: [] as string[],
  }
  for (const pair of pairs) {
    const equal = pair.indexOf('=')
    if (equal === -1) throw new OptionError(`Invalid key=value pair: "${pair}"`)
    const key = pair.slice(0, equal)
    const value = pair.slice(equal + 1)
    if (isFlag(key)) {
      options[flags[key]] = flag(value)
      continue
    }
    switch (key) {
      case 'scid':
        options.scid = parseScid(value)
        break
      case 'log_level':
        options.logLevel = parseLevel(value)
        break
      case 'raw_stream':
        if (!flag(value)) break
        options.sendDeviceMeta = options.sendDummyByte = false
        options.sendCodecMeta = options.sendFrameMeta = false
        break
      case 'video_codec':
        if (!protocol.videoCodecs.includes(value)) throw new OptionError(`Video codec ${value} not supported`)
        options.videoCodec = value
        break
      case 'video_encoder':
        if (value !== '') options.videoEncoder = value
        break
      case 'video_codec_options':
        options.codecOptions = readCodecOptions(value)
        break
      case 'max_size':
        options.maxSize = protocol.readMaxSize(parseInteger(value))
        break
      case 'max_fps':
        options.maxFps = parseFloatOf(key, value)
        break
      case 'video_bit_rate':
        options.videoBitRate = parseInteger(value)
        break
      case 'list_encoders':
      case 'list_displays':
      case 'list_cameras':
      case 'list_camera_sizes':
      case 'list_apps':
        if (flag(value)) options.lists.push(key)
        break
      case 'video_source':
        if (value !== 'display' && value !== 'camera')
          throw new OptionError(`Video source ${value} not supported`)
        if (value === 'camera') options.impossible.push(pair)
        break
      case 'crop':
      case 'angle':
      case 'display_id':
      case 'new_display':
      case 'capture_orientation':
        if (!isDefault(key, value)) options.impossible.push(pair)
        break
      default:
        if (key === protocol.codecMetaOption) options.sendCodecMeta = flag(value)
        else if (key === 'min_size_alignment' && protocol.version !== '3.3.3')
          options.minSizeAlignment = parseAlignment(value)
        else if (!protocol.withoutEffect.has(key)) options.unknown.push(key)
    }
  }
  return options
}

/** Returns the abstract socket's name. */
export function socketName(scid: number): string {
  return scid === -1 ? 'scrcpy' : `scrcpy_${scid.toString(16).padStart(8, '0')}`
}
