import type { Restored } from '@phonerack/launcher/operator'
import type { Command } from '../commands.js'

const state = (service: { paused_at: string | null }): string =>
  service.paused_at === null ? 'The service runs.' : `The service is paused since ${service.paused_at}.`

const waiting = ({ devices_to_confirm: count }: Restored): string =>
  count === 1
    ? '1 device is not handed out until its host has confirmed that it is clean.'
    : `${count} devices are not handed out until their hosts have confirmed that they are clean.`

export const serviceCommands: readonly Command[] = [
  {
    name: 'service show',
    about:
      'Says whether the service is paused, and how many devices wait for a confirmation of their hosts after a restore.',
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
    about: 'Ends all sessions and refuses new ones.',
    words: [],
    flags: {},
    async run(_input, operator) {
      const service = await operator().pause()
      return { json: service, text: state(service) }
    },
  },
  {
    name: 'service resume',
    about: 'Takes sessions again.',
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
      'Run it after a restore of the database: no device is handed out before its host confirms that it is clean.',
    words: [],
    flags: {},
    async run(_input, operator) {
      const restored = await operator().restored()
      return {
        json: restored,
        text: `The restore of the database is recorded.\n${waiting(restored)}`,
      }
    },
  },
]
