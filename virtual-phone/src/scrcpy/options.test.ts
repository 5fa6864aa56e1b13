import { describe, expect, it } from 'vitest'
import { OptionError, parseOptions, socketName } from './options.js'

describe("the server's start line", () => {
  it('has 3.3.3 defaults', () => {
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
      lists: [],
      unknown: [],
    })
  })

  it('reads what a control client sends', () => {
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
    })
  })

  it.each([
    [[], 'Missing client version'],
    [['4.1'], 'The server version (3.3.3) does not match the client (4.1)'],
    [['3.3.3', 'video'], 'Invalid key=value pair: "video"'],
    [['3.3.3', 'scid=xyz'], 'For input string: "xyz" under radix 16'],
    [['3.3.3', 'scid=-2'], "scid may not be negative (except -1 for 'none'): -2"],
    [['3.3.3', 'log_level=loud'], 'No enum constant com.genymobile.scrcpy.util.Ln.Level.LOUD'],
  ])('refuses %j', (args, message) => {
    expect(() => parseOptions(args)).toThrow(new OptionError(message))
  })

  it('names the socket by the scid in eight hex digits', () => {
    expect(socketName(-1)).toBe('scrcpy')
    expect(socketName(0xab)).toBe('scrcpy_000000ab')
  })
})
