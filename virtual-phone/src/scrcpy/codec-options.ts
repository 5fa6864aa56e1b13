/**
 * `video_codec_options`: `key[:type]=value,…`. The phone's encoder supports two options (`CodecOption`, `MediaFormat`).
 */

export interface CodecOptions {
  /**
   * Seconds between key frames; 0 when each frame is a key frame, negative when only the first frame is a key frame.
   */
  keyFrameSeconds: number
  /** The time after which the last picture is repeated; 0 when the picture is never repeated. */
  repeatAfterMs: number
}

const TYPES = ['int', 'long', 'float', 'string']

/** @throws Error with the server's text for an invalid option */
export function parseCodecOptions(text: string): CodecOptions {
  const options: CodecOptions = { keyFrameSeconds: 10, repeatAfterMs: 100 }
  if (text === '') return options
  // A comma of a value is written `\,`.
  for (const option of text.split(/(?<!\\),/)) {
    const [, key = '', type = 'int', value = ''] = /^([^:=]*)(?::([^=]*))?=(.*)$/.exec(option) ?? []
    if (!option.includes('=')) throw new Error("'=' expected")
    if (key === '') throw new Error('Key may not be null')
    if (!TYPES.includes(type)) throw new Error(`Invalid codec option type (int, long, float, str): ${type}`)
    const number = Number(value)
    if (type !== 'string' && (value === '' || Number.isNaN(number)))
      throw new Error(`For input string: "${value}"`)
    if (key === 'i-frame-interval') options.keyFrameSeconds = number
    if (key === 'repeat-previous-frame-after') options.repeatAfterMs = number / 1000
  }
  return options
}
