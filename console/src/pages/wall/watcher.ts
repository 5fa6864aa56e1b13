/**
 * Chooses the phones of a wall that are asked for a picture. It asks each visible phone once a second, the oldest
 * picture first, with at most `mostThumbnails` requests in a second and at the same time. docs/decisions/0297
 */
import { type NoPicture, type ThumbnailAnswer } from '../../api/thumbnails'

export const mostThumbnails = 12
/** Milliseconds between two requests for a phone, usually and after a refusal. */
const rest = { usual: 1000, refused: 10_000 }

/** The content of a card. A busy phone keeps its last picture. */
export interface Shown {
  url: string | null
  why: NoPicture | null
}

interface Card {
  isVisible: boolean
  shown: Shown
  tag: string
  askedAt: number
  restUntil: number
  request: AbortController | null
  onChange: () => void
}

type ReadThumbnail = (id: string, tag: string, signal: AbortSignal) => Promise<ThumbnailAnswer>

const nothing: Shown = { url: null, why: null }

export class Watcher {
  private readonly cards = new Map<string, Card>()
  /** The times at which the requests of the last second began. */
  private asked: number[] = []
  private restUntil = -Infinity

  /** @param now milliseconds of a monotonic clock */
  constructor(
    private readonly read: ReadThumbnail,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Adds a phone that is not visible yet. Returns the function that removes it. */
  add(id: string, onChange: () => void): () => void {
    const card: Card = {
      isVisible: false,
      shown: nothing,
      tag: '',
      request: null,
      onChange,
      askedAt: -Infinity,
      restUntil: -Infinity,
    }
    this.cards.set(id, card)
    return () => {
      card.request?.abort()
      if (this.cards.get(id) === card) this.cards.delete(id)
    }
  }

  shown(id: string): Shown {
    return this.cards.get(id)?.shown ?? nothing
  }

  setVisible(id: string, isVisible: boolean): void {
    const card = this.cards.get(id)
    if (!card) return
    card.isVisible = isVisible
    // Nobody would see the answer.
    if (!isVisible) card.request?.abort()
  }

  /** Sends the requests that are due. Called a few times a second while the page is visible. */
  tick(): void {
    const now = this.now()
    if (now < this.restUntil) return
    this.asked = this.asked.filter((at) => now - at < rest.usual)
    const cards = [...this.cards]
    const running = cards.filter(([, { request }]) => request !== null).length
    const room = mostThumbnails - Math.max(running, this.asked.length)
    const due = cards
      .filter(([, card]) => card.isVisible && card.request === null && now >= card.restUntil)
      .sort(([, one], [, other]) => one.askedAt - other.askedAt)
    for (const [id, card] of due.slice(0, Math.max(0, room))) void this.ask(id, card, now)
  }

  /** Ends all requests. */
  stop(): void {
    for (const { request } of this.cards.values()) request?.abort()
  }

  private async ask(id: string, card: Card, now: number): Promise<void> {
    const request = new AbortController()
    card.request = request
    card.askedAt = now
    this.asked.push(now)
    const answer = await this.read(id, card.tag, request.signal)
    card.request = null
    if (request.signal.aborted) return
    card.restUntil = now + rest.usual
    if (answer.kind === 'refused') {
      card.restUntil = this.now() + rest.refused
      if (answer.why === 'limit') this.restUntil = card.restUntil
    }
    const shown = nextShown(card.shown, answer)
    if (answer.kind === 'picture') card.tag = answer.tag
    else if (shown.url === null) card.tag = ''
    if (shown.url === card.shown.url && shown.why === card.shown.why) return
    card.shown = shown
    card.onChange()
  }
}

function nextShown(before: Shown, answer: ThumbnailAnswer): Shown {
  switch (answer.kind) {
    case 'picture':
      return { url: answer.url, why: null }
    case 'unchanged':
      return { ...before, why: null }
    case 'none':
      return answer.why === 'busy' && before.url !== null ? before : { url: null, why: answer.why }
    case 'refused':
      if (answer.why === 'denied') return { url: null, why: 'unreadable' }
      return before.url === null ? { url: null, why: before.why ?? 'unreadable' } : before
  }
}
