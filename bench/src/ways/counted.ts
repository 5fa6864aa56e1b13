/** Counts the calls, bytes and tokens of an agent on one way to its phone. */
import { tokensIn } from '@phonerack/e2e/system/tool-texts.js'
import { type Way } from '@phonerack/e2e/tasks/way.js'

export class Count {
  calls = 0
  bytes = 0
  tokens = 0

  /** A call with its bytes in both directions, and the texts that a model writes and reads for the call. */
  add(bytes: number, ...texts: string[]): void {
    this.calls += 1
    this.bytes += bytes
    for (const text of texts) this.tokens += tokensIn(text)
  }
}

/** A way that counts. */
export interface CountedWay extends Way {
  readonly count: Count
  stop(): Promise<void>
}

export const byteLength = (text: string): number => Buffer.byteLength(text)
