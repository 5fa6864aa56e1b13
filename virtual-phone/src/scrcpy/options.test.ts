import { describe, expect, it } from 'vitest'
import { OptionError, parseOptions as parse, socketName, type ScrcpyOptions } from './options.js'
import { protocolOf } from './protocols.js'

const parseOptions = (args: readonly string[], version = '3.3.3'): ScrcpyOptions =>
  parse(args, protocolOf(version))

describe("the server's start line", () => {
  it('has the defaults of 3.3.3', () => {
    expect(parseOptions(['3.3.3'])).toEqual({
      scid: -1,
      logLevel: 'debug',
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
      videoEncoder: null,
      codecOptions: { keyFrameSeconds: 10, repeatAfterMs: 100 },
      maxSize: 0,
      minSizeAlignment: 1,
      maxFps: 0,
      videoBitRate: 8_000_000,
      impossible: [],
      lists: [],
      unknown: [],
    })
  })

  it('parses the options of a control client', () => {
    const line =
      'scid=1a2b3c4d log_level=info video=false audio=False tunnel_forward=TRUE cleanup=false clipboard_autosync=false power_on=false'
    const options = parseOptions(['3.3.3', ...line.split(' '), 'max_size=1280', 'no_such_option=1'])
    expect(options).toMatchObject({
      scid: 0x1a2b3c4d,
      logLevel: 'info',
      video: false,
      audio: false,
      control: true,
      tunnelForward: true,
    })
    expect(options).toMatchObject({
      cleanup: false,
      clipboardAutosync: false,
      powerOn: false,
      unknown: ['no_such_option'],
    })
    expect(parseOptions(['3.3.3', 'raw_stream=true'])).toMatchObject({
      sendDeviceMeta: false,
      sendDummyByte: false,
      sendCodecMeta: false,
      sendFrameMeta: false,
    })
  })

  it('parses the options of a video client', () => {
    const line =
      'max_size=1286 max_fps=29.5 video_bit_rate=2000000 video_codec_options=i-frame-interval:int=2,repeat-previous-frame-after:long=0'
    const common = {
      maxFps: 29.5,
      videoBitRate: 2_000_000,
      codecOptions: { keyFrameSeconds: 2, repeatAfterMs: 0 },
      unknown: [],
    }
    expect(parseOptions(['3.3.3', ...line.split(' '), 'send_codec_meta=false'])).toMatchObject({
      ...common,
      maxSize: 1280,
      sendCodecMeta: false,
    })
    expect(
      parseOptions(['4.1', ...line.split(' '), 'send_stream_meta=false', 'min_size_alignment=8'], '4.1'),
    ).toMatchObject({ ...common, maxSize: 1286, sendCodecMeta: false, minSizeAlignment: 8 })
  })

  it('accepts only the options of each version', () => {
    const args = ['send_codec_meta=true', 'send_stream_meta=true', 'keep_active=true', 'min_size_alignment=2']
    expect(parseOptions(['3.3.3', ...args]).unknown).toEqual([
      'send_stream_meta',
      'keep_active',
      'min_size_alignment',
    ])
    expect(parseOptions(['4.1', ...args], '4.1').unknown).toEqual(['send_codec_meta'])
  })

  it('names the sources that this phone cannot capture', () => {
    const args = [
      'video_source=camera',
      'crop=1:1:0:0',
      'new_display=',
      'display_id=2',
      'capture_orientation=@90',
    ]
    expect(parseOptions(['3.3.3', ...args]).impossible).toEqual(args)
    expect(
      parseOptions([
        '3.3.3',
        'video_source=display',
        'crop=',
        'display_id=0',
        'capture_orientation=0',
        'angle=0.0',
      ]).impossible,
    ).toEqual([])
  })

  it.each([
    [[], 'Missing client version'],
    [['4.1'], 'The server version (3.3.3) does not match the client (4.1)'],
    [['3.3.3', 'video'], 'Invalid key=value pair: "video"'],
    [['3.3.3', 'scid=xyz'], 'For input string: "xyz" under radix 16'],
    [['3.3.3', 'scid=-2'], "scid may not be negative (except -1 for 'none'): -2"],
    [['3.3.3', 'video_codec=vp9'], 'Video codec vp9 not supported'],
    [['3.3.3', 'video_source=tv'], 'Video source tv not supported'],
    [['3.3.3', 'max_size=big'], 'For input string: "big"'],
    [['3.3.3', 'video_codec_options=i-frame-interval'], "'=' expected"],
    [['3.3.3', 'video_codec_options=a:bool=1'], 'Invalid codec option type (int, long, float, str): bool'],
    [['3.3.3', 'log_level=loud'], 'No enum constant com.genymobile.scrcpy.util.Ln.Level.LOUD'],
  ])('refuses %j', (args, message) => {
    expect(() => parseOptions(args)).toThrow(new OptionError(message))
  })

  it('names the socket by the scid in eight hex digits', () => {
    expect(socketName(-1)).toBe('scrcpy')
    expect(socketName(0xab)).toBe('scrcpy_000000ab')
  })
})
