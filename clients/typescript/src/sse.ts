/** Reads server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream */

export interface Frame {
  /** The last ID of the stream, which also counts IDs of frames without data; null: no ID yet. */
  lastId: string | null
  /** Null: a frame without data, which only sets the ID. */
  data: string | null
}

/** Collects chunks of text and returns the frames that they complete. */
export class FrameReader {
  private rest = ''
  private lastId: string | null = null
  private data: string[] = []
  private isChanged = false

  read(chunk: string): Frame[] {
    const lines = `${this.rest}${chunk}`.split(/\r\n|\n|\r(?!$)/)
    // A carriage return at the end may be the first half of a line break.
    this.rest = lines.pop() ?? ''
    return lines.flatMap((line) => this.take(line))
  }

  private take(line: string): Frame[] {
    if (line === '') return this.end()
    const colon = line.indexOf(':')
    // A comment.
    if (colon === 0) return []
    const name = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (name === 'data') this.data.push(value)
    if (name === 'id' && !value.includes('\0')) {
      this.lastId = value
      this.isChanged = true
    }
    return []
  }

  private end(): Frame[] {
    const data = this.data.length === 0 ? null : this.data.join('\n')
    const isFrame = data !== null || this.isChanged
    this.data = []
    this.isChanged = false
    return isFrame ? [{ lastId: this.lastId, data }] : []
  }
}
