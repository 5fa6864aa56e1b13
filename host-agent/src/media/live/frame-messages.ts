/** Splits a frame into messages of the stream, at most 64 KiB each. Pure. */
import type { WatchResponse } from '@phonerack/proto'
import type { QueuedFrame } from './viewer-queue.js'

/** Bytes of video in one message. */
export const maxMessageBytes = 64 * 1024

export function* messagesOf({ config, packet }: QueuedFrame): Generator<WatchResponse> {
  if (config) {
    const { codec, parameterSets, width, height } = config
    yield { event: { $case: 'config', value: { codec, parameterSets, width, height } } }
  }
  const { data, ptsUs, isKeyFrame: keyFrame } = packet
  for (let at = 0; at === 0 || at < data.length; at += maxMessageBytes) {
    const part = data.subarray(at, at + maxMessageBytes)
    const last = at + maxMessageBytes >= data.length
    yield { event: { $case: 'frame', value: { data: part, ptsUs, keyFrame, last } } }
  }
}
