/** Functions from a result to the part that a client shows its model, for tests. docs/mcp.md#clients names where each way was seen. */
import { type CallToolResult } from '@modelcontextprotocol/client'

export interface Shown {
  text: string
  images: number
}

type Reader = (result: CallToolResult) => Shown

const contentOf: Reader = ({ content }) => ({
  text: content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n'),
  images: content.filter(({ type }) => type === 'image').length,
})

const structuredFirst: Reader = (result) =>
  result.structuredContent === undefined
    ? contentOf(result)
    : { text: JSON.stringify(result.structuredContent), images: 0 }

export const readers: Readonly<Record<string, Reader>> = {
  'Claude Code': structuredFirst,
  Codex: structuredFirst,
  'opencode of June 2026': structuredFirst,
  'Gemini CLI': contentOf,
  Cursor: contentOf,
  'Open WebUI, LangChain': contentOf,
  // Replaces images by a sentence.
  'MCP connector of the Messages API': (result) => ({ ...contentOf(result), images: 0 }),
}
