import type { Restored } from '../operator/client.js'
import type { Command } from '../commands.js'

const state = (service: { paused_at: string | null }): string =>
  service.paused_at === null
    ? 'The service is running.'
    : `The service has been paused since ${service.paused_at}.`

const waiting = ({ devices_to_confirm: count }: Restored): string =>
  count === 1
    ? '1 device is not assigned until its host confirms that it is clean.'
    : `${count} devices are not assigned until their hosts confirm that they are clean.`

export const serviceCommands: readonly Command[] = [
  {
    name: 'service show',
    about:
      'Shows whether the service is paused, and how many devices wait for a confirmation by their hosts after a restore.',
    words: [],
    flags: {},
    async run(_input, operator) {
      const service = await operator().service()
      const lines = [state(service), ...(service.devices_to_confirm > 0 ? [waiting(service)] : [])]
      return { json: service, text: lines.join('\n') }
    },
  },
  {
    name: 'service pause',
    about: 'Ends all sessions and refuses new sessions.',
    words: [],
    flags: {},
    async run(_input, operator) {
      const service = await operator().pause()
      return { json: service, text: state(service) }
    },
  },
  {
    name: 'service resume',
    about: 'Accepts sessions again.',
    words: [],
    flags: {},
    async run(_input, operator) {
      const service = await operator().resume()
      return { json: service, text: state(service) }
    },
  },
  {
    name: 'service restored',
    about:
      'Run this after a restore of the database: devices are not assigned until their hosts confirm that they are clean.',
    words: [],
    flags: {},
    async run(_input, operator) {
      const restored = await operator().restored()
      return { json: restored, text: `The restore of the database is recorded.\n${waiting(restored)}` }
    },
  },
]
