/** Hosts: their list, the command with which a machine joins, and their drain and end. */
import { type FastifyInstance } from 'fastify'
import { z } from 'zod'
import { activeCountries } from '../../../../rental/devices/countries.js'
import { parseBody } from '../../../http/parse-body.js'
import { drainHost, drainSchema, undrainHost } from '../../../../fleet/operator/drain.js'
import { createJoinToken } from '../../../../fleet/operator/hosts.js'
import { listRacks } from '../../../../fleet/operator/racks.js'
import { retireHost } from '../../../../fleet/operator/retire.js'
import { type GateDeps } from '../gate.js'
import { changeFor, operatorPath } from './change.js'

export interface HostDeps extends GateDeps {
  /** The address of `/v1`. */
  baseUrl: string
  /** Fingerprint of the hosts' certificate authority, for join tokens; a rotation changes it. */
  authority: () => string
}

type OfHost = { Params: { host: string } }

const retireBody = z.strictObject({ force: z.boolean().default(false) })

/**
 * The token is read from standard input, so that no list of processes shows it. A person replaces COUNTRY, which `join` refuses;
 * `onlyCountry` says when a host needs one.
 */
const joinCommand = (baseUrl: string, token: string, countries: readonly string[]): string =>
  `sudo phonerack-agent join --server ${baseUrl}${countries.length === 1 ? '' : ' --country COUNTRY'} --token-file - <<'END' &&\n${token}\nEND\nsudo systemctl start phonerack-agent`

export function addOperatorHosts(app: FastifyInstance, { core, baseUrl, authority }: HostDeps): void {
  const base = `${operatorPath}/hosts`
  app.get(base, async () => ({ data: await listRacks(core) }))
  app.post(`${base}/join-tokens`, async (request, reply) => {
    const made = await changeFor(core, request, 'host.join_token', (work) =>
      createJoinToken(work, authority()),
    )
    const command = joinCommand(baseUrl, made.token, await activeCountries(core.db))
    return reply.code(201).send({ command, expires_at: made.expires_at })
  })
  app.post<OfHost>(`${base}/:host/drain`, (request) => {
    const drain = parseBody(drainSchema, request)
    return changeFor(core, request, 'host.drain', (work) => drainHost(work, request.params.host, drain))
  })
  app.post<OfHost>(`${base}/:host/undrain`, (request) =>
    changeFor(core, request, 'host.undrain', (work) => undrainHost(work, request.params.host)),
  )
  app.post<OfHost>(`${base}/:host/retire`, (request) => {
    const { force } = parseBody(retireBody, request)
    return changeFor(core, request, 'host.retire', (work) => retireHost(work, request.params.host, force))
  })
}
