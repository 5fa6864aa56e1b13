/**
 * The phone's encoders, and how the scrcpy server lists them (`LogUtils`). Used by `index.ts` and `video.ts`.
 */

/** The encoders of an Android without hardware encoding, one with its earlier name. */
const VIDEO_ENCODERS: readonly { codec: string; name: string; aliasOf?: string }[] = [
  { codec: 'h264', name: 'c2.android.avc.encoder' },
  { codec: 'h264', name: 'OMX.google.h264.encoder', aliasOf: 'c2.android.avc.encoder' },
]
const COLUMN = 70

export function encoderList(): string {
  const lines = VIDEO_ENCODERS.map(({ codec, name, aliasOf }) => {
    const line = `\n    --video-codec=${codec} --video-encoder=${name}`.padEnd(COLUMN)
    return `${line} (sw)${aliasOf === undefined ? '' : ` (alias for ${aliasOf})`}`
  })
  return `List of video encoders:${lines.join('')}`
}

/**
 * Returns the server's error text for a missing encoder; null when the encoder exists.
 * @param name null for any encoder
 */
export function encoderProblem(codec: string, name: string | null): string | null {
  const ofCodec = VIDEO_ENCODERS.filter((encoder) => encoder.codec === codec)
  if (name === null)
    return ofCodec.length > 0 ? null : `Could not create default video encoder for ${codec}\n${encoderList()}`
  if (ofCodec.some((encoder) => encoder.name === name)) return null
  const other = VIDEO_ENCODERS.find((encoder) => encoder.name === name)
  return other
    ? `Video encoder type for "${name}" (video/avc) does not match codec type (${codec})`
    : `Video encoder '${name}' for ${codec} not found\n${encoderList()}`
}
