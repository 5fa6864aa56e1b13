/** The form of a tool, and of its answer. Each file of `tools/` defines one group. */
import { type z } from 'zod'
import { type Api } from './api.js'

/** A JSON Schema. */
export type Schema = Readonly<Record<string, unknown>>

export interface Image {
  /** Base64. */
  data: string
  mimeType: string
}

/**
 * Clients show a model either the structured content or the text, so each contains everything. An answer with images
 * has no structured content, since a client that prefers structured content drops the images.
 */
export interface ToolAnswer {
  structured: Record<string, unknown>
  text: string
  images?: Image[]
  isError?: boolean
}

export interface Annotations {
  readOnlyHint: boolean
  destructiveHint?: boolean
  idempotentHint?: boolean
  openWorldHint?: boolean
}

export interface Tool {
  name: string
  title: string
  /** Says when to use the tool, and what to do next. */
  description: string
  input: z.ZodObject
  /** Replaces the schemas of single arguments in the list of tools. */
  inputOverrides?: Record<string, Schema>
  /**
   * Fields of the structured content. All are optional, since a failed call has only `error`. Null for a tool that can
   * return an image: a client rejects a result that lacks the structured content its schema announces.
   */
  output: Record<string, Schema> | null
  annotations: Annotations
  run(args: Record<string, unknown>, api: Api): Promise<ToolAnswer>
}

/** Ties the arguments of `run` to the schema of `input`. */
export const defineTool = <S extends z.ZodObject>(
  tool: Omit<Tool, 'input' | 'run'> & { input: S; run(args: z.output<S>, api: Api): Promise<ToolAnswer> },
): Tool => ({ ...tool, run: (args, api) => tool.run(args as z.output<S>, api) })

/** The tool only reads. */
export const reads: Annotations = { readOnlyHint: true, idempotentHint: true, openWorldHint: false }
/** The tool changes something of the tenant; a repetition has no further effect. */
export const settles: Annotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}
/** The tool adds something; a repetition adds it again. */
export const adds: Annotations = { ...settles, idempotentHint: false }
/** The tool changes or removes something that cannot be restored. */
export const destroys: Annotations = { ...settles, destructiveHint: true }
