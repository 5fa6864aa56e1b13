/** The texts of the agent tools that a model reads, and their size in tokens. */
import { type CallToolResult } from '@modelcontextprotocol/client'
import { Tiktoken } from 'js-tiktoken/lite'
import o200k from 'js-tiktoken/ranks/o200k_base'

export const textOf = (result: CallToolResult): string =>
  result.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')

/** The public tokens of `o200k_base`. Counts of other models differ, all in the same direction. */
const encoding = new Tiktoken(o200k)
export const tokensIn = (text: string): number => encoding.encode(text, [], []).length

export interface ToolSize {
  tools: number
  /** The list of tools as it is sent. */
  characters: number
  tokens: number
  /** Names, descriptions and input schemas, which a client usually passes to its model. */
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
