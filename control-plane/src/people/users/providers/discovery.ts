/** The metadata and keys of an OpenID Connect issuer. OpenID Connect Discovery 1.0, RFC 8414. */
import { type JSONWebKeySet, type JWK } from 'jose'
import { z } from 'zod'
import { type Outbound } from './outbound.js'
import { ProviderFailed } from './types.js'

/** Milliseconds for which metadata and keys are kept. */
const lifeMs = 3_600_000
/** Milliseconds between two reads of the keys that unknown keys cause. */
const keysAgainMs = 30_000

const metadataSchema = z.looseObject({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  jwks_uri: z.string(),
  userinfo_endpoint: z.string().optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
  authorization_response_iss_parameter_supported: z.boolean().optional(),
})
const keyShape = z.looseObject({ kty: z.string() })
const isKey = (value: unknown): boolean => keyShape.safeParse(value).success
const keysSchema = z.object({ keys: z.array(z.custom<JWK>(isKey)).max(200) })

export type Metadata = z.infer<typeof metadataSchema>

interface Discovery {
  /** @throws ProviderFailed */
  metadata(signal: AbortSignal): Promise<Metadata>
  /** @param areOld true if the keys of the last call lack a key @throws ProviderFailed */
  keys(signal: AbortSignal, areOld: boolean): Promise<JSONWebKeySet>
}

interface Kept<T> {
  value: T
  at: number
}

/** @param now monotonic time in milliseconds */
export function createDiscovery(issuer: string, outbound: Outbound, now: () => number): Discovery {
  const at = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  let metadata: Kept<Metadata> | null = null
  let keys: Kept<JSONWebKeySet> | null = null

  const read = async <S extends z.ZodType>(
    url: string,
    schema: S,
    signal: AbortSignal,
  ): Promise<z.output<S>> => {
    const { status, body } = await outbound.ask(url, signal)
    const parsed = status === 200 ? schema.safeParse(body) : null
    if (parsed?.success === true) return parsed.data
    throw new ProviderFailed(`${url} answered with status ${status}, or without the fields that are needed`)
  }

  const readMetadata = async (signal: AbortSignal): Promise<Metadata> => {
    const found = await read(at, metadataSchema, signal)
    if (found.issuer !== issuer)
      throw new ProviderFailed(`the metadata of ${issuer} is of the issuer ${found.issuer}`)
    // The browser opens this address, so it must be an address of the web.
    const problem = outbound.problemOf(found.authorization_endpoint)
    if (problem !== null) throw new ProviderFailed(`the authorization endpoint of ${issuer} ${problem}`)
    return found
  }

  const self: Discovery = {
    async metadata(signal) {
      if (metadata === null || now() - metadata.at >= lifeMs)
        metadata = { value: await readMetadata(signal), at: now() }
      return metadata.value
    },
    async keys(signal, areOld) {
      const age = keys === null ? Infinity : now() - keys.at
      if (keys === null || age >= lifeMs || (areOld && age >= keysAgainMs)) {
        const { jwks_uri: url } = await self.metadata(signal)
        keys = { value: await read(url, keysSchema, signal), at: now() }
      }
      return keys.value
    },
  }
  return self
}
