/**
 * The protocol between the live view's page and the control plane over their WebSocket. Used by
 * both, so it imports nothing of Node or the browser. Text messages are JSON; binary ones carry
 * video, numbers big-endian:
 *
 * config u8 1 | u16 width | u16 height | u8 length of codec | codec | parameter sets (Annex B)
 * frame u8 2 | u8 flags: 1 key frame, 2 last part | u64 µs of the phone's clock | part of an access
 * unit (Annex B)
 */

/** Subprotocol. A page of another version gets an error, and does not misread the messages. */
export const protocol = 'phonerack.live.2'
/** The subprotocol of the last release, whose pages send the same messages without pings. The server accepts both. */
export const earlierProtocol = 'phonerack.live.1'

/** Limit of bytes in flight without the page's `ack`. More bytes would show an outdated picture. */
export const maxUnacknowledged = 512 * 1024
/** Bytes after which the page acknowledges. */
export const acknowledgeEvery = 32 * 1024

export const closings = {
  badMessage: { code: 4000, reason: 'The page and the server use different versions. Reload the page.' },
  expired: { code: 4001, reason: 'This link has expired.' },
  unknown: { code: 4002, reason: 'This link is invalid or no longer works.' },
  parked: { code: 4003, reason: 'The phone was parked.' },
  deleted: { code: 4004, reason: 'The phone was deleted.' },
  frozen: { code: 4005, reason: 'The phone was parked because its project is frozen.' },
  paused: { code: 4006, reason: 'The phone was parked because the service is paused.' },
  failed: { code: 4007, reason: 'The phone has failed.' },
  noVideo: { code: 4008, reason: 'This phone cannot show its screen as video.' },
  tooMany: { code: 4009, reason: 'Too many people are watching this phone.' },
  tooFast: { code: 4010, reason: 'Too much input in a short time.' },
  limited: { code: 4012, reason: 'Too many invalid links were opened from this address. Wait a minute.' },
  tooManyOfUser: { code: 4013, reason: 'You are watching this phone in too many pages. Close one of them.' },
  handedBack: { code: 4020, reason: 'The phone is back with the agent. Thank you.' },
  withdrawn: { code: 4021, reason: 'The agent no longer needs your help.' },
  unavailable: { code: 4011, reason: 'The phone is unreachable, and its session has ended.' },
  /** After these reasons, the page reconnects. */
  restarting: { code: 4100, reason: 'The phone is restarting.' },
  away: { code: 4101, reason: 'The phone is temporarily unreachable.' },
  stopping: { code: 4102, reason: 'The server is restarting.' },
  late: { code: 4103, reason: 'The connection was interrupted.' },
} as const
export type Closing = (typeof closings)[keyof typeof closings]

/** False: the page shows the reason and does not reconnect. */
export const isWorthRetrying = (code: number): boolean => code < 4000 || code >= 4100

export type Phase = 'down' | 'move' | 'up' | 'cancel'

/** Page → server. The first message is `open`. `x` and `y` are fractions of the picture, 0 to 1. */
export type PageMessage =
  | { type: 'open'; token: string }
  | { type: 'touch'; phase: Phase; pointer: number; x: number; y: number }
  | { type: 'key'; down: boolean; code: number; meta: number; repeat: number }
  | { type: 'text'; text: string }
  | { type: 'scroll'; x: number; y: number; horizontal: number; vertical: number }
  | { type: 'rotate' }
  | { type: 'key_frame' }
  /** For a hand-over's link: the person takes or returns control. */
  | { type: 'take' }
  | { type: 'give_back'; outcome: 'done' | 'declined'; note: string }
  /** The person still needs the phone. */
  | { type: 'keep_awake' }
  /** Bytes of video received since the socket was opened. */
  | { type: 'ack'; bytes: number }
  /** Sent every second. `visible`: the person sees the page; missing in `earlierProtocol`. */
  | { type: 'ping'; id: number; visible?: boolean | undefined }

/** The request of a hand-over's link, and whether control was taken with it. */
export interface HandoffState {
  message: string
  isTaken: boolean
}

/**
 * The earliest end of the view. `at` and `warnsAt`: milliseconds since 1970 by the server's clock; the page
 * warns from `warnsAt` on.
 */
export interface ViewEnd {
  reason: 'idle' | 'session' | 'link' | 'take_over'
  at: number
  warnsAt: number
}

/** Server → page, as JSON. */
export type ServerMessage =
  /** Times are milliseconds since 1970; `now` is the server's clock. */
  | {
      type: 'open'
      name: string
      control: boolean
      /** The expiry of the link; only pages of `earlierProtocol` read it. */
      expiresAt: number
      end: ViewEnd
      now: number
      /**
       * Null for a link without a hand-over. A hand-over's link allows control while the hand-over is taken.
       */
      handoff: HandoffState | null
    }
  | ({ type: 'handoff' } & HandoffState)
  | ({ type: 'end' } & ViewEnd)
  /**
   * `secure`: the picture is black because the phone is locked or protects it. `trouble`: why there
   * is no picture; `asleep`: because the phone's screen is off.
   */
  | { type: 'state'; secure: boolean; trouble: string; asleep: boolean }
  | { type: 'pong'; id: number }

export interface ConfigMessage {
  type: 'config'
  codec: string
  width: number
  height: number
  parameterSets: Uint8Array
}

export interface FrameMessage {
  type: 'frame'
  isKeyFrame: boolean
  isLast: boolean
  ptsUs: bigint
  data: Uint8Array
}

const configType = 1
const frameType = 2
const configHead = 6
const frameHead = 10

export function writeConfig(config: Omit<ConfigMessage, 'type'>): Uint8Array<ArrayBuffer> {
  const codec = new TextEncoder().encode(config.codec)
  const bytes = new Uint8Array(configHead + codec.length + config.parameterSets.length)
  const view = new DataView(bytes.buffer)
  view.setUint8(0, configType)
  view.setUint16(1, config.width)
  view.setUint16(3, config.height)
  view.setUint8(5, codec.length)
  bytes.set(codec, configHead)
  bytes.set(config.parameterSets, configHead + codec.length)
  return bytes
}

export function writeFrame(frame: Omit<FrameMessage, 'type'>): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(frameHead + frame.data.length)
  const view = new DataView(bytes.buffer)
  view.setUint8(0, frameType)
  view.setUint8(1, (frame.isKeyFrame ? 1 : 0) | (frame.isLast ? 2 : 0))
  view.setBigUint64(2, frame.ptsUs)
  bytes.set(frame.data, frameHead)
  return bytes
}

/** Returns null for any other message. The arrays are views of `buffer`. */
export function readVideo(buffer: ArrayBuffer): ConfigMessage | FrameMessage | null {
  const view = new DataView(buffer)
  if (buffer.byteLength >= frameHead && view.getUint8(0) === frameType) {
    const flags = view.getUint8(1)
    const data = new Uint8Array(buffer, frameHead)
    return {
      type: 'frame',
      isKeyFrame: (flags & 1) !== 0,
      isLast: (flags & 2) !== 0,
      ptsUs: view.getBigUint64(2),
      data,
    }
  }
  if (buffer.byteLength < configHead || view.getUint8(0) !== configType) return null
  const end = configHead + view.getUint8(5)
  if (end > buffer.byteLength) return null
  return {
    type: 'config',
    codec: new TextDecoder().decode(new Uint8Array(buffer, configHead, end - configHead)),
    width: view.getUint16(1),
    height: view.getUint16(3),
    parameterSets: new Uint8Array(buffer, end),
  }
}
