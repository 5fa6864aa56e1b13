/** Settings that describe themselves: `docs/settings.md` is made from the schemas that read the environment. */
import { z } from 'zod'

const notesSchema = z.object({
  about: z.string(),
  unit: z.string().optional(),
  /** The first release with the setting. */
  since: z.string().default('0.1.0'),
  /** A default that differs between machines, or that other settings decide. */
  fallback: z.string().optional(),
})
type Notes = Omit<z.input<typeof notesSchema>, 'about'>

/** @param about a sentence in Markdown */
export const setting = <T extends z.ZodType>(schema: T, about: string, notes: Notes = {}): T =>
  schema.meta({ about, ...notes })

/** Settings of one subject, by the names of their variables. */
export type Shape = Readonly<Record<string, z.ZodType>>

export interface Setting extends z.output<typeof notesSchema> {
  name: string
  /** Null: the setting is required. Empty: without a value, the setting is unset. */
  default: string | null
  /** Empty: any value. */
  values: readonly string[]
}

/** @throws ZodError for a setting without a description */
export const settingsOf = (shape: Shape): Setting[] =>
  Object.entries(shape).map(([name, schema]) => {
    const notes = notesSchema.parse(schema.meta(), { error: () => `${name} has no description` })
    return { ...notes, name, default: notes.fallback ?? defaultOf(schema), values: valuesOf(schema) }
  })

const text = z.coerce.string()

function defaultOf(schema: z.ZodType): string | null {
  const { success, data } = schema.safeParse(undefined)
  return success ? text.parse(data ?? '') : null
}

function valuesOf(schema: z.ZodType): string[] {
  const { enum: values } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return z.array(text).parse(values ?? [])
}
