/** Splits a frame into messages of the stream, at most 64 KiB each. Pure. */
import type { WatchResponse } from '@phonerack/proto'
import type { Due } from './viewer-queue.js'

/** Bytes of video in one message. */
export const mostBytes = 64 * 1024

export function* messagesOf({ config, packet }: Due): Generator<WatchResponse> {
  if (config) {
    const { codec, parameterSets, width, height } = config
    yield { event: { $case: 'config', value: { codec, parameterSets, width, height } } }
  }
  const { data, ptsUs, isKeyFrame: keyFrame } = packet
  for (let at = 0; at === 0 || at < data.length; at += mostBytes) {
    const part = data.subarray(at, at + mostBytes)
    const last = at + mostBytes >= data.length
    yield { event: { $case: 'frame', value: { data: part, ptsUs, keyFrame, last } } }
  }
}
