/** An MCP server with the tools, for one HTTP request or one stdio connection. */
import { ApiError, errorEnvelope, plainLines, type Logger } from '@phonerack/shared'
import { McpServer, ProtocolError, ProtocolErrorCode, type ServerContext } from '@modelcontextprotocol/server'
import { findIssues } from '../../base/validation/issues.js'
import { maxListed } from '../../base/validation/phrases.js'
import { validationFailed, type Issue } from '../../base/validation/validation-error.js'
import { failed } from './answers.js'
import { ApiFailure, createApi, type Api, type Send } from './api.js'
import { coerce } from './coerce.js'
import { instructions } from './instructions.js'
import { version } from '../../base/version.js'
import { plainFields } from './text.js'
import { type Tool, type ToolAnswer } from './tool.js'
import { toolList } from './tool-list.js'
import { tools } from './tools/index.js'

export interface McpServerDeps {
  send: Send
  /** The ID of the client's request, for errors that did not come from `/v1`. */
  requestId: string
  log: Logger
}

const byName = new Map(tools.map((tool) => [tool.name, tool]))

/** Milliseconds between two reports of progress. */
const reportEveryMs = 5000

/** The tools never ask the client for input. */
const noElicitation = {
  getValidator: (): never => {
    throw new Error('no tool asks the client for input')
  },
}

export function createMcpServer(deps: McpServerDeps): McpServer {
  const mcp = new McpServer(
    { name: 'phonerack', title: 'Phonerack', version },
    { capabilities: { tools: {} }, instructions, jsonSchemaValidator: noElicitation },
  )
  // The low-level server: the library's table of tools answers invalid arguments without the error envelope.
  const { server } = mcp
  server.setRequestHandler('tools/list', () => ({ tools: [...toolList] }))
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const tool = byName.get(params.name)
    if (!tool)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `There is no tool with this name. The tools are ${[...byName.keys()].join(', ')}.`,
      )
    const api = createApi(deps.send, deps.requestId, context.mcpReq.signal)
    const stop = reportProgress(tool.name, context)
    try {
      return contentOf(await runTool(tool, params.arguments ?? {}, api, deps.log))
    } finally {
      stop()
    }
  })
  return mcp
}

async function runTool(
  tool: Tool,
  given: Record<string, unknown>,
  api: Api,
  log: Logger,
): Promise<ToolAnswer> {
  try {
    const { issues, data } = findIssues(tool.input, argumentsOf(tool, given))
    if (issues.length > 0) throw validationFailed('body', issues.map(withShortList))
    return await tool.run(data as Record<string, unknown>, api)
  } catch (error) {
    if (error instanceof ApiFailure) return failed(error.body)
    const known = error instanceof ApiError ? error : null
    if (!known && !api.signal.aborted)
      log.error({ err: error, request_id: api.requestId, tool: tool.name }, 'a tool failed')
    return failed(
      errorEnvelope(known ?? new ApiError('internal_error', { cause: error }), api.requestId).error,
    )
  }
}

/**
 * Fields that clients add to the arguments of every tool: n8n does, and so do clients whose models need at least one
 * argument.
 */
const added: ReadonlySet<string> = new Set([
  ...['toolCallId', 'sessionId', 'chatInput'],
  ...['random_string', 'dummy', '_placeholder', 'placeholder', '_unused'],
])

const argumentsOf = ({ input }: Tool, given: Record<string, unknown>): unknown =>
  coerce(input, Object.fromEntries(Object.entries(given).filter(([name]) => !added.has(name))))

/**
 * The message names only the closest alternatives, because a model would otherwise read the list of 67 keys after each
 * mistake.
 */
function withShortList({ alternatives = [], ...issue }: Issue): Issue {
  return alternatives.length > maxListed || alternatives.length === 0 ? issue : { ...issue, alternatives }
}

/**
 * The model reads either the text or the structured content. Both are filtered, so neither contains text that is
 * invisible to people.
 */
const contentOf = ({ structured, text, images = [], isError = false }: ToolAnswer) => ({
  content: [
    { type: 'text' as const, text: plainLines(text) },
    ...images.map((image) => ({ type: 'image' as const, ...image })),
  ],
  ...(images.length > 0 ? {} : { structuredContent: plainFields(structured) }),
  ...(isError ? { isError } : {}),
})

/** Reports progress until the returned function is called. */
function reportProgress(tool: string, { mcpReq }: ServerContext): () => void {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return () => undefined
  let progress = 0
  const timer = setInterval(() => {
    progress += reportEveryMs / 1000
    const params = { progressToken, progress, message: `${tool} is running (${progress} s)` }
    // A report to a closed connection fails; the request is aborted separately.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => clearInterval(timer))
  }, reportEveryMs)
  return () => clearInterval(timer)
}
