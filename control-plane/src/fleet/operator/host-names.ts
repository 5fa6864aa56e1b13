/** Names, countries and labels of hosts: a join sets them, and operators change them. */
import { limits } from '@phonerack/shared'
import { z } from 'zod'
import { type Facts } from '../../base/db/audit-log.js'
import { type Tx } from '../../base/db/database.js'
import { activeCountries } from '../../rental/devices/countries.js'
import { invalidField, nameSchema } from '../../base/validation/fields.js'
import { findHost, readHost, type HostView } from './hosts.js'
import { type Change, type Work } from '../../base/audit/work.js'

/** Commands take a name or an ID, so no name looks like an ID. */
export const hostNameSchema = nameSchema.refine(
  (name) => !name.startsWith('hst_'),
  'must not begin with hst_',
)
export const countrySchema = z.string().regex(/^[A-Z]{2}$/, 'must be a two-letter country code')

const { metadata: most } = limits
const labelSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.:/-]*$/, 'must consist of letters, digits, "_", ".", ":", "/" or "-"')
  .max(most.key)

export const hostChangeSchema = z.strictObject({
  name: hostNameSchema.optional(),
  country: countrySchema.optional(),
  /** Labels to set; null removes a label. */
  labels: z.record(labelSchema, nameSchema.nullable()).optional(),
})

/**
 * Holds the name for this transaction. Earlier releases let hosts share a name; these hosts keep it.
 * @throws ApiError validation_failed when another host that is not retired has the name
 */
export async function takeName(tx: Tx, hostId: string, name: string): Promise<void> {
  await tx.$queryRaw`select 1 as locked from pg_advisory_xact_lock(hashtextextended('name of a host: ' || ${name}::text, 0))`
  const [other] = await tx.host.findMany({ where: { name, retiredAt: null, id: { not: hostId } }, take: 1 })
  if (other)
    throw invalidField(
      'name',
      `is the name of the host ${other.id}. Choose another name (\`--name\` of \`join\`); if this machine is that host, join with the token of \`ctl host rejoin ${other.id}\``,
    )
}

/**
 * The country of all hosts.
 * @throws ApiError validation_failed when no host has a country yet, or hosts are in several countries
 */
export async function onlyCountry(tx: Tx): Promise<string> {
  const [country, ...others] = await activeCountries(tx)
  if (country !== undefined && others.length === 0) return country
  const why =
    country === undefined
      ? 'this is the first host'
      : `the hosts of this service are in ${[country, ...others].join(', ')}`
  throw invalidField('country', `is missing, and ${why}: pass \`--country\` to \`join\``)
}

/** Existing phones keep running. A changed country counts for later creates. */
export async function changeHost(
  { core, tx, now }: Work,
  ref: string,
  { name, country, labels = {} }: z.output<typeof hostChangeSchema>,
): Promise<Change<HostView>> {
  const { id } = await findHost(tx, ref)
  await tx.$queryRaw`select 1 from hosts where id = ${id} for update`
  const host = await tx.host.findUniqueOrThrow({ where: { id } })
  if (host.retiredAt) throw invalidField('host', 'is retired')
  const before = await readHost(tx, id, now, core.rules)
  if (name !== undefined && name !== host.name) await takeName(tx, id, name)
  const kept = Object.entries({ ...before.labels, ...labels }).filter(([, value]) => value !== null)
  if (kept.length > most.pairs) throw invalidField('labels', `must be at most ${most.pairs} of a host`)
  await tx.host.update({
    where: { id },
    data: {
      ...(name === undefined ? {} : { name }),
      ...(country === undefined ? {} : { country }),
      labels: Object.fromEntries(kept) as Record<string, string>,
    },
  })
  const after = await readHost(tx, id, now, core.rules)
  return { result: after, target: id, before: factsOf(before), after: factsOf(after) }
}

const factsOf = ({ name, country, labels }: HostView): NonNullable<Facts> => ({ name, country, labels })
