/**
 * The list of tools in the form that clients get, built once. The list stays small, because clients send it to the
 * model with every task.
 */
import { type Tool as ListedTool } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { tools } from './tools/index.js'
import { type Annotations, type Schema, type Tool } from './tool.js'

/** Present in the structured content of every failed call. */
const error: Schema = { type: 'object' }

/** True for the bounds that every JSON integer has. */
const isNoBound = (key: string, value: unknown): boolean =>
  (key === 'minimum' && value === Number.MIN_SAFE_INTEGER) ||
  (key === 'maximum' && value === Number.MAX_SAFE_INTEGER)
/** Keywords without a meaning for a model. The tool itself checks lengths and unknown fields. */
const dropped = new Set([
  ...['$schema', '$defs', 'additionalProperties', 'propertyNames', 'maxProperties', 'minLength', 'default'],
])

function small(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(small)
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) => !dropped.has(key) && !isNoBound(key, value))
      .filter(([key, value]) => !(key === 'description' && value === ''))
      .map(([key, value]) => [key, small(value)]),
  )
}

function inputSchema({ input, inputOverrides = {} }: Tool): Schema {
  const { properties = {}, ...rest } = small(z.toJSONSchema(input, { io: 'input' })) as Schema
  return { ...rest, properties: { ...(properties as object), ...inputOverrides } }
}

/** Omits hints that have the default of the protocol, or that have no meaning for a tool that only reads. */
function notDefault({ readOnlyHint, ...hints }: Annotations): Annotations {
  const { destructiveHint, idempotentHint, openWorldHint } = hints
  return {
    readOnlyHint,
    ...(!readOnlyHint && destructiveHint === false ? { destructiveHint } : {}),
    ...(!readOnlyHint && idempotentHint ? { idempotentHint } : {}),
    ...(openWorldHint === false ? { openWorldHint } : {}),
  }
}

const listed = (tool: Tool): ListedTool => ({
  name: tool.name,
  title: tool.title,
  description: tool.description,
  inputSchema: inputSchema(tool) as ListedTool['inputSchema'],
  ...(tool.output && { outputSchema: { type: 'object', properties: { ...tool.output, error } } }),
  annotations: notDefault(tool.annotations),
})

export const toolList: readonly ListedTool[] = tools.map(listed)
