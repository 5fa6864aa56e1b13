/** Counts the calls, bytes and tokens of an agent on one way to its phone. */
import { Tiktoken } from 'js-tiktoken/lite'
import o200k from 'js-tiktoken/ranks/o200k_base'
import { type Way } from '../tasks/way.js'

/** The public tokens of `o200k_base`. Those of other models differ, all in the same direction. */
const encoding = new Tiktoken(o200k)
export const tokensIn = (text: string): number => encoding.encode(text, [], []).length

export interface ToolSize {
  tools: number
  /** The list as it is sent. */
  characters: number
  tokens: number
  /** Names, descriptions and input schemas, which a client usually gives to its model. */
  modelTokens: number
}

export function sizeOf(
  tools: readonly { name: string; description?: string | undefined; inputSchema: object }[],
): ToolSize {
  const whole = JSON.stringify({ tools })
  const forModel = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
  return {
    tools: tools.length,
    characters: whole.length,
    tokens: tokensIn(whole),
    modelTokens: tokensIn(JSON.stringify(forModel)),
  }
}

export class Count {
  calls = 0
  bytes = 0
  tokens = 0

  /** A call with its bytes in both directions, and the texts that a model writes and reads for it. */
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
