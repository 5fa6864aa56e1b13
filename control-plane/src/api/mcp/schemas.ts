/** Schemas that tools share: arguments, and fields of structured content. */
import { z } from 'zod'
import { type Schema } from './tool.js'

/** Where a list that is longer than an answer continues. */
export const offset = z.int().min(0).optional().describe('next_offset')

export const phoneId = z.string().min(1).describe('ph_…')

export const string: Schema = { type: 'string' }
export const integer: Schema = { type: 'integer' }
export const number: Schema = { type: 'number' }
export const boolean: Schema = { type: 'boolean' }
export const object: Schema = { type: 'object' }
export const orNull = ({ type }: Schema): Schema => ({ type: [type, 'null'] })
export const list = (items: Schema): Schema => ({ type: 'array', items })
export const fields = (properties: Record<string, Schema>): Schema => ({ type: 'object', properties })
export const described = (schema: Schema, description: string): Schema => ({ ...schema, description })

/**
 * The next call, present in most answers. The schemas list the fields that a model bases decisions on, and omit the
 * others.
 */
export const next = string

export const phoneOutput: Record<string, Schema> = {
  id: string,
  status: string,
  session: orNull(object),
  failure: orNull(object),
  next,
}

/** The output of tools that change a known phone. */
export const changedPhoneOutput: Record<string, Schema> = { id: string, status: string, next }
