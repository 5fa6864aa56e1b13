/** Hosts: their list, the command with which a machine joins, and their drain and removal. */
import { type FastifyInstance } from 'fastify'
import { z } from 'zod'
import { activeCountries } from '../../../../rental/devices/countries.js'
import { drainHost, drainSchema, undrainHost } from '../../../../fleet/operator/drain.js'
import { createJoinToken } from '../../../../fleet/operator/hosts.js'
import { listRacks } from '../../../../fleet/operator/racks.js'
import { retireHost } from '../../../../fleet/operator/retire.js'
import { type GateDeps } from '../gate.js'
import { changeFor } from './change.js'
import { joinCommandAnswer, rackAnswer } from '../answers.js'
import { listOf } from '../../shape.js'
import { route } from '../route.js'

export interface HostDeps extends GateDeps {
  /** The address of `/v1`. */
  baseUrl: string
  /** Fingerprint of the hosts' certificate authority, for join tokens; a rotation changes it. */
  authority: () => string
}

const retireBody = z.strictObject({ force: z.boolean().default(false) })

/**
 * The command reads the token from standard input, so that no list of processes shows it. The operator replaces
 * COUNTRY, which `join` refuses; `onlyCountry` says when a host needs a country.
 */
const joinCommand = (baseUrl: string, token: string, countries: readonly string[]): string =>
  `sudo phonerack-agent join --server ${baseUrl}${countries.length === 1 ? '' : ' --country COUNTRY'} --token-file - <<'END' &&\n${token}\nEND\nsudo systemctl start phonerack-agent`

export function addOperatorHosts(app: FastifyInstance, { core, baseUrl, authority }: HostDeps): void {
  route(app, 'GET /operator/hosts', { answer: listOf(rackAnswer) }, async () => ({
    data: await listRacks(core),
  }))
  route(
    app,
    'POST /operator/hosts/join-tokens',
    { answer: joinCommandAnswer, status: 201 },
    async (request) => {
      const made = await changeFor(core, request, 'host.join_token', (work) =>
        createJoinToken(work, authority()),
      )
      const command = joinCommand(baseUrl, made.token, await activeCountries(core.db))
      return { command, expires_at: made.expires_at }
    },
  )
  route(app, 'POST /operator/hosts/:host/drain', { body: drainSchema }, (request) => {
    const drain = request.body
    return changeFor(core, request, 'host.drain', (work) => drainHost(work, request.params.host, drain))
  })
  route(app, 'POST /operator/hosts/:host/undrain', {}, (request) =>
    changeFor(core, request, 'host.undrain', (work) => undrainHost(work, request.params.host)),
  )
  route(app, 'POST /operator/hosts/:host/retire', { body: retireBody }, (request) => {
    const { force } = request.body
    return changeFor(core, request, 'host.retire', (work) => retireHost(work, request.params.host, force))
  })
}
