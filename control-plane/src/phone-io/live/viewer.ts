/**
 * One person's view: connects a WebSocket to a `Watch` stream of the phone's host. Reads video from
 * the host only as fast as the page accepts it; the host drops what it cannot send up to the next
 * key frame. Ends with either side, with the link, and with the phone's assignment.
 */
import { type ClientDuplexStream, type StatusObject } from '@grpc/grpc-js'
import { type WatchRequest, type WatchResponse } from '@phonerack/proto'
import { ApiError } from '@phonerack/shared'
import { type WebSocket } from 'ws'
import { ownErrorOf } from '../../links/host-calls/calls.js'
import { type HostClients } from '../../links/host-calls/clients.js'
import { type Core } from '../../base/core/core.js'
import { giveBack, takeControl } from './control.js'
import { Allowance } from './allowance.js'
import { endOf, hasTakeOver } from './ends.js'
import { toWatchRequest, type ToPhone } from './input.js'
import {
  closings,
  maxUnacknowledged,
  writeConfig,
  writeFrame,
  type Closing,
  type HandoffState,
  type PageMessage,
  type ServerMessage,
  type ViewEnd,
} from './page/wire.js'
import { assignmentOf } from '../../rental/devices/placement.js'
import { handoffOf, readLink, standingOf, type LinkRow, type Place } from './standing.js'

/** Milliseconds after which the link is read again without a change notification. */
const lookAgainMs = 5000
/** Bytes in the socket's buffer above which reading stops, and below which it continues. */
const maxBuffered = 256 * 1024
const fewBuffered = 64 * 1024
/** This rate is enough for moves of ten fingers in each frame of a fast screen. */
const inputPerSecond = 600
const inputBurst = 1200
/**
 * Milliseconds of silence of a visible page, which pings every second. Messages that arrive later are as old
 * as the silence: they waited in the network or for this process, and would change a screen that the person
 * no longer sees.
 */
const lateAfterMs = 5000
/** Decisions are taking control and returning it. Each decision costs a statement. */
const decisionsPerSecond = 1
const decisionBurst = 5
/** Bytes of input that may wait for the host. */
const maxInputWaiting = 1_000_000

export interface ViewerParts {
  core: Core
  hosts: HostClients
  /** Called for each input that is sent to the phone, and for decisions about a hand-over. */
  onInput(link: LinkRow, message: PageMessage): void
  /** Called when the person uses the phone, which must then not park. Never rejects. */
  onActivity(link: LinkRow): Promise<void>
}

export class Viewer {
  private readonly over = new AbortController()
  /** Ends the current wait between two reads of the link. */
  private reading = new AbortController()
  private readonly call: ClientDuplexStream<WatchRequest, WatchResponse>
  private readonly allowance = new Allowance(inputPerSecond, inputBurst, performance.now())
  private readonly decisions = new Allowance(decisionsPerSecond, decisionBurst, performance.now())
  /** Resolves when the last decision is stored. */
  private decided: Promise<void> = Promise.resolve()
  private sentBytes = 0
  private acknowledgedBytes = 0
  private isHeld = false
  private isVisible = false
  private heardAt = performance.now()
  private inputWaiting = 0
  /** The hand-over's state that the page received last. */
  private handoff: HandoffState | null
  /** The end that the page received last. */
  private end: ViewEnd

  constructor(
    private readonly socket: WebSocket,
    private readonly tokenHash: string,
    /** The link when it was read last. */
    public link: LinkRow,
    private readonly place: Place,
    private readonly parts: ViewerParts,
    requestId: string,
  ) {
    const { core, hosts } = parts
    this.handoff = handoffOf(link)
    this.end = endOf(link, false)
    this.send({
      type: 'open',
      name: link.phoneName,
      control: link.control,
      expiresAt: link.expiresAt.getTime(),
      end: this.end,
      now: core.clock.now().getTime(),
      handoff: this.handoff,
    })
    const left = link.expiresAt.getTime() - core.clock.now().getTime()
    this.call = hosts.to(place.hostId, place).live.watch({ deadline: Date.now() + left + 5000 })
    this.call.on('data', (message: WatchResponse) => this.onVideo(message))
    // The status event carries the same error exactly once, whether the stream ended or broke.
    this.call.on('error', (error: Error) => core.log.debug({ err: error }, 'a live view failed at its host'))
    this.call.on('status', (ended: StatusObject) => this.onCallEnded(ended))
    const assignment = assignmentOf(link.phoneId, place, requestId)
    this.call.write({ event: { $case: 'open', value: { assignment, control: link.control } } })
    socket.once('close', () => this.stop())
    void this.guard()
  }

  /**
   * Handles a message of the page after its `open`.
   * @param bytes its length
   */
  onMessage(message: PageMessage, bytes: number): void {
    if (this.isOver) return
    const now = performance.now()
    if (this.isSilent(now)) return this.close(closings.late)
    this.heardAt = now
    if (message.type === 'ack') {
      this.acknowledgedBytes = Math.max(this.acknowledgedBytes, Math.min(message.bytes, this.sentBytes))
      return this.letFlow()
    }
    if (message.type === 'open') return this.close(closings.badMessage)
    const isAllowed = this.allowance.take(now)
    if (message.type === 'ping') {
      this.isVisible = message.visible === true
      // A page that reads too slowly gets no answer, since the answers would fill the memory.
      if (!isAllowed || this.socket.bufferedAmount > maxBuffered) return
      this.tellEnd()
      if (this.isPresent) void this.parts.onActivity(this.link)
      this.send({ type: 'pong', id: message.id })
      return
    }
    if (message.type === 'take' || message.type === 'give_back') {
      if (this.link.handoffId === null) return this.close(closings.badMessage)
      if (!this.decisions.take(now)) return this.close(closings.tooFast)
      this.parts.onInput(this.link, message)
      const { handoffId } = this.link
      this.decided = this.decided.then(() => this.decide(handoffId, message))
      return
    }
    if (message.type === 'keep_awake') {
      if (!this.mayControl) return
      if (!this.decisions.take(now)) return this.close(closings.tooFast)
      void this.parts.onActivity(this.link).then(() => this.lookNow())
      return
    }
    const isInput = message.type !== 'key_frame'
    if (isInput && !this.mayControl) return
    if (!isAllowed) {
      // The next move replaces this move. Other input must not be dropped silently.
      if (message.type === 'touch' && message.phase === 'move') return
      return this.close(closings.tooFast)
    }
    if (isInput) this.parts.onInput(this.link, message)
    this.toPhone(message, bytes)
  }

  /**
   * Whether the visible page has been silent for too long. Its pings do not wait for video, which flows in
   * the other direction.
   */
  private isSilent(now: number): boolean {
    return this.isVisible && now - this.heardAt > lateAfterMs
  }

  /**
   * Whether a person who has taken the phone over sees the page. Control alone does not keep a phone awake,
   * nor does watching.
   */
  private get isPresent(): boolean {
    return this.isVisible && hasTakeOver(this.link)
  }

  private get mayControl(): boolean {
    return this.link.control && this.handoff?.isTaken !== false
  }

  /** Stores the person's decision. The next read of the link sends the result to every view of it. */
  private async decide(id: string, message: PageMessage & { type: 'take' | 'give_back' }): Promise<void> {
    const { core } = this.parts
    try {
      const isDone = await core.ownerGate.run(this.link.ownerId, () =>
        message.type === 'take'
          ? takeControl(core, id)
          : giveBack(core, id, message.outcome, message.note.trim() || null),
      )
      core.log.info(
        { handoff: id, phone: this.link.phoneId, decision: message.type, done: isDone },
        'a person decided',
      )
      if (!isDone) this.lookNow()
    } catch (error) {
      core.log.warn({ err: error, handoff: id }, 'could not store a decision')
      // The page reconnects and shows the stored state.
      this.close(closings.away)
    }
  }

  /** Sends the hand-over's state when control was taken on this page or elsewhere. */
  private tellHandoff(row: LinkRow): void {
    const now = handoffOf(row)
    if (now === null || now.isTaken === this.handoff?.isTaken) return
    this.handoff = now
    this.send({ type: 'handoff', ...now })
  }

  private tellEnd(): void {
    const now = endOf(this.link, this.isPresent)
    if (now.at === this.end.at && now.reason === this.end.reason) return
    this.end = now
    this.send({ type: 'end', ...now })
  }

  private get isOver(): boolean {
    return this.over.signal.aborted
  }

  /** Reads the link now. */
  lookNow(): void {
    this.reading.abort()
  }

  close({ code, reason }: Closing): void {
    this.stop()
    this.socket.close(code, reason)
  }

  private stop(): void {
    if (this.isOver) return
    this.over.abort()
    this.call.cancel()
  }

  private toPhone(message: ToPhone, bytes: number): void {
    this.inputWaiting += bytes
    if (this.inputWaiting > maxInputWaiting) return this.close(closings.tooFast)
    this.call.write(toWatchRequest(message), () => (this.inputWaiting -= bytes))
  }

  private onVideo({ event }: WatchResponse): void {
    if (event?.$case === 'config') return this.sendVideo(writeConfig(event.value))
    if (event?.$case === 'frame') {
      const { data, keyFrame, last, ptsUs } = event.value
      return this.sendVideo(writeFrame({ data, isKeyFrame: keyFrame, isLast: last, ptsUs }))
    }
    if (event?.$case === 'state') {
      this.send({ type: 'state', ...event.value })
      this.holdIfFull()
    }
  }

  private sendVideo(bytes: Uint8Array): void {
    this.sentBytes += bytes.length
    this.socket.send(bytes, { binary: true }, () => this.letFlow())
    this.holdIfFull()
  }

  /** Stops reading from the host while the page is behind. */
  private holdIfFull(): void {
    const isFull =
      this.socket.bufferedAmount > maxBuffered || this.sentBytes - this.acknowledgedBytes > maxUnacknowledged
    if (!isFull || this.isHeld) return
    this.isHeld = true
    this.call.pause()
  }

  private letFlow(): void {
    if (!this.isHeld || this.isOver) return
    if (this.socket.bufferedAmount > fewBuffered) return
    if (this.sentBytes - this.acknowledgedBytes > maxUnacknowledged / 2) return
    this.isHeld = false
    this.call.resume()
  }

  private send(message: ServerMessage): void {
    this.socket.send(JSON.stringify(message), () => this.letFlow())
  }

  /** Closes the socket with the link's own end, or else with the call's error. */
  private onCallEnded({ code, details, metadata }: StatusObject): void {
    if (this.isOver) return
    const answer = ownErrorOf(code, metadata)
    const isMissing = answer instanceof ApiError && answer.code === 'feature_unavailable'
    const { core } = this.parts
    core.log.debug({ code, details, phone: this.link.phoneId }, 'a live view lost its host')
    const otherwise = isMissing ? closings.noVideo : closings.away
    this.standing().then(
      (found) =>
        this.close(found !== null && 'closing' in found.standing ? found.standing.closing : otherwise),
      (unread: unknown) => {
        core.log.warn({ err: unread }, 'could not read a live link')
        this.close(otherwise)
      },
    )
  }

  private async standing() {
    const { core } = this.parts
    const row = await readLink(core.db, this.tokenHash, core.clock.now())
    return row && { row, standing: standingOf(row, core.clock.now(), core.rules) }
  }

  /** Reads the link at each change of the phone or the key, at its expiry, and periodically. */
  private async guard(): Promise<void> {
    const { core } = this.parts
    const { signal } = this.over
    while (!this.isOver) {
      this.reading = new AbortController()
      if (this.isSilent(performance.now())) return this.close(closings.late)
      const left = this.link.expiresAt.getTime() - core.clock.now().getTime()
      if (left <= 0) return this.close(closings.expired)
      const woken = core.changes.next(
        this.link.phoneId,
        Math.min(lookAgainMs, left),
        AbortSignal.any([signal, this.reading.signal]),
      )
      try {
        const found = await this.standing()
        if (found === null) return this.close(closings.unknown)
        const { row, standing } = found
        if ('closing' in standing) return this.close(standing.closing)
        if (standing.place.fencingNumber !== this.place.fencingNumber) return this.close(closings.restarting)
        this.link = row
        this.tellHandoff(row)
        this.tellEnd()
      } catch (error) {
        // A failed read is repeated later; the link's expiry still applies.
        core.log.warn({ err: error }, 'could not read a live link')
      }
      await woken
    }
  }
}
