/** Finds the code blocks of a page of the documentation. Pure. */

/** The tabs of the guide. Each of them is a program that a reader uses. */
export const clients = ['curl', 'CLI', 'TypeScript', 'Python', 'MCP'] as const
export type Client = (typeof clients)[number]

export interface Block {
  language: string
  /** Null: a block of the shell, which both clients that use it run. */
  client: Client | null
  code: string
  /** The number of the group of tabs, which all its blocks have. It increases along the page. */
  step: number
  /** The number of the block's first line in the page. */
  line: number
  /** The block's lines are the output of the step before it. */
  isOutput: boolean
  /** Why the block is not run, as a word of the block's first line. */
  notRun: string | null
}

const isClient = (name: string | undefined): name is Client => clients.some((client) => client === name)

/** @throws Error with the line, for a block in a language that no client uses */
export function blocksOf(page: string): Block[] {
  const blocks: Block[] = []
  let step = 0
  let inGroup = false
  const lines = page.split('\n')
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    if (line.startsWith(':::')) {
      inGroup = line.startsWith('::: code-group')
      step += 1
    }
    const fence = /^```(\w*) ?(.*)$/.exec(line)
    if (!fence) continue
    const end = lines.indexOf('```', at + 1)
    if (end < 0) throw new Error(`line ${at + 1}: the block has no end`)
    if (!inGroup) step += 1
    const [, language = '', info = ''] = fence
    blocks.push({ ...blockOf(language, info, at + 1), step, code: lines.slice(at + 1, end).join('\n') })
    at = end
  }
  return blocks
}

function blockOf(language: string, info: string, line: number): Omit<Block, 'step' | 'code'> {
  const label = /\[(.*?)\]/.exec(info)?.[1]
  const words = info.replace(/\[.*?\]/, '').split(' ')
  const isOutput = words.includes('output')
  const notRun = words.find((word) => word.startsWith('not-run='))?.slice('not-run='.length) ?? null
  const client = isClient(label) ? label : null
  if (client === null && language !== 'sh' && !isOutput && notRun === null)
    throw new Error(
      `line ${line}: a block of ${language || 'no language'} needs a tab, \`output\` or \`not-run\``,
    )
  return { language, client, line, isOutput, notRun }
}

/**
 * The clients of a page in the order of their first blocks. A page with only shell blocks is run as `curl`.
 */
export function clientsOf(blocks: readonly Block[]): Client[] {
  const run = blocks.filter(({ isOutput, notRun }) => !isOutput && notRun === null)
  const named = [...new Set(run.flatMap(({ client }) => client ?? []))]
  return named.length === 0 && run.length > 0 ? ['curl'] : named
}

/** The blocks that a client runs, in order. */
export const blocksFor = (blocks: readonly Block[], client: Client): Block[] =>
  blocks.filter(
    (block) =>
      !block.isOutput &&
      block.notRun === null &&
      (block.client === client || (block.client === null && (client === 'curl' || client === 'CLI'))),
  )
