/** Tools for settings of a phone: clipboard, location, locale and time zone. */
import { z } from 'zod'
import { setLocationBody } from '../../routes/phones/location.js'
import { answer, failed } from '../answers.js'
import { ApiFailure, path, type Api } from '../api.js'
import { number, object, orNull, phoneId, string } from '../schemas.js'
import { defineTool, settles, type ToolAnswer } from '../tool.js'

interface Wanted {
  location?: z.input<typeof setLocationBody> | undefined
  locale?: string | undefined
  timezone?: string | undefined
}

/** The order matters: a location sets a time zone, which `timezone` then replaces. */
const settings = ['location', 'locale', 'timezone'] as const

/** A step that fails ends the call. The answer shows the changes made before it. */
async function change(api: Api, id: string, { location, locale, timezone }: Wanted): Promise<ToolAnswer> {
  const bodies = {
    location,
    locale: locale === undefined ? undefined : { locale },
    timezone: timezone === undefined ? undefined : { timezone },
  }
  const done: Record<string, unknown> = {}
  for (const name of settings) {
    const json = bodies[name]
    if (json === undefined) continue
    try {
      const target = path`/v1/phones/${id}/${name}`
      Object.assign(done, shown(name, await api.json<object>({ method: 'PUT', path: target, json })))
    } catch (error) {
      if (error instanceof ApiFailure) return failed(error.body, done)
      throw error
    }
  }
  return answer(done, `set on phone ${id}`)
}

/**
 * Splits `{lat, lng, timezone}` into `location` and `timezone`. `timezone` is null when the phone did not change it.
 */
function shown(name: (typeof settings)[number], body: object): object {
  if (name !== 'location') return body
  const { timezone, ...location } = body as { timezone?: string | null }
  return timezone ? { location, timezone } : { location }
}

async function read(api: Api, id: string): Promise<ToolAnswer> {
  const all: Record<string, unknown> = {}
  for (const name of settings)
    Object.assign(
      all,
      shown(name, await api.json<object>({ method: 'GET', path: path`/v1/phones/${id}/${name}` })),
    )
  return answer(all, `settings of phone ${id}`)
}

export const deviceTools = [
  defineTool({
    name: 'clipboard',
    title: 'Read or set the clipboard',
    description:
      'Read the clipboard of a ready phone, or set it with text. To fill a field, the action type is simpler.',
    input: z.strictObject({ phone_id: phoneId, text: z.string().optional() }),
    output: { text: string },
    annotations: settles,
    async run({ phone_id: id, text }, api) {
      const target = path`/v1/phones/${id}/clipboard`
      return answer(
        text === undefined
          ? await api.json<object>({ method: 'GET', path: target })
          : await api.json<object>({ method: 'PUT', path: target, json: { text } }),
      )
    },
  }),
  defineTool({
    name: 'set_device',
    title: 'Set location, locale, time zone',
    description:
      'Set the location, language or time zone of a ready phone; without any, read them. A new locale restarts the interface: observe again.',
    input: z.strictObject({
      phone_id: phoneId,
      location: setLocationBody
        .extend({ timezone_from_location: z.boolean().optional().describe('true') })
        .optional(),
      locale: z.string().min(1).optional().describe('Such as de-DE'),
      timezone: z.string().min(1).optional().describe('IANA name'),
    }),
    output: {
      location: { ...object, properties: { lat: number, lng: number } },
      locale: string,
      timezone: orNull(string),
    },
    annotations: settles,
    run({ phone_id: id, ...wanted }, api) {
      const none = Object.values(wanted).every((value) => value === undefined)
      return none ? read(api, id) : change(api, id, wanted)
    },
  }),
]
