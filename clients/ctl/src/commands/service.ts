import type { Command } from '../commands.js'

const state = (service: { paused_at: string | null }): string =>
  service.paused_at === null ? 'The service runs.' : `The service is paused since ${service.paused_at}.`

export const serviceCommands: readonly Command[] = [
  {
    name: 'service show',
    about: 'Says whether the service is paused.',
    words: [],
    flags: {},
    async run(_input, operator) {
      const service = await operator().service()
      return { json: service, text: state(service) }
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
]
