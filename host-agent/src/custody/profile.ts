/**
 * The findings of an agent about a phone that another agent needs to use the phone with its data: the implementations
 * that its probe selected, and the state that a data wipe leaves. The control plane stores the profile without reading
 * it. docs/decisions/0223
 */
import { z } from 'zod'
import { recordSchema, type DeviceRecord } from './records.js'

const profileSchema = z.object({
  choice: recordSchema.shape.choice.unwrap(),
  baseline: recordSchema.shape.baseline,
})
export type Profile = z.infer<typeof profileSchema>

/** Maximum characters, as `AdoptDevice` accepts. */
const longest = 65_536

/** Returns JSON. Empty when nothing is known or the JSON is too long; the next agent then probes the phone. */
export function profileOf({ choice, baseline }: Pick<DeviceRecord, 'choice' | 'baseline'>): string {
  if (choice === null) return ''
  const text = JSON.stringify({ choice, baseline })
  return text.length <= longest ? text : ''
}

/** Returns null for a text that is not a profile, since another host wrote it. */
export function profileIn(text: string): Profile | null {
  if (text === '' || text.length > longest) return null
  try {
    return profileSchema.safeParse(JSON.parse(text)).data ?? null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
